/* A damaged file gets another name, and a fresh one takes over what can still be read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/proc.h"
#include "store/internal.h"

#define ASIDE KT_STORE_FILE ".corrupt-"
#define NAME_BYTES 96

static bool exists(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0;
}

static kt_status choose_name(char aside[KT_REPLACE_PATH_BYTES], const char *path, struct kt_error *err)
{
	const int folder = (int)(kt_path_basename(path) - path);
	const int64_t now = kt_unix_time();

	for (int attempt = 0; attempt < 1000; attempt++) {
		snprintf(aside, KT_REPLACE_PATH_BYTES, "%.*s" ASIDE "%lld%s%.0d", folder, path, (long long)now,
		         attempt == 0 ? "" : "-", attempt);
		if (!exists(aside))
			return KT_OK;
	}
	return kt_fail(err, KT_ERR_LIMIT, "%s: too many files like it", aside);
}

/* Synced: a file that is moved without a mark is never looked at again. */
static kt_status write_mark(const char *suspect, const char *name, struct kt_error *err)
{
	int fd = open(suspect, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	const size_t size = strlen(name);
	const bool written = fd >= 0 && write(fd, name, size) == (ssize_t)size && fsync(fd) == 0;
	const kt_status status = written ? KT_OK : kt_fail_errno(err, "%s", suspect);

	if (fd >= 0)
		close(fd);
	return status;
}

/* The name in the mark, which is one of this folder; false: it is only a mark. */
static bool read_mark(char name[NAME_BYTES], const char *suspect)
{
	int fd = open(suspect, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const ssize_t size = fd >= 0 ? read(fd, name, NAME_BYTES - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (size <= 0)
		return false;
	name[size] = '\0';
	return strncmp(name, ASIDE, strlen(ASIDE)) == 0 &&
	       name[strlen(ASIDE) + strspn(name + strlen(ASIDE), "0123456789-")] == '\0';
}

/* The log belongs to the file. The first process that opens it makes its index again. */
static kt_status move_log(const char *path, const char *aside, struct kt_error *err)
{
	static const char *const parts[] = {"-wal", "-shm"};
	char from[KT_REPLACE_PATH_BYTES + 8], to[KT_REPLACE_PATH_BYTES + 8];

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		snprintf(from, sizeof from, "%s%s", path, parts[i]);
		snprintf(to, sizeof to, "%s%s", aside, parts[i]);
		if (rename(from, to) != 0 && errno != ENOENT)
			return kt_fail_errno(err, "%s: a damaged store cannot be moved aside", from);
	}
	return KT_OK;
}

kt_status kt_replace_begin(char aside[KT_REPLACE_PATH_BYTES], const char *path, const char *suspect,
                           struct kt_error *err)
{
	TRY(choose_name(aside, path, err));

	TRY(write_mark(suspect, kt_path_basename(aside), err));
	if (rename(path, aside) != 0)
		return kt_fail_errno(err, "%s: a damaged store cannot be moved aside", path);
	return move_log(path, aside, err);
}

bool kt_replace_resume(char aside[KT_REPLACE_PATH_BYTES], const char *path, const char *suspect)
{
	char name[NAME_BYTES];
	struct kt_error ignored;

	if (!read_mark(name, suspect))
		return false;
	snprintf(aside, KT_REPLACE_PATH_BYTES, "%.*s%s", (int)(kt_path_basename(path) - path), path, name);
	if (!exists(aside))
		return false;
	/* Where there is a file again, the log beside it is its own. */
	if (!exists(path) && move_log(path, aside, &ignored) != KT_OK)
		kt_log("%s", ignored.message);
	return true;
}

bool kt_replace_end(struct kt_store *store, const char *aside)
{
	struct kt_salvaged taken;
	struct kt_error err;
	const kt_status status = kt_store_salvage(&taken, store, aside, &err);

	if (status != KT_OK)
		kt_log("taking over from %s ended early: %s", aside, err.message);
	if (status == KT_ERR_IO || status == KT_ERR_BUSY)
		return false;
	kt_store_count(store, "store-corrupt");
	kt_say("%s/%s was damaged: kept as %s, %lld entries and %lld trials were taken over", store->directory,
	       KT_STORE_FILE, kt_path_basename(aside), (long long)taken.entries, (long long)taken.trials);
	return true;
}
