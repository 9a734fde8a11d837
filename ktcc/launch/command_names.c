#include <string.h>

#include "base/fs.h"
#include "launch/parser.h"

/* Without its last suffix: "a/k.cu.o" → "a/k.cu". */
static size_t stem_length(const char *path)
{
	const char *name = kt_path_basename(path), *dot = strrchr(name, '.');

	return dot == NULL || dot == name ? strlen(path) : (size_t)(dot - path);
}

/* "DIRECTORY/STEM.SUFFIX" of the input, the directory that of -odir. */
static const char *from_input(struct kt_parser *p, const char *suffix)
{
	const char *name = kt_path_basename(p->command->input);
	char *file = kt_arena_printf(p->arena, "%.*s%s", (int)stem_length(name), name, suffix);

	return file == NULL || p->output_directory == NULL ? file : kt_path_join(p->arena, p->output_directory, file);
}

kt_status kt_parser_derive_names(struct kt_parser *p)
{
	static const char *const suffixes[] = {".o", ".ptx", ".cubin", ".fatbin"};
	struct kt_command *c = p->command;
	const char *target;

	if (!c->has_output) {
		c->output = c->stage != KT_STAGE_PROGRAM ? from_input(p, suffixes[c->stage])
		            : p->output_directory == NULL ? "a.out"
		                                          : kt_path_join(p->arena, p->output_directory, "a.out");
		/* The depfile speaks of the object, whatever the stage. */
		target = from_input(p, ".o");
	} else {
		target = p->output_directory != NULL ? kt_path_join(p->arena, p->output_directory, c->output) : c->output;
	}
	if (c->output == NULL || target == NULL)
		return kt_parser_out_of_memory(p);
	if (!c->wants_dependencies)
		return KT_OK;
	if (c->depfile == NULL)
		c->depfile = c->has_output ? kt_arena_printf(p->arena, "%.*s.d", (int)stem_length(c->output), c->output)
		                           : from_input(p, ".d");
	NEED(c->depfile, kt_parser_out_of_memory(p));
	return c->dependency_target_count > 0
	           ? KT_OK
	           : kt_parser_push(p, &c->dependency_targets, &c->dependency_target_count, target);
}
