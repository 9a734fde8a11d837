/* The strategies one after the other, and the template as JSON. */
#include <string.h>

#include "base/declare.h"
#include "generation/rules/family.h"
#include "generation/rules/fast_math.h"

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

/* Does the kernel's new text contain these words? */
static bool says(const struct kt_family *family, const char *words)
{
	for (size_t i = 0; i < family->write.count; i++)
		if (family->write.items[i].text != NULL && strstr(family->write.items[i].text, words) != NULL)
			return true;
	return false;
}

/* One access of the size of a pack, for what is not needed again. */
static const char pass_helpers[] =
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
    "template <typename P> __device__ __forceinline__ void ${ktune:callee:1}(P *to, const P &value)\n"
    "{\n"
    "if (sizeof(P) == 16)\n"
    "__stcs(reinterpret_cast<uint4 *>(to), *reinterpret_cast<const uint4 *>(&value));\n"
    "else if (sizeof(P) == 8)\n"
    "__stcs(reinterpret_cast<uint2 *>(to), *reinterpret_cast<const uint2 *>(&value));\n"
    "else if (sizeof(P) == 4)\n"
    "__stcs(reinterpret_cast<unsigned *>(to), *reinterpret_cast<const unsigned *>(&value));\n"
    "else\n*to = value;\n}\n";

/*
 * For what is: a line that is to be evicted last (PTX ISA, createpolicy and ld with a cache policy). The language
 * has no function for it. What a kernel wrote before may be read: nothing may be moved across.
 */
static const char stay_helper[] =
    "// One access of the size of a pack that the L2 cache keeps for the next one.\n"
    "template <typename P> __device__ __forceinline__ P ${ktune:callee:10}(const P *from)\n{\n"
    "#if __CUDA_ARCH__ >= 800\n"
    "P value;\n"
    "unsigned long long policy;\n"
    "asm(\"createpolicy.fractional.L2::evict_last.b64 %0;\" : \"=l\"(policy));\n"
    "if (sizeof(P) == 16) {\n"
    "uint4 &words = *reinterpret_cast<uint4 *>(&value);\n"
    "asm volatile(\"ld.global.L1::evict_last.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;\"\n"
    ": \"=r\"(words.x), \"=r\"(words.y), \"=r\"(words.z), \"=r\"(words.w)\n"
    ": \"l\"(__cvta_generic_to_global(from)), \"l\"(policy) : \"memory\");\n"
    "return value;\n"
    "}\n"
    "if (sizeof(P) == 8) {\n"
    "uint2 &words = *reinterpret_cast<uint2 *>(&value);\n"
    "asm volatile(\"ld.global.L1::evict_last.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;\"\n"
    ": \"=r\"(words.x), \"=r\"(words.y) : \"l\"(__cvta_generic_to_global(from)), \"l\"(policy) : \"memory\");\n"
    "return value;\n"
    "}\n"
    "if (sizeof(P) == 4) {\n"
    "asm volatile(\"ld.global.L1::evict_last.L2::cache_hint.u32 %0, [%1], %2;\"\n"
    ": \"=r\"(*reinterpret_cast<unsigned *>(&value)) : \"l\"(__cvta_generic_to_global(from)), \"l\"(policy) : \"memory\");\n"
    "return value;\n"
    "}\n"
    "#endif\n"
    "return *from;\n}\n";

/* Values that would leave the text as it is would be measured for nothing. */
static void add_hints(struct kt_family *family)
{
	const bool loads = says(family, "${if STREAM > 1}"), stores = says(family, "${if STREAM}");
	const bool stays = says(family, "${ktune:callee:10}");
	int64_t hints[3] = {0};
	size_t count = 1;

	if (stores)
		hints[count++] = 1;
	if (loads)
		hints[count++] = 2;
	if (count == 1)
		return;
	kt_family_parameter(family, "STREAM",
	                    stays ? "elements that are touched once pass by the caches: 1 when stored, 2 when loaded too; rows "
	                            "that are read again stay in them till then"
	                          : "elements that are touched once pass by the caches: 1 when stored, 2 when loaded too",
	                    hints, count);
	kt_family_restrict(family, "VEC > 1 || STREAM == 0", "the scalar loop is left as it is");
	if (stays && loads && !family->streams_loads)
		kt_family_restrict(family, "STREAM < 2 || TURNS > 0", "rows that are read again are loaded alike");
	kt_family_applied(family, "cache_hints", "elements that are touched once can pass by the caches");
	kt_buf_adds(&family->helpers, pass_helpers);
	if (stays)
		kt_buf_adds(&family->helpers, stay_helper);
	kt_buf_adds(&family->helpers, "${end}\n");
}

/* Where geometry may not be used blocks keep their original size. False: the rules have none of that size. */
static bool keep_blocks(struct kt_family *family)
{
	if (kt_family_allows(family, "geometry"))
		return true;
	for (size_t i = 0; i < family->parameter_count; i++) {
		struct kt_rule_parameter *p = &family->parameters[i];
		const bool block = strncmp(p->name, "BLOCK", 5) == 0;

		if (block && !p->has_original)
			return kt_rule_decline(family, KT_DECLINE_NOTHING_APPLIES, NULL,
			                       "blocks are of another size than those of the rules, and geometry is not among the "
			                       "strategies that may be used");
		if (block || (strcmp(p->name, "WAVES") == 0 && !kt_family_has(family, "PRIVATE"))) {
			p->values[0] = block ? p->original : 0;
			p->count = 1;
		}
	}
	for (size_t i = 0; i < family->strategy_count; i++)
		if (strcmp(family->strategies[i].text, "geometry") == 0)
			family->strategies[i] = family->strategies[--family->strategy_count];
	return true;
}

void kt_family_make(struct kt_family *family)
{
	struct kt_error err;
	bool fast, quotients;

	family->polys.kernel = family->kernel;
	family->write.kernel = family->kernel;
	family->helpers = (struct kt_buf)KT_BUF(KT_LIMIT_SOURCE_BYTES);
	family->top = (struct kt_buf)KT_BUF(KT_LIMIT_SOURCE_BYTES);
	family->launch_bounds = family->cluster_dims = "";
	read_block(family);
	kt_rule_constants(family);
	if (family->failed)
		return;
	if (kt_loops_find(&family->loops, &family->polys, family->block, &err) != KT_OK) {
		family->failed = true;
		return;
	}
	kt_rule_sizes(family);
	fast = kt_rule_fast_math(family);
	if (!fast)
		kt_rule_divide(family);
	quotients = kt_rule_quotients(family);
	if (!kt_rule_may_patch(family))
		(void)kt_rule_serial(family);
	kt_rule_facts(family);
	if (!kt_rule_names(family) || !kt_rule_geometry(family) || !keep_blocks(family)) {
		if (family->reason == KT_DECLINE_NONE)
			family->reason = KT_DECLINE_NOTHING_APPLIES;
		return;
	}
	(void)kt_rule_bounds(family);
	kt_rule_registers(family);
	kt_rule_restrict(family);
	if (fast)
		kt_rule_fast_math_parameter(family);
	if (quotients)
		kt_rule_quotients_parameter(family);
	if (kt_family_has(family, "VEC") && kt_rule_target(family)->has_cache_hints)
		add_hints(family);
}

/* Arguments of a line: those beyond it are on the next line. */
enum { HEAD_LINE = 112 };

/* "__global__ void __launch_bounds__(256) k(float *__restrict__ y, int n)" */
static const char *head_text(struct kt_family *family)
{
	const struct kt_region *r = family->kernel->region;
	const struct kt_instance *instance = &r->instances[family->kernel->instance];
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const bool is_cuda = kt_rule_target(family)->has_cuda_words;
	const char *text;
	size_t line = 0; /* where it begins */

	if (is_cuda)
		kt_buf_addf(&out, "__global__ void %s%s${ktune:kernel}(", family->launch_bounds, family->cluster_dims);
	else
		kt_buf_addf(&out, "__kernel %svoid ${ktune:kernel}(", kt_rule_opencl_bounds(family));
	for (size_t i = 0; i < r->argument_count; i++) {
		const bool is_full = out.size + strlen(instance->types[i]) + strlen(r->arguments[i].name) > line + HEAD_LINE;

		if (i > 0)
			kt_buf_adds(&out, is_full ? ",\n\t" : ", ");
		line = i > 0 && is_full ? out.size : line;
		kt_declare(&out, instance->types[i],
		           kt_family_text(family, "%s%s",
		                          !is_cuda                                          ? ""
		                          : r->arguments[i].is_restrict                   ? "__restrict__ "
		                          : family->apart == NULL || !family->apart[i].is ? ""
		                          : family->apart[i].even                         ? "${if EVEN}__restrict__ ${end}"
		                                                                          : "__restrict__ ",
		                          kt_rule_constant_name(family, i)));
	}
	kt_buf_addc(&out, ')');
	text = kt_family_text(family, "%s", kt_buf_text(&out));
	kt_buf_free(&out);
	return text;
}

static const char *body_text(struct kt_family *family)
{
	const struct kt_tree *body = family->kernel->body;
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES), statements = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *text, *closed;

	kt_buf_addf(&out, "{\n%s", family->kernel->prologue);
	kt_rule_constant_lines(&out, family);
	kt_buf_adds(&out, kt_buf_text(&family->top));
	if (family->piece_name != NULL)
		kt_buf_addf(&out,
		            "${if BESIDE}\n// Blocks start in the order of x: neighbours get neighbouring parts of a row.\n"
		            "const unsigned %s = (blockIdx.y * gridDim.x + blockIdx.x) / ${if SPLIT}${SPLIT}${else}gridDim.y${end};\n"
		            "const unsigned %s = (blockIdx.y * gridDim.x + blockIdx.x) %% ${if SPLIT}${SPLIT}${else}gridDim.y${end};\n"
		            "${else}\nconst unsigned %s = blockIdx.x;\n"
		            "${if SPLIT != 1}\nconst unsigned %s = blockIdx.y;\n${end}\n${end}\n",
		            family->row_name, family->piece_name, family->row_name, family->piece_name);
	else if (family->row_name != NULL)
		kt_buf_addf(&out, "const unsigned %s = blockIdx.x${if ROWS > 1} * ${ROWS} + threadIdx.y${end};\n",
		            family->row_name);
	kt_write_statements(&statements, &family->write, body, 0, body->count);
	closed = kt_write_close(family->kernel->arena, kt_buf_text(&statements));
	if (closed == NULL)
		(void)kt_rule_decline(family, KT_DECLINE_IN_MACRO, body, "an #if begins before the rewritten code and ends in it");
	kt_buf_adds(&out, kt_row_worded(family, closed != NULL ? closed : ""));
	kt_buf_adds(&out, "\n}\n");
	text = kt_write_indent(family->kernel->arena, kt_rule_spelled(family, kt_buf_text(&out)));
	family->failed =
	    family->failed || out.failed || statements.failed || closed == NULL || text == NULL || family->write.failed;
	kt_buf_free(&statements);
	kt_buf_free(&out);
	return text != NULL ? text : "";
}

static void add_clauses(cJSON *json, const char *name, const char *key, const struct kt_rule_clause *clauses,
                        size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(json, name);

	for (size_t i = 0; i < count; i++) {
		cJSON *object = kt_json_append(array);

		(void)cJSON_AddStringToObject(object, key, clauses[i].text);
		(void)cJSON_AddStringToObject(object, "reason", clauses[i].reason);
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
		cJSON *object = kt_json_append(array), *values;

		(void)cJSON_AddStringToObject(object, "name", p->name);
		values = cJSON_AddArrayToObject(object, "values");
		for (size_t v = 0; v < p->count; v++)
			(void)cJSON_AddItemToArray(values, cJSON_CreateNumber((double)p->values[v]));
		if (p->has_original)
			(void)cJSON_AddNumberToObject(object, "original", (double)p->original);
		else
			(void)cJSON_AddNullToObject(object, "original");
		(void)cJSON_AddStringToObject(object, "meaning", p->meaning);
	}
}

cJSON *kt_family_json(struct kt_family *family, size_t region)
{
	const char *head = head_text(family), *body = body_text(family);
	const char *helpers = kt_write_indent(family->kernel->arena, kt_rule_spelled(family, kt_buf_text(&family->helpers)));
	struct kt_buf rationale = KT_BUF(KT_LIMIT_LINE_BYTES);
	cJSON *json = NULL;

	if (helpers == NULL || family->failed || family->write.failed || !kt_rule_words(family, &helpers, &head, &body))
		goto done;
	for (size_t i = 0; i < family->strategy_count; i++)
		kt_buf_addf(&rationale, "%s%s", i > 0 ? ", " : "", family->strategies[i].text);
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
	if (family->shared_bytes == NULL)
		family->shared_bytes = kt_rule_opencl_shared(family);
	(void)cJSON_AddStringToObject(json, "shared_bytes", family->shared_bytes != NULL ? family->shared_bytes : "0");
	add_clauses(json, "strategies", "name", family->strategies, family->strategy_count);
done:
	kt_buf_free(&rationale);
	return json;
}
