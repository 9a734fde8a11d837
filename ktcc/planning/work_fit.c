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

static bool configuration_fits(const struct kt_case *each, const struct kt_template *template_,
                               const struct kt_entry *entry, const int64_t *configuration, const char **why)
{
	const struct kt_instance *instance = &each->region->instances[each->instance];

	for (size_t i = 0; i < template_->parameter_count; i++) {
		const struct kt_parameter *parameter = &template_->parameters[i];
		bool declared = false;
		int64_t original;
		struct kt_error ignored;

		if (strcmp(entry->parameters[i], parameter->name) != 0)
			return false;
		/* The text keeps the original of a fixed parameter: geometry of another value would not belong to it. */
		for (size_t v = 0; parameter->fixed == NULL && v < parameter->value_count && !declared; v++)
			declared = parameter->values[v] == configuration[i];
		if (!declared && kt_template_original(&original, template_, instance, i, &ignored) == KT_OK)
			declared = original == configuration[i];
		if (!declared) {
			*why = parameter->fixed != NULL ? "it changes a parameter that keeps its value"
			                                : "a value is not among the declared ones";
			return false;
		}
	}
	*why = "its configuration breaks a restriction";
	return restrictions_hold(template_, configuration);
}

/* The template that came with an entry, made one of the case's region: the entry's own copy. */
static bool adopt_template(struct kt_work *work, const struct kt_case *each, struct kt_entry *entry, const char **why)
{
	struct kt_template *own = kt_arena_alloc(work->arena, sizeof *own);
	struct kt_error err;

	if (own == NULL) {
		*why = "out of memory for its template";
		return false;
	}
	*own = *entry->template_;
	own->build_options = work->input.build_options;
	if (kt_template_adopt(own, each->region, kt_head_line(each->region, kt_buf_text(&work->source)), &err) != KT_OK) {
		*why = kt_arena_strdup(work->arena, err.message);
		return false;
	}
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
	if (entry->template_ != NULL && each->region->parameter_count != 0) {
		*why = "it brings a template, and the region has parameters of its own";
		return false;
	}
	if (entry->template_ != NULL)
		return adopt_template(work, each, entry, why);
	*why = each->region->parameter_count == 0 ? "it brings no template" : "its parameters are not the region's";
	if (!kt_entry_has_variant(entry) && each->region->parameter_count == 0)
		return true;
	return entry->parameter_count == each->region->parameter_count && entry->parameter_count != 0;
}

/* Every configuration of the entry, and rules over the region's own problem variables. */
bool kt_work_entry_fits(struct kt_work *work, const struct kt_case *each, struct kt_entry *entry, const char **why)
{
	const struct kt_template *template_;

	if (!has_right_form(work, each, entry, why))
		return false;
	template_ = kt_work_entry_template(each, entry);
	*why = "its parameters are not the region's";
	if (!entry->baseline_best && !configuration_fits(each, template_, entry, entry->configuration, why))
		return false;
	for (size_t i = 0; i < entry->special_count; i++)
		if (!configuration_fits(each, template_, entry, entry->specials[i].configuration, why))
			return false;
	*why = "a rule names other problem variables";
	for (size_t v = 0; entry->special_count != 0 && v < entry->variable_count; v++)
		if (v >= each->region->variable_count || strcmp(entry->variables[v], each->region->variables[v]) != 0)
			return false;
	return entry->template_ == NULL || kt_work_text_allowed(work, each, entry, why);
}
