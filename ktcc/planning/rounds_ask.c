/* What the rounds ask, and the first question of a case that nothing can be measured of. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "generation/generation.h"
#include "planning/rounds_internal.h"
#include "tuning/batch.h"
#include "tuning/space.h"

/* What the rules did and why they may, where they stopped, and what they know of the lines. */
static const char *analysis_text(struct kt_loop *r)
{
	const struct kt_rules *rules = r->work->rules;
	const size_t region = (size_t)(kt_region_whole(r->region) - r->work->unit->regions);
	const struct kt_template *made = rules != NULL ? kt_rules_template(rules, region, r->each->instance) : NULL;
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	size_t declined_count;
	const char **declined = kt_work_declined(&declined_count, r->work, r->each);
	char *copy;

	for (size_t i = 0; made != NULL && i < made->strategy_count; i++)
		kt_buf_addf(&out, "- the rules did: %s: %s\n", made->strategies[i].name, made->strategies[i].reason);
	for (size_t i = 0; i < declined_count; i++)
		kt_buf_addf(&out, "- the rules did not: %s\n", declined[i]);
	for (size_t i = 0; rules != NULL && i < rules->note_count; i++) {
		char line[4096];

		if (rules->notes[i].region != region)
			continue;
		(void)snprintf(line, sizeof line, "- line %u: %s\n", (unsigned)rules->notes[i].line, rules->notes[i].text);
		/* Once, whatever the number of instances. */
		if (strstr(kt_buf_text(&out), line) == NULL)
			kt_buf_adds(&out, line);
	}
	copy = kt_arena_strdup(r->work->arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

kt_status kt_rounds_facts(struct kt_prompt_facts *facts, struct kt_loop *r, const struct kt_device *device,
                              struct kt_error *err)
{
	struct kt_work *work = r->work;
	struct kt_buf suggestion = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_findings known = r->best;
	size_t count;
	struct kt_measure *measures;

	if (known.template_ == NULL && work->rules != NULL)
		known.template_ = kt_rules_template(work->rules, (size_t)(kt_region_whole(r->region) - work->unit->regions), r->each->instance);
	measures = kt_findings_measure(&count, work->arena, r->region, r->instance, device, &r->best);
	*facts = (struct kt_prompt_facts){.analysis = analysis_text(r),
	                                  .tried = kt_arena_strdup(work->arena, kt_buf_text(&r->tried))};
	if (measures == NULL || facts->analysis == NULL || facts->tried == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a question");
	kt_facts_suggest(&suggestion, r->families, &r->family_count, measures, count, device, &r->history);
	facts->suggestion = kt_arena_strdup(work->arena, kt_buf_text(&suggestion));
	kt_buf_free(&suggestion);
	return kt_facts_fill(facts, work->arena, r->region, r->instance, device, &known, work->unit,
	                     work->input.directory, work->input.config->llm.allow_assembly, err);
}

/* Of what the case has an entry for already. */
static void take_entry(struct kt_loop *r)
{
	for (size_t i = 0; i < r->each->found_count && r->best.entry == NULL; i++) {
		const struct kt_found *found = &r->each->found[i];

		if (found->closeness != KT_CLOSE_EXACT)
			continue;
		r->best.entry = &found->entry;
		r->best.template_ = found->entry.template_;
		r->gain = kt_entry_gain(&found->entry);
	}
}

const char *kt_rounds_label(const struct kt_loop *r, unsigned round, unsigned attempt, unsigned repair)
{
	const char *suffix = repair != 0 ? kt_arena_printf(r->work->arena, ".f%u", repair) : "";

	return suffix == NULL ? NULL
	                      : kt_arena_printf(r->work->arena, "%s.r%u.a%u%s", kt_model_label(r->model), round, attempt,
	                                        suffix);
}

/* An entry knows of its device what a product has, the architecture's limits are known without it. */
static struct kt_device device_of(const struct kt_device *limits, const struct kt_entry *entry)
{
	struct kt_device device = *limits;

	if (entry == NULL || entry->device.cc != limits->cc || limits->multiprocessors != 0)
		return device;
	device.name = entry->device.name;
	device.multiprocessors = entry->device.multiprocessors;
	device.memory_bus_bits = entry->device.memory_bus_bits;
	device.l2_bytes = entry->device.l2_bytes;
	return device;
}

void kt_rounds_note_end(struct kt_loop *r, const struct kt_model_answer *answer)
{
	r->progress.awaited += answer->end == KT_ANSWER_AWAITED;
	r->progress.declined += answer->end == KT_ANSWER_DECLINED;
	r->progress.unpaid += answer->end == KT_ANSWER_BUDGET;
	r->progress.nobody = r->progress.nobody || answer->end == KT_ANSWER_NOBODY;
	if (answer->from.awaited != NULL && !kt_rounds_await(r->work, r->each, answer->from.awaited))
		kt_log("%s is awaited, but out of memory: it will not be looked for", answer->from.awaited);
}

/* Compiles a text with the values that came first, where the device can run them. NULL: there is no complaint. */
static const char *compile(struct kt_loop *r, const struct kt_template *template_, const struct kt_device *device)
{
	struct kt_work *work = r->work;
	int64_t *given = kt_arena_array(work->arena, template_->parameter_count + 1, sizeof *given);
	struct kt_compile options;
	struct kt_space *space = NULL;
	struct kt_batch *batch = NULL;
	struct kt_built built = {.cubin = NULL};
	const char *complaint = NULL;
	struct kt_error err;
	size_t index;
	kt_status status = kt_space_build(&space, template_, r->instance, device, &err);

	if (status == KT_OK && kt_space_feasible(space) == 0)
		status = kt_fail(&err, KT_ERR_INVALID, "no combination of values is legal and can run on the device");
	if (status == KT_OK && given == NULL)
		status = kt_no_memory(&err);
	if (status == KT_OK) {
		for (size_t i = 0; i < template_->parameter_count; i++)
			given[i] = template_->parameters[i].values[0];
		index = kt_space_find(space, given);
		if (index == SIZE_MAX)
			memcpy(given, kt_space_get(space, 0), template_->parameter_count * sizeof *given);
		status = kt_work_compile(&options, work, device->cc, &err);
	}
	if (status == KT_OK)
		status = kt_batch_open(&batch, &options, template_, r->instance, kt_buf_text(&work->source), work->source.size,
		                       &err);
	THEN(status, kt_batch_add(batch, 1, given, &err));
	THEN(status, kt_batch_flush(batch, &err));
	while (status == KT_OK && kt_batch_pending(batch) != 0)
		(void)kt_batch_next(&built, batch, 1);
	if (status != KT_OK)
		complaint = kt_arena_strdup(work->arena, err.message);
	else if (built.cubin == NULL && !built.unlucky && built.message != NULL)
		complaint = kt_arena_strdup(work->arena, built.message);
	kt_batch_close(batch);
	kt_space_free(space);
	return complaint;
}

/* One question, and the repairs of an answer that is there already, as far as it can be judged without a device. */
static kt_status question_attempt(struct kt_loop *r, const struct kt_prompt_facts *facts,
                                  const struct kt_device *device, unsigned number, struct kt_error *err)
{
	struct kt_prompt_facts own = *facts;
	struct kt_model_answer answer = {.text = NULL};
	kt_status status = KT_OK;

	for (unsigned repair = 0; status == KT_OK && repair <= KT_REPAIRS; repair++) {
		const char *label = kt_rounds_label(r, 1, number, repair), *before = answer.text;

		status = label != NULL ? kt_model_ask(&answer, r->model, &own, device, label, r->questions++, before, err)
		                       : kt_fail(err, KT_ERR_MEMORY, "out of memory for a question");
		if (status != KT_OK)
			break;
		if (answer.end == KT_ANSWER_TEMPLATE && (answer.complaint = compile(r, answer.template_, device)) != NULL)
			answer.end = KT_ANSWER_REFUSED;
		if (answer.end == KT_ANSWER_AWAITED)
			kt_rounds_note_end(r, &answer);
		else
			kt_say("%s: %s%s%s", label, kt_answer_name(answer.end), answer.complaint != NULL ? ": " : "",
			       answer.complaint != NULL ? answer.complaint : "");
		if (answer.end != KT_ANSWER_REFUSED)
			break;
		own.complaint = answer.complaint;
	}
	return status;
}

kt_status kt_rounds_question(struct kt_work *work, struct kt_case *each, const struct kt_device *limits,
                             struct kt_error *err)
{
	struct kt_loop r;
	struct kt_prompt_facts facts;
	struct kt_device device;
	kt_status status;

	kt_rounds_open(&r, work, each, NULL, limits);
	take_entry(&r);
	device = device_of(limits, r.best.entry);
	status = kt_model_open(&r.model, work, each, true, NULL, err);
	THEN(status, kt_rounds_facts(&facts, &r, &device, err));
	for (unsigned a = 0; status == KT_OK && a < (unsigned)work->input.config->llm.attempts; a++)
		status = question_attempt(&r, &facts, &device, a, err);
	kt_model_close(r.model);
	kt_buf_free(&r.tried);
	return status;
}
