/* What of a command clang is given, what a candidate and what the emitted source are compiled with. */
#include <stdlib.h>
#include <string.h>

#include "command_fixture.h"

/* What clang is given, in order: this covers -I, -isystem, -D, -U, -std and -include with their lists. */
static void test_clang_arguments(void **state)
{
	static const struct {
		const char *line, *expected;
	} rows[] = {
	    {"", "-std=c++17"},
	    {"|-std=c++14", "-std=c++14"},
	    {"|--std|c++20", "-std=c++20"},
	    {"|-std=c++03", "-std=c++03"},
	    {"|-std=c++23", "-std=c++2b"},
	    {"|-std=c++11|-std=c++20", "-std=c++20"},
	    {"|-Ia,b|-I|c|-I=d|--include-path=e,f", "-std=c++17|-I|a|-I|b|-I|c|-I|d|-I|e|-I|f"},
	    {"|-I\"a,b\"", "-std=c++17|-I|a,b"},
	    {"|-Ia\\b", "-std=c++17|-I|a\\b"},
	    {"|-Ia b", "-std=c++17|-I|a b"},
	    {"|-isystem=a,b|-isystem|c|--system-include|d", "-std=c++17|-isystem|a|-isystem|b|-isystem|c|-isystem|d"},
	    {"|-DX|-DY=1,Z=2|-D|W|-D=V|--define-macro=U", "-std=c++17|-DX|-DY=1|-DZ=2|-DW|-DV|-DU"},
	    {"|-DX=f(a\\,b)", "-std=c++17|-DX=f(a,b)"},
	    {"|-DX=\"a,b\"", "-std=c++17|-DX=\"a,b\""},
	    {"|-DX='a'|-UX|-DX=2", "-std=c++17|-DX='a'|-UX|-DX=2"},
	    {"|-include=a.h,b.h|--pre-include|c.h", "-std=c++17|-include|a.h|-include|b.h|-include|c.h"},
	    {"|-Xcompiler=-iquote,\"/a b,c\"", "-std=c++17|-iquote|/a b,c"},
	    {"|-Xcompiler|-iquote \"/a b\"|-Xcompiler=-I/x,-DQ", "-std=c++17|-iquote|/a b|-I|/x|-DQ"},
	    {"|-Xcompiler|-isystem|-Xcompiler|/y", "-std=c++17|-isystem|/y"},
	    {"|-forward-unknown-opts|-isystem/usr|-iquote/q", "-std=c++17|-iquote|/q|-isystem|/usr"},
	    {"|-O3|-lineinfo|-Xptxas=-v|-use_fast_math", "-std=c++17"},
	    {"|-Xcompiler|-idirafter,/late,-isysroot,/root,-funsigned-char",
	     "-std=c++17|-idirafter|/late|-isysroot|/root|-funsigned-char"},
	    {"|-forward-unknown-opts|-idirafter/late|--sysroot=/root|-iquote=/q",
	     "-std=c++17|-idirafter/late|--sysroot=/root|-iquote|=/q"},
	    {"|-rdc=true", "-std=c++17|-D__CUDACC_RDC__"},
	    {"|-rdc=true|--relocatable-device-code|false", "-std=c++17|-D__CUDACC_RDC__|-U__CUDACC_RDC__"},
	    {"|-dc", "-std=c++17|-D__CUDACC_RDC__"},
	    {"|-dlto|-ewp", "-std=c++17|-D__CUDACC_RDC__|-D__CUDACC_EWP__"},
	    {"|-default-stream=per-thread", "-std=c++17|-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"},
	    {"|--default-stream|legacy", "-std=c++17|-UCUDA_API_PER_THREAD_DEFAULT_STREAM"},
	    {"|-extended-lambda|--expt-relaxed-constexpr",
	     "-std=c++17|-D__CUDACC_EXTENDED_LAMBDA__|-D__CUDACC_RELAXED_CONSTEXPR__"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_command *c = parse(kt_arena_printf(arena, "nvcc|-c|k.cu%s", rows[i].line));

		assert_int_equal(c->decline, KT_REASON_NONE);
		assert_string_equal(own_clang_words(c), rows[i].expected);
	}
}

/* The macros of the target, as nvcc's own preprocessor command shows them. */
static void test_macros(void **state)
{
	static const struct {
		const char *line, *expected;
	} rows[] = {
	    {"", "-D__CUDA_ARCH_LIST__=750"},
	    {"|-arch=sm_90", "-D__CUDA_ARCH_LIST__=900"},
	    {"|-gencode=arch=compute_90,code=sm_90|-gencode=arch=compute_80,code=[sm_80,sm_86]",
	     "-D__CUDA_ARCH_LIST__=800,900"},
	    {"|-arch=compute_80|-code=sm_86,sm_89", "-D__CUDA_ARCH_LIST__=800"},
	    {"|-arch=all-major", "-D__CUDA_ARCH_LIST__=750,800,900,1000,1100,1200"},
	    {"|-arch=lto_90", "-D__CUDA_ARCH_LIST__=900"},
	    {"|-arch=sm_90a", "-D__CUDA_ARCH_LIST__=900|-D__CUDA_ARCH_FEAT_SM90_ALL|-D__CUDA_ARCH_SPECIFIC__=900|"
	                      "-D__CUDA_ARCH_FAMILY_SPECIFIC__=900"},
	    {"|-gencode=arch=compute_100f,code=sm_103f", "-D__CUDA_ARCH_LIST__=1000|-D__CUDA_ARCH_FAMILY_SPECIFIC__=1000"},
	    {"|-gencode=arch=compute_80,code=sm_80|-gencode=arch=compute_90a,code=sm_90a", "-D__CUDA_ARCH_LIST__=800,900"},
	    {"|-arch=native", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *words = join(99, kt_command_clang_arguments(
		                           arena, &(size_t){0}, parse(kt_arena_printf(arena, "nvcc|-c|k.cu%s", rows[i].line))));
		char *expected =
		    kt_arena_printf(arena, "-std=c++17|-D__NVCC_DIAG_PRAGMA_SUPPORT__=1|-DCUDA_DOUBLE_MATH_FUNCTIONS%s%s",
		                    rows[i].expected[0] != '\0' ? "|" : "", rows[i].expected);

		assert_string_equal(words, expected);
	}
}

/* clang's command in the same model. */
static void test_clang(void **state)
{
	struct kt_command *c;
	size_t count = 0;

	(void)state;
	setenv("KTUNE_PREFIX", "/prefix", 1);
	c = parse(
	    "clang++|-std=gnu++20|-DA=1|-U|B|-Ia|-isystem|b|-iquote|q|-include|f.h|--sysroot=/s|-fgpu-rdc|"
	    "--cuda-path=/cuda|--offload-arch=sm_80|--cuda-gpu-arch=sm_90a|-Werror|-MD|-MFk.d|-MT|x.o|-MT|y.o|-x|cuda|"
	    "-c|src/k.cu|-o|k.o");
	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_string_equal(
	    join(99, kt_command_clang_arguments(arena, &count, c)),
	    "-std=c++20|-std=gnu++20|--sysroot=/s|-fgpu-rdc|-iquote|q|-I|a|-isystem|b|-DA=1|-UB|-include|f.h");
	assert_string_equal(join(99, kt_command_code_arguments(arena, c)),
	                    "/cuda/bin/nvcc|-Xcompiler=-iquote,\"q\"|-I|a|-isystem|b|-DA=1|-UB|-include|f.h|-std=c++20");
	assert_string_equal(kt_toolkit_root(arena, c, false), "/cuda");
	assert_int_equal(c->gencode_count, 2);
	assert_int_equal(c->gencodes[1].arch, 90);
	assert_int_equal(c->gencodes[1].feature, 'a');
	assert_false(c->pragma_error);
	assert_string_equal(c->depfile, "k.d");
	assert_int_equal(c->dependency_target_count, 2);
	c = parse("clang++|--offload-arch=sm_90|-MD|-MFk.d|-MT|x.o|-c|src/k.cu");
	assert_string_equal(join(99, kt_command_emitted(arena, c, "k.o.ktune/k.cu", NULL, false)),
	                    "clang++|-iquote|src|-isystem|/prefix/include|-Wno-unknown-pragmas|--offload-arch=sm_90|-c|"
	                    "k.o.ktune/k.cu|-o|k.o");
	assert_string_equal(
	    join(99, kt_command_emitted(arena, c, "k.o.ktune/k.cu", NULL, true)),
	    "clang++|-iquote|src|-isystem|/prefix/include|-Wno-unknown-pragmas|--offload-arch=sm_90|-MD|-MFk.d|"
	    "-MT|x.o|-c|k.o.ktune/k.cu|-o|k.o");
	unsetenv("KTUNE_PREFIX");
}

static void test_code_arguments(void **state)
{
	struct kt_command *c = parse("ccache|nvcc|-Ia|-DX=1|-c|k.cu|-o|k.o|-MD|-MF|k.d|-MT|k.o|-arch=sm_90|-gencode|"
	                             "arch=compute_80,code=sm_80|-rdc=true|-use_fast_math|-Xptxas|-dlcm=ca|-maxrregcount|"
	                             "64|-std=c++20|-x|cu|-v|-Werror|all-warnings|-t|4|-lfoo|-dlto|-objtemp|--keep|"
	                             "-Xcompiler|-fPIC|-forward-unknown-opts|-mavx");

	(void)state;
	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_string_equal(join(99, kt_command_code_arguments(arena, c)),
	                    "nvcc|-D__CUDACC_RDC__|-D__CUDACC_RDC__|-Ia|-DX=1|-use_fast_math|-Xptxas|-dlcm=ca|-maxrregcount|64|-std=c++20|"
	                    "-Xcompiler|-fPIC|-forward-unknown-opts|-mavx");
}

static void check_emitted(const char *line, bool keep, const char *expected)
{
	struct kt_command *c = parse(line);

	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_string_equal(join(99, kt_command_emitted(arena, c, "k.o.ktune/k.cu", NULL, keep)), expected);
}

#define ADDED "-Xcompiler=-iquote,\"/src dir/a\"|-isystem=/prefix/include|-Xcompiler=-Wno-unknown-pragmas|"

static void test_emitted(void **state)
{
	(void)state;
	setenv("KTUNE_PREFIX", "/prefix", 1);
	check_emitted("nvcc|-c|/src dir/a/k.cu|-o|k.o", false, "nvcc|" ADDED "-c|k.o.ktune/k.cu|-o|k.o");
	check_emitted("ccache|nvcc|-c|/src dir/a/k.cu", true, "ccache|nvcc|" ADDED "-c|k.o.ktune/k.cu|-o|k.o");
	check_emitted("nvcc|-MD|-MF|x.d|-MT=t|-MP|-c|/src dir/a/k.cu|-o=k.o", false,
	              "nvcc|" ADDED "-c|k.o.ktune/k.cu|-o=k.o");
	check_emitted("nvcc|-MD|-MF|x.d|-MT=t|-MP|-c|/src dir/a/k.cu|-o=k.o", true,
	              "nvcc|" ADDED "-MD|-MF|x.d|-MT=t|-MP|-c|k.o.ktune/k.cu|-o=k.o");
	check_emitted("nvcc|--generate-dependencies-with-compile|-c|/src dir/a/k.cu", true,
	              "nvcc|" ADDED "--generate-dependencies-with-compile|-c|k.o.ktune/k.cu|-o|k.o|-MF|k.d|-MT|k.o");
	/* Headers are named as the source is: relative stays relative. */
	check_emitted("nvcc|-c|src/k.cu|-o|k.o", false,
	              "nvcc|-Xcompiler=-iquote,\"src\"|-isystem=/prefix/include|-Xcompiler=-Wno-unknown-pragmas|-c|"
	              "k.o.ktune/k.cu|-o|k.o");
	check_emitted("nvcc|-c|k.cu|-o|k.o", false,
	              "nvcc|-Xcompiler=-iquote,\".\"|-isystem=/prefix/include|-Xcompiler=-Wno-unknown-pragmas|-c|"
	              "k.o.ktune/k.cu|-o|k.o");
	/* An option's value that equals the input's name stays. */
	check_emitted("nvcc|-D|/src dir/a/k.cu|-c|/src dir/a/k.cu|-o|k.o", false,
	              "nvcc|" ADDED "-D|/src dir/a/k.cu|-c|k.o.ktune/k.cu|-o|k.o");
	unsetenv("KTUNE_PREFIX");
}

/* The source's directory reaches the host compiler through nvcc's list and a shell. */
static void test_emitted_escapes(void **state)
{
	static const struct {
		const char *directory, *word;
	} rows[] = {
	    {"/a,b", "-Xcompiler=-iquote,\"/a,b\""},
	    {"/a'b;c&d", "-Xcompiler=-iquote,\"/a'b;c&d\""},
	    {"/a$b", "-Xcompiler=-iquote,\"/a\\\\$b\""},
	    {"/a`b", "-Xcompiler=-iquote,\"/a\\\\`b\""},
	    {"/a\"b", "-Xcompiler=-iquote,\"/a\\\\\\\"b\""},
	    {"/a\\b", "-Xcompiler=-iquote,\"/a\\\\\\\\b\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_command *c = parse(kt_arena_printf(arena, "nvcc|-c|%s/k.cu", rows[i].directory));
		char **words = kt_command_emitted(arena, c, "e.cu", NULL, false);

		assert_string_equal(words[1], rows[i].word);
		/* Read again, it names the directory. */
		c = parse(kt_arena_printf(arena, "nvcc|-c|k.cu|%s", words[1]));
		assert_int_equal(c->quote_include_count, 1);
		assert_string_equal(c->quote_include_dirs[0], rows[i].directory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_clang_arguments), TEST(test_macros), TEST(test_clang), TEST(test_code_arguments),
	    TEST(test_emitted), TEST(test_emitted_escapes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
