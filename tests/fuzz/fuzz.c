#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"

static char folder[256];

void kt_fuzz_broken(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
	abort();
}

char *kt_fuzz_part(struct kt_arena *arena, struct kt_fuzz_input *input)
{
	const uint8_t *end = input->size == 0 ? NULL : memchr(input->at, 1, input->size);
	size_t length = end == NULL ? input->size : (size_t)(end - input->at);
	char *text = kt_arena_strndup(arena, (const char *)input->at, length);

	KT_FUZZ_REQUIRE(text != NULL);
	length += end != NULL;
	input->at += length;
	input->size -= length;
	return text;
}

size_t kt_fuzz_lines(char **lines, size_t most, char *text)
{
	size_t count = 0;

	for (char *at = *text == '\0' ? NULL : text; at != NULL && count < most; count++) {
		char *end = strchr(at, '\n');

		lines[count] = at;
		if (end != NULL)
			*end++ = '\0';
		at = end;
	}
	lines[count] = NULL;
	return count;
}

static void leave_folder(void)
{
	struct kt_error ignored;

	if (chdir("/") == 0 && kt_fs_remove_tree(folder, &ignored) != KT_OK)
		fprintf(stderr, "%s\n", ignored.message);
}

void kt_fuzz_enter_folder(void)
{
	const char *base = getenv("TMPDIR");

	(void)snprintf(folder, sizeof folder, "%s/ktcc-fuzz-XXXXXX", base != NULL ? base : "/tmp");
	KT_FUZZ_REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0);
	KT_FUZZ_REQUIRE(atexit(leave_folder) == 0);
}

void kt_fuzz_environment(char slot[4096], const char *name, const char *value)
{
	(void)snprintf(slot, 4096, "%s=%s", name, value);
	KT_FUZZ_REQUIRE(putenv(slot) == 0);
}
