/* ktcc tune: what came of one region instance, as text and as JSON. */
#include <stdio.h>

#include "planning/objective.h"
#include "verbs/tune.h"
#include "verbs/verbs.h"

/* What a model cost, and what it owes. */
static void print_model(const struct kt_case *each)
{
	if (each->questions != 0)
		printf("  model: %u rounds, %lld questions, %lld tokens asked, %lld answered, cost %.4g, %.1f s waited\n",
		       each->rounds, (long long)each->questions, (long long)each->prompt_tokens, (long long)each->reply_tokens,
		       each->cost, each->waited_s);
	for (size_t i = 0; i < each->awaited_count; i++)
		printf("  an answer is awaited: %s\n", each->awaited[i]);
}

static void print_wrong(const struct kt_case *each)
{
	const struct kt_wrong *wrong = &each->first_wrong;

	if (wrong->configuration == NULL)
		return;
	printf("  %s was %s%s%s: %s\n  again: ktcc verify %s --configuration \"%s\"%s%s%s\n", wrong->configuration,
	       kt_verdict_name(wrong->verdict), wrong->check != NULL ? " on " : "", wrong->check != NULL ? wrong->check : "",
	       wrong->detail, each->region->file, wrong->configuration, wrong->check != NULL ? " --check \"" : "",
	       wrong->check != NULL ? wrong->check : "", wrong->check != NULL ? "\"" : "");
}

static void print_unlisted(const struct kt_entry *entry)
{
	double gain, least;

	kt_entry_unlisted_gain(&gain, &least, entry);
	if (entry->unlisted_count != 0)
		printf("  on %zu sizes not listed: gain %.2f, least %.2f\n", entry->unlisted_count, gain, least);
}

/* Which runs where. A single one that runs everywhere is named by the line above. */
static void print_variants(const struct kt_entry *entry)
{
	struct kt_buf when = KT_BUF(KT_LIMIT_LINE_BYTES), text = KT_BUF(KT_LIMIT_LINE_BYTES);

	for (size_t k = 0; k <= entry->special_count; k++) {
		const int64_t variant = k < entry->special_count ? (int64_t)k + 1 : 0;

		kt_buf_clear(&when);
		kt_buf_clear(&text);
		kt_entry_when_text(&when, entry, variant);
		kt_entry_variant_text(&text, entry, variant);
		if (when.size != 0)
			printf("  where %s: %s\n", kt_buf_text(&when), kt_buf_text(&text));
		else if (entry->special_count != 0)
			printf("  elsewhere: %s\n", entry->baseline_best ? "the original kernel" : kt_buf_text(&text));
	}
	kt_buf_free(&when);
	kt_buf_free(&text);
}

/* "1.53x with X=1"; why the original is kept where this command measured it. */
static void add_summary(struct kt_buf *out, const struct kt_entry *entry, const struct kt_case *each)
{
	if (kt_entry_has_variant(entry)) {
		kt_buf_addf(out, "%.2fx", kt_geomean_speedup(entry->baseline, entry->tuned, entry->problem_count));
		if (entry->special_count != 0) {
			kt_buf_addf(out, " with %zu variant%s%s", entry->special_count + !entry->baseline_best,
			            entry->special_count + !entry->baseline_best == 1 ? "" : "s",
			            entry->baseline_best ? " and the original kernel" : "");
			return;
		}
		kt_buf_adds(out, " with ");
		kt_entry_variant_text(out, entry, 0);
		return;
	}
	kt_buf_adds(out, "keeps the original kernel");
	if (each->tuned) {
		kt_buf_adds(out, ": ");
		kt_contest_text(out, &each->contest, each->enough_s);
	}
}

void kt_tune_print(struct kt_arena *arena, const struct kt_case *each)
{
	const struct kt_entry *entry = each->found_count != 0 ? &each->found[0].entry : NULL;
	const char *name = kt_case_name(each);
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (entry == NULL) {
		printf("%s: %s\n", name, kt_reason_line_for(arena, each->reason, each->detail, each->region->file));
		print_model(each);
		kt_buf_free(&text);
		return;
	}
	add_summary(&text, entry, each);
	printf("%s on %s: %s\n", name, entry->device.name, kt_buf_text(&text));
	kt_buf_clear(&text);
	kt_entry_search_text(&text, entry);
	if (text.size != 0)
		printf("  %s\n", kt_buf_text(&text));
	print_variants(entry);
	printf("  %-28s %13s   %13s  %6s  (" KT_COMPARED_TIMES ")\n", "problem", "original", "tuned", "gain");
	for (size_t p = 0; p < entry->problem_count; p++) {
		kt_buf_clear(&text);
		kt_problem_print(&text, entry, p);
		printf("  %-28s %10.2f us → %10.2f us  %5.2fx", kt_buf_text(&text), entry->baseline[p].median_ns / 1e3,
		       entry->tuned[p].median_ns / 1e3,
		       entry->tuned[p].median_ns > 0 ? entry->baseline[p].median_ns / entry->tuned[p].median_ns : 0);
		if (kt_entry_of_copy(entry, p) > 0) {
			kt_buf_clear(&text);
			kt_copy_print(&text, kt_entry_of_copy(entry, p));
			printf("  %s (%.2f us)", kt_buf_text(&text), entry->copy_ns[p] / 1e3);
		}
		putchar('\n');
	}
	print_unlisted(entry);
	if (each->tuned)
		printf("  elapsed time: scan %.2f s, compile %.2f s, run %.2f s, waited %.2f s, total %.2f s; %lld tried, %lld of them "
		       "known before, %lld wrong, %lld not compiled\n",
		       each->wall.scan_s, each->wall.compile_s, each->wall.run_s, each->wall.wait_s, each->wall.total_s,
		       (long long)each->tried, (long long)each->recalled, (long long)each->wrong, (long long)each->uncompiled);
	else if (!each->failed)
		printf("  the entry of %s, nothing was measured: --retune tunes again\n", entry->date);
	print_model(each);
	print_wrong(each);
	kt_buf_free(&text);
}

static void add_wrong(cJSON *item, const struct kt_case *each)
{
	cJSON *wrong;

	if (each->first_wrong.configuration == NULL)
		return;
	wrong = cJSON_AddObjectToObject(item, "first_wrong");
	cJSON_AddStringToObject(wrong, "configuration", each->first_wrong.configuration);
	cJSON_AddStringToObject(wrong, "verdict", kt_verdict_name(each->first_wrong.verdict));
	kt_json_add_text(wrong, "check", each->first_wrong.check);
	cJSON_AddStringToObject(wrong, "detail", each->first_wrong.detail);
}

static void add_model(cJSON *item, const struct kt_case *each)
{
	cJSON *model, *awaited;

	if (each->questions == 0 && each->awaited_count == 0)
		return;
	model = cJSON_AddObjectToObject(item, "model");
	kt_json_add_int(model, "rounds", each->rounds);
	kt_json_add_int(model, "questions", each->questions);
	kt_json_add_int(model, "prompt_tokens", each->prompt_tokens);
	kt_json_add_int(model, "reply_tokens", each->reply_tokens);
	cJSON_AddNumberToObject(model, "cost", each->cost);
	cJSON_AddNumberToObject(model, "waited_s", each->waited_s);
	awaited = cJSON_AddArrayToObject(model, "awaited");
	for (size_t i = 0; i < each->awaited_count; i++)
		cJSON_AddItemToArray(awaited, cJSON_CreateString(each->awaited[i]));
}

/* How far the search came before its best were compared with the original. */
static void add_contest(cJSON *item, const struct kt_case *each)
{
	cJSON *contest;

	if (!each->tuned || each->contest.finalists == 0)
		return;
	contest = cJSON_AddObjectToObject(item, "comparison");
	cJSON_AddNumberToObject(contest, "searched", each->contest.searched);
	kt_json_add_int(contest, "finalists", (int64_t)each->contest.finalists);
	kt_json_add_int(contest, "compared", (int64_t)each->contest.compared);
	cJSON_AddBoolToObject(contest, "enough", each->contest.enough);
}

cJSON *kt_tune_json(const struct kt_case *each)
{
	cJSON *item = cJSON_CreateObject(), *wall, *part;
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_error ignored;
	cJSON *entry = NULL;

	cJSON_AddStringToObject(item, "region", each->region->name);
	if (each->region->instance_count != 0)
		cJSON_AddStringToObject(item, "instance", each->region->instances[each->instance].name);
	cJSON_AddStringToObject(item, "reason", kt_reason_name(each->reason));
	kt_json_add_text(item, "detail", each->detail);
	cJSON_AddBoolToObject(item, "tuned", each->tuned);
	add_contest(item, each);
	wall = cJSON_AddObjectToObject(item, "wall");
	cJSON_AddNumberToObject(wall, "scan_s", each->wall.scan_s);
	cJSON_AddNumberToObject(wall, "compile_s", each->wall.compile_s);
	cJSON_AddNumberToObject(wall, "run_s", each->wall.run_s);
	cJSON_AddNumberToObject(wall, "wait_s", each->wall.wait_s);
	cJSON_AddNumberToObject(wall, "total_s", each->wall.total_s);
	part = cJSON_AddObjectToObject(wall, "of_run_s");
	for (int i = 0; i < KT_SPENT; i++)
		cJSON_AddNumberToObject(part, kt_spent_name((enum kt_spent)i), each->wall.spent_s[i]);
	part = cJSON_AddObjectToObject(wall, "between_s");
	for (int i = 0; i < KT_BETWEEN; i++)
		cJSON_AddNumberToObject(part, kt_between_name((enum kt_between)i), each->wall.between_s[i]);
	if (each->enough_s > 0)
		cJSON_AddNumberToObject(item, "enough_s", each->enough_s);
	if (each->enough_trials > 0)
		kt_json_add_int(item, "enough_trials", each->enough_trials);
	cJSON_AddNumberToObject(item, "tried", (double)each->tried);
	cJSON_AddNumberToObject(item, "recalled", (double)each->recalled);
	cJSON_AddNumberToObject(item, "identical", (double)each->identical);
	cJSON_AddNumberToObject(item, "wrong", (double)each->wrong);
	cJSON_AddNumberToObject(item, "uncompiled", (double)each->uncompiled);
	cJSON_AddNumberToObject(item, "refused", (double)each->refused);
	add_wrong(item, each);
	add_model(item, each);
	if (each->found_count != 0 && kt_entry_print(&text, &each->found[0].entry, &ignored) == KT_OK &&
	    kt_json_parse(&entry, kt_buf_text(&text), text.size, &ignored) == KT_OK)
		cJSON_AddItemToObject(item, "entry", entry);
	kt_buf_free(&text);
	return item;
}
