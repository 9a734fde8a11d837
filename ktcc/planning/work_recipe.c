/* From a recipe to the template that it names: what the generators of this machine make of the source in front of them. */
#include <stdio.h>
#include <string.h>

#include "planning/work_internal.h"
#include "tuning/space.h"

static enum kt_reason refuse(struct kt_fit *fit, const char *what, const char *detail)
{
	struct kt_arena *arena = fit->work->arena;

	fit->why = kt_arena_printf(arena, "%s%s%s; `ktcc tune --refresh %s` measures again", what, detail != NULL ? ": " : "",
	                           detail != NULL ? detail : "", kt_path_word(arena, fit->work->input.file));
	if (fit->why == NULL)
		fit->why = what;
	return KT_REASON_NOT_REBUILT;
}

/* The values of an entry by the template's parameters: newer rules may list the same ones in another order. */
static bool sort_values(int64_t **values, const struct kt_entry *entry, const struct kt_template *made,
                        struct kt_arena *arena)
{
	int64_t *sorted = kt_arena_array(arena, entry->parameter_count + 1, sizeof *sorted);

	for (size_t p = 0; sorted != NULL && p < made->parameter_count; p++) {
		size_t i = 0;

		while (i < entry->parameter_count && strcmp(entry->parameters[i], made->parameters[p].name) != 0)
			i++;
		if (i == entry->parameter_count)
			return false;
		sorted[p] = (*values)[i];
	}
	*values = sorted;
	return sorted != NULL;
}

/* False: the parameters are others. The entry's lists are replaced, never changed: others may have them. */
static bool adopt_parameters(struct kt_entry *entry, const struct kt_template *made, struct kt_arena *arena)
{
	struct kt_special *specials = kt_arena_array(arena, entry->special_count + 1, sizeof *specials);
	const char **names = kt_arena_array(arena, made->parameter_count + 1, sizeof *names);

	if (specials == NULL || names == NULL || made->parameter_count != entry->parameter_count ||
	    (!entry->baseline_best && !sort_values(&entry->configuration, entry, made, arena)))
		return false;
	for (size_t i = 0; i < entry->special_count; i++) {
		specials[i] = entry->specials[i];
		if (!sort_values(&specials[i].configuration, entry, made, arena))
			return false;
	}
	for (size_t p = 0; p < made->parameter_count; p++)
		names[p] = made->parameters[p].name;
	entry->specials = specials;
	entry->parameters = names;
	return true;
}

/* An entry names its device; what that is limited to is known from its architecture. */
static const struct kt_device *limits_of(struct kt_device *limits, const struct kt_entry *entry)
{
	return kt_device_with_limits(limits, &entry->device) ? limits : NULL;
}

bool kt_work_is_member(const struct kt_fit *fit, const struct kt_template *template_, const int64_t *configuration,
                       const char **why)
{
	const struct kt_case *each = fit->each;
	struct kt_arena *arena = fit->work->arena;
	struct kt_template one = *template_;
	struct kt_parameter *parameters = kt_arena_array(arena, one.parameter_count + 1, sizeof *parameters);
	int64_t *values = kt_arena_array(arena, one.parameter_count + 1, sizeof *values);
	struct kt_device limits;
	struct kt_space *space = NULL;
	const struct kt_pruned *pruned;
	struct kt_error err;
	bool member;

	*why = "out of memory";
	if (parameters == NULL || values == NULL)
		return false;
	/* The space of this one configuration: it has a member, or none. */
	for (size_t p = 0; p < one.parameter_count; p++) {
		values[p] = configuration[p];
		parameters[p] = one.parameters[p];
		parameters[p].fixed = NULL;
		parameters[p].value_count = 1;
		parameters[p].values = &values[p];
	}
	one.parameters = parameters;
	if (kt_space_build(&space, &one, &each->region->instances[each->instance], limits_of(&limits, fit->entry), &err) !=
	    KT_OK) {
		*why = kt_arena_strdup(arena, err.message);
		return false;
	}
	member = kt_space_feasible(space) == 1;
	*why = kt_space_legal(space) == 0           ? "its configuration breaks a restriction"
	       : kt_space_pruned(&pruned, space) > 0 ? pruned[0].text
	                                             : "the device cannot run its configuration";
	kt_space_free(space);
	return member;
}

/* Has every recipe that is kept since format 2 versions; one of before names passes alone. */
static bool knows_versions(const struct kt_recipe *recipe)
{
	bool known = recipe->pass_count != 0;

	for (size_t i = 0; i < recipe->pass_count; i++)
		known = known && recipe->passes[i].version != 0;
	return known;
}

enum kt_reason kt_work_compare_text(struct kt_fit *fit)
{
	const struct kt_entry *entry = fit->entry;
	const int64_t **configurations = kt_arena_array(fit->work->arena, entry->special_count + 1, sizeof *configurations);
	char text[KT_HASH_TEXT];
	struct kt_error err;

	NEED(configurations, refuse(fit, "out of memory", NULL));
	if (kt_recipe_text(text, entry->template_, configurations, kt_entry_configurations(configurations, entry), &err) !=
	    KT_OK)
		return refuse(fit, "the text cannot be written", err.message);
	fit->rebuilt = strcmp(text, entry->recipe->text) != 0 ? kt_arena_strdup(fit->work->arena, text) : NULL;
	return fit->rebuilt != NULL && !knows_versions(entry->recipe)
	           ? refuse(fit, "an older ktcc kept text that today's rules do not write", NULL) : KT_REASON_NONE;
}

enum kt_reason kt_work_rebuild(struct kt_fit *fit)
{
	struct kt_entry *entry = fit->entry;
	const bool by_rules = strcmp(entry->generator, "rules") == 0;
	const char *declined;
	struct kt_template *made = kt_work_template_by(fit->work, fit->each, entry->generator, &declined);

	if (made == NULL)
		return refuse(fit, by_rules ? "today's rules make nothing of this kernel"
		                            : "today's passes make nothing of this kernel", declined);
	if (!adopt_parameters(entry, made, fit->work->arena))
		return refuse(fit, by_rules ? "today's rules have other parameters" : "today's passes have other parameters",
		              NULL);
	made->build_options = fit->work->input.build_options;
	entry->template_ = made;
	return KT_REASON_NONE;
}
