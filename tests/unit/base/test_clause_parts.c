/*
 * Every clause is parsed, printed, read and hashed: one that is added here, as a row of KT_CLAUSE_EXPRESSIONS alone,
 * and those that there are. The sources are built again, with the row in them.
 */
#define KT_TEST_CLAUSES(X) X(probe, probe, "write probe(expression)")
#define KT_TEST_PARTS(X) X(probe)

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clause_parts.c"
#include "base/pragma.c"
#include "base/pragma_check.c"
#include "base/pragma_clauses.c"
#include "base/pragma_fill.c"
#include "base/pragma_instances.c"
#include "base/pragma_read.c"
#include "base/pragma_values.c"

static struct kt_arena *arena;

static const struct kt_pragma *parsed(const char *text)
{
	struct kt_pragma *pragma;
	struct kt_pragma_problem *problems;
	struct kt_error err;
	size_t count = 0;

	assert_int_equal(kt_pragma_parse(&pragma, &problems, &count, arena, text, strlen(text), NULL, &err), KT_OK);
	if (count != 0)
		fail_msg("%s: %s", text, problems[0].message);
	return pragma;
}

/* What scan makes of a pragma, as far as that is copying. */
static struct kt_region region_of(const struct kt_pragma *p)
{
	struct kt_region r = {.variables = p->variables, .variable_count = p->variable_count, .problems = p->problems,
	                      .problem_count = p->problem_count, .generation = p->generation,
	                      .restrictions = p->restrictions, .restriction_count = p->restriction_count,
	                      .guards = p->guards, .guard_count = p->guard_count, .grid_count = p->grid_count,
	                      .block_count = p->block_count, .budget_seconds = p->budget_seconds,
	                      .budget_trials = p->budget_trials};

	r.restriction_is_guard = kt_arena_array(arena, p->restriction_count + 1, sizeof(bool));
	r.specialize = kt_arena_array(arena, p->variable_count + 1, sizeof(bool));
	for (size_t v = 0; v < p->variable_count; v++)
		r.specialize[v] = !p->specialize_off;
	memcpy(r.grid, p->grid, sizeof r.grid);
	memcpy(r.block, p->block, sizeof r.block);
	r.buffers = kt_arena_array(arena, p->buffer_count + 1, sizeof *r.buffers);
	for (; r.buffer_count < p->buffer_count; r.buffer_count++) {
		const struct kt_pragma_buffer *from = &p->buffers[r.buffer_count];

		r.buffers[r.buffer_count] = (struct kt_buffer){.name = from->name, .argument = -1, .count = from->count,
		                                               .direction = from->direction, .fill = from->fill,
		                                               .bounds = {from->bounds[0], from->bounds[1]},
		                                               .type = from->type, .member_count = from->member_count, .members = from->members,
		                                               .scratch = from->direction == KT_SCRATCH};
		for (size_t t = 0; t < p->tolerance_count; t++)
			r.buffers[r.buffer_count].absolute = p->tolerances[t].absolute;
	}
	r.values = kt_arena_array(arena, p->value_count + 1, sizeof *r.values);
	for (; r.value_count < p->value_count; r.value_count++)
		r.values[r.value_count] = (struct kt_value){.name = p->values[r.value_count].name, .argument = -1,
		                                            .text = p->values[r.value_count].text,
		                                            .number = p->values[r.value_count].number,
		                                            .expr = p->values[r.value_count].expr};
	r.parameters = kt_arena_array(arena, p->tune_count + 1, sizeof *r.parameters);
	for (; r.parameter_count < p->tune_count; r.parameter_count++)
		r.parameters[r.parameter_count] = (struct kt_parameter){.name = p->tunes[r.parameter_count].name,
		                                                        .values = p->tunes[r.parameter_count].values,
		                                                        .value_count = p->tunes[r.parameter_count].count};
#define TAKE(clause, member, usage) r.member = p->member;
	KT_CLAUSE_EXPRESSIONS(TAKE)
#undef TAKE
	return r;
}

static char *printed(const struct kt_region *region)
{
	cJSON *json = cJSON_CreateObject();
	char *text;

	kt_clauses_print(json, region);
	text = cJSON_PrintUnformatted(json);
	cJSON_Delete(json);
	return text;
}

static void hashed(char out[KT_HASH_TEXT], const struct kt_pragma *pragma, const struct kt_region *region)
{
	struct kt_hash hash;

	kt_hash_init(&hash);
	kt_clauses_hash(&hash, pragma, region);
	kt_hash_final(&hash, out);
}

/* Two texts of a clause: what is different in each of record and hash. */
static const struct {
	const char *clause, *one, *other;
	bool unhashed;
} rows[] = {
    {"problem", "problem(n = 1, 2)", "problem(n = 1, 3)", false},
    {"in", "problem(n = 1) in(x[n])", "problem(n = 1) in(x[n + 1])", false},
    {"in", "problem(n = 1) in(x[n]: {from = range(0, n), w = zeros})", "problem(n = 1) in(x[n]: {from = range(0, n)})", false},
    {"in", "problem(n = 1) in(x[n]: as(block))", "problem(n = 1) in(x[n])", false},
    {"in", "problem(n = 1) in(x[n]: as(block) zeros)", "problem(n = 1) in(x[n]: as(ops::block) zeros)", false},
    {"in", "problem(n = 1) in(x[n]: {from = range(0, n)})", "problem(n = 1) in(x[n]: {from = range(0, 2 * n)})", false},
    {"in", "problem(n = 1) in(x[n]: {from = range(0, 4)})", "problem(n = 1) in(x[n]: {to = range(0, 4)})", false},
    {"in", "problem(n = 1) in(x[n]: {from = range(0, 4)})", "problem(n = 1) in(x[n]: {from = range(0, 5)})", false},
    {"out", "problem(n = 1) out(x[n])", "problem(n = 1) in(x[n])", false},
    {"inout", "problem(n = 1) inout(x[n])", "problem(n = 1) inout(x[n] : uniform(1, 2))", false},
    {"scratch", "problem(n = 1) scratch(x[n])", "problem(n = 1) inout(x[n])", false},
    {"value", "value(a = 1)", "value(a = 2)", false},
    {"tune", "tune(A = 1, 2)", "tune(A = 1, 3)", false},
    {"restriction", "tune(A = 1, 2) restriction(A > 1)", "tune(A = 1, 2) restriction(A > 2)", false},
    {"guard", "tune(A = 1, 2) guard(A > 1)", "tune(A = 1, 2) guard(A > 2)", false},
    {"grid", "grid(1, 2)", "grid(1, 3)", false},
    {"global", "global(1, 2)", "global(1, 3)", false},
    {"block", "block(1, 2)", "block(1, 3)", false},
    {"local", "local(1, 2)", "local(1, 3)", false},
    {"auto", "auto(off)", "auto", false},
    {"tolerance", "problem(n = 1) out(x[n]) tolerance(abs = 1)", "problem(n = 1) out(x[n]) tolerance(abs = 2)", false},
    {"specialize", "problem(n = 1) specialize(off)", "problem(n = 1) specialize(n)", false},
    {"budget", "budget(trials = 3)", "budget(trials = 4)", true},
    {"smem", "smem(1)", "smem(2)", false},
    {"bytes", "bytes(1)", "bytes(2)", false},
    {"flops", "flops(1)", "flops(2)", false},
    {"weight", "weight(1)", "weight(2)", false},
    {"value", "problem(n = 1) value(a = n + 1)", "problem(n = 1) value(a = n + 2)", false},
    {"in", "problem(n = 1) in(x[n] : range(0, n))", "problem(n = 1) in(x[n] : range(0, n + 1))", false},
    {"in", "problem(n = 1) in(x[n] : uniform(n, 9))", "problem(n = 1) in(x[n] : uniform(n + 1, 9))", false},
    {"probe", "probe(1)", "probe(2)", false},
};

static void test_every_clause(void **state)
{
	(void)state;
	for (size_t c = 0; c < KT_CLAUSES; c++) {
		size_t i = 0;

		while (i < sizeof rows / sizeof *rows && strcmp(rows[i].clause, clauses[c].name) != 0)
			i++;
		if (i == sizeof rows / sizeof *rows && clauses[c].part != KT_PART_elsewhere)
			fail_msg("clause %s has no row here", clauses[c].name);
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct kt_pragma *one = parsed(rows[i].one), *other = parsed(rows[i].other);
		const struct kt_region a = region_of(one), b = region_of(other);
		struct kt_region back = {0};
		struct kt_error err;
		struct kt_member_reader reader = {.arena = arena, .err = &err, .region = &back};
		char *of_a = printed(&a), *of_b = printed(&b), *of_back, hash_a[KT_HASH_TEXT], hash_b[KT_HASH_TEXT];
		cJSON *json = cJSON_Parse(of_a);

		if (strcmp(of_a, of_b) == 0)
			fail_msg("clause %s is not printed: %s", rows[i].clause, of_a);
		const struct kt_json_place root = {.json = json};
		reader.at = &root;
		if (kt_clauses_read(&back, &reader) != KT_OK)
			fail_msg("clause %s: %s", rows[i].clause, err.message);
		of_back = printed(&back);
		assert_string_equal(of_back, of_a);
		hashed(hash_a, one, &a);
		hashed(hash_b, other, &b);
		if ((strcmp(hash_a, hash_b) == 0) != rows[i].unhashed)
			fail_msg("clause %s: its hash", rows[i].clause);
		cJSON_Delete(json);
		free(of_a);
		free(of_b);
		free(of_back);
	}
}

static const struct kt_element *made(uint32_t bytes, const struct kt_number numbers[2])
{
	const struct kt_element *out = NULL;
	struct kt_error err;

	assert_int_equal(kt_element_make(&out, arena, bytes, 4, numbers, 2, &err), KT_OK);
	return out;
}

/* Every member of a device symbol is printed, read and hashed; a record that is none has nothing of it. */
static void test_symbol(void **state)
{
	static const struct kt_number pair[] = {{"x", KT_F32, 0, 0}, {"y", KT_F32, 4, 0}}, two[] = {{"x", KT_F32, 0, 0}, {"y", KT_I32, 4, 0}},
	                              apart[] = {{"x", KT_F32, 0, 0}, {"y", KT_F32, 8, 0}};
	const struct kt_element *const f32 = kt_element_of(KT_F32), *const f16 = kt_element_of(KT_F16);
	const struct kt_device_symbol symbols[] = {
	    {NULL, NULL, 0, false},
	    {"_ZN3ops1xE", f32, 64, false},
	    {"_ZN3ops1zE", f32, 64, false},
	    {"_ZN3ops1xE", f16, 64, false},
	    {"_ZN3ops1xE", f32, 65, false},
	    {"_ZN3ops1xE", f32, 64, true},
	    {"_ZN3ops1xE", made(8, pair), 64, false},
	    {"_ZN3ops1xE", made(8, two), 64, false},
	    {"_ZN3ops1xE", made(12, apart), 64, false},
	};
	enum { SYMBOLS = sizeof symbols / sizeof *symbols };
	const struct kt_pragma *pragma = parsed("problem(n = 1) in(x[n])");
	char *texts[SYMBOLS], hashes[SYMBOLS][KT_HASH_TEXT];

	(void)state;
	for (size_t i = 0; i < SYMBOLS; i++) {
		struct kt_region region = region_of(pragma), back = {0};
		struct kt_error err;
		struct kt_member_reader reader = {.arena = arena, .err = &err, .region = &back};

		region.buffers[0].symbol = symbols[i];
		texts[i] = printed(&region);
		hashed(hashes[i], pragma, &region);
		cJSON *json = cJSON_Parse(texts[i]);
		const struct kt_json_place root = {.json = json};
		reader.at = &root;
		assert_int_equal(kt_clauses_read(&back, &reader), KT_OK);
		char *again = printed(&back);
		assert_string_equal(again, texts[i]);
		free(again);
		cJSON_Delete(json);
		for (size_t before = 0; before < i; before++) {
			assert_string_not_equal(texts[i], texts[before]);
			assert_string_not_equal(hashes[i], hashes[before]);
		}
	}
	for (size_t i = 0; i < SYMBOLS; i++)
		free(texts[i]);
}

static void test_added(void **state)
{
	const struct kt_pragma *pragma = parsed("problem(n = 1) probe(n * 2)");
	const struct kt_region region = region_of(pragma);
	char *text = printed(&region);

	(void)state;
	assert_non_null(strstr(text, "\"probe\":\"n * 2\""));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_clause), cmocka_unit_test(test_symbol),
	                                   cmocka_unit_test(test_added)};
	int failed;

	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	kt_arena_free(arena);
	return failed;
}
