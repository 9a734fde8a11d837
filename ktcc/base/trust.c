#include "base/trust.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"

static const char *safe_folders;

void kt_trust_set_safe(const char *folders)
{
	safe_folders = folders;
}

static bool is_safe(struct kt_arena *arena, const char *path)
{
	for (const char *at = safe_folders; at != NULL && *at != '\0';) {
		const size_t length = strcspn(at, ":");
		const char *folder = kt_arena_strndup(arena, at, length);
		const char *absolute = folder != NULL && length != 0 ? kt_path_absolute(arena, folder, NULL) : NULL;
		const char *real = absolute != NULL ? kt_path_real(arena, absolute) : NULL;

		if ((length == 1 && at[0] == '*') || (absolute != NULL && kt_path_below(path, absolute)) ||
		    (real != NULL && kt_path_below(path, real)))
			return true;
		at += length + (at[length] == ':');
	}
	return false;
}

/* Who works as root through sudo is still who they were: their checkouts are theirs. */
static bool is_own(uid_t owner)
{
	const char *sudo = geteuid() == 0 ? getenv("SUDO_UID") : NULL;
	char *end;

	if (owner == 0 || owner == geteuid())
		return true;
	if (sudo == NULL || sudo[0] < '0' || sudo[0] > '9')
		return false;
	errno = 0;
	const unsigned long user = strtoul(sudo, &end, 10);
	return errno == 0 && *end == '\0' && user == owner;
}

static bool has_version_control(struct kt_arena *arena, const char *folder)
{
	static const char *const names[] = {".git", ".hg", ".jj", ".svn", ".bzr", ".fslckout", "_darcs"};
	struct stat info;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *path = kt_path_join(arena, folder, names[i]);

		if (path != NULL && lstat(path, &info) == 0)
			return true;
	}
	return false;
}

static const char *find_top(struct kt_arena *arena, const char *path)
{
	const char *own = kt_path_dirname(arena, path);

	for (const char *folder = own; folder != NULL; folder = kt_path_dirname(arena, folder)) {
		if (has_version_control(arena, folder))
			return folder;
		if (strcmp(folder, "/") == 0)
			break;
	}
	return own;
}

static bool refuse(const char **why, struct kt_arena *arena, const char *path, const char *cause, const char *fix)
{
	*why = kt_arena_printf(arena, "%s %s; %sto use it all the same, write safe_directory=%s to your ~/.config/ktune/ktune.conf",
	                       path, cause, fix, kt_path_dirname(arena, path));
	return false;
}

/* A folder like /tmp, in which every user may make files: its permissions are right, and nothing below it may be trusted. */
static bool refuse_shared(const char **why, struct kt_arena *arena, const char *shared, const char *wanted)
{
	struct stat info;
	const char *above = kt_path_dirname(arena, wanted);
	const bool is_folder = lstat(wanted, &info) == 0 && S_ISDIR(info.st_mode);
	const char *own = is_folder || above == NULL || strcmp(above, shared) == 0 ? wanted : above;

	*why = kt_arena_printf(arena,
	                       "%s can be written by every user; move %s into a folder of yours, or, to use it all the same, set "
	                       "KTUNE_SAFE_DIRECTORY=%s",
	                       shared, own, own);
	return false;
}

/* `wanted`: what is to be used; `path`: it, or a folder above it. */
static bool check_one(const char **why, struct kt_arena *arena, const char *path, const char *wanted)
{
	struct stat info;

	/* What is gone cannot be read either. */
	if (lstat(path, &info) != 0)
		return true;
	if (!is_own(info.st_uid))
		return refuse(why, arena, path,
		              kt_arena_printf(arena, "belongs to user %lu, not to you or root", (unsigned long)info.st_uid), "");
	if (S_ISDIR(info.st_mode) && (info.st_mode & S_IWOTH) != 0 && (info.st_mode & S_ISVTX) != 0 && strcmp(path, wanted) != 0)
		return refuse_shared(why, arena, path, wanted);
	if (!S_ISLNK(info.st_mode) && (info.st_mode & S_IWOTH) != 0)
		return refuse(why, arena, path, "can be written by every user", "run chmod o-w on it, or, ");
	return true;
}

/* From top down to path, both absolute. */
static bool check_between(const char **why, struct kt_arena *arena, const char *top, const char *path, const char *wanted)
{
	const char *parent;

	if (!check_one(why, arena, path, wanted))
		return false;
	if (strcmp(path, top) == 0 || !kt_path_below(path, top))
		return true;
	parent = kt_path_dirname(arena, path);
	return parent == NULL || check_between(why, arena, top, parent, wanted);
}

static bool check(const char **why, struct kt_arena *arena, const char *top, const char *path)
{
	if (path == NULL) {
		*why = "out of memory";
		return false;
	}
	if (is_safe(arena, path))
		return true;
	if (top == NULL)
		top = find_top(arena, path);
	return top != NULL && check_between(why, arena, top, path, path);
}

static bool check_real(const char **why, struct kt_arena *arena, const char *path)
{
	const char *real = kt_path_real(arena, path);

	return real == NULL || strcmp(real, path) == 0 || check(why, arena, NULL, real);
}

bool kt_trust_path(const char **why, struct kt_arena *arena, const char *path)
{
	const char *absolute = kt_path_absolute(arena, path, NULL);

	return check(why, arena, NULL, absolute) && check_real(why, arena, absolute);
}

bool kt_trust_below(const char **why, struct kt_arena *arena, const char *top, const char *path)
{
	const char *absolute = kt_path_absolute(arena, path, NULL);
	struct stat info;

	if (!check(why, arena, top, absolute))
		return false;
	return lstat(absolute, &info) != 0 || !S_ISLNK(info.st_mode) || check_real(why, arena, absolute);
}
