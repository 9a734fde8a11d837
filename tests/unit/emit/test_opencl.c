/* The emitted OpenCL source and its header: compiled as C99 and asked for launches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/proc.h"
#include "emit/opencl.h"
#include "generation/generation.h"

static const char source[] =
    "#ifndef BLOCK\n"
    "#define BLOCK 64\n"
    "#endif\n"
    "inline float twice(float x) { return x * BLOCK; }\n"
    "#pragma ktune problem(rows = 1; d = 64) \\\n"
    "\ttune(BLOCK = 32, 64)\n"
    "__kernel void scale(__global float *y, int d)\n"
    "{\n"
    "\ty[get_global_id(0)] = twice(d);\n"
    "}\n"
    "float after(void) { return 1; }\n";

struct state {
	struct kt_arena *arena;
	struct kt_unit *unit;
	struct kt_template *template_;
	struct kt_device devices[2];
	struct kt_error err;
};

static void ok(kt_status status, const struct kt_error *err)
{
	if (status != KT_OK)
		fail_msg("%s", err->message);
}

static size_t at(const char *needle)
{
	const char *found = strstr(source, needle);

	assert_non_null(found);
	return (size_t)(found - source);
}

/* What scan says of the source, with guards and geometry to choose. */
static void open_region(struct state *s, const char *restriction, const char *guard, const char *grid,
                        const char *shared)
{
	static const char text[] =
	    "{\"file\":\"k.cl\",\"language\":\"opencl\",\"regions\":[{\"name\":\"scale\",\"kernel\":\"scale\","
	    "\"file\":\"k.cl\","
	    "\"pragma\":[%zu,%zu],\"extent\":[%zu,%zu],\"attributes\":[%zu,%zu],\"name_range\":[%zu,%zu],"
	    "\"parameters_range\":[%zu,%zu],\"body\":[%zu,%zu],\"body_line\":8,"
	    "\"arguments\":[{\"name\":\"y\",\"type\":\"__global float *\",\"is_pointer\":true,"
	    "\"address_space\":\"global\"},"
	    "{\"name\":\"d\",\"type\":\"int\"}],"
	    "\"instances\":[{\"name\":\"scale\",\"elements\":[\"f32\",\"i32\"],\"types\":[\"__global float *\",\"int\"]}],"
	    "\"variables\":[\"rows\",\"d\"],\"problems\":[{\"rows\":1,\"d\":64}],"
	    "\"parameters\":[{\"name\":\"BLOCK\",\"values\":[32,64],\"carrier\":\"macro\",\"original\":64}],"
	    "\"restrictions\":[\"%s\"],\"restriction_is_guard\":[true],\"guards\":[\"%s\"],"
	    "\"grid\":[\"%s\",\"rows\"],\"block\":[\"BLOCK\"],\"shared_bytes\":\"%s\","
	    "\"edits\":[{\"range\":[%zu,%zu],\"kind\":\"kernel\"},{\"range\":[%zu,%zu],\"kind\":\"callee\"}],"
	    "\"callees\":[{\"name\":\"twice\",\"extent\":[%zu,%zu],\"edits\":[{\"range\":[%zu,%zu],"
	    "\"kind\":\"callee\"}]}]}]}";
	const size_t kernel = at("__kernel"), name = at("scale("), open = at("(__global"), body = at("{\n\ty");
	const size_t end = at("float after") - 1, callee = at("inline"), called = at("twice(d");
	struct kt_buf json = KT_BUF(KT_LIMIT_LINE_BYTES);
	cJSON *parsed = NULL;

	*s = (struct state){.arena = kt_arena_new(KT_ARENA_REGION_BYTES)};
	assert_non_null(s->arena);
	kt_buf_addf(&json, text, at("#pragma"), at("__kernel") - 1, kernel, end, kernel, name, name, name + 5, open,
	            body - 1, body, end, restriction, guard, grid, shared, name, name + 5, called, called + 5, callee,
	            at("#pragma") - 1, at("twice(float"), at("twice(float") + 5);
	ok(kt_json_parse(&parsed, kt_buf_text(&json), json.size, &s->err), &s->err);
	ok(kt_unit_read(&s->unit, s->arena, parsed, &s->err), &s->err);
	cJSON_Delete(parsed);
	kt_buf_free(&json);
	assert_int_equal(s->unit->regions[0].language, KT_LANGUAGE_OPENCL);
	ok(kt_generate_explicit(&s->template_, s->arena, s->unit->regions, source, strlen(source), &s->err), &s->err);
	for (size_t i = 0; i < 2; i++) {
		s->devices[i].vendor = "vendor";
		s->devices[i].name = i == 0 ? "cpu \"one\"" : "gpu";
		s->devices[i].cc = 90;
	}
}

static void emit(struct kt_buf *cl, struct kt_buf *header, struct state *s)
{
	static const int64_t small[] = {32}, large[] = {64};
	const struct kt_variant variants[] = {
	    {.template_ = s->template_, .configuration = small, .device = &s->devices[0]},
	    {.template_ = s->template_, .configuration = large, .device = &s->devices[1]},
	};
	const struct kt_emission emission = {s->unit, source, strlen(source), "unit", "k.cl", 2, variants, NULL, NULL};

	ok(kt_emit_opencl(cl, header, &emission, &s->err), &s->err);
}

/* Compiles the header with a program around it and returns what it prints. */
static char *ask(struct state *s, const struct kt_buf *header, const char *statements)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES), out = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	struct kt_proc_result result;
	char *directory = NULL;

	ok(kt_fs_temp_dir(&directory, s->arena, "ktcc-opencl", &s->err), &s->err);
	const char *file = kt_path_join(s->arena, directory, "main.c"),
	           *program = kt_path_join(s->arena, directory, "main");
	kt_buf_adds(&text, "#include <stdio.h>\n");
	/* Twice: a program may use several headers, and one of them again. */
	kt_buf_add(&text, kt_buf_text(header), header->size);
	kt_buf_add(&text, kt_buf_text(header), header->size);
	kt_buf_addf(&text,
	            "static void show(struct ktune_opencl_launch l)\n{\n"
	            "\tif (l.dimensions == 0)\n\t\tputs(\"none\");\n\telse\n"
	            "\t\tprintf(\"%%c %%u %%u,%%u %%u %%u\\n\", l.kernel[0], (unsigned)l.dimensions, (unsigned)l.global[0],"
	            "\n"
	            "\t\t       (unsigned)l.global[1], (unsigned)l.local[0], (unsigned)l.local_bytes);\n}\n"
	            "int main(void)\n{\n%s\treturn 0;\n}\n",
	            statements);
	ok(kt_fs_write(file, kt_buf_text(&text), text.size, &s->err), &s->err);
	const char *compile[] = {"gcc",
	                         "-std=c99",
	                         "-Wall",
	                         "-Wextra",
	                         "-Wconversion",
	                         "-Wshadow",
	                         "-pedantic",
	                         "-Werror",
	                         "-fsanitize=undefined",
	                         "-fno-sanitize-recover=all",
	                         "-o",
	                         program,
	                         file,
	                         NULL};
	ok(kt_proc_run(&result, (char *const *)compile, NULL, &out, &out, &s->err), &s->err);
	if (result.signalled || result.code != 0)
		fail_msg("%s\n%s", kt_buf_text(&out), kt_buf_text(&text));
	kt_buf_clear(&out);
	const char *run[] = {program, NULL};
	ok(kt_proc_run(&result, (char *const *)run, NULL, &out, &out, &s->err), &s->err);
	assert_false(result.signalled);
	assert_int_equal(result.code, 0);
	char *printed = kt_arena_strdup(s->arena, kt_buf_text(&out));
	ok(kt_fs_remove_tree(directory, &s->err), &s->err);
	kt_buf_free(&text);
	kt_buf_free(&out);
	return printed;
}

static void check(const char *restriction, const char *guard, const char *grid, const char *shared,
                  const char *statements, const char *expected)
{
	struct state s;
	struct kt_buf cl = KT_BUF(KT_LIMIT_SOURCE_BYTES), header = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	open_region(&s, restriction, guard, grid, shared);
	emit(&cl, &header, &s);
	assert_string_equal(ask(&s, &header, statements), expected);
	kt_buf_free(&cl);
	kt_buf_free(&header);
	kt_arena_free(s.arena);
}

static void test_choice(void **state)
{
	(void)state;
	check("d % BLOCK == 0", "rows < 100", "ceil_div(d, BLOCK)", "BLOCK * 4",
	      "\tshow(ktune_scale(\"cpu \\\"one\\\"\", 3, 64));\n" /* its variant: groups of 32 */
	      "\tshow(ktune_scale(\"gpu\", 3, 64));\n"
	      "\tshow(ktune_scale(NULL, 3, 96));\n"               /* any device: the first that holds */
	      "\tshow(ktune_scale(\"gpu\", 3, 96));\n"            /* 96 % 64 != 0: the original, rounded up */
	      "\tshow(ktune_scale(\"other\", 3, 64));\n"
	      "\tshow(ktune_scale(NULL, 100, 64));\n",
	      "k 2 64,3 32 128\nk 2 64,3 64 256\nk 2 96,3 32 128\ns 2 128,3 64 256\ns 2 64,3 64 256\ns 2 64,100 64 256\n");
}

static void test_no_value(void **state)
{
	(void)state;
	check("d / (rows - 1) > 0", "1 << rows > 0 && -d * d <= 0", "d * d + min(d, rows, 5) - max(d, 1)", "d - 3",
	      "\tshow(ktune_scale(NULL, 1, 4));\n"                          /* a division by zero turns the variants away */
	      "\tshow(ktune_scale(NULL, 2, 4));\n"
	      "\tshow(ktune_scale(NULL, 2, 0x7fffffffffffffffLL));\n"       /* no product */
	      "\tshow(ktune_scale(NULL, 2, -0x7fffffffffffffffLL - 1));\n"
	      "\tshow(ktune_scale(NULL, 2, 1));\n"                          /* a negative size */
	      "\tshow(ktune_scale(NULL, 64, 4));\n",                        /* a shift by 64 */
	      "s 2 832,1 64 1\nk 2 448,2 32 1\nnone\nnone\nnone\ns 2 1024,64 64 1\n");
}

static void test_arithmetic(void **state)
{
	(void)state;
	check("1", "is_pow2(d) && (d >> 1 << 1) == d && (d ^ 1) != (d & 3) && ~d < 0 && (rows > 2 ? d % 8 == 0 : d >= 4)",
	      "ceil_div(-d, -BLOCK) | 1", "0",
	      "\tshow(ktune_scale(\"gpu\", 2, 64));\n\tshow(ktune_scale(\"gpu\", 3, 4));\n"
	      "\tshow(ktune_scale(\"gpu\", 1, 6));\n",
	      "k 2 64,2 64 0\ns 2 64,3 64 0\ns 2 64,1 64 0\n");
}

static void test_pointers(void **state)
{
	(void)state;
	/* Buffers are aligned; whether they overlap is not known. */
	check("1", "aligned(y, 16)", "1", "0", "\tshow(ktune_scale(\"gpu\", 1, 1));\n", "k 2 64,1 64 0\n");
	check("1", "aligned(y, 256)", "1", "0", "\tshow(ktune_scale(\"gpu\", 1, 1));\n", "s 2 64,1 64 0\n");
	check("1", "disjoint(y, 1, y, 1)", "1", "0", "\tshow(ktune_scale(\"gpu\", 1, 1));\n", "s 2 64,1 64 0\n");
}

/* What only the launch knows keeps a variant from being returned. */
static void test_unknown_names(void **state)
{
	struct state s;
	struct kt_buf cl = KT_BUF(KT_LIMIT_SOURCE_BYTES), header = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	(void)state;
	check("1", "alpha > 1", "1", "0", "\tshow(ktune_scale(\"gpu\", 1, 1));\n", "s 2 64,1 64 0\n");
	open_region(&s, "1", "1", "alpha", "0");
	emit(&cl, &header, &s);
	assert_non_null(strstr(kt_buf_text(&header), "/* scale: no function"));
	assert_null(strstr(kt_buf_text(&header), "ktune_scale("));
	(void)ask(&s, &header, "\tshow((struct ktune_opencl_launch){\"x\", 0, {1, 1, 1}, {1, 1, 1}, 0});\n");
	kt_buf_free(&cl);
	kt_buf_free(&header);
	kt_arena_free(s.arena);
}

static void test_source(void **state)
{
	struct state s;
	struct kt_buf cl = KT_BUF(KT_LIMIT_SOURCE_BYTES), header = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_buf again = KT_BUF(KT_LIMIT_SOURCE_BYTES), second = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	(void)state;
	open_region(&s, "d % BLOCK == 0", "1", "ceil_div(d, BLOCK)", "0");
	emit(&cl, &header, &s);
	emit(&again, &second, &s);
	assert_string_equal(kt_buf_text(&cl), kt_buf_text(&again));
	assert_string_equal(kt_buf_text(&header), kt_buf_text(&second));
	const char *text = kt_buf_text(&cl);
	assert_null(strstr(text, "ktune problem"));
	assert_null(strstr(text, "static"));
	assert_null(strstr(text, "__CUDA_ARCH__"));
	assert_non_null(strstr(text, "#define BLOCK 32\n"));
	assert_non_null(strstr(text, "__kernel void scale(__global float *y, int d)\n{"));
	assert_non_null(strstr(text, "inline float ktune_v_"));
	/* The user's lines behind the variants keep their numbers. */
	assert_non_null(strstr(text, "#line 10 \"k.cl\"\n\nfloat after(void)"));
	for (struct kt_buf *all[] = {&cl, &header, &again, &second, NULL}, **b = all; *b != NULL; b++)
		kt_buf_free(*b);
	kt_arena_free(s.arena);
}

/* A candidate: no static kernel, no guard of an architecture, a constant as the plain number that C takes. */
static void test_render(void **state)
{
	static const int64_t values[] = {32};
	struct kt_edit use = {{(uint32_t)at("twice(d"), (uint32_t)at("(d);")}, KT_EDIT_PARAMETER, 0};
	struct state s;
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	(void)state;
	open_region(&s, "1", "1", "1", "0");
	s.unit->regions[0].parameters[0].kind = KT_PARAMETER_CONSTANT;
	s.unit->regions[0].edits[1] = use;
	ok(kt_generate_explicit(&s.template_, s.arena, s.unit->regions, source, strlen(source), &s.err), &s.err);
	const struct kt_render render = {s.template_, values, "v", true, 90, NULL, false, 0, 0};
	ok(kt_template_render(&text, &render, &s.err), &s.err);
	assert_string_equal(kt_buf_text(&text), "inline float v_f0(float x) { return x * BLOCK; }\n"
	                                        "__kernel void v(__global float *y, int d)\n"
	                                        "{\n\ty[get_global_id(0)] = 32(d);\n}\n");
	kt_buf_free(&text);
	kt_arena_free(s.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_choice),   cmocka_unit_test(test_no_value),      cmocka_unit_test(test_arithmetic),
	    cmocka_unit_test(test_pointers), cmocka_unit_test(test_unknown_names), cmocka_unit_test(test_source),
	    cmocka_unit_test(test_render),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
