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

/* nvcc puts the folder of -odir before every target, also before one of -MT and an absolute one. */
static kt_status place_target(struct kt_parser *p)
{
	struct kt_command *c = p->command;
	char *target;

	c->dependency_name = c->dependency_targets[0];
	if (p->output_directory == NULL)
		return KT_OK;
	NEED(target = kt_arena_printf(p->arena, "%s/%s", p->output_directory, c->dependency_name), kt_parser_out_of_memory(p));
	c->dependency_targets[0] = target;
	return KT_OK;
}

/* The depfile names the object, whatever the stage. */
static kt_status derive_dependencies(struct kt_parser *p)
{
	struct kt_command *c = p->command;
	const char *name = kt_path_basename(c->input);

	if (c->depfile == NULL)
		c->depfile = c->has_output ? kt_arena_printf(p->arena, "%.*s.d", (int)stem_length(c->output), c->output)
		                           : from_input(p, ".d");
	name = c->has_output ? c->output : kt_arena_printf(p->arena, "%.*s.o", (int)stem_length(name), name);
	NEED(c->depfile, kt_parser_out_of_memory(p));
	NEED(name, kt_parser_out_of_memory(p));
	if (c->dependency_target_count == 0)
		TRY(kt_parser_push(p, &c->dependency_targets, &c->dependency_target_count, name));
	return place_target(p);
}

kt_status kt_parser_derive_names(struct kt_parser *p)
{
	static const char *const suffixes[] = {".o", ".ptx", ".cubin", ".fatbin"};
	struct kt_command *c = p->command;

	if (!c->has_output)
		c->output = c->stage != KT_STAGE_PROGRAM ? from_input(p, suffixes[c->stage])
		            : p->output_directory == NULL ? "a.out"
		                                          : kt_path_join(p->arena, p->output_directory, "a.out");
	NEED(c->output, kt_parser_out_of_memory(p));
	return c->wants_dependencies ? derive_dependencies(p) : KT_OK;
}
