/* Whether an entry belongs to a region: the content of a lock file is data, and may be from anywhere. */
#include <string.h>

#include "planning/work_internal.h"

/* Why it does not fit: the place in the entry's file, a JSON pointer, and what is wrong there. */
static bool refuse(struct kt_fit *fit, const char *place, const char *name, const char *reason)
{
	fit->why = kt_arena_printf(fit->work->arena, "%s%s%s: %s", place, name != NULL ? "/" : "", name != NULL ? name : "",
	                           reason);
	if (fit->why == NULL)
		fit->why = reason;
	return false;
}

static const char other_parameters[] = "its parameters are not the region's";

/* A configuration of the entry: the general one, or that of a variant for some problems. */
struct chosen {
	const int64_t *values;
	const char *place;
};

static struct chosen chosen_of(const struct kt_fit *fit, size_t index)
{
	if (index == 0)
		return (struct chosen){fit->entry->configuration, "/configuration"};
	const char *place = kt_arena_printf(fit->work->arena, "/specialised/%zu/configuration", index - 1);
	return (struct chosen){fit->entry->specials[index - 1].configuration, place != NULL ? place : "/specialised"};
}

static bool is_declared(const struct kt_case *each, const struct kt_template *template_, size_t parameter,
                        int64_t value)
{
	const struct kt_parameter *declared = &template_->parameters[parameter];
	struct kt_error ignored;
	int64_t original;

	/* The text keeps the original of a fixed parameter: geometry of another value would not belong to it. */
	for (size_t v = 0; declared->fixed == NULL && v < declared->value_count; v++)
		if (declared->values[v] == value)
			return true;
	return kt_template_original(&original, template_, &each->region->instances[each->instance], parameter, &ignored) ==
	           KT_OK && original == value;
}

static bool configuration_fits(struct kt_fit *fit, const struct kt_template *template_, size_t index)
{
	const struct chosen chosen = chosen_of(fit, index);
	const char *broken;

	for (size_t i = 0; i < template_->parameter_count; i++) {
		const struct kt_parameter *parameter = &template_->parameters[i];

		if (strcmp(fit->entry->parameters[i], parameter->name) != 0)
			return refuse(fit, chosen.place, NULL, other_parameters);
		if (!is_declared(fit->each, template_, i, chosen.values[i]))
			return refuse(fit, chosen.place, parameter->name,
			              parameter->fixed != NULL ? "it changes a parameter that keeps its value"
			                                       : "a value is not among the declared ones");
	}
	return kt_work_is_member(fit, template_, chosen.values, &broken) ||
	       refuse(fit, chosen.place, NULL, broken);
}

/* The template that came with an entry, made one of the case's region: the entry's own copy. */
static bool adopt_template(struct kt_fit *fit)
{
	struct kt_work *work = fit->work;
	const struct kt_region *region = fit->each->region;
	struct kt_template *own = kt_arena_alloc(work->arena, sizeof *own);
	struct kt_error err;

	NEED(own, refuse(fit, "/template", NULL, "out of memory"));
	*own = *fit->entry->template_;
	own->build_options = work->input.build_options;
	if (kt_template_adopt(own, region, kt_head_line(region, kt_buf_text(&work->source)), &err) != KT_OK)
		return refuse(fit, "/template", NULL, err.message);
	fit->entry->template_ = own;
	return true;
}

const struct kt_template *kt_work_entry_template(const struct kt_case *each, const struct kt_entry *entry)
{
	return entry->template_ != NULL ? entry->template_ : each->template_;
}

/* Parameters of the region's own, a recipe, or a template: never a mixture. An entry without a variant needs none. */
static bool has_right_form(struct kt_fit *fit)
{
	const struct kt_entry *entry = fit->entry;
	const struct kt_region *region = fit->each->region;
	const bool generated = region->parameter_count == 0;

	if (entry->recipe != NULL)
		return generated || refuse(fit, "/recipe", NULL, "it brings a recipe, and the region has explicit parameters");
	if (entry->template_ != NULL)
		return generated ? adopt_template(fit)
		                 : refuse(fit, "/template", NULL, "it brings a template, and the region has explicit parameters");
	if (generated)
		return !kt_entry_has_variant(entry) || refuse(fit, "/", NULL, "it brings no recipe");
	return entry->parameter_count == region->parameter_count ||
	       refuse(fit, "/configuration", NULL, other_parameters);
}

static bool is_pointer(const struct kt_region *region, const char *name)
{
	for (size_t b = 0; b < region->buffer_count; b++)
		if (region->buffers[b].argument >= 0 && strcmp(region->buffers[b].name, name) == 0)
			return true;
	return false;
}

static bool rules_fit(struct kt_fit *fit)
{
	const struct kt_entry *entry = fit->entry;
	const struct kt_region *region = fit->each->region;

	for (size_t v = 0; entry->special_count != 0 && v < entry->variable_count; v++)
		if (v >= region->variable_count || strcmp(entry->variables[v], region->variables[v]) != 0)
			return refuse(fit, "/specialised/0/when", NULL, "a rule names other problem variables");
	for (size_t i = 0; i < entry->aligned_count; i++)
		if (!is_pointer(region, entry->aligned[i].argument))
			return refuse(fit, "/aligned", NULL, "an argument that is asked to be aligned is no buffer of the region");
	return true;
}

/* Every configuration of the entry, and rules over the region's own problem variables. */
static bool contents_fit(struct kt_fit *fit)
{
	const struct kt_template *template_ = kt_work_entry_template(fit->each, fit->entry);

	for (size_t i = fit->entry->baseline_best ? 1 : 0; i <= fit->entry->special_count; i++)
		if (!configuration_fits(fit, template_, i))
			return false;
	return rules_fit(fit);
}

struct kt_fit kt_work_fit(struct kt_work *work, const struct kt_case *each, struct kt_entry *entry)
{
	const bool follows = entry->recipe != NULL && kt_entry_has_variant(entry);
	struct kt_fit fit = {.work = work, .each = each, .entry = entry, .reason = KT_REASON_ENTRY_UNFIT};
	struct kt_error unsigned_;
	const char *refused;

	/* As it was read, before anything of it is this region's. */
	if (entry->origin != NULL && kt_entry_has_text(entry) &&
	    kt_entry_check_signature(entry, work->arena, &unsigned_) != KT_OK) {
		fit.reason = KT_REASON_UNSIGNED;
		fit.why = kt_arena_strdup(work->arena, unsigned_.message);
		return fit;
	}
	if (!has_right_form(&fit))
		return fit;
	if (follows) {
		const enum kt_reason reason = kt_work_rebuild(&fit);

		if (reason != KT_REASON_NONE) {
			fit.reason = reason;
			return fit;
		}
	}
	if (!contents_fit(&fit))
		return fit;
	if (follows) {
		fit.reason = kt_work_compare_text(&fit);
		return fit;
	}
	fit.reason = entry->recipe == NULL && entry->template_ != NULL ? kt_work_take_text(work, each, entry, &refused)
	                                                                : KT_REASON_NONE;
	if (fit.reason != KT_REASON_NONE)
		refuse(&fit, "/template", NULL, refused);
	return fit;
}
