/* ktcc space: how large each region's space is and what the device leaves of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/log.h"
#include "planning/derived.h"
#include "tuning/t1.h"
#include "tuning/t1_export.h"
#include "verbs/session.h"
#include "verbs/verbs.h"

struct request {
	const char *device, *t1_out;
	size_t compile; /* configurations to compile; 0: none */
	bool json;
	cJSON *list;
	const struct kt_buf *source; /* the unit's text */
	bool empty; /* something that was counted has no configuration */
};

/* Where a restriction was written. */
struct place {
	const char *file, *text;
	unsigned line, column;
};

static cJSON *add_counts(cJSON *list, const struct kt_space *space, const char *region, const char *instance)
{
	const struct kt_pruned *pruned;
	const size_t count = kt_space_pruned(&pruned, space);
	cJSON *item = kt_json_append(list), *reasons;

	cJSON_AddStringToObject(item, "region", region);
	cJSON_AddStringToObject(item, "instance", instance);
	cJSON_AddNumberToObject(item, "cartesian", kt_space_cartesian(space));
	cJSON_AddNumberToObject(item, "legal", (double)kt_space_legal(space));
	cJSON_AddNumberToObject(item, "feasible", (double)kt_space_feasible(space));
	reasons = cJSON_AddObjectToObject(item, "pruned");
	for (size_t i = 0; i < count; i++)
		cJSON_AddNumberToObject(reasons, pruned[i].reason, (double)pruned[i].count);
	return item;
}

/* The contradiction in compiler style: each restriction with its place. */
static void report_conflict(cJSON *item, const struct place *places, size_t count)
{
	cJSON *conflict = cJSON_AddArrayToObject(item, "conflict");

	for (size_t i = 0; i < count; i++) {
		cJSON *one = kt_json_append(conflict);

		fprintf(stderr, "%s:%u:%u: %s: %s\n  %s\n", places[i].file, places[i].line, places[i].column,
			i == 0 ? "error" : "note",
			i > 0	     ? "together with this one"
			: count == 1 ? "no configuration fulfils this restriction"
				     : "no configuration fulfils these restrictions together",
			places[i].text);
		cJSON_AddStringToObject(one, "restriction", places[i].text);
		cJSON_AddNumberToObject(one, "line", places[i].line);
		cJSON_AddNumberToObject(one, "column", places[i].column);
	}
}

static void report_empty(const struct kt_space *space, const char *name, const struct kt_device *device)
{
	char device_name[32];

	const struct kt_pruned *pruned;
	const size_t count = kt_space_pruned(&pruned, space);

	/* Limits of an architecture belong to no product. */
	snprintf(device_name, sizeof device_name, "sm_%lld", (long long)device->cc);
	fprintf(stderr, "%s: error: none of %zu legal configurations is feasible on %s\n", name, kt_space_legal(space),
		device->name != NULL && device->name[0] != '\0' ? device->name : device_name);
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, "%s: note: %s: %lld: %s\n", name, pruned[i].reason, (long long)pruned[i].count,
			pruned[i].text);
}

/* The restriction in the source: its text within the pragma, else the pragma. */
static struct place find_place(const struct kt_region *region, const char *source, size_t size, const char *text)
{
	struct place place = {region->file, text, region->line, region->column};
	const size_t length = strlen(text), end = region->pragma.end < size ? region->pragma.end : size;
	unsigned line = region->line, column = region->column;

	for (size_t i = region->pragma.begin; i + length <= end; i++) {
		if (memcmp(source + i, text, length) == 0) {
			place.line = line;
			place.column = column;
			break;
		}
		column = source[i] == '\n' ? 1 : column + 1;
		line += source[i] == '\n';
	}
	return place;
}

static kt_status report_case(cJSON *item, const struct kt_space *space, const struct kt_case *each,
			     const struct kt_buf *source, const struct kt_device *device, struct kt_error *err)
{
	const size_t *conflict;
	const size_t count = kt_space_conflict(&conflict, space);
	struct place *places;

	if (count == 0) {
		struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_buf_addf(&name, "%s:%u: %s", each->region->file, each->region->line, kt_case_name(each));
		report_empty(space, kt_buf_text(&name), device);
		kt_buf_free(&name);
		return KT_OK;
	}
	NEED(places = calloc(count, sizeof *places),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu restrictions", count));
	for (size_t i = 0; i < count; i++)
		places[i] = find_place(each->region, kt_buf_text(source), source->size,
				       each->template_->restrictions[conflict[i]].text);
	report_conflict(item, places, count);
	free(places);
	return KT_OK;
}

static kt_status write_t1(const char *path, const struct kt_template *template_, const struct kt_instance *instance,
			  const struct kt_device *device, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_status status = kt_t1_export(&text, template_, instance, device, err);

	THEN(status, kt_fs_write(path, kt_buf_text(&text), text.size, err));
	kt_buf_free(&text);
	return status;
}

/* What came of compiling configurations. */
static void add_compiled(cJSON *item, const struct kt_compiled_space *compiled)
{
	const struct kt_screened *screened = &compiled->screened;
	cJSON *out = cJSON_AddObjectToObject(item, "compile");

	cJSON_AddNumberToObject(out, "compiled", (double)compiled->compiled);
	cJSON_AddNumberToObject(out, "failed", (double)compiled->failed);
	cJSON_AddNumberToObject(out, "modules", (double)compiled->modules);
	cJSON_AddNumberToObject(out, "original_s", compiled->original_s);
	cJSON_AddNumberToObject(out, "seconds", compiled->seconds);
	cJSON_AddNumberToObject(out, "cpu_s", compiled->cpu_s);
	cJSON_AddStringToObject(out, "compiler", screened->nvrtc ? "nvrtc" : "nvcc");
	if (screened->nvrtc)
		cJSON_AddStringToObject(out, "original", screened->equal ? "equal" : "alike");
	if (screened->why != KT_UNSCREENED_NONE)
		cJSON_AddStringToObject(out, "why", kt_unscreened_name(screened->why));
	kt_json_add_text(out, "detail", screened->detail);
	cJSON_AddNumberToObject(out, "by_nvrtc", (double)screened->by_nvrtc);
	cJSON_AddNumberToObject(out, "by_nvcc", (double)screened->by_nvcc);
	cJSON_AddNumberToObject(out, "shared", (double)screened->shared);
	cJSON_AddNumberToObject(out, "refused", (double)screened->refused);
	cJSON_AddNumberToObject(out, "overturned", (double)screened->overturned);
	cJSON_AddNumberToObject(out, "ended", (double)(screened->crashed + screened->hung + screened->starved +
	                                              screened->killed));
	kt_json_add_text(out, "message", compiled->message);
}

static kt_status compile_case(cJSON *item, const struct request *request, struct kt_work *work,
			      const struct kt_case *each, const struct kt_device *device, struct kt_error *err)
{
	struct kt_compiled_space compiled;

	if (kt_work_compile_space(&compiled, work, each, device, request->compile, err) != KT_OK)
		return kt_fail_prefix(err, "%s", each->region->instances[each->instance].name);
	add_compiled(item, &compiled);
	return KT_OK;
}

/* The clauses of the widest configuration that keep it out there. */
static void add_clauses(cJSON *row, const struct kt_derived *derived, size_t shape, const int64_t *configuration)
{
	const struct kt_template *t = derived->subject.template_;
	const struct kt_check check = kt_derived_check(derived, shape);
	const struct kt_check_scope scope = {&derived->subject, configuration, &check};
	cJSON *list = cJSON_AddArrayToObject(row, "kept_out_by");

	for (size_t i = 0; i < t->guard_count; i++)
		if (!kt_check_holds(&t->guards[i], &scope))
			cJSON_AddItemToArray(list, cJSON_CreateString(t->guards[i].text));
	for (size_t i = 0; i < t->restriction_count; i++)
		if (kt_template_at_launch(t, &t->restrictions[i]) && !kt_check_holds(&t->restrictions[i], &scope))
			cJSON_AddItemToArray(list, cJSON_CreateString(t->restrictions[i].text));
}

/* Sizes that no problem lists, and what configurations run on them; only a device can tell which of them are launches. */
static kt_status add_unlisted(cJSON *item, struct kt_work *work, const struct kt_case *each, const struct kt_space *space,
			      const struct kt_device *device, struct kt_error *err)
{
	const struct kt_instance *instance = &each->region->instances[each->instance];
	struct kt_derived derived;
	struct kt_coverage coverage;
	cJSON *object, *sizes;

	if (device == NULL)
		return KT_OK;
	if (kt_derived_make(&derived, kt_work_arena(work), each->template_, instance, device, NULL, err) != KT_OK)
		return kt_fail_prefix(err, "%s", instance->name);
	if (derived.count == 0 || kt_space_feasible(space) == 0)
		return KT_OK;
	kt_derived_coverage(&coverage, &derived, space);
	object = cJSON_AddObjectToObject(item, "unlisted");
	cJSON_AddNumberToObject(object, "asked", (double)coverage.asked);
	cJSON_AddNumberToObject(object, "most", (double)coverage.most);
	cJSON_AddNumberToObject(object, "widest", (double)coverage.widest);
	sizes = cJSON_AddArrayToObject(object, "sizes");
	for (size_t i = 0; i < derived.count; i++) {
		cJSON *row = kt_json_append(sizes);

		kt_json_add_values(cJSON_AddObjectToObject(row, "problem"), each->region->variables, derived.values[i],
		                   each->region->variable_count);
		if ((coverage.covers >> i & 1) == 0)
			add_clauses(row, &derived, i, kt_space_get(space, coverage.index));
	}
	return KT_OK;
}

static kt_status add_case(struct request *request, struct kt_work *work, const struct kt_case *each,
			  const struct kt_device *device, struct kt_error *err)
{
	const struct kt_instance *instance = &each->region->instances[each->instance];
	struct kt_space *space = NULL;
	kt_status status = KT_OK;
	cJSON *item;

	if (kt_space_build(&space, each->template_, instance, device, err) != KT_OK)
		return kt_fail_prefix(err, "%s", instance->name);
	item = add_counts(request->list, space, each->region->name, instance->name);
	cJSON_AddStringToObject(item, "file", each->region->file);
	kt_json_add_int(item, "line", each->region->line);
	if (kt_space_feasible(space) == 0) {
		request->empty = true;
		status = report_case(item, space, each, request->source, device, err);
	}
	THEN(status, add_unlisted(item, work, each, space, device, err));
	if (status == KT_OK && request->compile > 0 && kt_space_feasible(space) > 0)
		status = compile_case(item, request, work, each, device, err);
	kt_space_free(space);
	if (status == KT_OK && request->t1_out != NULL)
		status = write_t1(request->t1_out, each->template_, instance, device, err);
	return status;
}

static void print_compiled(const cJSON *compiled)
{
	const double count = kt_json_number(compiled, "compiled"), seconds = kt_json_number(compiled, "seconds");

	if (compiled == NULL)
		return;
	printf("  compiled by %s%s%s%s%s%s: %.0f in %.2f s, %.1f per second, %.0f with separate code, %.0f failed\n",
	       kt_json_text(compiled, "compiler"), kt_json_text(compiled, "why")[0] != '\0' ? " (" : "",
	       kt_json_text(compiled, "why"), kt_json_text(compiled, "detail")[0] != '\0' ? ": " : "",
	       kt_json_text(compiled, "detail"), kt_json_text(compiled, "why")[0] != '\0' ? ")" : "", count, seconds,
	       seconds > 0 ? count / seconds : 0, kt_json_number(compiled, "modules"),
	       kt_json_number(compiled, "failed"));
}

static void print_unlisted(const cJSON *unlisted)
{
	const cJSON *row, *clause;
	int sizes;

	if (unlisted == NULL)
		return;
	sizes = cJSON_GetArraySize(cJSON_GetObjectItem(unlisted, "sizes"));
	printf("  on %.0f of %d sizes not listed %.0f of %.0f configurations run%s\n", kt_json_number(unlisted, "most"), sizes,
	       kt_json_number(unlisted, "widest"), kt_json_number(unlisted, "asked"),
	       kt_json_number(unlisted, "most") < sizes ? ", on more none does" : "");
	cJSON_ArrayForEach(row, cJSON_GetObjectItem(unlisted, "sizes"))
		cJSON_ArrayForEach(clause, cJSON_GetObjectItem(row, "kept_out_by")) {
			const cJSON *value;

			printf("    not at");
			cJSON_ArrayForEach(value, cJSON_GetObjectItem(row, "problem"))
				printf(" %s=%.0f", value->string, value->valuedouble);
			printf(": %s\n", cJSON_GetStringValue(clause));
		}
}

static void print(const struct request *request)
{
	const cJSON *item, *reason, *list = request->list;

	if (request->json) {
		/* One region is the usual case and is the object itself. */
		kt_verb_print_json(cJSON_GetArraySize(list) == 1 ? list->child : list);
		return;
	}
	cJSON_ArrayForEach(item, list) {
		if (kt_json_text(item, "file")[0] != '\0')
			printf("%s:%.0f: ", kt_json_text(item, "file"), kt_json_number(item, "line"));
		printf("%s: %.0f configuration%s, %.0f legal, %.0f feasible\n", kt_json_text(item, "instance"),
		       kt_json_number(item, "cartesian"), kt_json_number(item, "cartesian") == 1 ? "" : "s",
		       kt_json_number(item, "legal"),
		       kt_json_number(item, "feasible"));
		cJSON_ArrayForEach(reason, cJSON_GetObjectItem(item, "pruned"))
			printf("  %s: %.0f\n", reason->string, cJSON_GetNumberValue(reason));
		print_unlisted(cJSON_GetObjectItem(item, "unlisted"));
		print_compiled(cJSON_GetObjectItem(item, "compile"));
	}
}

/* A device that is not here, though entries are for it. NULL: err names those that could have been meant. */
static const struct kt_device *device_of_entries(struct kt_device *out, struct kt_session *session, const char *wanted,
                                                 const char *here, struct kt_error *err)
{
	struct kt_device identity;
	const char *names;

	if (kt_store_device(&identity, &names, session->arena, session->store, kt_work_lock(session->work)->path, wanted) &&
	    kt_device_with_limits(out, &identity))
		return out;
	kt_fail(err, KT_ERR_MISSING, "--device %s: no device of this machine or of an entry has that name; use sm_XX%s%s%s%s",
	        wanted, here != NULL ? ", " : "", here != NULL ? here : "", names != NULL ? ", or of entries " : "",
	        names != NULL ? names : "");
	return NULL;
}

static kt_status count_regions(struct request *request, struct kt_session *session, struct kt_error *err)
{
	const char *wanted = request->device;
	struct kt_device named;
	const struct kt_device *device = NULL;
	struct kt_case *cases;
	size_t count = kt_work_cases(&cases, session->work);

	kt_work_generate(session->work);
	request->source = kt_work_source(session->work);
	if (wanted != NULL && kt_device_by_architecture(&named, wanted)) {
		/* How many it has is a product's: the least, with which a grid that is derived from it is not empty. */
		named.multiprocessors = 1;
		device = &named;
	} else {
		device = kt_work_device(session->work);
	}
	if (wanted != NULL && (device == NULL || (device != &named && !kt_device_matches(device, wanted)))) {
		const char *here = device != NULL ? device->name : NULL;

		NEED(device = device_of_entries(&named, session, wanted, here, err), err->code);
	}
	for (size_t i = 0; i < count; i++) {
		if (cases[i].template_ == NULL || cases[i].waits) {
			kt_say("%s:%u: %s: %s", cases[i].region->file, cases[i].region->line, kt_case_name(&cases[i]),
			       kt_reason_line_for(session->arena, cases[i].reason, cases[i].detail, cases[i].region->file));
			continue;
		}
		TRY(add_case(request, session->work, &cases[i], device, err));
	}
	return KT_OK;
}

static kt_status count_source(struct request *request, const struct kt_compile_command *command, struct kt_error *err)
{
	struct kt_session session;
	kt_status status = kt_session_open(&session, err);

	THEN(status, kt_session_unit(&session, command, err));
	THEN(status, count_regions(request, &session, err));
	kt_session_close(&session);
	return status;
}

static kt_status count_t1(struct request *request, const char *path, struct kt_error *err)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_space *space = NULL;
	struct place *places = NULL;
	struct kt_t1 *t1 = NULL;
	const size_t *conflict;
	size_t count;
	cJSON *item;
	kt_status status = arena != NULL ? kt_t1_read(&t1, arena, path, err)
					 : kt_fail(err, KT_ERR_MEMORY, "out of memory for %.200s", path);

	THEN(status, kt_t1_space(&space, t1, err));
	if (status != KT_OK)
		goto done;
	item = add_counts(request->list, space, t1->name, t1->name);
	count = kt_space_conflict(&conflict, space);
	request->empty = kt_space_feasible(space) == 0;
	places = kt_arena_array(arena, count + 1, sizeof *places);
	if (places == NULL) {
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu conditions", count);
		goto done;
	}
	for (size_t i = 0; i < count; i++) {
		const struct kt_t1_condition *condition = &t1->conditions[conflict[i]];

		places[i] = (struct place){path, condition->text, condition->line, condition->column};
	}
	if (count > 0)
		report_conflict(item, places, count);
done:
	kt_space_free(space);
	kt_arena_free(arena);
	return status;
}

int kt_verb_space(const struct kt_given *given)
{
	struct request request = {.device = kt_given_text(given, KT_OPTION_space_device),
	                          .t1_out = kt_given_text(given, KT_OPTION_space_t1_out),
	                          .compile = kt_given_number(given, KT_OPTION_space_compile, 0),
	                          .json = given->json};
	const char *t1 = kt_given_text(given, KT_OPTION_space_t1);
	struct kt_compile_command command;
	struct kt_error err;
	kt_status status;
	int code = 0;

	if (given->argument_count != (t1 == NULL))
		return t1 == NULL ? kt_given_wrong(given, "no FILE and no --t1 is given")
		                  : kt_given_wrong(given, "--t1 and '%s' are given", given->arguments[0]);
	if (t1 != NULL && (request.device != NULL || request.t1_out != NULL))
		return kt_given_wrong(given, "--device and --t1-out are of a source, and --t1 is given");
	request.list = cJSON_CreateArray();
	kt_compile_command_of(&command, given);
	status = t1 != NULL ? count_t1(&request, t1, &err) : count_source(&request, &command, &err);
	if (status != KT_OK)
		code = kt_verb_failed(&err);
	else
		print(&request);
	cJSON_Delete(request.list);
	return code != 0 ? code : request.empty ? KT_EXIT_FAILED : 0;
}
