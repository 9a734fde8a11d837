/* Options of nvcc in NVRTC's forms: every row of the table, and what commands become. */
#include "command_fixture.h"

#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "launch/options.h"
#include "launch/screening.h"

static char toolkit[128];

/* A toolkit's root with a header and a library, neither of which is opened. */
static int open_toolkit(void **state)
{
	if (open_scratch(state) != 0)
		return 1;
	snprintf(toolkit, sizeof toolkit, "%s/toolkit", scratch);
	arena = kt_arena_new((size_t)1 << 20);
	for (int i = 0; i < 3; i++) {
		static const char *const folders[] = {"include", "lib64", "include/cccl"};

		assert_int_equal(kt_fs_mkdirs(kt_path_join(arena, toolkit, folders[i]), &failure), KT_OK);
	}
	write_file(kt_path_join(arena, toolkit, "include/cuda_runtime.h"), "");
	write_file(kt_path_join(arena, toolkit, "lib64/libnvrtc.so.13"), "");
	write_file(kt_path_join(arena, toolkit, "lib64/libnvrtc-builtins.so"), "");
	kt_arena_free(arena);
	return 0;
}

static int close_toolkit(void **state)
{
	(void)state;
	return remove_scratch();
}

static struct kt_command_screening screening_of(const char *line)
{
	const struct kt_release release = {13, 0, 88};
	struct kt_command_screening screening;

	assert_int_equal(kt_command_screening(&screening, arena, parse(line), toolkit, &release, &failure), KT_OK);
	return screening;
}

/* The options without the toolkit's folders, which are always last. */
static const char *translated(const char *line)
{
	const struct kt_command_screening screening = screening_of(line);
	size_t count = 0;

	assert_non_null(screening.screening);
	while (screening.screening->options[count] != NULL)
		count++;
	assert_true(count >= 2);
	assert_non_null(strstr(screening.screening->options[count - 2], "/toolkit/include"));
	assert_non_null(strstr(screening.screening->options[count - 1], "/toolkit/include/cccl"));
	return join(count - 2, screening.screening->options);
}

static void commands_are_translated(void **state)
{
	static const struct {
		const char *command, *options;
	} rows[] = {
	    {"nvcc|-c|k.cu", ""},
	    {"nvcc|-O3|-g|-Xcompiler|-Wall,-fPIC|--threads|4|-c|k.cu|-o|k.o", ""},
	    {"nvcc|-std=c++20|-DA=1|-D|B|-UC|-c|k.cu", "-DA=1|-DB|-UC|-std=c++20"},
	    {"nvcc|-I/a|-isystem|/s|-I|/b|-Xcompiler=-iquote,/q|-c|k.cu", "-I/q|-I/a|-I/b|-I/s"},
	    {"nvcc|-include|first.h|-c|k.cu", "-include=first.h"},
	    {"nvcc|-use_fast_math|-lineinfo|-c|k.cu", "--use_fast_math|--generate-line-info"},
	    {"nvcc|-ftz=true|--prec-div|false|-prec-sqrt=false|-fmad|false|-c|k.cu",
	     "--ftz=true|--prec-div=false|--prec-sqrt=false|--fmad=false"},
	    {"nvcc|-maxrregcount=64|-Xptxas|-v,-dlcm=cg|--ptxas-options=-O2|-c|k.cu",
	     "--maxrregcount=64|--ptxas-options=-v,-dlcm=cg|--ptxas-options=-O2"},
	    {"nvcc|--expt-relaxed-constexpr|--extended-lambda|-default-stream|per-thread|-c|k.cu",
	     "-D__CUDACC_RELAXED_CONSTEXPR__|-D__CUDACC_EXTENDED_LAMBDA__|-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"},
	    {"nvcc|-rdc=true|-gencode|arch=compute_90,code=sm_90|-dc|k.cu", ""},
	    {"nvcc|-nohdmoveforward|-restrict|-extra-device-vectorization|-c|k.cu",
	     "--builtin-move-forward=false|--restrict|--extra-device-vectorization"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(translated(rows[i].command), rows[i].options);
}

/* A row whose option has no form keeps every command with it at nvcc; the detail names it. */
static void every_row_has_a_form(void **state)
{
	size_t refused = 0;

	(void)state;
	for (int id = 0; id < KT_OPTION_COUNT; id++) {
		const struct kt_option *option = kt_option((enum kt_option_id)id);
		struct kt_command_screening screening;

		assert_non_null(option->nvrtc);
		/* What decides which code is made is never simply dropped, whatever else it bears on. */
		if ((option->effects & (KT_EFFECT_STAGE | KT_EFFECT_RELOCATION)) != 0 || option->long_name[0] == '\0')
			continue;
		screening = screening_of(kt_arena_printf(arena, "nvcc|--%s%s|-c|k.cu", option->long_name,
							 (option->value & KT_VALUE_KIND) == KT_VALUE_NONE ? "" : "=1"));
		refused += option->nvrtc == KT_NVRTC_REFUSED;
		assert_int_equal(screening.why,
				 option->nvrtc == KT_NVRTC_REFUSED ? KT_UNSCREENED_OPTION : KT_UNSCREENED_NONE);
		if (option->nvrtc == KT_NVRTC_REFUSED)
			assert_non_null(strstr(screening.detail, option->long_name));
	}
	assert_true(refused >= 8);
}

static void toolkits_without_a_library(void **state)
{
	struct kt_command_screening screening;

	(void)state;
	assert_int_equal(kt_command_screening(&screening, arena, parse("nvcc|-c|k.cu"), scratch, NULL, &failure),
			 KT_OK);
	assert_int_equal(screening.why, KT_UNSCREENED_LIBRARY);
	assert_null(screening.screening);
	assert_int_equal(kt_command_screening(&screening, arena, parse("nvcc|-c|k.cu"), NULL, NULL, &failure), KT_OK);
	assert_int_equal(screening.why, KT_UNSCREENED_LIBRARY);
	screening = screening_of("nvcc|-c|k.cu");
	assert_non_null(strstr(screening.screening->library, "/toolkit/lib64/libnvrtc.so.13"));
	assert_string_equal(screening.screening->release, "13.0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(commands_are_translated),
	    TEST(every_row_has_a_form),
	    TEST(toolkits_without_a_library),
	};

	return cmocka_run_group_tests(tests, open_toolkit, close_toolkit);
}
