/* The pragma language: every clause, right and wrong, and hostile text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pragma.h"

static struct kt_arena *arena;
static struct kt_pragma_problem *problems;
static size_t problem_count;

static int set_up(void **state)
{
	(void)state;
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	return arena == NULL;
}

static int tear_down(void **state)
{
	(void)state;
	kt_arena_free(arena);
	return 0;
}

static struct kt_pragma *parse(const char *text)
{
	struct kt_error err = {0};
	struct kt_pragma *pragma = NULL;
	assert_int_equal(kt_pragma_parse(&pragma, &problems, &problem_count, arena, text, strlen(text), &err), KT_OK);
	assert_non_null(pragma);
	return pragma;
}

static struct kt_pragma *right(const char *text)
{
	struct kt_pragma *pragma = parse(text);
	if (problem_count > 0)
		fail_msg("'%s': %u: %s", text, problems[0].offset, problems[0].message);
	return pragma;
}

static void check_problem(size_t index, enum kt_severity severity, unsigned offset, unsigned length,
                          const char *message)
{
	assert_true(index < problem_count);
	assert_string_equal(problems[index].message, message);
	assert_int_equal(problems[index].severity, severity);
	assert_int_equal(problems[index].offset, offset);
	assert_int_equal(problems[index].length, length);
}

/* Exactly one mistake. */
static struct kt_pragma *wrong(const char *text, unsigned offset, unsigned length, const char *message)
{
	struct kt_pragma *pragma = parse(text);
	if (problem_count == 0)
		fail_msg("'%s' has no mistake", text);
	check_problem(0, KT_ERROR, offset, length, message);
	if (problem_count > 1)
		fail_msg("'%s': also %u: %s", text, problems[1].offset, problems[1].message);
	return pragma;
}

static void check_hint(const char *hint)
{
	assert_non_null(problems[0].hint);
	assert_string_equal(problems[0].hint, hint);
}

static void check_values(const int64_t *values, size_t count, const char *expected)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	for (size_t i = 0; i < count; i++)
		kt_buf_addf(&text, "%s%lld", i > 0 ? " " : "", (long long)values[i]);
	assert_string_equal(kt_buf_text(&text), expected);
	kt_buf_free(&text);
}

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

static void reference(void **state)
{
	(void)state;
	wrong("reference(1)", 10, 1, "expected the name of a host function");
	wrong("reference(a b)", 12, 1, "unexpected 'b'");
	assert_string_equal(right("name(a) reference(b)")->reference, "b");
	assert_null(right("name(a)")->reference);
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
	static const char *const once[] = {"name(a)",    "reference(a)",    "problem(a = 1)", "grid(1)",  "block(1)", "smem(1)",
	                                   "auto",       "specialize(off)", "bytes(1)", "flops(1)", "budget(trials = 1)"};
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
		assert_non_null(strstr(problems[0].message, "stands twice"));
		check_problem(1, KT_NOTE, 0, 1, "the first stands here");
		kt_buf_free(&text);
	}
	for (size_t i = 0; i < sizeof often / sizeof *often; i++) {
		char text[200];
		size_t used = 0;
		for (int j = 0; j < 2; j++) {
			const char *hole = strchr(often[i], '%');
			used += (size_t)snprintf(text + used, sizeof text - used, "%.*s%c%s ", (int)(hole - often[i]), often[i],
			                         'p' + j, hole + 2);
		}
		right(text);
	}
	assert_int_equal(parse("global(1) grid(2)")->grid_count, 1);
	check_problem(0, KT_ERROR, 10, 4, "clause 'grid' stands twice");
	parse("block(1) local(2)");
	check_problem(0, KT_ERROR, 9, 5, "clause 'block' stands twice");
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

static void name_clause(void **state)
{
	(void)state;
	assert_string_equal(right("name( a_1 )")->name, "a_1");
	assert_null(wrong("name(a-b)", 6, 1, "unexpected '-'")->name);
	wrong("name(1a)", 5, 2, "expected the name of a region");
	wrong("name(../../etc)", 5, 1, "expected the name of a region");
	wrong("name(min)", 5, 3, "'min' is a word of the expression language, not the name of a region");
	struct kt_buf text = KT_BUF(1000);
	kt_buf_adds(&text, "name(");
	for (int i = 0; i <= KT_PRAGMA_NAME_BYTES; i++)
		kt_buf_addc(&text, 'x');
	kt_buf_addc(&text, ')');
	wrong(kt_buf_text(&text), 5, KT_PRAGMA_NAME_BYTES + 1, "name is longer than 128 bytes");
	kt_buf_free(&text);
}

static void problem_clause(void **state)
{
	const struct kt_pragma *p = right("problem(rows = 1, 16; d = 3..5)");
	(void)state;
	assert_int_equal(p->variable_count, 2);
	assert_string_equal(p->variables[0], "rows");
	assert_string_equal(p->variables[1], "d");
	check_values(p->problems, 2 * p->problem_count, "1 3 1 4 1 5 16 3 16 4 16 5");
	p = right("problem((rows, d) = (16, 4096), (64, 2 * 4096))");
	assert_int_equal(p->problem_count, 2);
	check_values(p->problems, 4, "16 4096 64 8192");
	p = right("problem(b = 7, 8; (rows, d) = (1, 2), (3, 4); z = 9)");
	assert_int_equal(p->variable_count, 4);
	check_values(p->problems, 16, "7 1 2 9 7 3 4 9 8 1 2 9 8 3 4 9");
	p = right("problem(n = -1, 0)");
	check_values(p->problems, 2, "-1 0");
}

static void problem_clause_wrong(void **state)
{
	(void)state;
	assert_int_equal(wrong("problem(rows)", 12, 1, "expected '=' and the values of 'rows'")->variable_count, 0);
	wrong("problem(rows = )", 14, 1, "expected a value");
	wrong("problem(rows = 1,)", 17, 1, "expected a value");
	wrong("problem(rows = 1; )", 17, 1, "expected the name of a problem variable");
	wrong("problem(rows = 1, d = 2)", 18, 1, "expected a value, found another name");
	check_hint("separate names with ';'");
	wrong("problem(rows = n)", 15, 1, "values are constants: unknown name 'n'");
	wrong("problem(device = 1)", 8, 6,
	      "'device' is a word of the expression language, not the name of a problem variable");
	wrong("problem((a, b) = (1, 2), (3))", 25, 3, "1 values for 2 variables");
	wrong("problem((a, b) = (1, 2, 3))", 17, 9, "3 values for 2 variables");
	wrong("problem((a, b) = 1)", 17, 1, "expected '(' and one value a variable");
	wrong("problem((a, b) (1, 2))", 14, 1, "expected '=' and tuples of values");
	wrong("problem(() = (1))", 9, 1, "expected the name of a problem variable");
	wrong("problem((a, b) = (1, 2) 3)", 24, 1, "unexpected '3'");
	wrong("problem(a = 1..64; b = 1..65)", 8, 20, "more than 4096 problems in the cross product");
	assert_int_equal(right("problem(a = 1..64; b = 1..64)")->problem_count, 4096);
	wrong("problem(a = 1..4097)", 12, 7, "'a' has more than 4096 values");
	parse("problem(a = 1; a = 2)");
	check_problem(0, KT_ERROR, 15, 1, "'a' is a problem variable twice");
	check_problem(1, KT_NOTE, 8, 1, "the first stands here");
	wrong("problem(a=1;b=1;c=1;d=1;e=1;f=1;g=1;h=1;i=1;j=1;k=1;l=1;m=1;n=1;o=1;p=1;q=1)", 72, 1,
	      "more than 16 problem variables");
}

static void tune_clause(void **state)
{
	const struct kt_pragma *p = right("tune(BLOCK = 64, 128, 2 * 128) tune(A = 1; B = true, false)");
	(void)state;
	assert_int_equal(p->tune_count, 3);
	assert_string_equal(p->tunes[0].name, "BLOCK");
	assert_int_equal(p->tunes[0].offset, 5);
	check_values(p->tunes[0].values, p->tunes[0].count, "64 128 256");
	check_values(p->tunes[2].values, p->tunes[2].count, "1 0");
	p = right("tune(V = 1..8 step *2) tune(W = 32..128 step +32) tune(X = 5..7) tune(Y = 9, 1..3, 4..20 step *4)");
	check_values(p->tunes[0].values, p->tunes[0].count, "1 2 4 8");
	check_values(p->tunes[1].values, p->tunes[1].count, "32 64 96 128");
	check_values(p->tunes[2].values, p->tunes[2].count, "5 6 7");
	check_values(p->tunes[3].values, p->tunes[3].count, "9 1 2 3 4 16");
	p = right("tune(A = -4 .. 1<<2 step + 3) tune(B = 3..3)tune(C=1..100 step*10)");
	check_values(p->tunes[0].values, p->tunes[0].count, "-4 -1 2");
	check_values(p->tunes[1].values, p->tunes[1].count, "3");
	check_values(p->tunes[2].values, p->tunes[2].count, "1 10 100");
	p = right("tune(A = 9223372036854775806..9223372036854775807, -9223372036854775807..-9223372036854775806)");
	assert_int_equal(p->tunes[0].count, 4);
	p = right("tune(A = 1..9223372036854775807 step *2)");
	assert_int_equal(p->tunes[0].count, 63);
	assert_int_equal(right("tune(A = 1..65536)")->tunes[0].count, 65536);
}

static void tune_clause_wrong(void **state)
{
	const struct kt_pragma *p;
	(void)state;
	wrong("tune(64, 128)", 5, 2, "expected the name of a parameter");
	wrong("tune(A 64)", 6, 1, "expected '=' and the values of 'A'");
	wrong("tune(A = 64 128)", 12, 3, "expected an operator, found '128'");
	wrong("tune(A = 1.5)", 9, 1, "not an integer: expressions have no fractions");
	wrong("tune(A = 8..1)", 9, 4, "range is empty: 8 is above 1");
	wrong("tune(A = 1..8 step 2)", 19, 1, "expected '+' or '*' behind step");
	check_hint("write 'step +32' or 'step *2'");
	wrong("tune(A = 1..8 step)", 18, 1, "expected '+' or '*' behind step");
	wrong("tune(A = 1..8 step *1)", 20, 1, "step *1 never reaches the end of the range");
	wrong("tune(A = 1..8 step +0)", 20, 1, "step +0 never reaches the end of the range");
	wrong("tune(A = 0..8 step *2)", 9, 12, "a range with step * starts at 1 or above, not at 0");
	wrong("tune(A = 1..)", 12, 1, "expected an operand, found the end");
	wrong("tune(A = ..4)", 9, 1, "expected an operand, found the end");
	wrong("tune(A = 1/0)", 10, 1, "division by zero");
	wrong("tune(A = 1..65537)", 9, 8, "'A' has more than 65536 values");
	wrong("tune(A = -9223372036854775807..9223372036854775807)", 9, 41, "'A' has more than 65536 values");
	wrong("tune(A = 1..65536, 0)", 19, 1, "'A' has more than 65536 values");
	wrong("tune(A = 1, B = 2)", 12, 1, "expected a value, found another name");
	p = parse("tune(A = 4, 2, 4, 1..4)");
	assert_int_equal(problem_count, 1);
	check_problem(0, KT_WARNING, 9, 13, "value 4 of 'A' stands twice");
	check_values(p->tunes[0].values, p->tunes[0].count, "4 2 1 3");
	parse("tune(A = 1) tune(A = 2)");
	check_problem(0, KT_ERROR, 17, 1, "'A' is a tunable parameter twice");
	parse("problem(d = 1) tune(d = 2)");
	check_problem(0, KT_ERROR, 20, 1, "'d' is a problem variable and a tunable parameter");
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

static void buffer_clauses(void **state)
{
	const struct kt_pragma *p = right(
	    "in(a[n]: normal, b[min(n, 4)]: normal(1, 0.5), c[f ? 1 : 2] : iota, d[8]: zeros, e[1]: range(-3, 0x10))");
	(void)state;
	assert_int_equal(p->buffer_count, 5);
	assert_int_equal(p->buffers[0].fill.kind, KT_FILL_NORMAL);
	assert_true(p->buffers[0].fill.a == 0 && p->buffers[0].fill.b == 1);
	assert_true(p->buffers[1].fill.a == 1 && p->buffers[1].fill.b == 0.5);
	assert_int_equal(p->buffers[2].fill.kind, KT_FILL_IOTA);
	assert_int_equal(p->buffers[3].fill.kind, KT_FILL_ZEROS);
	assert_int_equal(p->buffers[4].fill.kind, KT_FILL_RANGE);
	assert_true(p->buffers[4].fill.a == -3 && p->buffers[4].fill.b == 16);
	assert_int_equal(p->buffers[1].offset, 17);
	wrong("in(x)", 4, 1, "expected '[' and the number of elements of 'x'");
	wrong("in(x[])", 5, 1, "expected an operand, found the end");
	wrong("in(x[1] y[2])", 8, 1, "unexpected 'y'");
	check_hint("separate buffers with ','");
	wrong("in(x[1],)", 8, 1, "expected the name of a buffer");
	wrong("in(*x[1])", 3, 1, "expected the name of a buffer");
	wrong("in(x[-1])", 5, 2, "the number of elements must be at least 0, not -1");
	wrong("in(x[4 / 0])", 7, 1, "division by zero");
	wrong("in(x[1]: gauss)", 9, 5, "unknown fill 'gauss'");
	wrong("in(x[1]: uniforn(0, 1))", 9, 7, "unknown fill 'uniforn'");
	check_hint("did you mean 'uniform'?");
	wrong("in(x[1]: uniform)", 16, 1, "expected '(' and 2 numbers");
	wrong("in(x[1]: uniform(1))", 17, 1, "uniform takes 2 numbers, not 1");
	wrong("in(x[1]: uniform(2, 1))", 17, 1, "the lower bound is above the upper one");
	wrong("in(x[1]: uniform(0, inf))", 20, 3, "expected a number");
	wrong("in(x[1]: uniform(0, 1e999))", 20, 5, "not a finite number");
	wrong("in(x[1]: normal(0, -1))", 16, 1, "the deviation is negative");
	wrong("in(x[1]: normal(0))", 16, 1, "normal takes 2 numbers, not 1");
	wrong("in(x[1]: range(0, 1.5))", 15, 1, "range takes integers of at most 53 bits");
	wrong("in(x[1]: range(0, 9223372036854775807))", 15, 1, "range takes integers of at most 53 bits");
	wrong("in(x[1]: iota(1))", 13, 1, "unexpected '('");
	wrong("in(x[1]: )", 8, 1, "expected a fill");
	wrong("out(x[1]: zeros)", 10, 5, "what an out or scratch buffer holds before the call is never read: no fill");
	right("inout(x[1]: zeros)");
	parse("in(x[1]) out(x[1])");
	check_problem(0, KT_ERROR, 13, 1, "'x' is a buffer twice");
	check_hint("a buffer that is read and written is inout(…)");
}

static void value_clause(void **state)
{
	const struct kt_pragma *p = right("value(eps = 1e-6f, n = -3; m = 0x10u, b = true, h = .5, z = 010, big = 1e3)");
	(void)state;
	assert_int_equal(p->value_count, 7);
	assert_string_equal(p->values[0].text, "1e-6f");
	assert_false(p->values[0].integral);
	assert_true(p->values[0].number > 0.99e-6 && p->values[0].number < 1.01e-6);
	assert_true(p->values[1].integral);
	assert_int_equal(p->values[1].integer, -3);
	assert_true(p->values[1].number == -3);
	assert_int_equal(p->values[2].integer, 16);
	assert_int_equal(p->values[3].integer, 1);
	assert_string_equal(p->values[3].text, "true");
	assert_true(p->values[4].number == 0.5);
	assert_int_equal(p->values[5].integer, 8);
	assert_false(p->values[6].integral);
	wrong("value(eps)", 9, 1, "expected '=' and the value of 'eps'");
	wrong("value(eps = x)", 12, 1, "expected a number");
	wrong("value(eps = 1 + 2)", 12, 1, "expected a number");
	wrong("value(eps = 1e)", 12, 2, "not a finite number");
	wrong("value(eps = 1.2.3)", 12, 5, "not a finite number");
	wrong("value(eps = 9223372036854775808)", 12, 19, "integer does not fit 64 bits");
	wrong("value(eps = nan)", 12, 3, "expected a number");
	parse("problem(d = 1) value(d = 2)");
	check_problem(0, KT_ERROR, 21, 1, "'d' is a problem variable and a value");
	check_hint("an argument that is named like a problem variable needs no value");
}

static void conditions(void **state)
{
	const struct kt_pragma *p = right("restriction(A*B <= device.max_threads_per_block) guard(disjoint(x, n, y, n))"
					  " restriction(A > 1)");
	(void)state;
	assert_int_equal(p->restriction_count, 2);
	assert_int_equal(p->guard_count, 1);
	assert_string_equal(p->restrictions[1].text, "A > 1");
	assert_true(kt_expr_uses(p->guards[0].expr, "y"));
	wrong("restriction(A = 1)", 14, 1, "expected an operator, found '='; equality is spelled '=='");
	wrong("restriction(A > 1, B > 1)", 17, 1, "expected an operator, found ','");
	wrong("guard(1 > 2)", 6, 5, "guard never holds");
	wrong("restriction(device.warp > 1)", 12, 11, "'device.warp' is no limit of a device");
	wrong("restriction(blockDim.x > 1)", 12, 10,
	      "'blockDim.x' is no name of the expression language: only device.… has a dot");
	wrong("in(x[4]) guard(x > 1)", 15, 1, "'x' is a buffer: only aligned and disjoint take one");
	wrong("problem(d = 4) guard(aligned(d, 16))", 29, 1, "'d' is no pointer");
	wrong("guard(1 > 0 && 1 << 64)", 17, 1, "shift by 64 is out of range");
}

static void geometry_clauses(void **state)
{
	const struct kt_pragma *p = right("grid(ceil_div(n, B), 2, 3) block(B) smem(4 * B)");
	(void)state;
	assert_int_equal(p->grid_count, 3);
	assert_string_equal(p->grid[0].text, "ceil_div(n, B)");
	assert_int_equal(p->block_count, 1);
	assert_null(p->block[1].expr);
	assert_string_equal(p->shared_bytes.text, "4 * B");
	assert_false(p->grid_is_global);
	p = right("global(n) local(64, 2)");
	assert_true(p->grid_is_global);
	assert_int_equal(p->grid_count, 1);
	assert_int_equal(p->block_count, 2);
	assert_int_equal(wrong("grid(1, 2, 3, 4)", 14, 1, "grid has at most three extents")->grid_count, 0);
	wrong("grid(1,)", 7, 1, "expected an operand, found the end");
	wrong("block(0)", 6, 1, "an extent of the block must be at least 1, not 0");
	wrong("smem(-4)", 5, 2, "shared memory must be at least 0, not -4");
	wrong("smem(1, 2)", 6, 1, "expected an operator, found ','");
	wrong("block(aligned(p, 16))", 14, 1, "'p' is a pointer: aligned and disjoint are known at a launch only");
	check_hint("write it in restriction(…) or guard(…)");
	wrong("bytes(4 *)", 9, 1, "expected an operand, found the end");
	wrong("flops(-1)", 6, 2, "flops must be at least 0, not -1");
}

static void auto_clause(void **state)
{
	const struct kt_pragma *p;
	(void)state;
	assert_int_equal(right("auto")->generation, KT_AUTO_ALL);
	assert_int_equal(right("auto, name(x)")->generation, KT_AUTO_ALL);
	assert_int_equal(right("auto(off)")->generation, KT_AUTO_OFF);
	p = right("auto(vectorize, unroll)");
	assert_int_equal(p->generation, KT_AUTO_LIST);
	assert_int_equal(p->strategy_count, 2);
	assert_string_equal(p->strategies[1], "unroll");
	wrong("auto()", 0, 4, "clause 'auto' is empty");
	wrong("auto(off, unroll)", 5, 3, "'off' stands alone");
	wrong("auto(unroll, unroll)", 13, 6, "'unroll' stands twice");
	wrong("auto(unroll vectorize)", 12, 9, "unexpected 'vectorize'");
	assert_int_equal(wrong("auto(3)", 5, 1, "expected the name of a strategy, or off")->generation, KT_AUTO_DEFAULT);
}

static void bind_clause(void **state)
{
	const struct kt_pragma *p = right("bind(rows = x.size(0), d = f<int>(a, b == c)) bind(n = v[1]; m = a ? b : c)");
	(void)state;
	assert_int_equal(p->bind_count, 4);
	assert_string_equal(p->binds[0].text, "x.size(0)");
	assert_string_equal(p->binds[1].text, "f<int>(a, b == c)");
	assert_string_equal(p->binds[2].text, "v[1]");
	assert_string_equal(p->binds[3].text, "a ? b : c");
	assert_string_equal(right("bind(n = m<1, 2>::v)")->binds[0].text, "m<1, 2>::v");
	wrong("bind(rows)", 9, 1, "expected '=' and how to compute 'rows'");
	wrong("bind(rows = )", 11, 1, "expected an expression for 'rows'");
	wrong("bind(= 1)", 5, 1, "expected the name of a problem variable");
	wrong("problem(d = 1) bind(rows = 1)", 20, 4, "'rows' is no problem variable");
	right("problem(rows = 1) bind(rows = 1)");
	parse("bind(a = 1) bind(a = 2)");
	check_problem(0, KT_ERROR, 17, 1, "'a' is bound twice");
	check_problem(1, KT_NOTE, 5, 1, "the first stands here");
}

static void tolerance_clause(void **state)
{
	const struct kt_pragma *p = right("out(y[1]) inout(z[1]) tolerance(abs = 1e-3, rel = 0)"
				          " tolerance(y: rel = 1e-2; z: abs = 2)");
	(void)state;
	assert_int_equal(p->tolerance_count, 3);
	assert_null(p->tolerances[0].buffer);
	assert_true(p->tolerances[0].absolute == 1e-3 && p->tolerances[0].relative == 0);
	assert_string_equal(p->tolerances[1].buffer, "y");
	assert_true(p->tolerances[1].absolute < 0 && p->tolerances[1].relative == 1e-2);
	assert_true(p->tolerances[2].absolute == 2);
	wrong("tolerance(1e-3)", 10, 2, "expected a name and its number");
	wrong("tolerance(eps = 1)", 10, 3, "unknown name 'eps'");
	wrong("tolerance(abs 1)", 13, 1, "expected '=' and a number");
	wrong("tolerance(abs = -1)", 16, 2, "'abs' must be a number of at least 0");
	wrong("tolerance(abs = 1, abs = 2)", 19, 3, "'abs' stands twice");
	wrong("tolerance(abs = 1e-3) tolerance(rel = 1)", 32, 3, "two tolerances for all buffers");
	wrong("out(y[1]) tolerance(y: abs = 1; y: rel = 1)", 32, 1, "two tolerances for y");
	wrong("in(x[1]) tolerance(x: abs = 1)", 19, 1, "'x' is not compared: only out and inout buffers are");
	wrong("out(y[1]) tolerance(q: abs = 1)", 20, 1, "'q' is no buffer");
	wrong("tolerance(y:)", 12, 1, "expected a name and its number");
}

static void specialize_clause(void **state)
{
	const struct kt_pragma *p = right("problem(d = 1; rows = 2) specialize(d, rows)");
	(void)state;
	assert_int_equal(p->specialize_count, 2);
	assert_string_equal(p->specialize[1], "rows");
	assert_false(p->specialize_off);
	assert_true(right("specialize(off)")->specialize_off);
	wrong("problem(d = 1) specialize(rows)", 26, 4, "'rows' is no problem variable");
	wrong("problem(d = 1) specialize(d, off)", 29, 3, "'off' stands alone");
	wrong("problem(d = 1) specialize(d, d)", 29, 1, "'d' stands twice");
	/* what is wrong with d is said once */
	wrong("problem(d = ) specialize(d) bind(d = 1)", 11, 1, "expected a value");
}

static void budget_clause(void **state)
{
	(void)state;
	assert_true(right("budget(seconds = 2.5)")->budget_seconds == 2.5);
	assert_int_equal(right("budget(trials = 60)")->budget_trials, 60);
	wrong("budget(60)", 7, 2, "expected a name and its number");
	wrong("budget(seconds = 0)", 17, 1, "'seconds' must be a number above 0");
	wrong("budget(trials = 0)", 16, 1, "'trials' must be an integer of at least 1");
	wrong("budget(trials = 1.5)", 16, 3, "'trials' must be an integer of at least 1");
	wrong("budget(minutes = 1)", 7, 7, "unknown name 'minutes'");
	check_hint("write budget(seconds = 30, trials = 500)");
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
	check_problem(3, KT_NOTE, 20, 1, "the first stands here");
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
		assert_int_equal(kt_pragma_parse(&pragma, &problems, &problem_count, own, text, size, &err), KT_OK);
		assert_true(problem_count <= KT_PRAGMA_PROBLEMS);
		assert_true((problem_count > 0) == (strcmp(fills[i], ",") != 0));
		for (size_t j = 0; j < problem_count; j++)
			assert_true(problems[j].offset <= size);
		kt_arena_free(own);
	}
	struct kt_error err = {0};
	struct kt_pragma *pragma = NULL;
	memset(text, ' ', size + 1);
	assert_int_equal(kt_pragma_parse(&pragma, &problems, &problem_count, arena, text, size + 1, &err), KT_OK);
	check_problem(0, KT_ERROR, 0, 1, "pragma is longer than 1048576 bytes");
	free(text);
}

static void bytes_of_zero(void **state)
{
	struct kt_error err = {0};
	struct kt_pragma *pragma = NULL;
	(void)state;
	assert_int_equal(kt_pragma_parse(&pragma, &problems, &problem_count, arena, "name(a\0) grid(1)", 16, &err), KT_OK);
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
		    kt_pragma_parse(&pragma, &problems, &problem_count, small, text, sizeof text - 1, &err);
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
	    cmocka_unit_test_setup_teardown(empty, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(whole_pragma, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(clause_frame, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(reference, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(clause_twice, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(comments_and_blanks, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(name_clause, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(problem_clause, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(problem_clause_wrong, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(tune_clause, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(tune_clause_wrong, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(ceilings, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(buffer_clauses, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(value_clause, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(conditions, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(geometry_clauses, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(auto_clause, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(bind_clause, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(tolerance_clause, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(specialize_clause, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(budget_clause, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(mistakes_stay_apart, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(mistakes_in_order, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(garbage, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(bytes_of_zero, set_up, tear_down),
	    cmocka_unit_test(out_of_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
