/* What a compiled candidate takes of a multiprocessor, and whether that is worth a run. */
#include "planning/plan_internal.h"
#include "planning/theta.h"

/* Of the most demanding problem; threads 0: not known. */
static struct kt_usage usage_of(const struct kt_tuning *s, const int64_t *configuration,
                                const struct kt_cubin_entry *function)
{
	struct kt_usage usage = {0, function->registers, function->local_bytes, function->shared_bytes};
	const struct kt_template *template_ = s->plan->template_;
	int64_t dynamic_bytes = 0, value;
	struct kt_error ignored;

	for (size_t p = 0; p < s->problems; p++) {
		const int64_t *problem = s->region->variable_count == 0
		                             ? NULL : s->region->problems + p * s->region->variable_count;
		struct kt_theta theta = {template_, configuration, {s->region, NULL, problem, s->device}};
		const int64_t threads =
		    kt_theta_launches(&theta) ? kt_theta_product(&theta, template_->block, template_->block_count) : 0;

		if (threads == 0)
			continue;
		usage.threads = threads > usage.threads ? threads : usage.threads;
		if (template_->shared_bytes.expr != NULL &&
		    kt_expr_eval(&value, template_->shared_bytes.expr, kt_theta_lookup, &theta, &ignored) == KT_OK)
			dynamic_bytes = value > dynamic_bytes ? value : dynamic_bytes;
	}
	usage.shared_bytes += dynamic_bytes;
	return usage;
}

/* False where the file is not a cubin (OpenCL) or does not tell. */
static bool read_usage(struct kt_usage *out, const struct kt_tuning *s, const char *path, const char *name,
                       const int64_t *configuration)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_cubin_entry *function = NULL;
	struct kt_cubin cubin;
	struct kt_error ignored;

	if (arena != NULL && path != NULL && name != NULL && kt_cubin_read(&cubin, arena, path, &ignored) == KT_OK)
		function = kt_cubin_find(&cubin, name);
	if (function != NULL)
		*out = usage_of(s, configuration, function);
	kt_arena_free(arena);
	return function != NULL;
}

int64_t kt_tuning_threads(const struct kt_tuning *s, const int64_t *configuration)
{
	const struct kt_cubin_entry none = {0};

	return usage_of(s, configuration, &none).threads;
}

bool kt_tuning_refuses(struct kt_buf *why, struct kt_tuning *s, const struct kt_built *built)
{
	const int64_t *configuration = kt_space_get(s->space, built->ticket - 1);
	const size_t original = kt_space_original(s->space);
	struct kt_usage usage;
	enum kt_compiled_refusal refusal;

	/* Without its configuration the original's block is not known, and nothing can be compared with it. */
	if (s->original_usage.threads == 0 && original != SIZE_MAX)
		(void)read_usage(&s->original_usage, s, s->original_cubin, s->original_function,
		                 kt_space_get(s->space, original));
	if (!read_usage(&usage, s, built->cubin, built->function, configuration))
		return false;
	refusal = kt_compiled_judge(s->device, &usage, s->original_usage.threads > 0 ? &s->original_usage : NULL,
	                            s->plan->config->relax);
	if (refusal != KT_COMPILED_NONE)
		kt_compiled_explain(why, refusal, s->device, &usage, &s->original_usage);
	return refusal != KT_COMPILED_NONE;
}
