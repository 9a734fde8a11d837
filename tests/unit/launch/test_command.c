/* The command model: every form nvcc accepts, and what must be left to nvcc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "launch/architecture.h"
#include "launch/command.h"
#include "launch/options.h"

#define WORDS_MOST 64

static struct kt_arena *arena;
static struct kt_error error;
static char scratch[64];

static int set_up(void **state)
{
	(void)state;
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	unsetenv("NVCC_PREPEND_FLAGS");
	unsetenv("NVCC_APPEND_FLAGS");
	return arena == NULL;
}

static int tear_down(void **state)
{
	(void)state;
	kt_arena_free(arena);
	return 0;
}

/* Words separated by '|', so that a word may hold blanks. */
static struct kt_command *parse(const char *line)
{
	char *argv[WORDS_MOST], *text = kt_arena_strdup(arena, line);
	struct kt_command *command = NULL;
	int argc = 0;

	for (char *next = text; next != NULL && argc < WORDS_MOST - 1;) {
		char *bar = strchr(next, '|');

		argv[argc++] = next;
		if (bar != NULL)
			*bar = '\0';
		next = bar == NULL ? NULL : bar + 1;
	}
	argv[argc] = NULL;
	assert_int_equal(kt_command_parse(&command, arena, argc, argv, &error), KT_OK);
	return command;
}

static char *join(size_t count, char *const *words)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	char *out;

	for (size_t i = 0; i < count && words[i] != NULL; i++) {
		if (i > 0)
			kt_buf_addc(&text, '|');
		kt_buf_adds(&text, words[i]);
	}
	out = kt_arena_strdup(arena, kt_buf_text(&text));
	kt_buf_free(&text);
	return out;
}

static void write_file(const char *name, const char *text)
{
	assert_int_equal(kt_fs_write(name, text, strlen(text), &error), KT_OK);
}

#define OURS KT_REASON_NONE
#define NOT KT_REASON_NOT_OURS
#define STRANGE KT_REASON_UNKNOWN_OPTION
#define SEVERAL KT_REASON_SEVERAL_INPUTS
#define STDIN KT_REASON_STDIN

/* Acceptance and the two names that matter most. */
static void test_decline(void **state)
{
	static const struct {
		const char *line;
		enum kt_reason decline;
		const char *input, *output;
	} rows[] = {
	    {"nvcc|-c|k.cu|-o|k.o", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|-o=k.o", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|--output-file|k.o", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|--output-file=k.o", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|-ok.o", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-output-file|k.o", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|--o=k.o", STRANGE, NULL, NULL},
	    {"nvcc|--compile|k.cu", OURS, "k.cu", "k.o"},
	    {"nvcc|--device-c|k.cu", OURS, "k.cu", "k.o"},
	    {"nvcc|-dc|a/b.x/k.y.cu", OURS, "a/b.x/k.y.cu", "k.y.o"},
	    {"nvcc|-dw|k.cu", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|-odir|out", OURS, "k.cu", "out/k.o"},
	    {"nvcc|-c|k.cu|-o|a.o|-o|b.o", OURS, "k.cu", "b.o"},
	    {"/opt/cuda/bin/nvcc|-c|k.cu", OURS, "k.cu", "k.o"},
	    {"ccache|nvcc|-c|k.cu", OURS, "k.cu", "k.o"},
	    {"/usr/bin/sccache|/opt/nvcc|-c|k.cu", OURS, "k.cu", "k.o"},
	    {"ccache|distcc|nvcc|-c|k.cu", OURS, "k.cu", "k.o"},
	    {"env|A=1|B=x y|nvcc|-c|k.cu", OURS, "k.cu", "k.o"},
	    {"/usr/bin/env|CCACHE_DIR=/x|ccache|nvcc|-c|k.cu", OURS, "k.cu", "k.o"},
	    {"env|NVCC_APPEND_FLAGS=-G|nvcc|-c|k.cu", NOT, NULL, NULL},
	    {"env|PATH=/x|nvcc|-c|k.cu", NOT, NULL, NULL},
	    {"env|-i|nvcc|-c|k.cu", NOT, NULL, NULL},
	    {"env|A=1", NOT, NULL, NULL},
	    {"ccache|gcc|-c|k.cu", NOT, NULL, NULL},
	    {"nvcc_wrapper|-c|k.cu", NOT, NULL, NULL},
	    {"clang++|-x|cuda|-c|k.cu", KT_REASON_ARCHITECTURE, NULL, NULL},
	    {"clang++|-x|cuda|--cuda-gpu-arch=sm_90|-c|k.cpp|-o|k.o", OURS, "k.cpp", "k.o"},
	    {"ccache|/usr/bin/clang++-19|--offload-arch=sm_80,sm_90a|-c|k.cu", OURS, "k.cu", "k.o"},
	    {"clang|-xcuda|--offload-arch=sm_90|-c|-ok.o|k", OURS, "k", "k.o"},
	    {"clang++|--offload-arch=sm_90|k.cu|main.cpp|-lcudart", OURS, "k.cu", "a.out"},
	    {"clang++|--offload-arch=sm_90|--cuda-device-only|-S|k.cu|-o|k.ptx", OURS, "k.cu", "k.ptx"},
	    {"clang++|--offload-arch=sm_90|--cuda-device-only|-S|k.cu", NOT, NULL, NULL},
	    {"clang++|--offload-arch=sm_90|-S|k.cu|-o|k.s", NOT, NULL, NULL},
	    {"clang++|--offload-arch=sm_90|-fsyntax-only|k.cu", NOT, NULL, NULL},
	    {"clang++|--offload-arch=native|-c|k.cu", STRANGE, NULL, NULL},
	    {"clang++|--offload-arch=sm_90|-Xclang|-include-pch|-Xclang|x|-c|k.cu", STRANGE, NULL, NULL},
	    {"clang++|--offload-arch=sm_90|-M|-c|k.cu", STRANGE, NULL, NULL},
	    {"clang++|--offload-arch=sm_90|-Xcuda-ptxas|-v|-O3|-Wall|-fPIC|-c|k.cu", OURS, "k.cu", "k.o"},
	    {"clang++|--offload-arch=sm_90|-c|k.cu|-o", NOT, NULL, NULL},
	    {"clang++|-O2|-c|k.cpp", NOT, NULL, NULL},
	    {"clang-format|k.cu", NOT, NULL, NULL},
	    {"nvcc", NOT, NULL, NULL},
	    {"ccache", NOT, NULL, NULL},
	    {"ccache|ccache", NOT, NULL, NULL},
	    {"nvcc|-x|cu|-c|m.cpp", OURS, "m.cpp", "m.o"},
	    {"nvcc|-x=cu|-c|m.cpp", OURS, "m.cpp", "m.o"},
	    {"nvcc|--x=cu|-c|noext", OURS, "noext", "noext.o"},
	    {"nvcc|-xcu|-c|m.cpp", NOT, NULL, NULL},
	    {"nvcc|-x|c++|-c|k.cu", NOT, NULL, NULL},
	    {"nvcc|-c|K.CU", NOT, NULL, NULL},
	    {"nvcc|-c|-x|cu|-", STDIN, NULL, NULL},
	    {"nvcc|-ptx|-x=cu|-|-o|k.ptx", STDIN, NULL, NULL},
	    {"nvcc|-c|-", NOT, NULL, NULL},
	    {"nvcc|-c|-x|c++|-", NOT, NULL, NULL},
	    {"nvcc|-c|-x|cu|a.o", NOT, NULL, NULL},
	    {"nvcc|-c|", NOT, NULL, NULL},
	    {"nvcc|-c|.cu", NOT, NULL, NULL},
	    {"nvcc|-c", NOT, NULL, NULL},
	    {"nvcc|k.cu", OURS, "k.cu", "a.out"},
	    {"nvcc|k.cu|-odir|out", OURS, "k.cu", "out/a.out"},
	    {"nvcc|k.cu|-o|program|-lfoo", OURS, "k.cu", "program"},
	    {"nvcc|main.cpp|k.cu|lib.a|-o|program", OURS, "k.cu", "program"},
	    {"nvcc|main.cpp|k.cu|-o|program|-MD", SEVERAL, NULL, NULL},
	    {"nvcc|a.cu|b.cu|-o|program", SEVERAL, NULL, NULL},
	    {"nvcc|main.cpp|lib.a|-o|program", NOT, NULL, NULL},
	    {"nvcc|-c|a.cu|b.cu", SEVERAL, NULL, NULL},
	    {"nvcc|-x|cu|-c|a.cpp|b.cpp", SEVERAL, NULL, NULL},
	    {"nvcc|-c|a.cu|b.o", SEVERAL, NULL, NULL},
	    {"nvcc|-c|a.cu|b.cu|-o|k.o", NOT, NULL, NULL},
	    {"nvcc|-c|m.cpp", NOT, NULL, NULL},
	    {"nvcc|-c|k.cu|-ptx", OURS, "k.cu", "k.ptx"},
	    {"nvcc|--ptx|-c|k.cu|-odir=out", OURS, "k.cu", "out/k.ptx"},
	    {"nvcc|-cubin|a/k.cu", OURS, "a/k.cu", "k.cubin"},
	    {"nvcc|-fatbin|k.cu|-o|k.o", OURS, "k.cu", "k.o"},
	    {"nvcc|-dc|--fatbin|k.cu", OURS, "k.cu", "k.fatbin"},
	    {"nvcc|-ptx|-G|k.cu", KT_REASON_DEBUG, NULL, NULL},
	    {"nvcc|-ptx|-cubin|k.cu", NOT, NULL, NULL},
	    {"nvcc|-optix-ir|k.cu", NOT, NULL, NULL},
	    {"nvcc|-ltoir|-dlto|k.cu", NOT, NULL, NULL},
	    {"nvcc|-E|k.cu|-c", NOT, NULL, NULL},
	    {"nvcc|-M|k.cu", NOT, NULL, NULL},
	    {"nvcc|--generate-dependencies|k.cu|-o|k.d", NOT, NULL, NULL},
	    {"nvcc|-MM|k.cu", NOT, NULL, NULL},
	    {"nvcc|-dryrun|-c|k.cu", NOT, NULL, NULL},
	    {"nvcc|--dryrun|-c|k.cu", NOT, NULL, NULL},
	    {"nvcc|--version", NOT, NULL, NULL},
	    {"nvcc|-c|k.cu|-V", NOT, NULL, NULL},
	    {"nvcc|-c|k.cu|-clean", NOT, NULL, NULL},
	    {"nvcc|-c|k.cu|-o", NOT, NULL, NULL},
	    {"nvcc|-c|k.cu|-o|", NOT, NULL, NULL},
	    {"nvcc|-c|k.cu|-o=", NOT, NULL, NULL},
	    {"nvcc|-c|k.cu|-D", NOT, NULL, NULL},
	    {"nvcc|-c|k.cu|-I=a\"b", NOT, NULL, NULL},
	    {"nvcc|-c|k.cu|-lineinfo=true", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-Wall", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|--", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-MQ=x", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-isystem/usr", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-std|c++17|-O|3|-m|64|-t|4|-rdc|true", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|-O3|-m64|-t4|-lcuda|-L/usr/lib|-Ia|-DX|-UY|-g|-w|-pg", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|--threads=0|--split-compile|4|-time|-|--keep|-v|-res-usage", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|-keep-dir|tmp|-save-temps|-objtemp|-ccbin|g++|-lineinfo", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|-Xptxas|-v,-O3|-Xptxas=-dlcm=ca|-Xnvvm", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-Xcudafe|--diag_suppress=1,--x|-Xfatbin|-compress-all|--cicc-options=y", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|--relaxed-constexpr|-Xcicc|-O2", OURS, "k.cu", "k.o"},
	    {"nvcc|-forward-unknown-to-host-compiler|-Wall|-fPIC|-march=native|-c|k.cu", OURS, "k.cu", "k.o"},
	    {"nvcc|-Wall|-c|k.cu|--forward-unknown-to-host-compiler", OURS, "k.cu", "k.o"},
	    {"nvcc|--foo=bar|-c|k.cu|-forward-unknown-opts", OURS, "k.cu", "k.o"},
	    {"nvcc|-foo|bar|-c|k.cu|-forward-unknown-opts", NOT, NULL, NULL},
	    {"nvcc|-MQfoo|-c|k.cu|-forward-unknown-opts", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-Xcompiler|@file", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-Xcompiler=-S", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-Xcompiler|-MD", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-Xcompiler=-Wp\\,-MD\\,x.d", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-Xcompiler|-include-pch|-Xcompiler|x.pch", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-Xcompiler|-o,x.o", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-Xcompiler|-isystem", STRANGE, NULL, NULL},
	    /* Values of the host compiler's options are values, whatever they look like. */
	    {"nvcc|-c|k.cu|-Xcompiler|-aux-info,other.cu", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|-Xcompiler|-dumpbase|-Xcompiler|-S", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|-Xcompiler|--param|-Xcompiler|x=1", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|-forward-unknown-to-host-compiler|--param=x=1|-fopenmp|-B.|--sysroot=/", OURS, "k.cu", "k.o"},
	    /* nvcc forwards no value of its own accord: it takes the word for an input. */
	    {"nvcc|-c|k.cu|-forward-unknown-to-host-compiler|-MQ|x", NOT, NULL, NULL},
	    {"nvcc|-c|k.cu|-forward-unknown-to-host-compiler|-MQ|x.o", SEVERAL, NULL, NULL},
	    {"nvcc|-c|k.cu|-o|k.o|-forward-unknown-to-host-compiler|-isysroot|/", NOT, NULL, NULL},
	    {"nvcc|-c|k.cu|@file", NOT, NULL, NULL},
	    {"nvcc|-c|k.cu|-Xcompiler|-Wall,-Wextra,\\\"-g\\\"", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|-e|kernel", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-G", KT_REASON_DEBUG, NULL, NULL},
	    {"nvcc|-c|k.cu|--device-debug", KT_REASON_DEBUG, NULL, NULL},
	    {"nvcc|-c|k.cu|-g|-G|-lineinfo", KT_REASON_DEBUG, NULL, NULL},
	    {"nvcc|-c|k.cu|--no-align-double", OURS, "k.cu", "k.o"},
	    {"nvcc|-c|k.cu|-no-align-double", STRANGE, NULL, NULL},
	    {"nvcc|-c|k.cu|-optf|/nonexistent/file", NOT, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_command *command = parse(rows[i].line);

		if (command->decline != rows[i].decline)
			fail_msg("%s: %s", rows[i].line, kt_reason_name(command->decline));
		if (rows[i].input != NULL) {
			assert_string_equal(command->input, rows[i].input);
			assert_string_equal(command->argv[command->input_index], rows[i].input);
			assert_string_equal(command->output, rows[i].output);
		}
	}
}

static void test_launchers(void **state)
{
	(void)state;
	assert_int_equal(parse("nvcc|-c|k.cu")->compiler_words, 1);
	assert_int_equal(parse("ccache|nvcc|-c|k.cu")->compiler_words, 2);
	assert_int_equal(parse("sccache|distcc|nvcc-13.0|-c|k.cu")->compiler_words, 3);
	assert_int_equal(parse("ccache|nvcc|-c|k.cu")->input_index, 3);
}

/* Architectures as "90rv 100fr": real, virtual. */
static void test_architectures(void **state)
{
	static const struct {
		const char *line, *expected;
	} rows[] = {
	    {"", ""},
	    {"|-arch=sm_90", "90rv"},
	    {"|-arch|sm_90", "90rv"},
	    {"|--gpu-architecture=sm_90", "90rv"},
	    {"|--gpu-architecture|compute_90", "90v"},
	    {"|-arch=sm_90a", "90arv"},
	    {"|-arch=sm_103f", "103frv"},
	    {"|-arch=compute_90|-code=sm_90", "90r"},
	    {"|-arch=compute_80|-code=sm_80,sm_86,compute_80", "80rv 86r<80"},
	    {"|--gpu-architecture=compute_80|--gpu-code|sm_80|-code=sm_86", "80r 86r<80"},
	    {"|-gencode=arch=compute_100f,code=sm_103|-gencode=arch=compute_103,code=sm_103", "103fr<100 103r"},
	    {"|-arch=sm_89|-code=sm_89", "unknown-option"},
	    {"|-arch=compute_80|-code=[sm_80]", "unknown-option"},
	    {"|-code=sm_80", "unknown-option"},
	    {"|-arch=native|-code=sm_80", "unknown-option"},
	    {"|-gencode=arch=sm_80,code=sm_80", "unknown-option"},
	    {"|-gencode=arch=compute_80,code=sm_80,code=sm_86", "unknown-option"},
	    {"|-arch=sm_80|-arch=sm_90", "90rv"},
	    {"|-gencode|arch=compute_80,code=sm_80", "80r"},
	    {"|-gencode=arch=compute_80,code=sm_80", "80r"},
	    {"|--generate-code=arch=compute_90,code=[compute_90,sm_90]", "90rv"},
	    {"|--generate-code|arch=compute_90,code=\"compute_90,sm_90\"", "90rv"},
	    {"|-gencode|code=sm_80,arch=compute_80|-gencode=arch=compute_90a,code=sm_90a", "80r 90ar"},
	    {"|-gencode=arch=compute_80,code=sm_80|-gencode=arch=compute_80,code=compute_80", "80rv"},
	    {"|-arch=sm_90|-gencode=arch=compute_80,code=sm_80", "80r 90rv"},
	    {"|-arch=lto_90|-dlto", "90"},
	    {"|-arch=native", "native"},
	    {"|-arch=all", "all"},
	    {"|-arch=all-major", "all-major"},
	    {"|-arch=90", "unknown-option"},
	    {"|-arch=sm_", "unknown-option"},
	    {"|-arch=sm_9x", "unknown-option"},
	    {"|-arch=sm_99999999999999999999", "unknown-option"},
	    {"|-arch=sm_90,sm_80", "unknown-option"},
	    {"|-gencode=arch=compute_80", "unknown-option"},
	    {"|-gencode=arch=compute_80,code=sm_80,sm_86", "unknown-option"},
	    {"|-gencode=", "unknown-option"},
	    {"|-gencode=code=[,],code=x", "unknown-option"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_command *c = parse(kt_arena_printf(arena, "nvcc|-c|k.cu%s", rows[i].line));
		struct kt_buf text = KT_BUF(1000);

		for (size_t k = 0; k < c->gencode_count; k++) {
			const struct kt_gencode *g = &c->gencodes[k];

			kt_buf_addf(&text, "%s%d%.*s%s%s", k > 0 ? " " : "", (int)g->arch, g->feature != '\0',
			            &g->feature, g->real ? "r" : "", g->virtual_ ? "v" : "");
			if (g->via != g->arch)
				kt_buf_addf(&text, "<%d", (int)g->via);
		}
		if (c->arch_native || c->arch_all || c->arch_all_major) {
			assert_int_equal(c->gencode_count, 0);
			kt_buf_adds(&text, c->arch_native ? "native" : c->arch_all ? "all" : "all-major");
		}
		if (c->decline != KT_REASON_NONE) {
			kt_buf_clear(&text);
			kt_buf_adds(&text, kt_reason_name(c->decline));
		}
		if (strcmp(kt_buf_text(&text), rows[i].expected) != 0)
			fail_msg("%s: '%s', not '%s'", rows[i].line, kt_buf_text(&text), rows[i].expected);
		kt_buf_free(&text);
	}
}

/* What clang is given besides the macros that nvcc defines for every command, in order. */
static char *own_clang_words(const struct kt_command *command)
{
	static const char *const nvcc_macros[] = {"-D__CUDA_ARCH_", "-D__NVCC_", "-DCUDA_DOUBLE_"};
	size_t count = 0, kept = 0;
	char **words = kt_command_clang_arguments(arena, &count, command);

	assert_non_null(words);
	assert_null(words[count]);
	for (size_t i = 0; i < count; i++) {
		bool own = true;

		for (size_t k = 0; k < sizeof nvcc_macros / sizeof *nvcc_macros; k++)
			own = own && strncmp(words[i], nvcc_macros[k], strlen(nvcc_macros[k])) != 0;
		if (own)
			words[kept++] = words[i];
	}
	return join(kept, words);
}

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

/* The architectures whose own code is in the object: an entry for one of them can be used. */
static void test_own_architectures(void **state)
{
	static const struct {
		const char *line, *expected;
	} rows[] = {
	    {"", "75"},
	    {"|-arch=sm_90", "90"},
	    {"|-arch=compute_90", "90"},
	    {"|-arch=sm_90a", "90a"},
	    {"|-gencode=arch=compute_90a,code=sm_90a|-gencode=arch=compute_90,code=sm_90|-gencode=arch=compute_80,code=sm_"
	     "80",
	     "80 90a"},
	    {"|-arch=compute_80|-code=sm_80,sm_86", "80"},
	    {"|-arch=compute_80|-code=sm_86", ""},
	    {"|-gencode=arch=compute_100f,code=[sm_100f,sm_103f]", "100f"},
	    {"|-arch=all-major|-gencode=arch=compute_90a,code=sm_90a", "75 80 90a 100 110 120"},
	    {"|-arch=lto_90|-dlto", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_buf text = KT_BUF(1000);
		size_t count = 0;
		struct kt_gencode *own = kt_architecture_own(
		    arena, &count, parse(kt_arena_printf(arena, "nvcc|-c|k.cu%s", rows[i].line)));

		for (size_t k = 0; k < count; k++)
			kt_buf_addf(&text, "%s%d%.*s", k > 0 ? " " : "", (int)own[k].arch, own[k].feature != '\0', &own[k].feature);
		assert_string_equal(kt_buf_text(&text), rows[i].expected);
		kt_buf_free(&text);
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
	assert_string_equal(kt_command_toolkit(arena, c), "/cuda");
	assert_int_equal(c->gencode_count, 2);
	assert_int_equal(c->gencodes[1].arch, 90);
	assert_int_equal(c->gencodes[1].feature, 'a');
	assert_true(c->werror);
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

static void test_dependencies(void **state)
{
	static const struct {
		const char *line;
		bool system, phony;
		const char *depfile, *target;
	} rows[] = {
	    {"|-MD", true, false, "k.d", "k.o"},
	    {"|-MMD|-o|out/k.cu.o", false, false, "out/k.cu.d", "out/k.cu.o"},
	    {"|-MMD|-MP|-MF|x.d|-MT|t", false, true, "x.d", "t"},
	    {"|--generate-dependencies-with-compile|--dependency-output|x.d", true, false, "x.d", "k.o"},
	    {"|--generate-nonsystem-dependencies-with-compile|--dependency-target-name=t", false, false, "k.d", "t"},
	    {"|-MD|--generate-dependency-targets|-MF=y.d|-MT=a b", true, true, "y.d", "a b"},
	    {"|-MMD|-MD", false, false, "k.d", "k.o"},
	    {"|-MD|-MMD", false, false, "k.d", "k.o"},
	    {"|-MD|-MF|a|-MF|b|-MT|c|-MT|d", true, false, "b", "d"},
	    {"|-MD|-MT|a,b", true, false, "k.d", "a,b"},
	    {"|-MMD|-odir|out", false, false, "out/k.d", "out/k.o"},
	    {"|-MMD|-odir|out|-o|k.o", false, false, "k.d", "out/k.o"},
	    {"|-MD|-ptx", true, false, "k.d", "k.o"},
	    {"|-MD|-cubin|-o|x.foo", true, false, "x.d", "x.foo"},
	    {"|-MMD|-fatbin|-odir|out", false, false, "out/k.d", "out/k.o"},
	};
	struct kt_command *c = parse("nvcc|-c|k.cu");

	(void)state;
	assert_false(c->wants_dependencies);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		c = parse(kt_arena_printf(arena, "nvcc|-c|sub/k.cu%s", rows[i].line));
		assert_int_equal(c->decline, KT_REASON_NONE);
		assert_true(c->wants_dependencies);
		assert_int_equal(c->system_dependencies, rows[i].system);
		assert_int_equal(c->phony_dependencies, rows[i].phony);
		assert_string_equal(c->depfile, rows[i].depfile);
		assert_int_equal(c->dependency_target_count, 1);
		assert_string_equal(c->dependency_targets[0], rows[i].target);
	}
}

static void test_werror(void **state)
{
	static const char *const yes[] = {"|-Werror=all-warnings", "|-Werror|all-warnings", "|--Werror=reorder",
	                                  "|-Xcompiler=-Werror", "|-Xcompiler|-Wall,-Werror=unused",
	                                  "|-Werror|reorder,cross-execution-space-call"};
	static const char *const no[] = {"", "|-Wreorder", "|-Xcompiler=-Wall", "|-w"};

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		assert_true(parse(kt_arena_printf(arena, "nvcc|-c|k.cu%s", yes[i]))->werror);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		assert_false(parse(kt_arena_printf(arena, "nvcc|-c|k.cu%s", no[i]))->werror);
}

static void test_environment(void **state)
{
	struct kt_command *c;

	(void)state;
	setenv("NVCC_PREPEND_FLAGS", "-DA=1 -D \"B=x y\"\t-arch=sm_80", 1);
	setenv("NVCC_APPEND_FLAGS", "-arch=sm_90", 1);
	c = parse("nvcc|-DC|-c|k.cu|-arch=sm_86");
	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_true(c->uses_environment_flags);
	assert_int_equal(c->gencode_count, 1);
	assert_int_equal(c->gencodes[0].arch, 90);
	assert_string_equal(own_clang_words(c), "-std=c++17|-DA=1|-D\"B=x y\"|-DC");
	/* A candidate has another target: the environment's words stand in their places, and act but once. */
	assert_string_equal(join(9, kt_command_code_arguments(arena, c)), "nvcc|-DA=1|-D|\"B=x y\"|-DC");

	setenv("NVCC_APPEND_FLAGS", "-G", 1);
	assert_int_equal(parse("nvcc|-c|k.cu")->decline, KT_REASON_DEBUG);
	setenv("NVCC_APPEND_FLAGS", "other.cu", 1);
	assert_int_equal(parse("nvcc|-c|k.cu")->decline, KT_REASON_SEVERAL_INPUTS);
	assert_int_equal(parse("nvcc|-c")->decline, KT_REASON_UNKNOWN_OPTION);
	setenv("NVCC_APPEND_FLAGS", "-MD", 1);
	assert_int_equal(parse("nvcc|-c|k.cu")->decline, KT_REASON_UNKNOWN_OPTION);
	setenv("NVCC_APPEND_FLAGS", "-DX=\"open", 1);
	assert_int_equal(parse("nvcc|-c|k.cu")->decline, KT_REASON_NOT_OURS);
	/* A host option whose value stands in another source: what ktcc adds would come between them. */
	setenv("NVCC_APPEND_FLAGS", "-Xcompiler=/q", 1);
	assert_int_equal(parse("nvcc|-c|k.cu|-Xcompiler|-isystem")->decline, KT_REASON_UNKNOWN_OPTION);
	setenv("NVCC_APPEND_FLAGS", "", 1);
	setenv("NVCC_PREPEND_FLAGS", "-Xcompiler=-isystem", 1);
	assert_int_equal(parse("nvcc|-c|k.cu|-Xcompiler|/q")->decline, KT_REASON_UNKNOWN_OPTION);
	/* A folder that is searched before those that stand for the source's own. */
	setenv("NVCC_PREPEND_FLAGS", "-Xcompiler=-iquote,/q", 1);
	assert_int_equal(parse("nvcc|-c|k.cu")->decline, KT_REASON_UNKNOWN_OPTION);
	unsetenv("NVCC_PREPEND_FLAGS");
	assert_int_equal(parse("nvcc|-c|k.cu|-Xcompiler|-isystem|-Xcompiler|/q")->decline, KT_REASON_NONE);
	assert_false(parse("nvcc|-c|k.cu")->uses_environment_flags);
}

static void test_options_files(void **state)
{
	struct kt_command *c;

	(void)state;
	assert_int_equal(chdir(scratch), 0);
	write_file("one", "-Ia  -DX=\"a b\"\r\n\t-isystem=s\n-DY=a\\ b");
	write_file("two", "--options-file deep/three,one\n-DZ");
	assert_int_equal(kt_fs_mkdirs("deep", &error), KT_OK);
	write_file("deep/three", "-I\n\"in c\"");
	c = parse("nvcc|--options-file|two|-DW|-c|k.cu");
	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_int_equal(c->options_file_count, 3);
	assert_string_equal(own_clang_words(c), "-std=c++17|-I|in c|-I|a|-isystem|s|-DX=a b|-DY=a b|-DZ|-DW");
	assert_string_equal(join(99, kt_command_code_arguments(arena, c)),
	                    "nvcc|-I|in c|-Ia|-DX=a b|-isystem=s|-DY=a b|-DZ|-DW");
	/* What a candidate must not have goes out of the middle of a file. */
	write_file("target", "-Ib -arch=sm_80 -lx -x cu -Ic");
	c = parse("nvcc|-optf|target|-c|k.cpp");
	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_int_equal(c->gencodes[0].arch, 80);
	assert_string_equal(join(99, kt_command_code_arguments(arena, c)), "nvcc|-Ib|-Ic");
	c = parse("nvcc|-optf=one,deep/three|-c|k.cu");
	assert_int_equal(c->include_count, 2);

	write_file("loop", "-optf loop");
	assert_int_equal(parse("nvcc|-optf|loop|-c|k.cu")->decline, KT_REASON_NOT_OURS);
	write_file("bomb", "-optf bomb,bomb,bomb,bomb");
	assert_int_equal(parse("nvcc|-optf|bomb|-c|k.cu")->decline, KT_REASON_NOT_OURS);
	write_file("open", "-D");
	assert_int_equal(parse("nvcc|-optf|open|X|-c|k.cu")->decline, KT_REASON_NOT_OURS);
}

/* What must be replaced, or must go, stands in an options file: its words take its place. */
static void test_options_files_expanded(void **state)
{
	static const char *const from_environment[] = {"-optf input", "-optf output", "-optf depend", "-MD"};
	struct kt_command *c;

	(void)state;
	assert_int_equal(chdir(scratch), 0);
	setenv("KTUNE_PREFIX", "/prefix", 1);
	write_file("input", "-DA -DB k.cu");
	c = parse("nvcc|-optf|input|-c|-DC|-o|k.o");
	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_string_equal(c->input, "k.cu");
	assert_string_equal(join(99, kt_command_emitted(arena, c, "e.cu", NULL, true)),
	                    "nvcc|-Xcompiler=-iquote,\".\"|-isystem=/prefix/include|-Xcompiler=-Wno-unknown-pragmas|"
	                    "-DA|-DB|e.cu|-c|-DC|-o|k.o");
	write_file("output", "-o \"a b.o\"");
	write_file("depend", "-MD -MF k.d -optf output -MT x");
	c = parse("nvcc|-DA|-c|-DB=k.cu|k.cu|-optf=depend|-DC");
	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_string_equal(c->output, "a b.o");
	assert_string_equal(c->depfile, "k.d");
	setenv("NVCC_APPEND_FLAGS", "-DE", 1);
	c = parse("nvcc|-DA|-c|-DB=k.cu|k.cu|-optf=depend|-DC");
	assert_string_equal(join(99, kt_command_emitted(arena, c, "e.cu", NULL, true)),
	                    "nvcc|-Xcompiler=-iquote,\".\"|-isystem=/prefix/include|-Xcompiler=-Wno-unknown-pragmas|"
	                    "-DA|-c|-DB=k.cu|e.cu|-MD|-MF|k.d|-o|a b.o|-MT|x|-DC");
	assert_string_equal(join(99, kt_command_emitted(arena, c, "e.cu", NULL, false)),
	                    "nvcc|-Xcompiler=-iquote,\".\"|-isystem=/prefix/include|-Xcompiler=-Wno-unknown-pragmas|"
	                    "-DA|-c|-DB=k.cu|e.cu|-o|a b.o|-DC");
	unsetenv("NVCC_APPEND_FLAGS");
	/* The environment acts whatever the command is. */
	for (size_t i = 0; i < sizeof from_environment / sizeof *from_environment; i++) {
		setenv("NVCC_PREPEND_FLAGS", from_environment[i], 1);
		assert_int_equal(parse(i == 0 ? "nvcc|-c" : "nvcc|-c|k.cu")->decline, KT_REASON_UNKNOWN_OPTION);
	}
	unsetenv("NVCC_PREPEND_FLAGS");
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
	                    "nvcc|-Ia|-DX=1|-use_fast_math|-Xptxas|-dlcm=ca|-maxrregcount|64|-std=c++20|"
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

static void test_toolkit(void **state)
{
	struct kt_command *c;
	const char *path;

	(void)state;
	assert_int_equal(chdir(scratch), 0);
	assert_int_equal(kt_fs_mkdirs("kit/bin", &error), KT_OK);
	assert_int_equal(kt_fs_mkdirs("kit/include", &error), KT_OK);
	write_file("kit/include/cuda_runtime.h", "");
	write_file("kit/bin/nvcc", "#!/bin/sh\n");
	assert_int_equal(chmod("kit/bin/nvcc", 0755), 0);
	(void)unlink("nvcc");
	assert_int_equal(symlink("kit/bin/nvcc", "nvcc"), 0);
	c = parse("kit/bin/nvcc|-c|k.cu");
	assert_string_equal(kt_command_toolkit(arena, c), kt_path_absolute(arena, "kit", NULL));
	c = parse("ccache|./nvcc|-c|k.cu");
	assert_string_equal(kt_command_toolkit(arena, c), kt_path_real(arena, "kit"));
	assert_null(kt_command_toolkit(arena, parse("/nonexistent/nvcc|-c|k.cu")));
	/* A compiler cache under nvcc's name: the next of the name is the real one. */
	path = kt_arena_strdup(arena, getenv("PATH"));
	assert_int_equal(kt_fs_mkdirs("masks", &error), KT_OK);
	write_file("masks/ccache", "#!/bin/sh\n");
	assert_int_equal(chmod("masks/ccache", 0755), 0);
	(void)unlink("masks/nvcc");
	assert_int_equal(symlink("ccache", "masks/nvcc"), 0);
	assert_int_equal(setenv("PATH", "masks::kit/bin", 1), 0);
	assert_string_equal(kt_command_toolkit(arena, parse("nvcc|-c|k.cu")), kt_path_absolute(arena, "kit", NULL));
	assert_string_equal(kt_command_toolkit(arena, parse("clang++|-c|k.cu")), kt_path_absolute(arena, "kit", NULL));
	assert_int_equal(setenv("PATH", "masks", 1), 0);
	assert_null(kt_command_toolkit(arena, parse("nvcc|-c|k.cu")));
	assert_int_equal(setenv("PATH", path, 1), 0);
}

/* Running out of memory at any point is an error, never a crash or a half-read command. */
static void test_memory(void **state)
{
	static char *argv[] = {"nvcc", "-Ia,b", "-DX", "-gencode=arch=compute_80,code=sm_80", "-MD", "-c", "k.cu", NULL};
	bool worked = false;

	(void)state;
	for (size_t ceiling = 0; ceiling < 1 << 16 && !worked; ceiling += 64) {
		struct kt_arena *small = kt_arena_new(ceiling);
		struct kt_command *command = NULL;

		assert_non_null(small);
		worked = kt_command_parse(&command, small, 7, argv, &error) == KT_OK;
		assert_true(worked == (command != NULL));
		kt_arena_free(small);
	}
	assert_true(worked);
}

static void test_table(void **state)
{
	const char *value;

	(void)state;
	for (unsigned i = 0; i < KT_OPTION_COUNT; i++) {
		const struct kt_option *option = kt_option((enum kt_option_id)i);
		char *name = kt_arena_printf(arena, "--%s", option->long_name);

		assert_int_equal(kt_option_find(&value, name), i);
		assert_null(value);
		assert_true(option->effects != 0);
		if (option->short_name[0] != '\0')
			assert_int_equal(kt_option_find(&value, kt_arena_printf(arena, "-%s", option->short_name)), i);
		name = kt_arena_printf(arena, "%s=v", name);
		if (option->value == KT_VALUE_NONE) {
			assert_int_equal(kt_option_find(&value, name), KT_OPTION_COUNT);
		} else {
			assert_int_equal(kt_option_find(&value, name), i);
			assert_string_equal(value, "v");
		}
	}
	assert_int_equal(kt_option_find(&value, "-"), KT_OPTION_COUNT);
	assert_int_equal(kt_option_find(&value, "--"), KT_OPTION_COUNT);
	assert_int_equal(kt_option_find(&value, "-="), KT_OPTION_COUNT);
	assert_int_equal(kt_option_find(&value, "--="), KT_OPTION_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_decline, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_launchers, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_architectures, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_clang_arguments, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_macros, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_own_architectures, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_clang, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_dependencies, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_werror, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_environment, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_options_files, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_options_files_expanded, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_code_arguments, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_emitted, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_emitted_escapes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_toolkit, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_table, set_up, tear_down),
	};
	int failed;

	(void)snprintf(scratch, sizeof scratch, "/tmp/ktcc-command-XXXXXX");
	if (mkdtemp(scratch) == NULL)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (chdir("/") != 0 || kt_fs_remove_tree(scratch, &error) != KT_OK)
		return 1;
	return failed;
}
