/*
 * LD_PRELOAD: system calls of ktcc that fail when they are told to. Counted are those that change files below
 * FAULT_PATH: write, pwrite, ftruncate, fallocate, fsync, fdatasync, open for writing or making, mkdir, rename, unlink.
 *
 *   FAULT_AT=N      the N-th fails, from 1 on
 *   FAULT_ERROR=E   with this errno (a number); 0: the process is killed there instead
 *   FAULT_STICKY=1  so do all that follow
 *   FAULT_KINDS=s   only these: w(rite), t(runcate), s(ync), o(pen), n(ames)
 *   FAULT_COUNT=F   appends the process's count to F when it ends
 *   FAULT_CLOCK=S   the wall clock is S seconds off, from the FAULT_CLOCK_AT-th reading on (0: always)
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long at, count, readings, clock_at, clock_s;
static int error_number, sticky, ready;
static const char *root, *kinds, *count_path;
static size_t root_length;

static long number_of(const char *name)
{
	const char *text = getenv(name);

	return text != NULL ? strtol(text, NULL, 10) : 0;
}

/* Only the launcher: what it starts is faulty in other ways. */
static void set_up(void)
{
	if (ready)
		return;
	ready = 1;
	clock_s = number_of("FAULT_CLOCK");
	clock_at = number_of("FAULT_CLOCK_AT");
	if (strcmp(program_invocation_short_name, "ktcc") != 0) {
		clock_s = 0;
		return;
	}
	root = getenv("FAULT_PATH");
	root_length = root != NULL ? strlen(root) : 0;
	kinds = getenv("FAULT_KINDS");
	at = number_of("FAULT_AT");
	error_number = (int)number_of("FAULT_ERROR");
	sticky = (int)number_of("FAULT_STICKY");
	count_path = getenv("FAULT_COUNT");
}

static void *real(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (found == NULL)
		abort();
	return found;
}

__attribute__((destructor)) static void tell(void)
{
	char text[32];
	int (*const open_file)(const char *, int, ...) = (int (*)(const char *, int, ...))real("open");
	ssize_t (*const write_file)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))real("write");
	int fd = count_path != NULL ? open_file(count_path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;

	if (fd < 0)
		return;
	if (write_file(fd, text, (size_t)snprintf(text, sizeof text, "%ld\n", count)) < 0)
		abort();
	close(fd);
}

static int fails(char kind)
{
	if (kinds != NULL && strchr(kinds, kind) == NULL)
		return 0;
	count++;
	if (at == 0 || (count != at && !(sticky && count > at)))
		return 0;
	if (error_number == 0)
		kill(getpid(), SIGKILL);
	errno = error_number;
	return 1;
}

static int path_fails(const char *path, char kind)
{
	char whole[4096];

	set_up();
	if (root == NULL)
		return 0;
	/* Relative ones are the build's. */
	if (path[0] != '/' && getcwd(whole, sizeof whole) != NULL)
		path = whole;
	return strncmp(path, root, root_length) == 0 && fails(kind);
}

static int fd_fails(int fd, char kind)
{
	char link[64], path[4096];
	ssize_t length;

	set_up();
	if (root == NULL)
		return 0;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof path - 1);
	return length >= (ssize_t)root_length && strncmp(path, root, root_length) == 0 && fails(kind);
}

ssize_t write(int fd, const void *data, size_t size)
{
	return fd_fails(fd, 'w') ? -1 : ((ssize_t (*)(int, const void *, size_t))real("write"))(fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	return fd_fails(fd, 'w') ? -1
	                         : ((ssize_t (*)(int, const void *, size_t, off_t))real("pwrite"))(fd, data, size, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
	ssize_t (*const write_at)(int, const void *, size_t, off64_t) =
	    (ssize_t (*)(int, const void *, size_t, off64_t))real("pwrite64");

	return fd_fails(fd, 'w') ? -1 : write_at(fd, data, size, offset);
}

int ftruncate(int fd, off_t size)
{
	return fd_fails(fd, 't') ? -1 : ((int (*)(int, off_t))real("ftruncate"))(fd, size);
}

int ftruncate64(int fd, off64_t size)
{
	return fd_fails(fd, 't') ? -1 : ((int (*)(int, off64_t))real("ftruncate64"))(fd, size);
}

int posix_fallocate(int fd, off_t offset, off_t size)
{
	return fd_fails(fd, 't') ? errno : ((int (*)(int, off_t, off_t))real("posix_fallocate"))(fd, offset, size);
}

int fsync(int fd)
{
	return fd_fails(fd, 's') ? -1 : ((int (*)(int))real("fsync"))(fd);
}

int fdatasync(int fd)
{
	return fd_fails(fd, 's') ? -1 : ((int (*)(int))real("fdatasync"))(fd);
}

static int writes(int flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
}

#define OPEN(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list more; \
		mode_t mode = 0; \
		va_start(more, flags); \
		if ((flags & (O_CREAT | O_TMPFILE)) != 0) \
			mode = va_arg(more, mode_t); \
		va_end(more); \
		if (writes(flags) && path_fails(path, 'o')) \
			return -1; \
		return ((int (*)(const char *, int, ...))real(#name))(path, flags, mode); \
	}
OPEN(open)
OPEN(open64)

int mkdir(const char *path, mode_t mode)
{
	return path_fails(path, 'n') ? -1 : ((int (*)(const char *, mode_t))real("mkdir"))(path, mode);
}

int rename(const char *from, const char *to)
{
	return path_fails(from, 'n') ? -1 : ((int (*)(const char *, const char *))real("rename"))(from, to);
}

int unlink(const char *path)
{
	return path_fails(path, 'n') ? -1 : ((int (*)(const char *))real("unlink"))(path);
}

static long offset(void)
{
	set_up();
	return clock_s != 0 && ++readings >= clock_at ? clock_s : 0;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
	int rc = ((int (*)(clockid_t, struct timespec *))real("clock_gettime"))(clock, out);

	if (rc == 0 && clock == CLOCK_REALTIME)
		out->tv_sec += offset();
	return rc;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
	int rc = ((int (*)(struct timeval *, void *))real("gettimeofday"))(out, zone);

	if (rc == 0)
		out->tv_sec += offset();
	return rc;
}

time_t time(time_t *out)
{
	time_t now = ((time_t (*)(time_t *))real("time"))(NULL) + offset();

	if (out != NULL)
		*out = now;
	return now;
}
