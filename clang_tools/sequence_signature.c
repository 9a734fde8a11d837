/* The signature of a launch region: what the host passes to its kernels, each different expression once. */
#include <ctype.h>
#include <string.h>

#include "instances.h"
#include "sequence.h"

/* One use of a host expression: an argument of a step. */
struct use {
	const char *text, *formal, *type;
	bool is_pointer, is_const, is_restrict;
	enum kt_scalar scalar;
};

/* "const half *__restrict__" → "const half *" */
static const char *without_restrict(struct kt_scan *scan, const char *type)
{
	static const char *const names[] = {"__restrict__", "__restrict"}, *const nothing[] = {"", ""};
	const char *text = type != NULL ? kt_substitute(scan, type, names, nothing, 2) : NULL;
	size_t length = text != NULL ? strlen(text) : 0;
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	return text != NULL ? kt_arena_strndup(scan->arena, text, length) : NULL;
}

const char *kt_without_const(const char *type)
{
	return strncmp(type, "const ", 6) == 0 ? type + 6 : type;
}

static void set_type(struct kt_scan *scan, const struct kt_found_step *step, size_t argument, struct use *use)
{
	const struct kt_region *k = &step->kernel->region;
	const struct kt_instance *instance = k->template_count == 0 ? &k->instances[0] : NULL;
	const char **names = NULL;
	/* Where the host is no template, the kernel's one instance has the type. */
	if (!step->dependent && k->template_count > 0 && step->instances != NULL)
		instance = &k->instances[step->instances[0]];
	if (instance != NULL) {
		use->type = instance->types[argument];
		use->scalar = instance->elements[argument];
		return;
	}
	names = kt_arena_array(scan->arena, k->template_count + 1, sizeof *names);
	for (size_t i = 0; names != NULL && i < k->template_count; i++)
		names[i] = k->templates[i].name;
	if (names != NULL)
		use->type = kt_substitute(scan, k->arguments[argument].type, names, step->templates, k->template_count);
	use->type = without_restrict(scan, use->type);
	use->scalar = use->type != NULL && !use->is_pointer ? kt_scan_scalar_text(use->type) : KT_SCALAR_NONE;
}

static struct use use_of(struct kt_scan *scan, const struct kt_found_step *step, size_t argument)
{
	const struct kt_argument *formal = &step->kernel->region.arguments[argument];
	struct use use = {.text = step->arguments[argument], .formal = formal->name, .is_pointer = formal->is_pointer,
	                  .is_const = formal->is_const, .is_restrict = formal->is_restrict};
	set_type(scan, step, argument, &use);
	if (use.type == NULL)
		scan->failed = true;
	return use;
}

static bool is_integer(enum kt_scalar scalar)
{
	return scalar != KT_SCALAR_NONE && scalar != KT_BOOL && !kt_scalar_is_float(scalar);
}

/*
 * One argument for all uses of an expression. Integers of different types
 * become one that holds all of them: truncation gives back what each gets.
 */
static bool unify(struct kt_argument *a, enum kt_scalar *scalar, const struct use *use)
{
	if (a->is_pointer != use->is_pointer)
		return false;
	a->is_restrict = a->is_restrict || use->is_restrict;
	if (a->is_pointer) {
		const bool same = strcmp(kt_without_const(a->type), kt_without_const(use->type)) == 0;
		if (a->is_const && !use->is_const)
			a->type = use->type;
		a->is_const = a->is_const && use->is_const;
		return same;
	}
	if (strcmp(kt_without_const(a->type), kt_without_const(use->type)) == 0)
		return true;
	if (!is_integer(*scalar) || !is_integer(use->scalar))
		return false;
	if (kt_scalar_bytes(use->scalar) == 8 && kt_scalar_bytes(*scalar) < 8) {
		a->type = use->type;
		*scalar = use->scalar;
	} else if (kt_scalar_bytes(*scalar) < 8 && *scalar != use->scalar) {
		a->type = "long long";
		*scalar = KT_I64;
	}
	return true;
}

static bool is_taken(const struct kt_region *r, const char *name)
{
	for (size_t i = 0; i < r->argument_count; i++)
		if (r->arguments[i].name != NULL && strcmp(r->arguments[i].name, name) == 0)
			return true;
	return false;
}

static const char *free_name(struct kt_scan *scan, const struct kt_region *r, const char *wanted)
{
	const char *name = *wanted != '\0' ? wanted : "argument";
	for (int i = 2; is_taken(r, name); i++)
		name = kt_arena_printf(scan->arena, "%s_%d", *wanted != '\0' ? wanted : "argument", i);
	return name;
}

const char *kt_host_name(struct kt_scan *scan, const char *text)
{
	static const char *const words[] = {"nullptr", "NULL", "true", "false", "this"};
	const char *name = kt_single_name(scan, text);
	for (size_t i = 0; name != NULL && i < sizeof words / sizeof words[0]; i++)
		if (strcmp(name, words[i]) == 0)
			name = NULL;
	return name;
}

/* Is it undefined in this step that both lead to the same memory? It writes one of them, and one is __restrict__. */
static bool excludes(const struct kt_region *kernel, const struct kt_region_step *step, size_t a, size_t b)
{
	for (size_t i = 0; i < step->argument_count; i++)
		for (size_t k = 0; k < step->argument_count; k++) {
			const struct kt_argument *one = &kernel->arguments[i], *other = &kernel->arguments[k];
			if (step->arguments[i] == a && step->arguments[k] == b && (one->is_restrict || other->is_restrict) &&
			    (!one->is_const || !other->is_const))
				return true;
		}
	return false;
}

/*
 * What is __restrict__ in one kernel has no meaning for an array of the next: an
 * argument is __restrict__ here where no other one may share its memory in all of them.
 */
static void set_restrict(struct kt_region *r, const struct kt_found *found)
{
	for (size_t a = 0; a < r->argument_count; a++) {
		bool alone = true;
		for (size_t b = 0; b < r->argument_count; b++) {
			bool excluded =
			    b == a || !r->arguments[b].is_pointer || (r->arguments[a].is_const && r->arguments[b].is_const);
			for (size_t s = 0; s < found->step_count && !excluded; s++)
				excluded = excludes(&found->steps[s].kernel->region, &r->steps[s], a, b);
			alone = alone && excluded;
		}
		r->arguments[a].is_restrict = r->arguments[a].is_restrict && alone;
	}
}

kt_status kt_sequence_signature(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	const char *wishes[KT_STEPS * 64];
	enum kt_scalar scalars[KT_STEPS * 64];
	NEED(r->steps = kt_arena_array(scan->arena, found->step_count, sizeof *r->steps), kt_no_memory(err));
	for (size_t s = 0; s < found->step_count; s++) {
		struct kt_found_step *step = &found->steps[s];
		struct kt_region_step *out = &r->steps[s];
		out->arguments = kt_arena_array(scan->arena, step->argument_count + 1, sizeof *out->arguments);
		out->names = kt_arena_array(scan->arena, step->argument_count + 1, sizeof *out->names);
		if (out->arguments == NULL || out->names == NULL)
			return kt_no_memory(err);
		for (size_t a = 0; a < step->argument_count; a++) {
			struct use use = use_of(scan, step, a);
			size_t i = 0;
			NEED(use.type, kt_no_memory(err));
			while (i < r->argument_count && strcmp(r->arguments[i].expression, use.text) != 0)
				i++;
			if (i == r->argument_count && i < sizeof wishes / sizeof wishes[0]) {
				struct kt_argument *slot =
				    kt_arena_push(scan->arena, &r->arguments, &r->argument_count, sizeof *slot);
				NEED(slot, kt_no_memory(err));
				*slot = (struct kt_argument){.type = use.type, .is_pointer = use.is_pointer, .is_const = use.is_const,
				                             .is_restrict = use.is_restrict, .expression = use.text};
				wishes[i] = use.formal;
				scalars[i] = use.scalar;
			} else if (i == r->argument_count || !unify(&r->arguments[i], &scalars[i], &use)) {
				kt_step_decline(
				    scan, found, step, "argument-type",
				    kt_arena_printf(scan->arena, "'%s' is '%s' here and another type in an earlier launch; give it one type",
				                    use.text, use.type));
				return KT_OK;
			}
			out->arguments[a] = i;
			out->names[a] = use.formal;
			out->argument_count++;
		}
	}
	for (size_t i = 0; i < r->argument_count; i++) {
		const char *name = kt_host_name(scan, r->arguments[i].expression);
		if (name != NULL && !is_taken(r, name))
			r->arguments[i].name = name;
	}
	for (size_t i = 0; i < r->argument_count; i++)
		if (r->arguments[i].name == NULL)
			r->arguments[i].name = free_name(scan, r, wishes[i]);
	set_restrict(r, found);
	return KT_OK;
}
