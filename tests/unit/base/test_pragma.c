/* The pragma as a whole: its frame, how many of what, mistakes side by side, and hostile text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pragma_fixture.h"

static void empty(void **state)
{
	const struct kt_pragma *p = right("  , \t ,,");
	(void)state;
	assert_null(p->name);
	assert_int_equal(p->generation, KT_AUTO_DEFAULT);
	assert_int_equal(p->problem_count, 0);
	assert_true(p->budget_seconds < 0);
	assert_int_equal(p->budget_trials, -1);
	right("");
}

static void whole_pragma(void **state)
{
	const char *text = " name(silu) problem(rows = 1, 16; d = 64) in(x[rows*2*d]: uniform(-1, 1)), out(y[rows*d])  \n"
			   "scratch(t[d]) inout(z[1]) value(eps = 1e-6f) tune(BLOCK = 64, 128) restriction(BLOCK % 32 == 0)"
			   "guard(aligned(x, 16)) grid(rows) block(BLOCK, 1) smem(BLOCK * 4) auto(vectorize) bind(rows = n)"
			   "tolerance(abs = 1e-3) specialize(d) bytes(rows) flops(0) budget(seconds = 30, trials = 5)";
	const struct kt_pragma *p = right(text);
	(void)state;
	assert_string_equal(p->name, "silu");
	assert_int_equal(p->name_offset, 6);
	assert_int_equal(p->problem_count, 2);
	assert_int_equal(p->buffer_count, 4);
	assert_string_equal(p->buffers[0].name, "x");
	assert_int_equal(p->buffers[0].direction, KT_IN);
	assert_string_equal(p->buffers[0].count.text, "rows*2*d");
	assert_int_equal(strncmp(text + p->buffers[0].count.offset, "rows*2*d]", 9), 0);
	assert_int_equal(p->buffers[0].fill.kind, KT_FILL_UNIFORM);
	assert_int_equal(p->buffers[1].direction, KT_OUT);
	assert_int_equal(p->buffers[2].direction, KT_SCRATCH);
	assert_int_equal(p->buffers[3].direction, KT_INOUT);
	assert_int_equal(p->buffers[3].fill.kind, KT_FILL_DEFAULT);
	assert_int_equal(p->tune_count, 1);
	assert_int_equal(p->restriction_count, 1);
	assert_int_equal(p->guard_count, 1);
	assert_int_equal(p->grid_count, 1);
	assert_int_equal(p->block_count, 2);
	assert_string_equal(p->block[1].text, "1");
	assert_non_null(p->shared_bytes.expr);
	assert_int_equal(p->generation, KT_AUTO_LIST);
	assert_int_equal(p->bind_count, 1);
	assert_int_equal(p->tolerance_count, 1);
	assert_int_equal(p->specialize_count, 1);
	assert_non_null(p->bytes.expr);
	assert_non_null(p->flops.expr);
	assert_true(p->budget_seconds == 30);
	assert_int_equal(p->budget_trials, 5);
}

static void clause_frame(void **state)
{
	(void)state;
	wrong("probelm(rows = 1)", 0, 7, "unknown clause 'probelm'");
	check_hint("did you mean 'problem'?");
	wrong("  restrict(a)", 2, 8, "unknown clause 'restrict'");
	check_hint("did you mean 'restriction'?");
	wrong("inn(x[1])", 0, 3, "unknown clause 'inn'");
	check_hint("did you mean 'in'?");
	wrong("quite_something_else", 0, 20, "unknown clause 'quite_something_else'");
	check_hint("the clauses are listed in docs/pragma.md");
	wrong("grid", 0, 4, "clause 'grid' needs '(' and ')'");
	check_hint("write grid(x, y, z)");
	wrong("tune()", 0, 4, "clause 'tune' is empty");
	check_hint("write tune(BLOCK = 64, 128, 256)");
	wrong("grid(1", 4, 1, "'(' is not closed");
	wrong("grid(a[1) block(2)", 8, 1, "expected ']' before ')'");
	assert_int_equal(parse("grid(a[1) block(2)")->block_count, 1);
	wrong("; name(x)", 0, 1, "expected a clause, found ';'");
	wrong("name(x) )", 8, 1, "expected a clause, found ')'");
	wrong("\x80 name(x)", 0, 1, "expected a clause, found byte 0x80");
}

static void clause_twice(void **state)
{
	static const char *const once[] = {"name(a)", "kernel(a)", "reference(a)",    "problem(a = 1)", "grid(1)",  "block(1)",
	                                   "smem(1)", "auto",            "specialize(off)", "bytes(1)", "flops(1)",
	                                   "budget(trials = 1)"};
	static const char *const often[] = {"in(%c[1])",       "out(%c[1])",          "inout(%c[1])", "scratch(%c[1])",
	                                    "value(%c = 1)",   "tune(%c = 1)",        "guard(%c)",    "restriction(%c)",
	                                    "bind(%c = 1)"};
	(void)state;
	for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
		struct kt_buf text = KT_BUF(1000);
		kt_buf_addf(&text, "%s %s", once[i], once[i]);
		parse(kt_buf_text(&text));
		assert_int_equal(problem_count, 2);
		assert_int_equal(problems[0].offset, strlen(once[i]) + 1);
		assert_non_null(strstr(problems[0].message, "appears twice"));
		check_problem(1, KT_NOTE, 0, 1, "the first is here");
		kt_buf_free(&text);
	}
	for (size_t i = 0; i < sizeof often / sizeof *often; i++) {
		char text[200];
		size_t used = 0;
		for (int j = 0; j < 2; j++) {
			const char *placeholder = strchr(often[i], '%');
			used += (size_t)snprintf(text + used, sizeof text - used, "%.*s%c%s ",
						 (int)(placeholder - often[i]), often[i], 'p' + j, placeholder + 2);
		}
		right(text);
	}
	assert_int_equal(parse("global(1) grid(2)")->grid_count, 1);
	check_problem(0, KT_ERROR, 10, 4, "clause 'grid' appears twice");
	parse("block(1) local(2)");
	check_problem(0, KT_ERROR, 9, 5, "clause 'block' appears twice");
}

static void comments_and_blanks(void **state)
{
	const struct kt_pragma *p = right("name(a) /* grid(1) */ block(64 /* x */ * 2) // smem(1)");
	(void)state;
	assert_int_equal(p->grid_count, 0);
	assert_int_equal(p->block[0].offset, 28);
	assert_string_equal(p->block[0].text, "64         * 2");
	assert_null(p->shared_bytes.expr);
	assert_string_equal(right("bind(n = f(\"/*)\", ')'))")->binds[0].text, "f(\"/*)\", ')')");
	wrong("name(a) /* oops", 8, 2, "comment is not closed");
	wrong("name(a) /*/", 8, 2, "comment is not closed");
}

static void ceilings(void **state)
{
	static const struct {
		const char *format;
		size_t limit;
		const char *message;
	} rows[] = {{"tune(a%zu = 1) ", KT_PARAMETERS, "more than 64 tunable parameters"},
	            {"in(a%zu[1]) ", KT_CLAUSE_ITEMS, "more than 256 buffers"},
	            {"value(a%zu = 1) ", KT_CLAUSE_ITEMS, "more than 256 values"},
	            {"guard(a%zu) ", KT_CLAUSE_ITEMS, "more than 256 guards"},
	            {"restriction(a%zu) ", KT_CLAUSE_ITEMS, "more than 256 restrictions"},
	            {"bind(a%zu = 1) ", KT_CLAUSE_ITEMS, "more than 256 bindings"},
	            {"tolerance(a%zu: abs = 1) ", KT_CLAUSE_ITEMS, "more than 256 tolerances"}};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
		for (size_t j = 0; j < rows[i].limit; j++)
			kt_buf_addf(&text, rows[i].format, j);
		right(kt_buf_text(&text));
		kt_buf_addf(&text, rows[i].format, rows[i].limit);
		parse(kt_buf_text(&text));
		assert_int_equal(problem_count, 1);
		assert_string_equal(problems[0].message, rows[i].message);
		kt_buf_free(&text);
	}
}

static void mistakes_stay_apart(void **state)
{
	const struct kt_pragma *p = parse("grid(1 +) block(64) tune(A = ) probelm(x) tune(B = 1, 2)");
	(void)state;
	assert_int_equal(problem_count, 3);
	assert_int_equal(problems[0].offset, 8);
	assert_int_equal(problems[1].offset, 28);
	assert_int_equal(problems[2].offset, 31);
	assert_int_equal(p->grid_count, 0);
	assert_int_equal(p->block_count, 1);
	assert_int_equal(p->tune_count, 1);
	assert_string_equal(p->tunes[0].name, "B");
}

static void mistakes_in_order(void **state)
{
	(void)state;
	parse("bind(q = 1) problem(d = 1) grid() tune(d = 1)");
	assert_int_equal(problem_count, 4);
	check_problem(0, KT_ERROR, 5, 1, "'q' is no problem variable");
	check_problem(1, KT_ERROR, 27, 4, "clause 'grid' is empty");
	check_problem(2, KT_ERROR, 39, 1, "'d' is a problem variable and a tunable parameter");
	check_problem(3, KT_NOTE, 20, 1, "the first is here");
}

static void garbage(void **state)
{
	const size_t size = (size_t)1 << 20;
	char *text = malloc(size + 2);
	static const char *const fills[] = {"(", ")", "[({", "a", "a ", ";", "\"", "'", "\xff", "tune(A=1..9)", "/*", ",",
	                                    "in(x[", "problem(", "1+", "tune(A=", "auto ", "guard(1)", "bind(a=b,"};
	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
		struct kt_arena *own = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_error err = {0};
		struct kt_pragma *pragma = NULL;
		const size_t length = strlen(fills[i]);
		for (size_t at = 0; at < size; at++)
			text[at] = fills[i][at % length];
		assert_int_equal(kt_pragma_parse(&pragma, &problems, &problem_count, own, text, size, NULL, &err), KT_OK);
		assert_true(problem_count <= KT_PRAGMA_PROBLEMS);
		assert_true((problem_count > 0) == (strcmp(fills[i], ",") != 0));
		for (size_t j = 0; j < problem_count; j++)
			assert_true(problems[j].offset <= size);
		kt_arena_free(own);
	}
	struct kt_error err = {0};
	struct kt_pragma *pragma = NULL;
	memset(text, ' ', size + 1);
	assert_int_equal(kt_pragma_parse(&pragma, &problems, &problem_count, arena, text, size + 1, NULL, &err), KT_OK);
	check_problem(0, KT_ERROR, 0, 1, "pragma is longer than 1048576 bytes");
	free(text);
}

static void bytes_of_zero(void **state)
{
	struct kt_error err = {0};
	struct kt_pragma *pragma = NULL;
	(void)state;
	assert_int_equal(kt_pragma_parse(&pragma, &problems, &problem_count, arena, "name(a\0) grid(1)", 16, NULL, &err), KT_OK);
	check_problem(0, KT_ERROR, 6, 1, "unexpected byte 0x00");
	assert_int_equal(pragma->grid_count, 1);
}

static void out_of_memory(void **state)
{
	static const char text[] =
	    "problem((a, b) = (1, 2); c = 1..9) in(x[a]: iota) out(y[b]) tune(B = 1, 2, 2) bind(a = n)"
	    " guard(aligned(x, 16)) tolerance(y: abs = 1) auto(unroll) specialize(a) value(e = 1f) oops(";
	size_t failed = 0;
	(void)state;
	for (size_t ceiling = 0; ceiling < 80000; ceiling = ceiling < 8192 ? ceiling + 32 : ceiling + 4096) {
		struct kt_arena *small = kt_arena_new(ceiling);
		struct kt_error err = {0};
		struct kt_pragma *pragma = NULL;
		const kt_status status =
		    kt_pragma_parse(&pragma, &problems, &problem_count, small, text, sizeof text - 1, NULL, &err);
		assert_true(status == KT_OK || status == KT_ERR_MEMORY);
		if (status == KT_ERR_MEMORY) {
			assert_null(pragma);
			failed++;
		}
		kt_arena_free(small);
	}
	assert_true(failed > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(empty), TEST(whole_pragma), TEST(clause_frame), TEST(clause_twice), TEST(comments_and_blanks),
	    TEST(ceilings), TEST(mistakes_stay_apart), TEST(mistakes_in_order), TEST(garbage), TEST(bytes_of_zero),
	    cmocka_unit_test(out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
