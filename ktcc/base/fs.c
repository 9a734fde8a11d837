#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Most bytes of a file's name that its temporary one repeats. */
enum { TEMPORARY_BASE = 200, NAME_ATTEMPTS = 100 };

/* A pipe is not even opened: that alone would end a process that waits to write to it. */
int kt_fs_open_regular(const char *path, int flags)
{
	struct stat info;
	int fd;

	if (stat(path, &info) != 0)
		return -1;
	if (!S_ISREG(info.st_mode)) {
		errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

kt_status kt_fs_blocks(const char *path, bool (*take)(void *context, const void *block, size_t size), void *context,
                       struct kt_error *err)
{
	char block[64 << 10];
	ssize_t got;
	kt_status status = KT_OK;
	int fd = kt_fs_open_regular(path, O_RDONLY);

	if (fd < 0 && errno == EINVAL)
		return kt_fail(err, KT_ERR_IO, "%s: not a regular file", path);
	if (fd < 0)
		return kt_fail_errno(err, "%s", path);
	do {
		while ((got = read(fd, block, sizeof block)) < 0 && errno == EINTR)
			;
		if (got < 0)
			status = kt_fail_errno(err, "%s", path);
	} while (got > 0 && take(context, block, (size_t)got));
	close(fd);
	return status;
}

static bool append(void *context, const void *block, size_t size)
{
	kt_buf_add(context, block, size);
	return !((struct kt_buf *)context)->failed;
}

kt_status kt_fs_read(struct kt_buf *out, const char *path, struct kt_error *err)
{
	TRY(kt_fs_blocks(path, append, out, err));
	return out->failed ? kt_fail(err, KT_ERR_LIMIT, "%s: larger than %zu bytes", path, out->limit) : KT_OK;
}

static bool write_all(int fd, const unsigned char *data, size_t size)
{
	while (size != 0) {
		ssize_t put = write(fd, data, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		data += put;
		size -= (size_t)put;
	}
	return true;
}

/* A file that was not there, below `directory`, with a name that cannot be predicted; −1 with errno. */
static int create_temporary(char temporary[NAME_MAX + 1], int directory, const char *name)
{
	for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
		unsigned long long number;
		int fd;

		if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
			return -1;
		/* The longest name that a file may have leaves no room for a suffix. */
		snprintf(temporary, NAME_MAX + 1, "%.*s.%016llx.tmp", TEMPORARY_BASE, name, number);
		fd = openat(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

kt_status kt_fs_write_at(int directory, const char *name, const char *path, const void *data, size_t size, bool synced,
                         struct kt_error *err)
{
	char temporary[NAME_MAX + 1];
	int fd = create_temporary(temporary, directory, name);

	if (fd < 0)
		return kt_fail_errno(err, "%s", path);
	if (!write_all(fd, data, size) || (synced && fsync(fd) != 0)) {
		kt_fail_errno(err, "%s", path);
		close(fd);
		unlinkat(directory, temporary, 0);
		return err->code;
	}
	if (close(fd) != 0 || renameat(directory, temporary, directory, name) != 0) {
		kt_fail_errno(err, "%s", path);
		unlinkat(directory, temporary, 0);
		return err->code;
	}
	return KT_OK;
}

static kt_status write_and_rename(const char *path, const void *data, size_t size, bool synced, struct kt_error *err)
{
	char folder[PATH_MAX];
	const char *name = kt_path_basename(path);
	const size_t length = (size_t)(name - path);
	kt_status status;
	int directory;

	if (length >= sizeof folder)
		return kt_fail(err, KT_ERR_LIMIT, "%.64s…: path too long", path);
	memcpy(folder, path, length);
	memcpy(folder + length, ".", 2);
	directory = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return kt_fail_errno(err, "%s", path);
	status = kt_fs_write_at(directory, name, path, data, size, synced, err);
	close(directory);
	return status;
}

kt_status kt_fs_write(const char *path, const void *data, size_t size, struct kt_error *err)
{
	return write_and_rename(path, data, size, false, err);
}

kt_status kt_fs_write_synced(const char *path, const void *data, size_t size, struct kt_error *err)
{
	return write_and_rename(path, data, size, true, err);
}

/* Compared piece by piece: an emission of megabytes needs no second copy of itself. */
bool kt_fs_holds(const char *path, const void *data, size_t size)
{
	unsigned char block[64 << 10];
	struct stat status;
	size_t at = 0;
	int fd = kt_fs_open_regular(path, O_RDONLY);
	bool same = fd >= 0 && fstat(fd, &status) == 0 && (uint64_t)status.st_size == size;

	while (same && at < size) {
		ssize_t got = read(fd, block, sizeof block);

		if (got < 0 && errno == EINTR)
			continue;
		same = got > 0 && (size_t)got <= size - at && memcmp(block, (const unsigned char *)data + at, (size_t)got) == 0;
		at += same ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	return same;
}

kt_status kt_fs_write_changed(bool *changed, const char *path, const void *data, size_t size, struct kt_error *err)
{
	*changed = !kt_fs_holds(path, data, size);
	return *changed ? kt_fs_write(path, data, size, err) : KT_OK;
}

kt_status kt_fs_mkdirs(const char *path, struct kt_error *err)
{
	char partial[PATH_MAX];
	size_t length = strlen(path);

	if (length == 0 || length >= sizeof partial)
		return kt_fail(err, KT_ERR_LIMIT, "%.64s…: path too long", path);
	memcpy(partial, path, length + 1);
	for (char *c = partial + 1;; c++) {
		char kept = *c;

		if (kept != '/' && kept != '\0')
			continue;
		*c = '\0';
		if (mkdir(partial, 0777) != 0 && errno != EEXIST)
			return kt_fail_errno(err, "%s", partial);
		*c = kept;
		if (kept == '\0')
			break;
	}
	if (!kt_fs_is_dir(path))
		return kt_fail(err, KT_ERR_IO, "%s: not a directory", path);
	return KT_OK;
}

kt_status kt_fs_touch(const char *path, struct kt_error *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);

	if (fd < 0)
		return kt_fail_errno(err, "%s", path);
	if (futimens(fd, NULL) != 0) {
		kt_fail_errno(err, "%s", path);
		close(fd);
		return err->code;
	}
	close(fd);
	return KT_OK;
}

kt_status kt_fs_match_time(const char *path, const char *like, struct kt_error *err)
{
	struct stat info;

	if (stat(like, &info) != 0)
		return kt_fail_errno(err, "%s", like);
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, info.st_mtim};
	if (utimensat(AT_FDCWD, path, times, 0) != 0)
		return kt_fail_errno(err, "%s", path);
	return KT_OK;
}

static bool remove_below(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool fine = true;
	DIR *directory;
	struct dirent *entry;

	if (fd < 0)
		return errno == ENOENT || unlinkat(parent, name, 0) == 0;
	directory = fdopendir(fd);
	if (directory == NULL) {
		close(fd);
		return false;
	}
	while ((entry = readdir(directory)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (unlinkat(dirfd(directory), entry->d_name, 0) != 0 && !remove_below(dirfd(directory), entry->d_name))
			fine = false;
	}
	closedir(directory);
	return unlinkat(parent, name, AT_REMOVEDIR) == 0 && fine;
}

kt_status kt_fs_remove_tree(const char *path, struct kt_error *err)
{
	return remove_below(AT_FDCWD, path) ? KT_OK : kt_fail_errno(err, "%s", path);
}

kt_status kt_fs_temp_dir(char **out, struct kt_arena *arena, const char *prefix, struct kt_error *err)
{
	const char *base = getenv("TMPDIR");
	char *path = kt_arena_printf(arena, "%s/%s.XXXXXX", base != NULL && base[0] == '/' ? base : "/tmp", prefix);

	NEED(path, kt_fail(err, KT_ERR_MEMORY, "temporary directory: out of memory"));
	if (mkdtemp(path) == NULL)
		return kt_fail_errno(err, "%s", path);
	*out = path;
	return KT_OK;
}

kt_status kt_fs_stamp(struct kt_file_stamp *out, const char *path, struct kt_error *err)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return kt_fail_errno(err, "%s", path);
	out->device = (uint64_t)status.st_dev;
	out->inode = (uint64_t)status.st_ino;
	out->size = (uint64_t)status.st_size;
	out->mtime_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
	out->ctime_ns = (int64_t)status.st_ctim.tv_sec * 1000000000 + status.st_ctim.tv_nsec;
	return KT_OK;
}

bool kt_fs_stamp_equal(const struct kt_file_stamp *a, const struct kt_file_stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size && a->mtime_ns == b->mtime_ns &&
	       a->ctime_ns == b->ctime_ns;
}

bool kt_fs_is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool kt_fs_is_link(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

bool kt_fs_is_script(const char *path)
{
	static const char own[] = {0x7f, 'E', 'L', 'F'};
	char start[sizeof own] = "";
	ssize_t size = 0;
	int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;

	if (fd >= 0) {
		size = read(fd, start, sizeof start);
		close(fd);
	}
	return size > 0 && memcmp(start, own, sizeof own) != 0;
}

bool kt_fs_is_dir(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}
