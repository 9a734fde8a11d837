#include "base/template.h"

#include <inttypes.h>
#include <string.h>

#include "base/device.h"
#include "base/passes.h"
#include "base/source.h"
#include "base/template_text.h"

#define TEMPORARY_ALIGN 256 /* of each temporary: what a separate allocation would have */

/* OpenCL C: kernels cannot be static, and a program is built for one device. */
static bool has_host_code(const struct kt_render *render)
{
	return render->template_->region == NULL || kt_target_of(render->template_->region->language)->has_host_code;
}

static bool is_macro(const struct kt_parameter *parameter)
{
	return parameter->kind == KT_PARAMETER_MACRO && parameter->fixed == NULL;
}

static void set_macros(struct kt_buf *out, const struct kt_render *render)
{
	const struct kt_template *template_ = render->template_;

	for (size_t i = 0; i < template_->parameter_count; i++) {
		const char *name = template_->parameters[i].name;

		if (!is_macro(&template_->parameters[i]))
			continue;
		kt_buf_addf(out, "#pragma push_macro(\"%s\")\n#undef %s\n#define %s ", name, name, name);
		kt_template_value(out, render->configuration[i]);
		kt_buf_addc(out, '\n');
	}
}

static void restore_macros(struct kt_buf *out, const struct kt_template *template_)
{
	for (size_t i = template_->parameter_count; i-- > 0;)
		if (is_macro(&template_->parameters[i]))
			kt_buf_addf(out, "#pragma pop_macro(\"%s\")\n", template_->parameters[i].name);
}

static void end_line(struct kt_buf *out)
{
	if (out->size > 0 && out->data[out->size - 1] != '\n')
		kt_buf_addc(out, '\n');
}

static void add_line(struct kt_buf *out, const struct kt_render *render, uint32_t line)
{
	if (render->line_file != NULL && line != 0)
		kt_source_line_directive(out, (uint32_t)(line + render->line_shift), render->line_file);
}

struct kt_template_kernel kt_template_kernel_at(const struct kt_template *t, size_t index)
{
	return index > 0 ? t->further[index - 1]
	                 : (struct kt_template_kernel){t->head, t->body, t->grid_count, t->block_count, t->grid, t->block};
}

bool kt_template_temporary_bytes(int64_t *out, const struct kt_template *t, const int64_t *counts, int64_t memory_bytes)
{
	int64_t sum = 0, bytes;

	for (size_t i = 0; i < t->temporary_count; i++)
		if (counts[i] < 0 ||
		    __builtin_mul_overflow(counts[i], (int64_t)kt_scalar_bytes(t->temporaries[i].element), &bytes) ||
		    __builtin_add_overflow(bytes > 0 ? bytes : 1, TEMPORARY_ALIGN - 1, &bytes) ||
		    __builtin_add_overflow(sum, bytes / TEMPORARY_ALIGN * TEMPORARY_ALIGN, &sum))
			return false;
	*out = sum;
	return memory_bytes <= 0 || sum <= memory_bytes / KT_TEMPORARY_SHARE;
}

void kt_template_kernel_name(struct kt_buf *out, const char *variant, size_t kernel)
{
	kt_buf_adds(out, variant);
	if (kernel > 0)
		kt_buf_addf(out, "_k%zu", kernel);
}

static kt_status add_head(struct kt_buf *out, const struct kt_render *render, const char *head, struct kt_error *err)
{
	size_t size = strlen(head), prefix = kt_source_template_header(head, size);
	TRY(kt_template_expand(out, render, head, prefix, err));

	if (render->internal && has_host_code(render))
		kt_buf_adds(out, "KTUNE_GENERATED static ");
	return kt_template_expand(out, render, head + prefix, size - prefix, err);
}

static kt_status add_body(struct kt_buf *out, const struct kt_render *render, const char *body, uint32_t line,
                          struct kt_error *err)
{
	const bool guarded = render->arch != 0 && has_host_code(render);
	kt_status status;

	if (guarded) {
		kt_buf_adds(out, "#if ");
		kt_template_arch(out, render->arch);
		kt_buf_addc(out, '\n');
	}
	add_line(out, render, line);
	status = kt_template_expand(out, render, body, strlen(body), err);
	end_line(out);
	/* Never an empty body: a launch that gets here by mistake must not look like one that worked. */
	if (guarded)
		kt_buf_adds(out, "#else\n{\n\t__trap();\n}\n#endif\n");
	return status;
}

static kt_status add_kernel(struct kt_buf *out, const struct kt_render *variant, const struct kt_template_kernel *text,
                            size_t kernel, struct kt_error *err)
{
	const struct kt_template *t = variant->template_;
	struct kt_render render = *variant;

	render.kernel += kernel;
	/* A debugger's and a profiler's line of the function itself. */
	add_line(out, &render, t->head_line);
	TRY(add_head(out, &render, text->head, err));
	end_line(out);
	return add_body(out, &render, text->body, t->body_line, err);
}

/* The text whose placeholders are filled in. */
static kt_status text_of(struct kt_template_text *text, const struct kt_render *render, struct kt_error *err)
{
	const struct kt_template *t = render->template_;

	*text = (struct kt_template_text){t->helpers, t->head, t->body};
	if (!t->is_specialised)
		return KT_OK;
	if (t->source == NULL || render->configuration == NULL)
		return kt_fail(err, KT_ERR_INVALID, "the text of a configuration is made by the generator '%s' alone",
		               t->generator);
	return t->source->write(text, t->source->context, render->configuration, err);
}

kt_status kt_template_render(struct kt_buf *out, const struct kt_render *render, struct kt_error *err)
{
	const struct kt_template *template_ = render->template_;
	struct kt_template_text text;
	TRY(text_of(&text, render, err));

	end_line(out);
	set_macros(out, render);
	/* Written by a generator: all of its lines get the kernel's place. */
	if (template_->concrete && text.helpers[0] != '\0')
		add_line(out, render, template_->head_line);
	TRY(kt_template_expand(out, render, text.helpers, strlen(text.helpers), err));
	end_line(out);
	for (size_t i = 0; i <= template_->further_count; i++) {
		struct kt_template_kernel kernel = kt_template_kernel_at(template_, i);

		if (i == 0) {
			kernel.head = text.head;
			kernel.body = text.body;
		}
		TRY(add_kernel(out, render, &kernel, i, err));
	}
	restore_macros(out, template_);
	return kt_buf_check(out, "variant", err);
}

kt_status kt_template_arguments(struct kt_buf *out, const struct kt_template *template_,
                                const struct kt_instance *instance, const int64_t *configuration,
                                struct kt_error *err)
{
	if (instance->argument_count == 0 || template_->concrete)
		return KT_OK;
	kt_buf_addc(out, '<');
	for (size_t i = 0; i < instance->argument_count; i++) {
		size_t tuned = template_->parameter_count;

		for (size_t p = 0; p < template_->parameter_count; p++)
			if (template_->parameters[p].kind == KT_PARAMETER_TEMPLATE &&
			    template_->parameters[p].template_index == i && template_->parameters[p].fixed == NULL)
				tuned = p;
		if (i > 0)
			kt_buf_adds(out, ", ");
		if (tuned < template_->parameter_count)
			kt_template_value(out, configuration[tuned]);
		else
			kt_buf_adds(out, instance->arguments[i]);
	}
	kt_buf_addc(out, '>');
	return kt_buf_check(out, "template arguments", err);
}

static bool names_constant(const char *name, unsigned offset, bool pointer, void *context)
{
	const struct kt_template *template_ = context;

	(void)offset;
	for (size_t i = 0; !pointer && i < template_->parameter_count; i++)
		if (strcmp(template_->parameters[i].name, name) == 0)
			return true;
	return !pointer && strncmp(name, "device.", 7) == 0;
}

bool kt_template_at_launch(const struct kt_template *template_, const struct kt_clause_expr *clause)
{
	return !kt_expr_names(clause->expr, names_constant, (void *)template_);
}

kt_status kt_template_original(int64_t *out, const struct kt_template *template_, const struct kt_instance *instance,
                               size_t parameter, struct kt_error *err)
{
	const struct kt_region *region = template_->region;
	const struct kt_parameter *wanted = &template_->parameters[parameter];

	for (size_t i = 0; wanted->kind != KT_PARAMETER_PLACEHOLDER && i < region->parameter_count; i++)
		if (strcmp(region->parameters[i].name, wanted->name) == 0)
			return kt_region_original(out, region, instance, i, err);
	if (wanted->absent)
		return kt_fail(err, KT_ERR_MISSING, "%s has no value in the source", wanted->name);
	*out = wanted->original;
	return KT_OK;
}

void kt_template_hash_clauses(struct kt_hash *hash, const char *tag, const struct kt_clause_expr *clauses, size_t count)
{
	kt_hash_int(hash, tag, (int64_t)count);
	for (size_t i = 0; i < count; i++)
		kt_hash_field(hash, tag, clauses[i].text != NULL ? clauses[i].text : "");
}

bool kt_generator_has_recipes(const char *generator)
{
	static const char *const names[] = {"rules", "ir", "plain"};

	for (size_t i = 0; generator != NULL && i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], generator) == 0)
			return true;
	return false;
}

bool kt_template_is_generated(const struct kt_template *template_)
{
	return template_->concrete || kt_generator_has_recipes(template_->generator);
}

void kt_template_hash(char out[KT_HASH_TEXT], const struct kt_template *template_)
{
	struct kt_hash hash;

	kt_hash_init(&hash);
	kt_hash_field(&hash, "template", "1");
	kt_hash_field(&hash, "helpers", template_->helpers);
	kt_hash_field(&hash, "head", template_->head);
	kt_hash_field(&hash, "body", template_->body);
	/* What passes make of the text is decided by their versions. */
	for (size_t i = 0; template_->is_specialised && i < template_->strategy_count; i++)
		kt_hash_int(&hash, template_->strategies[i].name, kt_pass_version(template_->strategies[i].name));
	kt_template_hash_clauses(&hash, "grid", template_->grid, template_->grid_count);
	kt_template_hash_clauses(&hash, "block", template_->block, template_->block_count);
	kt_template_hash_clauses(&hash, "shared", &template_->shared_bytes, template_->shared_bytes.expr != NULL);
	for (size_t i = 0; i < template_->further_count; i++) {
		const struct kt_template_kernel *further = &template_->further[i];

		kt_hash_field(&hash, "head", further->head);
		kt_hash_field(&hash, "body", further->body);
		kt_template_hash_clauses(&hash, "grid", further->grid, further->grid_count);
		kt_template_hash_clauses(&hash, "block", further->block, further->block_count);
	}
	for (size_t i = 0; i < template_->temporary_count; i++) {
		kt_hash_field(&hash, "temporary", kt_scalar_name(template_->temporaries[i].element));
		kt_template_hash_clauses(&hash, "count", &template_->temporaries[i].count, 1);
	}
	/* Where a condition keeps a configuration out nothing was measured. */
	kt_template_hash_clauses(&hash, "guard", template_->guards, template_->guard_count);
	for (size_t i = 0; i < template_->restriction_count; i++)
		if (kt_template_at_launch(template_, &template_->restrictions[i]))
			kt_hash_field(&hash, "restriction", template_->restrictions[i].text);
	kt_hash_final(&hash, out);
}

/* What an expression of an adopted template may name, and the first name that it may not. */
struct adoption {
	const struct kt_template *template_;
	struct kt_scope scope;
	const char *unknown;
};

static bool known(const char *name, unsigned offset, bool pointer, void *context)
{
	struct adoption *a = context;
	const struct kt_region *region = a->scope.region;
	int64_t ignored;

	if (names_constant(name, offset, pointer, (void *)a->template_) && strncmp(name, "device.", 7) != 0)
		return true;
	for (size_t i = 0; pointer && i < region->argument_count; i++)
		if (region->arguments[i].is_pointer && strcmp(region->arguments[i].name, name) == 0)
			return true;
	if (!pointer && kt_scope_lookup(&ignored, name, &a->scope))
		return true;
	a->unknown = name;
	return false;
}

static kt_status adopt_clauses(struct adoption *a, const struct kt_clause_expr *clauses, size_t count, const char *what,
                               struct kt_error *err)
{
	for (size_t i = 0; i < count; i++)
		if (!kt_expr_names(clauses[i].expr, known, a))
			return kt_fail(err, KT_ERR_INVALID, "%s '%.200s' of the template: '%.80s' is not known", what,
			               clauses[i].text, a->unknown);
	return KT_OK;
}

/* Memory of a plan's own: what its sizes name is known, and none is called as an argument is. */
static kt_status adopt_temporaries(struct adoption *a, struct kt_error *err)
{
	const struct kt_template *t = a->template_;
	const struct kt_region *region = a->scope.region;

	if (t->temporary_count > 0 && t->further_count == 0)
		return kt_fail(err, KT_ERR_INVALID, "the template has temporaries and one kernel");
	for (size_t i = 0; i < t->temporary_count; i++) {
		for (size_t k = 0; k < region->argument_count; k++)
			if (strcmp(t->temporaries[i].name, region->arguments[k].name) == 0)
				return kt_fail(err, KT_ERR_INVALID, "temporary '%s' is called as an argument is",
				               t->temporaries[i].name);
		TRY(adopt_clauses(a, &t->temporaries[i].count, 1, "temporary", err));
	}
	return KT_OK;
}

kt_status kt_template_adopt(struct kt_template *template_, const struct kt_region *region, uint32_t head_line,
                            struct kt_error *err)
{
	static const struct kt_device any;
	const bool has_problem = region->variable_count != 0 && region->problem_count != 0;
	struct adoption a = {template_, {region, NULL, has_problem ? region->problems : NULL, &any}, NULL};
	kt_status status = KT_OK;

	if (template_->grid_count == 0 || template_->block_count == 0)
		return kt_fail(err, KT_ERR_INVALID, "the template has no launch geometry");
	if (template_->further_count > 0 && region->step_count == 0)
		return kt_fail(err, KT_ERR_INVALID, "the template has several kernels, the region is one");
	status = adopt_clauses(&a, template_->restrictions, template_->restriction_count, "restriction", err);
	THEN(status, adopt_clauses(&a, template_->guards, template_->guard_count, "guard", err));
	THEN(status, adopt_clauses(&a, template_->grid, template_->grid_count, "grid", err));
	THEN(status, adopt_clauses(&a, template_->block, template_->block_count, "block", err));
	if (status == KT_OK && template_->shared_bytes.expr != NULL)
		status = adopt_clauses(&a, &template_->shared_bytes, 1, "shared memory", err);
	for (size_t i = 0; status == KT_OK && i < template_->further_count; i++) {
		const struct kt_template_kernel *further = &template_->further[i];

		status = adopt_clauses(&a, further->grid, further->grid_count, "grid", err);
		THEN(status, adopt_clauses(&a, further->block, further->block_count, "block", err));
	}
	THEN(status, adopt_temporaries(&a, err));
	template_->region = region;
	template_->head_line = head_line;
	template_->body_line = head_line != 0 ? region->body_line : 0;
	return status;
}

void kt_configuration_print(struct kt_buf *out, const struct kt_parameter *parameters, size_t count,
                            const int64_t *configuration)
{
	for (size_t i = 0; i < count; i++)
		kt_buf_addf(out, "%s%s=%" PRId64, i > 0 ? " " : "", parameters[i].name, configuration[i]);
}
