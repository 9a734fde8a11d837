#include "launch/input.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "launch/machine.h"
#include "launch/options.h"

/*
 * The options that change device code, one a line, paths left out: two
 * checkouts of one project must get the same text.
 */
static void add_flags(struct kt_buf *out, char *const *arguments)
{
	for (size_t i = 1; arguments[i] != NULL; i++) {
		const char *value = NULL;
		enum kt_option_id id;
		const struct kt_option *option;

		if (arguments[i][0] != '-' || (id = kt_option_find(&value, arguments[i])) == KT_OPTION_COUNT)
			continue;
		option = kt_option(id);
		if (value == NULL && (option->value & KT_VALUE_KIND) != KT_VALUE_NONE && arguments[i + 1] != NULL)
			value = arguments[++i];
		if ((option->effects & KT_EFFECT_CODE) == 0 || (option->effects & (KT_EFFECT_HOST | KT_EFFECT_PREPROCESS)) != 0)
			continue;
		kt_buf_addf(out, "%s=%s\n", option->long_name, value != NULL ? value : "");
	}
}

static int ascending(const void *a, const void *b)
{
	int64_t x, y;

	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

/* What -arch=all and all-major stand for (nvcc 13.0's documentation); without any option nvcc compiles for the first. */
static const struct {
	int64_t arch;
	bool major;
} nvcc_targets[] = {
    {75, true}, {80, true}, {86, false}, {87, false}, {88, false}, {89, false},
    {90, true}, {100, true}, {103, false}, {110, true}, {120, true}, {121, false},
};

enum { NVCC_TARGETS = sizeof nvcc_targets / sizeof *nvcc_targets };

static size_t implied_architectures(int64_t *list, const struct kt_command *command)
{
	size_t count = 0;

	if (!command->arch_all && !command->arch_all_major && !command->arch_native)
		list[count++] = nvcc_targets[0].arch;
	for (size_t i = 0; i < NVCC_TARGETS; i++)
		if (command->arch_all || (command->arch_all_major && nvcc_targets[i].major))
			list[count++] = nvcc_targets[i].arch;
	return count;
}

/* The real architectures, each once, ascending. */
static kt_status set_architectures(struct kt_work_input *out, struct kt_arena *arena, const struct kt_command *command,
                                   struct kt_error *err)
{
	int64_t *list = kt_arena_array(arena, command->gencode_count + NVCC_TARGETS, sizeof *list);
	size_t count = 0;

	if (list == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "architectures: out of memory");
	for (size_t i = 0; i < command->gencode_count; i++) {
		bool listed = false;

		for (size_t j = 0; j < count; j++)
			listed = listed || list[j] == command->gencodes[i].arch;
		if (command->gencodes[i].real && !listed)
			list[count++] = command->gencodes[i].arch;
	}
	if (command->gencode_count == 0)
		count = implied_architectures(list, command);
	qsort(list, count, sizeof *list, ascending);
	out->architectures = list;
	out->architecture_count = count;
	return KT_OK;
}

kt_status kt_input_from_command(struct kt_work_input *out, struct kt_arena *arena, const struct kt_command *command,
                                const struct kt_config *config, struct kt_store *store, struct kt_error *err)
{
	struct kt_buf flags = KT_BUF(KT_LIMIT_LINE_BYTES);
	char fingerprint[KT_HASH_TEXT];
	size_t clang_count = 0;

	kt_machine_fingerprint(fingerprint);
	*out = (struct kt_work_input){
	    .config = config,
	    .store = store,
	    .file = command->input,
	    .directory = command->directory,
	    .clang_arguments = kt_command_clang_arguments(arena, &clang_count, command),
	    .code_arguments = kt_command_code_arguments(arena, command),
	    .toolkit_dir = kt_command_toolkit(arena, command),
	    .native = command->arch_native,
	    .gpu = kt_machine_has_gpu(),
	    .fingerprint = kt_arena_strdup(arena, fingerprint),
	};
	if (out->clang_arguments == NULL || out->code_arguments == NULL || out->fingerprint == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "command: out of memory");
	add_flags(&flags, out->code_arguments);
	out->flags = kt_arena_strdup(arena, kt_buf_text(&flags));
	kt_buf_free(&flags);
	if (out->flags == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "command: out of memory");
	return set_architectures(out, arena, command, err);
}

bool kt_input_is_opencl(const char *file)
{
	size_t length = strlen(file);

	return length > 3 && strcmp(file + length - 3, ".cl") == 0;
}

kt_status kt_input_for_opencl(struct kt_work_input *out, struct kt_arena *arena, const char *file, int flag_count,
                              char *const *flags, struct kt_config *config, struct kt_store *store,
                              struct kt_error *err)
{
	static const int64_t no_architecture = 0;
	struct kt_buf options = KT_BUF(KT_LIMIT_LINE_BYTES), key = KT_BUF(KT_LIMIT_LINE_BYTES);
	char **arguments = kt_arena_array(arena, (size_t)flag_count + 1, sizeof *arguments);
	kt_status status;

	if (arguments == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "build options: out of memory");
	for (int i = 0; i < flag_count; i++) {
		arguments[i] = flags[i];
		kt_buf_addf(&options, "%s%s", i != 0 ? " " : "", flags[i]);
		/* Macros count by their use, include folders by what is found in them. */
		if (strncmp(flags[i], "-I", 2) != 0 && strncmp(flags[i], "-D", 2) != 0)
			kt_buf_addf(&key, "%s\n", flags[i]);
	}
	config->backend = "opencl";
	*out = (struct kt_work_input){
	    .config = config,
	    .store = store,
	    .file = file,
	    .directory = kt_path_absolute(arena, ".", NULL),
	    .clang_arguments = arguments,
	    .code_arguments = arguments,
	    .flags = kt_arena_strdup(arena, kt_buf_text(&key)),
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
