#include "launch/front.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/proc.h"
#include "launch/options.h"

#define DEFINE "#define "

enum { SECONDS_MOST = 10 };

/* The last -ccbin counts, a program or the folder of one. */
char *kt_front_host(struct kt_arena *arena, const struct kt_command *command)
{
	const char *name = getenv("NVCC_CCBIN");
	char *place;

	for (size_t i = 0; i < command->word_count; i++) {
		const char *value = NULL;

		if (kt_option_find(&value, command->words[i].text) != KT_OPTION_COMPILER_BINDIR)
			continue;
		if (value != NULL || i + 1 < command->word_count)
			name = value != NULL ? value : command->words[i + 1].text;
	}
	if (name == NULL || name[0] == '\0')
		return kt_path_find_program(arena, "gcc");
	place = kt_path_absolute(arena, name, command->directory);
	if (place != NULL && kt_fs_is_dir(place))
		return kt_path_join(arena, place, "gcc");
	return strchr(name, '/') != NULL ? place : kt_path_find_program(arena, name);
}

/* False: no answer in time. */
static bool ask(struct kt_buf *out, struct kt_arena *arena, const struct kt_command *command, char *const *arguments,
                const char *const *more, size_t more_count)
{
	struct kt_proc_options options = {.directory = command->directory, .timeout_s = SECONDS_MOST};
	struct kt_proc_result result = {0};
	struct kt_error err;
	size_t count = 0;
	char **argv;

	while (arguments[count] != NULL)
		count++;
	NEED(argv = kt_arena_array(arena, count + more_count + 1, sizeof *argv), false);
	memcpy(argv, arguments, count * sizeof *argv);
	for (size_t i = 0; i < more_count; i++)
		argv[count + i] = (char *)(uintptr_t)more[i];
	return kt_proc_run(&result, argv, &options, out, out, &err) == KT_OK && !result.timed_out;
}

/*
 * The program and what bears on device code: where a checkout is, and what it defines, does not change what is added to
 * that. NULL: out of memory.
 */
static char **asked_with(struct kt_arena *arena, char *const *arguments)
{
	size_t count = 0, kept = 0;
	char **words;

	while (arguments[count] != NULL)
		count++;
	words = kt_arena_array(arena, count + 1, sizeof *words);
	for (size_t i = 0; words != NULL && i < count; i++) {
		const char *value = NULL;
		const enum kt_option_id id = arguments[i][0] == '-' ? kt_option_find(&value, arguments[i]) : KT_OPTION_COUNT;
		const struct kt_option *option = id != KT_OPTION_COUNT ? kt_option(id) : NULL;
		const bool two = option != NULL && value == NULL && (option->value & KT_VALUE_KIND) != KT_VALUE_NONE &&
		                 i + 1 < count;
		const bool is_kept = i == 0 || (option != NULL && (option->effects & (KT_EFFECT_CODE | KT_EFFECT_ASSEMBLE)) != 0);

		if (is_kept)
			words[kept++] = arguments[i];
		if (is_kept && two)
			words[kept++] = arguments[i + 1];
		i += two;
	}
	return words;
}

/* "#$ PATH=…": where the toolkit and the user's programs are does not change what is added. */
static bool is_setting(const char *line)
{
	const char *at = strncmp(line, "#$ ", 3) == 0 ? line + 3 : line;
	const char *name = at;

	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	return at != name && *at == '=';
}

static bool add_word(struct kt_front *front, struct kt_arena *arena, char *word)
{
	return kt_arena_push_text(arena, &front->words, &front->word_count, word);
}

/* "#define NAME VALUE"; names that a compiler keeps for itself are not given to another one. */
static bool add_definition(struct kt_front *front, struct kt_arena *arena, const char *line, size_t length)
{
	const char *name = line + strlen(DEFINE);
	size_t size, left;

	if (length <= strlen(DEFINE) || *name == '_')
		return true;
	left = length - strlen(DEFINE);
	for (size = 0; size < left && name[size] != ' '; size++)
		;
	return add_word(front, arena,
	                kt_arena_printf(arena, "-D%.*s=%.*s", (int)size, name, size < left ? (int)(left - size - 1) : 0,
	                                name + size + (size < left)));
}

/* Where preprocessed text comes from, by its marks: # LINE "NAME" FLAGS */
enum source { SOURCE_COMMAND, SOURCE_COMPILER, SOURCE_FILE };

/* Reads a mark. A file that begins after a pseudo-file is included by an option: it is added, but not a system's. */
static bool enter(enum source *source, struct kt_front *front, struct kt_arena *arena, const char *line, size_t length)
{
	const char *at = memchr(line, '"', length), *end = line + length, *flags;
	const enum source before = *source;
	struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES);
	bool done = true;

	if (at == NULL)
		return true;
	for (at++; at < end && *at != '"'; at++) {
		at += *at == '\\' && at + 1 < end;
		kt_buf_addc(&name, *at);
	}
	flags = at < end ? at + 1 : end;
	at = kt_buf_text(&name);
	*source = *at != '<'                                            ? SOURCE_FILE
	          : strncmp(at, "<command", strlen("<command")) == 0 ? SOURCE_COMMAND
	                                                             : SOURCE_COMPILER;
	if (*source == SOURCE_FILE && before != SOURCE_FILE && end - flags == 2 && memcmp(flags, " 1", 2) == 0)
		done = add_word(front, arena, kt_arena_strdup(arena, "-include")) &&
		       add_word(front, arena, kt_arena_strdup(arena, at));
	kt_buf_free(&name);
	return done;
}

/* Of each word the last name, should it be a path: where things are is no difference. */
static void hash_words(struct kt_hash *hash, const char *line, size_t length)
{
	for (size_t begin = 0, end; begin < length; begin = end + 1) {
		for (end = begin; end < length && line[end] != ' '; end++)
			if (line[end] == '/')
				begin = end + 1;
		kt_hash_bytes(hash, line + begin, end - begin);
		kt_hash_bytes(hash, " ", 1);
	}
	kt_hash_bytes(hash, "\n", 1);
}

/*
 * What an nvcc would run and which macros are then defined.
 * --keep: without it the commands hold the names of temporary files. No object is asked for: a script may do more
 * then than pass it on.
 */
static void ask_both(struct kt_buf *out, struct kt_arena *arena, const struct kt_command *command,
                     char *const *arguments)
{
	static const char *const would_run[] = {"-dryrun", "--keep", "-ptx", "-x", "cu", "/dev/null", "-o", "/dev/null"};
	static const char *const defined[] = {"-E", "-Xcompiler", "-dD", "-x", "c++", "/dev/null"};

	/* One that hangs would do it again. */
	if (ask(out, arena, command, arguments, would_run, sizeof would_run / sizeof *would_run))
		(void)ask(out, arena, command, arguments, defined, sizeof defined / sizeof *defined);
}

static bool read_said(struct kt_front *out, struct kt_arena *arena, const char *said)
{
	enum source source = SOURCE_COMMAND;
	struct kt_hash hash;
	char mark[KT_HASH_TEXT];
	bool done = true;

	*out = (struct kt_front){0};
	kt_hash_init(&hash);
	for (const char *line = said, *end; done && *line != '\0'; line = end + (*end == '\n')) {
		const size_t length = strcspn(line, "\n");

		end = line + length;
		if (strncmp(line, "# ", 2) == 0) {
			done = enter(&source, out, arena, line, length);
		} else if (strncmp(line, DEFINE, strlen(DEFINE)) == 0) {
			/* What is in a file that is included is read there. */
			if (source != SOURCE_FILE)
				kt_hash_bytes(&hash, line, length + (*end == '\n'));
			done = source != SOURCE_COMMAND || add_definition(out, arena, line, length);
		} else if (source != SOURCE_FILE && !is_setting(line)) {
			hash_words(&hash, line, length);
		}
	}
	kt_hash_final(&hash, mark);
	out->mark = kt_arena_strdup(arena, mark);
	return done && out->mark != NULL;
}

/* The nvcc that a script runs in the end, as it reports; NULL: it reports none, or that is a script as well. */
static char *behind(struct kt_arena *arena, const char *said)
{
	static const char word[] = "#$ _HERE_=";
	const char *here = strstr(said, word);
	char *program;

	if (here == NULL || (here != said && here[-1] != '\n'))
		return NULL;
	here += strlen(word);
	program = kt_arena_printf(arena, "%.*s/nvcc", (int)strcspn(here, "\r\n"), here);
	return kt_fs_is_script(program) ? NULL : program;
}

kt_status kt_front_read(struct kt_front *out, struct kt_arena *arena, const struct kt_command *command,
                        char *const *arguments, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	const bool host = !command->is_clang && kt_fs_is_script(kt_front_host(arena, command));
	struct kt_front itself = {0};
	char **words;
	bool done;

	*out = (struct kt_front){0};
	if (command->is_clang || (!host && !kt_fs_is_script(command->nvcc)))
		return KT_OK;
	NEED(words = asked_with(arena, arguments), kt_fail(err, KT_ERR_MEMORY, "command: out of memory"));
	ask_both(&text, arena, command, words);
	done = read_said(out, arena, kt_buf_text(&text));
	words[0] = done && !host ? behind(arena, kt_buf_text(&text)) : NULL;
	if (words[0] != NULL) {
		kt_buf_clear(&text);
		ask_both(&text, arena, command, words);
		done = read_said(&itself, arena, kt_buf_text(&text));
	}
	kt_buf_free(&text);
	if (!done)
		return kt_fail(err, KT_ERR_MEMORY, "command: out of memory");
	if (itself.mark != NULL && strcmp(itself.mark, out->mark) == 0)
		*out = (struct kt_front){0};
	return KT_OK;
}
