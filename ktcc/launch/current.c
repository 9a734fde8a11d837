#include "launch/current.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/log.h"
#include "launch/hit.h"

#define AS_WRITTEN "as-written"
/* "KEY HASH DEVICE INODE SIZE MTIME CTIME": the command, what was compiled, the object as it came out. */
#define NOTE "%64s %64s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNd64

struct kt_current {
	char compiled[KT_HASH_TEXT];
	int64_t object_ns; /* the object's time */
	int64_t seen_ns;   /* what is newer came after kt_current_begin */
	size_t source_count;
	const char **sources; /* prerequisites that are not ours */
};

static int64_t time_ns(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

/* The clock that file systems take their times from; what changes in the same step is newer. */
static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	return time_ns(&now) - 1;
}

static const char *note_path(const struct kt_invocation *l)
{
	return kt_path_join(l->arena, l->folder, KT_EMITTED_NOTE);
}

static void hash_emitted(char out[KT_HASH_TEXT], const struct kt_emitted *emitted)
{
	struct kt_hash hash;

	if (emitted == NULL || emitted->file_count == 0) {
		snprintf(out, KT_HASH_TEXT, AS_WRITTEN);
		return;
	}
	kt_hash_init(&hash);
	for (size_t i = 0; i < emitted->file_count; i++) {
		kt_hash_field(&hash, "name", emitted->files[i].name);
		kt_hash_field(&hash, "text", emitted->files[i].text);
	}
	for (size_t i = 0; i < emitted->folder_count; i++)
		kt_hash_field(&hash, "folder", emitted->folders[i]);
	kt_hash_final(&hash, out);
}

/* Is the object the one that the note beside it is about? A file with several names is also somebody else's. */
static bool is_noted(struct kt_current *current, const struct kt_invocation *l)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_file_stamp noted, now;
	struct kt_error ignored;
	struct stat object;
	char key[KT_HASH_TEXT];
	const char *path = note_path(l);
	bool same = path != NULL && kt_fs_read(&text, path, &ignored) == KT_OK &&
		    sscanf(kt_buf_text(&text), NOTE, key, current->compiled, &noted.device, &noted.inode, &noted.size,
			   &noted.mtime_ns, &noted.ctime_ns) == 7;

	kt_buf_free(&text);
	same = same && strcmp(key, l->key) == 0 && lstat(l->command->output, &object) == 0 && S_ISREG(object.st_mode) &&
	       object.st_nlink == 1 && kt_fs_stamp(&now, l->command->output, &ignored) == KT_OK &&
	       kt_fs_stamp_equal(&noted, &now);
	current->object_ns = same ? now.mtime_ns : 0;
	return same;
}

/* Would a build system run the command for what ktcc added to its dependencies? */
static bool is_woken(struct kt_current *current, const struct kt_manifest *manifest)
{
	bool woken = false;

	current->seen_ns = now_ns();
	for (size_t i = 0; i < manifest->extra_count; i++) {
		struct stat info;
		const bool there = stat(manifest->extra[i], &info) == 0;
		const int64_t changed = there ? time_ns(&info.st_mtim) : 0;

		woken = woken || !there || changed > current->object_ns;
		if (changed > current->seen_ns)
			current->seen_ns = changed;
	}
	return woken;
}

/* Takes over the other prerequisites. False: one of them alone is a reason to compile. */
static bool take_sources(struct kt_current *current, struct kt_arena *arena, const struct kt_manifest *manifest)
{
	current->sources = kt_arena_array(arena, manifest->dependency_count + 1, sizeof *current->sources);
	for (size_t i = 0; current->sources != NULL && i < manifest->dependency_count; i++) {
		const char *path = manifest->dependencies[i];
		struct stat info;

		if (kt_has_text(manifest->extra, manifest->extra_count, path))
			continue;
		if (stat(path, &info) != 0 || time_ns(&info.st_mtim) > current->object_ns)
			return false;
		current->sources[current->source_count++] = path;
	}
	return current->source_count != 0;
}

void kt_current_begin(struct kt_invocation *l, const struct kt_manifest *manifest)
{
	struct kt_current *current;

	l->current = NULL;
	if (manifest == NULL || !l->command->wants_dependencies)
		return;
	current = kt_arena_array(l->arena, 1, sizeof *current);
	/* The cheapest question first: nearly always a source is what has changed. */
	if (current != NULL && is_noted(current, l) && is_woken(current, manifest) &&
	    take_sources(current, l->arena, manifest) && kt_manifest_sources(manifest))
		l->current = current;
}

bool kt_current_is(const struct kt_invocation *l, const struct kt_emitted *emitted)
{
	char hash[KT_HASH_TEXT];

	if (l->current == NULL)
		return false;
	hash_emitted(hash, emitted);
	return strcmp(hash, l->current->compiled) == 0;
}

static bool list(struct kt_depfile *known, const struct kt_invocation *l)
{
	const struct kt_current *current = l->current;
	const char **all = kt_arena_array(l->arena, current->source_count + l->extra_count + 1, sizeof *all);

	NEED(all, false);
	memset(known, 0, sizeof *known);
	known->prerequisites = all;
	for (size_t i = 0; i < current->source_count; i++)
		all[known->prerequisite_count++] = current->sources[i];
	for (size_t i = 0; i < l->extra_count; i++)
		all[known->prerequisite_count++] = l->extra[i];
	return true;
}

kt_status kt_current_keep(struct kt_depfile *known, struct kt_invocation *l, const struct kt_emitted *emitted,
			  struct kt_error *err)
{
	const int64_t seen_ns = l->current->seen_ns;
	const struct timespec seen = {(time_t)(seen_ns / 1000000000), (long)(seen_ns % 1000000000)};
	kt_status status =
	    list(known, l) ? kt_invocation_folder(l, err) : kt_fail(err, KT_ERR_MEMORY, "out of memory for a depfile");

	if (status == KT_OK && emitted != NULL)
		status = kt_invocation_write(l, emitted, err);
	THEN(status, kt_hit_depfile(known, l, err));
	if (status == KT_OK && utimensat(AT_FDCWD, l->command->output,
					 (const struct timespec[2]){{0, UTIME_OMIT}, seen}, AT_SYMLINK_NOFOLLOW) != 0)
		status = kt_fail_errno(err, "%s", l->command->output);
	if (status != KT_OK)
		return status;
	kt_invocation_count(l, "still-current");
	kt_current_note(l, emitted);
	return KT_OK;
}

void kt_current_note(struct kt_invocation *l, const struct kt_emitted *emitted)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *path = note_path(l);
	struct kt_file_stamp now;
	char hash[KT_HASH_TEXT];
	struct kt_error err;

	if (!l->command->wants_dependencies || l->store == NULL || path == NULL)
		return;
	hash_emitted(hash, emitted);
	if (kt_fs_stamp(&now, l->command->output, &err) == KT_OK) {
		kt_buf_addf(&text, "%s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 "\n", l->key, hash,
			    now.device, now.inode, now.size, now.mtime_ns, now.ctime_ns);
		if (kt_buf_check(&text, path, &err) == KT_OK &&
		    kt_fs_write(path, kt_buf_text(&text), text.size, &err) == KT_OK)
			goto done;
	}
	kt_log("what the object was made of is not noted: %s", err.message);
done:
	kt_buf_free(&text);
}
