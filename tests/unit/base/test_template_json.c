/* A generator's template as JSON: there and back, and what is refused with its place. */
#include "../emit/region_fixture.h"

static const char whole[] =
    "{\"generator\":\"rules\",\"rationale\":\"wide accesses\","
    "\"strategies\":[{\"name\":\"vectorize\",\"reason\":\"neighbouring threads read neighbouring elements\"}],"
    "\"parameters\":[{\"name\":\"VEC\",\"values\":[1,2,\"9007199254740993\"],\"original\":1,\"meaning\":\"elements of "
    "an access\"},"
    "{\"name\":\"ROWS\",\"values\":[4],\"original\":null,\"meaning\":\"rows of a block\"}],"
    "\"restrictions\":[{\"text\":\"d % VEC == 0\",\"reason\":\"no tail\"}],"
    "\"guards\":[{\"text\":\"aligned(x, 16)\",\"reason\":\"one access\"}],"
    "\"grid\":[\"rows\",\"2\"],\"block\":[\"128\"],\"shared_bytes\":\"4 * ROWS\",\"concrete\":true,"
    "\"helpers\":[],\"head\":[\"__global__ void ${ktune:kernel}(float *x, int d)\"],"
    "\"body\":[\"{\",\"\\t${if VEC > 1}\",\"\\tx[0] = ${VEC};\",\"\\t${end}\",\"}\"]}";

struct parsed {
	struct kt_arena *arena;
	struct kt_template *template_;
	struct kt_error err;
};

static kt_status read(struct parsed *f, const char *text)
{
	cJSON *json = cJSON_Parse(text);
	kt_status status;

	assert_non_null(json);
	f->arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	status = kt_template_read(&f->template_, f->arena, json, &f->err);
	cJSON_Delete(json);
	return status;
}

static void test_there_and_back(void **state)
{
	struct parsed f;
	struct kt_buf text = KT_BUF(1 << 16);
	const struct kt_template *t;
	cJSON *json;

	(void)state;
	fx_ok(read(&f, whole), &f.err);
	t = f.template_;
	assert_true(t->concrete);
	assert_string_equal(t->generator, "rules");
	assert_int_equal(t->parameter_count, 2);
	assert_int_equal(t->parameters[0].kind, KT_PARAMETER_PLACEHOLDER);
	assert_false(t->parameters[0].absent);
	assert_int_equal(t->parameters[0].values[2], INT64_C(9007199254740993));
	assert_true(t->parameters[1].absent);
	assert_string_equal(t->parameters[1].meaning, "rows of a block");
	assert_string_equal(t->helpers, "");
	assert_string_equal(t->body, "{\n\t${if VEC > 1}\n\tx[0] = ${VEC};\n\t${end}\n}");
	assert_int_equal(t->grid_count, 2);
	assert_string_equal(t->grid[1].text, "2");
	assert_string_equal(t->guard_reasons[0], "one access");
	assert_string_equal(t->strategies[0].name, "vectorize");
	json = kt_template_json(t);
	assert_non_null(json);
	kt_json_print(&text, json);
	assert_string_equal(kt_buf_text(&text), whole);
	cJSON_Delete(json);
	/* Who makes a template has texts alone; who reads it parses them. */
	((struct kt_clause_expr *)t->guards)[0].expr = NULL;
	((struct kt_clause_expr *)t->grid)[1].expr = NULL;
	json = kt_template_json(t);
	kt_buf_clear(&text);
	kt_json_print(&text, json);
	assert_string_equal(kt_buf_text(&text), whole);
	cJSON_Delete(json);
	kt_buf_free(&text);
	kt_arena_free(f.arena);
}

/* Text as one string reads as the lines do; lines that end as another system ends them are the same text. */
static void test_one_string(void **state)
{
	struct parsed lines, one;
	struct kt_buf text = KT_BUF(1 << 16);
	char hashes[2][KT_HASH_TEXT];
	const char *at = strstr(whole, "\"body\":");

	(void)state;
	kt_buf_add(&text, whole, (size_t)(at - whole));
	kt_buf_adds(&text, "\"body\":\"{\\r\\n\\t${if VEC > 1}\\n\\tx[0] = ${VEC};\\n\\t${end}\\n}\"}");
	fx_ok(read(&lines, whole), &lines.err);
	fx_ok(read(&one, kt_buf_text(&text)), &one.err);
	assert_string_equal(lines.template_->body, one.template_->body);
	kt_template_hash(hashes[0], lines.template_);
	kt_template_hash(hashes[1], one.template_);
	assert_string_equal(hashes[0], hashes[1]);
	kt_buf_free(&text);
	kt_arena_free(lines.arena);
	kt_arena_free(one.arena);
}

/* `from` of the whole text replaced by `to`. */
static kt_status read_changed(struct parsed *f, const char *from, const char *to)
{
	struct kt_buf text = KT_BUF(1 << 22);
	const char *at = strstr(whole, from);
	kt_status status;

	assert_non_null(at);
	kt_buf_add(&text, whole, (size_t)(at - whole));
	kt_buf_adds(&text, to);
	kt_buf_adds(&text, at + strlen(from));
	status = read(f, kt_buf_text(&text));
	kt_buf_free(&text);
	return status;
}

static void test_hash(void **state)
{
	static const struct {
		const char *from, *to;
		bool same;
	} rows[] = {
	    {"[1,2,\"9007199254740993\"]", "[1,2,4]", true}, {"wide accesses", "another", true},
	    {"\"original\":1", "\"original\":2", true},       {"x[0] = ", "x[1] = ", false},
	    {"\"rows\"", "\"rows + 1\"", false},              {"4 * ROWS", "8 * ROWS", false},
	    {"aligned(x, 16)", "aligned(x, 8)", false},       {"d % VEC == 0", "d % VEC == 1", false},
	};
	struct parsed base, other;
	char hash[KT_HASH_TEXT], changed[KT_HASH_TEXT];

	(void)state;
	fx_ok(read(&base, whole), &base.err);
	kt_template_hash(hash, base.template_);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		fx_ok(read_changed(&other, rows[i].from, rows[i].to), &other.err);
		kt_template_hash(changed, other.template_);
		if ((strcmp(hash, changed) == 0) != rows[i].same)
			fail_msg("%s -> %s", rows[i].from, rows[i].to);
		kt_arena_free(other.arena);
	}
	kt_arena_free(base.arena);
}

#define FURTHER(kernels) "\"shared_bytes\":\"0\",\"further\":[" kernels "]"
#define KERNEL(body) \
	"{\"grid\":[\"rows\"],\"block\":[\"32 * ROWS\"],\"head\":[\"__global__ void ${ktune:kernel}(float *x, int d)\"]," \
	"\"body\":[\"" body "\"]}"

/* A plan: kernels behind the first, there and back, in the text and in the hash. */
static void test_further(void **state)
{
	static const char shared[] = "\"shared_bytes\":\"4 * ROWS\"";
	static const char *const bad[] = {
	    FURTHER("7"), FURTHER("{\"grid\":[\"rows\"],\"block\":[\"32\"],\"head\":\"h\"}"),
	    FURTHER(KERNEL("{ ${WIDTH} }")), FURTHER(KERNEL("{ ${if VEC} }")), "\"shared_bytes\":\"0\",\"further\":{}",
	};
	const int64_t configuration[] = {2, 4};
	struct kt_buf text = KT_BUF(1 << 16);
	struct kt_render render = {.configuration = configuration, .name = "v"};
	char hashes[2][KT_HASH_TEXT];
	struct parsed f, again, other;
	cJSON *json;

	(void)state;
	fx_ok(read_changed(&f, shared, FURTHER(KERNEL("{ x[0] = ${ROWS}; }") "," KERNEL("{ }"))), &f.err);
	assert_int_equal(f.template_->further_count, 2);
	assert_string_equal(kt_template_kernel_at(f.template_, 0).body, f.template_->body);
	assert_string_equal(kt_template_kernel_at(f.template_, 1).block[0].text, "32 * ROWS");
	json = kt_template_json(f.template_);
	assert_non_null(json);
	kt_json_print(&text, json);
	cJSON_Delete(json);
	fx_ok(read(&again, kt_buf_text(&text)), &again.err);
	fx_ok(read_changed(&other, shared, FURTHER(KERNEL("{ x[0] = ${ROWS}; }") "," KERNEL("{ x[1] = 0; }"))), &other.err);
	kt_template_hash(hashes[0], f.template_);
	kt_template_hash(hashes[1], again.template_);
	assert_string_equal(hashes[0], hashes[1]);
	kt_template_hash(hashes[1], other.template_);
	assert_string_not_equal(hashes[0], hashes[1]);
	kt_buf_clear(&text);
	render.template_ = f.template_;
	fx_ok(kt_template_render(&text, &render, &f.err), &f.err);
	assert_non_null(strstr(kt_buf_text(&text), "void v(float"));
	assert_non_null(strstr(kt_buf_text(&text), "void v_k1(float *x, int d)\n{ x[0] = 4; }\n"));
	assert_non_null(strstr(kt_buf_text(&text), "void v_k2(float *x, int d)\n{ }\n"));
	kt_buf_free(&text);
	kt_arena_free(f.arena);
	kt_arena_free(again.arena);
	kt_arena_free(other.arena);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		if (read_changed(&f, shared, bad[i]) != KT_ERR_INVALID || strstr(f.err.message, "further") == NULL)
			fail_msg("%s: %s", bad[i], f.err.message);
		kt_arena_free(f.arena);
	}
}

#define PLAN FURTHER(KERNEL("{ }"))
#define OWN(temporaries) PLAN ",\"temporaries\":" temporaries
#define ONE(name, element, count) "{\"name\":" name ",\"element\":" element ",\"count\":" count "}"

/* Memory of a plan's own: there and back, in the text and in the hash, and none without a plan. */
static void test_temporaries(void **state)
{
	static const char shared[] = "\"shared_bytes\":\"4 * ROWS\"";
	static const char own[] = OWN("[" ONE("\"part\"", "\"f32\"", "\"rows * VEC\"") "," ONE(
	    "\"flags\"", "\"u8\"", "\"rows\"") "]");
	static const struct {
		const char *to, *message;
	} bad[] = {
	    {OWN("7"), "/temporaries"},
	    {OWN("[7]"), "/temporaries/0"},
	    {OWN("[{\"name\":\"t\",\"element\":\"f32\"}]"), "/temporaries/0: member \"count\" is missing"},
	    {OWN("[" ONE("\"t\"", "\"f32\"", "\"rows *\"") "]"), "/temporaries/0/count"},
	    {OWN("[" ONE("\"t\"", "\"f32\"", "\"rows\\n\"") "]"), "/temporaries/0/count"},
	    {OWN("[" ONE("\"t\"", "\"float\"", "\"rows\"") "]"), "/temporaries/0/element"},
	    {OWN("[" ONE("\"t\"", "\"none\"", "\"rows\"") "]"), "/temporaries/0/element"},
	    {OWN("[" ONE("\"t[1]\"", "\"f32\"", "\"rows\"") "]"), "/temporaries/0/name"},
	    {OWN("[" ONE("\"t\"", "\"f32\"", "\"1\"") "," ONE("\"t\"", "\"f32\"", "\"1\"") "]"), "/temporaries/1/name"},
	    {"\"shared_bytes\":\"0\",\"temporaries\":[" ONE("\"t\"", "\"f32\"", "\"1\"") "]", "/temporaries: temporaries are"},
	};
	static const char *const others[] = {
	    PLAN, OWN("[" ONE("\"part\"", "\"f32\"", "\"rows * VEC\"") "]"),
	    OWN("[" ONE("\"part\"", "\"f64\"", "\"rows * VEC\"") "," ONE("\"flags\"", "\"u8\"", "\"rows\"") "]"),
	    OWN("[" ONE("\"part\"", "\"f32\"", "\"rows * VEC + 1\"") "," ONE("\"flags\"", "\"u8\"", "\"rows\"") "]")};
	struct kt_buf text = KT_BUF(1 << 16);
	char hashes[2][KT_HASH_TEXT];
	struct parsed f, again;
	cJSON *json;

	(void)state;
	fx_ok(read_changed(&f, shared, own), &f.err);
	assert_int_equal(f.template_->temporary_count, 2);
	assert_string_equal(f.template_->temporaries[0].name, "part");
	assert_string_equal(f.template_->temporaries[0].count.text, "rows * VEC");
	assert_int_equal(f.template_->temporaries[1].element, KT_U8);
	json = kt_template_json(f.template_);
	assert_non_null(json);
	kt_json_print(&text, json);
	cJSON_Delete(json);
	fx_ok(read(&again, kt_buf_text(&text)), &again.err);
	kt_template_hash(hashes[0], f.template_);
	kt_template_hash(hashes[1], again.template_);
	assert_string_equal(hashes[0], hashes[1]);
	assert_int_equal(again.template_->temporary_count, 2);
	kt_arena_free(again.arena);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		fx_ok(read_changed(&again, shared, others[i]), &again.err);
		kt_template_hash(hashes[1], again.template_);
		assert_string_not_equal(hashes[0], hashes[1]);
		kt_arena_free(again.arena);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		if (read_changed(&again, shared, bad[i].to) != KT_ERR_INVALID ||
		    strstr(again.err.message, bad[i].message) == NULL)
			fail_msg("%s: %s", bad[i].to, again.err.message);
		kt_arena_free(again.arena);
	}
	kt_buf_free(&text);
	kt_arena_free(f.arena);
}

/* What they take together, in 64 bits, and at most a part of the device. */
static void test_temporary_bytes(void **state)
{
	static const struct kt_template_temporary own[] = {{.element = KT_F32}, {.element = KT_F64}};
	const struct kt_template t = {.temporary_count = 2, .temporaries = own};
	static const struct {
		int64_t counts[2], memory_bytes, bytes; /* bytes −1: refused */
	} rows[] = {
	    {{64, 32}, 0, 512},           {{65, 32}, 0, 768},           {{0, 0}, 0, 512},
	    {{-1, 32}, 0, -1},            {{64, INT64_MIN}, 0, -1},     {{64, 32}, 512 * KT_TEMPORARY_SHARE, 512},
	    {{64, 33}, 512 * KT_TEMPORARY_SHARE, -1}, {{INT64_MAX, 1}, 0, -1}, {{INT64_MAX / 4, 1}, 0, -1},
	    {{INT64_MAX / 8, INT64_MAX / 8}, 0, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int64_t bytes = -1;
		const bool fits = kt_template_temporary_bytes(&bytes, &t, rows[i].counts, rows[i].memory_bytes);

		if (fits != (rows[i].bytes >= 0) || (fits && bytes != rows[i].bytes))
			fail_msg("row %zu: %lld", i, (long long)bytes);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *from, *to, *message;
	} rows[] = {
	    {"\"concrete\":true", "\"concrete\":false", "/concrete"},
	    {"\"rationale\"", "\"reason\"", "an unknown member"},
	    {"\"rationale\"", "\"generator\":\"llm\",\"rationale\"", "/generator: a member that appears twice"},
	    {"wide accesses", "wide\\naccesses", "/rationale"},
	    {"\"name\":\"VEC\"", "\"name\":\"V EC\"", "/parameters/0/name"},
	    {"\"name\":\"VEC\"", "\"name\":\"ROWS\"", "/parameters/1/name"},
	    {"\"name\":\"ROWS\"", "\"name\":\"end\"", "/parameters/1/name"},
	    {"\"values\":[4]", "\"values\":[]", "/parameters/1/values"},
	    {"\"values\":[4]", "\"values\":[4,4]", "/parameters/1/values"},
	    {"\"values\":[4]", "\"values\":[4.5]", "/parameters/1/values"},
	    {"\"values\":[4]", "\"values\":4", "/parameters/1/values"},
	    {"\"original\":1", "\"original\":\"one\"", "/parameters/0/original"},
	    {"\"original\":1", "\"carrier\":1", "/parameters/0/carrier: an unknown member"},
	    {"d % VEC == 0", "d % VEC ==", "/restrictions/0/text"},
	    {"\"reason\":\"no tail\"", "\"reason\":7", "/restrictions/0/reason"},
	    {"[\"rows\",\"2\"]", "[]", "/grid"},
	    {"[\"rows\",\"2\"]", "[\"1\",\"1\",\"1\",\"1\"]", "/grid"},
	    {"[\"128\"]", "[128]", "/block/0"},
	    {"4 * ROWS", "", "/shared_bytes"},
	    {"x[0] = ${VEC};", "x[0] = ${WIDTH};", "/body: byte"},
	    {"\"\\t${end}\",", "", "/body: byte"},
	    {"\\tx[0]", "\\u0007x[0]", "/body"},
	    {"\"\\t${if VEC > 1}\"", "\"\\n${if VEC > 1}\"", "/body"},
	    {"\"helpers\":[]", "\"helpers\":null", "/helpers"},
	    {"\"helpers\":[]", "\"helpers\":[1]", "/helpers"},
	    {"\"strategies\":[{", "\"strategies\":[7,{", "/strategies/0"},
	};
	struct parsed f;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (read_changed(&f, rows[i].from, rows[i].to) != KT_ERR_INVALID)
			fail_msg("%s: accepted", rows[i].to);
		if (strstr(f.err.message, rows[i].message) == NULL)
			fail_msg("%s: %s", rows[i].to, f.err.message);
		kt_arena_free(f.arena);
	}
}

static void test_ceilings(void **state)
{
	struct kt_buf text = KT_BUF(1 << 22);
	struct parsed f;

	(void)state;
	kt_buf_adds(&text, "\"helpers\":\"");
	for (size_t i = 0; i <= KT_TEMPLATE_TEXT_BYTES; i++)
		kt_buf_addc(&text, 'x');
	kt_buf_addc(&text, '"');
	assert_int_equal(read_changed(&f, "\"helpers\":[]", kt_buf_text(&text)), KT_ERR_INVALID);
	kt_arena_free(f.arena);
	kt_buf_clear(&text);
	kt_buf_adds(&text, "\"values\":[0");
	for (int i = 1; i <= 1024; i++)
		kt_buf_addf(&text, ",%d", i);
	kt_buf_addc(&text, ']');
	assert_int_equal(read_changed(&f, "\"values\":[4]", kt_buf_text(&text)), KT_ERR_INVALID);
	kt_arena_free(f.arena);
	kt_buf_free(&text);
}

#define OWNED(name, count) "\"shared_bytes\":\"4 * ROWS\"", OWN("[" ONE(name, "\"f32\"", count) "]")

static void test_adoption(void **state)
{
	static const struct {
		const char *from, *to, *message; /* NULL: accepted */
	} rows[] = {
	    {"d % VEC == 0", "d % VEC == device.warp_size", NULL},
	    {"d % VEC == 0", "wide % VEC == 0", NULL},
	    {"d % VEC == 0", "eps > 0", "'eps'"},
	    {"d % VEC == 0", "e % VEC == 0", "'e'"},
	    {"aligned(x, 16)", "aligned(d, 16)", "'d'"},
	    {"aligned(x, 16)", "aligned(z, 16)", "'z'"},
	    {"\"rows\"", "\"columns\"", "'columns'"},
	    {"4 * ROWS", "4 * COLUMNS", "'COLUMNS'"},
	    {"[\"128\"]", "[\"x\"]", "'x'"},
	    {OWNED("\"t\"", "\"rows * VEC * device.warp_size + wide\""), NULL},
	    {OWNED("\"t\"", "\"rows * columns\""), "'columns'"},
	    {OWNED("\"t\"", "\"x\""), "'x'"},
	    {OWNED("\"eps\"", "\"rows\""), "temporary 'eps' is called as an argument is"},
	};
	static const char *variables[] = {"rows", "d"};
	static int64_t problems[] = {16, 4096};
	static struct kt_argument arguments[] = {
	    {.name = "x", .is_pointer = true}, {.name = "d"}, {.name = "eps"}, {.name = "wide"}};
	static struct kt_value values[] = {{.name = "wide", .argument = 3, .integral = true, .integer = 8}};
	const struct kt_region region = {.variable_count = 2, .problem_count = 1, .variables = variables,
	                                 .problems = problems, .argument_count = 4, .arguments = arguments,
	                                 .value_count = 1, .values = values, .body_line = 12, .step_count = 1};
	struct parsed f;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		kt_status status;

		fx_ok(read_changed(&f, rows[i].from, rows[i].to), &f.err);
		status = kt_template_adopt(f.template_, &region, 10, &f.err);
		if ((status == KT_OK) != (rows[i].message == NULL) ||
		    (status != KT_OK && strstr(f.err.message, rows[i].message) == NULL))
			fail_msg("%s: %s", rows[i].to, status == KT_OK ? "accepted" : f.err.message);
		assert_ptr_equal(f.template_->region, &region);
		assert_int_equal(f.template_->head_line, 10);
		assert_int_equal(f.template_->body_line, 12);
		kt_arena_free(f.arena);
	}
}

static kt_status write_text(struct kt_template_text *out, void *context, const int64_t *configuration,
                            struct kt_error *err)
{
	static char body[64];

	(void)err;
	snprintf(body, sizeof body, "{ /* %lld */ }", (long long)configuration[0]);
	*out = (struct kt_template_text){"", context, body};
	return KT_OK;
}

/* Text that a generator makes for each configuration: of none without its source, and never as it was read. */
static void test_specialised(void **state)
{
	struct parsed f;
	struct kt_buf json = KT_BUF(1 << 16), text = KT_BUF(1 << 16);
	const char *at = strstr(whole, "\"concrete\":true,");
	char head[] = "__global__ void ${ktune:kernel}(float *x, int d)";
	const struct kt_template_source source = {write_text, head};
	const int64_t configuration[] = {2, 4};
	struct kt_render render = {.configuration = configuration, .name = "v"};
	cJSON *again;

	(void)state;
	kt_buf_add(&json, whole, (size_t)(at - whole));
	kt_buf_adds(&json, "\"concrete\":true,\"specialised\":true,");
	kt_buf_adds(&json, at + strlen("\"concrete\":true,"));
	fx_ok(read(&f, kt_buf_text(&json)), &f.err);
	assert_true(f.template_->is_specialised);
	again = kt_template_json(f.template_);
	kt_json_print(&text, again);
	assert_string_equal(kt_buf_text(&text), kt_buf_text(&json));
	kt_buf_clear(&text);
	render.template_ = f.template_;
	assert_int_equal(kt_template_render(&text, &render, &f.err), KT_ERR_INVALID);
	f.template_->source = &source;
	fx_ok(kt_template_render(&text, &render, &f.err), &f.err);
	assert_string_equal(kt_buf_text(&text), "__global__ void v(float *x, int d)\n{ /* 2 */ }\n");
	cJSON_Delete(again);
	kt_buf_free(&json);
	kt_buf_free(&text);
	kt_arena_free(f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_specialised),
	    cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_one_string), cmocka_unit_test(test_further),
	    cmocka_unit_test(test_temporaries),    cmocka_unit_test(test_temporary_bytes),
	    cmocka_unit_test(test_hash),           cmocka_unit_test(test_refused),    cmocka_unit_test(test_ceilings),
	    cmocka_unit_test(test_adoption),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
