/* Templates by the kernel IR (docs/ir.md): asked for where the rules have none, proven, and written one configuration at a time. */
#include <stdio.h>
#include <string.h>

#include "base/decline.h"
#include "base/json.h"
#include "base/log.h"
#include "planning/work_internal.h"
#include "tuning/certificate.h"

static const double seconds_most = 60; /* of one answer */
enum { TEXTS_BYTES = 32 << 20 };       /* of the texts that are remembered, of one template */

/* ---- Texts of configurations ---- */

struct written {
	struct written *next;
	const int64_t *configuration;
	struct kt_template_text text;
};

/* The source of one template. */
struct source {
	struct kt_work *work;
	size_t region, instance, parameter_count;
	struct kt_arena *arena; /* of the list; NULL: nothing was written yet */
	struct written *list;
};

static const struct kt_template_text *find(const struct source *s, const int64_t *configuration)
{
	for (const struct written *w = s->list; w != NULL; w = w->next)
		if (memcmp(w->configuration, configuration, s->parameter_count * sizeof *configuration) == 0)
			return &w->text;
	return NULL;
}

static const char *take_text(struct kt_arena *arena, const cJSON *answer, const char *name)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer, name));

	return text != NULL ? kt_arena_strdup(arena, text) : NULL;
}

/* Remembers it. False: the arena is full, or the answer is none. */
static bool keep(struct kt_template_text *out, struct source *s, const int64_t *configuration, const cJSON *answer)
{
	struct written *w = kt_arena_alloc(s->arena, sizeof *w);
	int64_t *values = kt_arena_array(s->arena, s->parameter_count + 1, sizeof *values);

	if (w == NULL || values == NULL)
		return false;
	memcpy(values, configuration, s->parameter_count * sizeof *values);
	*w = (struct written){s->list, values,
	                      {take_text(s->arena, answer, "helpers"), take_text(s->arena, answer, "head"),
	                       take_text(s->arena, answer, "body")}};
	if (w->text.helpers == NULL || w->text.head == NULL || w->text.body == NULL)
		return false;
	s->list = w;
	*out = w->text;
	return true;
}

static bool start_over(struct source *s)
{
	kt_arena_free(s->arena);
	s->list = NULL;
	s->arena = kt_arena_new(TEXTS_BYTES);
	return s->arena != NULL;
}

static kt_status ask(cJSON **out, const struct source *s, const int64_t *configuration, struct kt_error *err)
{
	struct kt_buf request = KT_BUF(KT_LIMIT_LINE_BYTES), answer = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_status status;

	kt_buf_addf(&request, "{\"verb\":\"specialise\",\"region\":%zu,\"instance\":%zu,\"values\":[", s->region, s->instance);
	for (size_t i = 0; i < s->parameter_count; i++)
		kt_buf_addf(&request, "%s%lld", i > 0 ? "," : "", (long long)configuration[i]);
	kt_buf_adds(&request, "]}");
	status = kt_buf_check(&request, "a request", err);
	THEN(status, kt_clang_ask(&answer, s->work->clang, "specialise", kt_buf_text(&request), seconds_most, err));
	THEN(status, kt_json_parse(out, kt_buf_text(&answer), answer.size, err));
	kt_buf_free(&request);
	kt_buf_free(&answer);
	return status;
}

static kt_status write_text(struct kt_template_text *out, void *context, const int64_t *configuration,
                            struct kt_error *err)
{
	struct source *s = context;
	const struct kt_template_text *known = find(s, configuration);
	cJSON *answer = NULL;
	kt_status status;

	if (known != NULL) {
		*out = *known;
		return KT_OK;
	}
	status = ask(&answer, s, configuration, err);
	if (status == KT_OK && !(s->arena != NULL && keep(out, s, configuration, answer)) &&
	    !(start_over(s) && keep(out, s, configuration, answer)))
		status = kt_fail(err, KT_ERR_INVALID, "the text of a configuration was not answered");
	cJSON_Delete(answer);
	return status;
}

/* The work frees what sources have allocated beside it. */
static struct kt_template_source *add_source(struct kt_work *work, const struct kt_rules_template *made)
{
	struct kt_template_source *out = kt_arena_alloc(work->arena, sizeof *out);
	struct source *s = kt_arena_alloc(work->arena, sizeof *s);
	struct kt_template_source **slot =
	    kt_arena_push(work->arena, &work->sources, &work->source_count, sizeof *slot);

	if (out == NULL || s == NULL || slot == NULL)
		return NULL;
	*s = (struct source){.work = work, .region = made->region, .instance = made->instance,
	                     .parameter_count = made->template_->parameter_count};
	*out = (struct kt_template_source){write_text, s};
	*slot = out;
	return out;
}

void kt_work_free_sources(struct kt_work *work)
{
	for (size_t i = 0; i < work->source_count; i++)
		kt_arena_free(((struct source *)work->sources[i]->context)->arena);
}

/* ---- Templates ---- */

kt_status kt_work_analyse_ir(const struct kt_rules **out, struct kt_work *work, struct kt_error *err)
{
	enum kt_reason ignored;
	TRY(work->ir != NULL ? KT_OK : kt_work_ask_templates(&work->ir, &ignored, work, "generate", err));
	*out = work->ir;
	for (size_t i = 0; i < work->ir->template_count; i++) {
		struct kt_rules_template *made = &work->ir->templates[i];
		if (!made->template_->is_specialised || made->template_->source != NULL)
			continue;
		NEED(made->template_->source = add_source(work, made),
		     kt_fail(err, KT_ERR_MEMORY, "out of memory for templates"));
	}
	return KT_OK;
}

/* ---- The certificate ---- */

/* What the answer depends on: the kernel with its options, and what is printed of it. */
static const char *certificate_key(struct kt_work *work, const struct kt_case *each, const struct kt_template *t)
{
	struct kt_hash hash;
	char text[KT_HASH_TEXT];

	kt_hash_init(&hash);
	kt_hash_field(&hash, "closure", each->closure);
	kt_hash_int(&hash, "arch", kt_work_read_architecture(work));
	kt_hash_field(&hash, "helpers", t->helpers);
	kt_hash_field(&hash, "head", t->head);
	kt_hash_field(&hash, "body", t->body);
	kt_hash_final(&hash, text);
	return kt_arena_printf(work->arena, "lowering %s", text);
}

/* Of a file with cooperative groups the original is compiled with those that the IR was made from, by nvcc. */
static bool use_groups(struct kt_compile *compile, struct kt_work *work)
{
	char *folder = kt_install_path(work->arena, KT_GROUPS_FOLDER), **arguments;
	size_t count = 0;

	if (strstr(kt_buf_text(&work->source), "cooperative_groups") == NULL)
		return true;
	while (compile->arguments[count] != NULL)
		count++;
	arguments = kt_arena_array(work->arena, count + 3, sizeof *arguments);
	if (arguments == NULL || folder == NULL || count == 0)
		return false;
	arguments[0] = compile->arguments[0];
	arguments[1] = kt_arena_strdup(work->arena, "-I");
	arguments[2] = folder;
	memcpy(&arguments[3], &compile->arguments[1], (count - 1) * sizeof *arguments);
	compile->arguments = arguments;
	compile->screening = NULL;
	return arguments[1] != NULL;
}

static kt_status certify(const char **why, struct kt_work *work, const struct kt_case *each, const struct kt_template *t,
                         struct kt_error *err)
{
	int64_t *originals = kt_arena_array(work->arena, t->parameter_count + 1, sizeof *originals);
	const struct kt_instance *instance = &each->region->instances[each->instance];
	struct kt_compile compile;
	TRY(originals != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for a certificate"));

	for (size_t i = 0; i < t->parameter_count; i++)
		TRY(kt_template_original(&originals[i], t, instance, i, err));
	TRY(kt_work_compile(&compile, work, kt_work_read_architecture(work), err));
	if (!use_groups(&compile, work))
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a certificate");
	return kt_certify(why, work->arena, &compile, t, instance, originals, kt_buf_text(&work->source),
			  work->source.size, err);
}

/* Is the plain print the kernel? *why: NULL, or why not. What is in the store is not asked again. */
static bool is_certified(const char **why, struct kt_work *work, const struct kt_case *each, const struct kt_template *t)
{
	const char *key = certificate_key(work, each, t);
	struct kt_buf known = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error err;

	*why = "out of memory";
	if (key == NULL)
		return false;
	if (work->input.store != NULL && kt_store_get_blob(&known, work->input.store, key)) {
		const bool differs = known.size > 0;
		const char *text = differs ? kt_arena_strdup(work->arena, kt_buf_text(&known)) : NULL;

		kt_buf_free(&known);
		if (!differs || text != NULL)
			*why = text;
		return !differs;
	}
	kt_buf_free(&known);
	/* What a compiler refuses, maybe for want of memory, is asked again another time. */
	if (certify(why, work, each, t, &err) != KT_OK) {
		*why = kt_arena_strdup(work->arena, err.message);
		return false;
	}
	kt_log("%s: certificate: %s", each->region->name, *why != NULL ? *why : "its print has its PTX");
	if (work->input.store != NULL && kt_store_put_blob(work->input.store, key, *why != NULL ? *why : "",
	                                                   *why != NULL ? strlen(*why) : 0, &err) != KT_OK)
		kt_log("certificate not stored: %s", err.message);
	return *why == NULL;
}

static void decline(struct kt_work *work, const struct kt_case *each, enum kt_decline why, const char *detail)
{
	const char *const reason = kt_decline_name(why);
	struct kt_rules_decline *slot =
	    kt_arena_push(work->arena, &work->ir->declines, &work->ir->decline_count, sizeof *slot);

	kt_log("%s: %s: %s", each->region->name, reason, detail != NULL ? detail : "");
	if (slot != NULL)
		*slot = (struct kt_rules_decline){(size_t)(kt_region_whole(each->region) - work->unit->regions), (int64_t)each->instance, reason,
		                                  each->region->body_line, detail != NULL ? detail : ""};
}

static struct kt_template *by_ir(struct kt_work *work, const struct kt_case *each, bool is_proven, const char **why)
{
	const size_t region = (size_t)(kt_region_whole(each->region) - work->unit->regions);
	const struct kt_rules *ir;
	struct kt_template *made;
	struct kt_error err;

	if (kt_work_analyse_ir(&ir, work, &err) != KT_OK) {
		kt_log("generate: %s", err.message);
		*why = kt_arena_printf(work->arena, "the generator did not answer: %s", err.message);
		return NULL;
	}
	made = kt_rules_template(ir, region, each->instance);
	*why = made == NULL ? kt_rules_declined(ir, work->arena, region, each->instance) : NULL;
	if (made == NULL)
		kt_log("%s: by the IR: %s", each->region->name, *why != NULL ? *why : "nothing");
	if (made == NULL || is_proven)
		return made;
	if (is_certified(why, work, each, made))
		return made;
	decline(work, each, KT_DECLINE_LOWERING_DIFFERS, *why);
	return NULL;
}

static struct kt_template *by_plain(struct kt_work *work, const struct kt_case *each, const char **why)
{
	struct kt_template *made;
	struct kt_error err;

	if (kt_generate_plain(&made, work->arena, each->region, kt_buf_text(&work->source), work->source.size, &err) == KT_OK)
		return made;
	*why = kt_arena_strdup(work->arena, err.message);
	return NULL;
}

struct kt_template *kt_work_template_by(struct kt_work *work, const struct kt_case *each, const char *generator,
                                        const char **why)
{
	const size_t region = (size_t)(kt_region_whole(each->region) - work->unit->regions);
	const struct kt_rules *rules;
	struct kt_template *made = NULL;
	struct kt_error err;

	*why = NULL;
	if (strcmp(generator, "ir") == 0)
		return by_ir(work, each, true, why);
	if (strcmp(generator, "plain") == 0)
		return by_plain(work, each, why);
	if (kt_work_analyse(&rules, work, &err) != KT_OK)
		*why = kt_arena_printf(work->arena, "the rules did not answer: %s", err.message);
	else if ((made = kt_rules_template(rules, region, each->instance)) == NULL)
		*why = kt_rules_declined(rules, work->arena, region, each->instance);
	return made;
}

struct kt_template *kt_work_fall_back(struct kt_work *work, const struct kt_case *each)
{
	const char *why;
	struct kt_template *made;

	if (!kt_target_of(each->region->language)->has_host_code)
		return NULL;
	made = by_ir(work, each, false, &why);
	/* Of a list of passes only who reads the pragma knows whether bounds are among them. */
	if (made == NULL && each->region->generation != KT_AUTO_LIST && (made = by_plain(work, each, &why)) == NULL)
		kt_log("%s: %s", each->region->name, why != NULL ? why : "");
	return made;
}

struct kt_template *kt_work_second_template(struct kt_work *work, const struct kt_case *each)
{
	const char *why;
	struct kt_template *made = by_ir(work, each, false, &why);

	if (made != NULL)
		made->build_options = work->input.build_options;
	return made;
}
