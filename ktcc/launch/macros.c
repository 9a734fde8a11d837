#include "launch/macros.h"

#include <string.h>

#include "launch/architecture.h"

/* Of two rows for one option the one with the value counts; value NULL: any. */
static const struct {
	enum kt_option_id id;
	const char *value, *word;
} of_options[] = {
    {KT_OPTION_DEVICE_C, NULL, "-D__CUDACC_RDC__"},
    {KT_OPTION_DEVICE_W, NULL, "-U__CUDACC_RDC__"},
    {KT_OPTION_RDC, "true", "-D__CUDACC_RDC__"},
    {KT_OPTION_RDC, "false", "-U__CUDACC_RDC__"},
    {KT_OPTION_DLINK_TIME_OPT, NULL, "-D__CUDACC_RDC__"},
    {KT_OPTION_LTO, NULL, "-D__CUDACC_RDC__"},
    {KT_OPTION_RELOCATABLE_LINK, NULL, "-D__CUDACC_RDC__"},
    {KT_OPTION_EXTENSIBLE_WHOLE_PROGRAM, NULL, "-D__CUDACC_EWP__"},
    {KT_OPTION_DEFAULT_STREAM, "per-thread", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"},
    {KT_OPTION_DEFAULT_STREAM, NULL, "-UCUDA_API_PER_THREAD_DEFAULT_STREAM"},
    {KT_OPTION_EXTENDED_LAMBDA, NULL, "-D__CUDACC_EXTENDED_LAMBDA__"},
    {KT_OPTION_EXPT_EXTENDED_LAMBDA, NULL, "-D__CUDACC_EXTENDED_LAMBDA__"},
    {KT_OPTION_RELAXED_CONSTEXPR, NULL, "-D__CUDACC_RELAXED_CONSTEXPR__"},
    {KT_OPTION_OLD_RELAXED_CONSTEXPR, NULL, "-D__CUDACC_RELAXED_CONSTEXPR__"},
    {KT_OPTION_DEVICE_DEBUG, NULL, "-D__CUDACC_DEBUG__"},
};

const char *kt_macro_of_option(enum kt_option_id id, const char *value)
{
	for (size_t i = 0; i < sizeof of_options / sizeof *of_options; i++)
		if (of_options[i].id == id &&
		    (of_options[i].value == NULL || (value != NULL && strcmp(of_options[i].value, value) == 0)))
			return of_options[i].word;
	return NULL;
}

static bool add(struct kt_arena *arena, char ***words, size_t *count, char *word)
{
	return kt_arena_push_text(arena, words, count, word);
}

/* sm_90a: its own features and its family's; sm_100f: the family's. */
static bool add_features(struct kt_arena *arena, char ***words, size_t *count, const struct kt_gencode *target)
{
	long long arch = (long long)target->arch;

	if (target->feature == 'a' &&
	    (!add(arena, words, count, kt_arena_printf(arena, "-D__CUDA_ARCH_FEAT_SM%lld_ALL", arch)) ||
	     !add(arena, words, count, kt_arena_printf(arena, "-D__CUDA_ARCH_SPECIFIC__=%lld0", arch))))
		return false;
	return target->feature == '\0' ||
	       add(arena, words, count, kt_arena_printf(arena, "-D__CUDA_ARCH_FAMILY_SPECIFIC__=%lld0", arch));
}

bool kt_macros_of_target(struct kt_arena *arena, char ***words, size_t *count, const struct kt_command *command)
{
	static const char *const always[] = {"-D__NVCC_DIAG_PRAGMA_SUPPORT__=1", "-DCUDA_DOUBLE_MATH_FUNCTIONS"};
	struct kt_buf list = KT_BUF(KT_LIMIT_LINE_BYTES);
	size_t target_count = 0;
	const struct kt_gencode *targets = kt_architecture_virtual(arena, &target_count, command);
	bool done = targets != NULL;

	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		done = done && add(arena, words, count, kt_arena_strdup(arena, always[i]));
	for (size_t i = 0; done && i < target_count; i++)
		kt_buf_addf(&list, "%s%lld0", i != 0 ? "," : "-D__CUDA_ARCH_LIST__=", (long long)targets[i].arch);
	if (done && target_count != 0)
		done = add(arena, words, count, kt_arena_strdup(arena, kt_buf_text(&list))) &&
		       add_features(arena, words, count, &targets[0]);
	kt_buf_free(&list);
	return done;
}
