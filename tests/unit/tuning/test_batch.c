#include "compile_fixture.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tuning/blame.h"

static const char source[] = "#include \"factor.h\"\n"
                             "#define BLOCK 128\n"
                             "#define FACTOR 1\n"
                             "namespace ops {\n"
                             "namespace {\n"
                             "__device__ float twice(float v) { return v * factor; }\n"
                             "__global__ void scale(float *x, int n)\n"
                             "{\n"
                             "\tint i = blockIdx.x * BLOCK + threadIdx.x;\n"
                             "\tif (i < n) x[i] = FACTOR * twice(x[i]);\n"
                             "}\n"
                             "}\n"
                             "}\n";

static void use_plain(struct compile_fixture *c)
{
	compile_write(c, "factor.h", "static const float factor = 2.0f;\n");
	c->f.region.qualified = "ops::(anonymous namespace)::scale";
	c->f.region.in_anonymous_namespace = true;
	FIXTURE_TUNE(&c->f, "BLOCK", 128, 64, 256);
	FIXTURE_TUNE(&c->f, "FACTOR", 1, 0, 3);
	c->f.template_.head = "__global__ void ${ktune:kernel}(float *x, int n)";
	c->f.template_.body_line = 8;
	c->f.template_.body = "{\n"
	                      "\tint i = blockIdx.x * ${BLOCK} + threadIdx.x;\n"
	                      "\tstatic_assert(BLOCK > 0, \"a block has threads\");\n"
	                      "#if FACTOR == 99\n"
	                      "\tundeclared_thing = 1;\n"
	                      "#elif FACTOR == 98\n"
	                      "\t__shared__ float large[60000];\n"
	                      "\tlarge[threadIdx.x] = x[i];\n"
	                      "\t__syncthreads();\n"
	                      "\tx[i] = large[i % 60000];\n"
	                      "#endif\n"
	                      "\tif (i < n) x[i] = FACTOR * twice(x[i]);\n"
	                      "}\n";
}

static struct kt_batch *open_batch(struct compile_fixture *c, const char *text)
{
	struct kt_batch *batch = NULL;

	if (kt_batch_open(&batch, &c->compile, &c->f.template_, &c->f.instance, text, strlen(text), &c->f.err) != KT_OK)
		fail_msg("%s", c->f.err.message);
	return batch;
}

/* A made-up compiler. */
static void use_script(struct compile_fixture *c, const char *script)
{
	compile_write(c, "fake", script);
	c->arguments[0] = kt_path_join(c->f.arena, c->source_directory, "fake");
	assert_int_equal(chmod(c->arguments[0], 0755), 0);
}

/* All of them, by ticket. */
static void finish_all(struct kt_built *built, size_t count, struct kt_batch *batch)
{
	struct kt_built one;
	size_t got = 0;

	memset(built, 0, count * sizeof *built);
	while (kt_batch_next(&one, batch, 120.0)) {
		assert_true(one.ticket < count);
		assert_true(built[one.ticket].cubin == NULL && built[one.ticket].message == NULL);
		built[one.ticket] = one;
		got++;
	}
	assert_int_equal(got, count);
	assert_int_equal(kt_batch_pending(batch), 0);
}

static void assert_compiled(const struct kt_built *built, const char *part)
{
	if (built->cubin == NULL)
		fail_msg("ticket %zu: %s", built->ticket, built->message);
	assert_null(built->message);
	assert_true(kt_fs_is_file(built->cubin));
	assert_non_null(strstr(built->function, part));
}

static void test_guilty_stand_alone(void **state)
{
	static const int64_t factors[] = {1, 0, 99, 3, 98, 7};
	struct compile_fixture c;
	struct kt_built built[14];

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	struct kt_batch *batch = open_batch(&c, source);
	assert_int_equal(kt_batch_add(batch, 0, NULL, &c.f.err), KT_OK);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(kt_batch_add(batch, i + 1, (int64_t[]){64, factors[i]}, &c.f.err), KT_OK);
	/* Tickets whose names start with another's. */
	for (size_t i = 7; i < 14; i++)
		assert_int_equal(kt_batch_add(batch, i, (int64_t[]){256, (int64_t)i}, &c.f.err), KT_OK);
	assert_int_equal(kt_batch_flush(batch, &c.f.err), KT_OK);
	assert_int_equal(kt_batch_pending(batch), 14);
	finish_all(built, 14, batch);
	assert_compiled(&built[0], "5scale");
	assert_compiled(&built[1], "5kt_c1");
	assert_compiled(&built[2], "5kt_c2");
	assert_compiled(&built[4], "5kt_c4");
	assert_compiled(&built[6], "5kt_c6");
	for (size_t i = 10; i < 14; i++)
		assert_compiled(&built[i], "6kt_c1");
	assert_null(built[3].cubin);
	assert_non_null(strstr(built[3].message, "undeclared_thing"));
	assert_non_null(strstr(built[3].message, "(12)")); /* the user's line */
	assert_null(strstr(built[3].message, "shared"));
	assert_null(built[5].cubin);
	assert_non_null(strstr(built[5].message, "too much shared data"));
	assert_true(kt_batch_compile_seconds(batch) > 0);
	assert_false(kt_batch_next(&built[0], batch, 5.0));
	kt_batch_close(batch);
	compile_close(&c);
}

/* Candidates with one text are compiled once, whether it compiles or not. */
static void test_twins(void **state)
{
	static const int64_t factors[] = {3, 99, 3, 5, 99, 3};
	struct compile_fixture c;
	struct kt_built built[7];

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	struct kt_batch *batch = open_batch(&c, source);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(kt_batch_add(batch, i, (int64_t[]){64, factors[i]}, &c.f.err), KT_OK);
	assert_int_equal(kt_batch_flush(batch, &c.f.err), KT_OK);
	finish_all(built, 6, batch);
	/* One that comes when its twin is long compiled. */
	assert_int_equal(kt_batch_add(batch, 6, (int64_t[]){64, 3}, &c.f.err), KT_OK);
	assert_true(kt_batch_next(&built[6], batch, 120));
	assert_int_equal(built[6].ticket, 6);
	for (size_t i = 0; i < 7; i++) {
		const bool bad = i == 1 || i == 4;

		assert_int_equal(built[i].text, bad ? 1 : i == 3 ? 3 : 0);
		if (bad)
			assert_non_null(strstr(built[i].message, "undeclared_thing"));
		else
			assert_compiled(&built[i], i == 3 ? "5kt_c3" : "5kt_c0");
	}
	assert_string_equal(built[0].cubin, built[5].cubin);
	assert_int_equal(kt_batch_screened(batch)->shared, 4);
	/* Who asks for a binary of nvcc's own gets it. */
	assert_int_equal(kt_batch_add_exact(batch, 7, (int64_t[]){64, 3}, &c.f.err), KT_OK);
	assert_true(kt_batch_next(&built[0], batch, 120));
	assert_compiled(&built[0], "5kt_c7");
	kt_batch_close(batch);
	compile_close(&c);
}

static const char template_source[] = "template <typename T, int BLOCK>\n"
                                      "__global__ void scale(T *x, int n)\n"
                                      "{\n"
                                      "\tint i = blockIdx.x * BLOCK + threadIdx.x;\n"
                                      "\tif (i < n) x[i] = T(2) * x[i];\n"
                                      "}\n"
                                      "__global__ void rescale_all(float *x) { x[0] = 0; }\n";

static void test_template_instances(void **state)
{
	struct compile_fixture c;
	struct kt_built built[3];

	(void)state;
	COMPILE_OPEN(&c);
	struct kt_parameter *block = FIXTURE_TUNE(&c.f, "BLOCK", 128, 256);
	block->kind = KT_PARAMETER_TEMPLATE;
	block->template_index = 1;
	c.f.instance.name = "scale<float, 128>";
	c.f.instance.argument_count = 2;
	c.f.instance.arguments = (const char *[]){"float", "128"};
	c.f.template_.head = "template <typename T, int BLOCK>\n__global__ void ${ktune:kernel}(T *x, int n)";
	c.f.template_.body = "{\n\tint i = blockIdx.x * BLOCK + threadIdx.x;\n\tif (i < n) x[i] = T(2) * x[i];\n"
	                     "\tstatic_assert(BLOCK < 1000, \"large\");\n}\n";
	struct kt_batch *batch = open_batch(&c, template_source);
	assert_int_equal(kt_batch_add(batch, 0, NULL, &c.f.err), KT_OK);
	assert_int_equal(kt_batch_add(batch, 1, (int64_t[]){256}, &c.f.err), KT_OK);
	assert_int_equal(kt_batch_add(batch, 2, (int64_t[]){2048}, &c.f.err), KT_OK);
	finish_all(built, 3, batch); /* waiting starts them without a flush */
	assert_compiled(&built[0], "5scaleIfLi128EE");
	assert_compiled(&built[1], "5kt_c1IfLi256EE");
	assert_null(built[2].cubin);
	assert_non_null(strstr(built[2].message, "large"));
	kt_batch_close(batch);
	compile_close(&c);
}

/* An error that belongs to nobody's text must not cost a compiler run per candidate. */
static void test_broken_slice(void **state)
{
	struct compile_fixture c;
	struct kt_built built[6];
	struct kt_buf text = KT_BUF(4096);
	DIR *scratch;
	size_t sources = 0;

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	kt_buf_adds(&text, source);
	kt_buf_adds(&text, "int broken = not_there;\n");
	struct kt_batch *batch = open_batch(&c, kt_buf_text(&text));
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(kt_batch_add(batch, i, (int64_t[]){64, (int64_t)i}, &c.f.err), KT_OK);
	finish_all(built, 6, batch);
	for (size_t i = 0; i < 6; i++)
		assert_non_null(strstr(built[i].message, "not_there"));
	scratch = opendir(c.scratch);
	assert_non_null(scratch);
	for (struct dirent *entry; (entry = readdir(scratch)) != NULL;)
		sources += strstr(entry->d_name, ".cu") != NULL;
	closedir(scratch);
	assert_true(sources <= 3);
	kt_batch_close(batch);
	kt_buf_free(&text);
	compile_close(&c);
}

static void test_refused_option(void **state)
{
	struct compile_fixture c;
	struct kt_built built[4];

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	c.arguments[1] = kt_arena_strdup(c.f.arena, "-no-such-option");
	c.compile.jobs = 1; /* all in one unit */
	struct kt_batch *batch = open_batch(&c, source);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(kt_batch_add(batch, i, (int64_t[]){64, (int64_t)i}, &c.f.err), KT_OK);
	finish_all(built, 4, batch);
	for (size_t i = 0; i < 4; i++)
		assert_non_null(strstr(built[i].message, "no-such-option"));
	assert_false(kt_fs_is_file(kt_path_join(c.f.arena, c.scratch, "batch1.cu"))); /* one try was enough */
	kt_batch_close(batch);
	compile_close(&c);
}

static void test_no_compiler(void **state)
{
	struct compile_fixture c;
	struct kt_built built[2];

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	c.arguments[0] = kt_arena_strdup(c.f.arena, "/nowhere/nvcc");
	struct kt_batch *batch = open_batch(&c, source);
	assert_int_equal(kt_batch_add(batch, 0, NULL, &c.f.err), KT_OK);
	assert_int_equal(kt_batch_add(batch, 1, (int64_t[]){64, 1}, &c.f.err), KT_OK);
	finish_all(built, 2, batch);
	assert_non_null(strstr(built[0].message, "/nowhere/nvcc"));
	assert_non_null(strstr(built[1].message, "/nowhere/nvcc"));
	kt_batch_close(batch);
	compile_close(&c);
}

/* An old compiler that names nobody: only one candidate at a time shows who it is. */
static void test_bisects(void **state)
{
	static const char script[] = "#!/bin/sh\n"
	                             "for a; do src=$a; case $a in *.cubin) out=$a ;; esac; done\n"
	                             "case \"$*\" in *split-compile*) echo \"nvcc fatal   : Unknown option "
	                             "'-split-compile=0'\"; exit 1 ;; esac\n"
	                             "grep -q 'define FACTOR 77' \"$src\" && exit 1\n"
	                             "exec cp \"$KTUNE_TEST_CUBIN\" \"$out\"\n";
	struct compile_fixture c;
	struct kt_built built[8], first;

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	struct kt_batch *batch = open_batch(&c, source);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(kt_batch_add(batch, i, (int64_t[]){64, (int64_t)i}, &c.f.err), KT_OK);
	c.compile.batch_most = 8;
	finish_all(built, 8, batch);
	/* The real cubin of tickets 0 to 3 answers for the made-up compiler. */
	first = built[0];
	assert_int_equal(setenv("KTUNE_TEST_CUBIN", first.cubin, 1), 0);
	use_script(&c, script);
	struct kt_batch *second = open_batch(&c, source);
	c.compile.scratch = c.directory;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(kt_batch_add(second, i, (int64_t[]){64, i == 2 ? 77 : (int64_t)i}, &c.f.err), KT_OK);
	finish_all(built, 4, second);
	for (size_t i = 0; i < 4; i++) {
		if (i == 2) {
			assert_null(built[i].cubin);
			assert_non_null(strstr(built[i].message, "status 1"));
		} else {
			assert_compiled(&built[i], "5kt_c");
		}
	}
	unsetenv("KTUNE_TEST_CUBIN");
	kt_batch_close(second);
	kt_batch_close(batch);
	compile_close(&c);
}

/* Most compilers that ran at a time for eight candidates, four compilers allowed and a make with so many tokens. */
static size_t most_compilers(struct compile_fixture *c, const char *tokens)
{
	struct kt_built built[8];
	struct kt_batch *batch;
	struct kt_buf counts = KT_BUF(1 << 16);
	size_t most = 0;
	char flags[64], back[8];
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], tokens, strlen(tokens)), strlen(tokens));
	snprintf(flags, sizeof flags, "-j9 --jobserver-auth=%d,%d", ends[0], ends[1]);
	assert_int_equal(setenv("MAKEFLAGS", flags, 1), 0);
	c->compile.jobs = 4;
	c->compile.batch_most = 1;
	batch = open_batch(c, source);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(kt_batch_add(batch, i, (int64_t[]){64, (int64_t)i}, &c->f.err), KT_OK);
	finish_all(built, 8, batch);
	kt_batch_close(batch);
	unsetenv("MAKEFLAGS");
	/* All tokens came back. */
	assert_int_equal(write(ends[1], "!", 1), 1);
	assert_int_equal(read(ends[0], back, sizeof back), strlen(tokens) + 1);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(kt_fs_read(&counts, kt_path_join(c->f.arena, c->source_directory, "counts"), &c->f.err), KT_OK);
	for (const char *at = kt_buf_text(&counts); *at != '\0'; at++)
		if (*at >= '0' && *at <= '9' && (size_t)(*at - '0') > most)
			most = (size_t)(*at - '0');
	kt_buf_free(&counts);
	return most;
}

static void test_tokens(void **state)
{
	static const char script[] = "#!/bin/sh\n"
	                             "cd \"${0%/*}\" && mkdir -p running && : > running/$$\n"
	                             "ls running | wc -l >> counts\n"
	                             "sleep 0.05\nrm running/$$\nexit 1\n";
	static const char *const tokens[] = {"", "+", "++", "+++++"};
	struct compile_fixture c;

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	use_script(&c, script);
	for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
		compile_write(&c, "counts", "");
		assert_in_range(most_compilers(&c, tokens[i]), i == 0 ? 1 : 2, i < 3 ? i + 1 : 4);
	}
	compile_close(&c);
}

/* The first units are small; quick compilers get more, up to the most. */
static void test_units_grow(void **state)
{
	static const char script[] = "#!/bin/sh\n"
	                             "for a; do case $a in *.cu) src=$a ;; esac; done\n"
	                             "count=$(grep -c 'define FACTOR' \"$src\")\n"
	                             "echo $((count - 1)) >> \"${0%/*}/counts\"\n" /* one is the source's own */
	                             "kill -9 $$\n";
	struct compile_fixture c;
	struct kt_built one;
	struct kt_buf counts = KT_BUF(1 << 16);
	size_t finished = 0;

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	use_script(&c, script);
	c.compile.jobs = 1;
	struct kt_batch *batch = open_batch(&c, source);
	for (size_t i = 0; i < 4 + 8 + 16 + 16; i++)
		assert_int_equal(kt_batch_add(batch, i, (int64_t[]){64, (int64_t)i}, &c.f.err), KT_OK);
	assert_int_equal(kt_batch_flush(batch, &c.f.err), KT_OK);
	for (; kt_batch_next(&one, batch, 60.0); finished++)
		assert_true(one.unlucky);
	assert_int_equal(finished, 4 + 8 + 16 + 16);
	assert_int_equal(kt_fs_read(&counts, kt_path_join(c.f.arena, c.source_directory, "counts"), &c.f.err), KT_OK);
	/* Between them the halves of units that were killed. */
	assert_int_equal(strncmp(kt_buf_text(&counts), "4\n", 2), 0);
	assert_non_null(strstr(kt_buf_text(&counts), "\n8\n"));
	assert_non_null(strstr(strstr(kt_buf_text(&counts), "\n8\n"), "\n16\n"));
	kt_buf_free(&counts);
	kt_batch_close(batch);
	compile_close(&c);
}

/* Does any process carry this text in its command line? */
static size_t count_processes(const char *text)
{
	DIR *proc = opendir("/proc");
	size_t found = 0;

	assert_non_null(proc);
	for (struct dirent *entry; (entry = readdir(proc)) != NULL;) {
		char path[300], line[16384];
		size_t size;
		FILE *file;

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
		file = fopen(path, "r");
		if (file == NULL)
			continue;
		size = fread(line, 1, sizeof line, file);
		fclose(file);
		found += memmem(line, size, text, strlen(text)) != NULL;
	}
	closedir(proc);
	return found;
}

/*
 * Waits until some process carries this text, at most 5 s: a compiler that was just started still has our command
 * line.
 */
static bool process_appears(const char *text)
{
	for (int tries = 0; tries < 500; tries++) {
		if (count_processes(text) > 0)
			return true;
		usleep(10000);
	}
	return false;
}

/* Temporary files of nvcc directly below a directory. */
static size_t count_leftovers(const char *path)
{
	DIR *directory = opendir(path);
	size_t found = 0;

	assert_non_null(directory);
	for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
		found += strncmp(entry->d_name, "tmpxft", 6) == 0;
	closedir(directory);
	return found;
}

static void test_cancel(void **state)
{
	struct compile_fixture c;
	struct kt_built built, later[8];

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	struct kt_batch *batch = open_batch(&c, source);
	assert_int_equal(kt_batch_add(batch, 0, (int64_t[]){64, 1}, &c.f.err), KT_OK);
	assert_int_equal(kt_batch_flush(batch, &c.f.err), KT_OK);
	assert_true(kt_batch_next(&built, batch, 120.0));
	assert_compiled(&built, "5kt_c0");
	/* More than compilers take at once, and one that would be tried again in parts. */
	for (size_t i = 1; i < 40; i++)
		assert_int_equal(kt_batch_add(batch, i, (int64_t[]){64, i == 1 ? 99 : 1}, &c.f.err), KT_OK);
	assert_int_equal(kt_batch_flush(batch, &c.f.err), KT_OK);
	assert_true(process_appears(c.scratch));
	kt_batch_cancel(batch);
	assert_int_equal(kt_batch_pending(batch), 0);
	assert_int_equal(kt_batch_ready(batch), 0);
	assert_false(kt_batch_next(&later[0], batch, 120.0));
	for (int tries = 0; tries < 100 && count_processes(c.scratch) > 0; tries++)
		usleep(10000);
	assert_int_equal(count_processes(c.scratch), 0);
	assert_compiled(&built, "5kt_c0");
	/* What is added now is built as ever. */
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(kt_batch_add(batch, i, (int64_t[]){256, (int64_t)i}, &c.f.err), KT_OK);
	assert_int_equal(kt_batch_flush(batch, &c.f.err), KT_OK);
	finish_all(later, 8, batch);
	for (size_t i = 0; i < 8; i++)
		assert_compiled(&later[i], "5kt_c");
	kt_batch_cancel(batch);
	kt_batch_close(batch);
	compile_close(&c);
}

static void test_close_in_the_middle(void **state)
{
	struct compile_fixture c;
	struct kt_built built;

	(void)state;
	COMPILE_OPEN(&c);
	use_plain(&c);
	assert_int_equal(setenv("TMPDIR", c.source_directory, 1), 0);
	struct kt_batch *batch = open_batch(&c, source);
	for (size_t i = 0; i < 12; i++)
		assert_int_equal(kt_batch_add(batch, i, (int64_t[]){64, (int64_t)i}, &c.f.err), KT_OK);
	assert_int_equal(kt_batch_flush(batch, &c.f.err), KT_OK);
	assert_false(kt_batch_next(&built, batch, 0.05));
	assert_true(process_appears(c.scratch));
	kt_batch_close(batch);
	for (int tries = 0; tries < 100 && count_processes(c.scratch) > 0; tries++)
		usleep(10000);
	assert_int_equal(count_processes(c.scratch), 0);
	assert_int_equal(count_leftovers(c.source_directory), 0);
	assert_true(count_leftovers(c.scratch) > 0);
	unsetenv("TMPDIR");
	compile_close(&c);
}

static void test_diagnostics(void **state)
{
	static const char output[] = "In file included from k:3:\n"
	                             "kt_c3(12): error: identifier \"a\" is undefined\n"
	                             "      a = 1;\n"
	                             "      ^\n"
	                             "\n"
	                             "k(4): error: static assertion failed\n"
	                             "          detected during instantiation of \"void f<N>()\" at line 7 of kt_c12\n"
	                             "k(9): warning: kt_c5 is fine\n"
	                             "k(9): error: nobody\n"
	                             "2 errors detected in the compilation of \"batch0.cu\".\n"
	                             "ptxas error   : Entry function '_Z5kt_c73Foo' uses too much shared data\n"
	                             "ptxas fatal   : kt_c without a number";
	static const struct {
		bool error, has_ticket, common;
		size_t ticket;
	} rows[] = {
	    {true, true, false, 3},  {true, true, false, 12}, {false, true, false, 5},  {true, false, true, 0},
	    {true, false, false, 0}, {true, true, false, 7},  {true, false, false, 0},
	};
	const char *at = output, *end = output + sizeof output - 1;
	struct kt_diagnostic diagnostic;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_true(kt_diagnostic_next(&diagnostic, &at, end));
		assert_int_equal(diagnostic.error, rows[i].error);
		assert_int_equal(diagnostic.has_ticket, rows[i].has_ticket);
		assert_int_equal(diagnostic.common, rows[i].common);
		if (rows[i].has_ticket)
			assert_int_equal(diagnostic.ticket, rows[i].ticket);
	}
	assert_false(kt_diagnostic_next(&diagnostic, &at, end));
	at = end;
	assert_false(kt_diagnostic_next(&diagnostic, &at, end));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_diagnostics),   cmocka_unit_test(test_guilty_stand_alone),
	    cmocka_unit_test(test_twins),
	    cmocka_unit_test(test_template_instances), cmocka_unit_test(test_broken_slice),
	    cmocka_unit_test(test_no_compiler),   cmocka_unit_test(test_bisects), cmocka_unit_test(test_tokens),
	    cmocka_unit_test(test_units_grow),
	    cmocka_unit_test(test_refused_option),
	    cmocka_unit_test(test_cancel), cmocka_unit_test(test_close_in_the_middle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
