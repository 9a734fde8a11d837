#include "launch/manifest.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/toolkit.h"
#include "store/lock.h"

#define DAY_S 86400

/* Unchanged by stamp, else by content: a touched file is no reason to tune. */
static bool file_unchanged(const struct kt_manifest_file *file)
{
	struct kt_file_stamp now;
	struct kt_error ignored;
	char hash[KT_HASH_TEXT];

	if (kt_fs_stamp(&now, file->path, &ignored) != KT_OK)
		return false;
	if (kt_fs_stamp_equal(&now, &file->stamp))
		return true;
	return now.size == file->stamp.size && kt_hash_file(hash, file->path, &ignored) == KT_OK &&
	       strcmp(hash, file->hash) == 0;
}

/* One fingerprint over the lock folders this command looked into; they are kept as its dependencies. */
static bool lock_hash(char out[KT_HASH_TEXT], const char *lock_dir, const char *const *names, size_t count)
{
	struct kt_error err;

	return kt_lock_fingerprint(out, lock_dir, names, count, &err) == KT_OK;
}

/* The same lock directory, with the same content in the folders that were looked into, which are still there. */
static bool lock_unchanged(const struct kt_manifest *manifest, const char *lock_dir)
{
	char hash[KT_HASH_TEXT];
	size_t length;

	if (lock_dir == NULL || manifest->lock_dir == NULL)
		return lock_dir == manifest->lock_dir;
	if (strcmp(lock_dir, manifest->lock_dir) != 0 ||
	    !lock_hash(hash, lock_dir, manifest->region_names, manifest->region_count) ||
	    strcmp(hash, manifest->lock_hash) != 0)
		return false;
	/* The fingerprint sees entries only; a build system that is told of what is absent never comes to rest. */
	length = strlen(lock_dir);
	for (size_t i = 0; i < manifest->extra_count; i++)
		if (strncmp(manifest->extra[i], lock_dir, length) == 0 && manifest->extra[i][length] == '/' &&
		    access(manifest->extra[i], F_OK) != 0)
			return false;
	return true;
}

bool kt_manifest_sources(const struct kt_manifest *manifest)
{
	for (size_t i = 0; i < manifest->file_count; i++)
		if (!file_unchanged(&manifest->files[i])) {
			kt_log("manifest: %s changed", manifest->files[i].path);
			return false;
		}
	for (size_t i = 0; i < manifest->absent_count; i++)
		if (kt_fs_is_file(manifest->absent[i])) {
			kt_log("manifest: %s appeared", manifest->absent[i]);
			return false;
		}
	return true;
}

bool kt_manifest_holds(const struct kt_manifest *manifest, struct kt_store *store, const char *lock_dir)
{
	if (!manifest->lasting || !kt_manifest_sources(manifest))
		return false;
	for (size_t i = 0; i < manifest->lookup_count; i++)
		if (kt_store_generation(store, manifest->lookups[i].region_key, manifest->lookups[i].device_key) !=
		    manifest->lookups[i].generation) {
			kt_log("manifest: an entry changed");
			return false;
		}
	if (!lock_unchanged(manifest, lock_dir)) {
		kt_log("manifest: the lock directory changed");
		return false;
	}
	return true;
}

/* A server that had no entry may have one the next time: what it did not have is remembered for minutes only. */
static bool may_arrive(enum kt_reason reason)
{
	return reason == KT_REASON_NO_ENTRY || reason == KT_REASON_NO_GPU || reason == KT_REASON_UNKNOWN_DEVICE ||
	       reason == KT_REASON_ARCHITECTURE || reason == KT_REASON_OLDER_TEXT;
}

/* Worth another attempt next time, or another look at the diagnostics. */
static bool passing(enum kt_reason reason)
{
	return reason == KT_REASON_BUILD_BUDGET || reason == KT_REASON_BUSY || reason == KT_REASON_INTERNAL ||
	       reason == KT_REASON_NO_STORE || reason == KT_REASON_NO_CLANG || reason == KT_REASON_EMIT_FAILED ||
	       reason == KT_REASON_PRAGMA_ERROR;
}

/*
 * What went wrong may be the machine's fault: a full disk, a compiler that was
 * killed, a device that was lost. A failure is remembered from the second time within a day on.
 */
static bool may_have_been_bad_luck(struct kt_store *store, const char *key, enum kt_reason reason)
{
	char name[KT_HASH_TEXT + sizeof "failed: "];
	int64_t times = 0;
	bool again;

	if (reason != KT_REASON_TUNE_FAILED && reason != KT_REASON_BASELINE_FAILED &&
	    reason != KT_REASON_REFERENCE_FAILED && reason != KT_REASON_EMITTED_NO_COMPILE)
		return false;
	snprintf(name, sizeof name, "failed: %s", key);
	again = kt_store_get_mark(&times, store, name, DAY_S);
	return !kt_store_add_mark(store, name, 1, DAY_S, KT_MARK_LAST) || !again;
}

/* Was the file, which the walk did not reach, left alone since the work began? Its change time cannot be set by
 * anybody. */
static bool untouched_since(const char *path, int64_t started_ns)
{
	struct stat info;

	return stat(path, &info) == 0 &&
	       (int64_t)info.st_ctim.tv_sec * 1000000000 + info.st_ctim.tv_nsec < started_ns;
}

/*
 * `seen` is the stamp from before the file was read; without one the file must
 * be older than started_ns. What was edited since is not what was compiled.
 */
static bool add_file(struct kt_manifest *manifest, struct kt_arena *arena, const char *path,
                     const struct kt_file_stamp *seen, int64_t started_ns)
{
	struct kt_manifest_file *file;
	struct kt_error ignored;
	char hash[KT_HASH_TEXT];
	char *absolute = kt_path_absolute(arena, path, NULL);

	NEED(absolute, false);
	for (size_t i = 0; i < manifest->file_count; i++)
		if (strcmp(manifest->files[i].path, absolute) == 0)
			return true;
	NEED(file = kt_arena_push(arena, &manifest->files, &manifest->file_count, sizeof *file), false);
	file->path = absolute;
	if (kt_hash_file(hash, absolute, &ignored) != KT_OK || kt_fs_stamp(&file->stamp, absolute, &ignored) != KT_OK ||
	    (seen != NULL ? !kt_fs_stamp_equal(seen, &file->stamp) : !untouched_since(absolute, started_ns)))
		return false;
	file->hash = kt_arena_strdup(arena, hash);
	return file->hash != NULL;
}

/* The toolkit counts by nvcc's identity; the system's own headers are the system's business. */
static bool is_installed(const char *path, const char *toolkit_headers)
{
	return (toolkit_headers != NULL && kt_path_below(path, toolkit_headers)) || kt_path_below(path, "/usr/include") ||
	       kt_path_below(path, "/usr/lib");
}

/* What the scan read: project files beyond those of the walk, and the headers of -isystem. */
static bool add_scanned(struct kt_manifest *manifest, struct kt_arena *arena, const struct kt_work *work,
                        int64_t started_ns)
{
	const struct kt_unit *unit = kt_work_unit(work);
	const char *headers = kt_toolkit_headers(arena, kt_work_toolkit_dir(work));
	const char *version = headers != NULL ? kt_path_join(arena, headers, "cuda.h") : NULL;
	bool done = true;

	/* A script stays the same when another toolkit takes the place of the one that it calls. */
	if (version != NULL && kt_fs_is_file(version) && !add_file(manifest, arena, version, NULL, started_ns))
		return false;
	/* The scan names these by their real paths. */
	if (headers != NULL && (headers = kt_path_real(arena, headers)) == NULL)
		return false;
	for (size_t i = 0; i < unit->file_count && done; i++)
		done = add_file(manifest, arena, unit->files[i].path, NULL, started_ns);
	for (size_t i = 0; i < unit->system_file_count && done; i++)
		done = is_installed(unit->system_files[i], headers) ||
		       add_file(manifest, arena, unit->system_files[i], NULL, started_ns);
	return done;
}

/* Where a file would be found in the place of the one with this path, if it appeared. */
static bool add_shadows(struct kt_manifest *manifest, struct kt_arena *arena, const struct kt_walk *walk, const char *path)
{
	for (const char *name = path; name != NULL && *name != '\0'; name = strchr(name, '/')) {
		name += *name == '/';
		for (size_t i = 0; i < walk->folder_count; i++) {
			const char *place = kt_path_absolute(arena, kt_path_join(arena, walk->folders[i], name), NULL), **slot;

			if (place != NULL && kt_fs_is_file(place))
				continue;
			slot = kt_arena_push(arena, &manifest->absent, &manifest->absent_count, sizeof *slot);
			if (place == NULL || slot == NULL || manifest->absent_count > KT_WALK_ABSENT)
				return false;
			*slot = place;
		}
	}
	return true;
}

/* The name that a macro made ends the path of what was read: what the walk did not reach is looked for in its folders. */
static bool add_computed(struct kt_manifest *manifest, struct kt_arena *arena, const struct kt_walk *walk,
                         const struct kt_unit *unit, size_t walked)
{
	for (size_t i = 0; walk->computed_include && i < unit->file_count; i++) {
		const char *path = kt_path_absolute(arena, unit->files[i].path, NULL);
		bool reached = false;

		for (size_t k = 0; path != NULL && k < walked && !reached; k++)
			reached = strcmp(manifest->files[k].path, path) == 0;
		if (path == NULL || (!reached && !add_shadows(manifest, arena, walk, path)))
			return false;
	}
	return true;
}

static bool add_region(struct kt_manifest *manifest, struct kt_arena *arena, struct kt_store *store,
                       const struct kt_case *each)
{
	struct kt_manifest_lookup *lookup;
	const char **name = kt_arena_push(arena, &manifest->region_names, &manifest->region_count, sizeof *name);

	NEED(name, false);
	*name = each->region->name;
	if (each->template_ == NULL)
		return true;
	/*
	 * Without a key a later entry is seen by its name in the lock directory, and here by any change of any entry. Where
	 * making the key failed, the outcome is found again each time.
	 */
	if (each->keyless != NULL || each->unstored)
		return false;
	NEED(lookup = kt_arena_push(arena, &manifest->lookups, &manifest->lookup_count, sizeof *lookup), false);
	lookup->region_key = each->region_key;
	lookup->device_key = NULL;
	lookup->generation = kt_store_generation(store, each->region_key, NULL);
	return true;
}

/*
 * What the textual walk found to be absent, what only matters to copies of headers, and files in which answers of a
 * model are awaited: once one is there, there is more to tune.
 */
static bool add_absent(struct kt_manifest *manifest, struct kt_arena *arena, const struct kt_unit *unit,
                       const struct kt_case *cases, size_t case_count)
{
	size_t count = manifest->absent_count + unit->absent_count, used = manifest->absent_count;
	const char **all;

	for (size_t i = 0; i < case_count; i++)
		count += cases[i].awaited_count;
	NEED(all = kt_arena_array(arena, count + 1, sizeof *all), false);
	for (size_t i = 0; i < manifest->absent_count; i++)
		all[i] = manifest->absent[i];
	for (size_t i = 0; i < unit->absent_count; i++)
		all[used++] = unit->absent[i];
	for (size_t i = 0; i < case_count; i++)
		for (size_t k = 0; k < cases[i].awaited_count; k++)
			all[used++] = cases[i].awaited[k];
	manifest->absent = all;
	manifest->absent_count = used;
	return true;
}

void kt_manifest_keep(struct kt_store *store, const char *key, struct kt_work *work, const struct kt_walk *walk,
                      const struct kt_emitted *emitted, enum kt_reason reason, const char *message,
                      const char *const *dependencies, size_t dependency_count, const char *const *extra,
                      size_t extra_count)
{
	struct kt_arena *arena = kt_work_arena(work);
	const struct kt_unit *unit = kt_work_unit(work);
	struct kt_manifest manifest = {
	    .emitted = emitted != NULL ? *emitted : (struct kt_emitted){0},
	    .reason = emitted == NULL ? kt_reason_name(reason) : NULL,
	    .message = message,
	    .lock_dir = kt_work_lock(work)->path,
	    .dependencies = (const char **)(uintptr_t)dependencies,
	    .dependency_count = dependency_count,
	    .extra = (const char **)(uintptr_t)extra,
	    .extra_count = extra_count,
	    .absent = walk->absent,
	    .absent_count = walk->absent_count,
	    .lasting = true,
	};
	struct kt_case *cases;
	size_t count = kt_work_cases(&cases, work), walked;
	char hash[KT_HASH_TEXT];
	struct kt_error err;
	bool complete = true, bad_luck = may_have_been_bad_luck(store, key, reason);

	for (size_t i = 0; i < count && !bad_luck; i++)
		bad_luck = may_have_been_bad_luck(store, key, cases[i].reason);
	/* Mistakes in pragmas are shown each time that the file is compiled. */
	if (store == NULL || passing(reason) || bad_luck || unit->has_errors)
		return;
	for (size_t i = 0; i < walk->file_count && complete; i++)
		complete = add_file(&manifest, arena, walk->files[i].path, &walk->files[i].stamp, walk->started_ns);
	walked = manifest.file_count;
	complete = complete && add_scanned(&manifest, arena, work, walk->started_ns);
	complete = complete && add_computed(&manifest, arena, walk, unit, walked);
	complete = complete && add_absent(&manifest, arena, unit, cases, count);
	for (size_t i = 0; i < count && complete; i++) {
		complete = !passing(cases[i].reason) && add_region(&manifest, arena, store, &cases[i]);
		if (kt_work_asks_remote(work) && may_arrive(cases[i].reason))
			manifest.lasting = false;
	}
	if (complete && manifest.lock_dir != NULL) {
		complete = lock_hash(hash, manifest.lock_dir, manifest.region_names, manifest.region_count);
		manifest.lock_hash = hash;
	}
	if (complete && kt_store_put_manifest(store, key, &manifest, &err) != KT_OK)
		kt_log("manifest not stored: %s", err.message);
}

void kt_manifest_note(struct kt_store *store, const char *key, struct kt_work *work)
{
	struct kt_manifest manifest = {.reason = ""};
	struct kt_case *cases;
	const size_t count = kt_work_cases(&cases, work);
	struct kt_error err;
	bool complete = store != NULL;

	for (size_t i = 0; i < count && complete; i++)
		complete = add_region(&manifest, kt_work_arena(work), store, &cases[i]);
	if (complete && kt_store_put_manifest(store, key, &manifest, &err) != KT_OK)
		kt_log("manifest not stored: %s", err.message);
}
