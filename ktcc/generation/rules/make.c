/* The strategies one after the other, and the template as JSON. */
#include <string.h>

#include "base/json.h"
#include "generation/rules/family.h"

static void read_block(struct kt_family *family)
{
	const struct kt_region *r = family->kernel->region;

	for (size_t d = 0; d < 3; d++) {
		struct kt_scope scope = {r, NULL, NULL, NULL};
		struct kt_error ignored;
		int64_t value = 0;

		family->block[d] = d < r->block_count ? 0 : 1;
		if (d < r->block_count && kt_expr_eval(&value, r->block[d].expr, kt_scope_lookup, &scope, &ignored) == KT_OK)
			family->block[d] = value;
	}
}

/* Facts of every launch: an argument that is 1 on all problems is 1 in the variants, and a guard says so. */
bool kt_rule_constants(struct kt_family *family)
{
	const struct kt_region *r = family->kernel->region;
	bool any = false;

	for (size_t a = 0; a < r->argument_count && kt_family_allows(family, "constants"); a++) {
		struct kt_tree_variable *v = family->kernel->variables[a];
		bool one = false;

		if (v->is_pointer || v->writes != 0 || v->escapes || kt_scalar_is_float(v->scalar) || v->scalar == KT_SCALAR_NONE)
			continue;
		for (size_t i = 0; i < r->value_count; i++)
			one = one || (r->values[i].argument == (int64_t)a && r->values[i].integral && r->values[i].integer == 1);
		for (size_t i = 0; i < r->variable_count; i++) {
			if (strcmp(r->variables[i], v->name) != 0)
				continue;
			one = r->problem_count > 0;
			for (size_t p = 0; p < r->problem_count; p++)
				one = one && r->problems[p * r->variable_count + i] == 1;
		}
		if (!one)
			continue;
		v->is_const = true;
		kt_family_guard(family, kt_family_text(family, "%s == 1", v->name), "it is 1 on every problem");
		kt_family_applied(family, "constants", "arguments that are 1 on every problem");
		any = true;
	}
	return any;
}

static bool is_constant(const struct kt_family *family, const struct kt_tree_variable *v)
{
	for (size_t i = 0; i < family->guard_count; i++) {
		size_t length = strlen(v->name);

		if (strncmp(family->guards[i].text, v->name, length) == 0 && strcmp(family->guards[i].text + length, " == 1") == 0)
			return true;
	}
	return false;
}

static bool set_constant(struct kt_tree *node, void *context)
{
	const struct kt_family *family = context;

	if (node->kind == KT_TREE_REFERENCE && node->variable != NULL && node->variable->argument >= 0 &&
	    !node->variable->is_pointer && is_constant(family, node->variable)) {
		node->has_value = true;
		node->value = 1;
	}
	return true;
}

void kt_family_make(struct kt_family *family)
{
	struct kt_error err;

	family->polys.kernel = family->kernel;
	family->write.kernel = family->kernel;
	family->helpers = (struct kt_buf)KT_BUF(KT_LIMIT_SOURCE_BYTES);
	family->top = (struct kt_buf)KT_BUF(KT_LIMIT_SOURCE_BYTES);
	family->launch_bounds = "";
	read_block(family);
	if (kt_rule_constants(family))
		kt_tree_walk(family->kernel->body, set_constant, family);
	if (kt_loops_find(&family->loops, &family->polys, family->block, &err) != KT_OK) {
		family->failed = true;
		return;
	}
	for (size_t i = 0; i < family->loops.count; i++) {
		static const char *const shares[] = {"the threads of a block", "blocks", "all threads"};
		const struct kt_loop *loop = family->loops.loops[i];

		kt_family_note(family, loop->node, "'%s' is shared out among %s", loop->variable->name, shares[loop->share]);
	}
	if (!kt_family_allows(family, "geometry") || !kt_rule_geometry(family)) {
		if (family->reason == NULL)
			family->reason = "nothing-applies";
		return;
	}
	if (kt_family_has(family, "VEC")) {
		static const int64_t hints[] = {0, 1, 2};

		kt_family_parameter(family, "STREAM", "elements that are touched once pass by the caches: 1 when stored, 2 when loaded too", hints, 3);
		kt_family_restrict(family, "VEC > 1 || STREAM == 0", "the scalar loop is left as it is");
		kt_family_applied(family, "cache_hints", "elements that are touched once can pass by the caches");
		kt_buf_adds(&family->helpers,
		            "${if STREAM}\n"
		            "// One access of the size of a pack that leaves nothing in the caches.\n"
		            "template <typename P> __device__ __forceinline__ P ${ktune:callee:0}(const P *from)\n{\nP value;\n"
		            "if (sizeof(P) == 16)\n"
		            "*reinterpret_cast<uint4 *>(&value) = __ldcs(reinterpret_cast<const uint4 *>(from));\n"
		            "else if (sizeof(P) == 8)\n"
		            "*reinterpret_cast<uint2 *>(&value) = __ldcs(reinterpret_cast<const uint2 *>(from));\n"
		            "else if (sizeof(P) == 4)\n"
		            "*reinterpret_cast<unsigned *>(&value) = __ldcs(reinterpret_cast<const unsigned *>(from));\n"
		            "else\nvalue = *from;\nreturn value;\n}\n"
		            "template <typename P> __device__ __forceinline__ void ${ktune:callee:1}(P *to, const P &value)\n{\n"
		            "if (sizeof(P) == 16)\n"
		            "__stcs(reinterpret_cast<uint4 *>(to), *reinterpret_cast<const uint4 *>(&value));\n"
		            "else if (sizeof(P) == 8)\n"
		            "__stcs(reinterpret_cast<uint2 *>(to), *reinterpret_cast<const uint2 *>(&value));\n"
		            "else if (sizeof(P) == 4)\n"
		            "__stcs(reinterpret_cast<unsigned *>(to), *reinterpret_cast<const unsigned *>(&value));\n"
		            "else\n*to = value;\n}\n${end}\n");
	}
}

/* "__global__ void __launch_bounds__(256) k(float *__restrict__ y, int n)" */
static const char *head_text(struct kt_family *family)
{
	const struct kt_region *r = family->kernel->region;
	const struct kt_instance *instance = &r->instances[family->kernel->instance];
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *text;

	kt_buf_addf(&out, "__global__ void %s${ktune:kernel}(", family->launch_bounds);
	for (size_t i = 0; i < r->argument_count; i++) {
		bool constant = is_constant(family, family->kernel->variables[i]);

		kt_buf_addf(&out, "%s%s%s%s%s%s", i > 0 ? ", " : "", instance->types[i],
		            r->arguments[i].is_restrict ? "__restrict__ " : "",
		            r->arguments[i].is_pointer ? "" : " ", constant ? "/* " : "", r->arguments[i].name);
		kt_buf_adds(&out, constant ? " */" : "");
	}
	kt_buf_addc(&out, ')');
	text = kt_family_text(family, "%s", kt_buf_text(&out));
	kt_buf_free(&out);
	return text;
}

static const char *body_text(struct kt_family *family)
{
	const struct kt_region *r = family->kernel->region;
	const struct kt_instance *instance = &r->instances[family->kernel->instance];
	const struct kt_tree *body = family->kernel->body;
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *text;

	kt_buf_addf(&out, "{\n%s", family->kernel->prologue);
	for (size_t i = 0; i < r->argument_count; i++)
		if (is_constant(family, family->kernel->variables[i]))
			kt_buf_addf(&out, "const %s %s = 1;\n", instance->types[i], r->arguments[i].name);
	kt_buf_adds(&out, kt_buf_text(&family->top));
	kt_write_statements(&out, &family->write, body, 0, body->count);
	kt_buf_adds(&out, "\n}\n");
	text = kt_write_indent(family->kernel->arena, kt_buf_text(&out));
	family->failed = family->failed || out.failed || text == NULL || family->write.failed;
	kt_buf_free(&out);
	return text != NULL ? text : "";
}

static void add_clauses(cJSON *json, const char *name, const char *key, const struct kt_rule_clause *clauses, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(json, name);

	for (size_t i = 0; i < count; i++) {
		cJSON *object = cJSON_CreateObject();

		(void)cJSON_AddStringToObject(object, key, clauses[i].text);
		(void)cJSON_AddStringToObject(object, "reason", clauses[i].reason);
		(void)cJSON_AddItemToArray(array, object);
	}
}

static void add_extents(cJSON *json, const char *name, const char *const texts[3])
{
	cJSON *array = cJSON_AddArrayToObject(json, name);

	for (size_t i = 0; i < 3; i++)
		(void)cJSON_AddItemToArray(array, cJSON_CreateString(texts[i] != NULL ? texts[i] : "1"));
}

static void add_parameters(cJSON *json, const struct kt_family *family)
{
	cJSON *array = cJSON_AddArrayToObject(json, "parameters");

	for (size_t i = 0; i < family->parameter_count; i++) {
		const struct kt_rule_parameter *p = &family->parameters[i];
		cJSON *object = cJSON_CreateObject(), *values;

		(void)cJSON_AddStringToObject(object, "name", p->name);
		values = cJSON_AddArrayToObject(object, "values");
		for (size_t v = 0; v < p->count; v++)
			(void)cJSON_AddItemToArray(values, cJSON_CreateNumber((double)p->values[v]));
		if (p->has_original)
			(void)cJSON_AddNumberToObject(object, "original", (double)p->original);
		else
			(void)cJSON_AddNullToObject(object, "original");
		(void)cJSON_AddStringToObject(object, "meaning", p->meaning);
		(void)cJSON_AddItemToArray(array, object);
	}
}

cJSON *kt_family_json(struct kt_family *family, size_t region)
{
	const char *head = head_text(family), *body = body_text(family);
	char *helpers = kt_write_indent(family->kernel->arena, kt_buf_text(&family->helpers));
	struct kt_buf rationale = KT_BUF(KT_LIMIT_LINE_BYTES);
	cJSON *json = NULL;

	if (helpers == NULL || family->failed || family->write.failed)
		goto done;
	for (size_t i = 0; i < family->strategy_count; i++)
		kt_buf_addf(&rationale, "%s%s: %s", i > 0 ? "; " : "", family->strategies[i].text, family->strategies[i].reason);
	json = cJSON_CreateObject();
	(void)cJSON_AddNumberToObject(json, "region", (double)region);
	(void)cJSON_AddNumberToObject(json, "instance", (double)family->kernel->instance);
	(void)cJSON_AddStringToObject(json, "generator", "rules");
	(void)cJSON_AddStringToObject(json, "rationale", kt_buf_text(&rationale));
	(void)cJSON_AddBoolToObject(json, "concrete", true);
	(void)cJSON_AddStringToObject(json, "helpers", helpers);
	(void)cJSON_AddStringToObject(json, "head", head);
	(void)cJSON_AddStringToObject(json, "body", body);
	add_parameters(json, family);
	add_clauses(json, "restrictions", "text", family->restrictions, family->restriction_count);
	add_clauses(json, "guards", "text", family->guards, family->guard_count);
	add_extents(json, "grid", family->grid);
	add_extents(json, "block", family->blocks);
	(void)cJSON_AddStringToObject(json, "shared_bytes", family->shared_bytes != NULL ? family->shared_bytes : "0");
	add_clauses(json, "strategies", "name", family->strategies, family->strategy_count);
done:
	kt_buf_free(&rationale);
	return json;
}
