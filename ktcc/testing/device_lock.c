#include "testing/device_lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/proc.h"

/*
 * Bytes of the file that are locked: the device, the end of the queue while somebody joins it, and from FIRST_BYTE
 * on the places of those who wait, one byte each.
 */
enum { DEVICE_BYTE, JOIN_BYTE, FIRST_BYTE };

/* A measurement takes milliseconds: who is next looks more often than who has waited for long. */
static const double poll_least_s = 0.0001, poll_most_s = 0.002, poll_part = 0.02, shown_after_s = 1;

struct kt_device_lock {
	char *path;
	int fd;
};

static bool is_uuid(const char *text)
{
	size_t length = 0;

	for (; text != NULL && text[length] != '\0'; length++)
		if (!isalnum((unsigned char)text[length]) && text[length] != '-')
			return false;
	return length >= 8 && length <= 80;
}

/*
 * The folder is anybody's: no link is followed, and only a plain file is taken. A file of another user is opened
 * without O_CREAT, which a sticky folder would refuse.
 */
static int open_file(const char *path)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	struct stat info;
	int fd = open(path, flags);

	if (fd < 0 && errno == ENOENT) {
		fd = open(path, flags | O_CREAT | O_EXCL, 0666);
		/* The umask must not keep other users out. */
		if (fd >= 0)
			(void)fchmod(fd, 0666);
		else if (errno == EEXIST)
			fd = open(path, flags);
	}
	if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

kt_status kt_device_lock_open(struct kt_device_lock **out, struct kt_arena *arena, const char *uuid,
                              struct kt_error *err)
{
	const char *own = getenv("XDG_RUNTIME_DIR");
	const char *folders[] = {"/tmp", own != NULL && own[0] == '/' ? own : NULL};
	struct kt_device_lock *lock = kt_arena_alloc(arena, sizeof *lock);

	if (!is_uuid(uuid))
		return kt_fail(err, KT_ERR_INVALID, "the device has no uuid");
	NEED(lock, kt_fail(err, KT_ERR_MEMORY, "device lock: out of memory"));
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		if (folders[i] == NULL)
			continue;
		NEED(lock->path = kt_arena_printf(arena, "%s/ktune-gpu-%s.lock", folders[i], uuid),
		     kt_fail(err, KT_ERR_MEMORY, "device lock: out of memory"));
		lock->fd = open_file(lock->path);
		if (lock->fd >= 0) {
			*out = lock;
			return KT_OK;
		}
		kt_fail_errno(err, "%s", lock->path);
	}
	return err->code;
}

/* Locks of the open file, not of the process: the kernel drops them with the descriptor, however this process ends. */
static bool lock_byte(int fd, short type, off_t byte)
{
	struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

	return fcntl(fd, F_OFD_SETLK, &range) == 0;
}

/* One attempt; false with errno EAGAIN or EACCES where it has to be made again. */
typedef bool attempt(struct kt_device_lock *lock, off_t byte);

static bool take_byte(struct kt_device_lock *lock, off_t byte)
{
	return lock_byte(lock->fd, F_WRLCK, byte);
}

/*
 * The first locked byte from here on, and how many are locked together; false: there is none before `end` (0: at
 * all).
 */
static bool find_locked(off_t *at, off_t *count, int fd, off_t from, off_t end)
{
	struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = from, .l_len = end > 0 ? end - from : 0};

	if (fcntl(fd, F_OFD_GETLK, &range) != 0 || range.l_type == F_UNLCK)
		return false;
	*at = range.l_start;
	*count = range.l_len;
	return true;
}

/* Is no process in the queue before this place? One that died there has left it. */
static bool is_first(struct kt_device_lock *lock, off_t place)
{
	off_t at, count;

	if (place == FIRST_BYTE || !find_locked(&at, &count, lock->fd, FIRST_BYTE, place))
		return true;
	errno = EAGAIN;
	return false;
}

static kt_status wait_for(struct kt_device_lock *lock, attempt *try, off_t byte, double begin_s, double end_s,
                          struct kt_error *err)
{
	while (!try(lock, byte)) {
		const double now_s = kt_now_s(), poll_s = fmin(poll_most_s, fmax(poll_least_s, poll_part * (now_s - begin_s)));
		const struct timespec pause = {0, (long)(poll_s * 1e9)};

		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return kt_fail_errno(err, "%s", lock->path);
		if (now_s >= end_s)
			return kt_fail(err, KT_ERR_BUSY, "%s: another process measures on this device, after %.0f s", lock->path,
			               now_s - begin_s);
		if (now_s - begin_s > shown_after_s)
			kt_progress("waiting for the device: another process measures on it (%.0f s)", now_s - begin_s);
		(void)nanosleep(&pause, NULL);
	}
	return KT_OK;
}

/* Takes the last place in the queue. */
static kt_status join(off_t *place, struct kt_device_lock *lock, double begin_s, double end_s, struct kt_error *err)
{
	off_t at, count;
	kt_status status = wait_for(lock, take_byte, JOIN_BYTE, begin_s, end_s, err);

	if (status != KT_OK)
		return status;
	*place = FIRST_BYTE;
	while (find_locked(&at, &count, lock->fd, *place, 0))
		*place = at + (count > 0 ? count : 1);
	if (!lock_byte(lock->fd, F_WRLCK, *place))
		status = kt_fail_errno(err, "%s", lock->path);
	(void)lock_byte(lock->fd, F_UNLCK, JOIN_BYTE);
	return status;
}

kt_status kt_device_lock_take(struct kt_device_lock *lock, double wait_s, struct kt_error *err)
{
	const double begin_s = kt_now_s(), end_s = begin_s + wait_s;
	off_t place = FIRST_BYTE;
	kt_status status = join(&place, lock, begin_s, end_s, err);

	if (status != KT_OK)
		return status;
	status = wait_for(lock, is_first, place, begin_s, end_s, err);
	THEN(status, wait_for(lock, take_byte, DEVICE_BYTE, begin_s, end_s, err));
	(void)lock_byte(lock->fd, F_UNLCK, place);
	return status;
}

bool kt_device_lock_is_wanted(const struct kt_device_lock *lock)
{
	off_t at, count;

	return find_locked(&at, &count, lock->fd, FIRST_BYTE, 0);
}

void kt_device_lock_release(struct kt_device_lock *lock)
{
	if (lock != NULL)
		(void)lock_byte(lock->fd, F_UNLCK, DEVICE_BYTE);
}

void kt_device_lock_close(struct kt_device_lock *lock)
{
	if (lock != NULL)
		close(lock->fd);
}

const char *kt_device_lock_path(const struct kt_device_lock *lock)
{
	return lock->path;
}
