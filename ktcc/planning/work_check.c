/*
 * Whether text that an entry brings is device code and nothing else; no text is taken without this check. What is used
 * is what `ktcc-clang check` prints, whose names are others in each variant.
 */
#include <string.h>

#include "base/log.h"
#include "generation/llm/check.h"
#include "planning/work_internal.h"
#include "tuning/unit.h"

/* The configurations that an entry makes: the general one, then the special ones. */
static const int64_t *configuration_of(const struct kt_entry *entry, size_t index)
{
	return index == 0 ? entry->configuration : entry->specials[index - 1].configuration;
}

static size_t first_of(const struct kt_entry *entry)
{
	return entry->baseline_best ? 1 : 0;
}

/* The text as a model wrote it: parameters are macros, kernels and helpers have names that mean nothing. */
static kt_status write_text(const char **out, char name[KT_UNIT_NAME_BYTES], struct kt_arena *arena,
                            const struct kt_entry *entry, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const struct kt_render render = {.template_ = entry->template_, .name = name};
	kt_status status;

	kt_unit_name(name, 0);
	status = kt_template_render(&text, &render, err);
	THEN(status, kt_buf_check(&text, "a check", err));
	if (status == KT_OK && (*out = kt_arena_strdup(arena, kt_buf_text(&text))) == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for a check");
	kt_buf_free(&text);
	return status;
}

/* The answer of a model that would have become this template, as far as the check reads it. */
static kt_status make_reply(struct kt_reply *out, struct kt_arena *arena, const struct kt_entry *entry,
                            struct kt_error *err)
{
	const struct kt_template *t = entry->template_;
	char name[KT_UNIT_NAME_BYTES];
	TRY(write_text(&out->text, name, arena, entry, err));

	out->parameter_count = t->parameter_count;
	out->parameters = kt_arena_array(arena, t->parameter_count + 1, sizeof *out->parameters);
	out->launch_count = t->further_count + 1;
	out->launches = kt_arena_array(arena, out->launch_count, sizeof *out->launches);
	out->temporary_count = t->temporary_count;
	out->temporaries = kt_arena_array(arena, t->temporary_count + 1, sizeof *out->temporaries);
	if (out->parameters == NULL || out->launches == NULL || out->temporaries == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a check");
	for (size_t i = 0; i < t->parameter_count; i++)
		out->parameters[i] = (struct kt_reply_parameter){.name = t->parameters[i].name, .value_count = 1};
	for (size_t i = 0; i < t->temporary_count; i++)
		out->temporaries[i] = (struct kt_reply_temporary){.name = t->temporaries[i].name,
		                                                  .element = t->temporaries[i].element};
	for (size_t i = 0; i < out->launch_count; i++) {
		struct kt_buf kernel = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_template_kernel_name(&kernel, name, i);
		out->launches[i].kernel = kt_arena_strdup(arena, kt_buf_text(&kernel));
		kt_buf_free(&kernel);
		NEED(out->launches[i].kernel, kt_fail(err, KT_ERR_MEMORY, "out of memory for a check"));
	}
	return KT_OK;
}

static void set_values(struct kt_reply *reply, const int64_t *configuration)
{
	for (size_t i = 0; i < reply->parameter_count; i++)
		reply->parameters[i].values = (int64_t *)&configuration[i];
}

/* The entry's template with the text that was printed. */
static kt_status adopt_printed(struct kt_template *out, struct kt_arena *arena, const struct kt_reply *reply,
                               const struct kt_check_verdict *verdict, struct kt_error *err)
{
	struct kt_template_kernel *further = kt_arena_array(arena, out->further_count + 1, sizeof *further);

	NEED(further, kt_fail(err, KT_ERR_MEMORY, "out of memory for a check"));
	out->helpers = verdict->helpers;
	for (size_t i = 0; i < reply->launch_count; i++) {
		const struct kt_checked_kernel *kernel =
		    KT_FIND(verdict->kernels, verdict->kernel_count, name, reply->launches[i].kernel);

		if (kernel == NULL || verdict->kernel_count != reply->launch_count)
			return kt_fail(err, KT_ERR_INVALID, "its text is refused: other kernels than those that are launched");
		if (i == 0) {
			out->head = kernel->head;
			out->body = kernel->body;
			continue;
		}
		further[i - 1] = out->further[i - 1];
		further[i - 1].head = kernel->head;
		further[i - 1].body = kernel->body;
	}
	out->further = further;
	return KT_OK;
}

static bool is_same_text(const struct kt_template *a, const struct kt_template *b)
{
	bool same = strcmp(a->helpers, b->helpers) == 0 && strcmp(a->head, b->head) == 0 && strcmp(a->body, b->body) == 0;

	for (size_t i = 0; same && i < a->further_count; i++)
		same = strcmp(a->further[i].head, b->further[i].head) == 0 &&
		       strcmp(a->further[i].body, b->further[i].body) == 0;
	return same;
}

/* One verdict, within what is left of the time of all. KT_ERR_LIMIT: nothing is left. */
static kt_status ask(struct kt_check_verdict *out, struct kt_work *work, struct kt_check_request *request,
                     const struct kt_reply *reply, struct kt_error *err)
{
	const double limit_s = work->input.config->check_s;
	kt_status status = KT_OK;

	request->seconds = limit_s - work->checked_s;
	if (request->seconds > 0) {
		const double began_s = kt_now_s();

		status = kt_check_ask(out, work->arena, work->clang, request, reply, err);
		work->checked_s += status == KT_OK ? out->cpu_s : kt_now_s() - began_s;
	}
	if (work->checked_s >= limit_s)
		return kt_fail(err, KT_ERR_LIMIT, "the checks of this command took their %g s of processor time: "
		               "KTUNE_CHECK_SECONDS", limit_s);
	if (status == KT_OK && !out->accepted)
		status = kt_fail(err, KT_ERR_INVALID, "its text is refused: %s%s%.300s (line %lld of the variant)",
		                 out->construct, out->construct[0] != '\0' ? ": " : "", out->message, (long long)out->line);
	return status;
}

/* Asks about each configuration of the entry; what is printed must not depend on it. */
static kt_status check(struct kt_template *printed, struct kt_work *work, const struct kt_case *each,
                       const struct kt_entry *entry, struct kt_error *err)
{
	const struct kt_instance *instance = &each->region->instances[each->instance];
	struct kt_check_request request = {0};
	struct kt_reply reply = {0};
	TRY(kt_check_request_of(&request, work->arena, each->region, instance, kt_buf_text(&work->source),
				work->source.size, err));
	TRY(make_reply(&reply, work->arena, entry, err));
	TRY(kt_check_request_plan(&request, work->arena, each->region, instance, &reply, err));
	for (size_t i = first_of(entry); i <= entry->special_count; i++) {
		struct kt_check_verdict verdict;
		struct kt_template one = *entry->template_;
		set_values(&reply, configuration_of(entry, i));
		TRY(ask(&verdict, work, &request, &reply, err));
		TRY(adopt_printed(&one, work->arena, &reply, &verdict, err));
		if (i > first_of(entry) && !is_same_text(printed, &one))
			return kt_fail(err, KT_ERR_INVALID,
				       "its text is refused: it is another for each configuration");
		*printed = one;
	}
	return KT_OK;
}

/* ---- what was printed once, on this machine, is known by the hash of all that it depends on */

static void hash_text(struct kt_hash *hash, const char *tag, const char *text)
{
	kt_hash_int(hash, tag, (int64_t)strlen(text));
	kt_hash_bytes(hash, text, strlen(text));
}

/* NULL: cannot be told. */
static const char *text_key(struct kt_work *work, const struct kt_case *each, const struct kt_entry *entry)
{
	const struct kt_template *t = entry->template_;
	struct kt_hash hash;
	char text[KT_HASH_TEXT];

	kt_hash_init(&hash);
	kt_hash_field(&hash, "printed", KT_VERSION);
	kt_hash_field(&hash, "closure", each->closure);
	hash_text(&hash, "helpers", t->helpers);
	for (size_t i = 0; i <= t->further_count; i++) {
		const struct kt_template_kernel kernel = kt_template_kernel_at(t, i);

		hash_text(&hash, "head", kernel.head);
		hash_text(&hash, "body", kernel.body);
	}
	for (size_t i = 0; i < t->temporary_count; i++) {
		kt_hash_field(&hash, "temporary", t->temporaries[i].name);
		kt_hash_field(&hash, "element", kt_scalar_name(t->temporaries[i].element));
	}
	for (size_t i = first_of(entry); i <= entry->special_count; i++)
		for (size_t p = 0; p < t->parameter_count; p++)
			kt_hash_int(&hash, t->parameters[p].name, configuration_of(entry, i)[p]);
	kt_hash_final(&hash, text);
	return kt_arena_printf(work->arena, "printed %s", text);
}

static void put_text(cJSON *list, const char *text)
{
	cJSON_AddItemToArray(list, cJSON_CreateString(text));
}

/* Helpers, then head and body of each kernel. */
static void remember(struct kt_work *work, const char *key, const struct kt_template *printed)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	cJSON *list = cJSON_CreateArray();
	struct kt_error err;

	put_text(list, printed->helpers);
	for (size_t i = 0; i <= printed->further_count; i++) {
		put_text(list, kt_template_kernel_at(printed, i).head);
		put_text(list, kt_template_kernel_at(printed, i).body);
	}
	kt_json_print(&text, list);
	if (kt_buf_check(&text, "a verdict", &err) != KT_OK ||
	    kt_store_put_blob(work->input.store, key, kt_buf_text(&text), text.size, &err) != KT_OK)
		kt_log("a verdict was not stored: %s", err.message);
	cJSON_Delete(list);
	kt_buf_free(&text);
}

static bool take_text(const char **out, struct kt_arena *arena, const cJSON *list, size_t index)
{
	const char *text = cJSON_GetStringValue(cJSON_GetArrayItem(list, (int)index));

	*out = text != NULL ? kt_arena_strdup(arena, text) : NULL;
	return *out != NULL;
}

/* False: nothing is known. */
static bool recall(struct kt_template *printed, struct kt_work *work, const char *key)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_template_kernel *further = kt_arena_array(work->arena, printed->further_count + 1, sizeof *further);
	cJSON *list = NULL;
	struct kt_error ignored;
	bool known = further != NULL && kt_store_get_blob(&text, work->input.store, key) &&
	             kt_json_parse(&list, kt_buf_text(&text), text.size, &ignored) == KT_OK &&
	             (size_t)cJSON_GetArraySize(list) == 3 + 2 * printed->further_count &&
	             take_text(&printed->helpers, work->arena, list, 0) &&
	             take_text(&printed->head, work->arena, list, 1) && take_text(&printed->body, work->arena, list, 2);

	for (size_t i = 0; known && i < printed->further_count; i++) {
		further[i] = printed->further[i];
		known = take_text(&further[i].head, work->arena, list, 3 + 2 * i) &&
		        take_text(&further[i].body, work->arena, list, 4 + 2 * i);
	}
	printed->further = further;
	cJSON_Delete(list);
	kt_buf_free(&text);
	return known;
}

enum kt_reason kt_work_take_text(struct kt_work *work, const struct kt_case *each, struct kt_entry *entry,
                                 const char **why)
{
	const char *key = work->input.store != NULL ? text_key(work, each, entry) : NULL;
	struct kt_template *printed = kt_arena_alloc(work->arena, sizeof *printed);
	struct kt_error err;
	kt_status status = printed != NULL ? KT_OK : kt_fail(&err, KT_ERR_MEMORY, "out of memory for a check");

	/* The check knows CUDA C++ alone. */
	if (status == KT_OK && !kt_target_of(each->region->language)->has_host_code)
		status = kt_fail(&err, KT_ERR_INVALID, "its text is refused: OpenCL C of a model is not checked");
	if (status == KT_OK) {
		*printed = *entry->template_;
		if (key == NULL || !recall(printed, work, key)) {
			*printed = *entry->template_;
			status = check(printed, work, each, entry, &err);
			if (status == KT_OK && key != NULL)
				remember(work, key, printed);
		}
	}
	if (status == KT_OK) {
		entry->template_ = printed;
		return KT_REASON_NONE;
	}
	*why = kt_arena_strdup(work->arena, err.message);
	return status == KT_ERR_LIMIT ? KT_REASON_CHECK_LIMIT : KT_REASON_ENTRY_UNFIT;
}
