/* The function of a region: from problem and device to a launch. */
#include <stdio.h>
#include <string.h>

#include "base/source.h"
#include "emit/dispatch.h"
#include "emit/opencl.h"

static const char fault[] = "&fault";

/* What a name in an expression is in the function. */
struct scope {
	const struct kt_region *region;
	size_t parameter_count;
	const struct kt_parameter *parameters;
	const int64_t *values;          /* one per parameter */
	const struct kt_device *device; /* NULL: any */
	char text[KT_PRAGMA_NAME_BYTES + 8];
};

static const char *rename_name(const char *name, bool pointer, void *context)
{
	struct scope *scope = context;
	const struct kt_region *r = scope->region;
	int64_t value;

	if (pointer)
		return "0";
	for (size_t i = 0; i < scope->parameter_count; i++)
		if (strcmp(scope->parameters[i].name, name) == 0)
			return kt_emit_number(scope->text, sizeof scope->text, scope->values[i]);
	for (size_t i = 0; i < r->variable_count; i++)
		if (strcmp(r->variables[i], name) == 0) {
			snprintf(scope->text, sizeof scope->text, "v_%s", name);
			return scope->text;
		}
	if (scope->device != NULL && strncmp(name, "device.", 7) == 0 && kt_device_lookup(&value, name, scope->device))
		return kt_emit_number(scope->text, sizeof scope->text, value);
	return NULL;
}

static bool only_constants(const char *name, unsigned offset, bool pointer, void *context)
{
	const struct scope *scope = context;

	(void)offset;
	for (size_t i = 0; !pointer && i < scope->parameter_count; i++)
		if (strcmp(scope->parameters[i].name, name) == 0)
			return true;
	return !pointer && strncmp(name, "device.", 7) == 0;
}

static kt_status add_condition(struct kt_buf *out, const struct kt_clause_expr *clause, struct scope *scope,
			       struct kt_error *err)
{
	kt_buf_adds(out, " &&\n\t\t    ");
	kt_status status = kt_expr_print_c99(out, clause->expr, fault, rename_name, scope, err);
	kt_buf_adds(out, " != 0");
	return status;
}

/* Guards, and restrictions that a launch could break. */
static kt_status add_guards(struct kt_buf *out, const struct kt_template *t, struct scope *scope, struct kt_error *err)
{
	kt_status status = KT_OK;

	kt_buf_adds(out, "\t\tholds = 1");
	for (size_t i = 0; status == KT_OK && i < t->guard_count; i++)
		status = add_condition(out, &t->guards[i], scope, err);
	for (size_t i = 0; status == KT_OK && i < t->restriction_count; i++)
		if (!kt_expr_names(t->restrictions[i].expr, only_constants, scope))
			status = add_condition(out, &t->restrictions[i], scope, err);
	kt_buf_adds(out, ";\n");
	return status;
}

struct geometry {
	const struct kt_clause_expr *grid, *block, *shared;
	size_t grid_count, block_count;
};

static kt_status add_extents(struct kt_buf *out, const char *name, const struct kt_clause_expr *extents, size_t count,
			     struct scope *scope, struct kt_error *err)
{
	kt_status status = KT_OK;

	for (size_t i = 0; status == KT_OK && i < 3; i++) {
		kt_buf_addf(out, "\t\t%s[%zu] = ", name, i);
		if (i < count)
			status = kt_expr_print_c99(out, extents[i].expr, fault, rename_name, scope, err);
		else
			kt_buf_addc(out, '1');
		kt_buf_adds(out, ";\n");
	}
	return status;
}

/* Fills the launch: the statement that ends with ktunex_fill(…), without what is done with its answer. */
static kt_status add_geometry(struct kt_buf *out, const struct geometry *g, struct scope *scope, struct kt_error *err)
{
	kt_status status;

	if (g->grid_count == 0 || g->block_count == 0 || g->grid_count > 3 || g->block_count > 3)
		return kt_fail(err, KT_ERR_MISSING, "the launch geometry is unknown");
	status = add_extents(out, "groups", g->grid, g->grid_count, scope, err);
	if (status == KT_OK)
		status = add_extents(out, "local", g->block, g->block_count, scope, err);
	kt_buf_adds(out, "\t\tbytes = ");
	if (status == KT_OK && g->shared->expr != NULL)
		status = kt_expr_print_c99(out, g->shared->expr, fault, rename_name, scope, err);
	else
		kt_buf_addc(out, '0');
	kt_buf_adds(out, ";\n");
	return status;
}

static void add_fill(struct kt_buf *out, const struct geometry *g, const char *kernel)
{
	kt_buf_addf(out, "ktunex_fill(&launch, &fault, \"%s\", %zu, groups, local, bytes)", kernel,
		    g->grid_count > g->block_count ? g->grid_count : g->block_count);
}

static kt_status add_variant(struct kt_buf *out, const struct kt_emit_region *plan, size_t index, struct kt_error *err)
{
	const struct kt_variant *v = plan->variants[index];
	const struct kt_template *t = v->template_;
	const struct geometry g = {t->grid, t->block, &t->shared_bytes, t->grid_count, t->block_count};
	struct scope scope = {plan->region, t->parameter_count, t->parameters, v->configuration, v->device, ""};
	kt_status status;

	kt_buf_adds(out, "\tif (device_name == NULL || strcmp(device_name, ");
	kt_source_string(out, v->device->name);
	kt_buf_adds(out, ") == 0) {\n\t\tfault = 0;\n");
	status = add_guards(out, t, &scope, err);
	if (status == KT_OK && v->when.expr != NULL) {
		kt_buf_adds(out, "\t\tholds = holds && ");
		status = kt_expr_print_c99(out, v->when.expr, fault, rename_name, &scope, err);
		kt_buf_adds(out, " != 0;\n");
	}
	if (status == KT_OK)
		status = add_geometry(out, &g, &scope, err);
	kt_buf_adds(out, "\t\tif (holds && ");
	add_fill(out, &g, plan->names[index]);
	kt_buf_adds(out, ")\n\t\t\treturn launch;\n\t}\n");
	return status;
}

/* The original kernel: what is launched where no variant fits. */
static kt_status add_original(struct kt_buf *out, const struct kt_region *r, struct kt_error *err)
{
	const struct geometry g = {r->grid, r->block, &r->shared_bytes, r->grid_count, r->block_count};
	int64_t originals[KT_PARAMETERS];
	struct scope scope = {r, r->parameter_count, r->parameters, originals, NULL, ""};
	kt_status status;

	if (r->parameter_count > KT_PARAMETERS || r->instance_count == 0)
		return kt_fail(err, KT_ERR_MISSING, "no instance of '%.80s'", r->kernel);
	for (size_t i = 0; i < r->parameter_count; i++) {
		status = kt_region_original(&originals[i], r, &r->instances[0], i, err);
		if (status != KT_OK)
			return status;
	}
	kt_buf_adds(out, "\t{\n\t\tfault = 0;\n");
	status = add_geometry(out, &g, &scope, err);
	kt_buf_adds(out, "\t\t(void)");
	add_fill(out, &g, r->kernel);
	kt_buf_adds(out, ";\n\t}\n");
	return status;
}

/* Appends what `text` holds when it could be written, and returns whether it was; other failures are the caller's. */
static kt_status take(struct kt_buf *out, struct kt_buf *text, kt_status status, bool *said)
{
	*said = status == KT_OK;
	if (status == KT_OK)
		kt_buf_add(out, kt_buf_text(text), text->size);
	kt_buf_clear(text);
	return status == KT_ERR_MISSING ? KT_OK : status;
}

static void add_signature(struct kt_buf *out, const struct kt_region *r)
{
	kt_buf_addf(out, "\nstatic inline struct ktune_opencl_launch ktune_%s(const char *device_name", r->name);
	for (size_t i = 0; i < r->variable_count; i++)
		kt_buf_addf(out, ", long long v_%s", r->variables[i]);
	kt_buf_adds(out, ")\n{\n\tstruct ktune_opencl_launch launch;\n\tlong long groups[3], local[3], bytes;\n"
			 "\tint fault = 0, holds = 1;\n\n\t(void)device_name;\n\t(void)holds;\n");
	for (size_t i = 0; i < r->variable_count; i++)
		kt_buf_addf(out, "\t(void)v_%s;\n", r->variables[i]);
}

kt_status kt_emit_opencl_function(struct kt_buf *out, const struct kt_emit_region *plan, struct kt_error *err)
{
	const struct kt_region *r = plan->region;
	struct kt_buf original = KT_BUF(KT_LIMIT_SOURCE_BYTES), text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_buf piece = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	bool said = false;
	kt_status status = take(&original, &piece, add_original(&piece, r, err), &said);

	if (status == KT_OK && !said) {
		kt_buf_addf(out, "\n/* %s: no function, its launch geometry is not over problem variables alone. */\n",
			    r->name);
		goto done;
	}
	for (size_t i = 0; status == KT_OK && i < plan->variant_count; i++) {
		status = take(&text, &piece, add_variant(&piece, plan, i, err), &said);
		if (status == KT_OK && !said)
			kt_buf_addf(&text, "\t/* %s: a guard or its geometry is not over problem variables alone. */\n",
				    plan->names[i]);
	}
	if (status != KT_OK)
		goto done;
	add_signature(out, r);
	kt_buf_add(out, kt_buf_text(&text), text.size);
	kt_buf_add(out, kt_buf_text(&original), original.size);
	kt_buf_adds(out, "\treturn launch;\n}\n");
	if (text.failed || original.failed || piece.failed)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for the header");
done:
	kt_buf_free(&original);
	kt_buf_free(&text);
	kt_buf_free(&piece);
	return status;
}
