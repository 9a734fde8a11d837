/*
 * What an object depends on besides its sources: its stamp, and the places of the lock directory from which its regions
 * are served or could be.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "launch/invocation.h"
#include "store/lock.h"

/*
 * What a command makes for its own dependencies is no newer than its sources:
 * Newer releases of Ninja (1.13, not 1.11) take an input that appeared while a
 * command ran for changed, and run it again.
 */
static kt_status as_old_as_the_source(const struct kt_invocation *l, const char *path, struct kt_error *err)
{
	return kt_fs_match_time(path, l->command->input, err);
}

kt_status kt_invocation_folder(struct kt_invocation *l, struct kt_error *err)
{
	const char *parent = kt_path_dirname(l->arena, l->folder);
	const char *ignore = kt_path_join(l->arena, l->folder, ".gitignore");

	NEED(ignore, kt_fail(err, KT_ERR_MEMORY, "out of memory for the folder beside the object"));
	if (parent == NULL || !kt_fs_is_dir(parent))
		return kt_fail(err, KT_ERR_IO, "%s: no such directory", parent != NULL ? parent : l->folder);
	TRY(kt_fs_mkdirs(l->folder, err));
	/* `make clean` does not know the folder; git is told to ignore it. */
	if (access(ignore, F_OK) != 0 && kt_fs_write(ignore, "*\n", 2, err) == KT_OK)
		(void)as_old_as_the_source(l, ignore, err);
	if (access(l->stamp, F_OK) == 0)
		return KT_OK;
	TRY(kt_fs_touch(l->stamp, err));
	return as_old_as_the_source(l, l->stamp, err);
}

static bool is_extra(const struct kt_invocation *l, const char *path)
{
	return kt_has_text(l->extra, l->extra_count, path);
}

static bool add_extra(struct kt_invocation *l, const char *path)
{
	const char **slot;

	if (path == NULL)
		return false;
	if (is_extra(l, path))
		return true;
	slot = kt_arena_push(l->arena, &l->extra, &l->extra_count, sizeof *slot);
	if (slot != NULL)
		*slot = path;
	return slot != NULL;
}

/*
 * DEVICE.json and variant-HASH.cuh, by names as ktcc writes them: what else a lock directory holds, a name that make
 * would read as a rule in particular, has no place in a depfile.
 */
static int is_of_entry(const struct dirent *item)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
	const char *name = item->d_name, *end = strrchr(name, '.');

	return name[0] != '.' && name[strspn(name, allowed)] == '\0' && end != NULL &&
	       (strcmp(end, ".json") == 0 || strcmp(end, ".cuh") == 0);
}

/* The folder, whose time changes when a file comes or goes, and its files, which may be edited in place. */
static void add_folder(struct kt_invocation *l, const char *folder)
{
	struct dirent **items = NULL;
	int count;

	if (folder == NULL || !kt_fs_is_dir(folder) || is_extra(l, folder) || !add_extra(l, folder))
		return;
	count = scandir(folder, &items, is_of_entry, alphasort);
	for (int i = 0; i < count; i++) {
		const char *path = kt_path_join(l->arena, folder, items[i]->d_name);

		if (path != NULL && kt_fs_is_file(path))
			(void)add_extra(l, path);
		free(items[i]);
	}
	free(items);
}

/* An empty folder that is made or removed is no news to those who depend on the lock directory itself. */
static bool change_folders(int (*change)(const char *), const char *path, const char *lock_dir)
{
	struct stat before;
	const bool known = stat(lock_dir, &before) == 0;

	if (change(path) != 0)
		return false;
	if (known)
		(void)utimensat(AT_FDCWD, lock_dir, (const struct timespec[2]){{0, UTIME_OMIT}, before.st_mtim}, 0);
	return true;
}

static int make_folder(const char *path)
{
	return mkdir(path, 0777);
}

/* A folder that is not there yet is made, so that an entry which arrives in it is seen by the build system. */
static void add_own_folder(struct kt_invocation *l, const char *folder, const char *lock_dir)
{
	struct kt_error err;
	const bool is_new = !kt_fs_is_dir(folder);

	if (is_new && !change_folders(make_folder, folder, lock_dir) && errno != EEXIST)
		kt_log("%s: %s", folder, strerror(errno));
	else if (is_new && as_old_as_the_source(l, folder, &err) != KT_OK)
		kt_log("%s", err.message);
	add_folder(l, folder);
}

/* Can no entry that arrives in another folder of the lock directory be taken in the place of what was found? */
static bool is_settled(const struct kt_case *each)
{
	bool exact = each->found_count != 0;

	for (size_t i = 0; i < each->found_count; i++)
		exact = exact && each->found[i].closeness == KT_CLOSE_EXACT;
	return exact;
}

/*
 * Where the entries of a region are, where an entry with its key would arrive, and, unless it is served exactly, the
 * lock directory itself: an entry that another toolkit made, or any where no key was made, arrives in a folder whose
 * name is not known.
 */
static void add_places(struct kt_invocation *l, const struct kt_case *each, const char *lock_dir)
{
	if (each->template_ == NULL || lock_dir == NULL)
		return;
	if (each->lock_folder != NULL)
		add_own_folder(l, each->lock_folder, lock_dir);
	for (size_t i = 0; i < each->found_count; i++)
		if (each->found[i].path != NULL)
			add_folder(l, kt_path_dirname(l->arena, each->found[i].path));
	if (is_settled(each))
		return;
	(void)add_extra(l, lock_dir);
	/* What was refused may be mended where it is. */
	if (each->damaged != NULL || each->unfit != NULL) {
		const char **folders;
		const size_t count = kt_lock_folders(&folders, l->arena, lock_dir, each->region->name);

		for (size_t i = 0; i < count; i++)
			add_folder(l, folders[i]);
	}
}

static bool is_own(const struct kt_case *cases, size_t count, const char *folder)
{
	for (size_t i = 0; i < count; i++)
		if (cases[i].lock_folder != NULL && strcmp(cases[i].lock_folder, folder) == 0)
			return true;
	return false;
}

/*
 * The stamp holds the folders of the lock directory that are made for this
 * object. One of an older text that is still empty goes: its entry would never
 * be looked up again.
 */
static void replace_folders(struct kt_invocation *l, const struct kt_case *cases, size_t case_count,
			    const char *lock_dir)
{
	struct kt_buf before = KT_BUF(KT_LIMIT_MESSAGE_BYTES), now = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_error err;

	for (size_t i = 0; i < case_count; i++)
		if (cases[i].lock_folder != NULL)
			kt_buf_addf(&now, "%s\n", cases[i].lock_folder);
	if (kt_fs_read(&before, l->stamp, &err) != KT_OK || now.failed ||
	    strcmp(kt_buf_text(&before), kt_buf_text(&now)) == 0)
		goto done;
	for (const char *at = kt_buf_text(&before), *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
		const size_t length = (size_t)(end - at);
		const char *path = kt_arena_strndup(l->arena, at, length);

		/* NAME-12345678; rmdir leaves one that holds an entry. */
		if (path != NULL && path[0] == '/' && length > 9 && end[-9] == '-' && !is_own(cases, case_count, path))
			(void)change_folders(rmdir, path, lock_dir != NULL ? lock_dir : path);
	}
	if (kt_fs_write(l->stamp, kt_buf_text(&now), now.size, &err) != KT_OK ||
	    as_old_as_the_source(l, l->stamp, &err) != KT_OK)
		kt_log("%s", err.message);
done:
	kt_buf_free(&before);
	kt_buf_free(&now);
}

static void put_stamp(struct kt_invocation *l, const struct kt_case *each, const char *stamp)
{
	struct kt_error err;

	if (l->store == NULL || each->template_ == NULL || each->near_key == NULL || stamp == NULL)
		return;
	if (kt_store_put_stamp(l->store, each->near_key, stamp, &err) != KT_OK ||
	    kt_store_put_named_stamp(l->store, each->region->name, stamp, &err) != KT_OK)
		kt_log("stamp not stored: %s", err.message);
}

void kt_invocation_extra(struct kt_invocation *l)
{
	struct kt_error err;
	struct kt_case *cases;
	const size_t count = kt_work_cases(&cases, l->work);
	const char *lock_dir = kt_work_lock(l->work)->path, *stamp = kt_path_absolute(l->arena, l->stamp, NULL);

	if (kt_invocation_folder(l, &err) != KT_OK)
		kt_log("no stamp: %s", err.message);
	else if (add_extra(l, stamp))
		replace_folders(l, cases, count, lock_dir);
	for (size_t i = 0; i < count; i++) {
		put_stamp(l, &cases[i], stamp);
		add_places(l, &cases[i], lock_dir);
	}
}
