#include "planning/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "generation/llm/check.h"
#include "planning/rounds.h"

#define MODEL_BYTES 100 /* of a model's name that is kept */

struct kt_model {
	struct kt_work *work;
	const struct kt_region *region;
	const struct kt_instance *instance;
	struct kt_arena *arena;
	struct kt_llm *llm;         /* NULL: answers are only read */
	struct kt_check_request request;
	struct kt_reply_names names;
	const char *label;
};

static const char *const ends[] = {[KT_ANSWER_TEMPLATE] = "template", [KT_ANSWER_DECLINED] = "declined",
                                   [KT_ANSWER_REFUSED] = "refused",   [KT_ANSWER_AWAITED] = "awaited",
                                   [KT_ANSWER_BUDGET] = "budget",     [KT_ANSWER_NOBODY] = "nobody",
                                   [KT_ANSWER_FAILED] = "failed"};

const char *kt_answer_name(enum kt_answer_end end)
{
	return ends[end];
}

static const char *source_of(const struct kt_model *model, size_t *size)
{
	*size = model->work->source.size;
	return kt_buf_text(&model->work->source);
}

static void beat(void *lease)
{
	kt_store_lease_beat(lease);
}

kt_status kt_model_open(struct kt_model **out, struct kt_work *work, const struct kt_case *each, bool asks,
                        struct kt_lease *lease, struct kt_error *err)
{
	struct kt_model *model = calloc(1, sizeof *model);
	size_t size;
	const char *source;
	kt_status status;

	NEED(model, kt_no_memory(err));
	*model = (struct kt_model){.work = work, .region = each->region, .arena = work->arena,
	                           .instance = &each->region->instances[each->instance]};
	source = source_of(model, &size);
	model->label = kt_arena_printf(model->arena, "%s-%.8s", each->region->name, each->near_key);
	status = model->label != NULL ? KT_OK : kt_no_memory(err);
	THEN(status, kt_check_request_of(&model->request, model->arena, model->region, model->instance, source, size,
	                                 err));
	THEN(status, kt_reply_names_of(&model->names, model->arena, model->region, err));
	if (status == KT_OK && asks)
		status = kt_llm_open(&model->llm, work->input.config, err);
	if (status != KT_OK) {
		kt_model_close(model);
		return status;
	}
	if (model->llm != NULL)
		kt_llm_watch(model->llm, beat, lease);
	model->request.allow_assembly = work->input.config->llm.allow_assembly;
	*out = model;
	return KT_OK;
}

void kt_model_close(struct kt_model *model)
{
	if (model == NULL)
		return;
	kt_llm_close(model->llm);
	free(model);
}

const char *kt_model_label(const struct kt_model *model)
{
	return model->label;
}

struct kt_llm_usage kt_model_usage(const struct kt_model *model)
{
	return model != NULL && model->llm != NULL ? kt_llm_usage(model->llm) : (struct kt_llm_usage){0};
}

/* For answers: all questions of a region share KTUNE_LLM_WAIT, all regions what a build may take. */
static double seconds_left(const struct kt_model *model)
{
	const double wait = model->work->input.config->llm.wait_s - kt_model_usage(model).seconds;
	const double build = kt_work_build_left(model->work);

	return build >= 0 && build < wait ? build : wait;
}

/* Text of a stranger as it may go to a terminal; `lines`: it may have several. NULL: out of memory, or nothing. */
static const char *clean(struct kt_arena *arena, const char *text, size_t most, bool lines)
{
	char *copy = text != NULL ? kt_arena_strndup(arena, text, strnlen(text, most)) : NULL;

	for (char *at = copy; at != NULL && *at != '\0'; at++)
		if (((unsigned char)*at < ' ' && !(lines && (*at == '\n' || *at == '\t'))) || *at == 0x7f)
			*at = '?';
	return copy;
}

static kt_status refuse(struct kt_model_answer *out, struct kt_model *model, const char *complaint,
                        struct kt_error *err)
{
	out->end = KT_ANSWER_REFUSED;
	out->complaint = clean(model->arena, complaint, KT_LIMIT_LINE_BYTES, true);
	return out->complaint != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for an answer");
}

/* What every kernel of a plan gets: the arguments of the region, then the temporaries. NULL: there are no more. */
static const char *argument_at(const struct kt_reply *reply, const struct kt_region *region, size_t index)
{
	const size_t behind = index - region->argument_count;

	if (index < region->argument_count)
		return region->arguments[index].name;
	return behind < reply->temporary_count ? reply->temporaries[behind].name : NULL;
}

/* A launch of a plan: a separate kernel, with what all get. */
static kt_status check_launch(struct kt_reply *reply, size_t index, const struct kt_region *region,
                              struct kt_error *err)
{
	struct kt_reply_launch *launch = &reply->launches[index];
	bool all = launch->argument_count == region->argument_count + reply->temporary_count;

	for (size_t i = 0; i < index; i++)
		if (strcmp(reply->launches[i].kernel, launch->kernel) == 0)
			return kt_fail(err, KT_ERR_INVALID, "/launches/%s: launched twice; write another kernel for each launch",
			               launch->kernel);
	for (size_t i = 0; all && i < launch->argument_count; i++)
		all = strcmp(launch->arguments[i], argument_at(reply, region, i)) == 0;
	if (!all)
		return kt_fail(err, KT_ERR_INVALID, "/launches/%s/arguments: those of the declaration, all and in its order%s",
		               launch->kernel, reply->temporary_count > 0 ? ", then all temporaries" : "");
	if (index > 0 && launch->geometry.shared_bytes.expr != NULL && strcmp(launch->geometry.shared_bytes.text, "0") != 0)
		return kt_fail(err, KT_ERR_INVALID,
		               "/launches/%s/shared_bytes: only the first launch has dynamic shared memory", launch->kernel);
	/* What they are is settled: floating-point values are no names of expressions. */
	launch->argument_count = 0;
	return KT_OK;
}

/* Arguments that no expression can name are names as well. */
static kt_status check_temporaries(const struct kt_reply *reply, const struct kt_region *region, struct kt_error *err)
{
	if (reply->temporary_count > 0 && reply->launch_count < 2)
		return kt_fail(err, KT_ERR_INVALID, "/temporaries: they are for what one launch of a plan leaves to the next, "
		                                    "and there is one launch");
	for (size_t i = 0; i < reply->temporary_count; i++)
		for (size_t k = 0; k < region->argument_count; k++)
			if (strcmp(reply->temporaries[i].name, region->arguments[k].name) == 0)
				return kt_fail(err, KT_ERR_INVALID, "/temporaries/%s: the region has this name already",
				               reply->temporaries[i].name);
	return KT_OK;
}

/* A plan of one launch is that launch. KT_ERR_INVALID names what of a plan cannot be run. */
static kt_status flatten(struct kt_reply *reply, const struct kt_region *region, struct kt_error *err)
{
	if (reply->launch_count > 1 && region->step_count == 0)
		return kt_fail(err, KT_ERR_INVALID, "/launches: one kernel does everything: launches and temporaries are null");
	TRY(check_temporaries(reply, region, err));
	for (size_t i = 0; reply->launch_count > 1 && i < reply->launch_count; i++)
		TRY(check_launch(reply, i, region, err));
	if (reply->launch_count > 1)
		return KT_OK;
	if (reply->launch_count == 1)
		reply->geometry = reply->launches[0].geometry;
	reply->launch_count = 0;
	if (region->step_count > 0 && (reply->geometry.grid_count == 0 || reply->geometry.block_count == 0))
		return kt_fail(err, KT_ERR_INVALID, "/grid, /block: the one launch needs both");
	return KT_OK;
}

/* A reply that could be read: is its text what it may be, and what is its template? */
static kt_status check(struct kt_model_answer *out, struct kt_model *model, const struct kt_reply *reply,
                       struct kt_error *err)
{
	struct kt_check_request request = model->request;
	struct kt_check_verdict verdict;
	struct kt_error why;
	size_t size;
	const char *source = source_of(model, &size);
	kt_status status = KT_OK;

	if (reply->launch_count > 0)
		status = kt_check_request_plan(&request, model->arena, model->region, model->instance, reply, err);
	if (status != KT_OK)
		return status;
	if (kt_check_ask(&verdict, model->arena, model->work->clang, &request, reply, &why) != KT_OK)
		return refuse(out, model, why.message, err);
	if (!verdict.accepted) {
		struct kt_buf complaint = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_check_complain(&complaint, &verdict);
		status = refuse(out, model, kt_buf_text(&complaint), err);
		kt_buf_free(&complaint);
		return status;
	}
	if (kt_generate_llm(&out->template_, model->arena, model->region, model->instance, source, reply, &verdict, &why) !=
	    KT_OK)
		return refuse(out, model, why.message, err);
	out->template_->build_options = model->work->input.build_options;
	out->end = KT_ANSWER_TEMPLATE;
	return KT_OK;
}

kt_status kt_model_read(struct kt_model_answer *out, struct kt_model *model, const char *text, size_t size,
                        struct kt_error *err)
{
	struct kt_reply *reply;
	struct kt_error why;

	out->text = text;
	if (kt_reply_read(&reply, model->arena, text, size, &why) != KT_OK)
		return refuse(out, model, why.message, err);
	out->rationale = clean(model->arena, reply->rationale, KT_REPLY_PROSE_BYTES, true);
	out->effect = clean(model->arena, reply->effect, KT_REPLY_PROSE_BYTES, true);
	if (reply->decline != NULL) {
		out->end = KT_ANSWER_DECLINED;
		out->complaint = clean(model->arena, reply->decline, KT_REPLY_PROSE_BYTES, true);
		return KT_OK;
	}
	if (flatten(reply, model->region, &why) != KT_OK || kt_reply_check_names(reply, &model->names, &why) != KT_OK)
		return refuse(out, model, why.message, err);
	return check(out, model, reply, err);
}

/* All messages as one text, for the decision log. */
static const char *join(struct kt_arena *arena, const struct kt_llm_message *messages, size_t count)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	char *copy;

	for (size_t i = 0; i < count; i++)
		kt_buf_addf(&out, "%s## %s\n\n%s\n", i > 0 ? "\n" : "", messages[i].role, messages[i].content);
	copy = out.failed ? NULL : kt_arena_strdup(arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

static kt_status no_answer(struct kt_model_answer *out, struct kt_model *model, const struct kt_error *why,
                           struct kt_error *err)
{
	switch (why->code) {
	case KT_ERR_BUSY:
		out->end = KT_ANSWER_AWAITED;
		break;
	case KT_ERR_LIMIT:
		out->end = KT_ANSWER_BUDGET;
		break;
	case KT_ERR_MISSING:
		out->end = KT_ANSWER_NOBODY;
		break;
	case KT_ERR_MEMORY:
		*err = *why;
		return err->code;
	default:
		out->end = KT_ANSWER_FAILED;
		break;
	}
	out->complaint = kt_arena_strdup(model->arena, why->message);
	kt_log("%s: %s", out->label, why->message);
	return out->complaint != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for an answer");
}

kt_status kt_model_ask(struct kt_model_answer *out, struct kt_model *model, const struct kt_prompt_facts *facts,
                       const struct kt_device *device, const char *label, int64_t seed, const char *before,
                       struct kt_error *err)
{
	struct kt_prompt_facts all = *facts;
	struct kt_llm_message messages[KT_PROMPT_MESSAGES];
	struct kt_llm_question question = {.label = label, .messages = messages, .seed = seed};
	struct kt_error why;
	size_t size;
	const char *source = source_of(model, &size);
	kt_status status = kt_prompt_region(&all, model->arena, model->region, model->instance, device, source, size,
	                                    model->request.kernels[0].declaration, err);

	*out = (struct kt_model_answer){.label = label};
	THEN(status, kt_prompt_messages(messages, &question.message_count, model->arena,
	                                model->region->step_count > 0 ? KT_PROMPT_PLAN : KT_PROMPT_KERNEL, &all, before,
	                                KT_PROMPT_BYTES, err));
	/* A kernel that leaves no space for a question: no model can be asked about it. */
	if (status == KT_ERR_LIMIT)
		return no_answer(out, model, err, err);
	if (status == KT_OK && (out->prompt = join(model->arena, messages, question.message_count)) == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for a question");
	if (status != KT_OK)
		return status;
	question.limit_s = seconds_left(model);
	if (!(question.limit_s > 0)) {
		(void)kt_fail(&why, KT_ERR_LIMIT, "no time is left for answers");
		return no_answer(out, model, &why, err);
	}
	if (kt_llm_ask(&out->from, model->arena, model->llm, &question, &why) != KT_OK)
		return no_answer(out, model, &why, err);
	NEED(out->from.model = clean(model->arena, out->from.model, MODEL_BYTES, false),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for an answer"));
	if (!out->from.complete) {
		out->text = out->from.text;
		return refuse(out, model, "the answer ended at its longest length: it must be shorter", err);
	}
	return kt_model_read(out, model, out->from.text, out->from.size, err);
}
