#include "launch/front.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/proc.h"
#include "launch/options.h"

enum { SECONDS_MOST = 30 };

static bool is_script(const char *path)
{
	char start[2];
	bool script = false;
	int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		script = read(fd, start, sizeof start) == (ssize_t)sizeof start && memcmp(start, "#!", sizeof start) == 0;
		close(fd);
	}
	return script;
}

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

static bool ask(struct kt_buf *out, struct kt_arena *arena, const struct kt_command *command, char *const *arguments,
                const char *const *more, size_t more_count)
{
	struct kt_proc_options options = {.directory = command->directory, .timeout_s = SECONDS_MOST};
	struct kt_proc_result result;
	struct kt_error err;
	size_t count = 0;
	char **argv;

	while (arguments[count] != NULL)
		count++;
	argv = kt_arena_array(arena, count + more_count + 1, sizeof *argv);
	if (argv == NULL)
		return false;
	memcpy(argv, arguments, count * sizeof *argv);
	for (size_t i = 0; i < more_count; i++)
		argv[count + i] = (char *)(uintptr_t)more[i];
	return kt_proc_run(&result, argv, &options, out, out, &err) == KT_OK;
}

/* "#$ PATH=…": where the toolkit and the user's programs are says nothing of what is added. */
static bool is_setting(const char *line)
{
	const char *at = strncmp(line, "#$ ", 3) == 0 ? line + 3 : line;
	const char *name = at;

	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	return at != name && *at == '=';
}

/* "#define NAME VALUE" of the compiler's list; names that it keeps for itself are not given to another one. */
static bool add_definition(struct kt_front *front, struct kt_arena *arena, const char *line, size_t length)
{
	static const char word[] = "#define ";
	const char *name = line + strlen(word);
	size_t size, left;
	char **slot;

	if (length <= strlen(word) || strncmp(line, word, strlen(word)) != 0 || *name == '_')
		return true;
	left = length - strlen(word);
	for (size = 0; size < left && name[size] != ' '; size++)
		;
	slot = kt_arena_push(arena, &front->definitions, &front->definition_count, sizeof *slot);
	if (slot == NULL)
		return false;
	*slot = kt_arena_printf(arena, "-D%.*s=%.*s", (int)size, name, size < left ? (int)(left - size - 1) : 0,
	                        name + size + (size < left));
	return *slot != NULL;
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
	static const char *const defined[] = {"-E", "-Xcompiler", "-dM", "-x", "c++", "/dev/null"};

	(void)ask(out, arena, command, arguments, would_run, sizeof would_run / sizeof *would_run);
	(void)ask(out, arena, command, arguments, defined, sizeof defined / sizeof *defined);
}

static bool read_said(struct kt_front *out, struct kt_arena *arena, const char *said)
{
	struct kt_hash hash;
	char mark[KT_HASH_TEXT];
	bool done = true;

	*out = (struct kt_front){0};
	kt_hash_init(&hash);
	for (const char *line = said, *end; done && *line != '\0'; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		if (is_setting(line))
			continue;
		kt_hash_bytes(&hash, line, (size_t)(end - line));
		kt_hash_bytes(&hash, "\n", 1);
		done = add_definition(out, arena, line, (size_t)(end - line));
	}
	kt_hash_final(&hash, mark);
	out->mark = kt_arena_strdup(arena, mark);
	return done && out->mark != NULL;
}

/* The nvcc that a script runs in the end, by its own word; NULL: it says none, or that is a script as well. */
static char *behind(struct kt_arena *arena, const char *said)
{
	static const char word[] = "#$ _HERE_=";
	const char *here = strstr(said, word);
	char *program;

	if (here == NULL || (here != said && here[-1] != '\n'))
		return NULL;
	here += strlen(word);
	program = kt_arena_printf(arena, "%.*s/nvcc", (int)strcspn(here, "\r\n"), here);
	return is_script(program) ? NULL : program;
}

kt_status kt_front_read(struct kt_front *out, struct kt_arena *arena, const struct kt_command *command,
                        char *const *arguments, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	const bool host = !command->is_clang && is_script(kt_front_host(arena, command));
	struct kt_front itself = {0};
	size_t count = 0;
	char **others;
	bool done;

	*out = (struct kt_front){0};
	if (command->is_clang || (!host && !is_script(command->nvcc)))
		return KT_OK;
	while (arguments[count] != NULL)
		count++;
	others = kt_arena_array(arena, count + 1, sizeof *others);
	if (others == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "command: out of memory");
	memcpy(others, arguments, count * sizeof *others);
	ask_both(&text, arena, command, arguments);
	done = read_said(out, arena, kt_buf_text(&text));
	others[0] = done && !host ? behind(arena, kt_buf_text(&text)) : NULL;
	if (others[0] != NULL) {
		kt_buf_clear(&text);
		ask_both(&text, arena, command, others);
		done = read_said(&itself, arena, kt_buf_text(&text));
	}
	kt_buf_free(&text);
	if (!done)
		return kt_fail(err, KT_ERR_MEMORY, "command: out of memory");
	if (itself.mark != NULL && strcmp(itself.mark, out->mark) == 0)
		*out = (struct kt_front){0};
	return KT_OK;
}
