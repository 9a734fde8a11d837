/*
 * The pragma parser and its expressions. Input: a pragma behind "#pragma
 * ktune"; the same bytes are also read as one expression.
 *
 * Holds: a pragma without mistakes, written down from what was read, reads as
 * the same again; a mistake is reported inside the text; an expression's
 * canonical text reads back as itself and has the same value or the same
 * failure; what parses can be printed as C++ and as C.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pragma.h"
#include "fuzz.h"

#define PRAGMA_BYTES ((size_t)1 << 20) /* the language's own ceiling */

static const char *same(const char *name, bool pointer, void *context)
{
	(void)pointer;
	(void)context;
	return name;
}

/* Small and large values of both signs, zero among them, by name. */
static bool value_of(int64_t *value, const char *name, void *context)
{
	static const int64_t values[] = {7, 0, -1, 64, INT64_MAX, INT64_MIN, 3, 1};

	(void)context;
	*value = values[(unsigned char)name[0] % (sizeof values / sizeof *values)];
	return true;
}

static void check_value(const struct kt_expr *a, const struct kt_expr *b, size_t length)
{
	struct kt_error err;
	int64_t value_a = 0, value_b = 0;
	kt_status status_b = kt_expr_eval(&value_b, b, value_of, NULL, &err);
	kt_status status_a = kt_expr_eval(&value_a, a, value_of, NULL, &err);

	KT_FUZZ_REQUIRE(status_a == KT_OK || err.offset <= length);
	KT_FUZZ_REQUIRE(status_a == status_b && value_a == value_b);
}

static void check_expr(struct kt_arena *arena, const struct kt_expr *expr, size_t length)
{
	struct kt_buf once = KT_BUF(KT_LIMIT_SOURCE_BYTES), twice = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error err;
	struct kt_expr *again;
	kt_status status;

	KT_FUZZ_REQUIRE(kt_expr_print(&once, expr, "f", same, NULL, &err) == KT_OK);
	kt_buf_clear(&once);
	KT_FUZZ_REQUIRE(kt_expr_print_c99(&once, expr, "fault", same, NULL, &err) == KT_OK);
	kt_buf_clear(&once);
	kt_expr_canonical(&once, expr);
	status = kt_expr_parse(&again, arena, kt_buf_text(&once), once.size, &err);
	KT_FUZZ_REQUIRE(status == KT_OK || status == KT_ERR_MEMORY);
	if (status == KT_OK) {
		kt_expr_canonical(&twice, again);
		KT_FUZZ_REQUIRE(strcmp(kt_buf_text(&once), kt_buf_text(&twice)) == 0);
		check_value(expr, again, length);
	}
	kt_buf_free(&once);
	kt_buf_free(&twice);
}

static void check_clause(struct kt_arena *arena, const struct kt_clause_expr *clause)
{
	if (clause->expr != NULL)
		check_expr(arena, clause->expr, strlen(clause->text));
}

static void put_expr(struct kt_buf *out, const char *before, const struct kt_clause_expr *clause, const char *after)
{
	if (clause->expr == NULL)
		return;
	kt_buf_adds(out, before);
	kt_expr_canonical(out, clause->expr);
	kt_buf_adds(out, after);
}

static void put_names(struct kt_buf *out, const char *clause, bool off, size_t count, const char *const *names)
{
	kt_buf_addf(out, "%s(%s", clause, off ? "off" : "");
	for (size_t i = 0; i < count; i++)
		kt_buf_addf(out, "%s%s", i > 0 ? ", " : "", names[i]);
	kt_buf_adds(out, ")\n");
}

/* The least integer has no literal of its own. */
static void put_int(struct kt_buf *out, int64_t value)
{
	if (value == INT64_MIN)
		kt_buf_addf(out, "-%lld - 1", (long long)INT64_MAX);
	else
		kt_buf_addf(out, "%lld", (long long)value);
}

static void put_problems(struct kt_buf *out, const struct kt_pragma *p)
{
	if (p->variable_count == 0)
		return;
	kt_buf_adds(out, "problem((");
	for (size_t i = 0; i < p->variable_count; i++)
		kt_buf_addf(out, "%s%s", i > 0 ? ", " : "", p->variables[i]);
	kt_buf_adds(out, ") =");
	for (size_t i = 0; i < p->problem_count; i++) {
		kt_buf_adds(out, i > 0 ? ", (" : " (");
		for (size_t j = 0; j < p->variable_count; j++) {
			kt_buf_adds(out, j > 0 ? ", " : "");
			put_int(out, p->problems[i * p->variable_count + j]);
		}
		kt_buf_addc(out, ')');
	}
	kt_buf_adds(out, ")\n");
}

static void put_buffer(struct kt_buf *out, const struct kt_pragma_buffer *buffer)
{
	static const char *const directions[] = {"", "in", "out", "inout", "scratch"};

	kt_buf_addf(out, "%s(%s", directions[buffer->direction], buffer->name);
	put_expr(out, "[", &buffer->count, "]");
	switch (buffer->fill.kind) {
	case KT_FILL_UNIFORM:
		kt_buf_addf(out, " : uniform(%.17g, %.17g)", buffer->fill.a, buffer->fill.b);
		break;
	case KT_FILL_NORMAL:
		kt_buf_addf(out, " : normal(%.17g, %.17g)", buffer->fill.a, buffer->fill.b);
		break;
	case KT_FILL_RANGE:
		kt_buf_addf(out, " : range(%.0f, %.0f)", buffer->fill.a, buffer->fill.b);
		break;
	case KT_FILL_CHOICE:
		for (size_t i = 0; i < buffer->fill.count; i++)
			kt_buf_addf(out, "%s%.17g", i == 0 ? " : choice(" : ", ", kt_fill_number(&buffer->fill, i));
		kt_buf_addc(out, ')');
		break;
	case KT_FILL_IOTA:
		kt_buf_adds(out, " : iota");
		break;
	case KT_FILL_ZEROS:
		kt_buf_adds(out, " : zeros");
		break;
	default:
		break;
	}
	kt_buf_adds(out, ")\n");
}

static void put_tune(struct kt_buf *out, const struct kt_pragma_tune *tune)
{
	kt_buf_addf(out, "tune(%s = ", tune->name);
	for (size_t i = 0; i < tune->count; i++) {
		kt_buf_adds(out, i > 0 ? ", " : "");
		put_int(out, tune->values[i]);
	}
	kt_buf_adds(out, ")\n");
}

static void put_axes(struct kt_buf *out, const char *clause, size_t count, const struct kt_clause_expr *axes)
{
	if (count == 0)
		return;
	kt_buf_addf(out, "%s(", clause);
	for (size_t i = 0; i < count; i++)
		put_expr(out, i > 0 ? ", " : "", &axes[i], "");
	kt_buf_adds(out, ")\n");
}

static void put_limits(struct kt_buf *out, const char *first, double a, const char *second, double b)
{
	if (a >= 0)
		kt_buf_addf(out, "%s = %.17g", first, a);
	if (b >= 0)
		kt_buf_addf(out, "%s%s = %.17g", a >= 0 ? ", " : "", second, b);
	kt_buf_adds(out, ")\n");
}

static void put_lists(struct kt_buf *out, const struct kt_pragma *p)
{
	for (size_t i = 0; i < p->buffer_count; i++)
		put_buffer(out, &p->buffers[i]);
	for (size_t i = 0; i < p->value_count; i++)
		kt_buf_addf(out, "value(%s = %s)\n", p->values[i].name, p->values[i].text);
	for (size_t i = 0; i < p->tune_count; i++)
		put_tune(out, &p->tunes[i]);
	for (size_t i = 0; i < p->restriction_count; i++)
		put_expr(out, "restriction(", &p->restrictions[i], ")\n");
	for (size_t i = 0; i < p->guard_count; i++)
		put_expr(out, "guard(", &p->guards[i], ")\n");
	for (size_t i = 0; i < p->bind_count; i++)
		kt_buf_addf(out, "bind(%s = %s)\n", p->binds[i].name, p->binds[i].text);
	for (size_t i = 0; i < p->tolerance_count; i++) {
		const struct kt_pragma_tolerance *tolerance = &p->tolerances[i];

		kt_buf_addf(out, "tolerance(%s%s", tolerance->buffer != NULL ? tolerance->buffer : "",
		            tolerance->buffer != NULL ? ": " : "");
		put_limits(out, "abs", tolerance->absolute, "rel", tolerance->relative);
	}
}

/* Everything the record holds but offsets, in clauses. */
static void put_pragma(struct kt_buf *out, const struct kt_pragma *p)
{
	if (p->name != NULL)
		kt_buf_addf(out, "name(%s)\n", p->name);
	put_problems(out, p);
	put_lists(out, p);
	put_axes(out, p->grid_is_global ? "global" : "grid", p->grid_count, p->grid);
	put_axes(out, "block", p->block_count, p->block);
	put_expr(out, "smem(", &p->shared_bytes, ")\n");
	put_expr(out, "bytes(", &p->bytes, ")\n");
	put_expr(out, "flops(", &p->flops, ")\n");
	if (p->generation == KT_AUTO_ALL)
		kt_buf_adds(out, "auto\n");
	else if (p->generation != KT_AUTO_DEFAULT)
		put_names(out, "auto", p->generation == KT_AUTO_OFF, p->strategy_count, p->strategies);
	if (p->specialize_off || p->specialize_count > 0)
		put_names(out, "specialize", p->specialize_off, p->specialize_count, p->specialize);
	if (p->budget_seconds >= 0 || p->budget_trials >= 0) {
		kt_buf_adds(out, "budget(");
		put_limits(out, "seconds", p->budget_seconds, "trials", (double)p->budget_trials);
	}
}

static void check_written(struct kt_arena *arena, const struct kt_pragma *pragma)
{
	struct kt_buf once = KT_BUF(KT_LIMIT_SOURCE_BYTES), twice = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_pragma *again;
	struct kt_pragma_problem *problems;
	struct kt_error err;
	size_t count;

	put_pragma(&once, pragma);
	if (once.size < PRAGMA_BYTES &&
	    kt_pragma_parse(&again, &problems, &count, arena, kt_buf_text(&once), once.size, NULL, &err) == KT_OK) {
		KT_FUZZ_REQUIRE(count == 0);
		put_pragma(&twice, again);
		KT_FUZZ_REQUIRE(strcmp(kt_buf_text(&once), kt_buf_text(&twice)) == 0);
	}
	kt_buf_free(&once);
	kt_buf_free(&twice);
}

static void check_pragma(struct kt_arena *arena, const struct kt_pragma *pragma)
{
	for (size_t i = 0; i < pragma->buffer_count; i++)
		check_clause(arena, &pragma->buffers[i].count);
	for (size_t i = 0; i < pragma->restriction_count; i++)
		check_clause(arena, &pragma->restrictions[i]);
	for (size_t i = 0; i < pragma->guard_count; i++)
		check_clause(arena, &pragma->guards[i]);
	for (size_t i = 0; i < 3; i++) {
		check_clause(arena, &pragma->grid[i]);
		check_clause(arena, &pragma->block[i]);
	}
	check_clause(arena, &pragma->shared_bytes);
	check_clause(arena, &pragma->bytes);
	check_clause(arena, &pragma->flops);
}

static void check_text(struct kt_arena *arena, const char *text, size_t size)
{
	struct kt_pragma *pragma;
	struct kt_pragma_problem *problems;
	struct kt_expr *expr;
	struct kt_error err;
	size_t count;

	if (kt_pragma_parse(&pragma, &problems, &count, arena, text, size, NULL, &err) == KT_OK) {
		for (size_t i = 0; i < count; i++)
			KT_FUZZ_REQUIRE(problems[i].offset <= size && problems[i].message != NULL);
		check_pragma(arena, pragma);
		if (count == 0)
			check_written(arena, pragma);
	}
	if (kt_expr_parse(&expr, arena, text, size, &err) == KT_OK)
		check_expr(arena, expr, size);
	else
		KT_FUZZ_REQUIRE(err.code != KT_ERR_SYNTAX || err.offset <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	/* An exact copy on the heap, so that a read past its end is seen. */
	char *text = malloc(size > 0 ? size : 1);

	if (arena != NULL && text != NULL) {
		if (size > 0)
			memcpy(text, data, size);
		check_text(arena, text, size);
	}
	free(text);
	kt_arena_free(arena);
	return 0;
}
