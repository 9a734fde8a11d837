#include "headers.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/toolkit.h"
#include "cuda.h"
#include "includes.h"

enum { FILES_MOST = 512 };

/* The toolkit's headers that are worth it, the one that holds the others first. */
static const char *const worthy[] = {"cuda_bf16.h", "cuda_fp16.h"};

/* ---- the command line */

/* Options that name the folders of headers, and those that change what is in them. Any other option is not known. */
static const struct {
	const char *name;
	bool is_folder, has_value; /* has_value: directly after it, or the next word */
} known[] = {
    {"-I", true, true}, {"-iquote", true, true}, {"-isystem", true, true},
    {"-D", false, true}, {"-U", false, true},    {"-std=", false, false},
};

/* Splits the scan's arguments; false: one of them is not known. */
static bool read_arguments(struct kt_scan *scan, const char ***folders, size_t *folder_count, const char ***others,
                           size_t *other_count)
{
	const struct kt_scan_options *o = &scan->options;

	*folders = kt_arena_array(scan->arena, o->argument_count + 1, sizeof **folders);
	*others = kt_arena_array(scan->arena, o->argument_count + 1, sizeof **others);
	*folder_count = *other_count = 0;
	for (size_t i = 0; *folders != NULL && *others != NULL && i < o->argument_count; i++) {
		const char *word = o->arguments[i];
		size_t row = 0;

		while (row < sizeof known / sizeof *known && strncmp(word, known[row].name, strlen(known[row].name)) != 0)
			row++;
		if (row == sizeof known / sizeof *known)
			return false;
		const bool alone = known[row].has_value && word[strlen(known[row].name)] == '\0';
		if (alone && i + 1 == o->argument_count)
			return false;
		if (known[row].is_folder) {
			(*folders)[(*folder_count)++] = alone ? o->arguments[++i] : word + strlen(known[row].name);
			continue;
		}
		(*others)[(*other_count)++] = word;
		if (alone)
			(*others)[(*other_count)++] = o->arguments[++i];
	}
	return *folders != NULL && *others != NULL;
}

/* With folders that the environment adds to the search, precompiled headers are not used. */
static bool is_plain_environment(void)
{
	static const char *const names[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (getenv(names[i]) != NULL)
			return false;
	return true;
}

/* Would a folder of the user's lead an include of the toolkit's headers elsewhere? `names`: first parts of them all. */
static bool is_shadowed(struct kt_scan *scan, const char *const *folders, size_t count, const cJSON *names)
{
	const char *headers = kt_toolkit_headers(scan->arena, scan->options.toolkit);
	struct stat own = {0}, info;

	if (headers == NULL || stat(headers, &own) != 0)
		return true;
	for (size_t i = 0; i < count; i++) {
		const char *path = kt_path_absolute(scan->arena, folders[i], scan->options.directory);
		const int folder = path != NULL ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
		bool found = path == NULL;
		const cJSON *name;

		if (folder < 0 && !found)
			continue;
		if (!found && (fstat(folder, &info) != 0 || info.st_dev != own.st_dev || info.st_ino != own.st_ino))
			cJSON_ArrayForEach(name, names)
				found = found || faccessat(folder, name->valuestring, F_OK, 0) == 0;
		if (folder >= 0)
			close(folder);
		if (found)
			return true;
	}
	return false;
}

/* ---- which header */

struct walk {
	struct kt_scan *scan;
	const char **paths; /* files that were read, main file first */
	size_t count;
	size_t best;        /* index into `worthy`; its size: none */
};

static bool walk_file(struct walk *w, const char *path);

static bool follow(struct walk *w, const char *path, const struct kt_directive *d)
{
	const char *found;

	for (size_t i = 0; i < w->best; i++)
		if (strcmp(d->name, worthy[i]) == 0)
			w->best = i;
	found = kt_includes_find(w->scan, d, kt_includes_folder(w->scan->arena, path), NULL);
	return found == NULL || walk_file(w, found);
}

/* The directives of a file and of those that it includes, active or not. False: too many, or no memory. */
static bool walk_file(struct walk *w, const char *path)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_directive *directives;
	const char *absolute = kt_path_absolute(w->scan->arena, path, w->scan->options.directory), *kept, **slot;
	size_t count = 0;
	struct kt_error ignored;
	bool done;

	for (size_t i = 0; i < w->count; i++)
		if (strcmp(w->paths[i], path) == 0)
			return true;
	slot = w->count < FILES_MOST ? kt_arena_push(w->scan->arena, &w->paths, &w->count, sizeof *slot) : NULL;
	if (slot == NULL || absolute == NULL)
		return false;
	*slot = path;
	if (kt_fs_read(&text, absolute, &ignored) != KT_OK) {
		kt_buf_free(&text);
		return true;
	}
	kept = kt_arena_strndup(w->scan->arena, kt_buf_text(&text), text.size);
	done = kept != NULL && kt_includes_search(&directives, &count, w->scan->arena, kept, text.size);
	kt_buf_free(&text);
	for (size_t i = 0; done && i < count; i++)
		done = follow(w, path, &directives[i]);
	return done;
}

/* Of the worthy headers the first that the file may include; false: it cannot be told. */
static bool find_include(const char **out, struct kt_scan *scan)
{
	struct walk w = {.scan = scan, .best = sizeof worthy / sizeof *worthy};

	if (!walk_file(&w, scan->options.file))
		return false;
	*out = w.best < sizeof worthy / sizeof *worthy ? worthy[w.best] : NULL;
	return true;
}

/* ---- the key */

static void hash_file(struct kt_hash *hash, const char *tag, const char *path)
{
	struct kt_file_stamp stamp = {0};
	struct kt_error ignored;

	kt_hash_field(hash, tag, path);
	if (kt_fs_stamp(&stamp, path, &ignored) != KT_OK)
		return;
	kt_hash_int(hash, "size", (int64_t)stamp.size);
	kt_hash_int(hash, "time", stamp.mtime_ns);
}

static const char *library_path(struct kt_arena *arena)
{
	Dl_info info = {0};
	void *symbol = NULL;

	memcpy(&symbol, &kt_clang.createIndex, sizeof symbol);
	return dladdr(symbol, &info) != 0 ? kt_path_real(arena, info.dli_fname) : NULL;
}

/* Everything that what is in it depends on, but the files: those are looked at one by one. */
static bool make_key(char out[KT_HASH_TEXT], struct kt_scan *scan, const char *const *arguments, size_t count,
                     const char *include)
{
	const char *library = library_path(scan->arena);
	struct CXUnsavedFile stand_ins[KT_CUDA_STAND_INS];
	const unsigned stand_in_count = kt_cuda_stand_ins(stand_ins, scan->arena, scan->options.toolkit);
	struct kt_hash hash;

	if (library == NULL)
		return false;
	kt_hash_init(&hash);
	kt_hash_field(&hash, "headers", "2");
	kt_hash_field(&hash, "ktcc", KT_VERSION);
	kt_hash_field(&hash, "libclang", scan->version);
	hash_file(&hash, "library", library);
	kt_hash_field(&hash, "include", include);
	for (size_t i = 0; i < count; i++)
		kt_hash_field(&hash, "argument", arguments[i]);
	for (unsigned i = 0; i < stand_in_count; i++) {
		kt_hash_field(&hash, "stand-in", stand_ins[i].Filename);
		kt_hash_field(&hash, "text", stand_ins[i].Contents);
	}
	kt_hash_final(&hash, out);
	return true;
}

/* ---- what is there */

static bool is_stamped(const cJSON *item, const char *path)
{
	struct kt_file_stamp stamp;
	struct kt_error ignored;
	int64_t size, time;

	return kt_fs_stamp(&stamp, path, &ignored) == KT_OK && kt_json_int(&size, item, "size", &ignored) == KT_OK &&
	       kt_json_int(&time, item, "time", &ignored) == KT_OK && (int64_t)stamp.size == size && stamp.mtime_ns == time;
}

/* Is it the file that was written, unmodified since? Its inode and the time of its last change tell. */
static bool is_own(const cJSON *note, const char *path)
{
	struct kt_file_stamp stamp;
	struct kt_error ignored;
	int64_t inode, changed;
	struct stat info;

	return lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
	       (info.st_mode & (S_IWGRP | S_IWOTH)) == 0 && is_stamped(note, path) &&
	       kt_fs_stamp(&stamp, path, &ignored) == KT_OK && kt_json_int(&inode, note, "inode", &ignored) == KT_OK &&
	       kt_json_int(&changed, note, "changed", &ignored) == KT_OK && (int64_t)stamp.inode == inode &&
	       stamp.ctime_ns == changed;
}

/* Reads the note next to it. False: there is none, or the header no longer matches what it was made from. */
static bool read_note(struct kt_headers *out, struct kt_scan *scan, const struct kt_headers_place *place,
                      const char *const *folders, size_t folder_count)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_OUTPUT_BYTES * 4);
	struct kt_error ignored;
	const cJSON *files, *file;
	cJSON *note = NULL;
	bool valid = kt_fs_read(&text, place->note, &ignored) == KT_OK &&
	             kt_json_parse(&note, kt_buf_text(&text), text.size, &ignored) == KT_OK &&
	             strcmp(kt_json_text(note, "key"), place->key) == 0 && is_own(note, place->path);

	files = cJSON_GetObjectItemCaseSensitive(note, "files");
	out->files = NULL;
	out->file_count = 0;
	cJSON_ArrayForEach(file, files) {
		const char *path = kt_arena_strdup(scan->arena, kt_json_text(file, "path")), **slot = NULL;

		if (valid && path != NULL && is_stamped(file, path))
			slot = kt_arena_push(scan->arena, &out->files, &out->file_count, sizeof *slot);
		valid = slot != NULL;
		if (!valid)
			break;
		*slot = path;
	}
	valid = valid && out->file_count > 0 &&
	        kt_json_int(&out->toolkit_version, note, "toolkit", &ignored) == KT_OK &&
	        !is_shadowed(scan, folders, folder_count, cJSON_GetObjectItemCaseSensitive(note, "names"));
	if (valid) {
		out->names = note;
		out->path = place->path;
	} else {
		cJSON_Delete(note);
	}
	kt_buf_free(&text);
	return valid;
}

/* The folder is this user's alone, and no link. */
static bool is_private_folder(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
	       (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static bool find_place(struct kt_headers_place *out, struct kt_scan *scan, const char *key)
{
	struct kt_error ignored;

	if (kt_fs_mkdirs(scan->options.cache, &ignored) != KT_OK)
		return false;
	out->folder = kt_path_join(scan->arena, scan->options.cache, "headers");
	if (out->folder == NULL || (mkdir(out->folder, 0700) != 0 && !is_private_folder(out->folder)))
		return false;
	out->key = kt_arena_strdup(scan->arena, key);
	out->path = kt_arena_printf(scan->arena, "%s/%.32s.pch", out->folder, key);
	out->note = kt_arena_printf(scan->arena, "%s/%.32s.json", out->folder, key);
	return out->key != NULL && out->path != NULL && out->note != NULL;
}

/* All that has to do with it in one scan. */
struct kt_headers_state {
	struct kt_headers headers;
	struct kt_headers_place place;
	const char **folders; /* that the user has searched */
	size_t folder_count;
	struct kt_headers_maker *maker; /* NULL: none is at work */
	bool is_there;
};

void kt_headers_open(struct kt_scan *scan)
{
	const struct kt_cuda_reading reading = {scan->options.toolkit, scan->options.arch, false};
	const char **others, **arguments, *include = NULL;
	size_t other_count, count = 0;
	char key[KT_HASH_TEXT];
	struct kt_headers_state *state = kt_arena_alloc(scan->arena, sizeof *state);

	if (state == NULL || scan->options.cache == NULL || !scan->target->has_host_code)
		return;
	*state = (struct kt_headers_state){.is_there = false};
	if (!is_plain_environment() ||
	    !read_arguments(scan, &state->folders, &state->folder_count, &others, &other_count) ||
	    !find_include(&include, scan))
		return;
	state->headers.include = include;
	arguments = kt_cuda_arguments(scan->arena, &count, &reading, others, other_count);
	if (arguments == NULL || !make_key(key, scan, arguments, count, include) || !find_place(&state->place, scan, key))
		return;
	state->is_there = read_note(&state->headers, scan, &state->place, state->folders, state->folder_count);
	if (!state->is_there)
		state->maker = kt_headers_start(scan, &state->place, arguments, count, include);
	scan->headers = state;
}

const struct kt_headers *kt_headers_ready(struct kt_scan *scan, bool wait)
{
	struct kt_headers_state *state = scan->headers;

	if (state != NULL && state->maker != NULL && wait) {
		const bool made = kt_headers_finish(state->maker);

		state->maker = NULL;
		state->is_there =
		    made && read_note(&state->headers, scan, &state->place, state->folders, state->folder_count);
	}
	if (state == NULL || !state->is_there)
		return NULL;
	return is_shadowed(scan, scan->folders, scan->folder_count,
	                   cJSON_GetObjectItemCaseSensitive(state->headers.names, "names"))
	           ? NULL
	           : &state->headers;
}

void kt_headers_close(struct kt_scan *scan)
{
	struct kt_headers_state *state = scan->headers;

	if (state != NULL && state->maker != NULL)
		(void)kt_headers_finish(state->maker);
	if (state != NULL && state->is_there)
		cJSON_Delete(state->headers.names);
	scan->headers = NULL;
}
