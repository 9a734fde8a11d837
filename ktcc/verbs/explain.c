/* ktcc explain: which entry, how close, which variant for which problem, why this and not that. */
#include <stdio.h>
#include <string.h>

#include "base/decline.h"
#include "planning/tuning_report.h"
#include "planning/objective.h"
#include "verbs/explain.h"
#include "verbs/session.h"
#include "verbs/verbs.h"

/* Which variant serves a problem: "original", "general", or the rule of a special one. */
static void add_variant(cJSON *row, const struct kt_entry *entry, size_t problem)
{
	int64_t variant = kt_entry_serves(entry, problem);

	cJSON_AddStringToObject(row, "variant", variant != 0           ? entry->specials[variant - 1].when
	                                        : entry->baseline_best ? "original"
	                                                               : "general");
}

/* Under which condition a variant is tried; nothing where there is none. */
static void add_when(cJSON *item, const char *name, const struct kt_entry *entry, int64_t variant)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_entry_when_text(&text, entry, variant);
	if (text.size != 0)
		cJSON_AddStringToObject(item, name, kt_buf_text(&text));
	kt_buf_free(&text);
}

static void add_configuration(cJSON *item, const struct kt_entry *entry, const int64_t *values)
{
	kt_json_add_values(cJSON_AddObjectToObject(item, "configuration"), entry->parameters, values, entry->parameter_count);
}

static void add_specials(cJSON *item, const struct kt_entry *entry)
{
	cJSON *list = cJSON_AddArrayToObject(item, "specialised");

	for (size_t k = 0; k < entry->special_count; k++) {
		cJSON *special = kt_json_append(list);

		add_when(special, "when", entry, (int64_t)k + 1);
		add_configuration(special, entry, entry->specials[k].configuration);
	}
}

/* What a generator did to the kernel of an entry. */
static void add_generator(cJSON *item, const struct kt_template *template_)
{
	cJSON *list;

	cJSON_AddStringToObject(item, "generator", template_->generator);
	cJSON_AddStringToObject(item, "rationale", template_->rationale);
	list = cJSON_AddArrayToObject(item, "strategies");
	for (size_t i = 0; i < template_->strategy_count; i++) {
		cJSON *strategy = kt_json_append(list);

		cJSON_AddStringToObject(strategy, "name", template_->strategies[i].name);
		cJSON_AddStringToObject(strategy, "reason", template_->strategies[i].reason);
	}
}

/* What nothing else that was compared is both faster and thriftier than. */
static void add_energy(cJSON *item, const struct kt_entry *entry)
{
	cJSON *energy = cJSON_AddObjectToObject(item, "energy"), *points;

	cJSON_AddStringToObject(energy, "objective", entry->objective);
	kt_json_add_int(energy, "error_permille", entry->energy_error);
	points = cJSON_AddArrayToObject(energy, "points");
	for (size_t i = 0; i < entry->point_count; i++) {
		const struct kt_energy_point *point = &entry->points[i];
		cJSON *row = kt_json_append(points);

		if (point->configuration != NULL)
			add_configuration(row, entry, point->configuration);
		cJSON_AddNumberToObject(row, "time_ns", point->time_ns);
		cJSON_AddNumberToObject(row, "energy_uj", point->energy_uj);
	}
}

static cJSON *entry_json(const struct kt_found *found)
{
	const struct kt_entry *entry = &found->entry;
	cJSON *item = cJSON_CreateObject(), *problems;

	cJSON_AddStringToObject(item, "device", entry->device.name);
	cJSON_AddStringToObject(item, "closeness", kt_closeness_name(found->closeness));
	cJSON_AddStringToObject(item, "source", found->source);
	kt_json_add_text(item, "path", found->path);
	cJSON_AddBoolToObject(item, "baseline_best", entry->baseline_best);
	kt_json_add_text(item, "rebuilt", found->rebuilt);
	add_configuration(item, entry, entry->configuration);
	if (!entry->baseline_best)
		add_when(item, "general_when", entry, 0);
	add_specials(item, entry);
	if (entry->template_ != NULL)
		add_generator(item, entry->template_);
	cJSON_AddNumberToObject(item, "speedup", kt_geomean_speedup(entry->baseline, entry->tuned, entry->problem_count));
	if (entry->unlisted_count != 0)
		kt_explain_unlisted(item, entry);
	if (entry->objective != NULL)
		add_energy(item, entry);
	problems = cJSON_AddArrayToObject(item, "problems");
	for (size_t p = 0; p < entry->problem_count; p++) {
		cJSON *row = kt_json_append(problems);

		kt_json_add_values(row, entry->variables, &entry->problems[p * entry->variable_count], entry->variable_count);
		add_variant(row, entry, p);
		cJSON_AddNumberToObject(row, "baseline_ns", entry->baseline[p].median_ns);
		cJSON_AddNumberToObject(row, "tuned_ns", entry->tuned[p].median_ns);
		if (entry->objective != NULL && entry->baseline_uj[p] > 0) {
			cJSON_AddNumberToObject(row, "baseline_uj", entry->baseline_uj[p]);
			cJSON_AddNumberToObject(row, "tuned_uj", entry->tuned_uj[p]);
		}
		if (kt_entry_of_copy(entry, p) > 0) {
			cJSON_AddNumberToObject(row, "floor_ns", entry->copy_ns[p]);
			cJSON_AddNumberToObject(row, "of_floor", kt_entry_of_copy(entry, p));
		}
	}
	return item;
}

static bool add_decision(int64_t unix_time, const char *event, const char *detail, void *context)
{
	/* `ktcc plan` has the details of a round. */
	if (strcmp(event, KT_TUNING_REPORT_RECORD) == 0)
		return true;
	cJSON *item = cJSON_CreateObject();

	kt_json_add_int(item, "time", unix_time);
	cJSON_AddStringToObject(item, "event", event);
	cJSON_AddStringToObject(item, "detail", detail);
	return cJSON_AddItemToArray(context, item);
}

/* What is known of the keys: a look-up that needs no compiler makes no region key. */
static cJSON *keys_json(struct kt_work *work, const struct kt_case *each)
{
	const char *assembler = kt_work_assembler(work);
	const struct {
		const char *name, *value;
	} keys[] = {
	    {"symbol", each->symbol}, {"closure", each->closure}, {"near", each->near_key}, {"region", each->region_key},
	    {"ptx", each->ptx_key}, {"assembler", assembler[0] != '\0' ? assembler : NULL},
	};
	cJSON *object = cJSON_CreateObject();

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].value != NULL)
			cJSON_AddStringToObject(object, keys[i].name, keys[i].value);
	return object;
}

/* `at`: NULL where it is not asked for. NULL with err: it is not understood. */
static cJSON *case_json(struct kt_work *work, const struct kt_case *each, struct kt_at_sizes *at, struct kt_error *err)
{
	const struct kt_region *region = each->region;
	cJSON *item = cJSON_CreateObject(), *entries, *launches;

	cJSON_AddStringToObject(item, "region", region->name);
	cJSON_AddStringToObject(item, "file", region->file);
	cJSON_AddNumberToObject(item, "line", region->line);
	if (region->instance_count != 0)
		cJSON_AddStringToObject(item, "instance", region->instances[each->instance].name);
	kt_json_add_text(item, "region_key", each->region_key);
	cJSON_AddItemToObject(item, "keys", keys_json(work, each));
	kt_json_add_text(item, "lock_folder", each->lock_folder);
	if (each->reason != KT_REASON_NONE) {
		cJSON_AddStringToObject(item, "reason", kt_reason_name(each->reason));
		cJSON_AddStringToObject(item, "text", kt_reason_text(each->reason));
		cJSON_AddStringToObject(item, "message",
		                        kt_reason_line_for(kt_work_arena(work), each->reason, each->detail, each->region->file));
	}
	kt_json_add_text(item, "detail", each->detail);
	cJSON_AddStringToObject(item, "closeness",
	                        kt_closeness_name(each->found_count != 0 ? each->found[0].closeness : KT_CLOSE_NONE));
	entries = cJSON_AddArrayToObject(item, "entries");
	for (size_t i = 0; i < each->found_count; i++) {
		cJSON *entry = entry_json(&each->found[i]);

		cJSON_AddItemToArray(entries, entry);
		if (at != NULL && kt_explain_at(entry, kt_work_arena(work), each, &each->found[i].entry, at, err) != KT_OK) {
			cJSON_Delete(item);
			return NULL;
		}
	}
	kt_work_each_decision(work, each, add_decision, cJSON_AddArrayToObject(item, "ledger"));
	launches = cJSON_AddArrayToObject(item, "launches");
	for (size_t i = 0; i < region->launch_count; i++) {
		cJSON *launch = kt_json_append(launches);

		if (region->launches[i].file[0] != '\0')
			cJSON_AddStringToObject(launch, "file", region->launches[i].file);
		cJSON_AddNumberToObject(launch, "line", region->launches[i].line);
		if (region->launches[i].decline != NULL)
			cJSON_AddStringToObject(launch, "reason", region->launches[i].decline);
		else if (each->reason != KT_REASON_NONE && !kt_region_reaches(region, &region->launches[i]))
			cJSON_AddStringToObject(launch, "reason", kt_reason_name(each->reason));
	}
	return item;
}

static void print_energy(const cJSON *energy)
{
	const cJSON *point, *value;

	printf("    chosen by %s, energies good to %.1f%%\n", kt_json_text(energy, "objective"),
	       0.1 * kt_json_number(energy, "error_permille"));
	cJSON_ArrayForEach(point, cJSON_GetObjectItem(energy, "points")) {
		const cJSON *configuration = cJSON_GetObjectItem(point, "configuration");

		printf("     ");
		cJSON_ArrayForEach(value, configuration)
			printf(" %s=%.0f", value->string, value->valuedouble);
		printf("%s: %.2f us, %.1f uJ\n", configuration == NULL ? " the original" : " ",
		       kt_json_number(point, "time_ns") / 1e3, kt_json_number(point, "energy_uj"));
	}
}

static void print_entry(const cJSON *entry)
{
	const cJSON *value, *row;

	printf("  %s entry for %s (%s%s%s)%s\n", kt_json_text(entry, "closeness"), kt_json_text(entry, "device"),
	       kt_json_text(entry, "source"),
	       cJSON_HasObjectItem(entry, "path") ? ": " : "", kt_json_text(entry, "path"),
	       cJSON_IsTrue(cJSON_GetObjectItem(entry, "baseline_best")) &&
	               cJSON_GetArraySize(cJSON_GetObjectItem(entry, "specialised")) == 0
	           ? ", by which nothing beats the original" : "");
	if (cJSON_HasObjectItem(entry, "rebuilt"))
		puts("    rebuilt by newer rules or from other source text, timing is of the older text; ktcc tune --refresh measures again");
	printf("    %.2fx with", kt_json_number(entry, "speedup"));
	if (cJSON_IsTrue(cJSON_GetObjectItem(entry, "baseline_best")))
		printf(" the original kernel%s",
		       cJSON_GetArraySize(cJSON_GetObjectItem(entry, "specialised")) == 0 ? "" : ", but");
	else
		cJSON_ArrayForEach(value, cJSON_GetObjectItem(entry, "configuration"))
			printf(" %s=%.0f", value->string, value->valuedouble);
	putchar('\n');
	if (cJSON_HasObjectItem(entry, "general_when"))
		printf("    where %s\n", kt_json_text(entry, "general_when"));
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(entry, "specialised")) {
		printf("    where %s:", kt_json_text(row, "when"));
		cJSON_ArrayForEach(value, cJSON_GetObjectItem(row, "configuration"))
			printf(" %s=%.0f", value->string, value->valuedouble);
		putchar('\n');
	}
	if (cJSON_HasObjectItem(entry, "energy"))
		print_energy(cJSON_GetObjectItem(entry, "energy"));
	if (cJSON_HasObjectItem(entry, "generator"))
		printf("    by %s: %s\n", kt_json_text(entry, "generator"), kt_json_text(entry, "rationale"));
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(entry, "strategies"))
		printf("      %s: %s\n", kt_json_text(row, "name"), kt_json_text(row, "reason"));
	puts("    " KT_COMPARED_TIMES);
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(entry, "problems")) {
		printf("   ");
		cJSON_ArrayForEach(value, row)
			if (cJSON_IsNumber(value) && strstr(value->string, "_ns") == NULL &&
			    strstr(value->string, "_uj") == NULL && strcmp(value->string, "of_floor") != 0)
				printf(" %s=%.0f", value->string, value->valuedouble);
		printf(": %s, %.2f us instead of %.2f us", kt_json_text(row, "variant"),
		       kt_json_number(row, "tuned_ns") / 1e3, kt_json_number(row, "baseline_ns") / 1e3);
		if (cJSON_HasObjectItem(row, "tuned_uj"))
			printf(", %.1f uJ instead of %.1f uJ", kt_json_number(row, "tuned_uj"),
			       kt_json_number(row, "baseline_uj"));
		if (cJSON_HasObjectItem(row, "of_floor")) {
			struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

			kt_copy_print(&text, kt_json_number(row, "of_floor"));
			printf(", %s", kt_buf_text(&text));
			kt_buf_free(&text);
		}
		putchar('\n');
	}
	kt_explain_print_unlisted(cJSON_GetObjectItem(entry, "unlisted"));
	if (cJSON_HasObjectItem(entry, "at"))
		kt_explain_print_at(cJSON_GetObjectItem(entry, "at"));
	if (cJSON_HasObjectItem(entry, "at_missing"))
		printf("    --at has no value for %s\n", kt_json_text(entry, "at_missing"));
}

/* The file is named where it is not the region's. */
static void print_launch(const cJSON *launch, const char *region_file)
{
	const char *file = kt_json_text(launch, "file"), *reason = kt_json_text(launch, "reason");
	const bool elsewhere = file[0] != '\0' && strcmp(file, region_file) != 0;

	printf("  launch at %s%s%.0f: %s\n", elsewhere ? file : "line", elsewhere ? ":" : " ",
	       kt_json_number(launch, "line"),
	       reason[0] != '\0' ? kt_reason_text(kt_reason_from_name(reason)) : "dispatched");
}

static bool is_elsewhere(const cJSON *item)
{
	return kt_reason_from_name(kt_json_text(item, "reason")) == KT_REASON_ELSEWHERE;
}

static void print_case(const cJSON *item)
{
	const cJSON *instance = cJSON_GetObjectItem(item, "instance");
	const cJSON *message = cJSON_GetObjectItem(item, "message");
	const cJSON *key = cJSON_GetObjectItem(item, "region_key"), *row;

	printf("%s:%.0f: %s\n", kt_json_text(item, "file"), kt_json_number(item, "line"),
	       cJSON_GetStringValue(instance != NULL ? instance : cJSON_GetObjectItem(item, "region")));
	if (key != NULL)
		printf("  region key %.16s…\n", cJSON_GetStringValue(key));
	if (message != NULL)
		printf("  %s%s\n", is_elsewhere(item) ? "" : "is left unmodified: ", cJSON_GetStringValue(message));
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(item, "entries"))
		print_entry(row);
	if (cJSON_GetArraySize(cJSON_GetObjectItem(item, "ledger")) != 0)
		puts("  when it was tuned:");
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(item, "ledger"))
		printf("    %s: %s\n", kt_json_text(row, "event"), kt_json_text(row, "detail"));
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(item, "launches"))
		print_launch(row, kt_json_text(item, "file"));
}

/* What generators know: the rules, and the one by the IR of what the rules have no template of. */
struct known {
	const struct kt_unit *unit;
	const struct kt_rules *rules, *ir; /* ir NULL: the rules have templates of all */
};

/* Is this generator's answer about the region's instances to be shown? instance −1: of any of them. */
static bool is_shown(const struct known *k, const struct kt_rules *list, size_t region, int64_t instance)
{
	const size_t count = k->unit->regions[region].instance_count;

	if (list == k->rules)
		return true;
	for (size_t i = 0; i < count; i++)
		if ((instance < 0 || (size_t)instance == i) && kt_rules_template(k->rules, region, i) == NULL)
			return true;
	return false;
}

static void add_templates(cJSON *list, const struct known *k, const struct kt_rules *rules)
{
	for (size_t i = 0; i < rules->template_count; i++) {
		const struct kt_rules_template *one = &rules->templates[i];
		const struct kt_region *region = &k->unit->regions[one->region];
		cJSON *item, *names, *parameters;

		if (!is_shown(k, rules, one->region, (int64_t)one->instance))
			continue;
		item = kt_json_append(list);
		cJSON_AddStringToObject(item, "region", region->instances[one->instance].name);
		cJSON_AddStringToObject(item, "file", region->file);
		cJSON_AddNumberToObject(item, "line", region->line);
		cJSON_AddStringToObject(item, "generator", one->template_->generator);
		names = cJSON_AddArrayToObject(item, "strategies");
		for (size_t s = 0; s < one->template_->strategy_count; s++)
			cJSON_AddItemToArray(names, cJSON_CreateString(one->template_->strategies[s].name));
		parameters = cJSON_AddObjectToObject(item, "parameters");
		for (size_t p = 0; p < one->template_->parameter_count; p++) {
			const struct kt_parameter *parameter = &one->template_->parameters[p];
			cJSON *values = cJSON_AddArrayToObject(parameters, parameter->name);

			for (size_t v = 0; v < parameter->value_count; v++)
				cJSON_AddItemToArray(values, cJSON_CreateNumber((double)parameter->values[v]));
		}
		kt_explain_unapplied(item, rules, one, region);
	}
}

static void add_notes(cJSON *list, const struct known *k, const struct kt_rules *rules)
{
	for (size_t i = 0; i < rules->note_count; i++) {
		const struct kt_region *region = &k->unit->regions[rules->notes[i].region];
		cJSON *item;

		if (!is_shown(k, rules, rules->notes[i].region, -1))
			continue;
		item = kt_json_append(list);
		cJSON_AddStringToObject(item, "region", region->name);
		cJSON_AddStringToObject(item, "file", region->file);
		cJSON_AddNumberToObject(item, "line", rules->notes[i].line);
		cJSON_AddStringToObject(item, "text", rules->notes[i].text);
	}
}

static void add_declined(cJSON *list, const struct known *k, const struct kt_rules *rules)
{
	for (size_t i = 0; i < rules->decline_count; i++) {
		const struct kt_rules_decline *one = &rules->declines[i];
		const struct kt_region *region = &k->unit->regions[one->region];
		cJSON *item;

		if (!is_shown(k, rules, one->region, one->instance))
			continue;
		item = kt_json_append(list);
		cJSON_AddStringToObject(item, "region",
		                        one->instance < 0 ? region->name : region->instances[one->instance].name);
		cJSON_AddStringToObject(item, "file", region->file);
		cJSON_AddNumberToObject(item, "line", one->line != 0 ? one->line : region->line);
		cJSON_AddStringToObject(item, "reason", one->reason);
		cJSON_AddStringToObject(item, "detail", one->detail);
		cJSON_AddStringToObject(item, "fix", kt_decline_fix(one->reason, one->detail));
	}
}

/* By region and line, in the order of the report; then why there is nothing. */
static void add_analysis(cJSON *all, const struct known *k)
{
	cJSON *notes = cJSON_AddArrayToObject(all, "analysis"), *declined = cJSON_AddArrayToObject(all, "declined");
	cJSON *templates = cJSON_AddArrayToObject(all, "templates");
	const struct kt_rules *const lists[] = {k->rules, k->ir};

	for (size_t i = 0; i < 2 && lists[i] != NULL; i++) {
		add_templates(templates, k, lists[i]);
		add_notes(notes, k, lists[i]);
		add_declined(declined, k, lists[i]);
	}
}

/* "vectorize, geometry; BLOCK 64 128 256, VEC 1 2 4": what a template applies, and what is chosen by measuring. */
static void print_template(const cJSON *item)
{
	const cJSON *each;

	printf("%s:%.0f: %s:", kt_json_text(item, "file"), kt_json_number(item, "line"),
	       kt_json_text(item, "region"));
	if (strcmp(kt_json_text(item, "generator"), "rules") != 0)
		printf(" by %s:", kt_json_text(item, "generator"));
	cJSON_ArrayForEach(each, cJSON_GetObjectItem(item, "strategies"))
		printf(" %s", cJSON_GetStringValue(each));
	cJSON_ArrayForEach(each, cJSON_GetObjectItem(item, "parameters")) {
		const cJSON *value;

		printf("%s %s =", each == cJSON_GetObjectItem(item, "parameters")->child ? "; to be chosen:" : ",",
		       each->string);
		cJSON_ArrayForEach(value, each)
			printf(" %.0f", cJSON_GetNumberValue(value));
	}
	puts("");
}

static void print_analysis(const cJSON *all)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, cJSON_GetObjectItem(all, "templates"))
		print_template(item);
	cJSON_ArrayForEach(item, cJSON_GetObjectItem(all, "templates"))
		kt_explain_print_unapplied(item);
	cJSON_ArrayForEach(item, cJSON_GetObjectItem(all, "analysis"))
		printf("%s:%.0f: %s\n", kt_json_text(item, "file"), kt_json_number(item, "line"),
		       kt_json_text(item, "text"));
	cJSON_ArrayForEach(item, cJSON_GetObjectItem(all, "declined")) {
		const char *fix = kt_json_text(item, "fix");

		printf("%s:%.0f: %s: %s: %s%s%s\n", kt_json_text(item, "file"), kt_json_number(item, "line"),
		       kt_json_text(item, "region"), kt_json_text(item, "reason"),
		       kt_json_text(item, "detail"), fix[0] != '\0' ? "; " : "", fix);
	}
}

/* A file that is read without its build's flags may lack headers and macros. */
static void hint_flags(const cJSON *list)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list) {
		if (strcmp(kt_json_text(item, "reason"), kt_reason_name(KT_REASON_SCAN_FAILED)) == 0) {
			puts("hint: give the flags with which the build compiles the file after \"--\", or --compile-commands DIR");
			return;
		}
	}
}

static kt_status print(struct kt_work *work, bool json, const struct known *known, bool bare, const char *at,
                       struct kt_error *err)
{
	struct kt_case *cases;
	size_t count = kt_work_cases(&cases, work);
	struct kt_at_sizes sizes = {.text = at};
	cJSON *all = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(all, "regions");
	const cJSON *item;

	for (size_t i = 0; i < count; i++) {
		cJSON *one = case_json(work, &cases[i], at != NULL ? &sizes : NULL, err);

		if (one == NULL) {
			cJSON_Delete(all);
			return err->code;
		}
		cJSON_AddItemToArray(list, one);
	}
	if (at != NULL && kt_at_understood(&sizes, err) != KT_OK) {
		cJSON_Delete(all);
		return kt_fail_prefix(err, "--at");
	}
	if (known->rules != NULL)
		add_analysis(all, known);
	if (json) {
		kt_verb_print_json(all);
	} else {
		cJSON_ArrayForEach(item, list)
			print_case(item);
		if (count == 0)
			puts("no region");
		print_analysis(all);
		if (bare)
			hint_flags(list);
	}
	cJSON_Delete(all);
	return KT_OK;
}

static kt_status analyse(struct known *out, struct kt_work *work, struct kt_error *err)
{
	kt_status status = kt_work_analyse(&out->rules, work, err);

	out->unit = kt_work_unit(work);
	return status == KT_OK && kt_target_of(out->unit->language)->has_host_code && out->rules->decline_count > 0
	           ? kt_work_analyse_ir(&out->ir, work, err)
	           : status;
}

int kt_verb_explain(const struct kt_given *given)
{
	const char *database = kt_given_text(given, KT_OPTION_explain_database);
	struct kt_session session;
	struct kt_compile_command command;
	struct kt_error err;
	struct known known = {0};
	int code = 0;

	kt_compile_command_of(&command, given);
	if (kt_session_open(&session, &err) != KT_OK ||
	    (database != NULL &&
	     kt_compile_command_from_database(&command, session.arena, database, command.file, 0, &err) != KT_OK) ||
	    kt_session_unit(&session, &command, &err) != KT_OK || kt_work_lookup(session.work, &err) != KT_OK ||
	    (kt_given_has(given, KT_OPTION_explain_analysis) && analyse(&known, session.work, &err) != KT_OK) ||
	    print(session.work, given->json, &known, database == NULL && command.flag_count == 0,
		  kt_given_text(given, KT_OPTION_explain_at), &err) != KT_OK)
		code = kt_verb_failed(&err);
	kt_session_close(&session);
	return code;
}
