/* Whether text that an entry brings is device code and nothing else: nobody's word is taken for it. */
#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "planning/work_internal.h"
#include "tuning/unit.h"

#define SECONDS_MOST 60 /* for one text */

/* What was accepted once, on this machine, is known by its hash. */
static const char accepted[] = "accepted";

/* The texts that an entry makes: the general configuration, then the special ones. */
static const int64_t *configuration_of(const struct kt_entry *entry, size_t index)
{
	return index == 0 ? entry->configuration : entry->specials[index - 1].configuration;
}

static size_t first_of(const struct kt_entry *entry)
{
	return entry->baseline_best ? 1 : 0;
}

/* As it stands in a unit of candidates, under a name that means nothing. */
static kt_status render(struct kt_buf *out, char name[KT_UNIT_NAME_BYTES], const struct kt_entry *entry, size_t index,
                        struct kt_error *err)
{
	struct kt_render render = {.template_ = entry->template_, .configuration = configuration_of(entry, index),
	                           .name = name};

	kt_unit_name(name, index);
	return kt_template_render(out, &render, err);
}

/*
 * A kernel's head alone. That it is the kernel's signature shows where it is called: another one does not compile. Its
 * types may be spelled otherwise, with a __restrict__ that a guard allows.
 */
static kt_status declare(struct kt_buf *out, const struct kt_entry *entry, size_t index, size_t kernel,
                         struct kt_error *err)
{
	struct kt_template head = *entry->template_;
	struct kt_render render = {.template_ = &head, .configuration = configuration_of(entry, index)};
	char name[KT_UNIT_NAME_BYTES];

	kt_unit_name(name, index);
	render.name = name;
	render.kernel = kernel;
	head.head = kt_template_kernel_at(entry->template_, kernel).head;
	head.helpers = head.body = "";
	head.further_count = 0;
	return kt_template_render(out, &render, err);
}

/* The kernel as written: what it uses its variants may use. */
static void add_original(struct kt_buf *out, const struct kt_work *work, const struct kt_region *region)
{
	const char *source = kt_buf_text(&work->source);

	for (size_t i = 0; i < region->callee_count; i++)
		kt_buf_add(out, source + region->callees[i].extent.begin,
		           region->callees[i].extent.end - region->callees[i].extent.begin);
	for (size_t i = 0; i < region->step_count; i++)
		kt_buf_add(out, source + region->steps[i].extent.begin,
		           region->steps[i].extent.end - region->steps[i].extent.begin);
	kt_buf_add(out, source + region->extent.begin, region->extent.end - region->extent.begin);
}

static kt_status add_kernels(struct kt_buf *out, const struct kt_entry *entry, size_t index, const char *name,
                             struct kt_error *err)
{
	kt_status status = KT_OK;

	kt_buf_adds(out, "\"kernels\":[");
	for (size_t i = 0; status == KT_OK && i <= entry->template_->further_count; i++) {
		struct kt_buf declaration = KT_BUF(KT_LIMIT_LINE_BYTES);

		status = declare(&declaration, entry, index, i, err);
		kt_buf_addf(out, "%s{\"name\":\"", i > 0 ? "," : "");
		kt_template_kernel_name(out, name, i);
		kt_buf_adds(out, "\",\"declaration\":");
		kt_buf_addjson(out, kt_buf_text(&declaration));
		kt_buf_addc(out, '}');
		if (status == KT_OK)
			status = kt_buf_check(&declaration, "a check", err);
		kt_buf_free(&declaration);
	}
	kt_buf_addc(out, ']');
	return status;
}

/* One request of docs/protocol.md, "check". */
static kt_status print_request(struct kt_buf *out, struct kt_work *work, const struct kt_case *each,
                               const struct kt_entry *entry, size_t index, struct kt_error *err)
{
	struct kt_buf texts[5] = {KT_BUF(KT_LIMIT_SOURCE_BYTES), KT_BUF(KT_LIMIT_LINE_BYTES), KT_BUF(KT_LIMIT_LINE_BYTES),
	                          KT_BUF(KT_LIMIT_SOURCE_BYTES), KT_BUF(KT_LIMIT_SOURCE_BYTES)};
	static const char *const names[] = {"context", "open", "close", "original", "text"};
	char name[KT_UNIT_NAME_BYTES];
	kt_status status = render(&texts[4], name, entry, index, err);

	kt_slice(&texts[0], each->region, kt_buf_text(&work->source), work->source.size, NULL);
	kt_slice_scope(&texts[1], each->region, true);
	kt_slice_scope(&texts[2], each->region, false);
	add_original(&texts[3], work, each->region);
	kt_buf_addc(out, '{');
	for (size_t i = 0; i < 5; i++) {
		kt_buf_addjson(out, names[i]);
		kt_buf_addc(out, ':');
		kt_buf_addjson(out, kt_buf_text(&texts[i]));
		kt_buf_addc(out, ',');
	}
	if (status == KT_OK)
		status = add_kernels(out, entry, index, name, err);
	kt_buf_addc(out, '}');
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		if (status == KT_OK)
			status = kt_buf_check(&texts[i], "a check", err);
		kt_buf_free(&texts[i]);
	}
	return status == KT_OK ? kt_buf_check(out, "a check", err) : status;
}

/* KT_OK: accepted. */
static kt_status read_verdict(const struct kt_buf *line, struct kt_error *err)
{
	cJSON *json = NULL;
	const char *verdict, *construct, *message;
	int64_t number;
	kt_status status = kt_json_parse(&json, kt_buf_text(line), line->size, err);
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);

	if (status == KT_OK && arena == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for a verdict");
	if (status == KT_OK)
		status = kt_json_string(&verdict, arena, json, "verdict", err);
	if (status == KT_OK)
		status = kt_json_string_or(&construct, arena, json, "construct", "", err);
	if (status == KT_OK)
		status = kt_json_string_or(&message, arena, json, "message", "", err);
	if (status == KT_OK)
		status = kt_json_int_or(&number, json, "line", 0, err);
	if (status == KT_OK && strcmp(verdict, accepted) != 0)
		status = kt_fail(err, KT_ERR_INVALID, "its text is refused: %s%s%.300s (line %lld of the variant)", construct,
		                 construct[0] != '\0' ? ": " : "", message, (long long)number);
	cJSON_Delete(json);
	kt_arena_free(arena);
	return status;
}

static kt_status ask(struct kt_work *work, const struct kt_case *each, const struct kt_entry *entry,
                     struct kt_error *err)
{
	struct kt_buf request = KT_BUF(KT_LIMIT_MESSAGE_BYTES), reply = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_pipe *pipe = NULL;
	kt_status status = kt_work_clang_start(&pipe, work, "check", err);

	for (size_t i = first_of(entry); status == KT_OK && i <= entry->special_count; i++) {
		kt_buf_clear(&request);
		status = print_request(&request, work, each, entry, i, err);
		if (status == KT_OK)
			status = kt_pipe_send(pipe, kt_buf_text(&request), err);
		if (status == KT_OK)
			status = kt_pipe_receive(&reply, pipe, SECONDS_MOST, err);
		if (status == KT_OK)
			status = read_verdict(&reply, err);
	}
	kt_pipe_close(pipe);
	kt_buf_free(&request);
	kt_buf_free(&reply);
	return status;
}

/* Of all that the verdict depends on; NULL: cannot be told. */
static const char *text_key(struct kt_work *work, const struct kt_case *each, const struct kt_entry *entry)
{
	struct kt_hash hash;
	char text[KT_HASH_TEXT];
	struct kt_error ignored;

	kt_hash_init(&hash);
	kt_hash_field(&hash, "text", KT_VERSION);
	kt_hash_field(&hash, "closure", each->closure);
	for (size_t i = first_of(entry); i <= entry->special_count; i++) {
		struct kt_buf one = KT_BUF(KT_LIMIT_SOURCE_BYTES);
		char name[KT_UNIT_NAME_BYTES];
		const bool rendered = render(&one, name, entry, i, &ignored) == KT_OK;

		kt_hash_bytes(&hash, kt_buf_text(&one), one.size);
		kt_buf_free(&one);
		if (!rendered)
			return NULL;
	}
	kt_hash_final(&hash, text);
	return kt_arena_printf(work->arena, "text %s", text);
}

static void remember(struct kt_work *work, const char *key)
{
	struct kt_error err;

	if (work->input.store != NULL && key != NULL &&
	    kt_store_put_blob(work->input.store, key, accepted, sizeof accepted - 1, &err) != KT_OK)
		kt_log("a verdict was not stored: %s", err.message);
}

/* The check knows CUDA C++ alone. */
static bool is_allowed(struct kt_work *work, const struct kt_case *each, const struct kt_entry *entry,
                       struct kt_error *err)
{
	if (each->region->language != KT_LANGUAGE_OPENCL)
		return ask(work, each, entry, err) == KT_OK;
	(void)kt_fail(err, KT_ERR_INVALID, "its text is refused: OpenCL C of a model is not checked");
	return false;
}

bool kt_work_text_allowed(struct kt_work *work, const struct kt_case *each, const struct kt_entry *entry,
                          const char **why)
{
	const char *key = text_key(work, each, entry);
	struct kt_buf known = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error err;
	bool allowed = work->input.store != NULL && key != NULL && kt_store_get_blob(&known, work->input.store, key);

	kt_buf_free(&known);
	if (allowed)
		return true;
	allowed = is_allowed(work, each, entry, &err);
	if (allowed)
		remember(work, key);
	else
		*why = kt_arena_strdup(work->arena, err.message);
	return allowed;
}
