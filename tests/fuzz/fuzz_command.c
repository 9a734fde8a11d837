/*
 * libFuzzer: the command line, NVCC_APPEND_FLAGS and the options file. The
 * input's first part, up to a '\1', is the options file; the second the
 * environment; the rest are the words, each ended by '\0' or a line end.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "launch/command.h"

#define WORDS_MOST 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *part(struct kt_arena *arena, const uint8_t **data, size_t *size)
{
	const uint8_t *end = memchr(*data, 1, *size);
	size_t length = end == NULL ? 0 : (size_t)(end - *data);
	char *text = kt_arena_strndup(arena, (const char *)*data, length);

	if (end != NULL) {
		*data += length + 1;
		*size -= length + 1;
	}
	return text;
}

static void check(struct kt_arena *arena, const struct kt_command *command)
{
	size_t count;

	if (command->decline != KT_REASON_NONE)
		return;
	if (command->input == NULL || command->output == NULL || command->input_index == 0 ||
	    strcmp(command->argv[command->input_index], command->input) != 0)
		abort();
	if (command->wants_dependencies && (command->depfile == NULL || command->dependency_target_count != 1))
		abort();
	if (kt_command_code_arguments(arena, command) == NULL ||
	    kt_command_clang_arguments(arena, &count, command) == NULL ||
	    kt_command_emitted(arena, command, "e/k.cu", true) == NULL ||
	    kt_command_emitted(arena, command, "e/k.cu", false) == NULL)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char options[] = "/tmp/ktcc-fuzz-options";
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_command *command;
	struct kt_error error;
	char *argv[WORDS_MOST] = {"nvcc"}, *text, *file, *environment;
	int argc = 1;

	if (arena == NULL)
		return 0;
	file = part(arena, &data, &size);
	environment = part(arena, &data, &size);
	text = kt_arena_strndup(arena, (const char *)data, size);
	if (file == NULL || environment == NULL || text == NULL)
		abort();
	if (file[0] != '\0' && kt_fs_write(options, file, strlen(file), &error) == KT_OK) {
		argv[argc++] = "-optf";
		argv[argc++] = (char *)(uintptr_t)options;
	}
	setenv("NVCC_APPEND_FLAGS", environment, 1);
	for (char *at = text; at <= text + strlen(text) && argc < WORDS_MOST - 1;) {
		size_t length = strcspn(at, "\n");
		char ended = at[length];

		at[length] = '\0';
		argv[argc++] = at;
		at += length + 1;
		if (ended == '\0')
			break;
	}
	if (kt_command_parse(&command, arena, argc, argv, &error) == KT_OK)
		check(arena, command);
	kt_arena_free(arena);
	return 0;
}
