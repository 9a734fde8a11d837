#include "launch/screening.h"

#include <string.h>

#include "base/fs.h"
#include "base/toolkit.h"
#include "launch/macros.h"
#include "launch/options.h"

struct list {
	struct kt_arena *arena;
	const char *directory; /* that relative paths start at */
	size_t count;
	char **items;
	bool failed;
};

static void add(struct list *list, char *text)
{
	list->failed = !kt_arena_push_text(list->arena, &list->items, &list->count, text) || list->failed;
}

static void add_folder(struct list *list, const char *folder)
{
	char *path = kt_path_absolute(list->arena, folder, list->directory);

	add(list, path != NULL ? kt_arena_printf(list->arena, "-I%s", path) : NULL);
}

static void add_folders(struct list *list, size_t count, const char *const *folders)
{
	for (size_t i = 0; i < count; i++)
		add_folder(list, folders[i]);
}

/* What the model of the command holds, in the order in which folders are searched. */
static void add_model(struct list *list, const struct kt_command *command)
{
	for (size_t i = 0; i < command->definition_count; i++)
		add(list, kt_arena_strdup(list->arena, command->definitions[i]));
	add_folders(list, command->quote_include_count, command->quote_include_dirs);
	add_folders(list, command->include_count, command->include_dirs);
	add_folders(list, command->system_include_count, command->system_include_dirs);
	for (size_t i = 0; i < command->forced_include_count; i++)
		add(list, kt_arena_printf(list->arena, "-include=%s", command->forced_includes[i]));
	if (command->standard != NULL)
		add(list, kt_arena_printf(list->arena, "-std=%s", command->standard));
}

/* One option with its value (NULL: none); false: NVRTC has no form for it. */
static bool add_option(struct list *list, enum kt_option_id id, const char *value)
{
	const struct kt_option *option = kt_option(id);
	const char *macro;

	if (option->nvrtc == KT_NVRTC_REFUSED)
		return false;
	if (option->nvrtc == KT_NVRTC_SAME)
		add(list, value != NULL ? kt_arena_printf(list->arena, "--%s=%s", option->long_name, value)
					: kt_arena_printf(list->arena, "--%s", option->long_name));
	else if (option->nvrtc == KT_NVRTC_READ && (macro = kt_macro_of_option(id, value)) != NULL)
		add(list, kt_arena_strdup(list->arena, macro));
	else if (option->nvrtc != KT_NVRTC_READ && option->nvrtc != KT_NVRTC_IGNORED)
		add(list, kt_arena_strdup(list->arena, option->nvrtc));
	return true;
}

/* All options of the command; the first without a form, or NULL. */
static const char *add_options(struct list *list, const struct kt_command *command)
{
	for (size_t i = 0; i < command->word_count; i++) {
		const char *word = command->words[i].text, *value = NULL;
		enum kt_option_id id;

		/* An input, or what nvcc hands to the host's compiler. */
		if (word[0] != '-' || (id = kt_option_find(&value, word)) == KT_OPTION_COUNT)
			continue;
		if ((kt_option(id)->value & KT_VALUE_KIND) != KT_VALUE_NONE && value == NULL &&
		    i + 1 < command->word_count)
			value = command->words[++i].text;
		if (!add_option(list, id, value))
			return word;
	}
	return NULL;
}

kt_status kt_command_screening(struct kt_command_screening *out, struct kt_arena *arena,
			       const struct kt_command *command, const char *toolkit, const struct kt_release *release,
			       struct kt_error *err)
{
	struct list list = {.arena = arena, .directory = command->directory};
	struct kt_screening *screening = kt_arena_alloc(arena, sizeof *screening);
	char *headers = kt_toolkit_headers(arena, toolkit), **slot;
	const char *refused;

	*out = (struct kt_command_screening){.why = KT_UNSCREENED_LIBRARY};
	NEED(screening, kt_fail(err, KT_ERR_MEMORY, "options of NVRTC: out of memory"));
	*screening = (struct kt_screening){.program = kt_install_path(arena, "libexec/ktcc/ktcc-nvrtc"),
					   .library = kt_toolkit_library(arena, toolkit, "libnvrtc.so")};
	if (command->is_clang || headers == NULL || screening->library == NULL)
		return KT_OK;
	add_model(&list, command);
	refused = add_options(&list, command);
	add_folder(&list, headers);
	add_folder(&list, kt_path_join(arena, headers, "cccl"));
	slot = kt_arena_push(arena, &list.items, &list.count, sizeof *slot);
	if (release != NULL)
		screening->release = kt_arena_printf(arena, "%d.%d", release->major, release->minor);
	if (list.failed || slot == NULL || screening->program == NULL ||
	    (release != NULL && screening->release == NULL))
		return kt_fail(err, KT_ERR_MEMORY, "options of NVRTC: out of memory");
	*slot = NULL;
	screening->options = list.items;
	out->why = refused != NULL ? KT_UNSCREENED_OPTION : KT_UNSCREENED_NONE;
	out->detail = refused;
	out->screening = refused != NULL ? NULL : screening;
	return KT_OK;
}
