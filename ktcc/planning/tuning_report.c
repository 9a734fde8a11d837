#include "planning/tuning_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "planning/objective.h"

static void text_key(char out[KT_HASH_TEXT + 8], const char *hash)
{
	(void)snprintf(out, KT_HASH_TEXT + 8, "plan %s", hash);
}

/* Keeps a text; its hash. */
static void keep_text(char hash[KT_HASH_TEXT], struct kt_store *store, const char *text, size_t size)
{
	char key[KT_HASH_TEXT + 8];
	struct kt_error err;
	struct kt_hash state;

	kt_hash_init(&state);
	kt_hash_bytes(&state, text, size);
	kt_hash_final(&state, hash);
	text_key(key, hash);
	if (kt_store_put_blob(store, key, text, size, &err) != KT_OK)
		kt_log("a text of the decision log was not stored: %s", err.message);
}

bool kt_tuning_report_text(struct kt_buf *out, struct kt_store *store, const char *hash)
{
	char key[KT_HASH_TEXT + 8];

	text_key(key, hash);
	return kt_store_get_blob(out, store, key);
}

/* Adds the hash of a text, and how long it is. */
static void add_artifact(cJSON *json, struct kt_store *store, const char *name, const char *text)
{
	char hash[KT_HASH_TEXT], size[64];

	if (text == NULL)
		return;
	keep_text(hash, store, text, strlen(text));
	cJSON_AddStringToObject(json, name, hash);
	(void)snprintf(size, sizeof size, "%s_bytes", name);
	kt_json_add_int(json, size, (int64_t)strlen(text));
}

static void add_answer(cJSON *json, struct kt_store *store, const struct kt_model_answer *answer)
{
	cJSON *item = cJSON_AddObjectToObject(json, "answer");

	cJSON_AddStringToObject(item, "label", answer->label);
	cJSON_AddStringToObject(item, "end", kt_answer_name(answer->end));
	add_artifact(item, store, "prompt", answer->prompt);
	add_artifact(item, store, "reply", answer->text);
	kt_json_add_text(item, "complaint", answer->complaint);
	kt_json_add_text(item, "rationale", answer->rationale);
	kt_json_add_text(item, "expected_effect", answer->effect);
	kt_json_add_text(item, "awaited", answer->from.awaited);
	if (answer->text == NULL)
		return;
	cJSON_AddStringToObject(item, "model", answer->from.model);
	kt_json_add_int(item, "when", answer->from.when);
	cJSON_AddStringToObject(item, "question_hash", answer->from.question_hash);
	cJSON_AddStringToObject(item, "answer_hash", answer->from.answer_hash);
	kt_json_add_int(item, "prompt_tokens", answer->from.prompt_tokens);
	kt_json_add_int(item, "reply_tokens", answer->from.reply_tokens);
	cJSON_AddNumberToObject(item, "cost", answer->from.cost);
	cJSON_AddNumberToObject(item, "wait_s", answer->from.seconds);
}

static void add_template(cJSON *json, struct kt_store *store, const struct kt_template *template_)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	cJSON *as_json = kt_template_is_generated(template_) ? kt_template_json(template_) : NULL;
	char hash[KT_HASH_TEXT];

	kt_template_hash(hash, template_);
	cJSON_AddStringToObject(json, "template_hash", hash);
	if (as_json != NULL) {
		kt_json_print_stable(&text, as_json);
		add_artifact(json, store, "template", kt_buf_text(&text));
	}
	cJSON_Delete(as_json);
	kt_buf_free(&text);
}

static void add_values(cJSON *row, const struct kt_entry *entry, size_t p)
{
	kt_json_add_values(cJSON_AddObjectToObject(row, "problem"), entry->variables,
	                   &entry->problems[p * entry->variable_count], entry->variable_count);
}

static void add_problems(cJSON *json, const struct kt_entry *entry)
{
	cJSON *array = cJSON_AddArrayToObject(json, "problems");

	for (size_t p = 0; p < entry->problem_count; p++) {
		cJSON *row = kt_json_append(array);

		add_values(row, entry, p);
		cJSON_AddNumberToObject(row, "baseline_ns", entry->baseline[p].median_ns);
		cJSON_AddNumberToObject(row, "tuned_ns", entry->tuned[p].median_ns);
		if (entry->copy_ns != NULL && entry->copy_ns[p] > 0)
			cJSON_AddNumberToObject(row, "floor_ns", entry->copy_ns[p]);
	}
}

/* The same facts as the question's, as data. */
static void add_failed_trials(cJSON *json, const struct kt_digest *digest)
{
	cJSON *array = cJSON_AddArrayToObject(json, "failed");

	for (size_t i = 0; i < digest->failed_count; i++) {
		cJSON *item = kt_json_append(array);

		cJSON_AddStringToObject(item, "configuration", digest->failed[i].configuration);
		cJSON_AddStringToObject(item, "verdict", kt_verdict_name(digest->failed[i].verdict));
		kt_json_add_text(item, "detail", digest->failed[i].detail);
	}
}

static void add_counters(cJSON *json, const struct kt_entry *entry, const struct kt_counts *counts)
{
	cJSON *array = counts->count != 0 ? cJSON_AddArrayToObject(json, "counters") : NULL;

	for (size_t i = 0; i < counts->count; i++) {
		const struct kt_count *one = &counts->each[i];
		cJSON *row = kt_json_append(array);

		add_values(row, entry, one->problem);
		cJSON_AddStringToObject(row, "of", one->original ? "original" : "best");
		cJSON_AddStringToObject(row, "kernel", one->counted.kernel);
		if (!one->original)
			cJSON_AddStringToObject(row, "bound", kt_bound_name(one->bound));
		for (int c = 0; c < KT_COUNTERS; c++)
			if (!isnan(one->counted.value[c]))
				cJSON_AddNumberToObject(row, kt_counter_name((enum kt_counter)c),
							one->counted.value[c]);
	}
}

static void add_tuning(cJSON *json, const struct kt_planned *planned)
{
	const struct kt_entry *entry = &planned->entry;
	cJSON *item = cJSON_AddObjectToObject(json, "tuning"), *trials = cJSON_AddObjectToObject(item, "trials");
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_json_add_int(item, "legal", entry->legal);
	kt_json_add_int(trials, "tried", planned->tried);
	kt_json_add_int(trials, "recalled", planned->recalled);
	kt_json_add_int(trials, "identical", planned->identical);
	kt_json_add_int(trials, "wrong", planned->wrong);
	kt_json_add_int(trials, "uncompiled", planned->uncompiled);
	kt_json_add_int(trials, "refused", planned->refused);
	add_failed_trials(item, &planned->digest);
	cJSON_AddNumberToObject(item, "compile_s", planned->wall.compile_s);
	cJSON_AddNumberToObject(item, "run_s", planned->wall.run_s);
	cJSON_AddNumberToObject(item, "total_s", planned->wall.total_s);
	if (planned->digest.given_cost > 0 && isfinite(planned->digest.given_cost))
		cJSON_AddNumberToObject(item, "given_speedup", 1 / planned->digest.given_cost);
	if (entry->problem_count != 0 && entry->tuned != NULL) {
		const struct kt_gain gain = kt_entry_gain(entry);

		kt_entry_variant_text(&text, entry, 0);
		cJSON_AddStringToObject(item, "configuration", kt_buf_text(&text));
		cJSON_AddNumberToObject(item, "speedup", gain.speedup);
		cJSON_AddNumberToObject(item, "noise", gain.noise);
		kt_json_add_int(item, "registers", entry->registers);
		kt_json_add_int(item, "local_bytes", entry->local_bytes);
		kt_json_add_int(item, "shared_bytes", entry->shared_bytes);
		add_problems(item, entry);
		add_counters(item, entry, &planned->counts);
	}
	kt_buf_free(&text);
}

static void add_gain(cJSON *json, const char *name, const struct kt_gain *gain)
{
	cJSON *item = cJSON_AddObjectToObject(json, name);

	cJSON_AddNumberToObject(item, "speedup", gain->speedup);
	cJSON_AddNumberToObject(item, "noise", gain->noise);
}

static cJSON *record_json(struct kt_store *store, const struct kt_round *r)
{
	cJSON *json = cJSON_CreateObject(), *families;

	kt_json_add_int(json, "version", 1);
	cJSON_AddStringToObject(json, "instance", r->name);
	kt_json_add_int(json, "round", r->number);
	kt_json_add_int(json, "attempt", r->attempt);
	kt_json_add_int(json, "repair", r->repair);
	cJSON_AddStringToObject(json, "generator", r->generator);
	kt_json_add_text(json, "parent", r->parent);
	families = cJSON_AddArrayToObject(json, "suggested");
	for (size_t i = 0; i < r->family_count; i++)
		cJSON_AddItemToArray(families, cJSON_CreateString(kt_family_name(r->families[i])));
	if (r->answer != NULL)
		add_answer(json, store, r->answer);
	if (r->template_ != NULL)
		add_template(json, store, r->template_);
	if (r->template_ != NULL && r->answer == NULL)
		kt_json_add_text(json, "rationale", r->template_->rationale);
	if (r->planned != NULL)
		add_tuning(json, r->planned);
	kt_json_add_text(json, "failed", r->failed);
	add_gain(json, "before", &r->before);
	add_gain(json, "after", &r->after);
	cJSON_AddBoolToObject(json, "kept", r->kept);
	cJSON_AddNumberToObject(json, "seconds", r->seconds);
	return json;
}

/* "1.0, llm (deepseek-chat): template; 2.31x after 120 configurations; kept: better than 2.10x" */
static void say(struct kt_buf *out, const struct kt_round *r)
{
	const struct kt_planned *planned = r->planned;

	kt_buf_addf(out, "%u.%u", r->number, r->attempt);
	if (r->repair != 0)
		kt_buf_addf(out, ", repair %u", r->repair);
	kt_buf_addf(out, ", %s", r->generator);
	if (r->answer != NULL && r->answer->text != NULL)
		kt_buf_addf(out, " (%s)", r->answer->from.model);
	if (r->answer != NULL)
		kt_buf_addf(out, ": %s", kt_answer_name(r->answer->end));
	if (r->answer != NULL && r->answer->complaint != NULL)
		kt_buf_addf(out, ": %.*s", (int)strcspn(r->answer->complaint, "\n"), r->answer->complaint);
	if (planned != NULL)
		kt_buf_addf(out, "; %lld configurations tried", (long long)planned->tried);
	if (planned != NULL && planned->entry.problem_count != 0 && planned->entry.tuned != NULL)
		kt_buf_addf(out, ", %.3fx", kt_entry_gain(&planned->entry).speedup);
	if (r->failed != NULL)
		kt_buf_addf(out, "; failed: %.*s", (int)strcspn(r->failed, "\n"), r->failed);
	if (r->template_ != NULL) {
		kt_buf_addf(out, "; %s: ", r->kept ? "kept" : "dropped");
		kt_gain_print(out, &r->before);
	}
}

void kt_tuning_report_round(const struct kt_decision_log *decisions, const struct kt_round *round)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	char hash[KT_HASH_TEXT];
	cJSON *json;

	if (decisions->store == NULL)
		return;
	say(&text, round);
	kt_decision_note(decisions, "round", "%s", kt_buf_text(&text));
	kt_buf_clear(&text);
	json = record_json(decisions->store, round);
	kt_json_print_stable(&text, json);
	cJSON_Delete(json);
	keep_text(hash, decisions->store, kt_buf_text(&text), text.size);
	kt_decision_note(decisions, KT_TUNING_REPORT_RECORD, "%s", hash);
	kt_buf_free(&text);
}

void kt_tuning_report_end(const struct kt_decision_log *decisions, enum kt_stop stop, const struct kt_llm_usage *usage,
                    unsigned rounds)
{
	kt_decision_note(decisions, KT_TUNING_REPORT_END,
	               "%s: %s; %u rounds, %lld questions, %lld tokens asked, %lld answered, cost %.4g, %.1f s waited",
	               kt_stop_name(stop), kt_stop_text(stop), rounds, (long long)usage->questions,
	               (long long)usage->prompt_tokens, (long long)usage->reply_tokens, usage->cost, usage->seconds);
}
