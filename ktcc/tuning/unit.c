#include "tuning/unit.h"

#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/source.h"
#include "generation/generation.h"

/* After the user's arguments: architecture, mode, include directory, input, output. */
#define ADDED_ARGUMENTS 12

void kt_unit_name(char out[KT_UNIT_NAME_BYTES], size_t ticket)
{
	struct kt_buf text = KT_BUF(KT_UNIT_NAME_BYTES - 1);

	kt_buf_addf(&text, "kt_c%zu", ticket);
	memcpy(out, kt_buf_text(&text), text.size + 1);
	kt_buf_free(&text);
}

void kt_unit_begin(struct kt_buf *out, const struct kt_template *template_, const char *source, size_t source_size,
                   bool bare)
{
	if (!kt_target_of(template_->region->language)->has_compiler) {
		/* The driver's build log is what the user reads: it names the user's file and lines. */
		kt_source_line_directive(out, 1, template_->region->file);
		kt_slice(out, template_->region, source, source_size, NULL);
		return;
	}
	if (bare)
		kt_slice_bare(out, template_->region, source, source_size, KT_SLICE_FILE);
	else
		kt_slice(out, template_->region, source, source_size, KT_SLICE_FILE);
	kt_buf_adds(out, "#line 1 \"ktune\"\n");
	kt_slice_scope(out, template_->region, true);
}

void kt_unit_end(struct kt_buf *out, const struct kt_template *template_)
{
	kt_buf_adds(out, "#line 1 \"ktune\"\n");
	kt_slice_scope(out, template_->region, false);
}

/*
 * A kernel that nothing uses is dropped in an unnamed namespace, or is no instance. Its
 * address is taken through its type, which distinguishes overloads.
 */
static void keep_typed(struct kt_buf *out, const char *kernel, const char *const *types, size_t count, size_t number)
{
	kt_buf_addf(out, "void *ktune_keep_%zu() { return (void *)(void (*)(", number);
	for (size_t i = 0; i < count; i++)
		kt_buf_addf(out, "%s%s", i > 0 ? ", " : "", types[i]);
	kt_buf_addf(out, "))%s; }\n", kernel);
}

/* Of a template that other functions have the name of, one instance. */
static void keep_instance(struct kt_buf *out, const struct kt_region *region, const struct kt_instance *instance,
			  const char *arguments)
{
	struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_buf_addf(&name, "%s%s", region->kernel, arguments);
	out->failed = out->failed || name.failed;
	keep_typed(out, kt_buf_text(&name), instance->types, region->argument_count, 0);
	kt_buf_free(&name);
}

/* All kernels of a launch region; one that is launched twice is kept twice, which does no harm. */
static void keep_steps(struct kt_buf *out, const struct kt_region *region, const struct kt_instance *instance)
{
	const size_t index = (size_t)(instance - region->instances);

	for (size_t i = 0; i < region->step_count; i++) {
		const struct kt_region_step *s = &region->steps[i];

		if (strchr(s->instances[index], '<') != NULL)
			kt_buf_addf(out, "void *ktune_step_%zu() { return (void *)%s; }\n", i, s->instances[index]);
		else if (s->is_static || s->in_anonymous_namespace)
			keep_typed(out, s->kernel, s->types + index * s->argument_count, s->argument_count, i);
	}
}

void kt_unit_original(struct kt_buf *out, const struct kt_template *template_, const struct kt_instance *instance)
{
	const struct kt_region *region = template_->region;
	struct kt_buf arguments = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (region->step_count > 0) {
		keep_steps(out, region, instance);
		return;
	}
	if (instance->argument_count == 0) {
		if (region->is_static || region->in_anonymous_namespace)
			keep_typed(out, region->kernel, instance->types, region->argument_count, 0);
		return;
	}
	for (size_t i = 0; i < instance->argument_count; i++)
		kt_buf_addf(&arguments, "%s%s", i > 0 ? ", " : "<", instance->arguments[i]);
	kt_buf_addc(&arguments, '>');
	out->failed = out->failed || arguments.failed;
	if (region->has_namesakes)
		keep_instance(out, region, instance, kt_buf_text(&arguments));
	else
		kt_instantiate(out, region->kernel, kt_buf_text(&arguments), 0);
	kt_buf_free(&arguments);
}

kt_status kt_unit_variant(struct kt_buf *out, const struct kt_template *template_, const struct kt_instance *instance,
			  size_t ticket, const int64_t *configuration, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES), arguments = KT_BUF(KT_LIMIT_LINE_BYTES);
	char name[KT_UNIT_NAME_BYTES];
	kt_status status;

	kt_unit_name(name, ticket);
	kt_buf_addf(&text, "#line 1 \"%s\"\n", name);
	status = kt_template_render(
	    &text,
	    &(struct kt_render){
		.template_ = template_, .configuration = configuration, .name = name, .of_slice = true,
		.line_file = kt_target_of(template_->region->language)->has_compiler ? name : template_->region->file},
	    err);
	THEN(status, kt_template_arguments(&arguments, template_, instance, configuration, err));
	if (status == KT_OK) {
		kt_instantiate(&text, name, kt_buf_text(&arguments), ticket + 1);
		status = kt_buf_check(&text, "variant", err);
	}
	if (status == KT_OK)
		kt_buf_add(out, text.data, text.size);
	kt_buf_free(&text);
	kt_buf_free(&arguments);
	return status;
}

char *kt_unit_path(struct kt_arena *arena, const struct kt_compile *compile, const char *stem, size_t number,
		   const char *suffix)
{
	char *name = kt_arena_printf(arena, "%s%zu%s", stem, number, suffix);
	char *directory = kt_path_absolute(arena, compile->scratch, NULL);

	return name != NULL && directory != NULL ? kt_path_join(arena, directory, name) : NULL;
}

/* nvcc keeps -iquote to itself unless the host compiler is addressed; quotes keep commas of the path together. */
static char *quote_option(struct kt_arena *arena, const struct kt_compile *compile, const char *folder)
{
	char *directory = folder != NULL ? kt_path_absolute(arena, folder, compile->directory) : NULL;

	return directory != NULL ? kt_arena_printf(arena, "-Xcompiler=-iquote,\"%s\"", directory) : NULL;
}

static bool add_folders(char **argv, size_t *count, struct kt_arena *arena, const struct kt_compile *compile,
                        const struct kt_region *region)
{
	const char *own = compile->folder_count == 0 ? kt_path_dirname(arena, region->file) : NULL;
	const char *const *folders = compile->folder_count == 0 ? &own : compile->folders;

	for (size_t i = 0; i < (compile->folder_count == 0 ? 1 : compile->folder_count); i++)
		if ((argv[(*count)++] = quote_option(arena, compile, folders[i])) == NULL)
			return false;
	return true;
}

char **kt_unit_command(struct kt_arena *arena, const struct kt_compile *compile, const struct kt_region *region,
		       enum kt_unit_output output, const char *source_path, const char *output_path, const char *extra)
{
	/* A program's is the default. */
	static const char *const modes[] = {[KT_UNIT_CUBIN] = "-cubin", [KT_UNIT_PTX] = "-ptx", [KT_UNIT_PROGRAM] = "-w"};
	const int arch = (int)compile->arch;
	const char feature[2] = {compile->feature, '\0'};
	size_t count = 0;
	char **argv, *gencode;

	while (compile->arguments[count] != NULL)
		count++;
	argv = kt_arena_array(arena, count + compile->folder_count + ADDED_ARGUMENTS, sizeof *argv);
	gencode = kt_arena_printf(arena, "arch=compute_%d%s,code=%s_%d%s", arch, feature,
	                          output == KT_UNIT_PTX ? "compute" : "sm", arch,
	                          feature);
	if (argv == NULL || gencode == NULL)
		return NULL;
	memcpy(argv, compile->arguments, count * sizeof *argv);
	if (!add_folders(argv, &count, arena, compile, region))
		return NULL;
	const char *const added[] = {
	    /* Variants may warn where the original did not. */
	    "-w",        extra != NULL ? extra : "-w",
	    modes[output],
	    "-gencode",  gencode,
	    "-o",        output_path,
	    source_path,
	};
	_Static_assert(sizeof added / sizeof *added < ADDED_ARGUMENTS, "a place for the NULL after them");
	for (size_t i = 0; i < sizeof added / sizeof *added; i++)
		if ((argv[count + i] = kt_arena_strdup(arena, added[i])) == NULL)
			return NULL;
	return argv;
}

static bool replaced(const char *setting)
{
	static const char *const names[] = {"TMPDIR=", "NVCC_PREPEND_FLAGS=", "NVCC_APPEND_FLAGS="};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(setting, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

char **kt_unit_environment(struct kt_arena *arena, const struct kt_compile *compile)
{
	size_t count = 0, kept = 0;
	char **all, *scratch = kt_path_absolute(arena, compile->scratch, NULL);

	while (environ[count] != NULL)
		count++;
	all = kt_arena_array(arena, count + 2, sizeof *all);
	if (all == NULL || scratch == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (!replaced(environ[i]))
			all[kept++] = environ[i];
	/* A killed compiler cleans nothing up; scratch goes as a whole. */
	all[kept] = kt_arena_printf(arena, "TMPDIR=%s", scratch);
	return all[kept] != NULL ? all : NULL;
}
