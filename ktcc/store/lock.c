#include "store/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/trust.h"
#include "base/utf8.h"
#include "store/internal.h"
#include "store/lock_text.h"

#define LOCK_NAME "ktune.lock"
#define KEY_DIGITS 8
#define LEAVING_S 60 /* after which a file half written has no writer any more */
#define ARENA_BYTES KT_ARENA_REGION_BYTES

static struct kt_lock_place judge(struct kt_arena *arena, const char *path)
{
	struct kt_lock_place place = {NULL, NULL, NULL};
	const char *why;
	if (kt_trust_path(&why, arena, path))
		place.path = path;
	else
		place.refused = kt_arena_printf(arena, "%s is ignored: %s", path, why);
	return place;
}

struct kt_lock_place kt_lock_find(struct kt_arena *arena, const char *configured, const char *source_path)
{
	struct kt_lock_place none = {NULL, NULL, NULL};
	char *directory = kt_path_absolute(arena, source_path, NULL);
	if (configured != NULL && configured[0] != '\0') {
		none.named = kt_path_absolute(arena, configured, NULL);
		return none.named != NULL && kt_fs_is_dir(none.named) ? judge(arena, none.named) : none;
	}
	while (directory != NULL && strcmp(directory, "/") != 0) {
		directory = kt_path_dirname(arena, directory);
		char *candidate = directory != NULL ? kt_path_join(arena, directory, LOCK_NAME) : NULL;
		if (candidate != NULL && kt_fs_is_dir(candidate))
			return judge(arena, candidate);
	}
	return none;
}

char *kt_lock_folder(struct kt_arena *arena, const struct kt_entry *entry)
{
	return kt_arena_printf(arena, "%s-%.*s", entry->name, KEY_DIGITS, entry->region_key);
}

static bool is_leaving(const char *name)
{
	const char *json = strstr(name, ".json."), *text = strncmp(name, "variant-", 8) == 0 ? strstr(name, ".cuh.") : NULL;
	const char *number = json != NULL ? json + 6 : text != NULL ? text + 5 : NULL;
	const size_t digits = number != NULL ? strspn(number, "0123456789abcdef") : 0;

	return digits != 0 && strcmp(number + digits, ".tmp") == 0;
}

/*
 * What processes that were killed left half written; a writer takes no such time. Links with such a name are not ours:
 * somebody waits for us to write through one. Everything else in the folder is the repository's.
 */
static void sweep(int folder)
{
	const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
	struct stat info;

	for (struct dirent *item; directory != NULL && (item = readdir(directory)) != NULL;)
		if (is_leaving(item->d_name) && fstatat(folder, item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		    (S_ISLNK(info.st_mode) ||
		     (S_ISREG(info.st_mode) && kt_unix_time() - (int64_t)info.st_mtime > LEAVING_S)))
			unlinkat(folder, item->d_name, 0);
	if (directory != NULL)
		closedir(directory);
	else if (fd >= 0)
		close(fd);
}

/* Opens lock_dir/name, made where it is missing. */
static kt_status open_folder(int *out, const char *lock_dir, const char *name, struct kt_error *err)
{
	kt_status status = KT_OK;
	const int directory = open(lock_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0 && errno == ENOENT)
		return kt_fail(err, KT_ERR_MISSING, "%s: no such lock directory; `ktcc tune --lock-dir`, `ktcc cache export` or ktune_target() makes it",
		               lock_dir);
	if (directory < 0)
		return kt_fail_errno(err, "%s", lock_dir);
	if (mkdirat(directory, name, 0777) != 0 && errno != EEXIST)
		status = kt_fail_errno(err, "%s/%s", lock_dir, name);
	if (status == KT_OK) {
		*out = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (*out < 0 && (errno == ELOOP || errno == ENOTDIR))
			status = kt_fail(err, KT_ERR_INVALID, "%s/%s is a link or no folder: no entry is written there; remove it",
			                 lock_dir, name);
		else if (*out < 0)
			status = kt_fail_errno(err, "%s/%s", lock_dir, name);
	}
	close(directory);
	return status;
}

static kt_status write_file(int folder, const char *directory, const char *name, const struct kt_buf *text,
                            struct kt_arena *arena, struct kt_error *err)
{
	const char *path;
	NEED(path = kt_path_join(arena, directory, name),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory writing an entry"));
	return kt_fs_is_file(path) && !kt_fs_is_link(path) && kt_fs_holds(path, kt_buf_text(text), text->size)
	           ? KT_OK : kt_fs_write_at(folder, name, path, kt_buf_text(text), text->size, true, err);
}

/* The entry's file; text of a model before it, in a separate file. */
static kt_status write_files(int folder, const char *directory, const char *file, const struct kt_buf *whole,
                             struct kt_arena *arena, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_ENTRY_BYTES), rest = KT_BUF(KT_ENTRY_BYTES);
	char name[KT_LOCK_TEXT_NAME];
	cJSON *json = NULL;
	kt_status status = kt_json_parse(&json, kt_buf_text(whole), whole->size, err);
	const bool split = status == KT_OK && kt_lock_text_split(&text, name, json);
	if (split) {
		kt_json_print_stable(&rest, json);
		status = kt_buf_check(&rest, "an entry", err);
	}
	if (split && status == KT_OK)
		status = write_file(folder, directory, name, &text, arena, err);
	THEN(status, write_file(folder, directory, file, split ? &rest : whole, arena, err));
	cJSON_Delete(json);
	kt_buf_free(&text);
	kt_buf_free(&rest);
	return status;
}

static kt_status write_text(const char *lock_dir, const struct kt_entry *entry, const struct kt_buf *text,
                            struct kt_arena *arena, struct kt_error *err)
{
	const char *name = kt_lock_folder(arena, entry), *slug = kt_device_slug(arena, &entry->device);
	const char *file = slug != NULL ? kt_arena_printf(arena, "%s.json", slug) : NULL;
	const char *directory = name != NULL ? kt_path_join(arena, lock_dir, name) : NULL;
	int folder = -1;
	if (directory == NULL || file == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory writing an entry");
	kt_status status = open_folder(&folder, lock_dir, name, err);
	if (status != KT_OK)
		return status;
	sweep(folder);
	status = write_files(folder, directory, file, text, arena, err);
	close(folder);
	return status;
}

kt_status kt_lock_rewrite(const char *path, const struct kt_entry *entry, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_ENTRY_BYTES);
	struct kt_arena *arena = kt_arena_new(ARENA_BYTES);
	const char *directory = arena != NULL ? kt_path_dirname(arena, path) : NULL;
	const int folder = directory != NULL ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	kt_status status = directory == NULL ? kt_fail(err, KT_ERR_MEMORY, "out of memory writing an entry")
	                   : folder < 0      ? kt_fail_errno(err, "%s", directory)
	                                     : kt_entry_print(&text, entry, err);
	THEN(status, write_files(folder, directory, kt_path_basename(path), &text, arena, err));
	if (folder >= 0)
		close(folder);
	kt_buf_free(&text);
	kt_arena_free(arena);
	return status;
}

kt_status kt_lock_write(const char *lock_dir, const struct kt_entry *entry, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_ENTRY_BYTES);
	struct kt_entry check;
	struct kt_arena *arena = kt_arena_new(ARENA_BYTES);
	kt_status status = arena != NULL ? kt_entry_print(&text, entry, err)
	                                 : kt_fail(err, KT_ERR_MEMORY, "out of memory writing an entry");
	/* A file that a reader would refuse is never written; this also keeps hostile names out of paths. */
	THEN(status, kt_entry_parse(&check, arena, kt_buf_text(&text), text.size, err));
	THEN(status, write_text(lock_dir, entry, &text, arena, err));
	kt_arena_free(arena);
	kt_buf_free(&text);
	return status;
}

/* Replaces an entry's file by the whole entry, where its text is in a separate file. */
static kt_status join_text(struct kt_buf *whole, struct kt_arena *arena, const char *path, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_ENTRY_BYTES);
	char name[KT_LOCK_TEXT_NAME];
	struct kt_error ignored;
	cJSON *json = NULL;
	kt_status status = KT_OK;
	/* Where it is no JSON, the reader of the entry reports it. */
	if (kt_json_parse(&json, kt_buf_text(whole), whole->size, &ignored) == KT_OK && kt_lock_text_name(name, json)) {
		const char *file = kt_path_join(arena, kt_path_dirname(arena, path), name);
		if (file == NULL)
			status = kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry");
		else if (kt_fs_is_link(file))
			status = kt_fail(err, KT_ERR_INVALID, "/template/text: %s is a link", file);
		else if (kt_fs_read(&text, file, &ignored) != KT_OK)
			status = kt_fail(err, KT_ERR_INVALID, "/template/text: %s", ignored.message);
		else
			status = kt_lock_text_join(json, &text, err);
		if (status == KT_OK) {
			kt_buf_clear(whole);
			kt_json_print_stable(whole, json);
			status = kt_buf_check(whole, "an entry", err);
		}
	}
	cJSON_Delete(json);
	kt_buf_free(&text);
	return status;
}

kt_status kt_lock_read(struct kt_entry *out, struct kt_arena *arena, const char *path, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_ENTRY_BYTES);
	/* A pipe or a device would block or never end. */
	if (!kt_fs_is_file(path))
		return kt_fail(err, KT_ERR_MISSING, "%s: not a file", path);
	kt_status status = kt_fs_read(&text, path, err);
	if (status == KT_OK) {
		status = join_text(&text, arena, path, err);
		THEN(status, kt_entry_parse(out, arena, kt_buf_text(&text), text.size, err));
		if (status != KT_OK)
			status = kt_fail_prefix(err, "%s", path);
	}
	kt_buf_free(&text);
	return status;
}

/* Is this directory entry the folder of a region of that name (NULL: of any)? */
static bool is_folder_of(const char *folder, const char *name)
{
	const char *dash = strrchr(folder, '-');
	if (dash == NULL || dash == folder || strlen(dash + 1) != KEY_DIGITS ||
	    strspn(dash + 1, "0123456789abcdef") != KEY_DIGITS)
		return false;
	size_t length = (size_t)(dash - folder);
	return name == NULL || (strlen(name) == length && strncmp(folder, name, length) == 0);
}

static bool is_entry_file(const char *file)
{
	size_t length = strlen(file);
	return length > 5 && file[0] != '.' && strcmp(file + length - 5, ".json") == 0 && kt_utf8_is_printable(file);
}

/* Names below a directory that pass a filter, sorted; free with free_names. An absent directory has none. */
struct names {
	struct dirent **items;
	int count;
};

static int filter_folder(const struct dirent *item)
{
	return is_folder_of(item->d_name, NULL) && kt_utf8_is_printable(item->d_name);
}

static int filter_file(const struct dirent *item)
{
	return is_entry_file(item->d_name);
}

/* The text of a model is in a separate file, which its entry names. */
static int filter_content(const struct dirent *item)
{
	const size_t length = strlen(item->d_name);
	return is_entry_file(item->d_name) ||
	       (strncmp(item->d_name, "variant-", 8) == 0 && length > 12 && strcmp(item->d_name + length - 4, ".cuh") == 0);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static kt_status list_names(struct names *out, const char *path, int (*filter)(const struct dirent *),
                            struct kt_error *err)
{
	out->items = NULL;
	out->count = scandir(path, &out->items, filter, by_bytes);
	if (out->count >= 0)
		return KT_OK;
	out->count = 0;
	return errno == ENOENT || errno == ENOTDIR ? KT_OK : kt_fail_errno(err, "%s", path);
}

static void free_names(struct names *names)
{
	for (int i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
}

size_t kt_lock_folders(const char ***out, struct kt_arena *arena, const char *lock_dir, const char *name)
{
	struct names folders;
	struct kt_error ignored;
	size_t count = 0;
	*out = NULL;
	if (list_names(&folders, lock_dir, filter_folder, &ignored) != KT_OK)
		return 0;
	for (int i = 0; i < folders.count; i++) {
		const char *path = is_folder_of(folders.items[i]->d_name, name)
		                       ? kt_path_join(arena, lock_dir, folders.items[i]->d_name) : NULL;
		(void)kt_arena_push_text(arena, out, &count, path);
	}
	free_names(&folders);
	return count;
}

/*
 * Calls `use` with the path of each file that passes the filter and "FOLDER/FILE", in byte order; use returns false to
 * stop. `refused` is why the file must not be read, NULL: it may be.
 */
typedef bool (*file_use)(const char *path, const char *relative, const char *refused, void *context);

static kt_status walk_folder(bool *go_on, const char *lock_dir, const char *folder,
                             int (*filter)(const struct dirent *), file_use use, void *context, struct kt_error *err)
{
	struct names files = {NULL, 0};
	struct kt_arena *arena = kt_arena_new(ARENA_BYTES);
	char *directory = arena != NULL ? kt_path_join(arena, lock_dir, folder) : NULL;
	kt_status status = directory != NULL ? list_names(&files, directory, filter, err)
	                                     : kt_fail(err, KT_ERR_MEMORY, "out of memory reading a lock directory");
	for (int i = 0; status == KT_OK && *go_on && i < files.count; i++) {
		char *relative = kt_path_join(arena, folder, files.items[i]->d_name);
		char *path = relative != NULL ? kt_path_join(arena, lock_dir, relative) : NULL;
		const char *refused = NULL;
		if (path == NULL)
			status = kt_fail(err, KT_ERR_MEMORY, "out of memory reading a lock directory");
		else
			*go_on = use(path, relative, kt_trust_below(&refused, arena, lock_dir, path) ? NULL : refused, context);
	}
	free_names(&files);
	kt_arena_free(arena);
	return status;
}

static kt_status walk(const char *lock_dir, const char *const *names, size_t count,
                      int (*filter)(const struct dirent *), file_use use, void *context, struct kt_error *err)
{
	struct names folders;
	bool go_on = true;
	kt_status status = list_names(&folders, lock_dir, filter_folder, err);
	for (int i = 0; status == KT_OK && go_on && i < folders.count; i++) {
		const char *folder = folders.items[i]->d_name;
		bool wanted = names == NULL;
		for (size_t n = 0; !wanted && n < count; n++)
			wanted = is_folder_of(folder, names[n]);
		if (wanted)
			status = walk_folder(&go_on, lock_dir, folder, filter, use, context, err);
	}
	free_names(&folders);
	return status;
}

struct fingerprint {
	struct kt_hash hash;
	kt_status status;
	struct kt_error *err;
};

static bool hash_entry(const char *path, const char *relative, const char *refused, void *context)
{
	struct fingerprint *print = context;
	char content[KT_HASH_TEXT];
	if (refused != NULL || !kt_fs_is_file(path))
		return true;
	print->status = kt_hash_file(content, path, print->err);
	kt_hash_field(&print->hash, "file", relative);
	kt_hash_field(&print->hash, "content", content);
	return print->status == KT_OK;
}

kt_status kt_lock_fingerprint(char out[KT_HASH_TEXT], const char *lock_dir, const char *const *names, size_t count,
                              struct kt_error *err)
{
	static const char *const none[] = {NULL};
	struct fingerprint print = {.status = KT_OK, .err = err};
	kt_hash_init(&print.hash);
	kt_status status = walk(lock_dir, names != NULL ? names : none, count, filter_content, hash_entry, &print, err);
	THEN(status, print.status);
	if (status == KT_OK)
		kt_hash_final(&print.hash, out);
	return status;
}

struct visiting {
	kt_lock_visit visit;
	kt_lock_damaged damaged;
	void *context;
	bool out_of_memory;
};

static bool visit_file(const char *path, const char *relative, const char *refused, void *context)
{
	struct visiting *visiting = context;
	struct kt_entry entry;
	struct kt_error err;
	bool go_on = true;
	if (refused != NULL) {
		if (visiting->damaged != NULL)
			visiting->damaged(path, refused, visiting->context);
		return true;
	}
	struct kt_arena *arena = kt_arena_new(ARENA_BYTES);
	if (arena == NULL) {
		visiting->out_of_memory = true;
		return false;
	}
	kt_status status = kt_lock_read(&entry, arena, path, &err);
	if (status == KT_OK) {
		const char *folder = kt_lock_folder(arena, &entry);
		size_t length = folder != NULL ? strlen(folder) : 0;
		if (folder == NULL)
			status = kt_fail(&err, KT_ERR_MEMORY, "%s: out of memory", path);
		else if (strncmp(relative, folder, length) != 0 || relative[length] != '/')
			status =
			    kt_fail(&err, KT_ERR_INVALID, "%s: /keys/region: the entry belongs into %s", path, folder);
	}
	if (status == KT_OK)
		go_on = visiting->visit(path, &entry, visiting->context);
	else if (visiting->damaged != NULL)
		visiting->damaged(path, err.message, visiting->context);
	kt_arena_free(arena);
	return go_on;
}

kt_status kt_lock_each_named(const char *lock_dir, const char *name, kt_lock_visit visit, kt_lock_damaged damaged,
                             void *context, struct kt_error *err)
{
	struct visiting visiting = {visit, damaged, context, false};
	kt_status status = walk(lock_dir, name != NULL ? &name : NULL, 1, filter_file, visit_file, &visiting, err);
	if (status == KT_OK && visiting.out_of_memory)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory reading a lock directory");
	return status;
}

kt_status kt_lock_each(const char *lock_dir, kt_lock_visit visit, kt_lock_damaged damaged, void *context,
                       struct kt_error *err)
{
	return kt_lock_each_named(lock_dir, NULL, visit, damaged, context, err);
}
