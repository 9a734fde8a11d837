#include "launch/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "launch/architecture.h"
#include "launch/flags.h"
#include "launch/front.h"
#include "launch/machine.h"
#include "launch/screening.h"
#include "launch/toolkit.h"

static kt_status set_architectures(struct kt_work_input *out, struct kt_arena *arena, const struct kt_command *command,
                                   struct kt_error *err)
{
	size_t own_count = 0, read_count = 0;
	const struct kt_gencode *own = kt_architecture_own(arena, &own_count, command);
	const struct kt_gencode *read = kt_architecture_virtual(arena, &read_count, command);
	int64_t *list = kt_arena_array(arena, own_count + 1, sizeof *list);
	char *features = kt_arena_array(arena, own_count + 1, 1);

	if (own == NULL || read == NULL || list == NULL || features == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "architectures: out of memory");
	for (size_t i = 0; i < own_count; i++) {
		list[i] = own[i].arch;
		features[i] = own[i].feature;
	}
	out->architectures = list;
	out->features = features;
	out->architecture_count = own_count;
	out->read_architecture = read_count != 0 ? read[0].arch : 0;
	out->read_feature = read_count != 0 ? read[0].feature : '\0';
	return KT_OK;
}

/* Appends the macros of nvcc's release to the NULL-terminated words; a front end that knows none does without. */
static char **with_release(struct kt_arena *arena, char **words, size_t count, const struct kt_command *command,
                           struct kt_store *store)
{
	struct kt_release release;
	char **all = kt_arena_array(arena, count + 6, sizeof *all);

	if (words == NULL || all == NULL || !kt_toolkit_release(&release, command, store))
		return all != NULL ? words : NULL;
	memcpy(all, words, count * sizeof *all);
	all[count] = kt_arena_printf(arena, "-D__CUDACC_VER_MAJOR__=%d", release.major);
	all[count + 1] = kt_arena_printf(arena, "-D__CUDACC_VER_MINOR__=%d", release.minor);
	all[count + 2] = kt_arena_printf(arena, "-D__CUDACC_VER_BUILD__=%d", release.build);
	all[count + 3] = kt_arena_printf(arena, "-D__CUDA_API_VER_MAJOR__=%d", release.major);
	all[count + 4] = kt_arena_printf(arena, "-D__CUDA_API_VER_MINOR__=%d", release.minor);
	for (size_t i = 0; i < 5; i++)
		if (all[count + i] == NULL)
			return NULL;
	return all;
}

/* What scripts add comes first, as it does for the compiler; the command has the last word. */
static char **with_front(struct kt_arena *arena, char **words, size_t *count, const struct kt_front *front)
{
	char **all;

	if (words == NULL || front->word_count == 0)
		return words;
	NEED(all = kt_arena_array(arena, *count + front->word_count + 1, sizeof *all), NULL);
	memcpy(all, front->words, front->word_count * sizeof *all);
	memcpy(all + front->word_count, words, *count * sizeof *all);
	*count += front->word_count;
	return all;
}

/* How NVRTC may compile candidates of the command. */
static kt_status set_screening(struct kt_work_input *out, struct kt_arena *arena, const struct kt_command *command,
                               struct kt_store *store, struct kt_error *err)
{
	struct kt_command_screening screening;
	struct kt_release release;
	const bool known = kt_toolkit_release(&release, command, store);
	TRY(kt_command_screening(&screening, arena, command, out->toolkit_dir, known ? &release : NULL, err));

	out->screening = screening.screening;
	out->unscreened = screening.why;
	out->unscreened_detail = screening.detail;
	return KT_OK;
}

kt_status kt_input_from_command(struct kt_work_input *out, struct kt_arena *arena, const struct kt_command *command,
                                const struct kt_config *config, struct kt_store *store, struct kt_error *err)
{
	struct kt_buf flags = KT_BUF(KT_LIMIT_LINE_BYTES), assembler = KT_BUF(KT_LIMIT_LINE_BYTES);
	char fingerprint[KT_HASH_TEXT];
	struct kt_front front;
	size_t clang_count = 0;

	kt_machine_fingerprint(fingerprint);
	*out = (struct kt_work_input){
	    .config = config,
	    .store = store,
	    .file = command->input,
	    .directory = command->directory,
	    .clang_arguments = kt_command_clang_arguments(arena, &clang_count, command),
	    .code_arguments = kt_command_code_arguments(arena, command),
	    .toolkit_dir = kt_toolkit_root(arena, command, true),
	    .native = command->arch_native,
	    /* A launcher may lead to a machine with one. */
	    .gpu = config->runner_launcher != NULL || kt_machine_has_gpu(),
	    .fingerprint = kt_arena_strdup(arena, fingerprint),
	};
	if (out->clang_arguments == NULL || out->code_arguments == NULL || out->fingerprint == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "command: out of memory");
	TRY(kt_front_read(&front, arena, command, out->code_arguments, err));
	TRY(set_screening(out, arena, command, store, err));
	out->clang_arguments = with_front(arena, (char **)(uintptr_t)out->clang_arguments, &clang_count, &front);
	out->clang_arguments =
	    with_release(arena, (char **)(uintptr_t)out->clang_arguments, clang_count, command, store);
	NEED(out->clang_arguments, kt_fail(err, KT_ERR_MEMORY, "command: out of memory"));
	kt_flags_add(&flags, &assembler, command);
	if (front.mark != NULL)
		kt_buf_addf(&flags, "script=%s\n", front.mark);
	out->flags = flags.failed ? NULL : kt_arena_strdup(arena, kt_buf_text(&flags));
	out->assembler = assembler.failed ? NULL : kt_arena_strdup(arena, kt_buf_text(&assembler));
	kt_buf_free(&flags);
	kt_buf_free(&assembler);
	if (out->flags == NULL || out->assembler == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "command: out of memory");
	return set_architectures(out, arena, command, err);
}

kt_status kt_input_for_opencl(struct kt_work_input *out, struct kt_arena *arena, const char *file, int flag_count,
                              char *const *flags, struct kt_config *config, struct kt_store *store,
                              struct kt_error *err)
{
	static const int64_t no_architecture = 0;
	struct kt_buf options = KT_BUF(KT_LIMIT_LINE_BYTES), key = KT_BUF(KT_LIMIT_LINE_BYTES);
	char **arguments = kt_arena_array(arena, (size_t)flag_count + 1, sizeof *arguments);
	kt_status status;

	NEED(arguments, kt_fail(err, KT_ERR_MEMORY, "build options: out of memory"));
	for (int i = 0; i < flag_count; i++) {
		arguments[i] = flags[i];
		kt_buf_addf(&options, "%s%s", i != 0 ? " " : "", flags[i]);
	}
	kt_flags_add_opencl(&key, flag_count, flags);
	config->backend = "opencl";
	*out = (struct kt_work_input){
	    .config = config,
	    .store = store,
	    .file = file,
	    .directory = kt_path_absolute(arena, ".", NULL),
	    .clang_arguments = arguments,
	    .code_arguments = arguments,
	    .flags = kt_arena_strdup(arena, kt_buf_text(&key)),
	    .assembler = "",
	    .language = KT_LANGUAGE_OPENCL,
	    .build_options = kt_arena_strdup(arena, kt_buf_text(&options)),
	    .architectures = &no_architecture,
	    .gpu = true,
	    .fingerprint = "opencl",
	};
	status = kt_buf_check(&options, "build options", err);
	kt_buf_free(&options);
	kt_buf_free(&key);
	if (status == KT_OK && (out->directory == NULL || out->flags == NULL || out->build_options == NULL))
		status = kt_fail(err, KT_ERR_MEMORY, "build options: out of memory");
	return status;
}
