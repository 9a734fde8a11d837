/* The pragma language clause by clause, right and wrong. */
#include "pragma_fixture.h"

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

static void reference(void **state)
{
	(void)state;
	wrong("reference(1)", 10, 1, "expected the name of a host function");
	wrong("kernel(1)", 7, 1, "expected the name of a kernel");
	wrong("kernel(a::)", 10, 1, "expected the name of a kernel");
	wrong("kernel(a b)", 9, 1, "unexpected 'b'");
	wrong("reference(a b)", 12, 1, "unexpected 'b'");
	assert_string_equal(right("name(a) reference(b)")->reference, "b");
	assert_null(right("name(a)")->reference);
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

static void problem_bounds(void **state)
{
	const struct kt_pragma *p = right("problem(rows = 1, 16; d = 64, 4096; d in 64..8192 step 8)");
	(void)state;
	assert_int_equal(p->variable_count, 2);
	assert_int_equal(p->problem_count, 4);
	assert_int_equal(p->bound_count, 1);
	assert_string_equal(p->bounds[0].name, "d");
	assert_true(p->bounds[0].least == 64 && p->bounds[0].most == 8192 && p->bounds[0].step == 8);
	assert_int_equal(p->guard_count, 1);
	assert_string_equal(p->guards[0].text, "d >= 64 && d <= 8192 && (d - 64) % 8 == 0");
	p = right("problem(in in 1..2 * 50; in = 7)");
	assert_string_equal(p->guards[0].text, "in >= 1 && in <= 100");
	p = right("problem(d in 8..64 step +8; (rows, d) = (1, 16), (2, 64))");
	assert_int_equal(p->bounds[0].step, 8);
	wrong("problem(d in 64..8192)", 8, 1, "'d' has bounds and no values");
	wrong("problem(d = 1; d in 64..8192)", 15, 1, "the problem d = 1 is not in these bounds");
	wrong("problem(d = 68; d in 64..8192 step 8)", 16, 1, "the problem d = 68 is not in these bounds");
	wrong("problem(d = 64; d in 64..8192; d in 1..64)", 31, 1, "'d' has bounds twice");
	wrong("problem(d = 64; d in 64)", 21, 2, "expected the least and the largest value of 'd'");
	wrong("problem(d = 64; d in 64..8)", 21, 5, "no value of 'd' is in these bounds: they begin at 1 or above, end there or "
	                                            "later, and step by 1 or more");
}

static void problem_weights(void **state)
{
	(void)state;
	assert_string_equal(right("problem(rows = 1 : weight 100, 16; (d, e) = (2, 3), (4, 5) : weight 2*5)")->weight.text,
	                    "(rows == 1 ? 100 : 1) * (d == 4 && e == 5 ? 10 : 1)");
	assert_int_equal(right("problem(n = 1..4 : weight 3, 8)")->problem_count, 5);
	assert_string_equal(right("problem(arg(min) = 2 : weight 0, 3)")->weight.text, "(arg(min) == 2 ? 0 : 1)");
	assert_null(right("problem(n = 1, 2 : weight 1)")->weight.expr);
	assert_int_equal(right("problem(n = 1 ? 2 : 3)")->problems[0], 2);
	wrong("problem(n = 1 : weight)", 14, 1, "expected a number after 'weight'");
	wrong("problem(n = 1 : weight -2)", 23, 1, "the weight is negative: -2");
	wrong("problem(n = 1 : weight n)", 23, 1, "values are constants: unknown name 'n'");
	wrong("problem(n = 1 : weight 2, 1)", 26, 1, "1 is a value of 'n' twice");
	wrong("problem(n = 1 : weight 2) weight(n)", 33, 1, "problem has weights, and there is a clause 'weight'");
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
	check_hint("an argument of this name is arg(NAME)");
	assert_string_equal(right("problem(arg(max) = 1)")->variables[0], "max");
	assert_string_equal(right("problem(n = 1) in(min[n], arg( aligned ).x[n])")->buffers[1].name, "aligned.x");
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
	check_problem(1, KT_NOTE, 8, 1, "the first is here");
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
	wrong("tune(A = 1..8 step 2)", 19, 1, "expected '+' or '*' after step");
	check_hint("write 'step +32' or 'step *2'");
	wrong("tune(A = 1..8 step)", 18, 1, "expected '+' or '*' after step");
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
	check_problem(0, KT_WARNING, 9, 13, "value 4 of 'A' appears twice");
	check_values(p->tunes[0].values, p->tunes[0].count, "4 2 1 3");
	parse("tune(A = 1) tune(A = 2)");
	check_problem(0, KT_ERROR, 17, 1, "'A' is a tunable parameter twice");
	parse("problem(d = 1) tune(d = 2)");
	check_problem(0, KT_ERROR, 20, 1, "'d' is a problem variable and a tunable parameter");
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
	wrong("in(x[1]: as)", 11, 1, "expected '(' and the type of the elements of 'x'");
	wrong("in(x[1]: as())", 12, 1, "expected the type of the elements of 'x'");
	wrong("in(x[1]: as(block) gauss)", 19, 5, "unknown fill 'gauss'");
	wrong("in(x[1]: as(block) as(block))", 19, 2, "unknown fill 'as'");
	wrong("in(x[1]: {})", 10, 1, "expected a member of the elements");
	wrong("in(x[1]: {from})", 14, 1, "expected '=' and the fill of 'from'");
	wrong("in(x[1]: {from = gauss})", 17, 5, "unknown fill 'gauss'");
	wrong("in(x[1]: {from = zeros, from = iota})", 24, 4, "'from' is filled twice");
	wrong("in(x[1]: {from = range(2, 1)})", 23, 1, "the lower bound is above the upper one");
	wrong("in(x[1]: {from = zeros} iota)", 24, 4, "unexpected 'iota'");
	wrong("in(x[1]: {from = zeros)", 22, 1, "expected '}' before ')'");
	wrong("out(x[1]: {from = zeros})", 18, 5, "what an out or scratch buffer holds before the call is never read: no fill");
	wrong("problem(n = 0) in(x[1]: {from = range(0, n - 1)})", 41, 5, "the lower bound is above the upper one for n = 0: 0, -1");
	wrong("in(x[1]: uniform(1))", 17, 1, "uniform takes 2 numbers, not 1");
	wrong("in(x[1]: uniform(2, 1))", 17, 1, "the lower bound is above the upper one");
	wrong("in(x[1]: uniform(0, 0.5 * n))", 20, 1, "not an integer: expressions have no fractions");
	wrong("in(x[1]: uniform(0, 1e999))", 20, 5, "not a finite number");
	wrong("in(x[1]: normal(0, -1))", 16, 1, "the deviation is negative");
	wrong("in(x[1]: normal(0))", 16, 1, "normal takes 2 numbers, not 1");
	wrong("in(x[1]: range(0, 1.5))", 15, 1, "range takes integers of at most 53 bits");
	p = right("problem(vocab = 100, 32000) value(low = 2) in(a[n]: range(low, vocab - 1), b[n]: uniform(-1.5f, 2 * vocab))");
	assert_null(p->buffers[1].bounds[0].expr);
	assert_true(p->buffers[1].fill.a == -1.5);
	assert_string_equal(p->buffers[0].bounds[1].text, "vocab - 1");
	assert_string_equal(p->buffers[1].bounds[1].text, "2 * vocab");
	wrong("in(x[1]: range(0, 9223372036854775807))", 15, 1, "range takes integers of at most 53 bits");
	p = right("problem(n = 8, 64) in(a[n]: permutation, b[n]: unique(0, 2 * n), c[n]: sorted(-1, 1.5), d[n + 1]: offsets(n / 4), "
	          "e[n]: mask(0.25))");
	static const enum kt_fill_kind kinds[] = {KT_FILL_PERMUTATION, KT_FILL_UNIQUE, KT_FILL_SORTED, KT_FILL_OFFSETS, KT_FILL_MASK};
	for (size_t i = 0; i < 5; i++)
		assert_true(p->buffers[i].fill.kind == kinds[i] && kt_fill_is_promise(kinds[i]));
	assert_true(p->buffers[2].fill.b == 1.5 && p->buffers[4].fill.a == 0.25);
	assert_string_equal(p->buffers[3].bounds[0].text, "n / 4");
	assert_false(kt_fill_is_promise(KT_FILL_UNIFORM) || kt_fill_is_promise(KT_FILL_DEFAULT) || kt_fill_is_promise(KT_FILL_LARGE));
	wrong("in(x[1]: permutation(3))", 20, 1, "unexpected '('");
	wrong("in(x[1]: unique(0, 1.5))", 16, 1, "unique takes integers of at most 53 bits");
	wrong("in(x[1]: unique(5, 4))", 16, 1, "the lower bound is above the upper one");
	wrong("in(x[1]: sorted(5, 4))", 16, 1, "the lower bound is above the upper one");
	wrong("in(x[1]: offsets)", 16, 1, "expected '(' and 1 number");
	wrong("in(x[1]: offsets(-1))", 17, 1, "the mean is no length");
	wrong("in(x[1]: offsets(1, 2))", 17, 1, "offsets takes 1 number, not 2");
	wrong("in(x[1]: offsets(1.5))", 17, 1, "offsets takes integers of at most 53 bits");
	wrong("in(x[1]: mask(1.5))", 14, 1, "the probability is not between 0 and 1");
	wrong("problem(n = 8, 64) in(a[n]: unique(1, n - 1))", 38, 5, "there are more elements than numbers for n = 8: 1, 7");
	wrong("problem(n = 8, 64) in(a[n]: unique(1, 20))", 24, 1, "there are more elements than numbers for n = 64: 1, 20");
	p = right("problem(n = 8, 64) in(a[n]: choice(0, n - 1, -0.5), b[n]: like(a), c[n]: {from = choice(3)})");
	assert_true(p->buffers[0].fill.kind == KT_FILL_CHOICE && p->buffers[0].fill.count == 3 && kt_fill_is_promise(KT_FILL_CHOICE));
	assert_true(p->buffers[0].fill.a == 0 && kt_fill_number(&p->buffers[0].fill, 2) == -0.5);
	assert_string_equal(p->buffers[0].bounds[1].text, "n - 1");
	assert_string_equal(p->buffers[1].like, "a");
	assert_true(p->buffers[1].fill.kind == KT_FILL_CHOICE && p->buffers[1].bounds[1].expr == p->buffers[0].bounds[1].expr);
	assert_true(p->buffers[2].members[0].fill.count == 1 && p->buffers[2].members[0].fill.a == 3);
	right("in(a[1]: choice(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))");
	wrong("in(a[1]: choice(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))", 16, 1,
	      "choice takes 1 to 16 numbers, not 17");
	wrong("in(a[1]: choice)", 15, 1, "expected '(' and 1 to 16 numbers");
	wrong("in(a[1]: choice())", 16, 1, "expected a number or an expression");
	wrong("in(a[1]: choice(1, B)) tune(B = 1, 2)", 19, 1, "'B' is a tunable parameter");
	wrong("problem(n = 1) in(a[1]: choice(1, 8 / (n - 1)))", 36, 1, "division by zero for n = 1");
	p = right("in(a[3]: file(\"data/x.npy\"), b[3]: like(a))");
	assert_true(p->buffers[0].fill.kind == KT_FILL_FILE && kt_fill_is_promise(KT_FILL_FILE));
	assert_string_equal(p->buffers[0].file, "data/x.npy");
	assert_string_equal(p->buffers[1].file, "data/x.npy");
	assert_int_equal(p->buffers[0].file_offset, 14);
	wrong("in(a[1]: file)", 13, 1, "expected '(' and the path of a NumPy file in quotes");
	wrong("in(a[1]: file(x.npy))", 14, 1, "expected the path of a NumPy file in quotes");
	check_hint("write file(\"x.npy\"), a path relative to the folder of this file");
	wrong("in(a[1]: file(\"\"))", 14, 1, "expected the path of a NumPy file in quotes");
	wrong("in(a[1]: file(\"a\\tb\"))", 14, 1, "expected the path of a NumPy file in quotes");
	wrong("in(a[1]: file(\"a.npy\", 2))", 21, 1, "unexpected ','");
	wrong("in(a[1]: {from = file(\"a.npy\")})", 22, 1, "only whole buffers are filled from a file");
	wrong("in(a[1]: like)", 13, 1, "expected '(' and the name of a buffer");
	wrong("in(a[1]: like(3))", 14, 1, "expected the name of a buffer");
	wrong("in(a[1]: like(b))", 14, 1, "'b' is no buffer");
	wrong("in(a[1]: like(a))", 14, 1, "'a' is the buffer itself");
	wrong("in(a[1]: like(y)) out(y[1])", 14, 1, "'y' is written before it is read: it holds nothing before the call");
	wrong("in(a[1], b[1]: like(a), c[1]: like(b))", 35, 1, "'b' is like another buffer");
	check_hint("write like(a)");
	wrong("in(a[1], b[1]: {from = like(a)})", 28, 1, "only whole buffers are like another one");
	wrong("problem(n = 1, 2) in(a[n], b[2]: like(a))", 38, 1, "'b' has 2 elements and 'a' has 1 for n = 1");
	check_hint("write b[n], or another fill");
	wrong("in(x[1]: iota(1))", 13, 1, "unexpected '('");
	wrong("in(x[1]: )", 8, 1, "expected a fill");
	wrong("out(x[1]: zeros)", 10, 5, "what an out or scratch buffer holds before the call is never read: no fill");
	right("inout(x[1]: zeros)");
	parse("in(x[1]) out(x[1])");
	check_problem(0, KT_ERROR, 13, 1, "'x' is a buffer twice");
	check_hint("a buffer that is read and written is inout(…)");
}

static void instances_clause(void **state)
{
	const struct kt_pragma *p = right("instances(float, <__half, 128>, vec<float, 4>, < float , (1 > 2), 3 >)");
	(void)state;
	assert_int_equal(p->instance_count, 4);
	assert_int_equal(p->instances[0].count, 1);
	assert_string_equal(p->instances[0].arguments[0], "float");
	assert_int_equal(p->instances[1].count, 2);
	assert_int_equal(p->instances[1].offset, 17);
	assert_string_equal(p->instances[1].arguments[1], "128");
	assert_string_equal(p->instances[2].arguments[0], "vec<float, 4>");
	assert_int_equal(p->instances[3].count, 3);
	assert_string_equal(p->instances[3].arguments[0], "float");
	assert_string_equal(p->instances[3].arguments[1], "(1 > 2)");
	wrong("instances()", 0, 9, "clause 'instances' is empty");
	check_hint("write instances(float, __half) or instances(<float, 128>, <__half, 256>)");
	wrong("instances", 0, 9, "clause 'instances' needs '(' and ')'");
	wrong("instances(float,)", 16, 1, "expected a template argument");
	wrong("instances(,float)", 10, 1, "expected a template argument");
	wrong("instances(<>)", 11, 1, "expected a template argument");
	wrong("instances(<float,>)", 17, 1, "expected a template argument");
	parse("instances(float) instances(int)");
	check_problem(0, KT_ERROR, 17, 9, "clause 'instances' appears twice");
}

static void limited_clauses(void **state)
{
	const struct kt_pragma *p = right("problem(n = 8, 64) in(x[n]: choice(1, 2)) when(n == 8) in(x[n]: zeros) when(n < 8) in(x[n]: range(0, n)) "
	                                  "restriction(B <= n) when (n > 8) guard(n % 8 == 0) when(n < 64) tune(B = 8, 16)");
	(void)state;
	assert_int_equal(p->buffer_count, 1);
	assert_string_equal(p->buffers[0].when.text, "n == 8");
	assert_int_equal(p->buffers[0].fill.kind, KT_FILL_CHOICE);
	assert_int_equal(p->buffers[0].otherwise->fill.kind, KT_FILL_ZEROS);
	assert_string_equal(p->buffers[0].otherwise->when.text, "n < 8");
	assert_int_equal(p->buffers[0].otherwise->otherwise->fill.kind, KT_FILL_RANGE);
	assert_null(p->buffers[0].otherwise->otherwise->otherwise);
	assert_string_equal(p->restrictions[0].text, "!(n > 8) || B <= n");
	assert_string_equal(p->guards[0].text, "!(n < 64) || n % 8 == 0");
	/* The condition is looked at first. */
	right("problem(n = 0, 8) restriction(64 / n > 1) when(n != 0)");
	/* Each fill is right on its own problems. */
	right("problem(n = 0, 8) in(x[n]: range(0, n - 1)) when(n > 0) in(x[n]: zeros)");
	wrong("problem(n = 0, 8) in(x[n]: range(0, n - 1)) when(n >= 0) in(x[n]: zeros)", 36, 5,
	      "the lower bound is above the upper one for n = 0: 0, -1");
	wrong("in(x[1]: zeros) when(B > 1) in(x[1]: iota) tune(B = 1, 2)", 21, 1, "'B' is a tunable parameter");
	wrong("problem(n = 1) in(x[n]: zeros) when(n > 1)", 18, 1, "'x' has no clause for the other problems");
	check_hint("write in(x[n]: file(\"x.npy\")) when(n == 64), and after it in(x[n]: range(0, 9))");
	wrong("problem(n = 1) in(x[n]: zeros) in(x[n]: iota) when(n > 1)", 34, 1, "'x' has a clause for all problems before it");
	wrong("problem(n = 1) in(x[n]: zeros) when(n > 1) in(x[2 * n]: iota)", 46, 1, "'x' has another number of elements on other problems");
	wrong("problem(n = 1) in(x[n]: zeros) when(n > 1) inout(x[n]: iota)", 49, 1, "'x' is in and inout");
	wrong("problem(n = 1) in(x[n]: {a = zeros}) when(n > 1) in(x[n])", 52, 1, "'x' has fills of members, which are for all problems");
	wrong("in(y[1]) in(x[1]: like(y)) when(1) in(x[1])", 23, 1,
	      "'y' is like it on all problems or on none: a clause of like(…) has no when(…)");
	wrong("grid(4) when(n > 1)", 8, 4, "clause 'grid' is for all problems");
	check_hint("write an expression that chooses: grid(n > 64 ? a : b)");
	wrong("value(x = 1) when(n > 1)", 13, 4, "clause 'value' is for all problems");
	check_hint("write an expression that chooses: value(x = n > 64 ? a : b)");
	wrong("out(y[1]) when(1)", 10, 4, "clause 'out' is for all problems");
	wrong("tune(B = 1) when(1)", 12, 4, "clause 'tune' is for all problems");
	wrong("when(1) restriction(1)", 0, 4, "'when' is next to the clause that it limits, and there is one for each clause");
	wrong("restriction(1) when(1) when(1)", 23, 4, "'when' is next to the clause that it limits, and there is one for each clause");
	wrong("restriction(1) when", 15, 4, "expected '(' and on which problems the clause holds");
	wrong("restriction(1) when()", 15, 4, "expected '(' and on which problems the clause holds");
	wrong("restriction(1) when(n >)", 23, 1, "expected an operand, found the end");
	wrong("problem(n = 0) in(x[1]: zeros) when(1 / n) in(x[1])", 38, 1, "division by zero for n = 0");
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
	wrong("value(eps = )", 11, 1, "expected a number or an expression");
	wrong("value(eps = 1.5 * n)", 12, 1, "not an integer: expressions have no fractions");
	p = right("problem(d = 3, 5) value(a = 1 + 2, ld = 2 * d, b = ld + a, w = device.warp_size)");
	assert_true(p->values[0].integral && p->values[0].expr.expr == NULL);
	assert_int_equal(p->values[0].integer, 3);
	assert_string_equal(p->values[1].expr.text, "2 * d");
	assert_string_equal(p->values[2].text, "ld + a");
	assert_non_null(p->values[3].expr.expr);
	p = right("problem(n = 3) value(p.size [ 2 ] = n, p . pad.x = 1; d = {4, 2 * n, 6}) in(p.x[n], p.at[1][n])");
	assert_int_equal(p->value_count, 5);
	assert_string_equal(p->values[0].name, "p.size[2]");
	assert_int_equal(p->values[0].places, 0);
	assert_string_equal(p->values[1].name, "p.pad.x");
	assert_string_equal(p->values[3].name, "d");
	assert_string_equal(p->values[3].expr.text, "2 * n");
	assert_true(p->values[2].place == 0 && p->values[3].place == 1 && p->values[4].place == 2);
	assert_true(p->values[2].places == 3 && p->values[4].places == 3);
	assert_string_equal(p->buffers[0].name, "p.x");
	assert_string_equal(p->buffers[1].name, "p.at[1]");
	assert_string_equal(p->buffers[1].count.text, "n");
	wrong("value(p. = 1)", 9, 1, "expected the name of a member");
	wrong("value(p.x[n] = 1)", 9, 1, "expected '=' and the value of 'p.x'");
	wrong("value(d = {1, 2)", 15, 1, "expected '}' before ')'");
	wrong("value(d = {1, 2} 3)", 17, 1, "unexpected '3'");
	wrong("value(d = {1, })", 14, 1, "expected a number or an expression");
	parse("value(d = {1, 2}, d = 3)");
	check_problem(0, KT_ERROR, 18, 1, "'d' is a value twice");
	right("out(p.y[4]) tolerance(p.y: abs = 1)");
	wrong("value(eps = 1e)", 12, 2, "not a finite number");
	wrong("value(eps = 1.2.3)", 12, 5, "not a finite number");
	wrong("value(eps = 9223372036854775808)", 12, 19, "integer does not fit 64 bits");
	parse("problem(d = 1) value(d = 2)");
	check_problem(0, KT_ERROR, 21, 1, "'d' is a problem variable and a value");
	check_hint("an argument that is named like a problem variable needs no value");
}

/* Expressions of values and bounds: which names they may hold, and that they have a value on every problem. */
static void data_expressions(void **state)
{
	static const struct {
		const char *text;
		unsigned offset, length;
		const char *message, *hint;
	} rows[] = {
	    {"problem(d = 1) value(a = b, b = d)", 25, 1, "'b' gets its value later", "write b = … before it"},
	    {"problem(d = 1) value(a = a + d)", 25, 1, "'a' is its own value", "write a = … before it"},
	    {"problem(d = 1) value(s = 0.5, a = s + d)", 34, 1, "'s' is a fraction: expressions are integers", NULL},
	    {"problem(d = 1) tune(T = 1, 2) value(a = T + d)", 40, 1, "'T' is a tunable parameter",
	     "all configurations run on the same data: name problem variables, values, device.…"},
	    {"problem(d = 1) tune(T = 1, 2) in(x[d]: range(0, T))", 48, 1, "'T' is a tunable parameter",
	     "all configurations run on the same data: name problem variables, values, device.…"},
	    {"problem(d = 1) in(x[d], y[x])", 26, 1, "'x' is a buffer: only aligned and disjoint take one", NULL},
	    {"problem(d = 1) in(x[d], y[d]: range(0, x))", 39, 1, "'x' is a buffer: only aligned and disjoint take one", NULL},
	    {"problem(d = 1) value(a = aligned(x, 4))", 33, 1,
	     "'x' is a pointer: aligned and disjoint are known at a launch only", "write it in restriction(…) or guard(…)"},
	    {"problem(d = 1) value(a = device.warp + d)", 25, 11, "'device.warp' is no limit of a device",
	     "such as device.warp_size or device.max_threads_per_block"},
	    {"problem(d = 8, 0) value(a = 16 / d)", 31, 1, "division by zero for d = 0", NULL},
	    {"problem(d = 8, 0) value(z = d, a = 16 / z)", 38, 1, "division by zero for d = 0", NULL},
	    {"problem(d = 8, 0) in(x[4]: range(0, d - 1))", 36, 5, "the lower bound is above the upper one for d = 0: 0, -1",
	     "write bounds that fit each problem, or take that problem out"},
	    {"problem(d = 8; e = 1, 2) in(x[4]: normal(0, 1 - e))", 44, 5, "the deviation is negative for d = 8, e = 2: 0, -1",
	     "write bounds that fit each problem, or take that problem out"},
	    {"problem(d = 8) in(x[4]: range(0, d << 58))", 33, 7,
	     "range takes integers of at most 53 bits for d = 8: 0, 2305843009213693952",
	     "write bounds that fit each problem, or take that problem out"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		parse(rows[i].text);
		check_problem(0, KT_ERROR, rows[i].offset, rows[i].length, rows[i].message);
		if (rows[i].hint != NULL)
			check_hint(rows[i].hint);
	}
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
	/* What members an argument has only scan knows. */
	right("restriction(p.size > 1)");
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
	right("problem(n = 1, 16) weight(n == 16 ? 10 : 1)");
	right("problem(n = 1, 16) value(k = 2 * n) weight(k / 32)");
	wrong("problem(n = 1, 16) weight(1 - n)", 26, 5, "the weight is negative for n = 16: -15");
	wrong("problem(n = 1, 16) weight(n > 20)", 26, 6, "every problem has the weight 0");
	check_hint("write a number above 0 for the problems that count");
	wrong("problem(n = 1, 16) weight(4 / (n - 1))", 28, 1, "division by zero for n = 1");
	wrong("problem(n = 1) tune(V = 1, 2) weight(V)", 37, 1, "'V' is a tunable parameter");
	wrong("weight(1, 2)", 8, 1, "expected an operator, found ','");
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
	wrong("auto(off, unroll)", 5, 3, "'off' must be alone");
	wrong("auto(unroll, unroll)", 13, 6, "'unroll' appears twice");
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
	check_problem(1, KT_NOTE, 5, 1, "the first is here");
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
	wrong("tolerance(abs = 1, abs = 2)", 19, 3, "'abs' appears twice");
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
	wrong("problem(d = 1) specialize(d, off)", 29, 3, "'off' must be alone");
	wrong("problem(d = 1) specialize(d, d)", 29, 1, "'d' appears twice");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(name_clause), TEST(reference), TEST(problem_clause), TEST(problem_bounds), TEST(problem_weights), TEST(problem_clause_wrong),
	    TEST(tune_clause), TEST(tune_clause_wrong), TEST(buffer_clauses), TEST(instances_clause), TEST(limited_clauses), TEST(value_clause), TEST(data_expressions),
	    TEST(conditions),
	    TEST(geometry_clauses), TEST(auto_clause), TEST(bind_clause), TEST(tolerance_clause),
	    TEST(specialize_clause), TEST(budget_clause),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
