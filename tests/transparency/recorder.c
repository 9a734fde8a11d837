/*
 * Stands in for nvcc: writes down how it was started, and ends as it is told.
 *
 * TRANSPARENCY_RECORD  a file; one record is appended to it, sections of
 *                      "NAME SIZE\n" and SIZE bytes, the last named "end"
 * TRANSPARENCY_END     the exit code, or "-N" for signal N; default 0
 * TRANSPARENCY_TALK    set: reads its standard input into the record and says
 *                      a line on standard output and standard error each
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD_BYTES (1 << 20)

static char text[RECORD_BYTES]; /* of one section */

static void put(FILE *out, const char *name, const char *bytes, size_t size)
{
	fprintf(out, "%s %zu\n", name, size);
	fwrite(bytes, 1, size, out);
}

static void put_descriptor(FILE *out, const char *name, int fd)
{
	size_t used = 0;
	ssize_t got;

	while (fd >= 0 && used < sizeof text && (got = read(fd, text + used, sizeof text - used)) > 0)
		used += (size_t)got;
	put(out, name, text, used);
}

static void put_file(FILE *out, const char *name, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	put_descriptor(out, name, fd);
	if (fd >= 0)
		close(fd);
}

/* "NUMBER FLAGS TARGET\n" of each open descriptor but those of this program's own making. */
static void put_descriptors(FILE *out, int own)
{
	DIR *directory = opendir("/proc/self/fd");
	const struct dirent *entry;
	size_t used = 0;

	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		int fd = (int)strtol(entry->d_name, NULL, 10);
		char path[64], target[4096];
		ssize_t length;

		if (entry->d_name[0] == '.' || fd == own || fd == dirfd(directory))
			continue;
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		length = readlink(path, target, sizeof target - 1);
		target[length < 0 ? 0 : length] = '\0';
		if (used + (size_t)length + 64 < sizeof text)
			used += (size_t)snprintf(text + used, sizeof text - used, "%d %o %s\n", fd, (unsigned)fcntl(fd, F_GETFL),
			                         target);
	}
	if (directory != NULL)
		closedir(directory);
	put(out, "descriptors", text, used);
}

int main(void)
{
	const char *path = getenv("TRANSPARENCY_RECORD"), *end = getenv("TRANSPARENCY_END");
	int code = end != NULL ? (int)strtol(end, NULL, 10) : 0;
	FILE *out = path != NULL ? fopen(path, "ae") : NULL;

	if (out == NULL) {
		fprintf(stderr, "recorder: no TRANSPARENCY_RECORD to write to\n");
		return 97;
	}
	put_file(out, "argv", "/proc/self/cmdline");
	put_file(out, "environment", "/proc/self/environ");
	put_file(out, "status", "/proc/self/status");
	put_file(out, "limits", "/proc/self/limits");
	put_descriptors(out, fileno(out));
	put(out, "directory", text, getcwd(text, sizeof text) != NULL ? strlen(text) : 0);
	put(out, "group", getpgrp() == getsid(0) ? "session" : "own", getpgrp() == getsid(0) ? 7 : 3);
	if (getenv("TRANSPARENCY_TALK") != NULL) {
		put_descriptor(out, "input", 0);
		printf("recorder: said on standard output\n");
		fprintf(stderr, "recorder: said on standard error\n");
	}
	put(out, "end", "", 0);
	if (fclose(out) != 0 || fflush(stdout) != 0)
		return 97;
	if (code < 0) {
		raise(-code);
		return 97;
	}
	return code;
}
