#include "tuning/t1_export.h"

#include <string.h>

#include "tuning/bind.h"
#include "tuning/python.h"
#include "tuning/space_internal.h"

struct exporter {
	const struct kt_template *template_;
	const struct kt_region *region;
	const struct kt_instance *instance;
	struct kt_space *space; /* domains and graph only */
	struct kt_bind bind;
	struct kt_error *err;
};

/* The names that the format has for element types; others are "custom" with a size. */
static const struct {
	enum kt_scalar scalar;
	const char *name;
} types[] = {
    {KT_BOOL, "bool"}, {KT_I8, "int8"},	    {KT_U8, "uint8"},	{KT_I16, "int16"}, {KT_U16, "uint16"},
    {KT_I32, "int32"},
    {KT_U32, "uint32"}, {KT_I64, "int64"}, {KT_U64, "uint64"}, {KT_F16, "half"},  {KT_F32, "float"},
     {KT_F64, "double"},
};

static void add_type(cJSON *out, const struct kt_element *element)
{
	const enum kt_scalar scalar = kt_element_scalar(element);
	const char *name = "custom";

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].scalar == scalar)
			name = types[i].name;
	cJSON_AddStringToObject(out, "Type", name);
	cJSON_AddNumberToObject(out, "TypeSize", element->bytes);
}

static void add_parameters(cJSON *space, const struct exporter *e)
{
	cJSON *list = cJSON_AddArrayToObject(space, "TuningParameters");

	for (size_t p = 0; p < e->space->dimensions; p++) {
		const struct kt_domain *domain = &e->space->domains[p];
		struct kt_buf values = KT_BUF(KT_LIMIT_LINE_BYTES);
		cJSON *item = kt_json_append(list);

		for (size_t i = 0; i < domain->count; i++)
			kt_buf_addf(&values, "%s%lld", i > 0 ? ", " : "[", (long long)domain->values[i]);
		kt_buf_adds(&values, domain->count > 0 ? "]" : "[]");
		cJSON_AddStringToObject(item, "Name", domain->name);
		cJSON_AddStringToObject(item, "Type", "int");
		cJSON_AddStringToObject(item, "Values", kt_buf_text(&values));
		kt_json_add_int(item, "Default", e->space->originals[p]);
		kt_buf_free(&values);
	}
}

static kt_status add_text(cJSON *out, const char *name, struct exporter *e, kt_node node)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_status status;

	if (node == KT_NODE_NONE)
		return kt_fail(e->err, KT_ERR_MEMORY, "out of memory for an expression");
	kt_python_print(&text, e->space->graph, node);
	status = kt_buf_check(&text, "an expression", e->err);
	if (status == KT_OK)
		cJSON_AddStringToObject(out, name, kt_buf_text(&text));
	kt_buf_free(&text);
	return status;
}

static kt_status add_condition(cJSON *list, struct exporter *e, const struct kt_clause_expr *clause)
{
	struct kt_graph *graph = e->space->graph;
	struct kt_bound bound;
	cJSON *item, *names;
	kt_node node, any = kt_graph_integer(graph, 0);
	size_t rounds;

	TRY(kt_bind_names(&bound, &e->bind, clause, "restriction", e->err));
	if (bound.needs_device && e->bind.device == NULL)
		return KT_OK;
	rounds = bound.per_problem ? e->bind.problem_count : 1;
	for (size_t problem = 0; problem < rounds; problem++) {
		TRY(kt_bind_expr(&node, &e->bind, clause, problem, e->err));
		any = !bound.per_problem ? node : problem == 0
			? kt_graph_truth(graph, node) : kt_graph_make(graph, KT_NODE_ANY, any, node, KT_NODE_NONE);
	}
	item = kt_json_append(list);
	TRY(add_text(item, "Expression", e, any));
	names = cJSON_AddArrayToObject(item, "Parameters");
	for (size_t p = 0; p < e->space->dimensions; p++)
		if ((graph->nodes[any].parameters >> p & 1) != 0)
			cJSON_AddItemToArray(names, cJSON_CreateString(e->space->domains[p].name));
	return KT_OK;
}

/* {"X": …, "Y": …, "Z": …} on the first problem; dimensions that are not given are 1. */
static kt_status add_extent(cJSON *kernel, const char *name, struct exporter *e, const struct kt_clause_expr *clauses,
			    size_t count)
{
	static const char *const axes[] = {"X", "Y", "Z"};
	cJSON *extent = cJSON_AddObjectToObject(kernel, name);
	struct kt_bound bound;
	kt_node node;

	for (size_t i = 0; i < 3; i++) {
		if (i >= count) {
			cJSON_AddStringToObject(extent, axes[i], "1");
			continue;
		}
		if (kt_bind_names(&bound, &e->bind, &clauses[i], name, e->err) != KT_OK ||
		    kt_bind_expr(&node, &e->bind, &clauses[i], 0, e->err) != KT_OK ||
		    add_text(extent, axes[i], e, node) != KT_OK)
			return e->err->code;
	}
	return KT_OK;
}

static const int64_t *first_problem(const struct kt_region *region)
{
	return region->problem_count == 0 || region->variable_count == 0 ? NULL : region->problems;
}

static void add_buffer(cJSON *item, const struct exporter *e, const struct kt_buffer *buffer)
{
	struct kt_scope scope = {e->region, e->space->originals, first_problem(e->region), e->bind.device};
	const bool read = buffer->direction == KT_IN, write = buffer->direction == KT_OUT;
	struct kt_error ignored;
	int64_t count;

	cJSON_AddStringToObject(item, "MemoryType", "Vector");
	cJSON_AddStringToObject(item, "AccessType", read ? "ReadOnly" : write ? "WriteOnly" : "ReadWrite");
	cJSON_AddStringToObject(item, "FillType", write ? "Constant" : "Random");
	cJSON_AddNumberToObject(item, "FillValue", write ? 0 : 1);
	/* A count that depends on the configuration is that of the original. */
	if (buffer->count.expr != NULL &&
	    kt_expr_eval(&count, buffer->count.expr, kt_scope_lookup, &scope, &ignored) == KT_OK)
		kt_json_add_int(item, "Size", count);
}

static void add_scalar(cJSON *item, const struct exporter *e, const char *name, size_t argument)
{
	struct kt_scope scope = {e->region, NULL, first_problem(e->region), NULL};
	int64_t value;

	cJSON_AddStringToObject(item, "MemoryType", "Scalar");
	cJSON_AddStringToObject(item, "AccessType", "ReadOnly");
	cJSON_AddStringToObject(item, "FillType", "Constant");
	for (size_t v = 0; v < e->region->value_count; v++) {
		if (e->region->values[v].argument == (int64_t)argument) {
			struct kt_error ignored;

			if (e->region->values[v].expr.expr == NULL)
				cJSON_AddNumberToObject(item, "FillValue", e->region->values[v].number);
			else if (kt_scope_value(&value, &scope, v, &ignored) == KT_OK)
				cJSON_AddNumberToObject(item, "FillValue", (double)value);
			return;
		}
	}
	if (kt_scope_lookup(&value, name, &scope))
		cJSON_AddNumberToObject(item, "FillValue", (double)value);
}

static void add_arguments(cJSON *kernel, const struct exporter *e)
{
	cJSON *list = cJSON_AddArrayToObject(kernel, "Arguments");

	for (size_t a = 0; a < e->region->argument_count; a++) {
		const struct kt_argument *argument = &e->region->arguments[a];
		const struct kt_buffer *buffer = NULL;
		cJSON *item = kt_json_append(list);

		for (size_t b = 0; b < e->region->buffer_count; b++)
			if (e->region->buffers[b].argument == (int64_t)a)
				buffer = &e->region->buffers[b];
		cJSON_AddStringToObject(item, "Name", argument->name);
		add_type(item, e->instance->elements != NULL ? kt_instance_element(e->instance, a)
		                                             : kt_element_of(KT_SCALAR_NONE));
		if (buffer != NULL)
			add_buffer(item, e, buffer);
		else if (argument->is_pointer)
			cJSON_AddStringToObject(item, "MemoryType",
						argument->space == KT_SPACE_LOCAL ? "Local" : "Vector");
		else
			add_scalar(item, e, argument->name, a);
	}
}

static kt_status add_kernel(cJSON *root, struct exporter *e)
{
	cJSON *kernel = cJSON_AddObjectToObject(root, "KernelSpecification"), *size;

	cJSON_AddStringToObject(kernel, "Language", kt_target_of(e->region->language)->label);
	cJSON_AddStringToObject(kernel, "KernelName", e->region->kernel);
	cJSON_AddStringToObject(kernel, "KernelFile", e->region->file);
	cJSON_AddStringToObject(kernel, "GlobalSizeType", "CUDA");
	if (add_extent(kernel, "GlobalSize", e, e->template_->grid, e->template_->grid_count) != KT_OK ||
	    add_extent(kernel, "LocalSize", e, e->template_->block, e->template_->block_count) != KT_OK)
		return e->err->code;
	size = cJSON_AddArrayToObject(kernel, "ProblemSize");
	for (size_t v = 0; v < e->region->variable_count && first_problem(e->region) != NULL; v++)
		cJSON_AddItemToArray(size, cJSON_CreateNumber((double)e->region->problems[v]));
	add_arguments(kernel, e);
	return KT_OK;
}

kt_status kt_t1_export(struct kt_buf *out, const struct kt_template *template_, const struct kt_instance *instance,
		       const struct kt_device *device, struct kt_error *err)
{
	const struct kt_region *region = template_->region;
	struct exporter e = {template_, region, instance, NULL, {NULL, region, device,
								 region->problem_count > 0 ? region->problem_count : 1},
			     err};
	cJSON *root = cJSON_CreateObject(), *general, *space, *list;
	kt_status status = kt_space_domains(&e.space, template_, instance, err);

	if (status != KT_OK)
		goto done;
	e.bind.graph = e.space->graph;
	general = cJSON_AddObjectToObject(root, "General");
	cJSON_AddStringToObject(general, "BenchmarkName", instance->name);
	cJSON_AddNumberToObject(general, "FormatVersion", 1);
	cJSON_AddStringToObject(general, "OutputFormat", "JSON");
	/* Parameters of others than "explicit" are no macros of the source. */
	cJSON_AddStringToObject(general, "Generator", template_->generator != NULL ? template_->generator : "explicit");
	space = cJSON_AddObjectToObject(root, "ConfigurationSpace");
	add_parameters(space, &e);
	list = cJSON_AddArrayToObject(space, "Conditions");
	for (size_t r = 0; r < template_->restriction_count && status == KT_OK; r++)
		status = add_condition(list, &e, &template_->restrictions[r]);
	THEN(status, add_kernel(root, &e));
	if (status == KT_OK) {
		kt_json_print_stable(out, root);
		status = kt_buf_check(out, "a T1 file", err);
	}
done:
	cJSON_Delete(root);
	kt_space_free(e.space);
	return status;
}
