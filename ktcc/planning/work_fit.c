/* Whether an entry belongs to a region: what a lock file says is data, and may be anybody's. */
#include <string.h>

#include "planning/work_internal.h"

static bool names_device(const char *name, unsigned offset, bool pointer, void *context)
{
	(void)offset;
	(void)pointer;
	(void)context;
	return strncmp(name, "device.", 7) != 0;
}

/* One that needs a problem is a guard and is checked at the launch; an entry does not carry its device's limits. */
static bool checked_here(const struct kt_template *template_, const struct kt_clause_expr *clause)
{
	return !kt_template_at_launch(template_, clause) && kt_expr_names(clause->expr, names_device, NULL);
}

struct scope {
	const struct kt_template *template_;
	const int64_t *configuration;
};

static bool lookup(int64_t *value, const char *name, void *context)
{
	const struct scope *scope = context;

	for (size_t i = 0; i < scope->template_->parameter_count; i++)
		if (strcmp(scope->template_->parameters[i].name, name) == 0) {
			*value = scope->configuration[i];
			return true;
		}
	return false;
}

static bool restrictions_hold(const struct kt_template *template_, const int64_t *configuration)
{
	struct scope scope = {template_, configuration};

	for (size_t r = 0; r < template_->restriction_count; r++) {
		const struct kt_clause_expr *clause = &template_->restrictions[r];
		struct kt_error ignored;
		int64_t holds = 1;

		if (checked_here(template_, clause) &&
		    (kt_expr_eval(&holds, clause->expr, lookup, &scope, &ignored) != KT_OK || holds == 0))
			return false;
	}
	return true;
}

/* Says where in the entry's file, a JSON pointer, and what is wrong there. */
static bool refuse(struct kt_work *work, const char **why, const char *place, const char *name, const char *reason)
{
	*why = kt_arena_printf(work->arena, "%s%s%s: %s", place, name != NULL ? "/" : "", name != NULL ? name : "", reason);
	if (*why == NULL)
		*why = reason;
	return false;
}

static const char other_parameters[] = "its parameters are not the region's";

/* A configuration of the entry: the general one, or that of a variant for some problems. */
struct chosen {
	const int64_t *values;
	const char *place;
};

static struct chosen chosen_of(struct kt_work *work, const struct kt_entry *entry, size_t index)
{
	if (index == 0)
		return (struct chosen){entry->configuration, "/configuration"};
	const char *place = kt_arena_printf(work->arena, "/specialised/%zu/configuration", index - 1);
	return (struct chosen){entry->specials[index - 1].configuration, place != NULL ? place : "/specialised"};
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

static bool configuration_fits(struct kt_work *work, const struct kt_case *each, const struct kt_template *template_,
                               const struct kt_entry *entry, size_t index, const char **why)
{
	const struct chosen chosen = chosen_of(work, entry, index);

	for (size_t i = 0; i < template_->parameter_count; i++) {
		const struct kt_parameter *parameter = &template_->parameters[i];

		if (strcmp(entry->parameters[i], parameter->name) != 0)
			return refuse(work, why, chosen.place, NULL, other_parameters);
		if (!is_declared(each, template_, i, chosen.values[i]))
			return refuse(work, why, chosen.place, parameter->name,
			              parameter->fixed != NULL ? "it changes a parameter that keeps its value"
			                                       : "a value is not among the declared ones");
	}
	return restrictions_hold(template_, chosen.values) ||
	       refuse(work, why, chosen.place, NULL, "its configuration breaks a restriction");
}

/* The template that came with an entry, made one of the case's region: the entry's own copy. */
static bool adopt_template(struct kt_work *work, const struct kt_case *each, struct kt_entry *entry, const char **why)
{
	struct kt_template *own = kt_arena_alloc(work->arena, sizeof *own);
	struct kt_error err;

	if (own == NULL)
		return refuse(work, why, "/template", NULL, "out of memory");
	*own = *entry->template_;
	own->build_options = work->input.build_options;
	if (kt_template_adopt(own, each->region, kt_head_line(each->region, kt_buf_text(&work->source)), &err) != KT_OK)
		return refuse(work, why, "/template", NULL, err.message);
	entry->template_ = own;
	return true;
}

const struct kt_template *kt_work_entry_template(const struct kt_case *each, const struct kt_entry *entry)
{
	return entry->template_ != NULL ? entry->template_ : each->template_;
}

/* Parameters of the region's own, or a template: never a mixture. An entry without a variant needs neither. */
static bool has_right_form(struct kt_work *work, const struct kt_case *each, struct kt_entry *entry, const char **why)
{
	const bool generated = each->region->parameter_count == 0;

	if (entry->template_ != NULL)
		return generated ? adopt_template(work, each, entry, why)
		                 : refuse(work, why, "/template", NULL,
		                          "it brings a template, and the region has parameters of its own");
	if (generated)
		return !kt_entry_has_variant(entry) || refuse(work, why, "/", NULL, "it brings no template");
	return entry->parameter_count == each->region->parameter_count ||
	       refuse(work, why, "/configuration", NULL, other_parameters);
}

static bool rules_fit(struct kt_work *work, const struct kt_case *each, const struct kt_entry *entry, const char **why)
{
	for (size_t v = 0; entry->special_count != 0 && v < entry->variable_count; v++)
		if (v >= each->region->variable_count || strcmp(entry->variables[v], each->region->variables[v]) != 0)
			return refuse(work, why, "/specialised/0/when", NULL, "a rule names other problem variables");
	return true;
}

/* Every configuration of the entry, and rules over the region's own problem variables. */
bool kt_work_entry_fits(struct kt_work *work, const struct kt_case *each, struct kt_entry *entry, const char **why)
{
	const char *refused;

	if (!has_right_form(work, each, entry, why))
		return false;
	for (size_t i = entry->baseline_best ? 1 : 0; i <= entry->special_count; i++)
		if (!configuration_fits(work, each, kt_work_entry_template(each, entry), entry, i, why))
			return false;
	if (!rules_fit(work, each, entry, why))
		return false;
	return entry->template_ == NULL || kt_work_text_allowed(work, each, entry, &refused) ||
	       refuse(work, why, "/template", NULL, refused);
}
