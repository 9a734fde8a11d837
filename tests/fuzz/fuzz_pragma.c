/*
 * libFuzzer target: any bytes as a pragma; what parses must evaluate, print,
 * read back and print again the same. Built with clang and
 * -fsanitize=fuzzer,address,undefined from this file and the sources of
 * ktcc/base; pragma.dict holds the words of the language.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pragma.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *same(const char *name, bool pointer, void *context)
{
	(void)pointer;
	(void)context;
	return name;
}

static bool seven(int64_t *value, const char *name, void *context)
{
	(void)name;
	(void)context;
	*value = 7;
	return true;
}

static void exercise(struct kt_arena *arena, const struct kt_clause_expr *clause)
{
	struct kt_buf once = KT_BUF(KT_LIMIT_SOURCE_BYTES), twice = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error err;
	struct kt_expr *again;
	int64_t value;
	if (clause->expr == NULL)
		return;
	if (kt_expr_eval(&value, clause->expr, seven, NULL, &err) != KT_OK && err.offset > strlen(clause->text))
		abort();
	if (kt_expr_print(&once, clause->expr, same, NULL, &err) != KT_OK)
		abort();
	kt_buf_clear(&once);
	kt_expr_canonical(&once, clause->expr);
	if (kt_expr_parse(&again, arena, kt_buf_text(&once), once.size, &err) == KT_OK) {
		kt_expr_canonical(&twice, again);
		if (strcmp(kt_buf_text(&once), kt_buf_text(&twice)) != 0)
			abort();
	} else if (err.code != KT_ERR_MEMORY) {
		abort();
	}
	kt_buf_free(&once);
	kt_buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_pragma *pragma;
	struct kt_pragma_problem *problems;
	size_t count;
	struct kt_error err;
	/* an exact copy on the heap, so that reading past its end is seen */
	char *text = malloc(size > 0 ? size : 1);
	if (arena == NULL || text == NULL)
		goto done;
	if (size > 0)
		memcpy(text, data, size);
	if (kt_pragma_parse(&pragma, &problems, &count, arena, text, size, &err) != KT_OK)
		goto done;
	for (size_t i = 0; i < count; i++) {
		if (problems[i].offset > size || problems[i].message == NULL)
			abort();
	}
	for (size_t i = 0; i < pragma->buffer_count; i++)
		exercise(arena, &pragma->buffers[i].count);
	for (size_t i = 0; i < pragma->restriction_count; i++)
		exercise(arena, &pragma->restrictions[i]);
	for (size_t i = 0; i < pragma->guard_count; i++)
		exercise(arena, &pragma->guards[i]);
	for (size_t i = 0; i < 3; i++) {
		exercise(arena, &pragma->grid[i]);
		exercise(arena, &pragma->block[i]);
	}
	exercise(arena, &pragma->shared_bytes);
done:
	free(text);
	kt_arena_free(arena);
	return 0;
}
