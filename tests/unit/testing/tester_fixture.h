/* What the tests of the client share: y = scale(x), two problems, the real ktcc-runner with a synthetic recording. */
#ifndef KT_TEST_TESTING_TESTER_FIXTURE_H
#define KT_TEST_TESTING_TESTER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "testing/testing.h"

struct fixture {
	struct kt_arena *arena;
	struct kt_error err;
	struct kt_config config;
	struct kt_region region;
	struct kt_instance instance;
	struct kt_template template_;
	char *folder; /* the installed prefix, and whatever a test writes */
};

/* *state becomes a struct fixture. */
int set_up(void **state);
int tear_down(void **state);
/* Failures end the test. */
struct kt_clause_expr clause(struct fixture *f, const char *text);
struct kt_tester *open_region(struct fixture *f);
/* BLOCK=`block`, a search's way and with these checks. */
struct kt_outcome try_block(struct fixture *f, struct kt_tester *t, int64_t block);
struct kt_outcome try_checks(struct fixture *f, struct kt_tester *t, int64_t block, enum kt_checks checks);

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
