#include "base/jobserver.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The text after the last `name` among the words of the flags, which "--" and variables follow; NULL: not among them. */
static const char *last_value(const char *flags, const char *name)
{
	const char *found = NULL, *const variables = strstr(flags, "-- ") == flags ? flags : strstr(flags, " -- ");

	for (const char *at = flags; (at = strstr(at, name)) != NULL && (variables == NULL || at < variables); at += strlen(name))
		if (at == flags || at[-1] == ' ')
			found = at + strlen(name);
	return found;
}

static bool is_pipe(int descriptor)
{
	struct stat info;

	return fstat(descriptor, &info) == 0 && S_ISFIFO(info.st_mode);
}

/* The two ends of one pipe? Where make closed its own, the numbers may be those of others. */
static bool are_ends(int reading, int writing)
{
	struct stat one, other;

	return fstat(reading, &one) == 0 && fstat(writing, &other) == 0 && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino && (fcntl(reading, F_GETFL) & O_ACCMODE) != O_WRONLY &&
	       (fcntl(writing, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

/* Opened a second time: a flag that is set on make's descriptor would be set for all its jobs. */
static void open_inherited(struct kt_jobserver *server, int reading, int writing)
{
	char path[64];

	if (reading < 0 || writing < 0 || !is_pipe(reading) || !are_ends(reading, writing))
		return;
	snprintf(path, sizeof path, "/proc/self/fd/%d", reading);
	server->reading = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/self/fd/%d", writing);
	server->writing = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

static void open_named(struct kt_jobserver *server, const char *text)
{
	const size_t length = strcspn(text, " ");
	char path[PATH_MAX];

	if (length >= sizeof path)
		return;
	memcpy(path, text, length);
	path[length] = '\0';
	server->reading = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (server->reading >= 0 && is_pipe(server->reading))
		server->writing = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}

void kt_jobserver_open(struct kt_jobserver *server, const char *flags)
{
	const char *value = flags != NULL ? last_value(flags, "--jobserver-auth=") : NULL;
	int reading, writing;

	*server = (struct kt_jobserver){.reading = -1, .writing = -1};
	/* The name before make 4.2. */
	if (value == NULL && flags != NULL)
		value = last_value(flags, "--jobserver-fds=");
	if (value == NULL)
		return;
	server->present = true;
	if (strncmp(value, "fifo:", 5) == 0)
		open_named(server, value + 5);
	else if (sscanf(value, "%d,%d", &reading, &writing) == 2)
		open_inherited(server, reading, writing);
}

bool kt_jobserver_take(struct kt_jobserver *server)
{
	if (!server->present)
		return true;
	/* Without a way back none is taken. */
	if (server->reading < 0 || server->writing < 0 || server->held == KT_JOBSERVER_TOKENS ||
	    read(server->reading, &server->tokens[server->held], 1) != 1)
		return false;
	server->held++;
	return true;
}

void kt_jobserver_give(struct kt_jobserver *server)
{
	if (server->held != 0 && write(server->writing, &server->tokens[server->held - 1], 1) == 1)
		server->held--;
}

void kt_jobserver_close(struct kt_jobserver *server)
{
	while (server->held != 0) {
		const size_t before = server->held;

		kt_jobserver_give(server);
		if (server->held == before)
			break;
	}
	if (server->reading >= 0)
		close(server->reading);
	if (server->writing >= 0)
		close(server->writing);
	*server = (struct kt_jobserver){.reading = -1, .writing = -1};
}
