#include "launch/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/toolkit.h"
#include "launch/toolkit.h"
#include "launch/walk_memo.h"
#include "launch/walk_text.h"

#define FRESH_NS INT64_C(100000000) /* a file this young may change again within one tick of its time stamp */

/* One path that was tried. */
struct place {
	uint64_t hash; /* 0: free */
	const char *path;
	bool exists;
};

struct walker {
	struct kt_walk *walk;
	struct kt_arena *arena;
	struct kt_error *err;
	struct kt_memo *memo;
	bool until_found;       /* the first file that holds the word is the last */
	int64_t now_ns;
	size_t place_count, place_capacity; /* capacity is a power of two */
	struct place *places;
	size_t quote_count, path_count;
	const char *const *quote_dirs;
	const char **path_dirs; /* -I and -isystem without the toolkit's */
	const char *toolkit;    /* its headers' folder; NULL: unknown */
	struct stat toolkit_folders[2]; /* that one and the one of its C++ libraries, under whatever name; st_ino 0: not there */
	char *text;             /* the file that is being read */
	size_t text_capacity;
	struct kt_buf includes, candidate;
};

static kt_status out_of_memory(struct walker *w)
{
	return kt_fail(w->err, KT_ERR_MEMORY, "out of memory for the include graph");
}

static struct kt_file_stamp stamp_of(const struct stat *info)
{
	return (struct kt_file_stamp){.device = (uint64_t)info->st_dev,
	                              .inode = (uint64_t)info->st_ino,
	                              .size = (uint64_t)info->st_size,
	                              .mtime_ns = (int64_t)info->st_mtim.tv_sec * 1000000000 + info->st_mtim.tv_nsec,
	                              .ctime_ns = (int64_t)info->st_ctim.tv_sec * 1000000000 + info->st_ctim.tv_nsec};
}

static uint64_t hash_path(const char *path)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *path != '\0'; path++)
		hash = (hash ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
	return hash == 0 ? 1 : hash;
}

static struct place *find_place(const struct walker *w, const char *path, uint64_t hash)
{
	size_t i = (size_t)(hash ^ hash >> 32) & (w->place_capacity - 1);

	while (w->places[i].hash != 0 && (w->places[i].hash != hash || strcmp(w->places[i].path, path) != 0))
		i = (i + 1) & (w->place_capacity - 1);
	return &w->places[i];
}

static kt_status grow_places(struct walker *w)
{
	struct place *old = w->places;
	size_t old_capacity = w->place_capacity;

	if (w->place_count * 2 < old_capacity)
		return KT_OK;
	w->place_capacity = old_capacity == 0 ? 256 : old_capacity * 2;
	NEED(w->places = kt_arena_array(w->arena, w->place_capacity, sizeof *w->places), out_of_memory(w));
	for (size_t i = 0; i < old_capacity; i++)
		if (old[i].hash != 0)
			*find_place(w, old[i].path, old[i].hash) = old[i];
	return KT_OK;
}

static kt_status add_file(struct walker *w, const char *path, const struct stat *info)
{
	struct kt_walk_file *file;

	if (w->walk->file_count >= KT_WALK_FILES) {
		w->walk->complete = false;
		return KT_OK;
	}
	NEED(file = kt_arena_push(w->arena, &w->walk->files, &w->walk->file_count, sizeof *file), out_of_memory(w));
	file->path = path;
	file->stamp = stamp_of(info);
	return KT_OK;
}

static kt_status add_absent(struct walker *w, const char *path)
{
	const char **slot;

	if (w->walk->absent_count >= KT_WALK_ABSENT) {
		w->walk->complete = false;
		return KT_OK;
	}
	NEED(slot = kt_arena_push(w->arena, &w->walk->absent, &w->walk->absent_count, sizeof *slot), out_of_memory(w));
	*slot = path;
	return KT_OK;
}

/* Tries directory/name (name alone in "."); each path is looked at once a walk. */
static kt_status try_place(struct walker *w, bool *exists, const char *directory, size_t directory_length,
                           const char *name, size_t name_length)
{
	struct place *place;
	struct stat info;
	const char *path;
	uint64_t hash;
	TRY(grow_places(w));

	kt_buf_clear(&w->candidate);
	if (name[0] != '/' && directory_length > 0) {
		kt_buf_add(&w->candidate, directory, directory_length);
		if (directory[directory_length - 1] != '/')
			kt_buf_addc(&w->candidate, '/');
	}
	kt_buf_add(&w->candidate, name, name_length);
	if (w->candidate.failed)
		return out_of_memory(w);
	path = kt_buf_text(&w->candidate);
	hash = hash_path(path);
	place = find_place(w, path, hash);
	if (place->hash != 0) {
		*exists = place->exists;
		return KT_OK;
	}
	NEED(path = kt_arena_strndup(w->arena, path, w->candidate.size), out_of_memory(w));
	*exists = stat(path, &info) == 0 && S_ISREG(info.st_mode);
	*place = (struct place){hash, path, *exists};
	w->place_count++;
	return *exists ? add_file(w, path, &info) : add_absent(w, path);
}

static kt_status try_directories(struct walker *w, bool *exists, bool all, size_t count, const char *const *directories,
                                 const char *name, size_t length)
{
	for (size_t i = 0; i < count && (all || !*exists); i++) {
		const char *directory = directories[i];

		if (directory[0] == '.' && directory[1] == '\0')
			directory = "";
		TRY(try_place(w, exists, directory, strlen(directory), name, length));
	}
	return KT_OK;
}

/*
 * One include as the memo keeps it: '"' or '<', or 'Q' or 'A' for include_next,
 * which may mean any directory of the path.
 */
static kt_status resolve(struct walker *w, char form, const char *name, size_t length, const char *includer)
{
	const char *slash = strrchr(includer, '/');
	bool exists = false, all = form == 'Q' || form == 'A';

	if (length == 0 || length > 4096)
		return KT_OK;
	if (form == '"' || form == 'Q' || name[0] == '/') {
		TRY(try_place(w, &exists, includer, slash == NULL ? 0 : (size_t)(slash - includer) + 1, name, length));
		if (name[0] != '/')
			TRY(try_directories(w, &exists, all, w->quote_count, w->quote_dirs, name, length));
	}
	if (name[0] == '/')
		return KT_OK;
	return try_directories(w, &exists, all, w->path_count, w->path_dirs, name, length);
}

static kt_status resolve_all(struct walker *w, const char *text, size_t size, const char *includer)
{
	const char *end = text + size;
	kt_status status = KT_OK;

	while (status == KT_OK && text < end) {
		const char *line = memchr(text, '\n', (size_t)(end - text));

		if (line == NULL)
			break;
		status = resolve(w, text[0], text + 1, (size_t)(line - text) - 1, includer);
		text = line + 1;
	}
	return status;
}

/* Reads the file into w->text; *size is SIZE_MAX when it cannot be read. Takes the stamp of what was read. */
static kt_status read_text(struct walker *w, size_t *size, struct kt_walk_file *file)
{
	struct stat info;
	size_t used = 0;
	ssize_t got = 0;
	int fd = kt_fs_open_regular(file->path, O_RDONLY);

	*size = SIZE_MAX;
	if (fd < 0)
		return KT_OK;
	if (fstat(fd, &info) != 0 || (uint64_t)info.st_size > KT_LIMIT_SOURCE_BYTES) {
		close(fd);
		return KT_OK;
	}
	if (w->text_capacity < (size_t)info.st_size + 1) {
		size_t capacity = (size_t)info.st_size + ((size_t)64 << 10);
		char *grown = realloc(w->text, capacity);

		if (grown == NULL) {
			close(fd);
			return out_of_memory(w);
		}
		w->text = grown;
		w->text_capacity = capacity;
	}
	while (used < (size_t)info.st_size) {
		got = read(fd, w->text + used, (size_t)info.st_size - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	close(fd);
	if (got < 0)
		return KT_OK;
	file->stamp = stamp_of(&info);
	*size = used;
	return KT_OK;
}

static kt_status add_folder(struct walker *w, const char *folder)
{
	const char **slot;

	for (size_t i = 0; i < w->walk->folder_count; i++)
		if (strcmp(w->walk->folders[i], folder) == 0)
			return KT_OK;
	NEED(slot = kt_arena_push(w->arena, &w->walk->folders, &w->walk->folder_count, sizeof *slot), out_of_memory(w));
	*slot = folder;
	return KT_OK;
}

/* The folders in which the file's computed includes are looked up. */
static kt_status add_folders(struct walker *w, const char *path)
{
	const char *own;

	w->walk->computed_include = true;
	NEED(own = kt_path_dirname(w->arena, path), out_of_memory(w));
	TRY(add_folder(w, own));
	for (size_t i = 0; i < w->quote_count; i++)
		TRY(add_folder(w, w->quote_dirs[i]));
	for (size_t i = 0; i < w->path_count; i++)
		TRY(add_folder(w, w->path_dirs[i]));
	return KT_OK;
}

static kt_status visit(struct walker *w, size_t index)
{
	struct kt_walk_file file = w->walk->files[index];
	const char *includes;
	unsigned flags;
	size_t size;

	if (!kt_memo_find(w->memo, &file.stamp, &flags, &includes, &size)) {
		TRY(read_text(w, &size, &file));
		if (size == SIZE_MAX) {
			w->walk->complete = false;
			return KT_OK;
		}
		if (kt_walk_scan(&w->includes, &flags, w->text, size) != KT_OK)
			return out_of_memory(w);
		includes = kt_buf_text(&w->includes);
		size = w->includes.size;
		if (w->now_ns - file.stamp.mtime_ns > FRESH_NS)
			kt_memo_add(w->memo, &file.stamp, flags, includes, size);
	}
	file.has_word = (flags & KT_MEMO_HAS_WORD) != 0;
	w->walk->files[index] = file;
	w->walk->found = w->walk->found || file.has_word;
	if ((flags & KT_MEMO_COMPUTED) != 0)
		TRY(add_folders(w, file.path));
	return w->until_found && file.has_word ? KT_OK : resolve_all(w, includes, size, file.path);
}

/* Folders of headers of the system and of installed packages: no project keeps kernels there. */
static const char *const installed[] = {"/usr", "/opt"};
static const char *const packages[] = {"/site-packages/", "/dist-packages/"};

static bool is_installed(const char *directory)
{
	for (size_t i = 0; i < sizeof installed / sizeof *installed; i++)
		if (kt_path_below(directory, installed[i]))
			return true;
	for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
		if (strstr(directory, packages[i]) != NULL)
			return true;
	return false;
}

static void find_toolkit(struct walker *w, const struct kt_command *command)
{
	const char *places[2] = {NULL};

	w->toolkit = kt_toolkit_headers(w->arena, kt_toolkit_root(w->arena, command, false));
	if (w->toolkit == NULL)
		return;
	places[0] = w->toolkit;
	places[1] = kt_path_join(w->arena, w->toolkit, "cccl");
	for (size_t i = 0; i < 2; i++)
		if (places[i] == NULL || stat(places[i], &w->toolkit_folders[i]) != 0)
			w->toolkit_folders[i].st_ino = 0;
}

static bool is_toolkits(const struct walker *w, const char *directory)
{
	struct stat info;

	if (w->toolkit == NULL)
		return false;
	if (kt_path_below(directory, w->toolkit))
		return true;
	if (stat(directory, &info) != 0 || info.st_ino == 0)
		return false;
	for (size_t i = 0; i < 2; i++)
		if (info.st_ino == w->toolkit_folders[i].st_ino && info.st_dev == w->toolkit_folders[i].st_dev)
			return true;
	return false;
}

static kt_status add_directory(struct walker *w, const char *directory)
{
	const char **slot;

	if (directory[0] == '\0' || kt_path_below(directory, "/usr/include") || is_toolkits(w, directory))
		return KT_OK;
	NEED(slot = kt_arena_push(w->arena, &w->path_dirs, &w->path_count, sizeof *slot), out_of_memory(w));
	*slot = directory;
	return KT_OK;
}

/* A list that the host compiler reads from the environment; an empty folder in it is the working one. */
static kt_status add_environment(struct walker *w, const char *name)
{
	const char *at = getenv(name);
	kt_status status = KT_OK;

	if (at != NULL && at[0] == '\0')
		return KT_OK;
	while (status == KT_OK && at != NULL) {
		const char *end = strchr(at, ':');
		const size_t length = end != NULL ? (size_t)(end - at) : strlen(at);
		const char *directory = kt_arena_strndup(w->arena, length != 0 ? at : ".", length != 0 ? length : 1);

		NEED(directory, out_of_memory(w));
		if (!is_installed(directory))
			status = add_directory(w, directory);
		at = end != NULL ? end + 1 : NULL;
	}
	return status;
}

static kt_status project_directories(struct walker *w, const struct kt_command *command)
{
	find_toolkit(w, command);
	w->quote_count = command->quote_include_count;
	w->quote_dirs = command->quote_include_dirs;
	for (size_t i = 0; i < command->include_count; i++)
		TRY(add_directory(w, command->include_dirs[i]));
	for (size_t i = 0; i < command->system_include_count; i++)
		if (!is_installed(command->system_include_dirs[i]))
			TRY(add_directory(w, command->system_include_dirs[i]));
	TRY(add_environment(w, "CPATH"));
	return add_environment(w, "CPLUS_INCLUDE_PATH");
}

static kt_status start(struct walker *w, const struct kt_command *command)
{
	bool exists = false;
	TRY(project_directories(w, command));
	for (size_t i = 0; i < command->input_count; i++) {
		TRY(try_place(w, &exists, "", 0, command->inputs[i], strlen(command->inputs[i])));
		if (!exists)
			return kt_fail(w->err, KT_ERR_IO, "cannot read '%s'", command->inputs[i]);
	}
	for (size_t i = 0; i < command->forced_include_count; i++)
		TRY(resolve(w, '"', command->forced_includes[i], strlen(command->forced_includes[i]), ""));
	return KT_OK;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	return clock_gettime(clock, &now) == 0 ? (int64_t)now.tv_sec * 1000000000 + now.tv_nsec : 0;
}

static kt_status walk_from(struct kt_walk *out, struct kt_arena *arena, const struct kt_command *command,
                           const char *cache_dir, bool until_found, struct kt_error *err)
{
	struct kt_walk walk = {.complete = true, .started_ns = clock_ns(CLOCK_REALTIME_COARSE)};
	struct walker w = {.walk = &walk,
	                   .arena = arena,
	                   .err = err,
	                   .memo = kt_memo_open(cache_dir),
	                   .until_found = until_found,
	                   .includes = KT_BUF(KT_LIMIT_SOURCE_BYTES),
	                   .candidate = KT_BUF(KT_LIMIT_LINE_BYTES)};
	kt_status status;

	w.now_ns = clock_ns(CLOCK_REALTIME);
	status = w.memo == NULL ? out_of_memory(&w) : start(&w, command);
	for (size_t i = 0; i < walk.file_count && status == KT_OK && !(until_found && walk.found); i++)
		status = visit(&w, i);
	if (status == KT_OK && !walk.complete)
		walk.found = true;
	kt_memo_close(w.memo);
	kt_buf_free(&w.includes);
	kt_buf_free(&w.candidate);
	free(w.text);
	if (status == KT_OK)
		*out = walk;
	return status;
}

kt_status kt_walk(struct kt_walk *out, struct kt_arena *arena, const struct kt_command *command,
                  const char *cache_dir, struct kt_error *err)
{
	return walk_from(out, arena, command, cache_dir, false, err);
}

kt_status kt_walk_finds(bool *found, struct kt_arena *arena, const struct kt_command *command, const char *cache_dir,
                        struct kt_error *err)
{
	struct kt_walk walk;
	TRY(walk_from(&walk, arena, command, cache_dir, true, err));

	*found = walk.found;
	return KT_OK;
}
