#include "launch/input.h"

#include <stdlib.h>
#include <string.h>

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

/* The real architectures, each once, ascending. */
static kt_status set_architectures(struct kt_work_input *out, struct kt_arena *arena, const struct kt_command *command,
                                   struct kt_error *err)
{
	int64_t *list = kt_arena_array(arena, command->gencode_count + 1, sizeof *list);
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
