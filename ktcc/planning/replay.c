#include "planning/replay.h"

#include <string.h>

#include "base/json.h"
#include "planning/tuning_report.h"
#include "planning/choice.h"
#include "planning/model.h"

#define RECORDS_MOST 1024

struct replay {
	struct kt_work *work;
	struct kt_case *each;
	struct kt_model *model;
	struct kt_buf *said;
	struct kt_replayed *out;
	struct kt_error *err;
	size_t count;
	const char **hashes; /* of the records, in their order */
	struct kt_gain best;
	const char *best_hash; /* NULL: the original kernel */
};

static bool take_record(int64_t unix_time, const char *event, const char *detail, void *context)
{
	struct replay *r = context;
	const char **slot;

	(void)unix_time;
	if (strcmp(event, KT_TUNING_REPORT_RECORD) != 0 || r->count >= RECORDS_MOST)
		return true;
	slot = kt_arena_push(r->work->arena, &r->hashes, &r->count, sizeof *slot);
	if (slot != NULL)
		*slot = kt_arena_strdup(r->work->arena, detail);
	return slot != NULL && *slot != NULL;
}

/* The answer of a record, read once more. */
static kt_status read_answer(struct kt_model_answer *out, struct replay *r, const cJSON *answer)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *hash = kt_json_text(answer, "reply");
	char *copy;

	*out = (struct kt_model_answer){.end = KT_ANSWER_FAILED};
	if (!kt_tuning_report_text(&text, r->work->input.store, hash)) {
		kt_buf_free(&text);
		return kt_fail(r->err, KT_ERR_MISSING, "the answer %.16s is no longer in the store", hash);
	}
	copy = kt_arena_strndup(r->work->arena, kt_buf_text(&text), text.size);
	kt_buf_free(&text);
	return copy != NULL ? kt_model_read(out, r->model, copy, strlen(copy), r->err)
	                    : kt_fail(r->err, KT_ERR_MEMORY, "out of memory for an answer");
}

/* The template of a record, made again; NULL: there is none now. *same: all of it came out as it was then. */
static kt_status make_again(const struct kt_template **out, bool *same, struct replay *r, const cJSON *record)
{
	const cJSON *answer = cJSON_GetObjectItemCaseSensitive(record, "answer");
	struct kt_model_answer again;
	const char *why;
	kt_status status;

	*out = NULL;
	*same = true;
	if (answer == NULL && kt_generator_has_recipes(kt_json_text(record, "generator"))) {
		*out = kt_work_template_by(r->work, r->each, kt_json_text(record, "generator"), &why);
		return KT_OK;
	}
	if (answer == NULL) {
		*out = r->each->template_;
		return KT_OK;
	}
	if (kt_json_text(answer, "reply")[0] == '\0')
		return KT_OK;
	status = read_answer(&again, r, answer);
	*out = again.template_;
	*same = strcmp(kt_answer_name(again.end), kt_json_text(answer, "end")) == 0;
	return status;
}

/* Does the decision about a result follow from its numbers? Takes it over. */
static bool decide(struct replay *r, const cJSON *record, const char *hash)
{
	const cJSON *tuning = cJSON_GetObjectItemCaseSensitive(record, "tuning");
	const struct kt_gain candidate = {kt_json_number(tuning, "speedup"), kt_json_number(tuning, "noise")};
	const bool kept = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(record, "kept"));
	/* The first result is kept whatever it is: it is one. */
	const bool keeps = tuning != NULL && candidate.speedup > 0 &&
	                   (r->best.speedup == 0 || kt_choice_keeps(&r->best, &candidate));

	if (keeps) {
		r->best = candidate;
		if (candidate.speedup > 1)
			r->best_hash = kt_arena_strdup(r->work->arena, hash);
	}
	return keeps == kept;
}

static kt_status replay_record(struct replay *r, const cJSON *record)
{
	const char *then = kt_json_text(record, "template_hash");
	const struct kt_template *template_;
	char now[KT_HASH_TEXT] = "";
	bool same, decided;
	TRY(make_again(&template_, &same, r, record));

	if (template_ != NULL)
		kt_template_hash(now, template_);
	same = same && strcmp(then, now) == 0;
	decided = decide(r, record, then);
	kt_buf_addf(r->said, "  %.0f.%.0f%s, %s: %s, %s\n", kt_json_number(record, "round"),
	            kt_json_number(record, "attempt"), kt_json_number(record, "repair") > 0 ? " put right" : "",
	            kt_json_text(record, "generator"),
	            then[0] == '\0' && now[0] == '\0' ? same ? "no template, as then" : "another end than then"
	            : same                            ? "the same template"
	                                              : "another template",
	            decided ? "the same decision" : "another decision");
	r->out->records++;
	r->out->differing += !same || !decided;
	return KT_OK;
}

static kt_status replay_one(struct replay *r, const char *hash)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	cJSON *record = NULL;
	kt_status status = kt_tuning_report_text(&text, r->work->input.store, hash)
	                       ? kt_json_parse(&record, kt_buf_text(&text), text.size, r->err)
	                       : kt_fail(r->err, KT_ERR_MISSING, "the record %.16s is no longer in the store", hash);

	THEN(status, replay_record(r, record));
	cJSON_Delete(record);
	kt_buf_free(&text);
	return status;
}

/* Is the best of the rounds what the entry has? */
static bool is_outcome(const struct replay *r)
{
	const struct kt_entry *entry = r->each->found_count != 0 ? &r->each->found[0].entry : NULL;
	char hash[KT_HASH_TEXT];

	if (entry == NULL)
		return false;
	if (entry->template_ == NULL)
		return r->best_hash == NULL || r->each->region->parameter_count != 0;
	kt_template_hash(hash, entry->template_);
	return r->best_hash != NULL && strcmp(hash, r->best_hash) == 0;
}

kt_status kt_rounds_replay(struct kt_replayed *out, struct kt_buf *said, struct kt_work *work, struct kt_case *each,
                           struct kt_error *err)
{
	struct replay r = {.work = work, .each = each, .said = said, .out = out, .err = err};
	kt_status status = KT_OK;

	*out = (struct kt_replayed){0};
	kt_work_each_decision(work, each, take_record, &r);
	if (r.count == 0)
		return kt_fail(err, KT_ERR_MISSING, "%s: the decision log has no rounds of it", each->region->name);
	status = kt_model_open(&r.model, work, each, false, NULL, err);
	for (size_t i = 0; status == KT_OK && i < r.count; i++)
		status = replay_one(&r, r.hashes[i]);
	kt_model_close(r.model);
	if (status != KT_OK)
		return status;
	out->outcome = is_outcome(&r);
	kt_buf_addf(said, "  the outcome %s: %.3fx\n", out->outcome ? "agrees with the entry" : "is not the entry's",
	            r.best.speedup);
	return KT_OK;
}
