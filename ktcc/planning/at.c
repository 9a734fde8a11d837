#include "planning/at.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planning/derived.h"
#include "testing/check.h"

static size_t variable_named(const struct kt_entry *entry, const char *name, size_t length)
{
	size_t v = 0;

	while (v < entry->variable_count &&
	       (strlen(entry->variables[v]) != length || memcmp(entry->variables[v], name, length) != 0))
		v++;
	return v;
}

/* A part of what the user wrote; `bit` is its place among the parts, those from the 64th on share one. */
struct part {
	const char *text;
	size_t length;
	uint64_t bit;
};

/* Moves to the next part; {text, 0, 0} moves to the first one. False: there is none. */
static bool next_part(struct part *part)
{
	part->text += part->length;
	part->text += strspn(part->text, ", ");
	part->length = strcspn(part->text, ", ");
	part->bit = part->bit == 0 ? 1 : part->bit << (part->bit >> 63 == 0);
	return part->length != 0;
}

kt_status kt_at_values(int64_t *values, const char **missing, struct kt_at_sizes *sizes, const struct kt_entry *entry,
                       struct kt_error *err)
{
	memset(values, 0, entry->variable_count * sizeof *values);
	for (struct part part = {.text = sizes->text}; next_part(&part);) {
		const char *equals = memchr(part.text, '=', part.length);
		const size_t v = equals != NULL ? variable_named(entry, part.text, (size_t)(equals - part.text))
		                                : entry->variable_count;
		char *end;

		if (v == entry->variable_count)
			continue;
		values[v] = strtoll(equals + 1, &end, 10);
		if (end != part.text + part.length || values[v] < 1)
			return kt_fail(err, KT_ERR_INVALID, "'%.*s' has no whole number above 0", (int)part.length, part.text);
		sizes->taken |= part.bit;
	}
	*missing = NULL;
	for (size_t v = entry->variable_count; v-- > 0;)
		*missing = values[v] < 1 ? entry->variables[v] : *missing;
	sizes->entries++;
	sizes->complete += *missing == NULL;
	sizes->missing = *missing != NULL ? *missing : sizes->missing;
	return KT_OK;
}

kt_status kt_at_understood(const struct kt_at_sizes *sizes, struct kt_error *err)
{
	for (struct part part = {.text = sizes->text}; sizes->entries != 0 && next_part(&part);)
		if ((sizes->taken & part.bit) == 0)
			return kt_fail(err, KT_ERR_INVALID, "'%.*s' is no NAME=VALUE of a problem variable", (int)part.length,
			               part.text);
	if (sizes->entries != 0 && sizes->complete == 0)
		return kt_fail(err, KT_ERR_INVALID, "'%s' has no value for %s", sizes->text, sizes->missing);
	return KT_OK;
}

static double distance(const int64_t *a, const int64_t *b, size_t count)
{
	double sum = 0;

	for (size_t v = 0; v < count; v++)
		sum += fabs(log(fmax(1, (double)a[v]) / fmax(1, (double)b[v])));
	return sum;
}

static void find_nearest(struct kt_at *out, const struct kt_entry *entry, const int64_t *values)
{
	double least;

	out->listed = true;
	out->nearest = kt_derived_nearest(values, entry->problems, entry->problem_count, entry->variable_count);
	least = distance(values, &entry->problems[out->nearest * entry->variable_count], entry->variable_count);
	for (size_t i = 0; i < entry->unlisted_count; i++) {
		const double own = distance(values, entry->unlisted[i].values, entry->variable_count);

		if (own < least) {
			least = own;
			out->listed = false;
			out->nearest = i;
		}
	}
}

static kt_status add_clauses(struct kt_at_variant *variant, struct kt_arena *arena, const struct kt_clause_expr *clauses,
                             size_t count, bool all, const struct kt_check_scope *scope, struct kt_error *err)
{
	for (size_t i = 0; i < count; i++) {
		struct kt_at_clause *slot;

		if (!all && !kt_template_at_launch(scope->subject->template_, &clauses[i]))
			continue;
		NEED(slot = kt_arena_push(arena, &variant->clauses, &variant->clause_count, sizeof *slot),
		     kt_no_memory(err));
		*slot = (struct kt_at_clause){clauses[i].text, kt_check_holds(&clauses[i], scope)};
	}
	return KT_OK;
}

static bool all_hold(const struct kt_at_variant *variant)
{
	for (size_t i = 0; i < variant->clause_count; i++)
		if (!variant->clauses[i].holds)
			return false;
	return variant->ruled;
}

/* One variant as the dispatcher tries it. */
static kt_status try_variant(struct kt_at_variant *out, struct kt_arena *arena, const struct kt_subject *subject,
                             const struct kt_entry *entry, int64_t variant, const struct kt_check *check,
                             struct kt_error *err)
{
	const struct kt_template *t = subject->template_;
	const struct kt_special *special = variant != 0 ? &entry->specials[variant - 1] : NULL;
	const struct kt_check_scope scope = {subject, special != NULL ? special->configuration : entry->configuration,
	                                     check};
	const struct kt_check_scope rule = {subject, NULL, check};
	struct kt_clause_expr when;
	kt_status status = kt_entry_when(&when, arena, entry, variant, err);

	*out = (struct kt_at_variant){.variant = variant, .when = when.text, .ruled = true};
	if (out->when != NULL)
		out->ruled = status == KT_OK && kt_check_holds(&when, &rule);
	if (status != KT_OK || !out->ruled)
		return status;
	status = add_clauses(out, arena, t->guards, t->guard_count, true, &scope, err);
	return status == KT_OK ? add_clauses(out, arena, t->restrictions, t->restriction_count, false, &scope, err) : status;
}

kt_status kt_at_make(struct kt_at *out, struct kt_arena *arena, const struct kt_template *template_,
                     const struct kt_instance *instance, const struct kt_entry *entry, const int64_t *values,
                     struct kt_error *err)
{
	const struct kt_region *region = template_->region;
	int64_t *original = kt_arena_array(arena, region->parameter_count + 1, sizeof *original);
	const struct kt_subject subject = {template_, instance, &entry->device, original};
	const struct kt_check check = {.problem = values, .seed = 1, .shifted = -1, .alias = -1, .alias_of = -1};
	kt_status status = original != NULL ? KT_OK : kt_no_memory(err);

	*out = (struct kt_at){.variant = KT_UNLISTED_ORIGINAL};
	for (size_t i = 0; i < region->parameter_count && status == KT_OK; i++)
		status = kt_region_original(&original[i], region, instance, i, err);
	/* The special ones in their order, the general one last. */
	for (size_t k = 1; k <= entry->special_count + 1 && status == KT_OK && out->variant < 0; k++) {
		const int64_t variant = k <= entry->special_count ? (int64_t)k : 0;
		struct kt_at_variant *slot;

		if (variant == 0 && entry->baseline_best)
			break;
		NEED(slot = kt_arena_push(arena, &out->tried, &out->tried_count, sizeof *slot), kt_no_memory(err));
		status = try_variant(slot, arena, &subject, entry, variant, &check, err);
		if (status == KT_OK && all_hold(slot))
			out->variant = variant;
	}
	find_nearest(out, entry, values);
	return status;
}
