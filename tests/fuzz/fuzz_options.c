/*
 * The options-file reader. Input: the files f0, f1, f2 and f3 of the working
 * directory; the command is "nvcc -c k.cu --options-file f0".
 *
 * Holds: a file means what its words mean where they stand on the command line;
 * files that include themselves or each other come to an end.
 */
#include <string.h>

#include "base/fs.h"
#include "fuzz.h"
#include "launch/command.h"
#include "launch/words.h"

#define FILES 4
#define FILES_MANY 1000 /* close to the reader's ceiling the one file more or less decides */

static const char *const names[FILES] = {"f0", "f1", "f2", "f3"};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	kt_fuzz_enter_folder();
	return 0;
}

static bool same_list(size_t count_a, const char **a, size_t count_b, const char **b)
{
	bool same = count_a == count_b;

	for (size_t i = 0; i < count_a && same; i++)
		same = strcmp(a[i], b[i]) == 0;
	return same;
}

static bool same_text(const char *a, const char *b)
{
	return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static void compare(const struct kt_command *a, const struct kt_command *b)
{
	KT_FUZZ_REQUIRE((a->decline == KT_REASON_NOT_OURS) == (b->decline == KT_REASON_NOT_OURS));
	if (a->decline == KT_REASON_NOT_OURS)
		return;
	/* A file may add a reason, for what must stand on the command line itself, never take one away. */
	KT_FUZZ_REQUIRE(b->decline == KT_REASON_NONE || a->decline == b->decline ||
	                a->decline == KT_REASON_UNKNOWN_OPTION);
	KT_FUZZ_REQUIRE(same_text(a->output, b->output) && same_text(a->standard, b->standard));
	KT_FUZZ_REQUIRE(same_list(a->definition_count, a->definitions, b->definition_count, b->definitions));
	KT_FUZZ_REQUIRE(same_list(a->include_count, a->include_dirs, b->include_count, b->include_dirs));
	KT_FUZZ_REQUIRE(same_list(a->system_include_count, a->system_include_dirs, b->system_include_count,
	                          b->system_include_dirs));
	KT_FUZZ_REQUIRE(
	    same_list(a->quote_include_count, a->quote_include_dirs, b->quote_include_count, b->quote_include_dirs));
	KT_FUZZ_REQUIRE(
	    same_list(a->forced_include_count, a->forced_includes, b->forced_include_count, b->forced_includes));
	KT_FUZZ_REQUIRE(a->pragma_error == b->pragma_error && a->device_debug == b->device_debug &&
	                a->wants_dependencies == b->wants_dependencies && a->gencode_count == b->gencode_count &&
	                a->stage == b->stage && a->input_count == b->input_count);
	for (size_t i = 0; i < a->gencode_count; i++)
		KT_FUZZ_REQUIRE(memcmp(&a->gencodes[i], &b->gencodes[i], sizeof *a->gencodes) == 0);
	KT_FUZZ_REQUIRE(
	    same_list(a->options_file_count - 1, a->options_files + 1, b->options_file_count, b->options_files));
}

static struct kt_command *parse(struct kt_arena *arena, size_t argc, char **argv)
{
	struct kt_command *command = NULL;
	struct kt_error err;
	kt_status status = kt_command_parse(&command, arena, (int)argc, argv, &err);

	KT_FUZZ_REQUIRE(status == KT_OK || status == KT_ERR_MEMORY);
	return status == KT_OK ? command : NULL;
}

/* Only what changed since the last input is written: files are the dear part of a run. */
static void put(size_t index, const char *text)
{
	static char last[FILES][4096];
	static bool written[FILES];
	struct kt_error err;
	size_t length = strlen(text);

	if (written[index] && strcmp(last[index], text) == 0)
		return;
	KT_FUZZ_REQUIRE(kt_fs_write(names[index], text, length, &err) == KT_OK);
	written[index] = length < sizeof last[index];
	if (written[index])
		memcpy(last[index], text, length + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_fuzz_input input = {data, size};
	char *words[] = {"nvcc", "-c", "k.cu", "--options-file", "f0", NULL}, **argv, *texts[FILES];
	struct kt_words list;
	struct kt_command *a, *b = NULL;
	struct kt_error err;

	if (arena == NULL)
		return 0;
	for (size_t i = 0; i < FILES; i++) {
		texts[i] = kt_fuzz_part(arena, &input);
		put(i, texts[i]);
	}
	a = parse(arena, 5, words);
	if (a == NULL || kt_words_options_file(&list, arena, texts[0], strlen(texts[0]), &err) != KT_OK)
		goto done;
	argv = kt_arena_array(arena, list.count + 4, sizeof *argv);
	KT_FUZZ_REQUIRE(argv != NULL);
	memcpy(argv, words, 3 * sizeof *argv);
	if (list.count > 0)
		memcpy(argv + 3, list.items, list.count * sizeof *argv);
	if (a->options_file_count < FILES_MANY)
		b = parse(arena, list.count + 3, argv);
	if (b != NULL)
		compare(a, b);
done:
	kt_arena_free(arena);
	return 0;
}
