#include "command_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"

#define WORDS_MOST 64

struct kt_arena *arena;
struct kt_error failure;
char scratch[64];

int set_up(void **state)
{
	(void)state;
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	unsetenv("NVCC_PREPEND_FLAGS");
	unsetenv("NVCC_APPEND_FLAGS");
	return arena == NULL;
}

int tear_down(void **state)
{
	(void)state;
	kt_arena_free(arena);
	return 0;
}

struct kt_command *parse(const char *line)
{
	char *argv[WORDS_MOST], *text = kt_arena_strdup(arena, line);
	struct kt_command *command = NULL;
	int argc = 0;

	for (char *next = text; next != NULL && argc < WORDS_MOST - 1;) {
		char *bar = strchr(next, '|');

		argv[argc++] = next;
		if (bar != NULL)
			*bar = '\0';
		next = bar == NULL ? NULL : bar + 1;
	}
	argv[argc] = NULL;
	assert_int_equal(kt_command_parse(&command, arena, argc, argv, &failure), KT_OK);
	return command;
}

char *join(size_t count, char *const *words)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	char *out;

	for (size_t i = 0; i < count && words[i] != NULL; i++) {
		if (i > 0)
			kt_buf_addc(&text, '|');
		kt_buf_adds(&text, words[i]);
	}
	out = kt_arena_strdup(arena, kt_buf_text(&text));
	kt_buf_free(&text);
	return out;
}

void write_file(const char *name, const char *text)
{
	assert_int_equal(kt_fs_write(name, text, strlen(text), &failure), KT_OK);
}

char *own_clang_words(const struct kt_command *command)
{
	static const char *const nvcc_macros[] = {"-D__CUDA_ARCH_", "-D__NVCC_", "-DCUDA_DOUBLE_"};
	size_t count = 0, kept = 0;
	char **words = kt_command_clang_arguments(arena, &count, command);

	assert_non_null(words);
	assert_null(words[count]);
	for (size_t i = 0; i < count; i++) {
		bool own = true;

		for (size_t k = 0; k < sizeof nvcc_macros / sizeof *nvcc_macros; k++)
			own = own && strncmp(words[i], nvcc_macros[k], strlen(nvcc_macros[k])) != 0;
		if (own)
			words[kept++] = words[i];
	}
	return join(kept, words);
}

int open_scratch(void **state)
{
	(void)state;
	(void)snprintf(scratch, sizeof scratch, "/tmp/ktcc-command-XXXXXX");
	return mkdtemp(scratch) == NULL;
}

int remove_scratch(void)
{
	return chdir("/") != 0 || kt_fs_remove_tree(scratch, &failure) != KT_OK;
}
