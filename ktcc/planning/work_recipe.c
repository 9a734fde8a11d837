/* From a recipe to the template that it names: what the generators of this machine make of the source in front of them. */
#include <stdio.h>
#include <string.h>

#include "planning/work_internal.h"
#include "tuning/space.h"

static enum kt_reason refuse(const char **why, struct kt_work *work, enum kt_reason reason, const char *what,
                             const char *detail)
{
	*why = kt_arena_printf(work->arena, "%s%s%s; `ktcc tune --refresh %s` measures again", what,
	                       detail != NULL ? ": " : "", detail != NULL ? detail : "", kt_path_word(work->arena, work->input.file));
	if (*why == NULL)
		*why = what;
	return reason;
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

bool kt_work_is_member(struct kt_work *work, const struct kt_case *each, const struct kt_template *template_,
                       const struct kt_entry *entry, const int64_t *configuration, const char **why)
{
	struct kt_template one = *template_;
	struct kt_parameter *parameters = kt_arena_array(work->arena, one.parameter_count + 1, sizeof *parameters);
	int64_t *values = kt_arena_array(work->arena, one.parameter_count + 1, sizeof *values);
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
	if (kt_space_build(&space, &one, &each->region->instances[each->instance], limits_of(&limits, entry), &err) !=
	    KT_OK) {
		*why = kt_arena_strdup(work->arena, err.message);
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

enum kt_reason kt_work_compare_text(const char **rebuilt, struct kt_work *work, const struct kt_entry *entry,
                                    const char **why)
{
	const int64_t **configurations = kt_arena_array(work->arena, entry->special_count + 1, sizeof *configurations);
	char text[KT_HASH_TEXT];
	struct kt_error err;

	NEED(configurations, refuse(why, work, KT_REASON_NOT_REBUILT, "out of memory", NULL));
	if (kt_recipe_text(text, entry->template_, configurations, kt_entry_configurations(configurations, entry), &err) !=
	    KT_OK)
		return refuse(why, work, KT_REASON_NOT_REBUILT, "the text cannot be written", err.message);
	*rebuilt = strcmp(text, entry->recipe->text) != 0 ? kt_arena_strdup(work->arena, text) : NULL;
	return *rebuilt != NULL && !knows_versions(entry->recipe)
	           ? refuse(why, work, KT_REASON_NOT_REBUILT, "an older ktcc kept text that today's rules do not write",
	                    NULL)
	           : KT_REASON_NONE;
}

enum kt_reason kt_work_rebuild(struct kt_work *work, const struct kt_case *each, struct kt_entry *entry,
                               const char **why)
{
	const bool by_rules = strcmp(entry->generator, "rules") == 0;
	const char *declined;
	struct kt_template *made = kt_work_template_by(work, each, entry->generator, &declined);

	if (made == NULL)
		return refuse(why, work, KT_REASON_NOT_REBUILT, by_rules ? "today's rules make nothing of this kernel"
		                                                         : "today's passes make nothing of this kernel",
		              declined);
	if (!adopt_parameters(entry, made, work->arena))
		return refuse(why, work, KT_REASON_NOT_REBUILT, by_rules ? "today's rules have other parameters"
		                                                         : "today's passes have other parameters",
		              NULL);
	made->build_options = work->input.build_options;
	entry->template_ = made;
	return KT_REASON_NONE;
}
