/* What the tests of the pragma language share: a text that is right, or wrong in one place. */
#ifndef KT_TEST_BASE_PRAGMA_FIXTURE_H
#define KT_TEST_BASE_PRAGMA_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/pragma.h"

extern struct kt_arena *arena; /* of one test */
/* What the last text has against it. */
extern struct kt_pragma_problem *problems;
extern size_t problem_count;

int set_up(void **state);
int tear_down(void **state);

/* Whatever the text is. */
struct kt_pragma *parse(const char *text);
/* A text without a mistake. */
struct kt_pragma *right(const char *text);
/* Exactly one mistake. */
struct kt_pragma *wrong(const char *text, unsigned offset, unsigned length, const char *message);
void check_problem(size_t index, enum kt_severity severity, unsigned offset, unsigned length, const char *message);
/* Of the first problem. */
void check_hint(const char *hint);
/* The values with blanks between them. */
void check_values(const int64_t *values, size_t count, const char *expected);

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
