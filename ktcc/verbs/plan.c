/* ktcc plan: what the rounds of a region were, and whether they can be repeated. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "planning/tuning_report.h"
#include "planning/choice.h"
#include "planning/replay.h"
#include "verbs/session.h"
#include "verbs/verbs.h"

struct story {
	struct kt_session session;
	const char *wanted;
	cJSON *list, *current; /* of all tuning reports; the one that is being read */
	bool json;
};

static bool add_event(int64_t unix_time, const char *event, const char *detail, void *context)
{
	struct story *s = context;
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	cJSON *record = NULL;
	struct kt_error ignored;

	if (strcmp(event, KT_DECISION_BEGIN) == 0) {
		kt_json_add_int(s->current, "time", unix_time);
	} else if (strcmp(event, KT_TUNING_REPORT_END) == 0) {
		cJSON_AddStringToObject(s->current, "ended", detail);
	} else if (strcmp(event, KT_TUNING_REPORT_RECORD) == 0 &&
		   kt_tuning_report_text(&text, s->session.store, detail) &&
		   kt_json_parse(&record, kt_buf_text(&text), text.size, &ignored) == KT_OK) {
		cJSON_AddStringToObject(record, "record", detail);
		cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(s->current, "rounds"), record);
	}
	kt_buf_free(&text);
	return true;
}

/* What each generator took, and the speedup that was the best after its last round. */
static void add_cost(cJSON *report)
{
	static const char *const numbers[] = {"seconds", "trials", "prompt_tokens", "reply_tokens", "money"};
	cJSON *costs = cJSON_AddArrayToObject(report, "cost");
	const cJSON *round;

	cJSON_ArrayForEach(round, cJSON_GetObjectItemCaseSensitive(report, "rounds")) {
		const cJSON *answer = cJSON_GetObjectItemCaseSensitive(round, "answer");
		const cJSON *tuning = cJSON_GetObjectItemCaseSensitive(round, "tuning");
		const double spent[] = {kt_json_number(round, "seconds"),
		                        kt_json_number(cJSON_GetObjectItemCaseSensitive(tuning, "trials"), "tried"),
		                        kt_json_number(answer, "prompt_tokens"), kt_json_number(answer, "reply_tokens"),
		                        kt_json_number(answer, "cost")};
		cJSON *cost = cJSON_GetArrayItem(costs, cJSON_GetArraySize(costs) - 1);

		if (cost == NULL || strcmp(kt_json_text(cost, "generator"), kt_json_text(round, "generator")) != 0) {
			cost = kt_json_append(costs);
			cJSON_AddStringToObject(cost, "generator", kt_json_text(round, "generator"));
			for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
				cJSON_AddNumberToObject(cost, numbers[i], 0);
			cJSON_AddNumberToObject(cost, "speedup", 0);
		}
		for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
			cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(cost, numbers[i]),
			                     kt_json_number(cost, numbers[i]) + spent[i]);
		cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(cost, "speedup"),
		                     kt_json_number(cJSON_GetObjectItemCaseSensitive(round, "after"), "speedup"));
	}
}

static bool take_entry(const struct kt_entry *entry, void *context)
{
	struct story *s = context;
	const size_t length = strlen(s->wanted);
	struct kt_error err;

	if (strcmp(entry->name, s->wanted) != 0 && strcmp(entry->instance, s->wanted) != 0 &&
	    (length < 8 || strncmp(entry->region_key, s->wanted, length) != 0))
		return true;
	s->current = cJSON_CreateObject();
	cJSON_AddStringToObject(s->current, "instance", entry->instance);
	cJSON_AddStringToObject(s->current, "region_key", entry->region_key);
	cJSON_AddStringToObject(s->current, "device", entry->device.name);
	cJSON_AddArrayToObject(s->current, "rounds");
	cJSON_AddItemToArray(s->list, s->current);
	if (kt_store_each_decision(s->session.store, entry->region_key, entry->device_key, KT_DECISION_BEGIN, add_event,
				   s, &err) != KT_OK)
		kt_verb_failed(&err);
	add_cost(s->current);
	return true;
}

static void print_answer(const cJSON *answer)
{
	const cJSON *when = cJSON_GetObjectItemCaseSensitive(answer, "when");
	const time_t seconds = (time_t)kt_json_number(answer, "when");
	struct tm parts;
	char day[32] = "";

	printf("    question %s: %.12s, %.0f bytes\n", kt_json_text(answer, "label"), kt_json_text(answer, "prompt"),
	       kt_json_number(answer, "prompt_bytes"));
	if (kt_json_text(answer, "reply")[0] != '\0') {
		if (when != NULL && gmtime_r(&seconds, &parts) != NULL)
			(void)strftime(day, sizeof day, " on %Y-%m-%d", &parts);
		printf("    answer %.12s, %.0f bytes, by %s%s; %.0f + %.0f tokens, cost %.4g, %.1f s\n",
		       kt_json_text(answer, "reply"), kt_json_number(answer, "reply_bytes"), kt_json_text(answer, "model"), day,
		       kt_json_number(answer, "prompt_tokens"), kt_json_number(answer, "reply_tokens"),
		       kt_json_number(answer, "cost"), kt_json_number(answer, "wait_s"));
	}
	printf("    %s%s%s\n", kt_json_text(answer, "end"), kt_json_text(answer, "complaint")[0] != '\0' ? ": " : "",
	       kt_json_text(answer, "complaint"));
	if (kt_json_text(answer, "expected_effect")[0] != '\0')
		printf("    expected: %s\n", kt_json_text(answer, "expected_effect"));
}

/* As a question tells them. */
static void print_counters(const cJSON *row)
{
	struct kt_counted counted;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	const cJSON *value;

	for (int c = 0; c < KT_COUNTERS; c++) {
		value = cJSON_GetObjectItemCaseSensitive(row, kt_counter_name((enum kt_counter)c));
		counted.value[c] = cJSON_IsNumber(value) ? value->valuedouble : NAN;
	}
	kt_counted_print(&text, &counted);
	fputs("    counters:", stdout);
	cJSON_ArrayForEach(value, cJSON_GetObjectItemCaseSensitive(row, "problem"))
		printf(" %s=%.0f", value->string, cJSON_GetNumberValue(value));
	printf(" %s: %s", strcmp(kt_json_text(row, "of"), "original") == 0 ? "original" : "best", kt_buf_text(&text));
	printf("%s%s\n", kt_json_text(row, "bound")[0] != '\0' ? "; " : "", kt_json_text(row, "bound"));
	kt_buf_free(&text);
}

static void print_tuning(const cJSON *tuning)
{
	const cJSON *trials = cJSON_GetObjectItemCaseSensitive(tuning, "trials"), *item;

	printf("    %.0f legal configurations, %.0f tried, %.0f of them known before, %.0f wrong, %.0f not compiled, %.0f "
	       "not run; %.1f s\n",
	       kt_json_number(tuning, "legal"), kt_json_number(trials, "tried"), kt_json_number(trials, "recalled"),
	       kt_json_number(trials, "wrong"), kt_json_number(trials, "uncompiled"), kt_json_number(trials, "refused"),
	       kt_json_number(tuning, "total_s"));
	if (kt_json_number(tuning, "speedup") > 0)
		printf("    best: %s: %.3fx, noise %.1f%%\n", kt_json_text(tuning, "configuration"),
		       kt_json_number(tuning, "speedup"), 100 * kt_json_number(tuning, "noise"));
	if (kt_json_number(tuning, "given_speedup") > 0)
		printf("    without a search, with the values it came with: %.3fx\n", kt_json_number(tuning, "given_speedup"));
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(tuning, "failed"))
		printf("    %s: %s: %s\n", kt_json_text(item, "configuration"), kt_json_text(item, "verdict"),
		       kt_json_text(item, "detail"));
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(tuning, "counters"))
		print_counters(item);
}

static void print_choice(const cJSON *round)
{
	const cJSON *before = cJSON_GetObjectItemCaseSensitive(round, "before");
	const struct kt_gain best = {kt_json_number(before, "speedup"), kt_json_number(before, "noise")};
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_gain_print(&text, &best);
	printf("    %s: %s\n", cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(round, "kept")) ? "kept" : "dropped",
	       kt_buf_text(&text));
	kt_buf_free(&text);
}

static void print_round(const cJSON *round)
{
	const cJSON *answer = cJSON_GetObjectItemCaseSensitive(round, "answer"), *family;
	const cJSON *tuning = cJSON_GetObjectItemCaseSensitive(round, "tuning");
	const cJSON *suggested = cJSON_GetObjectItemCaseSensitive(round, "suggested");
	const char *why = kt_json_text(answer != NULL ? answer : round, "rationale");

	printf("  round %.0f, attempt %.0f", kt_json_number(round, "round"), kt_json_number(round, "attempt"));
	if (kt_json_number(round, "repair") > 0)
		printf(", repair %.0f", kt_json_number(round, "repair"));
	printf(", by %s%s%s\n", kt_json_text(round, "generator"), why[0] != '\0' ? ": " : "", why);
	if (cJSON_GetArraySize(suggested) != 0) {
		fputs("    suggested:", stdout);
		cJSON_ArrayForEach(family, suggested)
			printf(" %s", cJSON_GetStringValue(family));
		putchar('\n');
	}
	if (answer != NULL)
		print_answer(answer);
	if (kt_json_text(round, "template_hash")[0] != '\0')
		printf("    template %.12s%s%.12s\n", kt_json_text(round, "template_hash"),
		       kt_json_text(round, "template")[0] != '\0' ? ", its text " : "", kt_json_text(round, "template"));
	if (tuning != NULL)
		print_tuning(tuning);
	if (kt_json_text(round, "failed")[0] != '\0')
		printf("    failed: %s\n", kt_json_text(round, "failed"));
	if (tuning != NULL)
		print_choice(round);
}

static void print_story(const cJSON *report)
{
	const cJSON *round;

	printf("%s on %s, region key %.16s…\n", kt_json_text(report, "instance"), kt_json_text(report, "device"),
	       kt_json_text(report, "region_key"));
	cJSON_ArrayForEach(round, cJSON_GetObjectItemCaseSensitive(report, "rounds"))
		print_round(round);
	if (kt_json_text(report, "ended")[0] != '\0')
		printf("  ended: %s\n", kt_json_text(report, "ended"));
	cJSON_ArrayForEach(round, cJSON_GetObjectItemCaseSensitive(report, "cost"))
		printf("  cost of %s: %.1f s, %.0f configurations, %.0f + %.0f tokens, %.4g: %.3fx\n",
		       kt_json_text(round, "generator"), kt_json_number(round, "seconds"), kt_json_number(round, "trials"),
		       kt_json_number(round, "prompt_tokens"), kt_json_number(round, "reply_tokens"),
		       kt_json_number(round, "money"), kt_json_number(round, "speedup"));
}

static kt_status show(struct story *s, struct kt_error *err)
{
	const cJSON *report;
	kt_status status;

	if (s->session.store == NULL)
		return kt_fail(err, KT_ERR_MISSING, "there is no store");
	s->list = cJSON_CreateArray();
	status = kt_store_each_entry(s->session.store, take_entry, s, err);
	if (status == KT_OK && cJSON_GetArraySize(s->list) == 0)
		status = kt_fail(err, KT_ERR_MISSING, "%s: no region of this name was tuned in this store", s->wanted);
	if (status == KT_OK && s->json) {
		kt_verb_print_json(s->list);
	} else if (status == KT_OK) {
		cJSON_ArrayForEach(report, s->list)
			print_story(report);
	}
	cJSON_Delete(s->list);
	return status;
}

static kt_status replay_case(bool *agrees, struct story *s, struct kt_case *each, struct kt_error *err)
{
	struct kt_buf said = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_replayed replayed;
	kt_status status = kt_rounds_replay(&replayed, &said, s->session.work, each, err);

	if (status == KT_OK) {
		printf("%s: %zu rounds, %zu of them otherwise\n%s", each->region->instances[each->instance].name,
		       replayed.records, replayed.differing, kt_buf_text(&said));
		*agrees = *agrees && replayed.differing == 0 && replayed.outcome;
	}
	kt_buf_free(&said);
	return status;
}

static kt_status replay(struct story *s, const struct kt_compile_command *command, struct kt_error *err)
{
	struct kt_case *cases;
	size_t count, replayed = 0;
	bool agrees = true;
	kt_status status = kt_session_unit(&s->session, command, err);

	THEN(status, kt_work_lookup(s->session.work, err));
	if (status != KT_OK)
		return status;
	count = kt_work_cases(&cases, s->session.work);
	for (size_t i = 0; i < count; i++) {
		if (cases[i].template_ == NULL)
			continue;
		status = replay_case(&agrees, s, &cases[i], err);
		replayed += status == KT_OK;
		if (status != KT_OK && status != KT_ERR_MISSING)
			return status;
	}
	if (replayed == 0)
		return err->code != KT_OK ? err->code
					  : kt_fail(err, KT_ERR_MISSING, "%s: nothing to repeat", command->file);
	return agrees ? KT_OK
		      : kt_fail(err, KT_ERR_INVALID, "%s: the decision log could not be repeated", command->file);
}

static kt_status print_text(struct story *s, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const bool found = s->session.store != NULL && kt_tuning_report_text(&text, s->session.store, s->wanted);

	if (found)
		fwrite(kt_buf_text(&text), 1, text.size, stdout);
	kt_buf_free(&text);
	return found ? KT_OK : kt_fail(err, KT_ERR_MISSING, "%s: no text of this hash", s->wanted);
}

int kt_verb_plan(const struct kt_given *given)
{
	struct story s = {.json = given->json, .wanted = given->arguments[0]};
	struct kt_compile_command command;
	struct kt_error err = {.code = KT_OK};
	kt_status status = kt_session_open(&s.session, &err);
	int code;

	kt_compile_command_of(&command, given);
	THEN(status, given->action == KT_ACTION_plan_show     ? show(&s, &err)
	             : given->action == KT_ACTION_plan_replay ? replay(&s, &command, &err) : print_text(&s, &err));
	code = status == KT_OK ? 0 : kt_verb_failed(&err);
	kt_session_close(&s.session);
	return code;
}
