#include "pragma_fixture.h"

#include <string.h>

struct kt_arena *arena;
struct kt_pragma_problem *problems;
size_t problem_count;

int set_up(void **state)
{
	(void)state;
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	return arena == NULL;
}

int tear_down(void **state)
{
	(void)state;
	kt_arena_free(arena);
	return 0;
}

struct kt_pragma *parse(const char *text)
{
	struct kt_error err = {0};
	struct kt_pragma *pragma = NULL;
	assert_int_equal(kt_pragma_parse(&pragma, &problems, &problem_count, arena, text, strlen(text), NULL, &err), KT_OK);
	assert_non_null(pragma);
	return pragma;
}

struct kt_pragma *right(const char *text)
{
	struct kt_pragma *pragma = parse(text);
	if (problem_count > 0)
		fail_msg("'%s': %u: %s", text, problems[0].offset, problems[0].message);
	return pragma;
}

void check_problem(size_t index, enum kt_severity severity, unsigned offset, unsigned length, const char *message)
{
	assert_true(index < problem_count);
	assert_string_equal(problems[index].message, message);
	assert_int_equal(problems[index].severity, severity);
	assert_int_equal(problems[index].offset, offset);
	assert_int_equal(problems[index].length, length);
}

struct kt_pragma *wrong(const char *text, unsigned offset, unsigned length, const char *message)
{
	struct kt_pragma *pragma = parse(text);
	if (problem_count == 0)
		fail_msg("'%s' has no mistake", text);
	check_problem(0, KT_ERROR, offset, length, message);
	if (problem_count > 1)
		fail_msg("'%s': also %u: %s", text, problems[1].offset, problems[1].message);
	return pragma;
}

void check_hint(const char *hint)
{
	assert_non_null(problems[0].hint);
	assert_string_equal(problems[0].hint, hint);
}

void check_values(const int64_t *values, size_t count, const char *expected)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	for (size_t i = 0; i < count; i++)
		kt_buf_addf(&text, "%s%lld", i > 0 ? " " : "", (long long)values[i]);
	assert_string_equal(kt_buf_text(&text), expected);
	kt_buf_free(&text);
}
