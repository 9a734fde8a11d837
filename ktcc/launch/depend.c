#include "launch/depend.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

#define DEPEND_ARENA_BYTES ((size_t)256 << 20)

struct list {
	struct kt_arena *arena;
	bool bare;
	size_t avoid_count;
	const char **avoid;   /* absolute: the copies, ktune.h */
	const char **instead; /* one each: the original that comes in, or NULL */
	size_t count;
	const char **paths;
	size_t slot_count; /* a power of two, at least twice what comes in */
	const char **slots; /* absolute paths taken, by hash */
};

static kt_status out_of_memory(struct kt_error *err)
{
	return kt_fail(err, KT_ERR_MEMORY, "out of memory for a depfile");
}

/* True when the absolute path was not there yet. */
static bool take(struct list *list, const char *absolute)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (const char *at = absolute; *at != '\0'; at++)
		hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
	for (i = (size_t)(hash ^ hash >> 32) & (list->slot_count - 1); list->slots[i] != NULL;
	     i = (i + 1) & (list->slot_count - 1))
		if (strcmp(list->slots[i], absolute) == 0)
			return false;
	list->slots[i] = absolute;
	return true;
}

static kt_status add(struct list *list, const char *path, struct kt_error *err)
{
	const char *absolute = kt_path_absolute(list->arena, path, NULL), **slot;

	NEED(absolute, out_of_memory(err));
	for (size_t i = 0; i < list->avoid_count; i++)
		if (strcmp(absolute, list->avoid[i]) == 0) {
			path = list->instead[i];
			break;
		}
	if (path == NULL)
		return KT_OK;
	if (list->bare && strncmp(path, "./", 2) == 0)
		path += 2;
	NEED(absolute = kt_path_absolute(list->arena, path, NULL), out_of_memory(err));
	for (size_t i = 0; i < list->avoid_count; i++)
		if (strcmp(absolute, list->avoid[i]) == 0)
			return KT_OK;
	if (!take(list, absolute))
		return KT_OK;
	NEED(slot = kt_arena_push(list->arena, &list->paths, &list->count, sizeof *slot), out_of_memory(err));
	*slot = path;
	return KT_OK;
}

static bool set_avoided(struct list *list, const struct kt_depend *depend)
{
	const size_t copies = depend->copies != NULL ? depend->copies->file_count : 0;
	const char *folder = depend->emitted != NULL ? kt_path_dirname(list->arena, depend->emitted) : "";

	list->avoid = kt_arena_array(list->arena, copies + 2, sizeof *list->avoid);
	list->instead = kt_arena_array(list->arena, copies + 2, sizeof *list->instead);
	if (list->avoid == NULL || list->instead == NULL || folder == NULL)
		return false;
	/* Where the original was compiled there is no copy to leave out: the folder's own name is never in a list. */
	list->avoid[0] = depend->emitted != NULL ? kt_path_absolute(list->arena, depend->emitted, NULL) : "";
	list->avoid[1] = kt_install_path(list->arena, "include/ktune/ktune.h");
	for (size_t i = 1; i < copies; i++) {
		const char *path = kt_path_join(list->arena, folder, kt_path_basename(depend->copies->files[i].name));

		list->avoid[1 + i] = path != NULL ? kt_path_absolute(list->arena, path, NULL) : NULL;
		list->instead[1 + i] = depend->copies->files[i].original;
	}
	list->avoid_count = copies > 1 ? copies + 1 : 2;
	for (size_t i = 0; i < list->avoid_count; i++)
		if (list->avoid[i] == NULL)
			return false;
	return true;
}

static kt_status collect(struct list *list, const struct kt_depend *depend, const struct kt_depfile *old,
                         struct kt_error *err)
{
	for (list->slot_count = 64; list->slot_count < 2 * (old->prerequisite_count + depend->extra_count + 1);)
		list->slot_count *= 2;
	list->slots = kt_arena_array(list->arena, list->slot_count, sizeof *list->slots);
	if (list->slots == NULL || !set_avoided(list, depend))
		return out_of_memory(err);
	TRY(add(list, depend->source, err));
	for (size_t i = 0; i < old->prerequisite_count; i++)
		TRY(add(list, old->prerequisites[i], err));
	for (size_t i = 0; i < depend->extra_count; i++)
		TRY(add(list, depend->extra[i], err));
	return KT_OK;
}

kt_status kt_depend_write(const char *depfile, const struct kt_depfile *known, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	char *place = realpath(depfile, NULL);
	kt_status status;

	kt_depfile_print(&text, known);
	status = kt_buf_check(&text, "depfile", err);
	/* A link stays one, as the compiler leaves it. */
	THEN(status, kt_fs_write(place != NULL ? place : depfile, kt_buf_text(&text), text.size, err));
	free(place);
	kt_buf_free(&text);
	return status;
}

kt_status kt_depend_rewrite(const struct kt_depend *depend, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_depfile depfile = {0};
	struct list list = {.arena = kt_arena_new(DEPEND_ARENA_BYTES), .bare = depend->bare};
	kt_status status;

	if (list.arena == NULL) {
		status = out_of_memory(err);
		goto done;
	}
	status = kt_fs_read(&text, depend->depfile, err);
	THEN(status, kt_depfile_parse(&depfile, list.arena, kt_buf_text(&text), text.size, err));
	if (status == KT_OK && depfile.target_count == 0)
		status = kt_fail(err, KT_ERR_CORRUPT, "'%s' names no target", depend->depfile);
	THEN(status, collect(&list, depend, &depfile, err));
	if (status != KT_OK)
		goto done;
	depfile.prerequisite_count = list.count;
	depfile.prerequisites = list.paths;
	depfile.phony = depend->phony;
	depfile.empty = depend->extra;
	depfile.empty_count = depend->extra_count;
	status = kt_depend_write(depend->depfile, &depfile, err);
done:
	kt_buf_free(&text);
	kt_arena_free(list.arena);
	return status;
}
