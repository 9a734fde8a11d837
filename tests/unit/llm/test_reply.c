/* The reader of replies: what it reads, and where it says that something is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fs.h"
#include "generation/llm/reply.h"

static struct kt_arena *arena;
static struct kt_error err;

static int setup(void **state)
{
	(void)state;
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	return arena == NULL;
}

static int teardown(void **state)
{
	(void)state;
	kt_arena_free(arena);
	return 0;
}

static struct kt_reply *read_ok(const char *text)
{
	struct kt_reply *reply = NULL;

	if (kt_reply_read(&reply, arena, text, strlen(text), &err) != KT_OK)
		fail_msg("%s", err.message);
	return reply;
}

static void wrong(const char *text, kt_status status, const char *message)
{
	struct kt_reply *reply;

	assert_int_equal(kt_reply_read(&reply, arena, text, strlen(text), &err), status);
	if (strstr(err.message, message) == NULL)
		fail_msg("\"%s\" is not in \"%s\"", message, err.message);
}

static void test_object(void **state)
{
	const struct kt_reply *r = read_ok(
	    "{\"decline\":null,\"rationale\":\"a\\tb\",\"expected_effect\":\"10 %\",\"helpers\":\"int h;\","
	    "\"kernel\":\"k\","
	    "\"parameters\":[{\"name\":\"BLOCK\",\"values\":[128,256,128,\"512\"],\"reason\":\"why\"},{\"name\":\"V2\","
	    "\"values\":[-1]}],"
	    "\"restrictions\":[{\"expression\":\"BLOCK % 2 == 0\",\"reason\":\"even\"},\"V2 < 0\"],"
	    "\"guards\":[\"aligned(x, 16)\"],"
	    "\"grid\":[\"ceil_div(n, BLOCK)\",2],\"block\":\"BLOCK\",\"shared_bytes\":\"BLOCK * 4\",\"more\":1,"
	    "\"launches\":null}");

	(void)state;
	assert_string_equal(r->text, "int h;\nk");
	assert_string_equal(r->rationale, "a b");
	assert_string_equal(r->effect, "10 %");
	assert_null(r->decline);
	assert_int_equal(r->parameter_count, 2);
	assert_int_equal(r->parameters[0].value_count, 3);
	assert_int_equal(r->parameters[0].values[2], 512);
	assert_string_equal(r->parameters[0].reason, "why");
	assert_string_equal(r->parameters[1].reason, "");
	assert_int_equal(r->restriction_count, 2);
	assert_string_equal(r->restrictions[0].reason, "even");
	assert_string_equal(r->restrictions[1].expr.text, "V2 < 0");
	assert_int_equal(r->guard_count, 1);
	assert_int_equal(r->geometry.grid_count, 2);
	assert_string_equal(r->geometry.grid[1].text, "2");
	assert_int_equal(r->geometry.block_count, 1);
	assert_non_null(r->geometry.shared_bytes.expr);
	assert_int_equal(r->launch_count, 0);
}

static void test_blocks(void **state)
{
	const struct kt_reply *r =
	    read_ok("<think>```cuda\nno\n```</think>Text\n~~~json\n{\"parameters\":[{\"name\":\"A\",\"values\":[1]}]}\n"
	            "~~~\n````CUDA\nint a;\n```\nint b;\n````\nmore ```text\n");

	(void)state;
	assert_string_equal(r->text, "int a;\n```\nint b;");
	assert_int_equal(r->parameter_count, 1);
	r = read_ok("first\n```cpp\nold\n```\nbetter:\r\n```c++ title\r\nnew\r\n```\r\n");
	assert_string_equal(r->text, "new");
	r = read_ok("{\"decline\":\"nothing to do\"}");
	assert_string_equal(r->decline, "nothing to do");
	assert_null(r->text);
}

static void test_plan(void **state)
{
	const struct kt_reply *r = read_ok(
	    "{\"kernel\":\"k\",\"temporaries\":[{\"name\":\"t\",\"element\":\"f32\",\"count\":\"rows\"}],"
	    "\"launches\":[{\"kernel\":\"first\","
	    "\"arguments\":[\"x\",\"t\",\"rows\"],\"grid\":[\"rows\"],\"block\":[\"256\"],\"shared_bytes\":null},"
	    "{\"kernel\":\"second\","
	    "\"arguments\":[],\"grid\":[\"1\"],\"block\":[\"1\"]}]}");
	static const char *const names[] = {"rows"}, *const pointers[] = {"x"};
	struct kt_reply_names known = {.count = 1, .names = names, .pointer_count = 1, .pointers = pointers};

	(void)state;
	assert_int_equal(r->launch_count, 2);
	assert_string_equal(r->launches[0].kernel, "first");
	assert_int_equal(r->launches[0].argument_count, 3);
	assert_string_equal(r->launches[0].arguments[1], "t");
	assert_int_equal(r->temporaries[0].element, KT_F32);
	assert_int_equal(kt_reply_check_names(r, &known, &err), KT_OK);
	known.pointer_count = 0;
	assert_int_equal(kt_reply_check_names(r, &known, &err), KT_ERR_INVALID);
	assert_string_equal(err.message, "/launches/first: x is neither a name of the region nor a temporary");
}

static void test_names(void **state)
{
	static const char *const names[] = {"n"}, *const pointers[] = {"x"}, *const parameters[] = {"TILE"};
	const struct kt_reply_names known = {.count = 1, .names = names, .pointer_count = 1, .pointers = pointers,
	                                     .parameter_count = 1, .parameters = parameters};
	static const struct {
		const char *member, *message; /* NULL: right */
	} cases[] = {
	    {"\"grid\":[\"ceil_div(n, B) + TILE\"],\"block\":[\"B + device.warp_size\"]", NULL},
	    {"\"guards\":[\"aligned(x, B) && n > 1\"]", NULL},
	    {"\"parameters\":[{\"name\":\"TILE\",\"values\":[1]}]", NULL},
	    {"\"guards\":[\"aligned(z, 16)\"]", "z is no name"},
	    {"\"guards\":[\"x > 0\"]", "x is no name of the region that has a value"},
	    {"\"restrictions\":[\"aligned(x, 16)\"]", "x is no name"},
	    {"\"restrictions\":[\"device.colour\"]", "device.colour is no name"},
	    {"\"grid\":[\"m\"],\"block\":[\"1\"]", "m is no name"},
	    {"\"shared_bytes\":\"m\"", "m is no name"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const bool own = strstr(cases[i].member, "parameters") != NULL;
		const char *text =
		    kt_arena_printf(arena, "{\"kernel\":\"k\",%s%s}",
		                    own ? "" : "\"parameters\":[{\"name\":\"B\",\"values\":[1]}],", cases[i].member);
		kt_status status = kt_reply_check_names(read_ok(text), &known, &err);

		assert_int_equal(status, cases[i].message == NULL ? KT_OK : KT_ERR_INVALID);
		if (status != KT_OK && strstr(err.message, cases[i].message) == NULL)
			fail_msg("\"%s\" is not in \"%s\"", cases[i].message, err.message);
	}
}

static void test_wrong(void **state)
{
	(void)state;
	wrong("", KT_ERR_SYNTAX, "neither");
	wrong("```cuda\nint a;\n", KT_ERR_SYNTAX, "neither");
	wrong("{\"kernel\":}", KT_ERR_SYNTAX, "the JSON object: not JSON at byte");
	wrong("{}", KT_ERR_INVALID, "/kernel: no text");
	wrong("{\"kernel\":\"k\",\"parameters\":[{\"name\":\"a\",\"values\":[1]}]}", KT_ERR_INVALID,
	      "/parameters/a: upper case");
	wrong("{\"kernel\":\"k\",\"parameters\":[{\"name\":\"A\",\"values\":[1.5]}]}", KT_ERR_INVALID,
	      "/parameters/A/values");
	wrong("{\"kernel\":\"k\",\"grid\":[\"n +\"],\"block\":[\"1\"]}", KT_ERR_SYNTAX, "grid: \"n +\"");
	wrong("{\"kernel\":\"k\",\"grid\":[\"1\"]}", KT_ERR_INVALID, "grid and block");
	wrong("{\"kernel\":\"k\",\"grid\":[\"1\"],\"block\":[\"1\"],\"launches\":[{\"kernel\":\"a\",\"grid\":[\"1\"],"
	      "\"block\":[\"1\"]}]}",
	      KT_ERR_INVALID, "/grid: the launches");
	wrong("{\"kernel\":\"k\",\"launches\":[{\"kernel\":\"a b\",\"grid\":[\"1\"],\"block\":[\"1\"]}]}", KT_ERR_INVALID,
	      "/launches/kernel: a name");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_object), cmocka_unit_test(test_blocks),
	                                   cmocka_unit_test(test_plan), cmocka_unit_test(test_names),
	                                   cmocka_unit_test(test_wrong)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
