/* The text that tries one variant at a launch: its guards, its geometry, its kernels, what came of it. */
#include "emit/dispatch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/source.h"

/* What a name in an expression is in the dispatcher. */
struct scope {
	const struct kt_region *region;
	size_t parameter_count;
	const struct kt_parameter *parameters;
	const int64_t *values; /* one per parameter */
	const struct kt_device *device;
	struct kt_arena *arena;
	char text[64];
};

const char *kt_emit_argument(struct kt_arena *arena, const struct kt_region *region, size_t argument)
{
	const struct kt_argument *a = &region->arguments[argument];

	if (argument < region->argument_count)
		return kt_arena_printf(arena, "ktune_a%zu", argument);
	return kt_arena_printf(arena, "ktune_a%zu%s", a->parent, a->name + strlen(region->arguments[a->parent].name));
}

const char *kt_emit_number(char *text, size_t size, int64_t value)
{
	if (value == INT64_MIN)
		return "(-9223372036854775807LL - 1)";
	snprintf(text, size, "%" PRId64 "LL", value);
	return text;
}

/* What the variant fixes, and the limits of the entry's device, which is the one that the launch is on. */
static bool find_constant(int64_t *value, const char *name, void *context)
{
	const struct scope *scope = context;

	for (size_t i = 0; i < scope->parameter_count; i++)
		if (strcmp(scope->parameters[i].name, name) == 0) {
			*value = scope->values[i];
			return true;
		}
	return strncmp(name, "device.", 7) == 0 && kt_device_lookup(value, name, scope->device);
}

/* What is left for the launch to ask. */
static kt_status fold(const struct kt_expr **out, const struct kt_expr *expr, struct scope *scope, struct kt_error *err)
{
	*out = kt_expr_fold(scope->arena, expr, find_constant, scope);
	return *out != NULL ? KT_OK : kt_no_memory(err);
}

static const char *rename_name(const char *name, bool pointer, void *context)
{
	struct scope *scope = context;
	const struct kt_region *r = scope->region;

	for (size_t i = 0; !pointer && i < r->variable_count; i++)
		if (strcmp(r->variables[i], name) == 0) {
			snprintf(scope->text, sizeof scope->text, "ktune_v%zu", i);
			return scope->text;
		}
	for (size_t i = 0; i < r->argument_count; i++)
		if (strcmp(r->arguments[i].name, name) == 0 && r->arguments[i].is_pointer == pointer) {
			snprintf(scope->text, sizeof scope->text, pointer ? "ktune_a%zu" : "::ktune::value_(ktune_f, ktune_a%zu)",
			         i);
			return scope->text;
		}
	for (size_t i = r->argument_count; i < r->argument_count + r->member_count; i++)
		if (strcmp(r->arguments[i].name, name) == 0 && r->arguments[i].is_pointer == pointer)
			return kt_arena_printf(scope->arena, pointer ? "%s" : "::ktune::value_(ktune_f, %s)",
			                       kt_emit_argument(scope->arena, r, i));
	return NULL;
}

static kt_status add_expr(struct kt_buf *out, const struct kt_expr *expr, struct scope *scope, struct kt_error *err)
{
	const struct kt_expr *folded = NULL;
	const kt_status status = fold(&folded, expr, scope, err);

	return status == KT_OK ? kt_expr_print(out, folded, "ktune_f", rename_name, scope, err) : status;
}

static kt_status add_condition(struct kt_buf *out, const struct kt_emit_region *plan,
                               const struct kt_clause_expr *clause, struct scope *scope, struct kt_error *err)
{
	const struct kt_expr *left = NULL;
	kt_status status = fold(&left, clause->expr, scope, err);
	int64_t value;

	if (status == KT_OK && kt_expr_number(&value, left) && value != 0)
		return KT_OK;
	kt_buf_adds(out, " &&\n\t\t\t      ::ktune::holds_(");
	if (status == KT_OK)
		status = kt_expr_print(out, left, "ktune_f", rename_name, scope, err);
	kt_buf_addf(out, " != 0, ktune_failed, %zu)", kt_emit_condition(plan, clause->text));
	return status == KT_OK ? KT_OK : kt_fail_prefix(err, "guard '%.200s'", clause->text);
}

/* Guards, and restrictions that a launch could break. */
static kt_status add_guards(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_template *t,
                            struct scope *scope, struct kt_error *err)
{
	const struct kt_clause_expr *clause;
	kt_status status = KT_OK;
	bool asked;

	kt_buf_adds(out, "\t\t\tif (!KTUNE_EXPECT(true");
	for (size_t i = 0; status == KT_OK && (clause = kt_emit_condition_at(&asked, t, i)) != NULL; i++)
		if (asked)
			status = add_condition(out, plan, clause, scope, err);
	kt_buf_adds(out, "))\n");
	return status;
}

/* "(gx, gy, gz, bx, by, bz, shared)" */
static kt_status add_geometry(struct kt_buf *out, const struct kt_clause_expr *grid, size_t grid_count,
			      const struct kt_clause_expr *block, size_t block_count,
			      const struct kt_clause_expr *shared, struct scope *scope, struct kt_error *err)
{
	const struct kt_clause_expr *all[7] = {NULL, NULL, NULL, NULL, NULL, NULL, shared};

	if (grid_count == 0 || block_count == 0 || grid_count > 3 || block_count > 3)
		return kt_fail(err, KT_ERR_INVALID, "the launch geometry is unknown");
	for (size_t i = 0; i < grid_count; i++)
		all[i] = &grid[i];
	for (size_t i = 0; i < block_count; i++)
		all[3 + i] = &block[i];
	kt_buf_addc(out, '(');
	for (size_t i = 0; i < 7; i++) {
		kt_status status;

		kt_buf_adds(out, i > 0 ? ", " : "");
		if (all[i] == NULL || all[i]->expr == NULL) {
			kt_buf_adds(out, i < 6 ? "1LL" : "0LL");
			continue;
		}
		status = add_expr(out, all[i]->expr, scope, err);
		if (status != KT_OK)
			return kt_fail_prefix(err, "launch geometry '%.200s'", all[i]->text);
	}
	kt_buf_addc(out, ')');
	return KT_OK;
}

/* Every launch of a launch region as the host would launch it. */
static kt_status add_steps(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_device *device,
			   struct kt_arena *arena, struct kt_error *err)
{
	const struct kt_region *r = plan->region;
	struct scope scope = {r, 0, NULL, NULL, device, arena, ""};
	kt_status status = KT_OK;

	for (size_t i = 0; status == KT_OK && i < r->step_count; i++) {
		const struct kt_region_step *s = &r->steps[i];

		kt_buf_adds(out, i > 0 ? " &&\n\t\t\t\t  ::ktune::geometry_" : "(::ktune::geometry_");
		status = add_geometry(out, s->grid, s->grid_count, s->block, s->block_count, &s->shared_bytes, &scope, err);
		if (i > 0)
			kt_buf_addf(out, ".is_(ktune_at%zu)", i);
		else
			kt_buf_adds(out, ".is_(ktune_at)");
	}
	kt_buf_addc(out, ')');
	return status;
}

static kt_status add_baseline(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_variant *variant,
			      struct kt_arena *arena, struct kt_error *err)
{
	const struct kt_region *r = kt_region_for(plan->region, variant->instance);
	int64_t originals[KT_PARAMETERS];
	struct scope scope = {r, r->parameter_count, r->parameters, originals, variant->device, arena, ""};
	kt_status status;

	if (r->step_count > 0)
		return add_steps(out, plan, variant->device, arena, err);
	if (r->parameter_count > KT_PARAMETERS)
		return kt_fail(err, KT_ERR_INVALID, "too many parameters");
	for (size_t i = 0; i < r->parameter_count; i++) {
		status = kt_region_original(&originals[i], r, &r->instances[variant->instance], i, err);
		if (status != KT_OK)
			return status;
	}
	kt_buf_adds(out, "::ktune::geometry_");
	status = add_geometry(out, r->grid, r->grid_count, r->block, r->block_count, &r->shared_bytes, &scope, err);
	kt_buf_adds(out, ".is_(ktune_at)");
	return status;
}

/* ";\n const ::ktune::geometry_ ktune_g1(…)": the kernels after the first. */
static kt_status add_further(struct kt_buf *out, const struct kt_template *t, struct scope *scope, struct kt_error *err)
{
	static const struct kt_clause_expr no_shared = {.expr = NULL};

	for (size_t i = 1; i <= t->further_count; i++) {
		const struct kt_template_kernel *k = &t->further[i - 1];

		kt_buf_addf(out, ";\n\t\t\t\tconst ::ktune::geometry_ ktune_g%zu", i);
		TRY(add_geometry(out, k->grid, k->grid_count, k->block, k->block_count, &no_shared, scope, err));
	}
	return KT_OK;
}

/* Where each temporary of a plan ends in its memory, in bytes: ktune_e0, …; whatever has no value is a fault. */
static kt_status add_ends(struct kt_buf *out, const struct kt_template *t, struct scope *scope, struct kt_error *err)
{
	for (size_t i = 0; i < t->temporary_count; i++) {
		const struct kt_template_temporary *own = &t->temporaries[i];

		kt_buf_addf(out, ";\n\t\t\t\tconst long long ktune_e%zu = ::ktune::extend_(ktune_f, ", i);
		if (i > 0)
			kt_buf_addf(out, "ktune_e%zu, ", i - 1);
		else
			kt_buf_adds(out, "0LL, ");
		if (add_expr(out, own->count.expr, scope, err) != KT_OK)
			return kt_fail_prefix(err, "temporary '%.200s'", own->count.text);
		kt_buf_addf(out, ", %uLL)", kt_scalar_bytes(own->element));
	}
	return KT_OK;
}

/* What has to be there before the first kernel is queued, asked last: a plan's own memory. */
static void open_launch(struct kt_buf *out, const struct kt_template *t)
{
	if (t->temporary_count == 0) {
		kt_buf_adds(out, "\t\t\t\telse {\n");
		return;
	}
	kt_buf_addf(out, "\t\t\t\telse if (char *const ktune_m = ::ktune::borrow_(ktune_e%zu, ktune_at.stream_)) {\n",
	            t->temporary_count - 1);
	for (size_t i = 0; i < t->temporary_count; i++) {
		kt_buf_addf(out, "\t\t\t\t\tchar *const ktune_t%zu = ktune_m", i);
		if (i > 0)
			kt_buf_addf(out, " + ktune_e%zu", i - 1);
		kt_buf_adds(out, ";\n");
	}
	kt_buf_addc(out, '\n');
}

static void give_back(struct kt_buf *out, const struct kt_template *t, const char *indent)
{
	if (t->temporary_count > 0)
		kt_buf_addf(out, "\n%s::ktune::give_back_(ktune_m, ktune_at.stream_);", indent);
}

/*
 * KTUNE_TRACE=time: the original has this launch where it is its turn. A block of launches has none: its original
 * launches are elsewhere.
 */
static void add_turn(struct kt_buf *out, const struct kt_emit_region *plan, size_t index)
{
	if (plan->region->step_count > 0)
		return;
	kt_buf_addf(out,
		    "\t\t\t\telse if (!KTUNE_EXPECT((ktune_word & KTUNE_QUIET) != 0) && ::ktune::timing_() &&\n"
		    "\t\t\t\t\t ::ktune::has_turn_(ktune_u, ktune_z_%s(), %zu, ktune_at.stream_",
		    plan->hash, index);
	for (size_t i = 0; i < plan->region->variable_count; i++)
		kt_buf_addf(out, ", ktune_v%zu", i);
	kt_buf_adds(out, ")) {\n\t\t\t\t\t::ktune::enqueue_original_(ktune_k, ktune_at");
	kt_emit_kernel_arguments(out, plan->region);
	kt_buf_addf(out,
		    ");\n\t\t\t\t\t::ktune::end_turn_(ktune_u, ktune_z_%s(), ktune_at.stream_);\n"
		    "\t\t\t\t\treturn ::ktune::outcome_turn_;\n\t\t\t\t}\n",
		    plan->hash);
}

/* What every kernel of a variant gets. */
static void add_passed(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_template *t)
{
	for (size_t i = 0; i < plan->region->argument_count; i++)
		kt_buf_addf(out, ", ktune_a%zu", i);
	for (size_t i = 0; i < t->temporary_count; i++)
		kt_buf_addf(out, ", ktune_t%zu", i);
}

/* What is queued after the first kernel, once that one was not refused; then the launch is done. */
static void add_rest(struct kt_buf *out, const struct kt_emit_region *plan, size_t index)
{
	const struct kt_template *t = plan->variants[index]->template_;
	const size_t count = t->further_count;

	kt_buf_adds(out, " {");
	for (size_t i = 1; i <= count; i++) {
		kt_buf_adds(out, "\n\t\t\t\t\t\t::ktune::enqueue_(::ktune::address_(&");
		kt_template_kernel_name(out, plan->names[index], i);
		kt_buf_addf(out, "), ktune_g%zu, ktune_at.stream_", i);
		add_passed(out, plan, t);
		kt_buf_adds(out, ");");
	}
	give_back(out, t, "\t\t\t\t\t\t");
	if (plan->region->step_count == 0)
		kt_buf_addf(out,
			    "\n\t\t\t\t\t\tif (!KTUNE_EXPECT(ktune_u == nullptr))\n"
			    "\t\t\t\t\t\t\t::ktune::end_turn_(ktune_u, ktune_z_%s(), ktune_at.stream_);",
			    plan->hash);
	kt_buf_adds(out, "\n\t\t\t\t\t\treturn ::ktune::launched_(ktune_word);\n\t\t\t\t\t}");
}

static kt_status add_launch(struct kt_buf *out, const struct kt_emit_region *plan, size_t index, const char *callee,
			    struct kt_arena *arena, struct kt_error *err)
{
	const struct kt_variant *v = plan->variants[index];
	const struct kt_template *t = v->template_;
	struct scope scope = {plan->region, t->parameter_count, t->parameters, v->configuration, v->device, arena, ""};
	TRY(add_guards(out, plan, t, &scope, err));

	kt_buf_adds(out, "\t\t\t\tktune_now = ::ktune::outcome_guard_;\n\t\t\telse if (!");
	TRY(add_baseline(out, plan, v, arena, err));
	kt_buf_adds(out, ")\n\t\t\t\tktune_now = ::ktune::outcome_geometry_;\n\t\t\telse {\n"
			 "\t\t\t\tconst ::ktune::geometry_ ktune_g");
	TRY(add_geometry(out, t->grid, t->grid_count, t->block, t->block_count, &t->shared_bytes, &scope, err));
	TRY(add_further(out, t, &scope, err));
	TRY(add_ends(out, t, &scope, err));
	kt_buf_adds(out, plan->region->step_count == 0 ? ";\n\t\t\t\t::ktune::turn_ *ktune_u = nullptr;\n\n" : ";\n\n");
	kt_buf_adds(out, "\t\t\t\tif (!KTUNE_EXPECT(!ktune_f && ktune_g.legal_(ktune_word)");
	for (size_t i = 1; i <= t->further_count; i++)
		kt_buf_addf(out, " && ktune_g%zu.legal_(ktune_word%zu)", i, i);
	kt_buf_adds(out, "))\n\t\t\t\t\tktune_now = ::ktune::outcome_problem_;\n"
			 "\t\t\t\telse if (!::ktune::launchable_(ktune_g)");
	/* What checks errors between the launches of a block may keep the later ones from running. */
	kt_buf_adds(out, plan->region->step_count > 1 ? " || ::ktune::error_pending_())\n" : ")\n");
	kt_buf_adds(out, "\t\t\t\t\tktune_now = ::ktune::outcome_error_;\n");
	add_turn(out, plan, index);
	open_launch(out, t);
	kt_buf_addf(out, "\t\t\t\t\t::ktune::enqueue_(::ktune::address_(&%s), ktune_g, ktune_at.stream_", callee);
	add_passed(out, plan, t);
	kt_buf_adds(out, ");\n\t\t\t\t\tif (!::ktune::refused_(ktune_known, ktune_g))");
	add_rest(out, plan, index);
	give_back(out, t, "\t\t\t\t\t");
	kt_buf_adds(out, "\n\t\t\t\t\tktune_now = ::ktune::outcome_error_;\n\t\t\t\t}");
	kt_buf_adds(out, t->temporary_count > 0 ? " else\n\t\t\t\t\tktune_now = ::ktune::outcome_error_;\n\t\t\t}\n"
	                                        : "\n\t\t\t}\n");
	return KT_OK;
}

/* Whether a variant is tried at all at this problem; one that is not leaves no trace in the counters. */
static kt_status add_rule(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_variant *v,
			  struct kt_arena *arena, struct kt_error *err)
{
	struct scope scope = {plan->region, 0, NULL, NULL, v->device, arena, ""};
	kt_status status;

	if (v->when.expr == NULL)
		return KT_OK;
	kt_buf_adds(out, "\tktune_f = false;\n\tif (");
	status = add_expr(out, v->when.expr, &scope, err);
	kt_buf_adds(out, " != 0 && !ktune_f)\n");
	return status == KT_OK ? KT_OK : kt_fail_prefix(err, "rule '%.200s'", v->when.text);
}

/*
 * The variant's address. A text that came with an entry declares what it takes; arguments are passed as bytes, so a
 * head of other types must not compile.
 */
static void add_checked(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_variant *v,
			const char *callee)
{
	const struct kt_instance *instance = &plan->region->instances[v->instance];

	if (!v->template_->concrete) {
		kt_buf_addf(out, "&%s", callee);
		return;
	}
	kt_buf_adds(out, "static_cast<void (*)(");
	for (size_t i = 0; i < plan->region->argument_count; i++)
		kt_buf_addf(out, "%s%s", i > 0 ? ", " : "", instance->types[i]);
	for (size_t i = 0; i < v->template_->temporary_count; i++)
		kt_buf_addf(out, "%s%s *", plan->region->argument_count + i > 0 ? ", " : "",
		            kt_scalar_cuda(v->template_->temporaries[i].element));
	kt_buf_addf(out, ")>(&%s)", callee);
}

/* May the kernels after the first run on this device? Asked before any of them is queued. */
static void add_questions(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_variant *v,
                          size_t index)
{
	for (size_t i = 1; i <= v->template_->further_count; i++) {
		struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_template_kernel_name(&name, plan->names[index], i);
		kt_buf_addf(out, "\t\tstatic ::ktune::answers_ ktune_known%zu;\n"
				 "\t\tconst unsigned long long ktune_word%zu = ::ktune::ask_(ktune_known%zu, ktune_device, "
				 "ktune_tuned,\n\t\t    ::ktune::address_(", i, i, i);
		add_checked(out, plan, v, kt_buf_text(&name));
		kt_buf_adds(out, "), false);\n");
		out->failed = out->failed || name.failed;
		kt_buf_free(&name);
	}
}

kt_status kt_emit_callee(struct kt_buf *out, const struct kt_emit_region *plan, size_t index, struct kt_error *err)
{
	const struct kt_variant *v = plan->variants[index];

	kt_buf_adds(out, plan->names[index]);
	return kt_template_arguments(out, v->template_, &plan->region->instances[v->instance], v->configuration, err);
}

kt_status kt_emit_attempt(struct kt_buf *out, const struct kt_emit_region *plan, size_t index, struct kt_error *err)
{
	const struct kt_variant *v = plan->variants[index];
	const struct kt_device *d = v->device;
	struct kt_buf callee = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	kt_status status = kt_emit_callee(&callee, plan, index, err);

	if (status != KT_OK)
		goto done;
	status = arena != NULL ? add_rule(out, plan, v, arena, err) : kt_no_memory(err);
	if (status != KT_OK)
		goto done;
	kt_buf_adds(
	    out, "\t{\n\t\tstatic ::ktune::answers_ ktune_known;\n\t\tstatic const ::ktune::identity_ ktune_tuned = {");
	kt_source_string(out, d->name);
	kt_buf_addf(out, ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 "LL};\n", d->cc, d->multiprocessors,
		    d->memory_bus_bits, d->l2_bytes);
	kt_buf_adds(out, "\t\tconst unsigned long long ktune_word = ::ktune::ask_(ktune_known, ktune_device, ktune_tuned,\n"
			 "\t\t    ::ktune::address_(");
	add_checked(out, plan, v, kt_buf_text(&callee));
	kt_buf_addf(out, "), %s);\n", v->template_->shared_bytes.expr != NULL ? "true" : "false");
	add_questions(out, plan, v, index);
	kt_buf_adds(out, "\t\t::ktune::outcome_ ktune_now = ::ktune::outcome_of_(ktune_word);\n\n");
	for (size_t i = 1; i <= v->template_->further_count; i++)
		kt_buf_addf(out, "\t\tif (ktune_now == ::ktune::outcome_variant_)\n"
				 "\t\t\tktune_now = ::ktune::outcome_of_(ktune_word%zu);\n", i);
	kt_buf_adds(out, "\t\tif (KTUNE_EXPECT(ktune_now == ::ktune::outcome_variant_)) {\n\t\t\tktune_f = false;\n");
	status = add_launch(out, plan, index, kt_buf_text(&callee), arena, err);
	kt_buf_adds(out, "\t\t}\n\t\tktune_why = ::ktune::further_(ktune_why, ktune_now);\n\t}\n");
done:
	kt_arena_free(arena);
	kt_buf_free(&callee);
	return status;
}
