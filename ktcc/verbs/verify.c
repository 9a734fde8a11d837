/* ktcc verify: one configuration on every problem and check, or a failing check once more;
 * several timed side by side. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "verbs/session.h"
#include "verbs/verbs.h"

enum { SHOWN_BINS = 6, SHOWN_VALUES = 16 };

struct options {
	const char *configurations[KT_PLAN_COMPARED], *check, *instance, *database;
	size_t count; /* of configurations */
	bool json, time;
};

/* A value that is not declared would show a wrong kernel that no tuning tries. */
static kt_status check_value(const struct kt_parameter *parameter, int64_t value, struct kt_error *err)
{
	struct kt_buf list = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_status status;

	for (size_t i = 0; i < parameter->value_count; i++)
		if (parameter->values[i] == value)
			return KT_OK;
	for (size_t i = 0; i < parameter->value_count && i < SHOWN_VALUES; i++)
		kt_buf_addf(&list, "%s%lld", i != 0 ? ", " : "", (long long)parameter->values[i]);
	status = kt_fail(err, KT_ERR_INVALID, "%s has no value %lld (there are: %s%s)", parameter->name, (long long)value,
	                 kt_buf_text(&list), parameter->value_count > SHOWN_VALUES ? ", …" : "");
	kt_buf_free(&list);
	return status;
}

/* "BLOCK=256 VEC=8" over the original's values. */
static kt_status read_configuration(int64_t *values, struct kt_arena *arena, const struct kt_template *t,
                                    const char *text, struct kt_error *err)
{
	char *words = kt_arena_strdup(arena, text), *rest = NULL;

	NEED(words, kt_no_memory(err));
	for (char *word = strtok_r(words, " \t,", &rest); word != NULL; word = strtok_r(NULL, " \t,", &rest)) {
		char *equals = strchr(word, '='), *end = NULL;
		size_t p = 0;
		int64_t value;

		if (equals != NULL)
			*equals = '\0';
		while (p < t->parameter_count && strcmp(t->parameters[p].name, word) != 0)
			p++;
		if (equals == NULL || p == t->parameter_count)
			return kt_fail(err, KT_ERR_INVALID, "configuration '%s': '%s' is no parameter with a value", text, word);
		value = strtoll(equals + 1, &end, 0);
		if (end == equals + 1 || *end != '\0')
			return kt_fail(err, KT_ERR_INVALID, "configuration '%s': %s has the value '%s'", text, word, equals + 1);
		if (value != values[p] && check_value(&t->parameters[p], value, err) != KT_OK)
			return err->code;
		values[p] = value;
	}
	return KT_OK;
}

static kt_status choose_configuration(int64_t *values, struct kt_session *session, const struct kt_case *each,
                                      const char *text, struct kt_error *err)
{
	const struct kt_template *t = each->template_;

	for (size_t p = 0; p < t->parameter_count; p++) {
		kt_status status = kt_template_original(&values[p], t, &each->region->instances[each->instance], p, err);

		/* What the source has no value of starts with the first. */
		if (status == KT_ERR_MISSING)
			values[p] = t->parameters[p].values[0];
		else if (status != KT_OK)
			return status;
	}
	if (text != NULL)
		return read_configuration(values, session->arena, t, text, err);
	if (each->found_count == 0 || each->found[0].entry.baseline_best)
		return kt_fail(err, KT_ERR_MISSING, "%s has no entry with a configuration: give one with --configuration",
		               each->region->name);
	memcpy(values, each->found[0].entry.configuration, t->parameter_count * sizeof *values);
	return KT_OK;
}

static void print_ulp(const struct kt_ulp *ulp)
{
	printf("      %s: ", ulp->buffer);
	for (size_t b = 0; b < ulp->bins && b < SHOWN_BINS; b++)
		printf("%s%lld%s", b != 0 ? ", " : "", (long long)ulp->counts[b],
		       b == 0 ? " equal" : b == 1 ? " by 1 ulp" : "");
	if (ulp->bins > SHOWN_BINS)
		printf(", …");
	if (ulp->largest > 0)
		printf("; at most %.3g off, at %lld", ulp->largest, (long long)ulp->index);
	putchar('\n');
}

static bool has_difference(const struct kt_ulp *ulp)
{
	return ulp->bins > 1 || ulp->largest > 0;
}

static void print_outcome(const char *instance, const char *configuration, const struct kt_outcome *outcome)
{
	printf("%s: %s: %s\n", instance, configuration, kt_verdict_name(outcome->verdict));
	if (outcome->row_count == 0 && outcome->failed != NULL)
		printf("  %s\n", outcome->failed);
	for (size_t r = 0; r < outcome->row_count; r++) {
		const struct kt_row *row = &outcome->rows[r];

		printf("  %-14s %s%s%s\n", kt_verdict_name(row->verdict), row->problem, row->detail != NULL ? ": " : "",
		       row->detail != NULL ? row->detail : "");
		for (size_t u = 0; u < row->ulp_count; u++)
			if (has_difference(&row->ulp[u]))
				print_ulp(&row->ulp[u]);
	}
}

#define ROW(kind, member) KT_MEMBER(kind, struct kt_row, member)
static const struct kt_member row_rows[] = {
    {ROW(TEXT, problem)},
    {ROW(BOOL, check)},
    {ROW(WORD, verdict), KT_MEMBER_WORDS(kt_verdict_names)},
    {ROW(TEXT, detail), .flags = KT_MEMBER_SPARSE},
    {ROW(LIST, ulp), KT_MEMBER_ITEMS(struct kt_row, ulp_count, kt_ulp_members)},
};
static const struct kt_members row_members = {KT_MEMBERS_OF(struct kt_row, row_rows)};

static void add_outcome(cJSON *list, const char *instance, const char *configuration, const struct kt_outcome *outcome)
{
	cJSON *item = kt_json_append(list);

	cJSON_AddStringToObject(item, "instance", instance);
	cJSON_AddStringToObject(item, "configuration", configuration);
	cJSON_AddStringToObject(item, "verdict", kt_verdict_name(outcome->verdict));
	kt_json_add_text(item, "failed", outcome->failed);
	kt_print_list(item, "rows", outcome->rows, outcome->row_count, &row_members, NULL);
}

/* One line per problem: the original, then each configuration, in microseconds. */
static void print_times(const struct kt_case *each, const struct options *options, const struct kt_timing *timings)
{
	const struct kt_region *region = each->region;

	printf("%s: us of the original", region->instances[each->instance].name);
	for (size_t c = 0; c < options->count; c++)
		printf("%s %s", c == 0 ? ", then of" : ";", options->configurations[c]);
	putchar('\n');
	for (size_t p = 0; p < (region->variable_count != 0 ? region->problem_count : 1); p++) {
		printf(" ");
		for (size_t v = 0; v < region->variable_count; v++)
			printf(" %s=%lld", region->variables[v], (long long)region->problems[p * region->variable_count + v]);
		for (size_t row = 0; row <= options->count; row++) {
			const struct kt_timing *one =
			    &timings[row * (region->variable_count != 0 ? region->problem_count : 1) + p];

			if (one->samples > 0)
				printf(" %9.3f", one->median_ns / 1e3);
			else
				printf(" %9s", "-");
		}
		putchar('\n');
	}
}

static void add_times(cJSON *list, const struct kt_case *each, const struct options *options,
		      const struct kt_timing *timings)
{
	const struct kt_region *region = each->region;
	const size_t problems = region->variable_count != 0 ? region->problem_count : 1;
	cJSON *item = kt_json_append(list), *rows;

	cJSON_AddStringToObject(item, "instance", region->instances[each->instance].name);
	rows = cJSON_AddArrayToObject(item, "times");
	for (size_t row = 0; row <= options->count; row++)
		for (size_t p = 0; p < problems; p++) {
			const struct kt_timing *timing = &timings[row * problems + p];
			cJSON *one = kt_json_append(rows);

			cJSON_AddStringToObject(one, "configuration",
						row == 0 ? "original" : options->configurations[row - 1]);
			kt_json_add_values(cJSON_AddObjectToObject(one, "problem"), region->variables,
			                   &region->problems[p * region->variable_count], region->variable_count);
			if (timing->samples > 0) {
				cJSON_AddNumberToObject(one, "median_ns", timing->median_ns);
				cJSON_AddNumberToObject(one, "deviation_ns", timing->deviation_ns);
				kt_json_add_int(one, "samples", timing->samples);
			}
		}
}

static kt_status time_case(cJSON *list, struct kt_session *session, struct kt_case *each, const struct options *options,
                           struct kt_error *err)
{
	const size_t problems = each->region->variable_count != 0 ? each->region->problem_count : 1;
	const int64_t *configurations[KT_PLAN_COMPARED];
	int64_t values[KT_PLAN_COMPARED][KT_PARAMETERS];
	struct kt_timing *timings = kt_arena_array(session->arena, (options->count + 1) * problems, sizeof *timings);
	kt_status status = timings != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "timings: out of memory");

	for (size_t c = 0; c < options->count && status == KT_OK; c++) {
		status = choose_configuration(values[c], session, each, options->configurations[c], err);
		configurations[c] = values[c];
	}
	THEN(status, kt_work_compare(timings, session->work, each, configurations, options->count, err));
	if (status == KT_OK && options->json)
		add_times(list, each, options, timings);
	else if (status == KT_OK)
		print_times(each, options, timings);
	return status;
}

static kt_status verify_case(cJSON *list, bool *right, struct kt_session *session, struct kt_case *each,
                             const struct options *options, struct kt_error *err)
{
	const char *instance = each->region->instances[each->instance].name;
	int64_t values[KT_PARAMETERS];
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_outcome outcome;
	kt_status status;

	kt_work_choose_template(session->work, each);
	if (each->waits)
		return kt_fail(err, KT_ERR_MISSING, "%s: %s", instance,
		               kt_reason_line_for(session->arena, each->reason, each->detail, each->region->file));
	if (options->time)
		return time_case(list, session, each, options, err);
	status =
	    choose_configuration(values, session, each, options->count != 0 ? options->configurations[0] : NULL, err);
	THEN(status, kt_work_verify(&outcome, session->work, each, values, options->check, err));
	if (status == KT_OK) {
		kt_configuration_print(&text, each->template_->parameters, each->template_->parameter_count, values);
		*right = *right && outcome.verdict == KT_VERDICT_OK;
		if (options->json)
			add_outcome(list, instance, kt_buf_text(&text), &outcome);
		else
			print_outcome(instance, kt_buf_text(&text), &outcome);
	}
	kt_buf_free(&text);
	return status;
}

static kt_status verify_file(cJSON *list, bool *right, struct kt_session *session,
			     const struct kt_compile_command *given, const struct options *options,
			     struct kt_error *err)
{
	struct kt_compile_command command = *given;
	struct kt_case *cases;
	size_t count, seen = 0;

	if (options->database != NULL)
		TRY(kt_compile_command_from_database(&command, session->arena, options->database, given->file, 0, err));
	TRY(kt_session_unit(session, &command, err));
	TRY(kt_work_lookup(session->work, err));
	count = kt_work_cases(&cases, session->work);
	for (size_t i = 0; i < count; i++) {
		if (cases[i].template_ == NULL ||
		    (options->instance != NULL &&
		     strcmp(cases[i].region->instances[cases[i].instance].name, options->instance) != 0))
			continue;
		seen++;
		TRY(verify_case(list, right, session, &cases[i], options, err));
	}
	return seen == 0 ? kt_fail(err, KT_ERR_MISSING, "%s: no region instance to verify", given->file) : KT_OK;
}

int kt_verb_verify(const struct kt_given *given)
{
	struct options options = {.check = kt_given_text(given, KT_OPTION_verify_check),
	                    .instance = kt_given_text(given, KT_OPTION_verify_instance),
	                    .database = kt_given_text(given, KT_OPTION_verify_database),
	                    .json = given->json,
	                    .time = kt_given_has(given, KT_OPTION_verify_time)};
	struct kt_session session;
	struct kt_compile_command command;
	struct kt_error err;
	cJSON *list;
	bool right = true;
	int code = 0;

	options.count = kt_given_texts(options.configurations, KT_PLAN_COMPARED, given, KT_OPTION_verify_configuration);
	if (options.time && options.count == 0)
		return kt_given_wrong(given, "--time without --configuration");
	if (options.count > (options.time ? KT_PLAN_COMPARED : 1))
		return kt_given_wrong(given, "--configuration more than %d times", options.time ? KT_PLAN_COMPARED : 1);
	kt_compile_command_of(&command, given);
	list = cJSON_CreateArray();
	if (kt_session_open(&session, &err) != KT_OK) {
		code = kt_verb_failed(&err);
		goto done;
	}
	command.file = kt_path_absolute(session.arena, command.file, NULL);
	if (verify_file(list, &right, &session, &command, &options, &err) != KT_OK)
		code = kt_verb_failed(&err);
	else if (!right)
		code = KT_EXIT_FAILED;
	if (options.json)
		kt_verb_print_json(list);
done:
	cJSON_Delete(list);
	kt_session_close(&session);
	return code;
}
