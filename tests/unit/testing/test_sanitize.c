/* What is read out of a tool's log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "testing/sanitize.h"

static void check(enum kt_sanitizer tool, const char *log, const char *expected)
{
	struct kt_arena *arena = kt_arena_new(1 << 20);
	const char *report = kt_sanitizer_report(arena, tool, log);

	if (expected == NULL)
		assert_null(report);
	else
		assert_string_equal(report, expected);
	kt_arena_free(arena);
}

static void an_invalid_write(void **state)
{
	(void)state;
	check(KT_MEMCHECK,
	      "========= COMPUTE-SANITIZER\n"
	      "========= Invalid __global__ write of size 4 bytes\n"
	      "=========     at scale(float *, const float *, int)+0x70\n"
	      "=========     by thread (1,0,0) in block (32,0,0)\n"
	      "=========     Access to 0x7f0a4ba00004 is out of bounds\n"
	      "=========     and is 1 bytes after the nearest allocation at 0x7f0a4ba00000 of size 4 bytes\n"
	      "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
	      "=========         Host Frame: cuLaunchKernel [0x1] in libcuda.so.1\n"
	      "========= ERROR SUMMARY: 1 error\n",
	      "memcheck: Invalid __global__ write of size 4 bytes; at scale(float *, const float *, int)+0x70; "
	      "by thread (1,0,0) in block (32,0,0); Access to 0x7f0a4ba00004 is out of bounds");
}

static void the_lines_end_with_the_host(void **state)
{
	(void)state;
	check(KT_RACECHECK,
	      "========= COMPUTE-SANITIZER\n"
	      "========= Error: Race reported between Write access at sum(float *)+0x90\n"
	      "=========     Saved host backtrace up to driver entry point at kernel launch time\n"
	      "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n",
	      "racecheck: Error: Race reported between Write access at sum(float *)+0x90");
}

static void oclgrind_has_no_equals_signs(void **state)
{
	(void)state;
	check(KT_OCLGRIND,
	      "\nInvalid write of size 4 at global memory address 0x2000000004000\n\tKernel: twice\n"
	      "\tEntity: Global(0,0,0) Local(0,0,0) Group(0,0,0)\n\t  store float 1.0\n\tAt line 14 of input.cl:\n",
	      "oclgrind: Invalid write of size 4 at global memory address 0x2000000004000; Kernel: twice; "
	      "Entity: Global(0,0,0) Local(0,0,0) Group(0,0,0); store float 1.0");
}

static void nothing_was_found(void **state)
{
	(void)state;
	check(KT_MEMCHECK, "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", NULL);
	check(KT_RACECHECK,
	      "========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n",
	      NULL);
	check(KT_OCLGRIND, "", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_invalid_write), cmocka_unit_test(the_lines_end_with_the_host),
	    cmocka_unit_test(oclgrind_has_no_equals_signs), cmocka_unit_test(nothing_was_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
