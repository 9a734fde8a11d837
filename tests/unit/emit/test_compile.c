/*
 * Emitted text goes through the real nvcc without a warning, and a built program
 * without the tuned GPU behaves as the plain one: same output, same error.
 * Skipped where nvcc is not installed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emit_shape.h"

static char directory[64];

static const char *path_of(const char *name)
{
	static char paths[32][128];
	static size_t next;
	char *path = paths[next++ % 32];

	snprintf(path, sizeof paths[0], "%s/%s", directory, name);
	return path;
}

/* Runs a command with stdout and stderr in the directory; its exit status. */
static int run(const char *const *arguments, const char *output, const char *errors)
{
	pid_t child = fork();
	int status = 0;

	assert_true(child >= 0);
	if (child == 0) {
		int out = open(path_of(output), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		int bad = open(path_of(errors), O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (out < 0 || bad < 0 || dup2(out, 1) < 0 || dup2(bad, 2) < 0)
			_exit(126);
		execvp(arguments[0], (char *const *)arguments);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void read_back(struct kt_buf *out, const char *name)
{
	FILE *file = fopen(path_of(name), "r");
	int c;

	assert_non_null(file);
	while ((c = fgetc(file)) != EOF)
		kt_buf_addc(out, (char)c);
	fclose(file);
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void compile(const char *source, const char *output, const char *const *flags)
{
	const char *arguments[24] = {"nvcc", "-I" KT_SOURCE_DIR "/runtime/include", path_of(source), "-o",
				     path_of(output)};
	size_t count = 5;
	int status;

	while (*flags != NULL && count < 23)
		arguments[count++] = *flags++;
	status = run(arguments, "nvcc.out", "nvcc.err");
	if (status == 127)
		skip();
	if (status != 0) {
		struct kt_buf message = KT_BUF(1 << 16);

		read_back(&message, "nvcc.out");
		read_back(&message, "nvcc.err");
		fail_msg("%s: %s", source, kt_buf_text(&message));
	}
}

#define STRICT "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra,-Werror"

static const char *const flag_sets[SHAPES][16] = {
    {"-c", "-std=c++11", "-arch=sm_90", STRICT},
    {"-c", "-std=c++17", "-rdc=true", "-gencode", "arch=compute_80,code=sm_80", "-gencode",
     "arch=compute_90,code=sm_90", STRICT},
    {"-c", "-std=c++11", "-gencode", "arch=compute_80,code=sm_80", "-gencode",
     "arch=compute_90,code=[sm_90,compute_90]", STRICT},
    {"-c", "-std=c++11", "-arch=sm_90", STRICT},
    {"-c", "-std=c++20", "-arch=sm_90", "-rdc=true", STRICT},
    {"-c", "-std=c++14", "-arch=sm_90", "-O0", STRICT},
};

static void test_shapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < SHAPES; i++) {
		struct fixture f;
		struct kt_buf out = KT_BUF(1 << 20);

		fx_open(&f, &shapes[i].spec);
		emit_shape(&out, &f, &shapes[i]);
		write_file("k.cu", kt_buf_text(&out));
		kt_buf_free(&out);
		fx_close(&f);
		compile("k.cu", "k.o", flag_sets[i]);
	}
}

/* What the tuner compiles: a slice, candidates in the kernel's namespace, instances by their address. */
static void test_candidates(void **state)
{
	static const char *const flags[] = {"-cubin", "-arch=sm_90", NULL};
	struct fixture f;
	struct kt_buf out = KT_BUF(1 << 20), cubin = KT_BUF(1 << 20);
	struct kt_template *t;
	struct kt_error err;
	static const int64_t values[] = {32};
	struct kt_render render = {NULL, values, "add_c7", false, 0, NULL, false, 0, 0};

	(void)state;
	fx_open(&f, &shapes[2].spec);
	f.region.qualified = "ops::add";
	fx_ok(kt_generate_explicit(&t, f.arena, &f.region, f.source, strlen(f.source), &err), &err);
	kt_slice(&out, &f.region, f.source, strlen(f.source), NULL);
	kt_slice_scope(&out, &f.region, true);
	render.template_ = t;
	fx_ok(kt_template_render(&out, &render, &err), &err);
	kt_instantiate(&out, "add_c7", "<float, 32>", 0);
	kt_slice_scope(&out, &f.region, false);
	write_file("c.cu", kt_buf_text(&out));
	compile("c.cu", "c.cubin", flags);
	read_back(&cubin, "c.cubin");
	assert_non_null(memmem(cubin.data, cubin.size, "add_c7IfLi32E", 13));
	kt_buf_free(&out);
	kt_buf_free(&cubin);
	fx_close(&f);
}

static const struct shape program = {
    "program",
    {.source =
	 "#include <cstdio>\n#define V 1\n"
	 "__global__ void k(float *y, int n)\n{\n\tif (blockIdx.x * 32 + threadIdx.x < n)\n\t\ty[threadIdx.x] = V;\n}\n"
	 "static void say(const char *what)\n{\n\tcudaError_t p = cudaPeekAtLastError(), g = cudaGetLastError();\n"
	 "\tprintf(\"%s %d %d\\n\", what, p, g);\n}\n"
	 "int main()\n{\n\tint n = 40;\n\tsay(\"start\");\n\tk<<<2, 32>>>(nullptr, n);\n\tsay(\"launch\");\n"
	 "\tcudaFree(reinterpret_cast<void *>(1));\n\tk<<<2, 32>>>(nullptr, n);\n\tsay(\"pending\");\n"
	 "\tk<<<0, 32>>>(nullptr, n);\n\tsay(\"empty\");\n\treturn 0;\n}\n",
     .kernel = "k",
     .definition = "__global__",
     .types = {"float *", "int"},
     .names = {"y", "n"},
     .parameters = {{"V", KT_PARAMETER_MACRO, 1, 0}},
     .variables = {"n"},
     .carried = {"n"},
     .grid = {"ceil_div(n, 32)"},
     .block = {"32"}},
    {2}};

/* The device of the entry does not exist, so the original runs wherever the test runs. */
static void test_error_parity(void **state)
{
	static const char *const flags[] = {"-std=c++17", "-arch=sm_90", NULL};
	const char *plain[] = {NULL, NULL}, *tuned[] = {NULL, NULL};
	struct kt_buf emitted = KT_BUF(1 << 20), one = KT_BUF(1 << 16), two = KT_BUF(1 << 16), trace = KT_BUF(1 << 16);
	struct fixture f;

	(void)state;
	fx_open(&f, &program.spec);
	plain[0] = kt_arena_strdup(f.arena, path_of("plain"));
	tuned[0] = kt_arena_strdup(f.arena, path_of("tuned"));
	emit_shape(&emitted, &f, &program);
	write_file("plain.cu", f.source);
	write_file("tuned.cu", kt_buf_text(&emitted));
	compile("plain.cu", "plain", flags);
	compile("tuned.cu", "tuned", flags);
	setenv("CUDA_VISIBLE_DEVICES", "", 1);
	assert_int_equal(run(plain, "plain.out", "plain.err"), 0);
	setenv("KTUNE_TRACE", "1", 1);
	assert_int_equal(run(tuned, "tuned.out", "tuned.err"), 0);
	read_back(&one, "plain.out");
	read_back(&two, "tuned.out");
	read_back(&trace, "tuned.err");
	assert_non_null(strstr(kt_buf_text(&one), "launch "));
	assert_null(strstr(kt_buf_text(&one), "launch 0"));
	assert_string_equal(kt_buf_text(&two), kt_buf_text(&one));
	assert_string_equal(kt_buf_text(&trace),
			    "ktune: k variant=0 original=3 (guard=0 geometry=0 device=0 architecture=0 "
			    "problem=0 error=3) on no device\n"
			    "ktune: k n=40: the original ran 3 times: there was an error, no device or no memory\n");
	unsetenv("KTUNE_TRACE");
	kt_buf_clear(&trace);
	assert_int_equal(run(tuned, "tuned.out", "tuned.err"), 0);
	read_back(&trace, "tuned.err");
	assert_string_equal(kt_buf_text(&trace), "");
	kt_buf_free(&emitted);
	kt_buf_free(&one);
	kt_buf_free(&two);
	kt_buf_free(&trace);
	fx_close(&f);
}

#define AS_WORD(value) #value
#define AS_TEXT(value) AS_WORD(value)

/* The arithmetic of expressions at run time: values, and faults where there is none. */
static void test_arithmetic(void **state)
{
	static const char *const flags[] = {"-x", "cu", "-std=c++11", "-arch=sm_90", NULL};
	const char *program_path[] = {path_of("arithmetic"), NULL};

	(void)state;
	write_file(
	    "arithmetic.cu",
	    "#define min(a, b) user macro\n#include <ktune/ktune.h>\n#include <ktune/ktune.h>\n#undef min\n"
	    "using namespace ktune;\n"
	    "struct odd { int v; void operator&() const; };\nstatic int bad;\nstatic bool f;\n"
	    "#define T(e, v) do { f = false; if ((e) != (v) || f) printf(\"%s\\n\", #e), bad "
	    "= 1; } while (0)\n"
	    "#define F(e) do { f = false; (void)(e); if (!f) printf(\"%s\\n\", #e), bad = 1; } while (0)\n"
	    "int main()\n{\n\tconst long long m = -0x7fffffffffffffffLL - 1, M = 0x7fffffffffffffffLL;\n\tlong long "
	    "a[4];\n"
	    "\tT(div_(f, 7, -2), -3); T(rem_(f, -7, 2), -1); F(div_(f, 1, 0)); F(rem_(f, 1, 0)); F(div_(f, m, -1)); "
	    "F(rem_(f, m, -1)); "
	    "F(ceil_div_(f, m, -1));\n"
	    "\tT(ceil_div_(f, 7, 2), 4); T(ceil_div_(f, -7, 2), -3); T(ceil_div_(f, 8, 2), 4); F(ceil_div_(f, 1, 0));\n"
	    "\tF(add_(f, M, 1)); F(sub_(f, m, 1)); F(mul_(f, M, 2)); F(neg_(f, m)); T(neg_(f, 3), -3); T(mul_(f, -3, 5), -15);\n"
	    "\tT(shl_(f, 3, 4), 48); T(shl_(f, -1, 63), m); F(shl_(f, 1, 63)); F(shl_(f, 1, 64)); F(shl_(f, 1, -1)); "
	    "T(shl_(f, 0, 63), 0);\n"
	    "\tT(shr_(f, m, 63), -1); F(shr_(f, 1, 64)); T(min_(f, 2, 1), 1); T(max_(f, m, 1), 1);\n"
	    "\tT(is_pow2_(f, 64), 1); T(is_pow2_(f, 0), 0); T(is_pow2_(f, -4), 0); T(is_pow2_(f, m), 0);\n"
	    "\tT(aligned_(f, a, 8), 1); T(aligned_(f, (char *)a + 1, 2), 0); T(aligned_(f, a, 0), 0);\n"
	    "\tT(disjoint_(f, a, 2, a + 2, 2), 1); T(disjoint_(f, a, 3, a + 2, 2), 0); T(disjoint_(f, a + 2, 2, a, 3), 0); "
	    "T(disjoint_(f, a + 2, 2, a, 2), 1);\n"
	    "\tT(disjoint_(f, a, 4, a + 1, 0), 1); T(disjoint_(f, a, M, a, 1), 0); T(disjoint_(f, a, -1, a + 3, 1), 0);\n"
	    "\tT(disjoint_(f, (const void *)a, 8, (void *)(a + 1), 1), 1);\n"
	    "\tT(extend_(f, 0, 3, 4), 256); T(extend_(f, 256, 64, 4), 512); T(extend_(f, 256, 65, 4), 768);\n"
	    "\tT(extend_(f, 512, 0, 8), 768); T(KTUNE_MEMORY_SHARE, " AS_TEXT(KT_TEMPORARY_SHARE) ");\n"
	    "\tF(extend_(f, 0, -1, 4)); F(extend_(f, 0, M, 1)); F(extend_(f, 0, M / 2, 4)); F(extend_(f, M - 255, 1, 1));\n"
	    "\tT(value_(f, 5u), 5); T(value_(f, -5), -5); T(value_(f, true), 1); T(value_(f, 2.0f), 2); F(value_(f, 2.5)); "
	    "F(value_(f, ~0ULL)); T(value_(f, 0ULL), 0);\n"
	    "\tT(binding_(carried_()).get_(f, 9), 9); T(binding_(3).get_(f, 9), 3); F(binding_(~0ULL).get_(f)); T(binding_(' "
	    "').get_(f), 32);\n"
	    "\tconst volatile int cv = 7; float *__restrict__ const r = 0; const odd o = {9};\n"
	    "\tT(*static_cast<int *>(argument_(cv)), 7); T(*static_cast<int *>(argument_(o)), 9);\n"
	    "\tT(*static_cast<float **>(argument_(r)) == 0, 1);\n"
	    "\treturn bad;\n}\n");
	compile("arithmetic.cu", "arithmetic", flags);
	if (run(program_path, "a.out", "a.err") != 0) {
		struct kt_buf message = KT_BUF(1 << 16);

		read_back(&message, "a.out");
		fail_msg("%s", kt_buf_text(&message));
	}
}

static int make_directory(void **state)
{
	(void)state;
	snprintf(directory, sizeof directory, "/tmp/ktune-emit-XXXXXX");
	return mkdtemp(directory) != NULL ? 0 : -1;
}

static int remove_directory(void **state)
{
	static const char *const names[] = {"k.cu",          "k.o",       "c.cu",      "c.cubin",  "plain",
					    "plain.cu",      "plain.out", "plain.err", "tuned",    "tuned.cu",
					    "tuned.out",     "tuned.err", "nvcc.out",  "nvcc.err", "arithmetic",
					    "arithmetic.cu", "a.out",     "a.err"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		unlink(path_of(names[i]));
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shapes),
	    cmocka_unit_test(test_candidates),
	    cmocka_unit_test(test_error_parity),
	    cmocka_unit_test(test_arithmetic),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
