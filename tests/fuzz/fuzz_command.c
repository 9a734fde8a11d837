/*
 * The command line. Input: NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS, and the words
 * behind the compiler, one a line.
 *
 * Holds: the words given are left alone; an accepted command has an input, an
 * output and what a depfile needs; the command for an emission, read again,
 * means the same but for the input; so does what a candidate is compiled with;
 * a word quoted for the host compiler reaches it unchanged. The same words are
 * read as clang's, too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "fuzz.h"
#include "launch/command.h"
#include "launch/options.h"
#include "launch/words.h"

#define WORDS_MOST 128

static char prepend_slot[4096], append_slot[4096];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	kt_fuzz_enter_folder();
	KT_FUZZ_REQUIRE(setenv("PATH", "/", 1) == 0 && setenv("KTUNE_PREFIX", "/prefix", 1) == 0);
	return 0;
}

static bool same_text(const char *a, const char *b)
{
	return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

/* The lists agree but for one item of the second, where it first occurs (NULL: none). */
static bool same_list(size_t count_a, const char **a, size_t count_b, const char **b, const char *more)
{
	size_t skipped = 0;

	for (size_t i = 0; i < count_b; i++) {
		if (more != NULL && skipped == 0 && strcmp(b[i], more) == 0)
			skipped = 1;
		else if (i - skipped >= count_a || strcmp(a[i - skipped], b[i]) != 0)
			return false;
	}
	return count_a + skipped == count_b && (skipped == 1) == (more != NULL);
}

static size_t length_of(char *const *argv)
{
	size_t count = 0;

	while (argv[count] != NULL)
		count++;
	return count;
}

static struct kt_command *parse(struct kt_arena *arena, size_t argc, char **argv)
{
	struct kt_command *command = NULL;
	struct kt_error err;
	kt_status status = kt_command_parse(&command, arena, (int)argc, argv, &err);

	/* What fits into one input has room. */
	KT_FUZZ_REQUIRE(status == KT_OK || status == KT_ERR_MEMORY);
	return status == KT_OK ? command : NULL;
}

/* `quote` and `system` are the folders that only b searches, or NULL. */
static void check_meaning(const struct kt_command *a, const struct kt_command *b, const char *quote,
                          const char *system)
{
	KT_FUZZ_REQUIRE(same_list(a->definition_count, a->definitions, b->definition_count, b->definitions, NULL));
	KT_FUZZ_REQUIRE(same_list(a->include_count, a->include_dirs, b->include_count, b->include_dirs, NULL));
	KT_FUZZ_REQUIRE(
	    same_list(a->forced_include_count, a->forced_includes, b->forced_include_count, b->forced_includes, NULL));
	KT_FUZZ_REQUIRE(same_list(a->system_include_count, a->system_include_dirs, b->system_include_count,
	                          b->system_include_dirs, system));
	KT_FUZZ_REQUIRE(same_list(a->quote_include_count, a->quote_include_dirs, b->quote_include_count,
	                          b->quote_include_dirs, quote));
	KT_FUZZ_REQUIRE(same_text(a->standard, b->standard));
}

static void check_emitted(struct kt_arena *arena, const struct kt_command *a, bool keep)
{
	char **argv = kt_command_emitted(arena, a, "e/k.cu", NULL, keep);
	const char *quote;
	struct kt_command *b;

	KT_FUZZ_REQUIRE(argv != NULL);
	b = parse(arena, length_of(argv), argv);
	if (b == NULL)
		return;
	KT_FUZZ_REQUIRE(b->decline == KT_REASON_NONE);
	quote = kt_path_dirname(arena, a->input);
	check_meaning(a, b, quote, "/prefix/include");
	KT_FUZZ_REQUIRE(b->quote_include_count > 0 && strcmp(b->quote_include_dirs[0], quote) == 0);
	KT_FUZZ_REQUIRE(strcmp(b->input, "e/k.cu") == 0);
	KT_FUZZ_REQUIRE(same_text(a->output, b->output) && a->stage == b->stage);
	KT_FUZZ_REQUIRE(a->gencode_count == b->gencode_count && a->arch_native == b->arch_native &&
	                a->arch_all == b->arch_all && a->arch_all_major == b->arch_all_major);
	for (size_t i = 0; i < a->gencode_count; i++)
		KT_FUZZ_REQUIRE(memcmp(&a->gencodes[i], &b->gencodes[i], sizeof *a->gencodes) == 0);
	if (!keep) {
		KT_FUZZ_REQUIRE(!b->wants_dependencies || a->uses_environment_flags);
		return;
	}
	KT_FUZZ_REQUIRE(a->wants_dependencies == b->wants_dependencies &&
	                a->system_dependencies == b->system_dependencies &&
	                a->phony_dependencies == b->phony_dependencies);
	KT_FUZZ_REQUIRE(!a->wants_dependencies || same_text(a->depfile, b->depfile));
	KT_FUZZ_REQUIRE(!a->wants_dependencies || same_list(a->dependency_target_count, a->dependency_targets,
	                                                    b->dependency_target_count, b->dependency_targets, NULL));
}

/*
 * The command with the macros that its options stand for before its own: a candidate has the macros without the
 * options.
 */
static const struct kt_command *with_implied(struct kt_arena *arena, const struct kt_command *a)
{
	struct kt_command *copy = kt_arena_alloc(arena, sizeof *copy);
	const size_t count = a->definition_count + a->implied_count;

	KT_FUZZ_REQUIRE(copy != NULL);
	*copy = *a;
	copy->definitions = kt_arena_array(arena, count + 1, sizeof *copy->definitions);
	KT_FUZZ_REQUIRE(copy->definitions != NULL);
	for (size_t i = 0; i < count; i++)
		copy->definitions[i] = i < a->implied_count ? a->implied[i] : a->definitions[i - a->implied_count];
	copy->definition_count = count;
	return copy;
}

/*
 * What a candidate is compiled with: the macros and includes of the command,
 * and neither its input nor its output. The environment's options are in it.
 */
static void check_candidate(struct kt_arena *arena, const struct kt_command *a)
{
	char **argv = kt_command_code_arguments(arena, a), **words;
	struct kt_command *b;
	size_t count;

	KT_FUZZ_REQUIRE(argv != NULL);
	count = length_of(argv);
	words = kt_arena_array(arena, count + 3, sizeof *words);
	KT_FUZZ_REQUIRE(words != NULL);
	memcpy(words, argv, count * sizeof *words);
	words[count] = kt_arena_strdup(arena, "-c");
	words[count + 1] = kt_arena_strdup(arena, "z.cu");
	/* The environment's options are among them, and it is kept from a candidate's compiler. */
	kt_fuzz_environment(prepend_slot, "NVCC_PREPEND_FLAGS", "");
	kt_fuzz_environment(append_slot, "NVCC_APPEND_FLAGS", "");
	b = parse(arena, count + 2, words);
	if (b == NULL)
		return;
	check_meaning(with_implied(arena, a), b, NULL, NULL);
	KT_FUZZ_REQUIRE(b->stage == KT_STAGE_OBJECT && b->gencode_count == 0 && b->options_file_count == 0);
	KT_FUZZ_REQUIRE(strcmp(b->input, "z.cu") == 0 && !b->has_output && !b->wants_dependencies);
}

static void check_host_item(struct kt_arena *arena, const char *word)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_words list, shell;
	struct kt_error err;

	kt_buf_adds(&text, "-isystem");
	kt_words_add_host_item(&text, word);
	KT_FUZZ_REQUIRE(kt_words_list(&list, arena, kt_buf_text(&text), KT_VALUE_LIST, &err) == KT_OK);
	KT_FUZZ_REQUIRE(!list.malformed && list.count == 2);
	KT_FUZZ_REQUIRE(kt_words_shell(&shell, arena, list.items[1], &err) == KT_OK);
	KT_FUZZ_REQUIRE(!shell.malformed && shell.count == 1 && strcmp(shell.items[0], word) == 0);
	kt_buf_free(&text);
}

static void check(struct kt_arena *arena, const struct kt_command *command)
{
	size_t count;

	KT_FUZZ_REQUIRE(command->input != NULL && command->output != NULL && command->output[0] != '\0');
	KT_FUZZ_REQUIRE(command->input_index > 0 && command->input_index < command->argc);
	KT_FUZZ_REQUIRE(strcmp(command->argv[command->input_index], command->input) == 0);
	KT_FUZZ_REQUIRE(!command->wants_dependencies ||
	                (command->depfile != NULL && command->dependency_target_count == 1));
	KT_FUZZ_REQUIRE(kt_command_clang_arguments(arena, &count, command) != NULL);
	check_emitted(arena, command, true);
	check_emitted(arena, command, false);
	check_candidate(arena, command);
}

/* The same words as clang's: accepted ones lead to commands. */
static void check_clang(struct kt_arena *arena, const struct kt_command *command)
{
	size_t count;

	KT_FUZZ_REQUIRE(command->input != NULL && command->output != NULL && command->gencode_count != 0);
	KT_FUZZ_REQUIRE(kt_command_clang_arguments(arena, &count, command) != NULL);
	KT_FUZZ_REQUIRE(kt_command_code_arguments(arena, command) != NULL);
	KT_FUZZ_REQUIRE(kt_command_emitted(arena, command, "e/k.cu", NULL, true) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_fuzz_input input = {data, size};
	char *argv[WORDS_MOST + 2], *copies[WORDS_MOST + 2];
	struct kt_command *command;
	size_t argc;

	if (arena == NULL)
		return 0;
	kt_fuzz_environment(prepend_slot, "NVCC_PREPEND_FLAGS", kt_fuzz_part(arena, &input));
	kt_fuzz_environment(append_slot, "NVCC_APPEND_FLAGS", kt_fuzz_part(arena, &input));
	argv[0] = kt_arena_strdup(arena, "nvcc");
	argc = 1 + kt_fuzz_lines(argv + 1, WORDS_MOST, kt_fuzz_part(arena, &input));
	for (size_t i = 0; i < argc; i++) {
		copies[i] = kt_arena_strdup(arena, argv[i]);
		check_host_item(arena, argv[i]);
	}
	command = parse(arena, argc, argv);
	for (size_t i = 0; i < argc; i++)
		KT_FUZZ_REQUIRE(strcmp(argv[i], copies[i]) == 0);
	if (command != NULL && command->decline == KT_REASON_NONE)
		check(arena, command);
	argv[0] = kt_arena_strdup(arena, "clang++");
	command = argv[0] != NULL ? parse(arena, argc, argv) : NULL;
	if (command != NULL && command->decline == KT_REASON_NONE)
		check_clang(arena, command);
	kt_arena_free(arena);
	return 0;
}
