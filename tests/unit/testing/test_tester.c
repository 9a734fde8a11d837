/*
 * The client against the real ktcc-runner with a synthetic recording, and
 * against shell scripts that misbehave as a runner can.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/proc.h"
#include "testing/internal.h"
#include "tester_fixture.h"

static void a_recording_answers(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = open_region(f);
	assert_string_equal(kt_tester_device(t)->name, "Protocol Fixture");
	assert_false(kt_tester_wants_support(t));
	struct kt_outcome good = try_block(f, t, 128);
	assert_int_equal(good.verdict, KT_VERDICT_OK);
	assert_int_equal(good.registers, 16);
	assert_int_equal(good.occupancy_blocks, 8);
	assert_true(good.trials[1].timing.median_ns == 20 && good.trials[1].problem == 1);
	struct kt_outcome bad = try_block(f, t, 256);
	assert_int_equal(bad.verdict, KT_VERDICT_WRONG_ANSWER);
	assert_int_equal(bad.trials[0].verdict, KT_VERDICT_OK);
	assert_string_equal(bad.trials[1].detail, "y: 1 wrong elements, first at index 7");
	struct kt_outcome unknown = try_block(f, t, 512);
	assert_int_equal(unknown.verdict, KT_VERDICT_SKIPPED);
	assert_string_equal(unknown.trials[0].detail, "not recorded");
	assert_true(kt_tester_busy_seconds(t) > 0);
	kt_tester_close(t);
}

static void comparison_and_copy(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = open_region(f);
	struct kt_effort effort = {.warmups = 20, .repetitions = 100};
	int64_t block = 128, missing = 512;
	struct kt_candidate both[] = {{NULL, NULL, NULL}, {"/nowhere.cubin", "scale", &block}};
	struct kt_timing timings[4];
	double copy_ns[2];
	assert_int_equal(kt_tester_compare(timings, f->arena, t, both, 2, &effort, &f->err), KT_OK);
	assert_true(timings[0].median_ns == 30 && timings[1].median_ns == 40);
	assert_true(timings[2].median_ns == 10 && timings[3].median_ns == 20);
	assert_int_equal(kt_tester_copy(copy_ns, t, &effort, &f->err), KT_OK);
	assert_true(copy_ns[0] == 5 && copy_ns[1] == 6);
	both[1].configuration = &missing;
	assert_int_equal(kt_tester_compare(timings, f->arena, t, both, 2, &effort, &f->err), KT_ERR_MISSING);
	assert_non_null(strstr(f->err.message, "BLOCK=512"));
	kt_tester_close(t);
}

static void a_missing_runner_is_named(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = NULL;
	assert_int_equal(setenv("KTUNE_PREFIX", "/nowhere", 1), 0);
	assert_int_equal(kt_tester_open(&t, &f->config, NULL, NULL, &f->err), KT_ERR_MISSING);
	assert_non_null(strstr(f->err.message, "/nowhere"));
}

static void a_bad_recording_is_named(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = NULL;
	f->config.replay = "/nowhere.jsonl";
	assert_int_not_equal(kt_tester_open(&t, &f->config, NULL, NULL, &f->err), KT_OK);
	assert_non_null(strstr(f->err.message, "/nowhere.jsonl"));
	char *path = kt_path_join(f->arena, f->folder, "broken.jsonl");
	assert_int_equal(kt_fs_write(path, "{\"recording\":2}\n", 16, &f->err), KT_OK);
	f->config.replay = path;
	assert_int_equal(kt_tester_open(&t, &f->config, NULL, NULL, &f->err), KT_ERR_INVALID);
}

static void arguments_that_cannot_be_built(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = NULL;
	enum kt_scalar *elements = f->instance.elements;
	assert_int_equal(kt_tester_open(&t, &f->config, NULL, NULL, &f->err), KT_OK);
	f->region.value_count = 0;
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "'a'"));
	f->region.value_count = 1;
	f->region.buffer_count = 1;
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "'x'"));
	f->region.buffer_count = 2;
	f->region.buffers[1].count = clause(f, "n - 101");
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	f->region.buffers[1].count = clause(f, "unknown");
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	f->region.buffers[1].count = clause(f, "n");
	/* Whatever is compared with nothing is right. */
	bool scratch[2] = {f->region.buffers[0].scratch, f->region.buffers[1].scratch};
	f->region.buffers[0].scratch = f->region.buffers[1].scratch = true;
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "no buffer is out or inout"));
	f->region.buffers[0].scratch = scratch[0];
	f->region.buffers[1].scratch = scratch[1];
	enum kt_scalar strange[] = {KT_F32, KT_F32, KT_SCALAR_NONE, KT_F32};
	f->instance.elements = strange;
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	/* The second problem is another one where n is a byte. */
	enum kt_scalar narrow[] = {KT_F32, KT_F32, KT_U8, KT_F32};
	f->instance.elements = narrow;
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "cannot be 2000"));
	f->instance.elements = elements;
	f->instance.name = "another";
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "another"));
	struct kt_outcome out;
	struct kt_effort effort = {.warmups = 2, .repetitions = 10};
	int64_t block = 128;
	struct kt_candidate candidate = {NULL, NULL, &block};
	assert_int_equal(kt_tester_try(&out, f->arena, t, &candidate, &effort, NULL, &f->err), KT_ERR_INVALID);
	kt_tester_close(t);
}

static cJSON *region_request(struct fixture *f, const struct kt_check *check)
{
	struct kt_device device = {0};
	int64_t original[] = {128};
	const struct kt_subject subject = {&f->template_, &f->instance, &device, original};
	struct kt_check checks[] = {kt_check_of_problem(&subject, 0), *check};
	const struct kt_rows rows = {.count = 2, .timed = 1, .checks = checks};
	cJSON *request = NULL;
	if (kt_request_region(&request, &subject, &rows, "c", "scale", NULL, 1, &f->err))
		fail_msg("%s", f->err.message);
	return request;
}

static char *printed(const cJSON *request, const char *array, int index)
{
	char *text = cJSON_PrintUnformatted(cJSON_GetArrayItem(cJSON_GetObjectItem(request, array), index));
	assert_non_null(text);
	return text;
}

/* Values and bounds that are expressions go as the numbers that they are on that problem. */
static void expressions_are_numbers(void **state)
{
	struct fixture *f = *state;
	const int64_t n[] = {33};
	const struct kt_check check = {.problem = n, .seed = 2, .shifted = -1, .alias = -1, .alias_of = -1};
	struct kt_value values[] = {
	    {.name = "half", .argument = -1, .text = "n / 2", .integral = true, .expr = clause(f, "n / 2")},
	    {.name = "a", .argument = 3, .text = "half + device.cc", .integral = true, .expr = clause(f, "half + device.cc")},
	};
	struct kt_buffer *x = &f->region.buffers[1];
	const struct kt_value *before = f->region.values;
	static const char *const wanted[2] = {"\"values\":[null,null,100,50]", "\"values\":[null,null,33,16]"};
	static const char *const filled[2] = {"\"fill\":\"range\",\"a\":-2,\"b\":99,", "\"fill\":\"range\",\"a\":-2,\"b\":32,"};

	f->region.values = values;
	f->region.value_count = 2;
	x->fill = (struct kt_fill){.kind = KT_FILL_RANGE, .a = -2, .b = 0};
	x->bounds[1] = clause(f, "n - 1");
	cJSON *request = region_request(f, &check);
	for (int p = 0; p < 2; p++) {
		char *text = printed(request, "problems", p);

		if (strstr(text, wanted[p]) == NULL || strstr(text, filled[p]) == NULL)
			fail_msg("%s", text);
		free(text);
	}
	cJSON_Delete(request);
	/* A buffer that is like another one has its elements. */
	f->region.buffers[0].like = "x";
	request = region_request(f, &check);
	char *alike = printed(request, "problems", 1);
	const char *first_seed = strstr(alike, "\"seed\":"), *next_seed = strstr(first_seed + 1, "\"seed\":");
	assert_int_equal(strtoll(first_seed + 7, NULL, 10), strtoll(next_seed + 7, NULL, 10));
	free(alike);
	cJSON_Delete(request);
	f->region.buffers[0].like = NULL;
	/* Both have to have a value there. */
	struct kt_tester *t = NULL;
	assert_int_equal(kt_tester_open(&t, &f->config, NULL, NULL, &f->err), KT_OK);
	x->bounds[1] = clause(f, "50 - n");
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "fill of 'x': the lower bound is above the upper one: -2, -50"));
	x->bounds[1] = clause(f, "n - 1");
	values[0].text = "1 / (n - 100)";
	values[0].expr = clause(f, values[0].text);
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "value(half = 1 / (n - 100)): division by zero"));
	kt_tester_close(t);
	f->region.values = (struct kt_value *)before;
}

/*
 * A device symbol goes to the runner with the name that the program has for it and all of its elements. It is never off
 * alignment; the argument that leads into it names it, although it comes later.
 */
static void a_device_symbol_is_described(void **state)
{
	struct fixture *f = *state;
	const int64_t n[] = {33};
	const struct kt_check alias = {.problem = n, .seed = 5, .shifted = -1, .alias = 0, .alias_of = 1};
	const struct kt_check moved = {.problem = n, .seed = 5, .shifted = -1, .offset = 4, .alias = -1, .alias_of = -1};
	const struct kt_buffer before = f->region.buffers[1];
	f->region.argument_count = 1;
	f->region.value_count = 0;
	f->region.buffers[1].argument = -1;
	f->region.buffers[1].symbol = (struct kt_device_symbol){"_ZN3ops1xE", kt_element_of(KT_F32), 4096, false};
	cJSON *request = region_request(f, &alias);
	char *buffer = printed(request, "buffers", 1), *argument = printed(request, "buffers", 0);
	char *row = printed(request, "problems", 1);
	assert_non_null(strstr(buffer, "\"element\":\"f32\""));
	assert_non_null(strstr(buffer, "\"symbol\":{\"name\":\"_ZN3ops1xE\",\"elements\":4096}"));
	assert_null(strstr(argument, "symbol"));
	assert_false(cJSON_HasObjectItem(request, "constants"));
	assert_non_null(strstr(row, "\"alias\":1}"));
	cJSON_Delete(request);
	free(buffer), free(argument), free(row);
	request = region_request(f, &moved);
	row = printed(request, "problems", 1);
	const char *first = strstr(row, "\"offset\":4");
	assert_non_null(first);
	assert_null(strstr(first + 1, "\"offset\""));
	cJSON_Delete(request);
	free(row);
	const char *constants[KT_CONSTANTS_WATCHED + 1];
	for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
		constants[i] = i ? "other" : "_ZL5fixed";
	f->region.constants = constants;
	f->region.constant_count = KT_CONSTANTS_WATCHED + 1;
	request = region_request(f, &moved);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(request, "constants")), KT_CONSTANTS_WATCHED);
	assert_string_equal(cJSON_GetArrayItem(cJSON_GetObjectItem(request, "constants"), 0)->valuestring, "_ZL5fixed");
	cJSON_Delete(request);
	f->region.constant_count = 0;
	f->region.buffers[1] = before;
}

/* Elements of several numbers: tolerances and fills one a part, and members with fills of their own. */
static void elements_are_described(void **state)
{
	static const struct kt_number numbers[] = {{"from", KT_I32, 0, 1}, {"to", KT_I32, 4, 0}, {"weight", KT_F32, 8, 0}};
	static const struct kt_element *layouts[8];
	struct fixture *f = *state;
	const int64_t n[] = {33};
	const struct kt_check plain = {.problem = n, .seed = 5, .shifted = -1, .alias = -1, .alias_of = -1};
	const struct kt_buffer before = f->region.buffers[1];
	struct kt_member_fill member = {.member = "from", .fill = {.kind = KT_FILL_RANGE, .a = 2}, .bounds = {{0}, clause(f, "n - 1")}};
	struct kt_error err;
	assert_int_equal(kt_element_make(&layouts[before.argument], f->arena, 12, 4, numbers, 3, &err), KT_OK);
	f->instance.layouts = layouts;
	f->region.buffers[1].member_count = 1;
	f->region.buffers[1].members = &member;
	f->region.buffers[1].fill = (struct kt_fill){.kind = KT_FILL_DEFAULT, .a = 0, .b = 0};
	cJSON *request = region_request(f, &plain);
	char *buffer = printed(request, "buffers", 1), *row = printed(request, "problems", 1);
	assert_non_null(strstr(buffer, "\"limits\":[{\"absolute\":0,\"relative\":0},{\"absolute\":0,\"relative\":0},"
	                               "{\"absolute\":1e-05,\"relative\":0.0001}]"));
	assert_non_null(strstr(buffer, "{\"name\":\"from\",\"element\":\"i32\",\"offset\":0,\"group\":1}"));
	assert_non_null(strstr(row, "\"fills\":[{\"fill\":\"range\",\"a\":2,\"b\":32},{\"fill\":\"range\",\"a\":0,\"b\":127},"
	                            "{\"fill\":\"uniform\",\"a\":-1,\"b\":1}]"));
	cJSON_Delete(request);
	free(buffer), free(row);
	f->instance.layouts = NULL;
	f->region.buffers[1] = before;
}

static void a_geometry_that_cannot_be_evaluated(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = open_region(f);
	struct kt_clause_expr grid = clause(f, "n / (BLOCK - 128)");
	f->template_.grid = &grid;
	struct kt_outcome out = try_block(f, t, 128);
	assert_int_equal(out.verdict, KT_VERDICT_OVER_LIMIT);
	assert_non_null(out.trials[1].detail);
	kt_tester_close(t);
}

/*
 * A runner that answers by the real one until a try of BLOCK=256 comes, and
 * then does `last`. It gets the real one's command line as "$@".
 */
static void misbehave(struct fixture *f, const char *last)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	char *script = kt_path_join(f->arena, f->folder, "runner.sh");
	kt_buf_addf(&text,
	            "while read -r line; do case $line in\n"
	            "*BLOCK=256*) %s;;\n"
	            "*) { printf '%%s\\n' '{\"request\":\"hello\"}' \"$region\" \"$line\"; } | \"$@\" | tail -n 1;;\n"
	            "esac; case $line in *'\"region\",'*) region=$line;; esac; done\n",
	            last);
	assert_int_equal(kt_fs_write(script, kt_buf_text(&text), text.size, &f->err), KT_OK);
	kt_buf_free(&text);
	f->config.runner_launcher = kt_arena_printf(f->arena, "sh %s", script);
}

static void check_misbehaviour(struct fixture *f, const char *last, enum kt_verdict verdict, const char *detail)
{
	misbehave(f, last);
	struct kt_tester *t = open_region(f);
	for (int round = 0; round < 2; round++) {
		struct kt_outcome out = try_block(f, t, 256);
		assert_int_equal(out.verdict, verdict);
		assert_int_equal(out.trials[0].verdict, verdict);
		if (!strstr(out.trials[1].detail, detail))
			fail_msg("'%s' does not hold '%s'", out.trials[1].detail, detail);
		/* The next candidate finds a runner that knows the region. */
		assert_int_equal(try_block(f, t, 128).verdict, KT_VERDICT_OK);
	}
	kt_tester_close(t);
}

static void a_crash_is_a_verdict(void **state)
{
	check_misbehaviour(*state, "kill -SEGV $$", KT_VERDICT_CRASHED, "");
}

static void a_silent_end_is_a_crash(void **state)
{
	check_misbehaviour(*state, "exit 0", KT_VERDICT_CRASHED, "");
}

static void garbage_is_a_crash(void **state)
{
	check_misbehaviour(*state, "echo garbage", KT_VERDICT_CRASHED, "no reply");
}

static void another_type_is_a_crash(void **state)
{
	check_misbehaviour(*state, "echo '[1]'", KT_VERDICT_CRASHED, "no reply");
}

static void a_truncated_line_is_a_crash(void **state)
{
	check_misbehaviour(*state, "printf '{\"verdict\":'; exit 1", KT_VERDICT_CRASHED, "");
}

static void an_unknown_verdict_is_a_crash(void **state)
{
	check_misbehaviour(*state, "echo '{\"verdict\":\"splendid\",\"problems\":[{},{}]}'", KT_VERDICT_CRASHED,
			   "splendid");
}

static void a_fatal_reply_is_believed(void **state)
{
	check_misbehaviour(
	    *state,
	    "echo '{\"verdict\":\"out-of-bounds\",\"fatal\":true,\"problems\":[{\"verdict\":\"out-of-bounds\","
	    "\"detail\":\"far away\"},{\"verdict\":\"out-of-bounds\",\"detail\":\"far away\"}]}'; exit 3",
	    KT_VERDICT_OUT_OF_BOUNDS, "far away");
}

static void a_hang_is_timed_out(void **state)
{
	assert_int_equal(setenv("KTUNE_TRY_SECONDS", "0.5", 1), 0);
	double start = kt_now_s();
	check_misbehaviour(*state, "sleep 60", KT_VERDICT_TIMED_OUT, "");
	assert_true(kt_now_s() - start < 20);
}

static void tolerances_by_type(void **state)
{
	double absolute = 0, relative = 0;
	(void)state;
	kt_tolerance_default(&absolute, &relative, KT_F32);
	assert_true(absolute == 1e-5 && relative == 1e-4);
	kt_tolerance_default(&absolute, &relative, KT_BF16);
	assert_true(absolute == 1e-2 && relative == 1.6e-2);
	kt_tolerance_default(&absolute, &relative, KT_I32);
	assert_true(absolute == 0 && relative == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_recording_answers), TEST(comparison_and_copy), TEST(a_missing_runner_is_named),
	    TEST(a_bad_recording_is_named), TEST(arguments_that_cannot_be_built), TEST(a_device_symbol_is_described), TEST(elements_are_described),
	    TEST(expressions_are_numbers),
	    TEST(a_geometry_that_cannot_be_evaluated), TEST(a_crash_is_a_verdict), TEST(a_silent_end_is_a_crash),
	    TEST(garbage_is_a_crash), TEST(another_type_is_a_crash), TEST(a_truncated_line_is_a_crash),
	    TEST(an_unknown_verdict_is_a_crash), TEST(a_fatal_reply_is_believed), TEST(a_hang_is_timed_out),
	    cmocka_unit_test(tolerances_by_type),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
