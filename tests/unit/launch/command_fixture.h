/* What the tests of the command model share: command lines in one string, and a folder for files. */
#ifndef KT_TEST_LAUNCH_COMMAND_FIXTURE_H
#define KT_TEST_LAUNCH_COMMAND_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "launch/command.h"
#include "launch/toolkit.h"

extern struct kt_arena *arena; /* of one test */
extern struct kt_error failure;
extern char scratch[64]; /* a folder, between open_scratch and remove_scratch */

/* Around each test: an arena, and no flags in the environment. */
int set_up(void **state);
int tear_down(void **state);
/* Around all tests of a program that writes files: its group's set-up, and behind the group; not 0: it failed. */
int open_scratch(void **state);
int remove_scratch(void);

/* Words separated by '|', so that a word may hold blanks. A line that cannot be read ends the test. */
struct kt_command *parse(const char *line);
/* The same way round; `words` may end early with NULL. */
char *join(size_t count, char *const *words);
/* What clang is given besides the macros that nvcc defines for every command, in order. */
char *own_clang_words(const struct kt_command *command);
void write_file(const char *name, const char *text);

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
