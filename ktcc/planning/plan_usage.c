/* What a compiled candidate takes of a multiprocessor, and whether that is worth a run. */
#include <string.h>

#include "planning/plan_internal.h"

struct scope {
	const struct kt_template *template_;
	const int64_t *configuration;
	struct kt_scope region;
};

/* The template's parameters hide those of the region. */
static bool lookup(int64_t *value, const char *name, void *context)
{
	struct scope *scope = context;

	for (size_t i = 0; i < scope->template_->parameter_count; i++) {
		if (strcmp(scope->template_->parameters[i].name, name) == 0) {
			*value = scope->configuration[i];
			return true;
		}
	}
	return kt_scope_lookup(value, name, &scope->region);
}

static int64_t threads_of(struct scope *scope)
{
	int64_t product = 1, value;
	struct kt_error ignored;

	for (size_t i = 0; i < scope->template_->block_count; i++)
		if (kt_expr_eval(&value, scope->template_->block[i].expr, lookup, scope, &ignored) != KT_OK ||
		    __builtin_mul_overflow(product, value, &product))
			return 0;
	return product;
}

/* Would a launch on this problem take the variant? Elsewhere it needs nothing. */
static bool is_launched(struct scope *scope)
{
	const struct kt_template *template_ = scope->template_;
	struct kt_error ignored;
	int64_t value;

	for (size_t i = 0; i < template_->guard_count; i++)
		if (kt_expr_eval(&value, template_->guards[i].expr, lookup, scope, &ignored) != KT_OK || value == 0)
			return false;
	for (size_t i = 0; i < template_->restriction_count; i++)
		if (kt_template_at_launch(template_, &template_->restrictions[i]) &&
		    (kt_expr_eval(&value, template_->restrictions[i].expr, lookup, scope, &ignored) != KT_OK || value == 0))
			return false;
	return true;
}

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
		struct scope scope = {template_, configuration, {s->region, NULL, problem, s->device}};
		const int64_t threads = is_launched(&scope) ? threads_of(&scope) : 0;

		if (threads == 0)
			continue;
		usage.threads = threads > usage.threads ? threads : usage.threads;
		if (template_->shared_bytes.expr != NULL &&
		    kt_expr_eval(&value, template_->shared_bytes.expr, lookup, &scope, &ignored) == KT_OK)
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
