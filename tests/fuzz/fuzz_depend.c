/*
 * The depfile reader, printer and rewriter. Input: a depfile, the source, the
 * copy ("": none), the further prerequisites, one a line, and the copies of
 * headers, each a line with its name and a line with its original.
 *
 * Holds: printed and read again a depfile is the same; after the rewrite the
 * source comes first, no copy is left, each file stands once, none is lost
 * and none appears from nowhere, targets are untouched; a second rewrite
 * changes nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "fuzz.h"
#include "launch/depend.h"

#define EXTRA_MOST 32
#define COPIES_MOST 8
#define HEADER "/prefix/include/ktune/ktune.h"
#define DEPFILE "d"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	kt_fuzz_enter_folder();
	KT_FUZZ_REQUIRE(setenv("KTUNE_PREFIX", "/prefix", 1) == 0);
	return 0;
}

/* make has no spelling for these inside a name, nor for a name of nothing. */
static bool representable(const char *name)
{
	return name[0] != '\0' && strpbrk(name, "\n\r\v\f") == NULL;
}

static bool same_names(size_t count_a, const char **a, size_t count_b, const char **b)
{
	bool same = count_a == count_b;

	for (size_t i = 0; i < count_a && same; i++)
		same = strcmp(a[i], b[i]) == 0;
	return same;
}

static void read_back(struct kt_depfile *out, struct kt_arena *arena, struct kt_buf *text)
{
	struct kt_error err;

	kt_buf_clear(text);
	KT_FUZZ_REQUIRE(kt_fs_read(text, DEPFILE, &err) == KT_OK);
	KT_FUZZ_REQUIRE(kt_depfile_parse(out, arena, kt_buf_text(text), text->size, &err) == KT_OK);
}

static void check_print(struct kt_arena *arena, const struct kt_depfile *depfile)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_depfile again;
	struct kt_error err;

	kt_depfile_print(&text, depfile);
	KT_FUZZ_REQUIRE(kt_depfile_parse(&again, arena, kt_buf_text(&text), text.size, &err) == KT_OK);
	KT_FUZZ_REQUIRE(same_names(depfile->target_count, depfile->targets, again.target_count, again.targets));
	KT_FUZZ_REQUIRE(same_names(depfile->prerequisite_count, depfile->prerequisites, again.prerequisite_count,
	                           again.prerequisites));
	KT_FUZZ_REQUIRE(depfile->prerequisite_count < 2 || depfile->phony == again.phony);
	kt_buf_free(&text);
}

static bool listed(struct kt_arena *arena, const struct kt_depfile *depfile, const char *path)
{
	const char *wanted = kt_path_absolute(arena, path, NULL);

	for (size_t i = 0; i < depfile->prerequisite_count; i++)
		if (strcmp(kt_path_absolute(arena, depfile->prerequisites[i], NULL), wanted) == 0)
			return true;
	return false;
}

static void check_once(struct kt_arena *arena, const struct kt_depfile *depfile)
{
	const char **absolute = kt_arena_array(arena, depfile->prerequisite_count, sizeof *absolute);

	KT_FUZZ_REQUIRE(absolute != NULL);
	for (size_t i = 0; i < depfile->prerequisite_count; i++) {
		absolute[i] = kt_path_absolute(arena, depfile->prerequisites[i], NULL);
		for (size_t j = 0; j < i; j++)
			KT_FUZZ_REQUIRE(strcmp(absolute[i], absolute[j]) != 0);
	}
}

static bool is_path(struct kt_arena *arena, const char *path, const char *other)
{
	return strcmp(kt_path_absolute(arena, path, NULL), kt_path_absolute(arena, other, NULL)) == 0;
}

/* The place of a header's copy: beside the emitted file. */
static const char *copy_path(struct kt_arena *arena, const struct kt_depend *depend, size_t index)
{
	return kt_path_join(arena, kt_path_dirname(arena, depend->emitted), depend->copies->files[index].name);
}

static size_t copy_count(const struct kt_depend *depend)
{
	return depend->copies != NULL ? depend->copies->file_count : 0;
}

/* Must not be in the result: *instead is what must be for it, or NULL. */
static bool leaves(const char **instead, struct kt_arena *arena, const struct kt_depend *depend, const char *path)
{
	*instead = NULL;
	if (is_path(arena, path, HEADER) || (depend->emitted != NULL && is_path(arena, path, depend->emitted)))
		return true;
	for (size_t i = 1; i < copy_count(depend); i++)
		if (is_path(arena, path, copy_path(arena, depend, i))) {
			*instead = depend->copies->files[i].original;
			return true;
		}
	return false;
}

static bool given(struct kt_arena *arena, const struct kt_depend *depend, const struct kt_depfile *old,
                  const char *path)
{
	const struct kt_depfile extra = {.prerequisite_count = depend->extra_count,
	                                 .prerequisites = (const char **)(uintptr_t)depend->extra};

	for (size_t i = 1; i < copy_count(depend); i++)
		if (strcmp(path, depend->copies->files[i].original) == 0)
			return true;
	return strcmp(path, depend->source) == 0 || listed(arena, old, path) || listed(arena, &extra, path);
}

/* Is there a name, behind the source's, that has an empty rule without -MP? */
static bool has_added(const struct kt_depend *depend, const struct kt_depfile *depfile)
{
	for (size_t i = 1; i < depfile->prerequisite_count; i++)
		for (size_t k = 0; k < depend->extra_count; k++)
			if (strcmp(depfile->prerequisites[i], depend->extra[k]) == 0)
				return true;
	return false;
}

static void check_result(struct kt_arena *arena, const struct kt_depend *depend, const struct kt_depfile *old,
                         const struct kt_depfile *new)
{
	const char *instead, *ignored;

	KT_FUZZ_REQUIRE(same_names(old->target_count, old->targets, new->target_count, new->targets));
	KT_FUZZ_REQUIRE(new->prerequisite_count > 0 && strcmp(new->prerequisites[0], depend->source) == 0);
	KT_FUZZ_REQUIRE(new->prerequisite_count < 2 ||
	                new->phony == (depend->phony || has_added(depend, new)));
	check_once(arena, new);
	for (size_t i = 0; i < new->prerequisite_count; i++) {
		KT_FUZZ_REQUIRE(given(arena, depend, old, new->prerequisites[i]));
		KT_FUZZ_REQUIRE(!leaves(&instead, arena, depend, new->prerequisites[i]));
	}
	for (size_t i = 0; i < old->prerequisite_count; i++) {
		if (!leaves(&instead, arena, depend, old->prerequisites[i]))
			instead = old->prerequisites[i];
		KT_FUZZ_REQUIRE(instead == NULL || leaves(&ignored, arena, depend, instead) || listed(arena, new, instead));
	}
}

static void check_rewrite(struct kt_arena *arena, const struct kt_depend *depend, const struct kt_depfile *old)
{
	struct kt_buf once = KT_BUF(KT_LIMIT_SOURCE_BYTES), twice = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_depfile new;
	struct kt_error err;

	KT_FUZZ_REQUIRE(kt_depend_rewrite(depend, &err) == KT_OK);
	read_back(&new, arena, &once);
	check_result(arena, depend, old, &new);
	KT_FUZZ_REQUIRE(kt_depend_rewrite(depend, &err) == KT_OK);
	KT_FUZZ_REQUIRE(kt_fs_read(&twice, DEPFILE, &err) == KT_OK);
	KT_FUZZ_REQUIRE(strcmp(kt_buf_text(&once), kt_buf_text(&twice)) == 0);
	kt_buf_free(&once);
	kt_buf_free(&twice);
}

/* Lines to copies, behind the main file's own. False: a name or an original that no emission has. */
static bool read_copies(struct kt_emitted *out, struct kt_arena *arena, char *text)
{
	char *lines[2 * COPIES_MOST + 1];
	size_t count = kt_fuzz_lines(lines, 2 * COPIES_MOST, text) / 2;
	bool fit = true;

	out->file_count = count + 1;
	out->files = kt_arena_array(arena, count + 1, sizeof *out->files);
	KT_FUZZ_REQUIRE(out->files != NULL);
	for (size_t i = 0; i < count; i++) {
		const struct kt_emitted_file file = {.name = lines[2 * i], .original = lines[2 * i + 1]};

		fit = fit && representable(file.name) && representable(file.original) && strchr(file.name, '/') == NULL;
		for (size_t j = 1; j <= i; j++)
			fit = fit && strcmp(out->files[j].name, file.name) != 0;
		out->files[i + 1] = file;
	}
	return fit;
}

/* What a rewrite is asked for: the copies stand in a folder of their own, and none of them is compiled by the user. */
static bool read_depend(struct kt_depend *out, struct kt_emitted *copies, struct kt_arena *arena, char **extra,
                        struct kt_fuzz_input *input)
{
	const char *source = kt_fuzz_part(arena, input), *emitted = kt_fuzz_part(arena, input), *ignored;
	size_t extra_count = kt_fuzz_lines(extra, EXTRA_MOST, kt_fuzz_part(arena, input));
	bool fit = representable(source) && read_copies(copies, arena, kt_fuzz_part(arena, input));

	*out = (struct kt_depend){.depfile = DEPFILE,
	                          .source = source,
	                          .extra_count = extra_count,
	                          .extra = (const char *const *)extra};
	if (emitted[0] != '\0') {
		out->emitted = emitted;
		out->copies = copies;
		fit = fit && representable(emitted);
	}
	for (size_t i = 0; i < extra_count; i++)
		fit = fit && representable(extra[i]);
	return fit && !leaves(&ignored, arena, out, source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_fuzz_input input = {data, size};
	char *text, *extra[EXTRA_MOST + 1];
	struct kt_emitted copies = {0};
	struct kt_depend depend;
	struct kt_depfile old;
	struct kt_error err;

	if (arena == NULL)
		return 0;
	text = kt_fuzz_part(arena, &input);
	if (kt_depfile_parse(&old, arena, text, strlen(text), &err) != KT_OK)
		goto done;
	check_print(arena, &old);
	if (!read_depend(&depend, &copies, arena, extra, &input))
		goto done;
	depend.phony = size % 2 != 0;
	KT_FUZZ_REQUIRE(kt_fs_write(DEPFILE, text, strlen(text), &err) == KT_OK);
	check_rewrite(arena, &depend, &old);
done:
	kt_arena_free(arena);
	return 0;
}
