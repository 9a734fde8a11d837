#include "base/proc_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/terminal.h"

struct kt_proc {
	pid_t pid;
	int output; /* read end of stdout and stderr; −1: closed or inherited */
	bool ended, own_group;
	double started_s, deadline_s;
	struct kt_buf text;
	struct kt_proc_result result;
};

double kt_now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int64_t kt_unix_time(void)
{
	return (int64_t)time(NULL);
}

int64_t kt_unix_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void kt_proc_close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

/* What only our child processes get: their group, mask and signals. A user's program keeps what we were given. */
static void set_child_apart(void)
{
	sigset_t none;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
}

kt_status kt_proc_spawn(pid_t *out, char *const argv[], const struct kt_proc_options *options, int in, int to,
                        int errors, struct kt_relay *relay, struct kt_error *err)
{
	int report[2], failure = 0;
	pid_t parent = getpid(), pid;
	ssize_t got;

	if (pipe2(report, O_CLOEXEC) != 0)
		return kt_fail_errno(err, "pipe");
	if (relay != NULL)
		kt_relay_hold(relay);
	pid = fork();
	if (pid < 0) {
		kt_fail_errno(err, "fork");
		if (relay != NULL)
			kt_relay_drop(relay);
		kt_proc_close_pair(report);
		return err->code;
	}
	if (pid == 0) {
		/* A user's compiler may clean up after itself; what ktcc wants for itself ends at once. */
		prctl(PR_SET_PDEATHSIG, options->same_group ? SIGTERM : SIGKILL);
		if (getppid() != parent)
			_exit(127);
		if (relay != NULL)
			kt_relay_drop(relay);
		else
			set_child_apart();
		if (in < 0 && !options->same_group)
			in = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if ((in >= 0 && dup2(in, 0) < 0) || (to >= 0 && dup2(to, 1) < 0) || (errors >= 0 && dup2(errors, 2) < 0))
			goto failed;
		if (options->directory != NULL && chdir(options->directory) != 0)
			goto failed;
		if (options->environment != NULL)
			execvpe(argv[0], argv, options->environment);
		else
			execvp(argv[0], argv);
failed:
		failure = errno;
		got = write(report[1], &failure, sizeof failure);
		_exit(127);
	}
	close(report[1]);
	if (!options->same_group)
		setpgid(pid, pid);
	do
		got = read(report[0], &failure, sizeof failure);
	while (got < 0 && errno == EINTR);
	close(report[0]);
	if (got == (ssize_t)sizeof failure) {
		waitpid(pid, NULL, 0);
		if (relay != NULL)
			kt_relay_drop(relay);
		return kt_fail(err, KT_ERR_MISSING, "%s: %s", argv[0], strerror(failure));
	}
	if (!options->same_group)
		kt_guard_group(pid);
	if (relay != NULL)
		kt_relay_start(relay, pid);
	*out = pid;
	return KT_OK;
}

static void kill_tree(pid_t pid, bool own_group)
{
	if (own_group)
		kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
}

static void set_result(struct kt_proc_result *result, int status)
{
	result->signalled = WIFSIGNALED(status);
	result->code = result->signalled ? WTERMSIG(status) : WEXITSTATUS(status);
}

kt_status kt_proc_start(struct kt_proc **out, char *const argv[], const struct kt_proc_options *options,
                        struct kt_error *err)
{
	static const struct kt_proc_options defaults;
	struct kt_proc *proc = calloc(1, sizeof *proc);
	int output[2] = {-1, -1}, input = -1;
	kt_status status;

	if (options == NULL)
		options = &defaults;
	NEED(proc, kt_fail(err, KT_ERR_MEMORY, "%s: out of memory", argv[0]));
	proc->text = (struct kt_buf)KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	proc->output = -1;
	proc->own_group = !options->same_group;
	if (options->input != NULL && (input = open(options->input, O_RDONLY | O_CLOEXEC)) < 0) {
		free(proc);
		return kt_fail_errno(err, "%s", options->input);
	}
	if (!options->inherit_output && pipe2(output, O_CLOEXEC) != 0) {
		kt_fail_errno(err, "pipe");
		kt_proc_close_pair((int[2]){input, -1});
		free(proc);
		return err->code;
	}
	status = kt_proc_spawn(&proc->pid, argv, options, input, output[1], output[1], NULL, err);
	if (input >= 0)
		close(input);
	if (output[1] >= 0)
		close(output[1]);
	if (status != KT_OK) {
		if (output[0] >= 0)
			close(output[0]);
		free(proc);
		return status;
	}
	proc->output = output[0];
	proc->started_s = kt_now_s();
	proc->deadline_s = options->timeout_s > 0 ? proc->started_s + options->timeout_s : 0;
	*out = proc;
	return KT_OK;
}

bool kt_proc_drain(int fd, struct kt_buf *out)
{
	char block[16 << 10];
	ssize_t got;

	do
		got = read(fd, block, sizeof block);
	while (got < 0 && errno == EINTR);
	if (got > 0 && out != NULL)
		kt_buf_add(out, block, (size_t)got);
	return got > 0;
}

static bool reap(struct kt_proc *proc, bool wait_for_it)
{
	int status;
	pid_t pid;

	do
		pid = waitpid(proc->pid, &status, wait_for_it ? 0 : WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid != proc->pid)
		return false;
	proc->ended = true;
	set_result(&proc->result, status);
	proc->result.wall_s = kt_now_s() - proc->started_s;
	/* Processes that the child leaves in its group must not outlive it. */
	if (proc->own_group) {
		kill(-proc->pid, SIGKILL);
		kt_guard_release_group(proc->pid);
	}
	return true;
}

/* Beyond the wait, for output that is there. */
static const double overrun_s = 0.1;

bool kt_proc_poll(struct kt_proc *proc, double wait_s)
{
	double until = kt_now_s() + wait_s;

	while (!proc->ended) {
		double now = kt_now_s();
		double left = until - now;

		if (proc->deadline_s > 0 && now >= proc->deadline_s && !proc->result.timed_out) {
			proc->result.timed_out = true;
			kill_tree(proc->pid, proc->own_group);
		}
		if (proc->deadline_s > 0 && left > proc->deadline_s - now && !proc->result.timed_out)
			left = proc->deadline_s - now;
		if (proc->output >= 0) {
			struct pollfd wait = {proc->output, POLLIN, 0};
			/* A grandchild may hold the pipe open after the child is gone: look at the child as well. */
			int step = left <= 0 ? 0 : left > 0.05 ? 50 : (int)(left * 1000) + 1;
			int ready = poll(&wait, 1, step);

			if (ready > 0 && !kt_proc_drain(proc->output, &proc->text)) {
				close(proc->output);
				proc->output = -1;
			}
			/* What never stops writing must not hold its reader. */
			if (ready > 0 && now < until + overrun_s)
				continue;
			if (reap(proc, false))
				break;
		} else if (reap(proc, wait_s > 0 && proc->deadline_s <= 0 && left > 3600)) {
			break;
		} else if (left > 0) {
			struct timespec nap = {0, left > 0.002 ? 2000000 : 200000};

			nanosleep(&nap, NULL);
		}
		if (kt_now_s() >= until)
			break;
	}
	if (proc->ended && proc->output >= 0) {
		struct pollfd wait = {proc->output, POLLIN, 0};

		while (poll(&wait, 1, 0) > 0 && kt_proc_drain(proc->output, &proc->text))
			;
		close(proc->output);
		proc->output = -1;
	}
	return proc->ended;
}

const struct kt_proc_result *kt_proc_result(const struct kt_proc *proc)
{
	return &proc->result;
}

const struct kt_buf *kt_proc_output(const struct kt_proc *proc)
{
	return &proc->text;
}

int kt_proc_fd(const struct kt_proc *proc)
{
	return proc != NULL ? proc->output : -1;
}

void kt_wait_readable(const int *fds, size_t count, double wait_s)
{
	struct pollfd waits[KT_WAIT_MOST];
	nfds_t used = 0;

	for (size_t i = 0; i < count && used < KT_WAIT_MOST; i++)
		if (fds[i] >= 0)
			waits[used++] = (struct pollfd){fds[i], POLLIN, 0};
	(void)poll(waits, used, (int)(wait_s * 1000));
}

void kt_proc_free(struct kt_proc *proc)
{
	if (proc == NULL)
		return;
	if (!proc->ended) {
		kill_tree(proc->pid, proc->own_group);
		reap(proc, true);
	}
	if (proc->output >= 0)
		close(proc->output);
	kt_buf_free(&proc->text);
	free(proc);
}

/* Reads both streams to their ends or until the time is over, then reaps. */
static void gather(struct kt_proc *proc, int out_fd, int errors_fd, struct kt_buf *out, struct kt_buf *errors)
{
	struct pollfd waits[2] = {{out_fd, POLLIN, 0}, {errors_fd, POLLIN, 0}};
	struct kt_buf *buffers[2] = {out, errors};

	while (waits[0].fd >= 0 || waits[1].fd >= 0) {
		int step = 50;

		if (proc->deadline_s > 0 && kt_now_s() >= proc->deadline_s && !proc->ended) {
			proc->result.timed_out = true;
			kill_tree(proc->pid, proc->own_group);
		}
		if (poll(waits, 2, step) > 0) {
			for (int i = 0; i < 2; i++)
				if (waits[i].fd >= 0 && waits[i].revents != 0 && !kt_proc_drain(waits[i].fd, buffers[i]))
					waits[i].fd = -1;
		} else if (proc->ended || reap(proc, false)) {
			break;
		}
	}
	while (!proc->ended && !reap(proc, proc->deadline_s <= 0)) {
		struct timespec nap = {0, 1000000};

		if (kt_now_s() >= proc->deadline_s) {
			proc->result.timed_out = true;
			kill_tree(proc->pid, proc->own_group);
		}
		nanosleep(&nap, NULL);
	}
}

/* Colours are not worth a failure: where there is no pseudo-terminal it is a pipe. */
static int open_errors(int ends[2], const struct kt_proc_options *options)
{
	if (options->terminal_errors && kt_terminal_pipe(ends, STDERR_FILENO) == 0)
		return 0;
	return pipe2(ends, O_CLOEXEC);
}

kt_status kt_proc_run(struct kt_proc_result *result, char *const argv[], const struct kt_proc_options *options,
                      struct kt_buf *out, struct kt_buf *errors, struct kt_error *err)
{
	static const struct kt_proc_options defaults;
	struct kt_proc proc = {.output = -1};
	int pipes[2][2] = {{-1, -1}, {-1, -1}};
	struct kt_relay relay;
	bool same = out == errors;
	kt_status status;

	if (options == NULL)
		options = &defaults;
	proc.own_group = !options->same_group;
	if (!options->inherit_output &&
	    (pipe2(pipes[0], O_CLOEXEC) != 0 || (!same && open_errors(pipes[1], options) != 0))) {
		status = kt_fail_errno(err, "pipe");
		goto done;
	}
	status = kt_proc_spawn(&proc.pid, argv, options, -1, pipes[0][1], same ? pipes[0][1] : pipes[1][1],
	               options->same_group ? &relay : NULL, err);
	if (status != KT_OK)
		goto done;
	proc.started_s = kt_now_s();
	proc.deadline_s = options->timeout_s > 0 ? proc.started_s + options->timeout_s : 0;
	for (int i = 0; i < 2; i++) {
		if (pipes[i][1] >= 0)
			close(pipes[i][1]);
		pipes[i][1] = -1;
	}
	gather(&proc, pipes[0][0], pipes[1][0], out, errors);
	if (options->same_group)
		proc.result.interrupted_by = kt_relay_end(&relay);
	*result = proc.result;
done:
	kt_proc_close_pair(pipes[0]);
	kt_proc_close_pair(pipes[1]);
	return status;
}
