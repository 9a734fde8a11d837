/* The entry that comes of the last comparison: what was chosen, and what it takes. */
#include <string.h>

#include "planning/finals.h"
#include "planning/plan_energy.h"

void kt_finals_chosen(struct kt_chosen *out, const struct kt_finals *f)
{
	const struct kt_selection *selection = &f->selection;

	out->count = 1;
	out->row[0] = 0;
	out->candidates[0] = f->candidates[0];
	for (size_t k = 0; k <= selection->special_count; k++) {
		const size_t row = k == 0 ? selection->general : selection->specials[k - 1];

		if (row == 0)
			continue;
		out->row[out->count] = row;
		out->variant[out->count] = (int64_t)k;
		out->candidates[out->count++] = f->candidates[row];
	}
}

static void copy_configuration(int64_t *to, const struct kt_finals *f, size_t row)
{
	memcpy(to, f->candidates[row].configuration, f->s->plan->template_->parameter_count * sizeof *to);
}

static kt_status add_specials(struct kt_entry *entry, const struct kt_finals *f, struct kt_error *err)
{
	const struct kt_tuning *s = f->s;
	const struct kt_selection *selection = &f->selection;

	entry->special_count = selection->special_count;
	entry->specials = kt_arena_array(s->arena, entry->special_count + 1, sizeof *entry->specials);
	entry->general_ns = kt_arena_array(s->arena, s->problems, sizeof *entry->general_ns);
	if (entry->specials == NULL || entry->general_ns == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "entry: out of memory");
	for (size_t p = 0; p < s->problems && entry->special_count != 0 && selection->general != 0; p++)
		entry->general_ns[p] = f->timings[selection->general * s->problems + p].median_ns;
	for (size_t k = 0; k < entry->special_count; k++) {
		struct kt_special *special = &entry->specials[k];

		special->when = selection->when[k];
		special->configuration =
		    kt_arena_array(s->arena, s->plan->template_->parameter_count + 1, sizeof *special->configuration);
		NEED(special->configuration, kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
		copy_configuration(special->configuration, f, selection->specials[k]);
		special->registers = f->outcomes[k + 1].registers;
		special->local_bytes = f->outcomes[k + 1].local_bytes;
		special->shared_bytes = f->outcomes[k + 1].shared_bytes;
	}
	return KT_OK;
}

/* What runs on the sizes that no problem lists, as far as they were measured. */
static kt_status add_unlisted(struct kt_entry *entry, const struct kt_finals *f, struct kt_error *err)
{
	const struct kt_tuning *s = f->s;
	const struct kt_selection *selection = &f->selection;
	const size_t bytes = entry->variable_count * sizeof(int64_t);

	NEED(entry->unlisted = kt_arena_array(s->arena, s->derived.count + 1, sizeof *entry->unlisted),
	     kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
	entry->unlisted_left_out = (int64_t)f->dropped;
	for (size_t i = 0; i < s->derived.count; i++) {
		const size_t row = kt_selection_row(selection, s->problems + i);
		/* A variant that would run there and was not timed gets no figure. */
		const bool runs = row == 0 || (kt_derived_covers(&s->derived, f->candidates[row].configuration) >> i & 1) != 0;
		const double baseline_ns = f->shapes[i].median_ns;
		const double own_ns = runs ? f->shapes[row * KT_DERIVED_MOST + i].median_ns : baseline_ns;
		struct kt_unlisted *one = &entry->unlisted[entry->unlisted_count];

		if (!(baseline_ns > 0) || !(own_ns > 0))
			continue;
		*one = (struct kt_unlisted){kt_arena_array(s->arena, entry->variable_count + 1, sizeof(int64_t)),
		                            runs ? selection->serves[s->problems + i] : KT_UNLISTED_ORIGINAL,
		                            kt_tuning_tenth(baseline_ns), kt_tuning_tenth(own_ns)};
		NEED(one->values, kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
		memcpy(one->values, s->derived.values[i], bytes);
		entry->unlisted_count++;
	}
	return KT_OK;
}

/* A problem that does not fit into this device's memory is no part of what was found out. */
static kt_status drop_unmeasured(struct kt_entry *entry, const struct kt_tuning *s, struct kt_error *err)
{
	const size_t variables = entry->variable_count;
	int64_t *problems = kt_arena_array(s->arena, s->problems * variables + 1, sizeof *problems);
	size_t kept = 0;

	NEED(problems, kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
	for (size_t p = 0; p < s->problems; p++) {
		if (!(entry->baseline[p].median_ns > 0))
			continue;
		if (variables != 0)
			memcpy(problems + kept * variables, entry->problems + p * variables, variables * sizeof *problems);
		entry->baseline[kept] = entry->baseline[p];
		entry->tuned[kept] = entry->tuned[p];
		entry->copy_ns[kept] = entry->copy_ns[p];
		if (entry->serves != NULL)
			entry->serves[kept] = entry->serves[p];
		if (entry->general_ns != NULL)
			entry->general_ns[kept] = entry->general_ns[p];
		if (entry->baseline_uj != NULL) {
			entry->baseline_uj[kept] = entry->baseline_uj[p];
			entry->tuned_uj[kept] = entry->tuned_uj[p];
		}
		kept++;
	}
	if (kept == 0)
		return kt_fail(err, KT_ERR_INVALID, "no problem could be measured");
	if (kept != s->problems)
		entry->problems = problems;
	entry->problem_count = kept;
	return KT_OK;
}

/*
 * Launches beside the problems that all of what was chosen was right on: some may be outside of a guard, or
 * impossible.
 */
static void note_checks(struct kt_entry *entry, const struct kt_finals *f)
{
	const struct kt_outcome *outcomes = f->outcomes;
	int64_t least = -1;

	for (size_t k = f->selection.general == 0; k <= f->selection.special_count; k++) {
		int64_t right = 0;

		for (size_t r = 0; r < outcomes[k].row_count; r++)
			right += outcomes[k].rows[r].check && outcomes[k].rows[r].verdict == KT_VERDICT_OK;
		least = least < 0 || right < least ? right : least;
	}
	entry->checks = least > 0 ? least : 0;
}

static kt_status note_energy(struct kt_entry *entry, const struct kt_finals *f, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	const struct kt_energy_rows rows = {f->rows, f->candidates, f->timings, f->energies};
	size_t *served = kt_arena_array(s->arena, s->problems + 1, sizeof *served);
	kt_status status;

	NEED(served, kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
	for (size_t p = 0; p < s->problems; p++)
		served[p] = kt_selection_row(&f->selection, p);
	status = kt_tuning_energy_entry(entry, s, &rows, served, err);
	/* Without parameters there are no configurations to name. */
	if (entry->parameter_count == 0)
		entry->point_count = 0;
	return status;
}

kt_status kt_finals_entry(struct kt_planned *out, const struct kt_finals *f, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	const struct kt_selection *selection = &f->selection;
	struct kt_entry *entry = &out->entry;

	memcpy(s->baseline, f->timings, s->problems * sizeof *f->timings);
	entry->baseline = s->baseline;
	NEED(entry->tuned = kt_arena_array(s->arena, s->problems, sizeof *entry->tuned),
	     kt_fail(err, KT_ERR_MEMORY, "entry: out of memory"));
	note_checks(entry, f);
	entry->stability = s->stability;
	entry->serves = selection->serves;
	entry->baseline_best = selection->general == 0;
	if (selection->general != 0) {
		copy_configuration(entry->configuration, f, selection->general);
		entry->registers = f->outcomes[0].registers;
		entry->local_bytes = f->outcomes[0].local_bytes;
		entry->shared_bytes = f->outcomes[0].shared_bytes;
	}
	/* Where the variant does not run the original does. */
	for (size_t p = 0; p < s->problems; p++) {
		const struct kt_timing *served = &f->timings[kt_selection_row(selection, p) * s->problems + p];

		entry->tuned[p] = served->median_ns > 0 ? *served : s->baseline[p];
	}
	if (!entry->baseline_best || selection->special_count != 0) {
		TRY(add_specials(entry, f, err));
		TRY(add_unlisted(entry, f, err));
		TRY(kt_finals_align(entry, f, err));
	} else {
		out->reason = KT_REASON_BASELINE_BEST;
		/* A text that is not emitted is not kept. */
		if (entry->template_ != NULL)
			entry->parameter_count = 0;
		entry->template_ = NULL;
	}
	if (f->energies != NULL)
		TRY(note_energy(entry, f, err));
	return drop_unmeasured(entry, s, err);
}
