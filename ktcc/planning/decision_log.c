#include "planning/decision_log.h"

#include <stdarg.h>

#include "base/log.h"

void kt_decision_note(const struct kt_decision_log *decisions, const char *event, const char *format, ...)
{
	struct kt_buf detail = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error err;
	va_list arguments;

	if (decisions->store == NULL || decisions->region_key == NULL)
		return;
	va_start(arguments, format);
	kt_buf_vaddf(&detail, format, arguments);
	va_end(arguments);
	if (kt_store_put_decision(decisions->store, decisions->region_key, decisions->device_key, event,
				  kt_buf_text(&detail), &err) != KT_OK)
		kt_log("ledger: %s", err.message);
	kt_buf_free(&detail);
}

static struct kt_decision_log decisions_of(const struct kt_tuning *s)
{
	return (struct kt_decision_log){s->plan->store, s->plan->region_key, s->device_key};
}

static void note_template(const struct kt_decision_log *decisions, const struct kt_plan *plan)
{
	const struct kt_template *t = plan->template_;
	struct kt_buf names = KT_BUF(KT_LIMIT_LINE_BYTES);

	for (size_t i = 0; i < t->parameter_count; i++)
		kt_buf_addf(&names, "%s%s", i > 0 ? " " : "", t->parameters[i].name);
	kt_decision_note(decisions, "template", "%s: %s; parameters %s", t->generator, t->rationale,
			 kt_buf_text(&names));
	kt_buf_free(&names);
	for (size_t i = 0; i < t->strategy_count; i++)
		kt_decision_note(decisions, "strategy", "%s: %s", t->strategies[i].name, t->strategies[i].reason);
	for (size_t i = 0; i < plan->declined_count; i++)
		kt_decision_note(decisions, "declined", "%s", plan->declined[i]);
}

void kt_tuning_note_begin(const struct kt_tuning *s)
{
	const struct kt_decision_log decisions = decisions_of(s);

	note_template(&decisions, s->plan);
}

void kt_tuning_note_search(const struct kt_tuning *s)
{
	const struct kt_decision_log decisions = decisions_of(s);

	kt_decision_note(&decisions, "space", "%zu legal configurations, %zu that the device can run",
	               (size_t)kt_space_legal(s->space), s->total);
	for (size_t i = 0; i < s->start_count; i++)
		kt_decision_note(&decisions, "start", "%s", s->starts[i].why);
	kt_decision_note(&decisions, "search",
	               "%zu configurations tried, %zu of them known before, %zu wrong, %zu not compiled, %zu not run, "
	               "%zu lost after a first look",
	               s->tried, s->recalled, s->wrong, s->uncompiled, s->refused, s->screened);
	if (s->first_wrong.configuration != NULL)
		kt_decision_note(&decisions, "wrong", "%s: %s on %s: %s", s->first_wrong.configuration,
		               kt_verdict_name(s->first_wrong.verdict),
		               s->first_wrong.check != NULL ? s->first_wrong.check : "its problems",
		               s->first_wrong.detail != NULL ? s->first_wrong.detail : "no detail");
	kt_decision_note(&decisions, "stopped", "%s", s->stopped);
}

static void note_winner(const struct kt_decision_log *decisions, const struct kt_entry *entry)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_entry_variant_text(&text, entry, 0);
	for (size_t i = 0; i < entry->special_count; i++) {
		kt_buf_addf(&text, "; where %s: ", entry->specials[i].when);
		kt_entry_variant_text(&text, entry, (int64_t)i + 1);
	}
	kt_decision_note(decisions, "won", "%s: %.2fx", kt_buf_text(&text),
	               kt_geomean_speedup(entry->baseline, entry->tuned, entry->problem_count));
	kt_buf_free(&text);
}

void kt_tuning_note_end(const struct kt_tuning *s, const struct kt_planned *planned, const struct kt_error *err,
                        bool failed)
{
	const struct kt_decision_log decisions = decisions_of(s);

	if (failed)
		kt_decision_note(&decisions, "failed", "%s", err->message);
	else if (planned->reason == KT_REASON_NONE)
		note_winner(&decisions, &planned->entry);
	else
		kt_decision_note(&decisions, planned->reason == KT_REASON_BASELINE_BEST ? "won" : "failed", "%s",
		               kt_reason_text(planned->reason));
}
