#include "base/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"

enum { GROUPS_MOST = 4096, DIRECTORIES_MOST = 16, PATH_BYTES = 2000 };

/* Short enough for one write to be one read: smaller than PIPE_BUF. */
struct message {
	bool watch; /* false: forget */
	pid_t group; /* 0: a directory */
	char path[PATH_BYTES + 1];
};

struct watched {
	pid_t groups[GROUPS_MOST];
	char directories[DIRECTORIES_MOST][PATH_BYTES + 1];
};

static int guard_pipe = -1;
static pid_t guard_owner;

static void note(struct watched *watched, const struct message *message)
{
	if (message->group != 0) {
		pid_t from = message->watch ? 0 : message->group, to = message->watch ? message->group : 0;

		for (size_t i = 0; i < GROUPS_MOST; i++)
			if (watched->groups[i] == from) {
				watched->groups[i] = to;
				return;
			}
		return;
	}
	for (size_t i = 0; i < DIRECTORIES_MOST; i++) {
		char *slot = watched->directories[i];

		if (strcmp(slot, message->watch ? "" : message->path) == 0) {
			memcpy(slot, message->watch ? message->path : "", message->watch ? sizeof message->path : 1);
			return;
		}
	}
}

static void clean_up(const struct watched *watched)
{
	struct kt_error ignored;

	for (size_t i = 0; i < GROUPS_MOST; i++)
		if (watched->groups[i] > 1)
			kill(-watched->groups[i], SIGKILL);
	for (size_t i = 0; i < DIRECTORIES_MOST; i++) {
		if (watched->directories[i][0] != '/')
			continue;
		/* A killed compiler may still be on its way out and write one more file. */
		for (int tries = 0; tries < 20 && kt_fs_remove_tree(watched->directories[i], &ignored) != KT_OK; tries++) {
			struct timespec nap = {0, 50000000};

			nanosleep(&nap, NULL);
		}
	}
}

static void watch(int from)
{
	struct watched *watched = calloc(1, sizeof *watched);
	struct message message;
	ssize_t got;

	if (watched == NULL)
		return;
	for (;;) {
		got = read(from, &message, sizeof message);
		if (got == (ssize_t)sizeof message)
			note(watched, &message);
		else if (got >= 0 || errno != EINTR)
			break;
	}
	clean_up(watched);
	free(watched);
}

/* Two forks: the grandchild has no parent here, so that a compiler exec'd in our place has no unknown child. */
static void start(void)
{
	int ends[2], status;
	pid_t pid;

	guard_owner = getpid();
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	pid = fork();
	if (pid == 0) {
		if (setsid() < 0 || (pid = fork()) != 0)
			_exit(pid < 0);
		if (dup2(ends[0], 0) != 0)
			_exit(1);
		close_range(1, ~0U, 0);
		if (chdir("/") != 0)
			_exit(1);
		watch(0);
		_exit(0);
	}
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		close(ends[1]);
	else
		guard_pipe = ends[1];
}

void kt_guard_start(void)
{
	if (guard_owner != getpid())
		start();
}

static void tell(bool is_watch, pid_t group, const char *path)
{
	struct message message = {.watch = is_watch, .group = group};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	ssize_t put;

	if (path != NULL) {
		if (path[0] != '/' || strlen(path) > PATH_BYTES)
			return;
		memcpy(message.path, path, strlen(path) + 1);
	}
	if (is_watch)
		kt_guard_start();
	if (guard_owner != getpid() || guard_pipe < 0)
		return;
	/* A guard that somebody killed is no reason to end. */
	sigaction(SIGPIPE, &ignore, &before);
	do
		put = write(guard_pipe, &message, sizeof message);
	while (put < 0 && errno == EINTR);
	if (put < 0) {
		close(guard_pipe);
		guard_pipe = -1;
	}
	sigaction(SIGPIPE, &before, NULL);
}

void kt_guard_group(pid_t group)
{
	tell(true, group, NULL);
}

void kt_guard_release_group(pid_t group)
{
	tell(false, group, NULL);
}

void kt_guard_directory(const char *path)
{
	tell(true, 0, path);
}

void kt_guard_release_directory(const char *path)
{
	tell(false, 0, path);
}
