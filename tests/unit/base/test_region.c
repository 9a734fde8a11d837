#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/device.h"
#include "base/region.h"

struct state {
	struct kt_arena *arena;
	cJSON *json;
	struct kt_error err;
};

static const char region_text[] =
    "{\"file\":\"k.cu\",\"regions\":[{\"name\":\"k\",\"kernel\":\"k\",\"file\":\"k.cu\",\"line\":3,\"column\":1,"
    "\"decline\":null,\"extent\":[10,90],\"body\":[50,90],"
    "\"parameters\":[{\"name\":\"BLOCK\",\"values\":[64,128],\"carrier\":\"macro\",\"original\":64,\"fixed\":null},"
    "{\"name\":\"V\",\"values\":[1,\"9007199254740993\"],\"carrier\":\"template\",\"template_index\":1}],"
    "\"templates\":[{\"name\":\"T\",\"declaration\":\"typename T\",\"is_type\":true},"
    "{\"name\":\"V\",\"declaration\":\"int V\",\"default_text\":\"2\"}],"
    "\"arguments\":[{\"name\":\"y\",\"type\":\"T *\",\"is_pointer\":true},{\"name\":\"d\",\"type\":\"int\"},"
    "{\"name\":\"eps\",\"type\":\"float\"}],"
    "\"instances\":[{\"name\":\"k<__half, 4>\",\"arguments\":[\"__half\",\"4\"],"
    "\"elements\":[\"f16\",\"i32\",\"f32\"],"
    "\"types\":[\"__half *\",\"int\",\"float\"]}],"
    "\"variables\":[\"rows\",\"d\"],\"problems\":[{\"rows\":1,\"d\":64},{\"d\":128,\"rows\":2}],"
    "\"buffers\":[{\"name\":\"y\",\"argument\":0,\"direction\":\"out\",\"count\":\"rows*d\","
    "\"fill\":{\"kind\":\"uniform\",\"a\":-1,\"b\":1},\"absolute\":0.5,\"relative\":-1}],"
    "\"values\":[{\"name\":\"eps\",\"argument\":2,\"text\":\"1e-6f\",\"number\":1e-6},"
    "{\"name\":\"steps\",\"argument\":-1,\"text\":\"7\",\"number\":7,\"integral\":true,\"integer\":7}],"
    "\"restrictions\":[\"BLOCK > V\"],\"restriction_is_guard\":[false],\"guards\":[\"d % V == 0\"],"
    "\"grid\":[\"rows\",\"ceil_div(d, BLOCK)\"],\"block\":[\"BLOCK\"],\"shared_bytes\":\"BLOCK * steps\","
    "\"generation\":\"off\",\"bytes\":\"2*d\",\"budget_seconds\":30,"
    "\"edits\":[{\"range\":[20,21],\"kind\":\"kernel\",\"index\":0},"
    "{\"range\":[60,61],\"kind\":\"parameter\",\"index\":1}],"
    "\"callees\":[{\"name\":\"f\",\"extent\":[0,9],\"edits\":[{\"range\":[2,3],\"kind\":\"callee\",\"index\":0}]}],"
    "\"launches\":[{\"line\":9,\"column\":2,\"callee\":[100,101],\"open\":[101,104],"
    "\"close\":[108,112],\"end\":[120,121],"
    "\"has_arguments\":true,\"instance\":0,\"bindings\":[{\"argument\":-1,\"text\":\"n\"},{\"argument\":1}],"
    "\"grid\":[\"rows\"],\"block\":[\"BLOCK\"]}],\"drops\":[[0,4]],"
    "\"closure\":\"aa\",\"near_key\":\"bb\",\"clauses\":\"cc\"}],"
    "\"files\":[\"k.cu\",\"k.h\"],\"system_files\":[\"/usr/include/math.h\"],\"diagnostics\":\"x\","
    "\"has_errors\":true}";

static int setup(void **context)
{
	static struct state state;
	memset(&state, 0, sizeof state);
	state.arena = kt_arena_new((size_t)1 << 20);
	assert_non_null(state.arena);
	assert_int_equal(kt_json_parse(&state.json, region_text, strlen(region_text), &state.err), KT_OK);
	*context = &state;
	return 0;
}

static int teardown(void **context)
{
	struct state *s = *context;
	cJSON_Delete(s->json);
	kt_arena_free(s->arena);
	return 0;
}

static struct kt_unit *read_unit(struct state *s)
{
	struct kt_unit *unit = NULL;
	assert_int_equal(kt_unit_read(&unit, s->arena, s->json, &s->err), KT_OK);
	return unit;
}

static cJSON *region_json(struct state *s)
{
	return cJSON_GetArrayItem(cJSON_GetObjectItem(s->json, "regions"), 0);
}

static void reads_a_region(void **context)
{
	struct state *s = *context;
	struct kt_unit *unit = read_unit(s);
	/* The record must not lean on the JSON. */
	cJSON_Delete(s->json);
	s->json = NULL;
	assert_int_equal(unit->region_count, 1);
	assert_int_equal(unit->file_count, 2);
	assert_string_equal(unit->files[1].path, "k.h");
	assert_string_equal(unit->system_files[0], "/usr/include/math.h");
	assert_true(unit->has_errors);
	const struct kt_region *r = &unit->regions[0];
	assert_null(r->decline);
	assert_int_equal(r->extent.end, 90);
	assert_int_equal(r->parameters[1].values[1], 9007199254740993);
	assert_int_equal(r->parameters[1].kind, KT_PARAMETER_TEMPLATE);
	assert_true(r->templates[0].is_type);
	assert_string_equal(r->templates[1].default_text, "2");
	assert_int_equal(r->instances[0].elements[0], KT_F16);
	assert_int_equal(r->problem_count, 2);
	assert_int_equal(r->problems[2], 2);
	assert_int_equal(r->problems[3], 128);
	assert_int_equal(r->buffers[0].fill.kind, KT_FILL_UNIFORM);
	assert_true(r->buffers[0].relative < 0);
	assert_int_equal(r->generation, KT_AUTO_OFF);
	assert_int_equal(r->budget_trials, -1);
	assert_null(r->flops.expr);
	assert_int_equal(r->callees[0].edits[0].kind, KT_EDIT_CALLEE);
	assert_string_equal(r->launches[0].bindings[0].text, "n");
	assert_int_equal(r->launches[0].bindings[1].argument, 1);
	assert_null(r->launches[0].bindings[1].text);
	assert_int_equal(r->drops[0].end, 4);
}

static void originals(void **context)
{
	struct state *s = *context;
	const struct kt_region *r = &read_unit(s)->regions[0];
	int64_t value = 0;
	assert_int_equal(kt_region_original(&value, r, &r->instances[0], 0, &s->err), KT_OK);
	assert_int_equal(value, 64);
	assert_int_equal(kt_region_original(&value, r, &r->instances[0], 1, &s->err), KT_OK);
	assert_int_equal(value, 4);
	assert_int_equal(kt_region_original(&value, r, &r->instances[0], 2, &s->err), KT_ERR_INVALID);
	r->instances[0].arguments[1] = "sizeof(int)";
	assert_int_equal(kt_region_original(&value, r, &r->instances[0], 1, &s->err), KT_ERR_INVALID);
	r->instances[0].arguments[1] = "true";
	assert_int_equal(kt_region_original(&value, r, &r->instances[0], 1, &s->err), KT_OK);
	assert_int_equal(value, 1);
}

static void looks_names_up(void **context)
{
	struct state *s = *context;
	const struct kt_region *r = &read_unit(s)->regions[0];
	const int64_t configuration[] = {128, 2};
	const int64_t problem[] = {3, 256};
	const struct kt_device device = {.warp_size = 32};
	struct kt_scope scope = {.region = r, .configuration = configuration, .problem = problem, .device = &device};
	int64_t value = 0;
	assert_true(kt_scope_lookup(&value, "BLOCK", &scope) && value == 128);
	assert_true(kt_scope_lookup(&value, "d", &scope) && value == 256);
	assert_true(kt_scope_lookup(&value, "steps", &scope) && value == 7);
	assert_true(kt_scope_lookup(&value, "device.warp_size", &scope) && value == 32);
	assert_false(kt_scope_lookup(&value, "eps", &scope));
	assert_false(kt_scope_lookup(&value, "y", &scope));
	scope.configuration = scope.problem = NULL;
	scope.device = NULL;
	assert_false(kt_scope_lookup(&value, "BLOCK", &scope));
	assert_false(kt_scope_lookup(&value, "rows", &scope));
	assert_false(kt_scope_lookup(&value, "device.warp_size", &scope));
}

static void computes_geometry(void **context)
{
	struct state *s = *context;
	struct kt_region *r = &read_unit(s)->regions[0];
	const int64_t configuration[] = {128, 2};
	int64_t problem[] = {3, 300};
	struct kt_scope scope = {.region = r, .configuration = configuration, .problem = problem};
	struct kt_geometry g;
	assert_int_equal(kt_region_geometry(&g, &scope, &s->err), KT_OK);
	assert_int_equal(g.grid[0], 3);
	assert_int_equal(g.grid[1], 3);
	assert_int_equal(g.grid[2], 1);
	assert_int_equal(g.block[0], 128);
	assert_int_equal(g.block[1], 1);
	assert_int_equal(g.shared_bytes, 896);
	problem[0] = 0;
	assert_int_equal(kt_region_geometry(&g, &scope, &s->err), KT_ERR_INVALID);
	assert_non_null(strstr(s->err.message, "grid(rows) is 0"));
	scope.problem = NULL;
	assert_int_equal(kt_region_geometry(&g, &scope, &s->err), KT_ERR_MISSING);
	r->block_count = 0;
	assert_int_equal(kt_region_geometry(&g, &scope, &s->err), KT_ERR_INVALID);
}

static void scalars(void **context)
{
	(void)context;
	for (int i = KT_SCALAR_NONE; i <= KT_F64; i++)
		assert_int_equal(kt_scalar_from_name(kt_scalar_name((enum kt_scalar)i)), i);
	assert_int_equal(kt_scalar_bytes(KT_BF16), 2);
	assert_int_equal(kt_scalar_bytes(KT_U64), 8);
	assert_int_equal(kt_scalar_bytes(KT_SCALAR_NONE), 0);
	assert_true(kt_scalar_is_float(KT_F16));
	assert_false(kt_scalar_is_float(KT_I64));
	assert_int_equal(kt_scalar_from_name("f8"), KT_SCALAR_NONE);
	assert_string_equal(kt_scalar_name((enum kt_scalar)99), "none");
}

#define INSTANCE(more) \
	"{\"name\":\"k<__half, 4>\",\"arguments\":[\"__half\",\"4\"],\"elements\":[\"f16\",\"i32\",\"f32\"]," \
	"\"types\":[\"__half *\",\"int\",\"float\"]" more "}"

/* Each row replaces one member of the region and must be refused with this text in the message. */
static const struct {
	const char *member, *value, *message;
} hostile[] = {
	{"extent", "[90,10]", "end before"},
	{"extent", "[1]", "range"},
	{"extent", "[-1,4]", "end before"},
	{"edits", "[{\"range\":[20,21],\"kind\":\"parameter\",\"index\":2}]", "out of range"},
	{"edits", "[{\"range\":[20,21],\"kind\":\"callee\",\"index\":1}]", "out of range"},
	{"edits", "[{\"range\":[60,61]},{\"range\":[20,21]}]", "ascend"},
	{"edits", "[{\"range\":[89,91]}]", "ascend"},
	{"edits", "[7]", "/regions/0/edits/0: an object expected"},
	{"problems", "[{\"rows\":1}]", "problems/0"},
	{"problems", "3", "problems"},
	{"instances", "[{\"name\":\"k\",\"arguments\":[],\"elements\":[],\"types\":[]}]", "does not fit"},
	{"instances", "[" INSTANCE(",\"geometry\":{\"grid\":[\"1\"]}") "]", "half a geometry"},
	{"instances", "[" INSTANCE(",\"geometry\":[]") "]", "an object expected"},
	{"instances", "[" INSTANCE(",\"geometry\":{\"grid\":[\"1\"],\"block\":[\"1 +\"]}") "]", "block/0"},
	{"buffers", "[{\"name\":\"y\",\"argument\":9,\"direction\":\"in\",\"count\":\"1\"}]", "out of range"},
	{"buffers", "[{\"name\":\"y\",\"argument\":0,\"direction\":\"up\",\"count\":\"1\"}]", "unknown"},
	{"buffers", "[{\"name\":\"y\",\"argument\":0,\"direction\":\"in\",\"count\":\"1 +\"}]", "count"},
	{"buffers", "[{\"name\":\"y\",\"argument\":0,\"direction\":\"in\"}]", "no count"},
	{"grid", "[\"1\",\"1\",\"1\",\"1\"]", "at most 3"},
	{"grid", "[\"f(\"]", "grid/0"},
	{"restriction_is_guard", "[]", "does not fit"},
	{"launches", "[{\"instance\":1}]", "out of range"},
	{"launches", "[{\"instance\":0,\"bindings\":[]}]", "bindings"},
	{"parameters", "[{\"name\":\"V\",\"carrier\":\"template\",\"template_index\":7}]", "out of range"},
	{"line", "-4", "/regions/0/line: -4 is outside"},
	{"name", "null", "name"},
};

static void refuses_hostile_json(void **context)
{
	struct state *s = *context;
	for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
		struct kt_unit *unit = NULL;
		cJSON *value = NULL;
		cJSON *old = cJSON_DetachItemFromObject(region_json(s), hostile[i].member);
		assert_int_equal(kt_json_parse(&value, hostile[i].value, strlen(hostile[i].value), &s->err), KT_OK);
		assert_true(cJSON_AddItemToObject(region_json(s), hostile[i].member, value));
		assert_int_not_equal(kt_unit_read(&unit, s->arena, s->json, &s->err), KT_OK);
		if (strstr(s->err.message, hostile[i].message) == NULL)
			fail_msg("%s = %s: %s", hostile[i].member, hostile[i].value, s->err.message);
		assert_null(unit);
		cJSON_DeleteItemFromObject(region_json(s), hostile[i].member);
		assert_true(cJSON_AddItemToObject(region_json(s), hostile[i].member, old));
	}
	assert_non_null(read_unit(s));
}

#define STEP(launch, arguments, more) \
	"{\"kernel\":\"f\",\"line\":9,\"launch\":" launch ",\"arguments\":" arguments ",\"names\":[\"a\",\"b\"]," \
	"\"instances\":[\"f<__half>\"],\"types\":[\"__half *\",\"int\"],\"configuration\":\"g, 64\"" more "}"
#define GEOMETRY ",\"grid\":[\"rows\"],\"block\":[\"64\"]"

static const struct {
	const char *block, *steps, *message; /* message NULL: it is one */
} sequences[] = {
	{"[30,80]", "[" STEP("[31,40]", "[0,1]", GEOMETRY) ","
	            STEP("[41,50]", "[0,2]", GEOMETRY ",\"shared_bytes\":\"4 * d\"") "]",
     NULL},
	{"[30,80]", "[" STEP("[31,40]", "[0,3]", GEOMETRY) "]", "an argument is out of range"},
	{"[30,80]", "[" STEP("[31,40]", "[0,-1]", GEOMETRY) "]", "/regions/0/steps/0/arguments/1: -1 is outside"},
	{"[30,80]", "[" STEP("[31,40]", "[0]", GEOMETRY) "]", "does not fit the region"},
	{"[30,80]", "[" STEP("[31,40]", "[0,1]", "") "]", "no geometry"},
	{"[30,80]", "[" STEP("[31,40]", "[0,1]", GEOMETRY) "," STEP("[39,50]", "[0,1]", GEOMETRY) "]", "ascend"},
	{"[30,35]", "[" STEP("[31,40]", "[0,1]", GEOMETRY) "]", "ascend inside their block"},
};

static void replace(struct state *s, const char *member, const char *text)
{
	cJSON *value = NULL;
	assert_int_equal(kt_json_parse(&value, text, strlen(text), &s->err), KT_OK);
	cJSON_DeleteItemFromObject(region_json(s), member);
	assert_true(cJSON_AddItemToObject(region_json(s), member, value));
}

/* Launches that are one unit: each has its own geometry, and arguments of the region's signature. */
static void reads_steps(void **context)
{
	struct state *s = *context;
	cJSON *argument = NULL;
	replace(s, "block_range", "[30,80]");
	replace(s, "steps", sequences[0].steps);
	struct kt_unit *unit = NULL;
	assert_int_equal(kt_unit_read(&unit, s->arena, s->json, &s->err), KT_ERR_INVALID);
	assert_non_null(strstr(s->err.message, "no expression"));
	cJSON_ArrayForEach(argument, cJSON_GetObjectItem(region_json(s), "arguments"))
		assert_non_null(cJSON_AddStringToObject(argument, "expression", "e"));
	for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
		replace(s, "block_range", sequences[i].block);
		replace(s, "steps", sequences[i].steps);
		kt_status status = kt_unit_read(&unit, s->arena, s->json, &s->err);
		if ((status == KT_OK) != (sequences[i].message == NULL) ||
		    (status != KT_OK && strstr(s->err.message, sequences[i].message) == NULL))
			fail_msg("row %zu: %s", i, s->err.message);
	}
	replace(s, "block_range", sequences[0].block);
	replace(s, "steps", sequences[0].steps);
	const struct kt_region *r = &read_unit(s)->regions[0];
	const int64_t problem[] = {3, 300};
	struct kt_scope scope = {.region = r, .problem = problem};
	struct kt_geometry g;
	assert_int_equal(r->step_count, 2);
	assert_int_equal(r->steps[1].arguments[1], 2);
	assert_string_equal(r->steps[0].instances[0], "f<__half>");
	assert_string_equal(r->arguments[0].expression, "e");
	assert_int_equal(kt_step_geometry(&g, 1, &scope, &s->err), KT_OK);
	assert_int_equal(g.grid[0], 3);
	assert_int_equal(g.block[0], 64);
	assert_int_equal(g.shared_bytes, 1200);
}

/* An instance that is launched in another way has a region that says so; all else, and the other instances, are alike. */
static void divides_by_instance(void **context)
{
	struct state *s = *context;
	replace(s, "instances", "[" INSTANCE("") "," INSTANCE(",\"geometry\":{\"grid\":[\"2 * rows\"],\"block\":[\"32\",\"4\"],"
	        "\"shared_bytes\":null}") "]");
	const struct kt_region *r = &read_unit(s)->regions[0], *own = kt_region_for(r, 1);
	const int64_t configuration[] = {128, 2}, problem[] = {3, 300};
	struct kt_geometry g;
	assert_ptr_equal(kt_region_for(r, 0), r);
	assert_ptr_not_equal(own, r);
	assert_ptr_equal(kt_region_whole(own), r);
	assert_ptr_equal(kt_region_whole(r), r);
	assert_ptr_equal(own->buffers, r->buffers);
	for (size_t i = 0; i < 2; i++) {
		struct kt_scope scope = {.region = kt_region_for(r, i), .configuration = configuration, .problem = problem};
		assert_int_equal(kt_region_geometry(&g, &scope, &s->err), KT_OK);
		assert_int_equal(g.grid[0], i == 0 ? 3 : 6);
		assert_int_equal(g.grid[1], i == 0 ? 3 : 1);
		assert_int_equal(g.block[0], i == 0 ? 128 : 32);
		assert_int_equal(g.block[1], i == 0 ? 1 : 4);
		assert_int_equal(g.shared_bytes, i == 0 ? 896 : 0);
	}
}

static void replace_weight(struct state *s, const char *text)
{
	cJSON_DeleteItemFromObject(region_json(s), "weight");
	assert_true(text == NULL || cJSON_AddStringToObject(region_json(s), "weight", text) != NULL);
}

/* Problems are (1, 64) and (2, 128). */
static void weighs_problems(void **context)
{
	struct state *s = *context;
	double *weights = NULL;
	assert_int_equal(kt_region_weights(&weights, s->arena, &read_unit(s)->regions[0], NULL, &s->err), KT_OK);
	assert_null(weights);
	replace_weight(s, "rows == 2 ? 3 : 1");
	assert_int_equal(kt_region_weights(&weights, s->arena, &read_unit(s)->regions[0], NULL, &s->err), KT_OK);
	assert_true(weights[0] == 0.5 && weights[1] == 1.5);
	replace_weight(s, "rows - 1");
	assert_int_equal(kt_region_weights(&weights, s->arena, &read_unit(s)->regions[0], NULL, &s->err), KT_OK);
	assert_true(weights[0] == 0 && weights[1] == 2);
	replace_weight(s, "0");
	assert_int_equal(kt_region_weights(&weights, s->arena, &read_unit(s)->regions[0], NULL, &s->err), KT_ERR_INVALID);
	assert_string_equal(s->err.message, "k: every problem has the weight 0");
	replace_weight(s, "device.multiprocessors");
	assert_int_equal(kt_region_weights(&weights, s->arena, &read_unit(s)->regions[0], NULL, &s->err), KT_ERR_MISSING);
	replace_weight(s, NULL);
}

static void reads_languages(void **context)
{
	struct state *s = *context;
	struct kt_unit *unit = read_unit(s);
	assert_int_equal(unit->language, KT_LANGUAGE_CUDA);
	assert_int_equal(unit->regions[0].arguments[0].space, KT_SPACE_PRIVATE);
	cJSON *argument = cJSON_GetArrayItem(cJSON_GetObjectItem(region_json(s), "arguments"), 0);
	assert_non_null(cJSON_AddStringToObject(s->json, "language", "opencl"));
	assert_non_null(cJSON_AddStringToObject(argument, "address_space", "local"));
	unit = read_unit(s);
	assert_int_equal(unit->language, KT_LANGUAGE_OPENCL);
	assert_int_equal(unit->regions[0].language, KT_LANGUAGE_OPENCL);
	assert_int_equal(unit->regions[0].arguments[0].space, KT_SPACE_LOCAL);
	assert_int_equal(unit->regions[0].arguments[1].space, KT_SPACE_PRIVATE);
	assert_string_equal(kt_language_name(unit->language), "opencl");
	cJSON_SetValuestring(argument->child->prev, "shared");
	assert_int_equal(kt_unit_read(&unit, s->arena, s->json, &s->err), KT_ERR_INVALID);
}

static void runs_out_of_memory(void **context)
{
	struct state *s = *context;
	struct kt_unit *unit = NULL;
	struct kt_arena *small = kt_arena_new(512);
	assert_non_null(small);
	assert_int_equal(kt_unit_read(&unit, small, s->json, &s->err), KT_ERR_MEMORY);
	assert_null(unit);
	kt_arena_free(small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_a_region, setup, teardown),
		cmocka_unit_test_setup_teardown(originals, setup, teardown),
		cmocka_unit_test_setup_teardown(looks_names_up, setup, teardown),
		cmocka_unit_test_setup_teardown(computes_geometry, setup, teardown),
		cmocka_unit_test_setup_teardown(divides_by_instance, setup, teardown),
		cmocka_unit_test_setup_teardown(weighs_problems, setup, teardown),
		cmocka_unit_test(scalars),
		cmocka_unit_test_setup_teardown(refuses_hostile_json, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_languages, setup, teardown),
		cmocka_unit_test_setup_teardown(reads_steps, setup, teardown),
		cmocka_unit_test_setup_teardown(runs_out_of_memory, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
