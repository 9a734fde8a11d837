/*
 * Child processes. Each child gets a separate process group, so that a time
 * limit or a signal ends the whole tree; no child outlives its parent's wait
 * (PR_SET_PDEATHSIG), standard input is /dev/null unless there is a pipe.
 */
#ifndef KT_BASE_PROC_H
#define KT_BASE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"

struct kt_proc_options {
	const char *directory;    /* working directory; NULL keeps it */
	char *const *environment; /* "NAME=value"…, NULL; NULL keeps the parent's */
	const char *input;        /* kt_proc_start only: a file as standard input; NULL: /dev/null */
	double timeout_s;         /* 0: none; past it the group is killed */
	bool inherit_output;      /* stdout and stderr stay the parent's; the buffers are unused */
	/*
	 * kt_proc_run only: a user's program. It stays in the parent's group, keeps its stdin, signal mask and ignored
	 * signals, gets what is sent to the parent meanwhile (relay.h) and may clean up when the parent is killed.
	 */
	bool same_group;
	bool terminal_errors; /* kt_proc_run only: stderr is a pseudo-terminal of our stderr's size (terminal.h) */
};

struct kt_proc_result {
	bool signalled;
	bool timed_out;
	int code;       /* exit status, or the signal's number */
	int interrupted_by; /* same_group: the last signal that reached the parent meanwhile; 0: none */
	double wall_s;
};

/*
 * Runs argv (NULL-terminated, argv[0] searched in PATH) to its end and appends
 * what it wrote to *out and *errors (each may be NULL to drop it; the same
 * buffer for both keeps the order). A non-zero exit is KT_OK with the result
 * filled; only a child that could not be started fails (KT_ERR_MISSING).
 */
kt_status kt_proc_run(struct kt_proc_result *result, char *const argv[], const struct kt_proc_options *options,
                      struct kt_buf *out, struct kt_buf *errors, struct kt_error *err) KT_MUST_CHECK;

/* A child that is started now and waited for later. */
struct kt_proc;
kt_status kt_proc_start(struct kt_proc **out, char *const argv[], const struct kt_proc_options *options,
                        struct kt_error *err) KT_MUST_CHECK;
/* Gathers output (stdout and stderr together); returns true once the child has ended. Waits at most wait_s. */
bool kt_proc_poll(struct kt_proc *proc, double wait_s);
/* Valid after kt_proc_poll returned true. */
const struct kt_proc_result *kt_proc_result(const struct kt_proc *proc);
/* What it has written until the last kt_proc_poll. */
const struct kt_buf *kt_proc_output(const struct kt_proc *proc);
/* Where its output is read from, to wait for it; negative: nowhere (also of NULL). */
int kt_proc_fd(const struct kt_proc *proc);
/* Kills the group if it still runs, reaps it, frees. Accepts NULL. */
void kt_proc_free(struct kt_proc *proc);

/* A child that speaks JSON lines: one request line on stdin, one reply line on stdout. */
struct kt_pipe;
kt_status kt_pipe_start(struct kt_pipe **out, char *const argv[], struct kt_error *err) KT_MUST_CHECK;
/* Sends one line (a newline is added). KT_ERR_CHILD when the child is gone. */
kt_status kt_pipe_send(struct kt_pipe *pipe, const char *line, struct kt_error *err) KT_MUST_CHECK;
/* Bytes that kt_pipe_send can take without waiting for the child to read: 0 when that is unknown. */
size_t kt_pipe_room(const struct kt_pipe *pipe);
/*
 * Receives one line without its newline into *line (cleared first).
 * KT_ERR_LIMIT after timeout_s (0: takes what is there without waiting),
 * KT_ERR_CHILD when the child ended: err then has the way it ended and the end
 * of its stderr.
 */
kt_status kt_pipe_receive(struct kt_buf *line, struct kt_pipe *pipe, double timeout_s, struct kt_error *err)
    KT_MUST_CHECK;
/* The signal that killed a child whose end kt_pipe_receive reported; 0: none did. */
int kt_pipe_ended_by(const struct kt_pipe *pipe);
/* Is there a reply, or an end, that kt_pipe_receive gives without waiting? */
bool kt_pipe_is_ready(const struct kt_pipe *pipe);
/* Where its replies are read from, to wait for one; negative: nowhere (also of NULL). */
int kt_pipe_fd(const struct kt_pipe *pipe);
/* No more will be sent: the child's input ends. Replies can still be received. */
void kt_pipe_end(struct kt_pipe *pipe);
/* Closes stdin, waits a moment, kills the group, reaps, frees. Accepts NULL. */
void kt_pipe_close(struct kt_pipe *pipe);
/* Kills the group and waits for nothing; it still has to be closed. */
void kt_pipe_signal(struct kt_pipe *pipe);
/* The same without waiting: for one that did not answer in time. */
void kt_pipe_kill(struct kt_pipe *pipe);

/* Waits until one of the descriptors (negative ones are skipped) can be read or wait_s is over. */
#define KT_WAIT_MOST 256 /* descriptors that are looked at */
void kt_wait_readable(const int *fds, size_t count, double wait_s);

/* Seconds on the monotonic clock. */
double kt_now_s(void);
/* Seconds since the Unix epoch. */
int64_t kt_unix_time(void);
/* Milliseconds since the Unix epoch. */
int64_t kt_unix_ms(void);

#endif
