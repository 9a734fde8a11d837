/* What `ktcc-clang rewrite` answers: read whole, and what is wrong in one template costs no other. */
#include "../emit/region_fixture.h"
#include "generation/generation.h"

#define TEMPLATE(region, instance, body) \
	"{\"region\":" region ",\"instance\":" instance ",\"generator\":\"rules\",\"rationale\":\"r\",\"concrete\":true," \
	"\"helpers\":\"\",\"head\":\"__global__ void ${ktune:kernel}(int *y)\",\"body\":\"" body "\"," \
	"\"parameters\":[{\"name\":\"BLOCK\",\"values\":[64,128],\"original\":64,\"meaning\":\"threads\"}]," \
	"\"restrictions\":[],\"guards\":[],\"grid\":[\"n\"],\"block\":[\"BLOCK\"],\"shared_bytes\":\"0\",\"strategies\":[]}"

struct answer {
	struct kt_arena *arena;
	struct kt_rules *rules;
	struct kt_error err;
};

static const char source[] = "// one\n__global__ void k(int *y)\n{\n}\n";

/* What the pragma says of launches, and what it says of configurations. */
static struct kt_clause_expr guards[1], restrictions[2];
static size_t guard_count, restriction_count;

static kt_status read(struct answer *a, const char *text)
{
	static struct kt_parameter parameters[] = {{.name = "VEC", .original = 4}};
	static const char *variables[] = {"n"};
	static int64_t problems[] = {16};
	static struct kt_argument arguments[] = {{.name = "y", .is_pointer = true}};
	static struct kt_instance instances[] = {{.name = "k<int>"}, {.name = "k<float>"}};
	static struct kt_region regions[2];
	static struct kt_unit unit = {.region_count = 2, .regions = regions};

	for (size_t i = 0; i < 2; i++)
		regions[i] = (struct kt_region){.name = "k", .variable_count = 1, .variables = variables, .problem_count = 1,
		                                .problems = problems, .argument_count = 1, .arguments = arguments,
		                                .instance_count = i == 0 ? 2 : 1, .instances = instances,
		                                .parameter_count = 1, .parameters = parameters, .guard_count = guard_count,
		                                .guards = guards, .restriction_count = restriction_count,
		                                .restrictions = restrictions,
		                                .extent = {7, sizeof source - 2}, .body = {33, sizeof source - 2},
		                                .body_line = 13};
	a->arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	a->rules = NULL;
	return kt_rules_read(&a->rules, a->arena, &unit, source, text, strlen(text), &a->err);
}

static void test_whole(void **state)
{
	struct answer a;

	(void)state;
	fx_ok(read(&a, "{\"templates\":[" TEMPLATE("0", "1", "{}") "," TEMPLATE("1", "0", "{ }") "],"
	               "\"declined\":[{\"region\":0,\"reason\":\"no-loop\",\"line\":0,\"detail\":\"\"},"
	               "{\"region\":0,\"instance\":0,\"reason\":\"index-depends-on-data\",\"line\":12,"
	               "\"detail\":\"x[i]\"}],"
	               "\"analysis\":[{\"region\":1,\"line\":7,\"text\":\"uniform\"}]}\n"),
	      &a.err);
	assert_null(kt_rules_template(a.rules, 0, 0));
	assert_non_null(kt_rules_template(a.rules, 0, 1));
	assert_string_equal(kt_rules_template(a.rules, 1, 0)->body, "{ }");
	/* The definition begins a line before its body. */
	assert_int_equal(kt_rules_template(a.rules, 1, 0)->head_line, 12);
	assert_int_equal(kt_rules_template(a.rules, 1, 0)->body_line, 13);
	assert_string_equal(kt_rules_declined(a.rules, a.arena, 0, 0), "line 12: index-depends-on-data: x[i]");
	assert_string_equal(kt_rules_declined(a.rules, a.arena, 0, 1), "no-loop");
	assert_null(kt_rules_declined(a.rules, a.arena, 1, 0));
	assert_int_equal(a.rules->note_count, 1);
	assert_string_equal(a.rules->notes[0].text, "uniform");
	kt_arena_free(a.arena);
}

static void test_one_bad_template(void **state)
{
	struct answer a;

	(void)state;
	fx_ok(read(&a, "{\"templates\":[" TEMPLATE("0", "0", "${if BLOCK}") "," TEMPLATE("1", "0", "{}") ","
	               TEMPLATE("1", "0", "{}") "," TEMPLATE("0", "1", "{}") "]}"),
	      &a.err);
	assert_int_equal(a.rules->template_count, 2);
	assert_non_null(kt_rules_template(a.rules, 0, 1));
	assert_non_null(strstr(kt_rules_declined(a.rules, a.arena, 0, 0), "bad-template: /body: byte 0"));
	assert_non_null(strstr(kt_rules_declined(a.rules, a.arena, 1, 0), "a second template"));
	kt_arena_free(a.arena);
}

static struct kt_clause_expr parsed(struct kt_arena *arena, const char *text)
{
	struct kt_clause_expr out = {.text = text};
	struct kt_expr *expr = NULL;
	struct kt_error err;

	fx_ok(kt_expr_parse(&expr, arena, text, strlen(text), &err), &err);
	out.expr = expr;
	return out;
}

/* Rules know nothing of the clauses; a launch where one does not hold is not the variant's all the same. */
static void test_clauses_of_a_launch(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_template *t;
	struct answer a;

	(void)state;
	guards[0] = parsed(arena, "n % VEC == 0");
	restrictions[0] = parsed(arena, "n >= 64");
	restrictions[1] = parsed(arena, "VEC <= 8");
	guard_count = 1;
	restriction_count = 2;
	fx_ok(read(&a, "{\"templates\":[" TEMPLATE("1", "0", "{}") "]}"), &a.err);
	guard_count = restriction_count = 0;
	t = kt_rules_template(a.rules, 1, 0);
	assert_non_null(t);
	assert_int_equal(t->guard_count, 2);
	assert_string_equal(t->guards[0].text, "n % (4) == 0");
	assert_string_equal(t->guards[1].text, "n >= 64");
	kt_arena_free(a.arena);
	kt_arena_free(arena);
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
	    "", "[", "{\"templates\":{}}", "{\"templates\":[7]}",
	    "{\"templates\":[" TEMPLATE("2", "0", "{}") "]}", "{\"templates\":[" TEMPLATE("1", "1", "{}") "]}",
	    "{\"templates\":[" TEMPLATE("-1", "0", "{}") "]}", "{\"templates\":[" TEMPLATE("0", "0.5", "{}") "]}",
	    "{\"declined\":[{\"region\":9,\"reason\":\"r\"}]}", "{\"declined\":[{\"region\":0}]}",
	    "{\"declined\":[{\"region\":0,\"instance\":2,\"reason\":\"r\"}]}",
	    "{\"declined\":[{\"region\":0,\"reason\":\"r\",\"line\":-1}]}",
	    "{\"analysis\":[{\"region\":0,\"text\":\"t\"}]}", "{\"analysis\":[{\"line\":1,\"text\":\"t\"}]}",
	};
	struct answer a;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		if (read(&a, texts[i]) == KT_OK)
			fail_msg("accepted: %s", texts[i]);
		assert_null(a.rules);
		kt_arena_free(a.arena);
	}
	fx_ok(read(&a, "{}"), &a.err);
	assert_int_equal(a.rules->template_count + a.rules->decline_count + a.rules->note_count, 0);
	kt_arena_free(a.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_one_bad_template),
	                                   cmocka_unit_test(test_clauses_of_a_launch), cmocka_unit_test(test_refused)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
