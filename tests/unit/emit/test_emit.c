/* Emitted text: byte for byte against goldens, what is left unmodified, what is refused. */
#include <stdio.h>

#include "emit_shape.h"

#define GOLDEN KT_SOURCE_DIR "/tests/unit/emit/golden/"

static void golden(size_t shape, const char *path)
{
	struct fixture f;
	struct kt_buf out = KT_BUF(1 << 20), wanted = KT_BUF(1 << 20);
	FILE *file;
	int c;

	fx_open(&f, &shapes[shape].spec);
	emit_shape(&out, &f, &shapes[shape]);
	file = fopen(path, getenv("KTUNE_WRITE_GOLDEN") != NULL ? "w+" : "r");
	assert_non_null(file);
	if (getenv("KTUNE_WRITE_GOLDEN") != NULL) {
		assert_int_equal(fwrite(out.data, 1, out.size, file), out.size);
		rewind(file);
	}
	while ((c = fgetc(file)) != EOF)
		kt_buf_addc(&wanted, (char)c);
	fclose(file);
	assert_string_equal(kt_buf_text(&out), kt_buf_text(&wanted));
	kt_buf_free(&out);
	kt_buf_free(&wanted);
	fx_close(&f);
}

static void test_golden(void **state)
{
	(void)state;
	golden(1, GOLDEN "constant.cu");
	golden(2, GOLDEN "template.cu");
	golden(3, GOLDEN "declaration.cu");
}

struct setting {
	struct fixture f;
	struct kt_device device;
	struct kt_variant variant;
	struct kt_emission emission;
	struct kt_emitted out;
	struct kt_error err;
};

static void set_up(struct setting *s, const struct shape *shape)
{
	struct kt_template *t;

	fx_open(&s->f, &shape->spec);
	s->device = fx_device();
	fx_ok(kt_generate_explicit(&t, s->f.arena, &s->f.region, s->f.source, strlen(s->f.source), &s->err), &s->err);
	s->variant = (struct kt_variant){.template_ = t, .configuration = shape->configuration, .device = &s->device};
	s->emission =
	    (struct kt_emission){&s->f.unit, s->f.source, strlen(s->f.source), "unit", "k.cu", 1, &s->variant, NULL, NULL};
}

static const char *emit(struct setting *s)
{
	fx_ok(kt_emit(&s->out, s->f.arena, &s->emission, &s->err), &s->err);
	return s->out.files[0].text;
}

static void tear_down(struct setting *s)
{
	fx_close(&s->f);
}

static char *name_of(struct setting *s, const char *prefix)
{
	return kt_arena_strndup(s->f.arena, strstr(emit(s), prefix), 24);
}

/* Anything that decides what is emitted is in the names. */
static void test_names(void **state)
{
	static const int64_t other[] = {128};
	struct setting s;
	char *dispatcher, *variant;

	(void)state;
	set_up(&s, &shapes[0]);
	dispatcher = name_of(&s, "ktune_d_");
	variant = name_of(&s, "ktune_v_");
	assert_string_equal(name_of(&s, "ktune_d_"), dispatcher);
	s.emission.unit_id = "other";
	assert_string_not_equal(name_of(&s, "ktune_d_"), dispatcher);
	assert_string_not_equal(name_of(&s, "ktune_v_"), variant);
	s.emission.unit_id = "unit";
	s.variant.configuration = other;
	assert_string_not_equal(name_of(&s, "ktune_d_"), dispatcher);
	assert_string_not_equal(name_of(&s, "ktune_v_"), variant);
	s.variant.configuration = shapes[0].configuration;
	s.device.l2_bytes++;
	assert_string_not_equal(name_of(&s, "ktune_v_"), variant);
	tear_down(&s);
}

static void expect_as_written(struct setting *s)
{
	assert_null(strstr(emit(s), "ktune_"));
	assert_non_null(strstr(s->out.files[0].text, "scale<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, s>>>(y, x, n);"));
	assert_null(strstr(s->out.files[0].text, "#pragma ktune"));
}

static void test_as_written(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, &shapes[0]);
	s.emission.variant_count = 0;
	expect_as_written(&s);
	s.emission.variant_count = 1;
	s.f.region.launches[0].decline = "launch-in-macro";
	expect_as_written(&s);
	s.f.region.launches[0].decline = NULL;
	s.f.region.launches[0].bindings[0] = (struct kt_binding){-1, NULL};
	expect_as_written(&s);
	s.f.region.launches[0].bindings[0] = (struct kt_binding){3, NULL};
	expect_as_written(&s);
	tear_down(&s);
}

/* A launch in the body of a macro: a copy of the macro is used in its place. Ranges that do not fit its text are refused. */
static void test_macro(void **state)
{
	struct setting s;
	struct kt_launch *l;
	struct kt_launch_level levels[] = {
	    {.text = "OUTER(a) RUN(a)", .use = {9, 12}, .list = ""},
	    {.text = "RUN(a) scale<<<1, 32>>>(a)",
	     .callee = {7, 12}, .open = {12, 15}, .close = {20, 24}, .end = {25, 26}, .list = "<int>"},
	};
	struct kt_range *const places[] = {&levels[0].use, &levels[1].callee, &levels[1].open, &levels[1].close, &levels[1].end};

	(void)state;
	set_up(&s, &shapes[0]);
	l = &s.f.region.launches[0];
	l->level_count = 2;
	l->levels = levels;
	l->open = l->close = l->end = (struct kt_range){l->callee.end, l->callee.end};
	l->is_quiet = true;
	assert_non_null(strstr(emit(&s), "_scale<int>(::ktune::launch_(1, 32), a)\n#define ktune_m_"));
	assert_non_null(strstr(s.out.files[0].text, "_OUTER(a) ktune_m_"));
	assert_non_null(strstr(s.out.files[0].text, "_RUN(a)\n#line 1 "));
	l->is_quiet = false;
	assert_non_null(strstr(emit(&s), "_RUN(a) (::ktune::push_(1, 32) ? void() : ktune_o_"));
	assert_non_null(strstr(s.out.files[0].text, "_scale<int>(a))\n"));
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		const struct kt_range place = *places[i];

		places[i]->begin = places[i]->end = 27;
		assert_int_equal(kt_emit(&s.out, s.f.arena, &s.emission, &s.err), KT_ERR_INVALID);
		*places[i] = place;
	}
	tear_down(&s);
}

/*
 * A call has no order of evaluation: where it matters, the configuration is evaluated as the compiler does it for a
 * launch.
 */
static void test_order(void **state)
{
	static const struct {
		const char *launch;
		bool is_quiet, is_bound;
		const char *before, *behind; /* what becomes of it, around the hash */
	} rows[] = {
	    {"k<<<1, 32>>>(y, n)", true, false, "{ ktune_d_", "_k(::ktune::launch_(1, 32), y, n); }"},
	    {"k<<<f(n), 32>>>(y, n++)", false, false, "{ (::ktune::push_(f(n), 32) ? void() : ktune_o_", "_k(y, n++)); }"},
	    {"k<<<f(n), 32>>>(y, n)", false, true, "{ (::ktune::push_(f(n), 32) ? void() : ktune_o_",
	     "_k(::ktune::binding_(n), y, n)); }"},
	    {"k<int, /* two */ 2><<<f(n), 32>>>()", false, false, "{ (::ktune::push_(f(n), 32) ? void() : ktune_o_",
	     "_k< int , 2 >()); }"},
	    {"k<int,\n2><<<f(n), 32>>>()", false, true, "{ (::ktune::push_(\nf(n), 32) ? void() : ktune_o_",
	     "_k< int , 2 >(::ktune::binding_(n))); }"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char source[256];
		struct shape shape = {"order",
				      {.source = source,
				       .kernel = "k",
				       .definition = "__global__",
				       .types = {"int *", "int"},
				       .names = {"y", "n"},
				       .variables = {"n"},
				       .carried = {rows[i].is_bound ? NULL : "n"},
				       .grid = {"1"},
				       .block = {"32"}},
				      {0}};
		struct setting s;
		const char *at;

		snprintf(source, sizeof source, "__global__ void k(int *y, int n) {}\nvoid run(int *y, int n) { %s; }\n",
			 rows[i].launch);
		set_up(&s, &shape);
		s.f.region.launches[0].is_quiet = rows[i].is_quiet;
		at = strstr(emit(&s), rows[i].before);
		assert_non_null(at);
		assert_non_null(strstr(at, rows[i].behind));
		/* Only the dispatcher that is called is written. */
		assert_int_equal(strstr(s.out.files[0].text, "inline void ktune_o_") != NULL, !rows[i].is_quiet);
		assert_int_equal(strstr(s.out.files[0].text, "inline void ktune_d_") != NULL, rows[i].is_quiet);
		tear_down(&s);
	}
}

/* Before the dispatcher is declared, nothing can call it. */
static void test_early_launch(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, &shapes[3]);
	s.f.region.declaration = fx_range(0, 0);
	assert_non_null(strstr(emit(&s), "fill<<<4, 32>>>(y);"));
	assert_non_null(strstr(s.out.files[0].text, "<float>(::ktune::launch_(dim3(4), 32, 0), y, pair{3, 4}, 4);"));
	tear_down(&s);
}

static void test_mixed_bindings(void **state)
{
	struct shape shape = {"mixed",
			      {.source = "__global__ void k(int n) {}\nvoid run(int n, int m)\n"
					 "{\n\tk<<<1, 32>>>(n);\n\tk<<<1, 32>>>(m);\n}\n",
			       .kernel = "k",
			       .definition = "__global__",
			       .types = {"int"},
			       .names = {"n"},
			       .variables = {"n"},
			       .carried = {"n"},
			       .grid = {"n"},
			       .block = {"32"}},
			      {0}};
	struct setting s;

	(void)state;
	set_up(&s, &shape);
	s.f.region.launches[1].bindings[0] = (struct kt_binding){-1, "m + 1"};
	assert_non_null(strstr(emit(&s), "(::ktune::launch_(1, 32), ::ktune::binding_(::ktune::carried_()), n);"));
	assert_non_null(strstr(s.out.files[0].text, "(::ktune::launch_(1, 32), ::ktune::binding_(m + 1), m);"));
	assert_non_null(strstr(s.out.files[0].text, "ktune_v0 = ktune_b0.get_(ktune_f, ktune_a0);"));
	tear_down(&s);
}

static void test_byte_order_mark(void **state)
{
	struct setting s;

	(void)state;
	set_up(&s, &shapes[0]);
	s.emission.source = "\xef\xbb\xbfint x;\n";
	s.emission.source_size = strlen(s.emission.source);
	s.emission.variant_count = 0;
	assert_string_equal(emit(&s), "#include <ktune/ktune.h>\n#line 1 \"k.cu\"\nint x;\n");
	tear_down(&s);
}

/* The kernel of shape 0 in a header that ends with its "}"; the rest is the main file's. */
static void put_in_header(struct setting *s, struct kt_flat *flat, struct kt_flat_file *files,
                          struct kt_flat_include *include)
{
	const char *source = s->f.source, *begin = strstr(source, "#pragma"), *end = strstr(source, "}\nvoid run") + 1;
	const char *directive = "#include \\\n<k.cuh>";
	const size_t front = (size_t)(begin - source);
	struct kt_buf joined = KT_BUF(1 << 16);
	struct kt_flat_text texts[2];

	texts[0].data = kt_arena_printf(s->f.arena, "%.*s%s%s", (int)front, source, directive, end);
	texts[1].data = kt_arena_strndup(s->f.arena, begin, (size_t)(end - begin));
	for (size_t i = 0; i < 2; i++)
		texts[i].size = strlen(texts[i].data);
	*include = (struct kt_flat_include){(uint32_t)front, (uint32_t)(front + strlen(directive)), 1, true};
	files[0] = (struct kt_flat_file){"k.cu", false, 1, include};
	files[1] = (struct kt_flat_file){"inc/k.cuh", false, 0, NULL};
	*flat = (struct kt_flat){.file_count = 2, .files = files};
	fx_ok(kt_flat_join(&joined, flat, s->f.arena, texts, &s->err), &s->err);
	assert_string_equal(kt_buf_text(&joined), source);
	kt_buf_free(&joined);
	s->emission.flat = flat;
}

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Each file gets its own copy; what stands behind the kernel stands in the kernel's file, also at its very end. */
static void test_header(void **state)
{
	struct kt_flat_include include;
	struct kt_flat_file files[2];
	struct kt_flat flat;
	struct setting s;
	const char *main_text, *header, *end = "#line 8 \"inc/k.cuh\"\n";

	(void)state;
	set_up(&s, &shapes[0]);
	put_in_header(&s, &flat, files, &include);
	s.f.region.body_line = 4;
	main_text = emit(&s);
	assert_int_equal(s.out.file_count, 2);
	assert_string_equal(s.out.files[0].name, "k.cu");
	assert_string_equal(s.out.files[1].name, "1-k.cuh");
	assert_string_equal(s.out.files[1].original, "inc/k.cuh");
	assert_int_equal(s.out.folder_count, 2);
	assert_string_equal(s.out.folders[0], ".");
	assert_string_equal(s.out.folders[1], "inc");
	/* The continued directive leaves its newline: later lines keep their number. */
	assert_true(starts(main_text, "#include <ktune/ktune.h>\n#line 1 \"k.cu\"\n#define BLOCK 256\n"
	                              "#include \"1-k.cuh\"\n\nvoid run("));
	assert_non_null(strstr(main_text, "ktune_d_"));
	assert_null(strstr(main_text, "ktune_v_"));
	header = s.out.files[1].text;
	assert_true(starts(header, "#line 1 \"inc/k.cuh\"\n\n\n__global__ void __launch_bounds__(BLOCK) scale("));
	assert_non_null(strstr(header, "ktune_v_"));
	assert_null(strstr(header, "\"k.cu\""));
	assert_string_equal(header + strlen(header) - strlen(end), end);
	files[1].is_system = true;
	s.emission.prefix = "k.o.ktune/";
	assert_non_null(strstr(emit(&s), "#include \"k.o.ktune/1-k.cuh\"\n"));
	assert_true(starts(s.out.files[1].text, "#pragma GCC system_header\n#line 1 \"inc/k.cuh\"\n"));
	tear_down(&s);
}

/* A region that reaches over the border of two files cannot be taken apart. */
static void test_border(void **state)
{
	struct kt_flat_include include;
	struct kt_flat_file files[2];
	struct kt_flat flat;
	struct setting s;

	(void)state;
	set_up(&s, &shapes[0]);
	put_in_header(&s, &flat, files, &include);
	s.f.region.launches[0].callee.begin = s.f.region.body.end - 1;
	s.f.region.extent.end = s.f.region.body.end - 2;
	assert_int_not_equal(kt_emit(&s.out, s.f.arena, &s.emission, &s.err), KT_OK);
	tear_down(&s);
}

static void refuse(struct setting *s)
{
	assert_int_not_equal(kt_emit(&s->out, s->f.arena, &s->emission, &s->err), KT_OK);
	assert_true(s->err.message[0] != '\0');
}

static void test_damage(void **state)
{
	struct setting s;
	struct kt_template foreign;
	const char *text = "unknown_name";

	(void)state;
	set_up(&s, &shapes[0]);
	s.variant.instance = 1;
	refuse(&s);
	s.variant.instance = 0;
	s.f.region.launches[0].open.begin++;
	refuse(&s);
	s.f.region.launches[0].open.begin--;
	s.f.region.decline = "mutable-global";
	refuse(&s);
	s.f.region.decline = NULL;
	s.f.region.extent.end = 1000000;
	refuse(&s);
	s.f.region.extent.end = s.f.region.body.end;
	s.f.region.grid_count = 0;
	refuse(&s);
	s.f.region.grid_count = 1;
	s.f.region.grid[0] = *fx_exprs(&s.f, &text, 1);
	refuse(&s);
	foreign = *s.variant.template_;
	foreign.region = NULL;
	s.variant.template_ = &foreign;
	refuse(&s);
	tear_down(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_golden),          cmocka_unit_test(test_macro),          cmocka_unit_test(test_names),
	    cmocka_unit_test(test_as_written),      cmocka_unit_test(test_order),
	    cmocka_unit_test(test_early_launch),    cmocka_unit_test(test_mixed_bindings),
	    cmocka_unit_test(test_byte_order_mark), cmocka_unit_test(test_damage),
	    cmocka_unit_test(test_header),          cmocka_unit_test(test_border),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
