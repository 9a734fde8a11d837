#include "launch/command.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "launch/macros.h"
#include "launch/toolkit.h"
#include "launch/words.h"

static bool add(struct kt_arena *arena, char ***words, size_t *count, const char *word)
{
	return word != NULL && kt_arena_push_text(arena, words, count, kt_arena_strdup(arena, word));
}

/* The terminating NULL, not counted. */
static char **finish(struct kt_arena *arena, char **words, size_t count)
{
	char **slot = kt_arena_push(arena, &words, &count, sizeof *slot);

	NEED(slot, NULL);
	*slot = NULL;
	return words;
}

/* "-Xcompiler=FLAG,"DIRECTORY"", as exactly one argument of the host compiler. */
static char *host_directory(struct kt_arena *arena, const char *flag, const char *directory)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	char *word = NULL;

	kt_buf_adds(&text, "-Xcompiler=");
	kt_buf_adds(&text, flag);
	kt_words_add_host_item(&text, directory);
	if (!text.failed)
		word = kt_arena_strdup(arena, kt_buf_text(&text));
	kt_buf_free(&text);
	return word;
}

static bool add_pairs(struct kt_arena *arena, char ***words, size_t *count, const char *flag, size_t item_count,
                      const char *const *items)
{
	for (size_t i = 0; i < item_count; i++)
		if (!add(arena, words, count, flag) || !add(arena, words, count, items[i]))
			return false;
	return true;
}

/* ktune.h. Every host compiler searches /usr/include, last: -isystem would bring it in front of the C++ library's. */
static bool add_include(struct kt_arena *arena, char ***words, size_t *count, bool is_clang)
{
	char *include = kt_install_path(arena, "include");

	if (include == NULL || strcmp(include, "/usr/include") == 0)
		return include != NULL;
	if (is_clang)
		return add(arena, words, count, "-isystem") && add(arena, words, count, include);
	/* nvcc's own -isystem knows no quoting for these. */
	return add(arena, words, count,
	           strpbrk(include, ",\"\\") == NULL ? kt_arena_printf(arena, "-isystem=%s", include)
	                                             : host_directory(arena, "-isystem", include));
}

static bool add_directories(struct kt_arena *arena, char ***words, size_t *count, const struct kt_command *command,
                            const struct kt_emitted *emission)
{
	/* As given, not absolute: the depfile and __FILE__ name headers as they would without ktcc. */
	const char *directory = kt_path_dirname(arena, command->input);
	const char *const *folders = emission != NULL ? emission->folders : &directory;

	if (directory == NULL)
		return false;
	if (command->is_clang)
		return add_pairs(arena, words, count, "-iquote", emission != NULL ? emission->folder_count : 1, folders) &&
		       add_include(arena, words, count, true) &&
		       (command->pragma_error || add(arena, words, count, "-Wno-unknown-pragmas"));
	for (size_t i = 0; i < (emission != NULL ? emission->folder_count : 1); i++)
		if (!add(arena, words, count, host_directory(arena, "-iquote", folders[i])))
			return false;
	/* ktune.h, and what nvcc counts as the source's own in front of the first line. */
	if (command->coverage &&
	    !add(arena, words, count,
	         host_directory(arena, command->pragma_error ? "-Werror=unknown-pragmas" : "-Wno-unknown-pragmas",
	                        "-fprofile-exclude-files=(/ktune/ktune[.]h|[.]ktune/(up/)*[^/]*)$")))
		return false;
	return add_include(arena, words, count, false) &&
	       (command->pragma_error || add(arena, words, count, "-Xcompiler=-Wno-unknown-pragmas"));
}

/* The depfile's name and target follow from names that change with the input: name them. */
static bool add_dependency_names(struct kt_arena *arena, char ***words, size_t *count,
                                 const struct kt_command *command)
{
	if (!command->depfile_given &&
	    !(add(arena, words, count, "-MF") && add(arena, words, count, command->depfile)))
		return false;
	return command->target_given ||
	       (add(arena, words, count, "-MT") && add(arena, words, count, command->dependency_name));
}

static bool add_each(struct kt_arena *arena, char ***words, size_t *count, size_t item_count, const char *const *items)
{
	for (size_t i = 0; i < item_count; i++)
		if (!add(arena, words, count, items[i]))
			return false;
	return true;
}

/* What a candidate's compilation leaves out: it has its own input, mode, names and target. */
#define NOT_FOR_CANDIDATES                                                                                             \
	(KT_EFFECT_STAGE | KT_EFFECT_OBJECT | KT_EFFECT_SOURCE | KT_EFFECT_RESULT | KT_EFFECT_DEPENDENCY |             \
	 KT_EFFECT_TARGET | KT_EFFECT_RELOCATION | KT_EFFECT_SELECTION | KT_EFFECT_LINKING | KT_EFFECT_SPEED)

/* What nvcc would be given for a command of clang's: it makes the region key. */
static char **code_arguments_of_clang(struct kt_arena *arena, const struct kt_command *command)
{
	char *toolkit = kt_toolkit_root(arena, command, false), **words = NULL;
	size_t count = 0;

	if (!add(arena, &words, &count, toolkit != NULL ? kt_path_join(arena, toolkit, "bin/nvcc") : "nvcc"))
		return NULL;
	for (size_t i = 0; i < command->quote_include_count; i++)
		if (!add(arena, &words, &count, host_directory(arena, "-iquote", command->quote_include_dirs[i])))
			return NULL;
	if (!add_pairs(arena, &words, &count, "-I", command->include_count, command->include_dirs) ||
	    !add_pairs(arena, &words, &count, "-isystem", command->system_include_count, command->system_include_dirs) ||
	    !add_each(arena, &words, &count, command->definition_count, command->definitions) ||
	    !add_pairs(arena, &words, &count, "-include", command->forced_include_count, command->forced_includes))
		return NULL;
	if (command->standard != NULL && !add(arena, &words, &count, kt_arena_printf(arena, "-std=%s", command->standard)))
		return NULL;
	return finish(arena, words, count);
}

char **kt_command_code_arguments(struct kt_arena *arena, const struct kt_command *command)
{
	char **words = NULL;
	size_t count = 0;

	if (command->is_clang)
		return code_arguments_of_clang(arena, command);
	if (!add(arena, &words, &count, command->argv[command->compiler_words - 1]))
		return NULL;
	/* Relocatable code is left out, but not what it makes the source to be. */
	if (!add_each(arena, &words, &count, command->implied_count, command->implied))
		return NULL;
	for (size_t i = 0; i < command->word_count; i++) {
		unsigned effects = command->words[i].effects;

		/* Of the rest, options that only make messages, or errors of warnings, are of no use either. */
		if (effects & NOT_FOR_CANDIDATES || effects == KT_EFFECT_MESSAGE)
			continue;
		if (!add(arena, &words, &count, command->words[i].text))
			return NULL;
	}
	return finish(arena, words, count);
}

static bool leave_out(unsigned effects, bool keep_dependencies)
{
	return (effects & KT_EFFECT_DEPENDENCY) != 0 && !keep_dependencies;
}

static bool add_words(struct kt_arena *arena, char ***words, size_t *count, const struct kt_command *command,
                      const char *emitted, bool keep_dependencies)
{
	for (size_t i = command->compiler_words; i < command->argc; i++)
		if (!leave_out(command->word_effects[i], keep_dependencies) &&
		    !add(arena, words, count, i == command->input_index ? emitted : command->argv[i]))
			return false;
	return true;
}

/* The same with the words of options files in their places; the environment adds its own again. */
static bool add_expanded(struct kt_arena *arena, char ***words, size_t *count, const struct kt_command *command,
                         const char *emitted, bool keep_dependencies)
{
	for (size_t i = 0; i < command->word_count; i++) {
		const struct kt_word *word = &command->words[i];

		if (!word->environment && !leave_out(word->effects, keep_dependencies) &&
		    !add(arena, words, count, word->text == command->input ? emitted : word->text))
			return false;
	}
	return true;
}

char **kt_command_emitted(struct kt_arena *arena, const struct kt_command *command, const char *emitted,
                          const struct kt_emitted *emission, bool keep_dependencies)
{
	char **words = NULL;
	size_t count = 0;

	for (size_t i = 0; i < command->compiler_words; i++)
		if (!add(arena, &words, &count, command->argv[i]))
			return NULL;
	if (!add_directories(arena, &words, &count, command, emission))
		return NULL;
	if (!(command->expands ? add_expanded : add_words)(arena, &words, &count, command, emitted, keep_dependencies))
		return NULL;
	if (!command->has_output && !(add(arena, &words, &count, "-o") && add(arena, &words, &count, command->output)))
		return NULL;
	if (keep_dependencies && command->wants_dependencies &&
	    !add_dependency_names(arena, &words, &count, command))
		return NULL;
	return finish(arena, words, count);
}

/* nvcc's name of a dialect, and clang's (16 knows C++23 by its draft name only). */
static const char *const dialects[][2] = {
    {"c++03", "-std=c++03"}, {"c++11", "-std=c++11"}, {"c++14", "-std=c++14"}, {"c++17", "-std=c++17"},
    {"c++20", "-std=c++20"}, {"c++23", "-std=c++2b"}, {"c++26", "-std=c++2c"},
};

static const char *dialect(const char *name)
{
	for (size_t i = 0; name != NULL && i < sizeof dialects / sizeof *dialects; i++)
		if (strcmp(dialects[i][0], name) == 0)
			return dialects[i][1];
	return "-std=c++17";
}

char **kt_command_clang_arguments(struct kt_arena *arena, size_t *count, const struct kt_command *command)
{
	char **words = NULL;
	size_t n = 0;

	if (!add(arena, &words, &n, dialect(command->standard)) ||
	    (!command->is_clang && !kt_macros_of_target(arena, &words, &n, command)) ||
	    !add_each(arena, &words, &n, command->implied_count, command->implied) ||
	    !add_each(arena, &words, &n, command->host_argument_count, command->host_arguments) ||
	    !add_pairs(arena, &words, &n, "-iquote", command->quote_include_count, command->quote_include_dirs) ||
	    !add_pairs(arena, &words, &n, "-I", command->include_count, command->include_dirs) ||
	    !add_pairs(arena, &words, &n, "-isystem", command->system_include_count, command->system_include_dirs))
		return NULL;
	if (!add_each(arena, &words, &n, command->definition_count, command->definitions) ||
	    !add_pairs(arena, &words, &n, "-include", command->forced_include_count, command->forced_includes))
		return NULL;
	*count = n;
	return finish(arena, words, n);
}
