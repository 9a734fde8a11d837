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
static bool checked_here(const struct kt_region *region, size_t restriction, const struct kt_clause_expr *clause)
{
	return !region->restriction_is_guard[restriction] && kt_expr_names(clause->expr, names_device, NULL);
}

static bool configuration_fits(const struct kt_case *each, const struct kt_entry *entry, const int64_t *configuration,
                               const char **why)
{
	const struct kt_template *template_ = each->template_;

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
		if (!declared && kt_region_original(&original, each->region, &each->region->instances[each->instance], i,
		                                    &ignored) == KT_OK)
			declared = original == configuration[i];
		if (!declared) {
			*why = parameter->fixed != NULL ? "it changes a parameter that keeps its value"
			                                : "a value is not among the declared ones";
			return false;
		}
	}
	*why = "its configuration breaks a restriction";
	for (size_t r = 0; r < template_->restriction_count; r++) {
		struct kt_scope scope = {each->region, configuration, NULL, &entry->device};
		struct kt_error ignored;
		int64_t holds = 1;

		if (checked_here(each->region, r, &template_->restrictions[r]) &&
		    (kt_expr_eval(&holds, template_->restrictions[r].expr, kt_scope_lookup, &scope, &ignored) != KT_OK ||
		     holds == 0))
			return false;
	}
	return true;
}

/* Every configuration of the entry, and rules over the region's own problem variables. */
bool kt_work_entry_fits(const struct kt_case *each, const struct kt_entry *entry, const char **why)
{
	*why = "its parameters are not the region's";
	if (entry->parameter_count != each->template_->parameter_count)
		return false;
	if (!entry->baseline_best && !configuration_fits(each, entry, entry->configuration, why))
		return false;
	for (size_t i = 0; i < entry->special_count; i++)
		if (!configuration_fits(each, entry, entry->specials[i].configuration, why))
			return false;
	*why = "a rule names other problem variables";
	for (size_t v = 0; entry->special_count != 0 && v < entry->variable_count; v++)
		if (v >= each->region->variable_count || strcmp(entry->variables[v], each->region->variables[v]) != 0)
			return false;
	return true;
}
