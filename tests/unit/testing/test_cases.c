/* The list of checks: what must be in it, what must not, and the text form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/device.h"
#include "testing/cases.h"
#include "testing/sizes.h"

struct fixture {
	struct kt_arena *arena;
	struct kt_region region;
	struct kt_instance instance;
	struct kt_template template_;
	struct kt_device device;
	struct kt_subject subject;
	int64_t original[2];
	struct kt_error err;
};

static const char *variables[] = {"rows", "d"};
static int64_t problems[] = {16, 4096, 1, 4096};
static int64_t block_values[] = {64, 128, 256};
static int64_t vec_values[] = {1, 2, 4, 8};
static struct kt_parameter parameters[] = {
    {.name = "BLOCK", .value_count = 3, .values = block_values, .original = 128},
    {.name = "VEC", .value_count = 4, .values = vec_values, .original = 1},
};
static struct kt_argument arguments[] = {
    {.name = "y", .type = "half *", .is_pointer = true},
    {.name = "x", .type = "const half *", .is_pointer = true, .is_const = true},
    {.name = "index", .type = "const int *", .is_pointer = true, .is_const = true},
    {.name = "d", .type = "int"},
};
static enum kt_scalar elements[] = {KT_F16, KT_F16, KT_I32, KT_I32};

static struct kt_clause_expr clause(struct fixture *f, const char *text)
{
	struct kt_clause_expr out = {.text = text};

	assert_int_equal(kt_expr_parse(&out.expr, f->arena, text, strlen(text), &f->err), KT_OK);
	return out;
}

static struct kt_clause_expr *clauses(struct fixture *f, const char *text)
{
	struct kt_clause_expr *out = kt_arena_alloc(f->arena, sizeof *out);

	*out = clause(f, text);
	return out;
}

static struct kt_buffer buffer(struct fixture *f, const char *name, int64_t argument, enum kt_direction direction,
                               const char *count)
{
	return (struct kt_buffer){.name = name, .argument = argument, .direction = direction, .count = clause(f, count)};
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	f->arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buffer *buffers = kt_arena_array(f->arena, 3, sizeof *buffers);
	buffers[0] = buffer(f, "y", 0, KT_OUT, "rows * d");
	buffers[1] = buffer(f, "x", 1, KT_IN, "rows * d");
	buffers[2] = buffer(f, "index", 2, KT_IN, "rows");
	buffers[2].fill = (struct kt_fill){.kind = KT_FILL_RANGE, .a = 0, .b = 3};
	f->region = (struct kt_region){
	    .name = "k", .kernel = "k", .argument_count = 4, .arguments = arguments, .variable_count = 2,
	    .variables = variables, .problem_count = 2, .problems = problems, .buffer_count = 3, .buffers = buffers,
	    .parameter_count = 2, .parameters = parameters, .instance_count = 1, .grid_count = 1, .block_count = 1};
	f->region.grid[0] = clause(f, "rows");
	f->region.block[0] = clause(f, "BLOCK");
	f->instance = (struct kt_instance){.name = "k", .elements = elements};
	f->region.instances = &f->instance;
	f->template_ = (struct kt_template){.region = &f->region, .parameter_count = 2, .parameters = parameters,
	                                    .grid_count = 1, .block_count = 1, .grid = f->region.grid,
	                                    .block = f->region.block};
	f->template_.restriction_count = f->region.restriction_count = 1;
	f->template_.restrictions = f->region.restrictions = clauses(f, "d % (BLOCK * VEC) < BLOCK * VEC && d % VEC == 0");
	f->template_.guard_count = f->region.guard_count = 1;
	f->template_.guards = f->region.guards = clauses(f, "aligned(x, 2 * VEC) && disjoint(x, rows * d, y, rows * d)");
	f->original[0] = 128;
	f->original[1] = 1;
	f->subject = (struct kt_subject){&f->template_, &f->instance, &f->device, f->original};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	kt_arena_free(f->arena);
	free(f);
	return 0;
}

static struct kt_check *make(struct fixture *f, size_t *count)
{
	struct kt_check *checks = NULL;

	if (kt_cases_make(&checks, count, f->arena, &f->subject, &f->err) != KT_OK)
		fail_msg("%s", f->err.message);
	return checks;
}

static const char *text_of(struct fixture *f, const struct kt_check *check)
{
	struct kt_buf text = KT_BUF(4096);

	kt_check_print(&text, &f->subject, check);
	char *copy = kt_arena_strdup(f->arena, kt_buf_text(&text));
	kt_buf_free(&text);
	return copy;
}

static bool has_rest(const struct kt_check *checks, size_t count, size_t variable, int64_t width, int64_t rest)
{
	for (size_t i = 0; i < count; i++)
		if (checks[i].problem[variable] % width == rest % width)
			return true;
	return false;
}

/* What is true of every list. */
static void check_list(struct fixture *f, const struct kt_check *checks, size_t count)
{
	assert_true(count <= KT_CHECKS_MOST);
	for (size_t i = 0; i < count; i++) {
		const struct kt_check_scope scope = {&f->subject, NULL, &checks[i]};
		struct kt_geometry geometry;
		struct kt_check again;
		const char *text = text_of(f, &checks[i]);
		const int64_t bytes = kt_cases_bytes(&f->subject, &checks[i]);

		if (bytes <= 0 || bytes > (int64_t)64 << 20)
			fail_msg("%s has %lld bytes", text, (long long)bytes);
		assert_int_equal(kt_check_geometry(&geometry, &scope, &f->err), KT_OK);
		assert_true(geometry.grid[0] >= 1 && geometry.block[0] >= 1);
		if (!kt_check_allowed(&scope))
			fail_msg("%s is no launch of the original", text);
		for (size_t p = 0; p < f->region.problem_count; p++) {
			struct kt_check problem = kt_check_of_problem(&f->subject, p);

			problem.seed = checks[i].seed;
			if (kt_check_equal(&f->subject, &problem, &checks[i]))
				fail_msg("%s is a tuning problem", text);
		}
		for (size_t j = 0; j < i; j++)
			if (strcmp(text, text_of(f, &checks[j])) == 0)
				fail_msg("%s is there twice", text);
		for (size_t b = 0; b < f->region.buffer_count; b++) {
			const int64_t offset = kt_check_offset(&f->subject, &checks[i], b);

			assert_true(offset >= 0 && offset <= KT_CHECK_OFFSET_MOST);
			assert_int_equal(offset % kt_buffer_element(&f->region.buffers[b], &f->instance)->bytes, 0);
		}
		if (kt_check_read(&again, f->arena, &f->subject, text, &f->err) != KT_OK)
			fail_msg("%s", f->err.message);
		assert_true(kt_check_equal(&f->subject, &again, &checks[i]));
	}
}

static void every_width_and_its_neighbours(void **state)
{
	struct fixture *f = *state;
	size_t count;
	const struct kt_check *checks = make(f, &count);
	int64_t widths[64];
	const size_t found = kt_sizes_widths(widths, 64, &f->subject, 1);
	bool vec = false, tile = false;

	check_list(f, checks, count);
	for (size_t w = 0; w < found; w++) {
		vec = vec || widths[w] == 8;
		tile = tile || widths[w] == 256 * 8;
		if (!has_rest(checks, count, 1, widths[w], 1) || !has_rest(checks, count, 1, widths[w], widths[w] - 1) ||
		    !has_rest(checks, count, 1, widths[w], 0))
			fail_msg("%lld is not surrounded", (long long)widths[w]);
	}
	assert_true(vec && tile);
	for (size_t v = 0; v < 2; v++) {
		bool one = false, odd = false;

		for (size_t i = 0; i < count; i++) {
			one = one || checks[i].problem[v] == 1;
			odd = odd || (checks[i].problem[v] % 2 == 1 && checks[i].problem[v] > 1);
		}
		assert_true(one && odd);
	}
}

/* Each vector width is let in by some check and kept out by another one: launches on both sides of its guard. */
static void both_sides_of_every_guard(void **state)
{
	struct fixture *f = *state;
	size_t count;
	const struct kt_check *checks = make(f, &count);

	for (size_t v = 0; v < 4; v++) {
		const int64_t configuration[] = {128, vec_values[v]};
		bool in = false, size_out = false, place_out = false;

		for (size_t i = 0; i < count; i++) {
			const struct kt_check_scope scope = {&f->subject, configuration, &checks[i]};
			const bool allowed = kt_check_allowed(&scope);
			const bool divides = checks[i].problem[1] % vec_values[v] == 0;
			const bool aligned = kt_check_offset(&f->subject, &checks[i], 1) % (2 * vec_values[v]) == 0;

			/* An alias of x is not disjoint from it. */
			assert_int_equal(allowed, divides && aligned && checks[i].alias < 0);
			in = in || allowed;
			size_out = size_out || (!divides && aligned);
			place_out = place_out || (divides && !aligned);
		}
		assert_true(in);
		assert_true(vec_values[v] == 1 || (size_out && place_out));
	}
}

/* A plan's own memory keeps launches out where it has no size, and where it would be too much; the original never. */
static void its_own_memory_keeps_a_plan_out(void **state)
{
	struct fixture *f = *state;
	const int64_t configuration[] = {128, 1};
	const struct kt_check check = kt_check_of_problem(&f->subject, 0);
	const struct kt_check_scope scope = {&f->subject, configuration, &check}, original = {&f->subject, NULL, &check};
	struct kt_template_temporary own[2] = {{.name = "a", .element = KT_F32, .count = clause(f, "rows * BLOCK")},
	                                       {.name = "b", .element = KT_U8, .count = clause(f, "d / VEC")}};
	int64_t counts[KT_TEMPORARIES];

	f->template_.temporary_count = 2;
	f->template_.temporaries = own;
	assert_int_equal(kt_check_temporaries(counts, &scope, &f->err), KT_OK);
	assert_int_equal(counts[0], 16 * 128);
	assert_int_equal(counts[1], 4096);
	f->device.memory_bytes = (16 * 128 * 4 + 4096) * KT_TEMPORARY_SHARE;
	assert_true(kt_check_allowed(&scope));
	f->device.memory_bytes--;
	assert_false(kt_check_allowed(&scope));
	assert_true(kt_check_allowed(&original));
	f->device.memory_bytes = 0;
	own[1].count = clause(f, "15 - rows");
	assert_false(kt_check_allowed(&scope));
	own[1].count = clause(f, "rows / (16 - rows)");
	assert_false(kt_check_allowed(&scope));
	assert_int_equal(kt_check_temporaries(counts, &scope, &f->err), KT_ERR_INVALID);
	own[1].count = clause(f, "1");
	own[0].count = clause(f, "1 << 62");
	assert_false(kt_check_allowed(&scope));
	assert_true(kt_check_allowed(&original));
}

/* What cuts a variable in a later kernel of a plan, or in its memory, does so in its checks. */
static void all_of_a_plan_says_how_sizes_are_cut(void **state)
{
	struct fixture *f = *state;
	const struct kt_template_kernel further = {.grid_count = 1, .block_count = 1,
	                                           .grid = clauses(f, "ceil_div(d, BLOCK)"), .block = clauses(f, "32")};
	const struct kt_template_temporary own = {.name = "a", .element = KT_F32, .count = clause(f, "rows * VEC")};
	int64_t widths[8];

	f->template_.guard_count = f->template_.restriction_count = 0;
	f->template_.further = &further;
	f->template_.temporaries = &own;
	f->template_.further_count = f->template_.temporary_count = 1;
	assert_int_equal(kt_sizes_widths(widths, 8, &f->subject, 1), 3);
	assert_int_equal(widths[0], 64);
	assert_int_equal(kt_sizes_widths(widths, 8, &f->subject, 0), 3);
	assert_int_equal(widths[0], 2);
}

static void the_first_ones_are_of_every_kind(void **state)
{
	struct fixture *f = *state;
	size_t count;
	bool tail = false, special = false, moved = false, one = false;

	/* With disjoint in a clause, in place is nothing the original is launched with. */
	const struct kt_check *checks = make(f, &count);
	assert_true(count > KT_CHECKS_FIRST);
	for (size_t i = 0; i < KT_CHECKS_FIRST; i++) {
		tail = tail || checks[i].problem[1] % 8 == 1;
		special = special || checks[i].fill == KT_FILL_SPECIAL;
		moved = moved || checks[i].offset != 0;
		one = one || (checks[i].problem[0] == 1 && checks[i].problem[1] == 1);
	}
	assert_true(tail && special && moved && one);
}

static void in_place_unless_it_is_forbidden(void **state)
{
	struct fixture *f = *state;
	size_t count, aliases = 0;

	f->template_.guard_count = f->region.guard_count = 0;
	const struct kt_check *checks = make(f, &count);
	check_list(f, checks, count);
	for (size_t i = 0; i < count; i++) {
		aliases += checks[i].alias >= 0;
		/* The index has another type. */
		assert_true(checks[i].alias < 0 || (checks[i].alias == 1 && checks[i].alias_of == 0));
	}
	assert_int_equal(aliases, 1);
	arguments[1].is_restrict = true;
	checks = make(f, &count);
	arguments[1].is_restrict = false;
	for (size_t i = 0; i < count; i++)
		assert_int_equal(checks[i].alias, -1);
}

static void an_index_keeps_its_range(void **state)
{
	struct fixture *f = *state;
	size_t count, kinds = 0;
	const struct kt_check *checks = make(f, &count);

	for (size_t i = 0; i < count; i++) {
		const struct kt_fill fill = kt_check_fill(&checks[i], &f->region.buffers[2], KT_I32);

		assert_true(fill.kind == KT_FILL_RANGE && fill.a == 0 && fill.b == 3);
		kinds |= (size_t)1 << checks[i].fill;
	}
	/* Each fill once. */
	for (int kind = KT_FILL_CONSTANT; kind <= KT_FILL_SPECIAL; kind++)
		assert_true(kinds & (size_t)1 << kind);
	assert_true(kinds & (size_t)1 << KT_FILL_ZEROS);
	assert_true(kinds & (size_t)1 << KT_FILL_NORMAL);
}

static void the_fill_of_a_clause_is_a_sample(void **state)
{
	struct fixture *f = *state;
	struct kt_check check = {.fill = KT_FILL_LARGE};
	struct kt_buffer *x = &f->region.buffers[1];

	assert_int_equal(kt_check_fill(&check, x, KT_F16).kind, KT_FILL_LARGE);
	x->fill = (struct kt_fill){.kind = KT_FILL_UNIFORM, .a = 2, .b = 4};
	assert_int_equal(kt_check_fill(&check, x, KT_F16).kind, KT_FILL_LARGE);
	check.fill = KT_FILL_ZEROS;
	assert_int_equal(kt_check_fill(&check, x, KT_F16).kind, KT_FILL_ZEROS);
	check.fill = KT_FILL_CONSTANT;
	assert_true(kt_check_fill(&check, x, KT_F16).a == 3);
	check.fill = KT_FILL_SPECIAL;
	struct kt_fill special = kt_check_fill(&check, x, KT_F16);
	assert_true(special.kind == KT_FILL_SPECIAL && special.a == 2 && special.b == 4);
	check.fill = KT_FILL_DEFAULT;
	assert_int_equal(kt_check_fill(&check, x, KT_F16).kind, KT_FILL_UNIFORM);
	for (int kind = KT_FILL_CONSTANT; kind <= KT_FILL_SPECIAL; kind++) {
		static const struct kt_fill clauses[] = {
		    {.kind = KT_FILL_NORMAL, .a = 10, .b = 2}, {.kind = KT_FILL_NORMAL, .a = 10}, {.kind = KT_FILL_IOTA},
		    {.kind = KT_FILL_ZEROS}};

		check.fill = (enum kt_fill_kind)kind;
		for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
			x->fill = clauses[i];
			assert_int_equal(kt_check_fill(&check, x, KT_F32).kind, kind);
			/* An index is one whatever fills it. */
			assert_int_equal(kt_check_fill(&check, x, KT_I32).kind, clauses[i].kind);
		}
		x->fill = (struct kt_fill){.kind = KT_FILL_RANGE, .a = 0, .b = 7};
		assert_int_equal(kt_check_fill(&check, x, KT_F32).kind, KT_FILL_RANGE);
	}
	check.fill = KT_FILL_SPARSE;
	x->fill = (struct kt_fill){.kind = KT_FILL_NORMAL, .a = 10, .b = 2};
	assert_true(kt_check_fill(&check, x, KT_F32).a == 8 && kt_check_fill(&check, x, KT_F32).b == 12);
}

static void without_problem_variables(void **state)
{
	struct fixture *f = *state;
	size_t count, offsets = 0, fills = 0;

	f->region.variable_count = 0;
	f->region.problem_count = 1;
	f->region.problems = NULL;
	f->region.argument_count = 3;
	f->template_.restriction_count = f->region.restriction_count = 0;
	f->template_.guard_count = f->region.guard_count = 0;
	f->region.grid[0] = clause(f, "3");
	for (size_t b = 0; b < 3; b++)
		f->region.buffers[b].count = clause(f, "1000");
	const struct kt_check *checks = make(f, &count);
	check_list(f, checks, count);
	for (size_t i = 0; i < count; i++) {
		offsets += checks[i].offset != 0;
		fills += checks[i].fill != KT_FILL_DEFAULT;
		assert_true(checks[i].problem == NULL);
	}
	assert_true(offsets >= 4 && fills >= 7);
}

/* Original clauses that allow no odd size: nothing is asked of the original that they forbid. */
static void the_original_has_its_own_restrictions(void **state)
{
	struct fixture *f = *state;
	size_t count;

	f->original[1] = 8;
	const struct kt_check *checks = make(f, &count);
	check_list(f, checks, count);
	assert_true(count > 4);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(checks[i].problem[1] % 8, 0);
		assert_int_equal(kt_check_offset(&f->subject, &checks[i], 1), 0);
	}
}

/*
 * A device symbol cannot be moved, nor be where an argument is: the argument that may lead into it does, whichever of
 * the two clauses is first. It has no more elements than the source gives it.
 */
static void device_symbols(void **state)
{
	static const struct {
		enum kt_direction symbol, argument;
		bool is_first, is_constant, is_restrict, is_other;
		bool shares;
	} rows[] = {
	    {KT_IN, KT_OUT, false, false, false, false, true},  {KT_IN, KT_OUT, true, false, false, false, true},
	    {KT_OUT, KT_IN, false, false, false, false, true},  {KT_INOUT, KT_IN, true, false, false, false, true},
	    {KT_IN, KT_OUT, false, true, false, false, false},  {KT_IN, KT_OUT, true, false, true, false, false},
	    {KT_OUT, KT_OUT, false, false, false, false, false}, {KT_IN, KT_OUT, false, false, false, true, false},
	};
	enum { MOST = 16 * 4096 };
	struct fixture *f = *state;
	struct kt_argument changed[4];

	memcpy(changed, arguments, sizeof changed);
	f->region.arguments = changed;
	f->region.buffer_count = 2;
	f->template_.guard_count = f->region.guard_count = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const size_t symbol = rows[i].is_first ? 0 : 1, argument = 1 - symbol;
		size_t count, shared = 0, moved = 0;

		changed[0].is_restrict = rows[i].is_restrict;
		f->region.buffers[argument] = buffer(f, "y", 0, rows[i].argument, "rows * d");
		f->region.buffers[symbol] = buffer(f, "table", -1, rows[i].symbol, "rows * d");
		f->region.buffers[symbol].symbol = (struct kt_device_symbol){
		    "table", kt_element_of(rows[i].is_other ? KT_U16 : KT_F16), MOST, rows[i].is_constant};
		const struct kt_check *checks = make(f, &count);
		check_list(f, checks, count);
		assert_true(count > 10);
		for (size_t c = 0; c < count; c++) {
			assert_true(checks[c].problem[0] * checks[c].problem[1] <= MOST);
			assert_int_equal(kt_check_offset(&f->subject, &checks[c], symbol), 0);
			assert_true(checks[c].shifted != (int64_t)symbol);
			moved += kt_check_offset(&f->subject, &checks[c], argument) != 0;
			if (checks[c].alias < 0)
				continue;
			assert_int_equal(checks[c].alias, argument);
			assert_int_equal(checks[c].alias_of, symbol);
			shared++;
		}
		struct kt_check largest;
		if (kt_cases_largest(&largest, f->arena, &f->subject, (int64_t)1 << 30))
			assert_true(largest.problem[0] * largest.problem[1] <= MOST);
		if ((shared > 0) != rows[i].shares || moved == 0)
			fail_msg("row %zu: %zu checks share the symbol, %zu move the argument", i, shared, moved);
	}
}

/* No check can be made of memory whose content is not known; what is beyond its end is no launch. */
static void symbols_that_cannot_be_filled(void **state)
{
	struct fixture *f = *state;
	const struct kt_check problem = kt_check_of_problem(&f->subject, 0);
	const struct kt_check_scope scope = {&f->subject, NULL, &problem};
	int64_t elements_there = 0;
	size_t count;

	f->region.buffers[1] = buffer(f, "table", -1, KT_IN, "rows * d");
	assert_int_equal(kt_check_count(&elements_there, &scope, 1, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "'table' has a type that cannot be built"));
	(void)make(f, &count);
	assert_int_equal(count, 0);
	f->region.buffers[1].symbol = (struct kt_device_symbol){"table", kt_element_of(KT_F16), 16 * 4096, false};
	assert_int_equal(kt_check_count(&elements_there, &scope, 1, &f->err), KT_OK);
	assert_int_equal(elements_there, 16 * 4096);
	f->region.buffers[1].symbol.elements--;
	assert_int_equal(kt_check_count(&elements_there, &scope, 1, &f->err), KT_ERR_INVALID);
	assert_string_equal(f->err.message, "device symbol 'table' has 65535 elements, its clause counts 65536");
}

static void the_same_list_every_time(void **state)
{
	struct fixture *f = *state;
	size_t first_count, second_count;
	const struct kt_check *first = make(f, &first_count), *second = make(f, &second_count);

	assert_int_equal(first_count, second_count);
	for (size_t i = 0; i < first_count; i++)
		assert_string_equal(text_of(f, &first[i]), text_of(f, &second[i]));
}

static void the_largest_is_larger_than_what_was_tuned(void **state)
{
	struct fixture *f = *state;
	struct kt_check check;

	assert_true(kt_cases_largest(&check, f->arena, &f->subject, (int64_t)1 << 30));
	assert_true(kt_cases_bytes(&f->subject, &check) > (int64_t)1 << 28);
	assert_true(kt_cases_bytes(&f->subject, &check) <= (int64_t)1 << 30);
	assert_false(kt_cases_largest(&check, f->arena, &f->subject, 1000));
}

/* A tile that only the kernel knows of: a variable in no expression is moved as well, before the list is full. */
static void a_variable_that_nothing_relates(void **state)
{
	struct fixture *f = *state;
	size_t count;

	f->template_.guard_count = f->region.guard_count = 0;
	f->template_.restrictions = f->region.restrictions = clauses(f, "rows % (BLOCK * VEC) >= 0");
	const struct kt_check *checks = make(f, &count);
	check_list(f, checks, count);
	assert_true(has_rest(checks, count, 1, 256, 1) && has_rest(checks, count, 1, 256, 255));
}

/* A row that only the kernel's own loop cuts: unusual data must be more than a few elements of it. */
static void unusual_data_is_more_than_a_few_elements(void **state)
{
	struct fixture *f = *state;
	size_t count, fills = 0;

	f->template_.guard_count = f->region.guard_count = 0;
	f->template_.restriction_count = f->region.restriction_count = 0;
	const struct kt_check *checks = make(f, &count);
	check_list(f, checks, count);
	for (size_t i = 0; i < count; i++) {
		if (checks[i].fill == KT_FILL_DEFAULT && checks[i].offset == 0 && checks[i].alias < 0)
			continue;
		fills++;
		/* 16 rows are the most that is tuned. */
		if (checks[i].problem[0] != 16 || checks[i].problem[1] < 64 || checks[i].problem[1] > 4096)
			fail_msg("%s", text_of(f, &checks[i]));
	}
	assert_true(fills > 8);
}

static void unusual_data_where_no_parameter_is(void **state)
{
	struct fixture *f = *state;
	size_t count;

	f->template_.parameter_count = 0;
	f->template_.guard_count = f->region.guard_count = 0;
	f->template_.restriction_count = f->region.restriction_count = 0;
	f->region.block[0] = clause(f, "128");
	f->region.buffers[0].count = f->region.buffers[1].count = clause(f, "d");
	const struct kt_check *checks = make(f, &count);
	check_list(f, checks, count);
	for (size_t i = 0; i < count; i++)
		assert_true(checks[i].fill == KT_FILL_DEFAULT || checks[i].problem[1] == 1024);
}

/* Four variables in one buffer: as large as a few hundred KiB allow. */
static void unusual_data_is_no_more_than_needed(void **state)
{
	struct fixture *f = *state;
	size_t count;

	f->template_.guard_count = f->region.guard_count = 0;
	f->template_.restriction_count = f->region.restriction_count = 0;
	f->region.buffers[0].count = f->region.buffers[1].count = clause(f, "rows * d * d * d");
	const struct kt_check *checks = make(f, &count);
	check_list(f, checks, count);
	for (size_t i = 0; i < count; i++) {
		const int64_t bytes = kt_cases_bytes(&f->subject, &checks[i]);

		if (checks[i].fill != KT_FILL_DEFAULT && (bytes < 16 << 10 || bytes > 256 << 10))
			fail_msg("%s has %lld bytes", text_of(f, &checks[i]), (long long)bytes);
	}
}

/* Vectors of two, four and eight alone: not every size is smaller than a warp. */
static void narrow_vectors_have_long_tails(void **state)
{
	struct fixture *f = *state;
	size_t count;

	f->template_.guard_count = f->region.guard_count = 0;
	f->template_.restrictions = f->region.restrictions = clauses(f, "d % VEC >= 0");
	const struct kt_check *checks = make(f, &count);
	check_list(f, checks, count);
	for (int64_t rest = 1; rest < 8; rest += 6) {
		bool is_long = false;

		for (size_t i = 0; i < count; i++)
			is_long = is_long || (checks[i].problem[1] > 100 && checks[i].problem[1] % 8 == rest);
		assert_true(is_long);
	}
	/* Where less is tuned, three of what all widths divide are no more than that. */
	for (size_t p = 0; p < 2; p++)
		problems[2 * p + 1] = 64;
	checks = make(f, &count);
	for (size_t p = 0; p < 2; p++)
		problems[2 * p + 1] = 4096;
	for (size_t i = 0; i < count; i++)
		assert_true(checks[i].fill == KT_FILL_DEFAULT || checks[i].problem[1] == 48);
}

/* Data that is no index: of both signs, all bits of a byte, beyond what a float holds. */
static void integers_of_all_sizes_where_no_clause_says_otherwise(void **state)
{
	struct fixture *f = *state;
	const struct kt_check check = {.fill = KT_FILL_RANGE};
	struct kt_buffer *x = &f->region.buffers[1];
	size_t count, wide = 0;

	struct kt_fill fill = kt_check_fill(&check, x, KT_I8);
	assert_true(fill.kind == KT_FILL_RANGE && fill.a == -128 && fill.b == 127);
	fill = kt_check_fill(&check, x, KT_U8);
	assert_true(fill.kind == KT_FILL_RANGE && fill.a == 0 && fill.b == 255);
	fill = kt_check_fill(&check, x, KT_I32);
	assert_true(fill.kind == KT_FILL_RANGE && fill.a <= -0x1p25 && fill.b >= 0x1p25);
	fill = kt_check_fill(&check, x, KT_U32);
	assert_true(fill.kind == KT_FILL_RANGE && fill.a == 0 && fill.b == 4294967295.0);
	fill = kt_check_fill(&check, x, KT_I64);
	assert_true(fill.kind == KT_FILL_RANGE && fill.b > 4294967296.0 && fill.a < -4294967296.0);
	fill = kt_check_fill(&check, x, KT_BOOL);
	assert_true(fill.kind == KT_FILL_RANGE && fill.a == 0 && fill.b == 1);
	assert_int_equal(kt_check_fill(&check, x, KT_F16).kind, KT_FILL_UNIFORM);
	/* There is no such check without such integers: the index has a clause. */
	for (int i8 = 0; i8 < 2; i8++) {
		elements[1] = i8 ? KT_I8 : KT_F16;
		const struct kt_check *checks = make(f, &count);
		elements[1] = KT_F16;
		for (size_t i = 0; i < count; i++)
			wide += checks[i].fill == KT_FILL_RANGE;
		assert_int_equal(wide, i8);
	}
}

/* A guard that names its width: sizes that it lets in are more than multiples of everything. */
static void a_guard_without_a_parameter(void **state)
{
	struct fixture *f = *state;
	size_t count;
	bool four = false, eight = false, block = false;

	f->template_.restriction_count = f->region.restriction_count = 0;
	f->template_.guards = clauses(f, "d % 4 == 0 && aligned(x, 8)");
	f->region.guard_count = 0;
	f->region.grid[0] = clause(f, "ceil_div(rows * d, 4 * 32)");
	const struct kt_check *checks = make(f, &count);
	check_list(f, checks, count);
	for (size_t i = 0; i < count; i++) {
		four = four || checks[i].problem[1] % 8 == 4;
		eight = eight || checks[i].problem[1] % 16 == 8;
		block = block || checks[i].problem[1] == 4 * 32 + 1;
	}
	assert_true(four && eight && block);
}

/* Sizes beyond the bounds of a variable are never launched; the least one and the next are. */
static void within_bounds(void **state)
{
	static struct kt_variable_bounds bounds[] = {{0, 0, 0}, {40, 16384, 24}};
	struct fixture *f = *state;
	bool least = false, next = false;
	size_t count;

	f->region.bounds = bounds;
	f->region.guards = clauses(f, "d >= 40 && d <= 16384 && (d - 40) % 24 == 0");
	f->region.guard_count = 1;
	const struct kt_check *checks = make(f, &count);
	f->region.bounds = NULL;
	assert_true(count > 8);
	for (size_t i = 0; i < count; i++) {
		const int64_t d = checks[i].problem[1];

		if (f->region.problems[1] != d && f->region.problems[3] != d && kt_variable_nearest(&bounds[1], d) != d)
			fail_msg("d=%lld", (long long)d);
		least = least || d == 40;
		next = next || d == 64;
	}
	assert_true(least && next);
}

static void texts_that_are_none(void **state)
{
	static const char *const wrong[] = {"rows=1",           "rows=1 d=x",         "rows=1 d=2 fill=strange",
	                                    "rows=1 d=2 offset=16", "rows=1 d=2 offset=z:2", "rows=1 d=2 alias=y:x",
	                                    "rows=1 d=2 seed=0", "rows=1 d=2 more=1", "rows=1 d=2 alias", "rows=1 d=2 d=3"};
	struct fixture *f = *state;
	struct kt_check check;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (kt_check_read(&check, f->arena, &f->subject, wrong[i], &f->err) != KT_ERR_INVALID)
			fail_msg("'%s' was read", wrong[i]);
	/* A tuning problem's text means its data as well. */
	assert_int_equal(kt_check_read(&check, f->arena, &f->subject, "rows=1 d=4096", &f->err), KT_OK);
	assert_int_equal(check.seed, kt_check_of_problem(&f->subject, 1).seed);
	assert_string_equal(text_of(f, &check), "rows=1 d=4096");
	assert_int_equal(
	    kt_check_read(&check, f->arena, &f->subject, "rows=3 d=7 fill=large offset=x:2 alias=x:y seed=9", &f->err),
	    KT_OK);
	assert_string_equal(text_of(f, &check), "rows=3 d=7 fill=large offset=x:2 alias=x:y seed=9");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(every_width_and_its_neighbours), TEST(both_sides_of_every_guard),
	    TEST(its_own_memory_keeps_a_plan_out), TEST(all_of_a_plan_says_how_sizes_are_cut),
	    TEST(within_bounds), TEST(the_first_ones_are_of_every_kind),
	    TEST(in_place_unless_it_is_forbidden), TEST(an_index_keeps_its_range),
	    TEST(the_fill_of_a_clause_is_a_sample), TEST(without_problem_variables),
	    TEST(the_original_has_its_own_restrictions), TEST(the_same_list_every_time),
	    TEST(the_largest_is_larger_than_what_was_tuned), TEST(texts_that_are_none),
	    TEST(a_variable_that_nothing_relates), TEST(unusual_data_is_more_than_a_few_elements),
	    TEST(a_guard_without_a_parameter), TEST(unusual_data_is_no_more_than_needed), TEST(unusual_data_where_no_parameter_is), TEST(narrow_vectors_have_long_tails),
	    TEST(integers_of_all_sizes_where_no_clause_says_otherwise),
	    TEST(device_symbols), TEST(symbols_that_cannot_be_filled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
