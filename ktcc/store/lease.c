#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/proc.h"
#include "store/internal.h"

#define WAIT_FIRST_S 0.002
#define WAIT_MOST_S 0.1
#define BEAT_S 1.0
#define TAKEOVER_WAIT_S 1.0
#define PATH_BYTES 4096

/*
 * flock is released by the kernel when its holder dies, however it dies. The
 * heartbeat, the file's time of change, is for a holder that lives and does
 * nothing: one that is stopped, or hangs.
 */
struct kt_lease {
	int fd;
	double beaten_s;
};

static void sleep_s(double seconds)
{
	struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
	nanosleep(&pause, NULL);
}

/* Is what was opened still what the path names? gc and a takeover remove files that somebody waits on. */
static bool is_current(int fd, const char *path)
{
	struct stat opened, named;
	return fstat(fd, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev &&
	       opened.st_ino == named.st_ino;
}

/* KT_ERR_BUSY: somebody else holds it, and *fd is open as well; −1 after every other error. */
static kt_status try_lock(int *fd, const char *path, struct kt_error *err)
{
	for (int attempt = 0; attempt < 100; attempt++) {
		*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
		if (*fd < 0)
			return kt_fail_errno(err, "%s", path);
		if (flock(*fd, LOCK_EX | LOCK_NB) == 0) {
			if (is_current(*fd, path))
				return KT_OK;
		} else if (errno == EWOULDBLOCK || errno == EINTR) {
			return kt_fail(err, KT_ERR_BUSY, "%s: held by another process", path);
		} else {
			kt_status status = kt_fail_errno(err, "%s", path);
			close(*fd);
			*fd = -1;
			return status;
		}
		close(*fd);
		*fd = -1;
	}
	return kt_fail(err, KT_ERR_IO, "%s: it is replaced all the time", path);
}

/*
 * What a waiting process saw of the holder. Its own clock decides, which cannot be set:
 * the time in the file is only compared with what it was.
 */
struct watch {
	struct timespec beat;
	ino_t inode;
	double since_s;
};

static bool is_silent(struct watch *watch, int fd, double now_s, double silent_s)
{
	struct stat info;
	if (fstat(fd, &info) != 0)
		return false;
	if (info.st_ino != watch->inode || info.st_mtim.tv_sec != watch->beat.tv_sec ||
	    info.st_mtim.tv_nsec != watch->beat.tv_nsec)
		*watch = (struct watch){info.st_mtim, info.st_ino, now_s};
	return now_s - watch->since_s >= silent_s;
}

/* Removes the file of a silent holder: who comes next makes a new one.
 * One process at a time, and never a fresh file. */
static void take_over(const struct watch *watch, const char *path)
{
	char guard[PATH_BYTES];
	struct kt_error ignored;
	struct stat info;
	int fd = -1;
	int length = snprintf(guard, sizeof guard, "%s.takeover", path);
	if (length <= 0 || (size_t)length >= sizeof guard ||
	    kt_file_lock(&fd, guard, TAKEOVER_WAIT_S, &ignored) != KT_OK)
		return;
	if (stat(path, &info) == 0 && info.st_ino == watch->inode && info.st_mtim.tv_sec == watch->beat.tv_sec &&
	    info.st_mtim.tv_nsec == watch->beat.tv_nsec && unlink(path) == 0)
		kt_log("%s: its holder is silent and is replaced", path);
	unlink(guard);
	close(fd);
}

/* silent_s: a holder without a heartbeat for so long is replaced; 0: never. */
static kt_status lock_file(int *fd, const char *path, double wait_s, double silent_s, struct kt_error *err)
{
	double begin = kt_now_s(), pause = WAIT_FIRST_S;
	struct watch watch = {.since_s = begin};
	for (;;) {
		kt_status status = try_lock(fd, path, err);
		double now = kt_now_s();
		if (status == KT_OK || status != KT_ERR_BUSY)
			return status;
		bool silent = silent_s > 0 && is_silent(&watch, *fd, now, silent_s);
		close(*fd);
		if (now - begin >= wait_s)
			return kt_fail(err, KT_ERR_BUSY, "%s: held by another process after %.1f s", path, wait_s);
		if (silent)
			take_over(&watch, path);
		sleep_s(pause);
		pause = pause * 2 < WAIT_MOST_S ? pause * 2 : WAIT_MOST_S;
	}
}

kt_status kt_file_lock(int *fd, const char *path, double wait_s, struct kt_error *err)
{
	return lock_file(fd, path, wait_s, 0, err);
}

kt_status kt_lease_take(struct kt_lease **out, const struct kt_store *store, const char *name, double wait_s,
                        double silent_s, struct kt_error *err)
{
	char hashed[KT_HASH_TEXT], path[PATH_BYTES];
	struct kt_hash hash;
	kt_hash_init(&hash);
	kt_hash_field(&hash, "lease", name);
	kt_hash_final(&hash, hashed);
	int length = snprintf(path, sizeof path, "%s/" KT_STORE_LEASES, store->directory);
	if (length <= 0 || (size_t)length + sizeof hashed + 2 > sizeof path)
		return kt_fail(err, KT_ERR_LIMIT, "%s: the path is too long", store->directory);
	kt_status status = kt_fs_mkdirs(path, err);
	if (status != KT_OK)
		return status;
	snprintf(path + length, sizeof path - (size_t)length, "/%s", hashed);
	struct kt_lease *lease;
	NEED(lease = calloc(1, sizeof *lease), kt_fail(err, KT_ERR_MEMORY, "out of memory taking a lease"));
	status = lock_file(&lease->fd, path, wait_s, silent_s, err);
	if (status != KT_OK) {
		free(lease);
		return status;
	}
	kt_store_lease_beat(lease);
	*out = lease;
	return KT_OK;
}

kt_status kt_store_lease(struct kt_lease **out, struct kt_store *store, const char *name, double wait_s,
                         struct kt_error *err)
{
	return kt_lease_take(out, store, name, wait_s, KT_LEASE_SILENT_S, err);
}

void kt_store_lease_beat(struct kt_lease *lease)
{
	double now = kt_now_s();
	if (lease == NULL || now - lease->beaten_s < BEAT_S)
		return;
	lease->beaten_s = now;
	if (futimens(lease->fd, NULL) != 0)
		kt_log("no heartbeat: %s", strerror(errno));
}

void kt_store_lease_release(struct kt_lease *lease)
{
	if (lease == NULL)
		return;
	close(lease->fd);
	free(lease);
}

void kt_lease_sweep(const struct kt_store *store, const char *name, int64_t before)
{
	char path[PATH_BYTES];
	struct kt_error ignored;
	struct stat info;
	int fd = -1;
	int length = snprintf(path, sizeof path, "%s/" KT_STORE_LEASES "/%s", store->directory, name);
	if (length <= 0 || (size_t)length >= sizeof path || lstat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
	    info.st_mtim.tv_sec > before)
		return;
	if (try_lock(&fd, path, &ignored) == KT_OK)
		unlink(path);
	if (fd >= 0)
		close(fd);
}
