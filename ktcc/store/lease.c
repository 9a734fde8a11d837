#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/proc.h"
#include "store/internal.h"

#define WAIT_FIRST_S 0.002
#define WAIT_MOST_S 0.1

/* flock is released by the kernel when its holder dies, however it dies. */
struct kt_lease {
	int fd;
};

static void sleep_s(double seconds)
{
	struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
	nanosleep(&pause, NULL);
}

kt_status kt_file_lock(int *fd, const char *path, double wait_s, struct kt_error *err)
{
	double end = kt_now_s() + wait_s, pause = WAIT_FIRST_S;
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (file < 0)
		return kt_fail_errno(err, "%s", path);
	while (flock(file, LOCK_EX | LOCK_NB) != 0) {
		kt_status status = KT_OK;
		if (errno != EWOULDBLOCK && errno != EINTR)
			status = kt_fail_errno(err, "%s", path);
		else if (kt_now_s() >= end)
			status = kt_fail(err, KT_ERR_BUSY, "%s: held by another process after %.1f s", path, wait_s);
		if (status != KT_OK) {
			close(file);
			return status;
		}
		sleep_s(pause);
		pause = pause * 2 < WAIT_MOST_S ? pause * 2 : WAIT_MOST_S;
	}
	*fd = file;
	return KT_OK;
}

kt_status kt_store_lease(struct kt_lease **out, struct kt_store *store, const char *name, double wait_s,
                         struct kt_error *err)
{
	char hashed[KT_HASH_TEXT], path[4096];
	struct kt_hash hash;
	kt_hash_init(&hash);
	kt_hash_field(&hash, "lease", name);
	kt_hash_final(&hash, hashed);
	int length = snprintf(path, sizeof path, "%s/leases", store->directory);
	if (length <= 0 || (size_t)length + sizeof hashed + 2 > sizeof path)
		return kt_fail(err, KT_ERR_LIMIT, "%s: the path is too long", store->directory);
	kt_status status = kt_fs_mkdirs(path, err);
	if (status != KT_OK)
		return status;
	snprintf(path + length, sizeof path - (size_t)length, "/%s", hashed);
	struct kt_lease *lease = malloc(sizeof *lease);
	if (lease == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory taking a lease");
	status = kt_file_lock(&lease->fd, path, wait_s, err);
	if (status != KT_OK) {
		free(lease);
		return status;
	}
	*out = lease;
	return KT_OK;
}

void kt_store_lease_release(struct kt_lease *lease)
{
	if (lease == NULL)
		return;
	close(lease->fd);
	free(lease);
}
