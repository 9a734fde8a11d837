/* Requests about checks: what is read, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "messages.h"

#define REGION(problems)                                                                                               \
	"{\"name\":\"r\",\"instance\":\"r\",\"arguments\":[{\"buffer\":0},{\"buffer\":1},{\"buffer\":2}],"                 \
	"\"buffers\":[{\"name\":\"y\",\"element\":\"f32\",\"direction\":\"out\"},"                                         \
	"{\"name\":\"x\",\"element\":\"f32\",\"direction\":\"in\"},{\"name\":\"i\",\"element\":\"i32\",\"direction\":"     \
	"\"in\"}],"                                                                                                        \
	"\"problems\":[" problems "]}"
#define PROBLEM(more, y, x, i) \
	"{\"problem\":\"p\"," more "\"geometry\":{\"grid\":[1,1,1],\"block\":[1,1,1]},\"values\":[null,null,null]," \
	"\"buffers\":[{\"count\":8" y "},{\"count\":8" x "},{\"count\":8" i "}]}"
#define PLAIN PROBLEM("", "", "", "")

static kt_status read_region(struct kt_run_region **out, struct kt_arena *arena, const char *text, struct kt_error *err)
{
	cJSON *json = cJSON_Parse(text);
	assert_non_null(json);
	kt_status status = kt_message_region(out, arena, json, err);
	cJSON_Delete(json);
	return status;
}

static void checks_are_read(void **state)
{
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_run_region *region = NULL;
	struct kt_error err = {0};
	(void)state;
	assert_int_equal(read_region(&region, arena,
	                      REGION(PLAIN "," PROBLEM("\"check\":true,", ",\"offset\":4",
	                                               ",\"alias\":0,\"offset\":12,\"fill\":\"special\"",
	                                               ",\"fill\":\"choice\",\"a\":3,\"numbers\":[3,-1,2.5]")),
	                      &err),
	                 KT_OK);
	assert_false(region->problems[0].check);
	assert_int_equal(region->problems[0].data[1].alias, KT_NO_BUFFER);
	assert_true(region->problems[1].check);
	assert_int_equal(region->problems[1].data[0].offset, 4);
	assert_int_equal(region->problems[1].data[1].alias, 0);
	assert_int_equal(region->problems[1].data[1].kind, KT_FILL_SPECIAL);
	assert_int_equal(region->problems[1].data[2].kind, KT_FILL_CHOICE);
	assert_int_equal(region->problems[1].data[2].whole->count, 3);
	assert_true(kt_fill_number(region->problems[1].data[2].whole, 2) == 2.5);
	kt_arena_free(arena);
}

/* The numbers of a file are those that were hashed, of the buffer's type, as many as it has. */
static void contents_of_files(void **state)
{
	static const char header[] = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,)}";
	static const int32_t numbers[2] = {7, -9};
	char path[] = "/tmp/kt-contents-XXXXXX", hash[KT_HASH_TEXT];
	unsigned char file[10 + sizeof header - 1 + sizeof numbers] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof header - 1, 0};
	const unsigned char *contents = NULL;
	struct kt_error err;
	const int fd = mkstemp(path);
	(void)state;
	memcpy(file + 10, header, sizeof header - 1);
	memcpy(file + 10 + sizeof header - 1, numbers, sizeof numbers);
	assert_int_equal(write(fd, file, sizeof file), sizeof file);
	assert_int_equal(kt_hash_file(hash, path, &err), KT_OK);
	assert_int_equal(kt_contents(&contents, path, hash, KT_I32, 2, &err), KT_OK);
	assert_memory_equal(contents, numbers, sizeof numbers);
	assert_int_equal(kt_contents(&contents, path, hash, KT_I32, 3, &err), KT_ERR_INVALID);
	assert_non_null(strstr(err.message, "holds 2 numbers of type int32, not 3 of int32"));
	assert_int_equal(kt_contents(&contents, path, hash, KT_F32, 2, &err), KT_ERR_INVALID);
	hash[0] = hash[0] == '0' ? '1' : '0';
	assert_int_equal(kt_contents(&contents, path, hash, KT_I32, 2, &err), KT_ERR_INVALID);
	assert_non_null(strstr(err.message, "has changed since the source was read"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(kt_contents(&contents, path, hash, KT_I32, 2, &err), KT_ERR_MISSING);
	close(fd);
}

/* The first argument is a structure; `values` of it and of the number behind it. */
#define STRUCTURE(argument, values) \
	"{\"name\":\"r\",\"instance\":\"r\",\"arguments\":[" argument ",{\"element\":\"i32\"}]," \
	"\"buffers\":[{\"name\":\"y\",\"element\":\"f32\",\"direction\":\"out\"}]," \
	"\"problems\":[{\"problem\":\"p\",\"geometry\":{\"grid\":[1,1,1],\"block\":[1,1,1]},\"values\":[" values "]," \
	"\"buffers\":[{\"count\":8}]}]}"
#define MEMBERS(members) "{\"bytes\":16,\"members\":[" members "]}"
#define BOTH MEMBERS("{\"offset\":0,\"buffer\":0},{\"offset\":8,\"element\":\"f16\"},{\"offset\":12,\"element\":\"i32\"}")

static void structures_are_read(void **state)
{
	static const struct {
		const char *text, *message;
	} refused[] = {
	    {STRUCTURE(MEMBERS("{\"offset\":12,\"buffer\":0}"), "[null],5"), "a member at 12 is outside the argument's 16 bytes"},
	    {STRUCTURE(MEMBERS("{\"offset\":-4,\"element\":\"i32\"}"), "[1],5"), "a member at -4 is outside the argument's 16 bytes"},
	    {STRUCTURE(MEMBERS("{\"offset\":0,\"buffer\":1}"), "[null],5"), "an argument names buffer 1 of 1"},
	    {STRUCTURE(MEMBERS("{\"offset\":0}"), "[1],5"), "element"},
	    {STRUCTURE("{\"bytes\":0,\"members\":[]}", "[],5"), "an argument has no element type"},
	    {STRUCTURE("{\"bytes\":32765,\"members\":[]}", "[],5"), "an argument has 32765 bytes"},
	    {STRUCTURE(BOTH, "[null,1],5"), "an argument of 3 members has other values"},
	    {STRUCTURE(BOTH, "7,5"), "an argument of 3 members has other values"},
	    {STRUCTURE(BOTH, "[null,1,\"nan\"],5"), "integer"},
	};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_run_region *region = NULL;
	struct kt_error err = {0};
	(void)state;
	assert_int_equal(read_region(&region, arena, STRUCTURE(BOTH, "[null,1.5,-2],5"), &err), KT_OK);
	assert_int_equal(region->arguments[0].bytes, 16);
	assert_int_equal(region->arguments[0].member_count, 3);
	assert_true(region->arguments[0].members[0].is_buffer);
	assert_int_equal(region->arguments[0].members[2].offset, 12);
	assert_int_equal(region->value_count, 5);
	assert_int_equal(region->arguments[0].first_value, 2);
	assert_int_equal(region->problems[0].values[1], 5);
	assert_int_equal(region->problems[0].values[3], 0x3e00);
	assert_int_equal(region->problems[0].values[4], 0xfffffffe);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		if (read_region(&region, arena, refused[i].text, &err) == KT_OK)
			fail_msg("%s", refused[i].text);
		if (strstr(err.message, refused[i].message) == NULL)
			fail_msg("%s: %s", refused[i].text, err.message);
	}
	kt_arena_free(arena);
}

/* One buffer of elements of two parts. */
#define ELEMENTS(element, buffer, data) \
	"{\"name\":\"r\",\"instance\":\"r\",\"arguments\":[{\"buffer\":0}]," \
	"\"buffers\":[{\"name\":\"y\",\"element\":" element ",\"direction\":\"inout\"" buffer "}]," \
	"\"problems\":[{\"problem\":\"p\",\"geometry\":{\"grid\":[1,1,1],\"block\":[1,1,1]},\"values\":[null]," \
	"\"buffers\":[{\"count\":8" data "}]}]}"
#define EDGE \
	"{\"bytes\":8,\"align\":8,\"numbers\":[{\"name\":\"to\",\"element\":\"i32\",\"offset\":0}," \
	"{\"name\":\"w\",\"element\":\"f32\",\"offset\":4}]}"

static void elements_are_read(void **state)
{
	static const struct {
		const char *text, *message;
	} refused[] = {
	    {ELEMENTS("\"none\"", "", ""), "unknown element type"},
	    {ELEMENTS("\"float\"", "", ""), "/buffers/0/element: \"float\" is no element type"},
	    {ELEMENTS("null", "", ""), "/buffers/0/element: an element is"},
	    {ELEMENTS("{\"bytes\":8,\"align\":8,\"numbers\":[]}", "", ""), "/buffers/0/element: an element has 0 numbers"},
	    {ELEMENTS(EDGE, ",\"limits\":[{},{},{}]", ""), "y: limits of 3 parts, its elements have 2"},
	    {ELEMENTS(EDGE, ",\"limits\":[{\"absolute\":\"1\"},{}]", ""), "absolute"},
	    {ELEMENTS(EDGE, "", ",\"fills\":[{},{},{}]"), "3 fills for elements of 2 parts"},
	    {ELEMENTS(EDGE, "", ",\"fills\":[{\"fill\":\"large\"},{}]"), "needs a floating-point type"},
	    {ELEMENTS(EDGE, "", ",\"fills\":[{\"fill\":\"range\",\"a\":5,\"b\":4},{}]"), "range"},
	    {ELEMENTS(EDGE, "", ",\"offset\":4"), "y cannot begin at an offset of 4 bytes"},
	};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_run_region *region = NULL;
	struct kt_error err = {0};
	(void)state;
	assert_int_equal(
	    read_region(&region, arena,
	         ELEMENTS(EDGE, ",\"limits\":[{},{\"absolute\":2,\"relative\":0.5}]",
	                  ",\"offset\":8,\"fills\":[{\"fill\":\"range\",\"b\":9},{\"fill\":\"large\"}]"), &err), KT_OK);
	assert_int_equal(region->buffers[0].element->part_count, 2);
	assert_true(region->buffers[0].limits[0].absolute == 0 && region->buffers[0].limits[1].absolute == 2);
	assert_true(region->buffers[0].limits[1].relative == 0.5);
	assert_int_equal(region->problems[0].data[0].offset, 8);
	assert_int_equal(region->problems[0].data[0].fills[0].kind, KT_FILL_RANGE);
	assert_true(region->problems[0].data[0].fills[0].b == 9);
	assert_int_equal(region->problems[0].data[0].fills[1].kind, KT_FILL_LARGE);
	/* One of each for all parts. */
	assert_int_equal(read_region(&region, arena, ELEMENTS(EDGE, ",\"absolute\":3", ",\"fill\":\"iota\""), &err), KT_OK);
	assert_true(region->buffers[0].limits[0].absolute == 3 && region->buffers[0].limits[1].absolute == 3);
	assert_null(region->problems[0].data[0].fills);
	assert_int_equal(region->problems[0].data[0].kind, KT_FILL_IOTA);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		if (read_region(&region, arena, refused[i].text, &err) == KT_OK)
			fail_msg("%s", refused[i].text);
		if (strstr(err.message, refused[i].message) == NULL)
			fail_msg("%s: %s", refused[i].text, err.message);
	}
	kt_arena_free(arena);
}

/* y is an argument; the table behind it, and the word, are device symbols. */
#define SYMBOLS(table, y, t, w) \
	"{\"name\":\"r\",\"instance\":\"r\",\"arguments\":[{\"buffer\":0}]," \
	"\"buffers\":[{\"name\":\"y\",\"element\":\"f32\",\"direction\":\"out\"}," \
	"{\"name\":\"t\",\"element\":\"f32\",\"direction\":\"in\",\"symbol\":" table "}," \
	"{\"name\":\"w\",\"element\":\"f32\",\"direction\":\"in\",\"symbol\":{\"name\":\"w\",\"elements\":9}}]," \
	"\"constants\":[\"b\",\"_ZL1c\"]," \
	"\"problems\":[{\"problem\":\"p\",\"geometry\":{\"grid\":[1,1,1],\"block\":[1,1,1]},\"values\":[null]," \
	"\"buffers\":[{\"count\":8" y "},{\"count\":8" t "},{\"count\":8" w "}]}]}"
#define TABLE "{\"name\":\"_ZN3ops1tE\",\"elements\":9}"

static void symbols_are_read(void **state)
{
	static const struct {
		const char *text, *message;
	} refused[] = {
	    {SYMBOLS(TABLE, "", ",\"offset\":4", ""), "t cannot begin at an offset of 4 bytes"},
	    {SYMBOLS(TABLE, "", ",\"alias\":0", ""), "t cannot be an alias of buffer 0"},
	    {SYMBOLS(TABLE, "", "", ",\"alias\":1"), "w cannot be an alias of buffer 1"},
	    {SYMBOLS(TABLE, ",\"alias\":0", "", ""), "y cannot be an alias of buffer 0"},
	    {SYMBOLS(TABLE, ",\"alias\":3", "", ""), "y cannot be an alias of buffer 3"},
	    {SYMBOLS("{\"name\":\"t\",\"elements\":7}", "", "", ""), "device symbol t has 7 elements, not 8"},
	    {SYMBOLS("{\"name\":\"t\",\"elements\":0}", "", "", ""), "device symbol t has 0 elements"},
	    {SYMBOLS("{\"name\":\"t\",\"elements\":2000000000}", "", "", ""),
	     "device symbol t has 2000000000 elements"},
	    {SYMBOLS("{\"elements\":9}", "", "", ""), "name"},
	    {SYMBOLS("{\"name\":\"t\"}", "", "", ""), "elements"},
	    {"{\"name\":\"r\",\"instance\":\"r\",\"arguments\":[],\"buffers\":[],\"constants\":[7],\"problems\":[]}",
	     "/constants/0: a string expected"},
	};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_run_region *region = NULL;
	struct kt_error err = {0};
	(void)state;
	/* The argument may lead into a symbol that is described later. */
	assert_int_equal(read_region(&region, arena, SYMBOLS(TABLE, ",\"alias\":1,\"offset\":0", "", ""), &err), KT_OK);
	assert_null(region->buffers[0].symbol);
	assert_string_equal(region->buffers[1].symbol, "_ZN3ops1tE");
	assert_int_equal(region->constant_count, 2);
	assert_string_equal(region->constants[1], "_ZL1c");
	assert_int_equal(region->buffers[1].symbol_bytes, 36);
	assert_int_equal(region->problems[0].data[0].alias, 1);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		if (read_region(&region, arena, refused[i].text, &err) == KT_OK || !strstr(err.message, refused[i].message))
			fail_msg("row %zu: wanted '%s', got '%s'", i, refused[i].message, err.message);
	}
	kt_arena_free(arena);
}

#define HOSTED(host, values) \
	"{\"name\":\"r\",\"instance\":\"r\",\"arguments\":[{\"buffer\":0}]," \
	"\"buffers\":[{\"name\":\"y\",\"element\":\"f32\",\"direction\":\"out\"}],\"host\":" host "," \
	"\"problems\":[{\"problem\":\"p\",\"geometry\":{\"grid\":[1,1,1],\"block\":[1,1,1]},\"values\":[null]," \
	"\"host_values\":" values ",\"buffers\":[{\"count\":8}]}]}"

static void a_host_reference_is_read(void **state)
{
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_run_region *region = NULL;
	struct kt_error err = {0};
	(void)state;
	assert_int_equal(read_region(&region, arena, HOSTED("{\"program\":\"/p\",\"buffers\":[0,-1]}", "[null,2.5]"), &err),
	                 KT_OK);
	assert_string_equal(region->host_program, "/p");
	assert_int_equal(region->host_count, 2);
	assert_int_equal(region->host_buffers[0], 0);
	assert_int_equal(region->host_buffers[1], -1);
	assert_true(region->problems[0].host_values[1] == 2.5);
	assert_int_equal(read_region(&region, arena, REGION(PLAIN), &err), KT_OK);
	assert_null(region->host_program);
	kt_arena_free(arena);
}

static void nonsense_is_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
	    {REGION(PROBLEM("", ",\"offset\":3", "", "")), "y cannot begin at an offset of 3"},
	    {REGION(PROBLEM("", ",\"offset\":16", "", "")), "offset of 16"},
	    {REGION(PROBLEM("", ",\"offset\":-4", "", "")), "offset of -4"},
	    {REGION(PROBLEM("", ",\"alias\":1", "", "")), "y cannot be an alias of buffer 1"},
	    {REGION(PROBLEM("", "", ",\"alias\":1", "")), "x cannot be an alias of buffer 1"},
	    {REGION(PROBLEM("", "", "", ",\"alias\":0")), "i cannot be an alias of buffer 0"},
	    {REGION(PROBLEM("", "", ",\"alias\":9", "")), "x cannot be an alias of buffer 9"},
	    {REGION(PROBLEM("", "", "", ",\"fill\":\"special\"")), "'special' needs a floating-point type"},
	    {REGION(PROBLEM("", "", "", ",\"fill\":\"denormal\"")), "floating-point"},
	    {REGION(PROBLEM("", "", ",\"fill\":\"odd\"", "")), "fill is \"odd\", which is unknown"},
    {REGION(PROBLEM("", "", ",\"fill\":\"file\"", "")), "file is missing"},
    {REGION(PROBLEM("", "", ",\"fill\":\"choice\"", "")), "numbers"},
    {REGION(PROBLEM("", "", ",\"fill\":\"choice\",\"numbers\":[]", "")), "a fill 'choice' of 0 numbers"},
    {REGION(PROBLEM("", "", ",\"fill\":\"choice\",\"numbers\":[1,\"2\"]", "")), "a finite number expected"},
	    {REGION(PROBLEM("\"check\":true,", "", "", "") "," PLAIN), "a problem comes after a check"},
	    {HOSTED("{\"buffers\":[0]}", "[null]"), "/host: member \"program\" is missing"},
	    {HOSTED("{\"program\":\"/p\",\"buffers\":[1]}", "[null]"), "names buffer 1 of 1"},
	    {HOSTED("{\"program\":\"/p\",\"buffers\":[0]}", "[]"), "0 values for 1 parameters"},
	    {HOSTED("{\"program\":\"/p\",\"buffers\":[-1]}", "[null]"), "is no number"},
	};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_run_region *region = NULL;
		struct kt_error err = {0};
		assert_int_equal(read_region(&region, arena, rows[i].text, &err), KT_ERR_INVALID);
		if (!strstr(err.message, rows[i].says))
			fail_msg("%s, instead of %s", err.message, rows[i].says);
	}
	kt_arena_free(arena);
}

static void skipped_problems_need_no_geometry(void **state)
{
	static const char *const text[] = {
	    ("{\"configuration\":\"A=1\",\"cubin\":\"c\",\"function\":\"f\",\"problems\":[{\"geometry\":{\"grid\":[7,1,1],"
	     "\"block\":[1,1,1]}},{\"skip\":true}]}"),
	    "{\"configuration\":\"\",\"problems\":[{},{\"skip\":true}]}",
	    "{\"configuration\":\"\"}",
	    "{\"configuration\":\"A=1\",\"cubin\":\"c\",\"function\":\"f\",\"problems\":[{},{\"skip\":true}]}",
	};
	static const kt_status wanted[] = {KT_OK, KT_OK, KT_OK, KT_ERR_INVALID};
	static const bool skips[] = {true, true, false};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_run_region *region = NULL;
	struct kt_error err = {0};
	(void)state;
	assert_int_equal(read_region(&region, arena, REGION(PLAIN "," PLAIN), &err), KT_OK);
	for (size_t i = 0; i < 4; i++) {
		struct kt_run_candidate candidate;
		cJSON *json = cJSON_Parse(text[i]);
		assert_int_equal(kt_message_candidate(&candidate, arena, json, region, &err), wanted[i]);
		cJSON_Delete(json);
		if (wanted[i])
			continue;
		assert_false(candidate.skip[0]);
		assert_true(candidate.skip[1] == skips[i]);
	}
	kt_arena_free(arena);
}

#define STEPS(steps, geometries) \
	"{\"name\":\"r\",\"instance\":\"r\",\"arguments\":[{\"buffer\":0},{\"element\":\"i32\"}]," \
	"\"buffers\":[{\"name\":\"y\",\"element\":\"f32\",\"direction\":\"out\"}],\"steps\":[" steps "]," \
	"\"problems\":[{\"problem\":\"p\",\"geometries\":[" geometries "],\"values\":[null,7]," \
	"\"buffers\":[{\"count\":8}]}]}"
#define FIRST "{\"function\":\"f\",\"arguments\":[1,0]}"
#define GEOMETRY(x) "{\"grid\":[" x ",1,1],\"block\":[32,1,1],\"shared_bytes\":4}"

static void steps_are_read(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
	    {STEPS(FIRST ",{\"function\":\"g\",\"arguments\":[2]}", GEOMETRY("1") "," GEOMETRY("2")), "argument 2 of 2"},
	    {STEPS(FIRST ",{\"function\":\"g\",\"arguments\":[-1]}", GEOMETRY("1") "," GEOMETRY("2")), "argument -1"},
	    {STEPS(FIRST ",{\"function\":\"g\"}", GEOMETRY("1") "," GEOMETRY("2")), "/steps/1: member \"arguments\" is missing"},
	    {STEPS(FIRST, GEOMETRY("1") "," GEOMETRY("2")), "2 geometries for 1 steps"},
	    {STEPS(FIRST, ""), "0 geometries"},
	    {STEPS("", GEOMETRY("1")), "geometry is missing"},
	};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_run_region *region = NULL;
	struct kt_error err = {0};
	(void)state;
	assert_int_equal(read_region(&region, arena,
	                      STEPS(FIRST ",{\"arguments\":[0,0,1]}", GEOMETRY("5") "," GEOMETRY("6")), &err), KT_OK);
	assert_int_equal(region->step_count, 2);
	assert_string_equal(region->steps[0].function, "f");
	assert_int_equal(region->steps[0].arguments[0], 1);
	assert_null(region->steps[1].function);
	assert_int_equal(region->steps[1].argument_count, 3);
	assert_int_equal(region->problems[0].geometry.grid[0], 5);
	assert_int_equal(region->problems[0].further[0].grid[0], 6);
	assert_int_equal(region->problems[0].further[0].shared_bytes, 4);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(read_region(&region, arena, bad[i].text, &err), KT_ERR_INVALID);
		if (!strstr(err.message, bad[i].says))
			fail_msg("%s, instead of %s", err.message, bad[i].says);
	}
	kt_arena_free(arena);
}

/* Kernels of a candidate behind its first, and their geometries. */
static void plans_are_read(void **state)
{
#define PLAN(names, geometries) \
	"{\"configuration\":\"A=1\",\"cubin\":\"c\",\"function\":\"f\",\"further\":" names ",\"problems\":[" \
	"{\"geometry\":" GEOMETRY("7") geometries "},{\"skip\":true}]}"
	static const struct {
		const char *text, *says;
	} bad[] = {
	    {PLAN("[\"g\"]", ""), "0 geometries for 1"},
	    {PLAN("[\"g\"]", ",\"further\":[]"), "0 geometries for 1"},
	    {PLAN("[5]", ""), "/further/0: a string expected"},
	    {PLAN("\"g\"", ""), "further"},
	};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_run_region *region = NULL;
	struct kt_run_candidate candidate;
	struct kt_error err = {0};
	cJSON *json;
	(void)state;
	assert_int_equal(read_region(&region, arena, REGION(PLAIN "," PLAIN), &err), KT_OK);
	json = cJSON_Parse(PLAN("[\"g\",\"h\"]", ",\"further\":[" GEOMETRY("8") "," GEOMETRY("9") "]"));
	assert_int_equal(kt_message_candidate(&candidate, arena, json, region, &err), KT_OK);
	cJSON_Delete(json);
	assert_int_equal(candidate.further_count, 2);
	assert_string_equal(candidate.further[1].function, "h");
	assert_null(candidate.further[1].arguments);
	assert_int_equal(candidate.geometry[0].grid[0], 7);
	assert_int_equal(candidate.further_geometry[0][0].grid[0], 8);
	assert_int_equal(candidate.further_geometry[0][1].grid[0], 9);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		json = cJSON_Parse(bad[i].text);
		assert_non_null(json);
		assert_int_not_equal(kt_message_candidate(&candidate, arena, json, region, &err), KT_OK);
		cJSON_Delete(json);
		if (!strstr(err.message, bad[i].says))
			fail_msg("%s, instead of %s", err.message, bad[i].says);
	}
	kt_arena_free(arena);
}

/* Memory of a candidate's own, and how much of it each problem needs. */
static void temporaries_are_read(void **state)
{
#define OWN(temporaries, counts) \
	"{\"configuration\":\"A=1\",\"cubin\":\"c\",\"function\":\"f\",\"temporaries\":" temporaries ",\"problems\":[" \
	"{\"geometry\":" GEOMETRY("7") counts "},{\"skip\":true}]}"
#define ONE "[{\"name\":\"t\",\"element\":\"f16\"}]"
	static const struct {
		const char *text, *says;
	} bad[] = {
	    {OWN(ONE, ""), "0 sizes for 1"},
	    {OWN(ONE, ",\"temporaries\":[]"), "0 sizes for 1"},
	    {OWN(ONE, ",\"temporaries\":[-1]"), "has -1 elements"},
	    {OWN(ONE, ",\"temporaries\":[1.5]"), ""},
	    {OWN("[{\"name\":\"t\",\"element\":\"half\"}]", ""), "element is \"half\", which is unknown"},
	    {OWN("[{\"name\":\"t\",\"element\":\"none\"}]", ""), ""},
	    {OWN("[{\"element\":\"f16\"}]", ""), "name"},
	    {OWN("5", ""), "temporaries"},
	};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_run_region *region = NULL;
	struct kt_run_candidate candidate;
	struct kt_error err = {0};
	cJSON *json;
	(void)state;
	assert_int_equal(read_region(&region, arena, REGION(PLAIN "," PLAIN), &err), KT_OK);
	json = cJSON_Parse(OWN(ONE, ",\"temporaries\":[\"9007199254740993\"]"));
	assert_int_equal(kt_message_candidate(&candidate, arena, json, region, &err), KT_OK);
	cJSON_Delete(json);
	assert_int_equal(candidate.temporary_count, 1);
	assert_string_equal(candidate.temporaries[0].name, "t");
	assert_int_equal(candidate.temporaries[0].element, KT_F16);
	assert_int_equal(candidate.temporary_counts[0][0], INT64_C(9007199254740993));
	assert_int_equal(candidate.temporary_counts[1][0], 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		json = cJSON_Parse(bad[i].text);
		assert_non_null(json);
		assert_int_not_equal(kt_message_candidate(&candidate, arena, json, region, &err), KT_OK);
		cJSON_Delete(json);
		if (!strstr(err.message, bad[i].says))
			fail_msg("%s, instead of %s", err.message, bad[i].says);
	}
	kt_arena_free(arena);
}

/* The order of a first look names problems once, in part or not at all. */
static void orders_are_read(void **state)
{
	static const struct {
		const char *order;
		bool right;
		size_t read[2];
	} rows[] = {{"[0,1]", true, {0, 1}},  {"[1,0]", true, {1, 0}}, {"[1]", true, {1, 0}}, {"[]", true, {0, 1}},
	            {"[1,1]", false, {0}},    {"[2]", false, {0}},     {"[-1]", false, {0}},  {"[0.5]", false, {0}},
	            {"[0,1,0]", false, {0}},  {"[\"a\"]", false, {0}}, {"5", false, {0}}};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_run_region *region = NULL;
	struct kt_error err = {0};
	(void)state;
	assert_int_equal(read_region(&region, arena, REGION(PLAIN "," PLAIN), &err), KT_OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_run_candidate candidate;
		cJSON *json = cJSON_Parse("{\"configuration\":\"A=1\",\"problems\":[{\"skip\":true},{\"geometry\":{\"grid\":[1,1,1],"
		                          "\"block\":[1,1,1]},\"lost_ns\":7}]}");
		(void)cJSON_AddItemToObject(json, "order", cJSON_Parse(rows[i].order));
		const kt_status status = kt_message_candidate(&candidate, arena, json, region, &err);
		cJSON_Delete(json);
		if ((status == KT_OK) != rows[i].right)
			fail_msg("row %zu", i);
		if (status)
			continue;
		assert_int_equal(candidate.order[0], rows[i].read[0]);
		assert_int_equal(candidate.order[1], rows[i].read[1]);
		assert_true(candidate.lost_ns[0] == 0 && candidate.lost_ns[1] == 7);
	}
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(checks_are_read), cmocka_unit_test(contents_of_files), cmocka_unit_test(structures_are_read), cmocka_unit_test(elements_are_read), cmocka_unit_test(symbols_are_read),
	    cmocka_unit_test(nonsense_is_refused), cmocka_unit_test(a_host_reference_is_read),
	    cmocka_unit_test(skipped_problems_need_no_geometry),
	    cmocka_unit_test(steps_are_read),
	    cmocka_unit_test(plans_are_read),
	    cmocka_unit_test(temporaries_are_read),
	    cmocka_unit_test(orders_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
