/* The command model: every form nvcc accepts, and what must be left to nvcc. */
#include <string.h>

#include "command_fixture.h"
#include "launch/architecture.h"
#include "launch/options.h"

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
	    {"|-arch=lto_90|-dlto", "90"}, {"|-gencode|arch=compute_90,code=[lto_90]", "90"},
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
	    {"|-MMD|-odir|out|-o|/a/k.o", false, false, "/a/k.d", "out//a/k.o"},
	    {"|-MMD|-odir|out/|-MT|t", false, false, "out/k.d", "out//t"},
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

/* Only this very error keeps the warning about ktune's pragma. */
static void test_pragma_error(void **state)
{
	static const char *const yes[] = {"|-Xcompiler=-Werror=unknown-pragmas",
	                                  "|-Xcompiler|-Wall,-Werror=unknown-pragmas"};
	static const char *const no[] = {"",
	                                 "|-Werror=all-warnings",
	                                 "|-Werror|all-warnings",
	                                 "|-Xcompiler=-Werror",
	                                 "|-Xcompiler|-Wall,-Werror",
	                                 "|-Xcompiler=-Wunknown-pragmas"};

	(void)state;
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		assert_true(parse(kt_arena_printf(arena, "nvcc|-c|k.cu%s", yes[i]))->pragma_error);
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		assert_false(parse(kt_arena_printf(arena, "nvcc|-c|k.cu%s", no[i]))->pragma_error);
	assert_true(parse("clang++|--offload-arch=sm_90|-Werror=unknown-pragmas|-c|k.cu")->pragma_error);
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
		worked = kt_command_parse(&command, small, 7, argv, &failure) == KT_OK;
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

/* The message names the word, not only that there was one. */
static void test_odd_word(void **state)
{
	static const struct {
		const char *line, *expected;
	} rows[] = {
	    {"nvcc|-O2|--foo|-c|k.cu|--bar", "--foo"},
	    {"nvcc|-forward-unknown-opts|-fno-such|-MQfoo|-c|k.cu", "-MQfoo"},
	    {"nvcc|-forward-unknown-to-host-compiler|-fPIC|-Xcompiler|-S|-c|k.cu", "-Xcompiler"},
	    {"clang++|-O2|--offload-arch=native|-c|k.cu", "--offload-arch=native"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_command *c = parse(rows[i].line);

		if (c->decline != KT_REASON_UNKNOWN_OPTION || c->odd_word == NULL || strcmp(c->odd_word, rows[i].expected) != 0)
			fail_msg("%s: %s, '%s'", rows[i].line, kt_reason_name(c->decline),
			         c->odd_word != NULL ? c->odd_word : "");
	}
	assert_null(parse("nvcc|-O2|-c|k.cu")->odd_word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_odd_word), TEST(test_decline), TEST(test_launchers), TEST(test_architectures),
	    TEST(test_own_architectures), TEST(test_dependencies), TEST(test_pragma_error), TEST(test_memory), TEST(test_table),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
