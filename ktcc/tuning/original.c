#include "tuning/original.h"

#include <string.h>

#include "base/symbol.h"

/* "int" of "int BLOCK", in arena; NULL of a parameter that is a type. */
static const char *type_of(struct kt_arena *arena, const struct kt_template_parameter *parameter)
{
	size_t length = strlen(parameter->declaration);
	const size_t name = strlen(parameter->name);

	if (parameter->is_type)
		return NULL;
	if (length > name && strcmp(parameter->declaration + length - name, parameter->name) == 0)
		length -= name;
	while (length > 0 && parameter->declaration[length - 1] == ' ')
		length--;
	return kt_arena_strndup(arena, parameter->declaration, length);
}

static bool find_kernel(size_t *out, const char *const *names, size_t count, const struct kt_region *region,
                        const struct kt_instance *instance)
{
	struct kt_arena *arena = kt_arena_new(KT_LIMIT_LINE_BYTES);
	const char **types = arena != NULL ? kt_arena_array(arena, region->template_count + 1, sizeof *types) : NULL;
	const struct kt_symbol_wanted wanted = {
	    .symbol = instance->symbol, .qualified = region->qualified, .is_extern_c = region->is_extern_c,
	    .in_anonymous = region->in_anonymous_namespace, .argument_count = instance->argument_count,
	    .arguments = instance->arguments, .types = types,
	};

	for (size_t i = 0; types != NULL && i < region->template_count; i++)
		types[i] = type_of(arena, &region->templates[i]);
	*out = types != NULL ? kt_symbol_find(names, count, &wanted) : count;
	kt_arena_free(arena);
	return *out < count;
}

bool kt_original_find(size_t *out, const char *const *names, size_t count, const struct kt_region *region,
                      const struct kt_instance *instance)
{
	const size_t index = (size_t)(instance - region->instances);

	if (region->step_count == 0)
		return find_kernel(out, names, count, region, instance);
	for (size_t i = 0; i < region->step_count; i++) {
		const struct kt_region_step *s = &region->steps[i];
		const struct kt_symbol_wanted wanted = {
		    .symbol = s->symbols != NULL && s->symbols[index][0] != '\0' ? s->symbols[index] : NULL,
		    .qualified = s->qualified, .is_extern_c = s->is_extern_c, .in_anonymous = s->in_anonymous_namespace,
		    .argument_count = strchr(s->instances[index], '<') != NULL,
		};

		out[i] = kt_symbol_find(names, count, &wanted);
		if (out[i] == count)
			return false;
	}
	return true;
}
