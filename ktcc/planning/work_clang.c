/* What ktcc-clang is asked about the unit: what it finds in the text, and the templates that its rules make of it. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "planning/work_internal.h"

static const double seconds_most = 120;

kt_status kt_work_open_clang(struct kt_work *work, struct kt_error *err)
{
	const struct kt_work_input *input = &work->input;
	const struct kt_clang_options options = {
	    .file = input->file,
	    .directory = input->directory,
	    .toolkit = input->toolkit_dir,
	    .arch = kt_target_of(input->language)->has_compiler ? kt_work_read_architecture(work) : 0,
	    .arguments = input->clang_arguments,
	    .cache = kt_target_of(input->language)->has_compiler ? input->config->machine_dir : NULL,
	};

	return kt_clang_open(&work->clang, &options, err);
}

kt_status kt_work_clang(struct kt_buf *out, enum kt_reason *reason, struct kt_work *work, const char *verb,
                        void (*meanwhile)(void *context), struct kt_error *err)
{
	const char *request = kt_arena_printf(work->arena, "{\"verb\":\"%s\"}", verb);
	kt_status status = request != NULL ? kt_clang_send(work->clang, verb, request, err)
	                                   : kt_fail(err, KT_ERR_MEMORY, "%s: out of memory", verb);

	if (status == KT_OK && meanwhile != NULL)
		meanwhile(work->input.meanwhile_context);
	THEN(status, kt_clang_receive(out, work->clang, verb, seconds_most, err));
	if (status == KT_ERR_MISSING)
		*reason = KT_REASON_NO_CLANG;
	return status;
}

kt_status kt_work_ask_templates(struct kt_rules **out, enum kt_reason *reason, struct kt_work *work, const char *verb,
                                struct kt_error *err)
{
	struct kt_buf answer = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_status status = kt_work_clang(&answer, reason, work, verb, NULL, err);

	THEN(status, kt_rules_read(out, work->arena, work->unit, kt_buf_text(&work->source), kt_buf_text(&answer),
	                           answer.size, err));
	kt_buf_free(&answer);
	return status;
}

static kt_status run_rules(struct kt_work *work, enum kt_reason *reason, struct kt_error *err)
{
	return kt_work_ask_templates(&work->rules, reason, work, "rewrite", err);
}

/* Without rules every case falls back to the IR. */
static kt_status run_none(struct kt_work *work, enum kt_reason *reason, struct kt_error *err)
{
	(void)reason;
	NEED(work->rules = kt_arena_alloc(work->arena, sizeof *work->rules),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for templates"));
	*work->rules = (struct kt_rules){0};
	return KT_OK;
}

/* KTUNE_GENERATOR, and what makes the templates of a whole unit. */
static const struct {
	const char *name;
	kt_status (*run)(struct kt_work *work, enum kt_reason *reason, struct kt_error *err);
} generators[] = {{"rules", run_rules}, {"ir", run_none}};

static kt_status run_generator(struct kt_work *work, enum kt_reason *reason, struct kt_error *err)
{
	const char *wanted = work->input.config->generator != NULL ? work->input.config->generator : "rules";

	/* What the rules know goes into the question. */
	if (strcmp(wanted, "llm") == 0 && work->input.config->llm.url != NULL)
		wanted = "rules";

	for (size_t i = 0; i < sizeof generators / sizeof generators[0]; i++)
		if (strcmp(generators[i].name, wanted) == 0)
			return generators[i].run(work, reason, err);
	*reason = KT_REASON_NO_GENERATOR;
	return kt_fail(err, KT_ERR_MISSING, "KTUNE_GENERATOR=%s", wanted);
}

/* What was made for one case, or why nothing was. */
static void take_template(struct kt_work *work, struct kt_case *each)
{
	const size_t region = (size_t)(kt_region_whole(each->region) - work->unit->regions);
	struct kt_template *made = kt_rules_template(work->rules, region, each->instance);

	if (work->input.config->generator != NULL && strcmp(work->input.config->generator, "llm") == 0)
		return;
	/* A user who names the rules gets only what those make. */
	if (made == NULL && (work->input.config->generator == NULL || strcmp(work->input.config->generator, "ir") == 0))
		made = kt_work_fall_back(work, each);
	if (made == NULL) {
		each->reason = KT_REASON_NO_STRATEGY;
		each->detail = kt_rules_declined(work->rules, work->arena, region, each->instance);
		each->failed = true;
		return;
	}
	made->build_options = work->input.build_options;
	each->template_ = made;
	each->waits = false;
}

static bool somebody_waits(const struct kt_work *work)
{
	for (size_t i = 0; i < work->case_count; i++)
		if (work->cases[i].waits)
			return true;
	return false;
}

void kt_work_run_generator(struct kt_work *work)
{
	struct kt_error err;

	if (work->generated || !somebody_waits(work))
		return;
	work->generated = true;
	work->generator_reason = KT_REASON_GENERATE_FAILED;
	if (run_generator(work, &work->generator_reason, &err) == KT_OK)
		return;
	kt_log("generator: %s", err.message);
	work->generator_detail = kt_arena_strdup(work->arena, err.message);
	work->rules = NULL;
}

void kt_work_generate(struct kt_work *work)
{
	kt_work_run_generator(work);
	for (size_t i = 0; i < work->case_count; i++) {
		struct kt_case *each = &work->cases[i];

		if (!each->waits || each->failed)
			continue;
		if (work->rules != NULL) {
			take_template(work, each);
			continue;
		}
		each->reason = work->generator_reason;
		each->detail = work->generator_detail;
		each->failed = true;
	}
}

kt_status kt_work_analyse(const struct kt_rules **out, struct kt_work *work, struct kt_error *err)
{
	enum kt_reason ignored;
	TRY(work->rules != NULL ? KT_OK : run_rules(work, &ignored, err));
	*out = work->rules;
	return KT_OK;
}

void kt_work_choose_template(struct kt_work *work, struct kt_case *each)
{
	if (!each->waits)
		return;
	for (size_t i = 0; i < each->found_count; i++)
		if (each->found[i].entry.template_ != NULL) {
			/* For the one case: the generator's may differ from what an older one wrote. */
			struct kt_template *own = kt_arena_alloc(work->arena, sizeof *own);

			if (own == NULL)
				return;
			*own = *each->found[i].entry.template_;
			each->template_ = own;
			each->waits = false;
			return;
		}
	kt_work_generate(work);
}
