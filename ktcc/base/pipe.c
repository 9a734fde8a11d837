/* Child processes that are written to and read from line by line. */
#include "base/proc_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/guard.h"

struct kt_pipe {
	pid_t pid;
	int to, from, errors;
	struct kt_buf pending;  /* bytes received after the last line */
	struct kt_buf messages; /* the child's stderr */
	int signal;             /* that it was found ended by; 0: none */
};

kt_status kt_pipe_start(struct kt_pipe **out, char *const argv[], struct kt_error *err)
{
	static const struct kt_proc_options options;
	struct kt_pipe *child = calloc(1, sizeof *child);
	int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
	kt_status status = KT_OK;

	NEED(child, kt_fail(err, KT_ERR_MEMORY, "%s: out of memory", argv[0]));
	child->pending = (struct kt_buf)KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	child->messages = (struct kt_buf)KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	for (int i = 0; i < 3 && status == KT_OK; i++)
		if (pipe2(pipes[i], O_CLOEXEC) != 0)
			status = kt_fail_errno(err, "pipe");
	THEN(status, kt_proc_spawn(&child->pid, argv, &options, pipes[0][0], pipes[1][1], pipes[2][1], NULL, err));
	if (status != KT_OK) {
		for (int i = 0; i < 3; i++)
			kt_proc_close_pair(pipes[i]);
		free(child);
		return status;
	}
	close(pipes[0][0]);
	close(pipes[1][1]);
	close(pipes[2][1]);
	child->to = pipes[0][1];
	child->from = pipes[1][0];
	child->errors = pipes[2][0];
	fcntl(child->errors, F_SETFL, O_NONBLOCK);
	*out = child;
	return KT_OK;
}

kt_status kt_pipe_send(struct kt_pipe *child, const char *line, struct kt_error *err)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	const char *parts[2] = {line, "\n"};
	kt_status status = KT_OK;

	/* A child that died must be an error here, not a signal. */
	sigaction(SIGPIPE, &ignore, &before);
	for (int i = 0; i < 2 && status == KT_OK; i++) {
		size_t left = strlen(parts[i]);
		const char *at = parts[i];

		while (left != 0 && status == KT_OK) {
			ssize_t put = write(child->to, at, left);

			if (put < 0 && errno == EINTR)
				continue;
			if (put < 0)
				status = kt_fail(err, KT_ERR_CHILD, "child process is gone: %s", strerror(errno));
			else {
				at += put;
				left -= (size_t)put;
			}
		}
	}
	sigaction(SIGPIPE, &before, NULL);
	return status;
}

size_t kt_pipe_room(const struct kt_pipe *child)
{
	const int size = fcntl(child->to, F_GETPIPE_SZ);
	int unread = 0;

	if (size <= 0 || ioctl(child->to, FIONREAD, &unread) != 0 || unread < 0 || unread >= size)
		return 0;
	return (size_t)(size - unread);
}

void kt_pipe_end(struct kt_pipe *child)
{
	if (child->to >= 0)
		close(child->to);
	child->to = -1;
}

static kt_status child_ended(struct kt_pipe *child, struct kt_error *err)
{
	int status = 0;
	const char *tail;
	size_t size;

	/* Found and reported before: the process is gone. */
	if (child->pid <= 0)
		return kt_fail(err, KT_ERR_CHILD, "child process is gone");
	for (int tries = 0; tries < 200 && waitpid(child->pid, &status, WNOHANG) != child->pid; tries++) {
		struct timespec nap = {0, 5000000};

		if (tries == 199)
			return kt_fail(err, KT_ERR_CHILD, "child process closed its output");
		nanosleep(&nap, NULL);
	}
	while (kt_proc_drain(child->errors, &child->messages))
		;
	kill(-child->pid, SIGKILL);
	kt_guard_release_group(child->pid);
	child->pid = -1;
	size = child->messages.size;
	tail = kt_buf_text(&child->messages) + (size > 400 ? size - 400 : 0);
	if (WIFSIGNALED(status))
		child->signal = WTERMSIG(status);
	if (WIFSIGNALED(status))
		return kt_fail(err, KT_ERR_CHILD, "killed by signal %d (%s)%s%s", WTERMSIG(status),
		               strsignal(WTERMSIG(status)), size != 0 ? ": " : "", tail);
	return kt_fail(err, KT_ERR_CHILD, "ended with exit code %d%s%s", WEXITSTATUS(status), size != 0 ? ": " : "", tail);
}

kt_status kt_pipe_receive(struct kt_buf *line, struct kt_pipe *child, double timeout_s, struct kt_error *err)
{
	double until = kt_now_s() + timeout_s;

	kt_buf_clear(line);
	for (bool looked = false;; looked = true) {
		char *newline = child->pending.size != 0 ? memchr(child->pending.data, '\n', child->pending.size) : NULL;
		struct pollfd waits[2] = {{child->from, POLLIN, 0}, {child->errors, POLLIN, 0}};
		double left = until - kt_now_s();

		if (newline != NULL) {
			size_t length = (size_t)(newline - child->pending.data);

			kt_buf_add(line, child->pending.data, length);
			child->pending.size -= length + 1;
			memmove(child->pending.data, newline + 1, child->pending.size + 1);
			return kt_buf_check(line, "reply", err);
		}
		if (child->pending.failed)
			return kt_fail(err, KT_ERR_CHILD, "a reply longer than %zu bytes", child->pending.limit);
		if (left <= 0 && looked)
			return kt_fail(err, KT_ERR_LIMIT, "no reply within %.1f s", timeout_s);
		if (poll(waits, 2, left <= 0 ? 0 : left > 1 ? 1000 : (int)(left * 1000) + 1) <= 0)
			continue;
		if (waits[1].revents != 0 && !kt_proc_drain(child->errors, &child->messages) && waits[0].revents == 0 &&
		    (waits[1].revents & POLLIN) == 0) {
			/* stderr closed but stdout open: wait on stdout alone. */
			struct timespec nap = {0, 1000000};

			nanosleep(&nap, NULL);
		}
		if (waits[0].revents != 0 && !kt_proc_drain(child->from, &child->pending))
			return child_ended(child, err);
	}
}

bool kt_pipe_is_ready(const struct kt_pipe *child)
{
	struct pollfd from = {.fd = child->from, .events = POLLIN};

	return memchr(child->pending.data, '\n', child->pending.size) != NULL || poll(&from, 1, 0) > 0;
}

int kt_pipe_fd(const struct kt_pipe *child)
{
	return child != NULL ? child->from : -1;
}

int kt_pipe_ended_by(const struct kt_pipe *child)
{
	return child->signal;
}

void kt_pipe_signal(struct kt_pipe *child)
{
	if (child != NULL && child->pid > 0)
		kill(-child->pid, SIGKILL);
}

void kt_pipe_kill(struct kt_pipe *child)
{
	kt_pipe_signal(child);
	kt_pipe_close(child);
}

void kt_pipe_close(struct kt_pipe *child)
{
	if (child == NULL)
		return;
	kt_pipe_end(child);
	if (child->pid > 0) {
		bool ended = false;

		for (int tries = 0; tries < 100 && !ended; tries++) {
			struct timespec nap = {0, 2000000};

			ended = waitpid(child->pid, NULL, WNOHANG) != 0;
			if (!ended)
				nanosleep(&nap, NULL);
		}
		kill(-child->pid, SIGKILL);
		if (!ended) {
			kill(child->pid, SIGKILL);
			waitpid(child->pid, NULL, 0);
		}
		kt_guard_release_group(child->pid);
	}
	close(child->from);
	close(child->errors);
	kt_buf_free(&child->pending);
	kt_buf_free(&child->messages);
	free(child);
}
