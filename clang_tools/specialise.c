#include "specialise.h"

#include <stdlib.h>
#include <string.h>

#include "base/decline.h"
#include "base/source.h"
#include "base/template.h"
#include "generation/ir/cuda.h"
#include "generation/ir/pass_join.h"
#include "lower.h"
#include "specialise_facts.h"

/* One region instance: an offer, or why there is none. */
struct special {
	size_t region, instance;
	const struct kt_lowered *lowered;
	const struct kt_ir_offer *offer; /* NULL: there is a reason */
	struct kt_template_text text;    /* of the originals */
	const char *reason, *detail;
	uint32_t line;
};

struct kt_specialise {
	struct kt_scan *scan;
	size_t count;
	struct special *items;
};

/* ---- The text ---- */

struct text {
	struct kt_buf helpers, head, body;
};

static void free_text(struct text *t)
{
	kt_buf_free(&t->helpers);
	kt_buf_free(&t->head);
	kt_buf_free(&t->body);
}

/* What the printer asks about. */
struct printing {
	struct kt_scan *scan;
	const struct kt_region *region;
};

static bool is_macro(const char *name, void *context)
{
	const struct printing *p = context;

	return kt_scan_macro(p->scan, name) != NULL;
}

static void start_at(uint32_t *start, const struct printing *p, const struct kt_range *extent, uint32_t line)
{
	const uint32_t first = kt_source_line(p->scan->text->data, p->scan->text->size, extent->begin);

	if (first <= line && first > *start)
		*start = first;
}

/* Slices count lines from the start of each kernel and callee (kt_slice). */
static uint32_t line_of_slice(uint32_t line, void *context)
{
	const struct printing *p = context;
	uint32_t start = 1;

	start_at(&start, p, &p->region->extent, line);
	for (size_t i = 0; i < p->region->callee_count; i++)
		start_at(&start, p, &p->region->callees[i].extent, line);
	return line - start + 1;
}

/* Does every dollar sign begin a placeholder? Those of the user's text would have to be doubled. */
static bool has_placeholders_alone(const struct kt_buf *text)
{
	for (const char *at = kt_buf_text(text); (at = strchr(at, '$')) != NULL; at++)
		if (strncmp(at, "${ktune:", strlen("${ktune:")) != 0)
			return false;
	return true;
}

/* Prints a module whose functions and structures are renamed. */
static kt_status print(struct text *out, const struct printing *p, struct kt_ir_module *module,
                       const struct kt_lowered *lowered, const struct kt_instance *instance, struct kt_error *err)
{
	const struct kt_ir_cuda_options options = {.linkage = "static ",
						   .inlines_lets = true,
						   .line_of_slice = line_of_slice,
						   .argument_types = instance->types,
						   .is_taken = is_macro,
						   .context = (void *)(uintptr_t)p,
						   .head = &out->head,
						   .body = &out->body};
	*out = (struct text){KT_BUF(KT_LIMIT_SOURCE_BYTES), KT_BUF(KT_LIMIT_SOURCE_BYTES), KT_BUF(KT_LIMIT_SOURCE_BYTES)};
	kt_specialise_names(module, lowered);
	TRY(kt_ir_check(module, err));
	TRY(kt_ir_print_cuda(&out->helpers, module, &options, err));
	if (!(has_placeholders_alone(&out->helpers) && has_placeholders_alone(&out->head) &&
	      has_placeholders_alone(&out->body)))
		return kt_fail(err, KT_ERR_INVALID, "a dollar sign in the text");
	return KT_OK;
}

/* ---- Offers ---- */

static bool refuse(struct special *s, enum kt_decline reason, uint32_t line, const char *detail)
{
	s->reason = kt_decline_name(reason);
	s->line = line;
	s->detail = detail != NULL ? detail : "";
	return false;
}

/* By its mangled name; of those that are known as text alone, by their order. NULL: it was not reached. */
static const struct kt_lowered *lowered_of(const struct kt_region *r, size_t region, size_t instance,
                                           const struct kt_lowered *list, size_t count)
{
	size_t unnamed = 0, unmatched = 0;

	for (size_t i = 0; i < count; i++)
		if (list[i].region == region && r->instances[instance].symbol != NULL &&
		    strcmp(list[i].symbol, r->instances[instance].symbol) == 0)
			return &list[i];
	if (r->instances[instance].symbol != NULL)
		return NULL;
	for (size_t k = 0; k < instance; k++)
		unnamed += r->instances[k].symbol == NULL;
	for (size_t i = 0; i < count; i++) {
		bool is_matched = list[i].region != region;

		for (size_t k = 0; k < r->instance_count && !is_matched; k++)
			is_matched = r->instances[k].symbol != NULL && strcmp(list[i].symbol, r->instances[k].symbol) == 0;
		if (!is_matched && unmatched++ == unnamed)
			return &list[i];
	}
	return NULL;
}

/* The text's names are looked up from the place of a variant: after the file, in the kernel's namespaces. */
static bool sees_all(struct special *s, const struct kt_region *r)
{
	for (size_t i = 0; i < s->lowered->use_count; i++) {
		const char *name = s->lowered->uses[i], *last = NULL;

		for (const char *at = name; (at = strstr(at, "::")) != NULL; at += 2)
			last = at;
		if (last != NULL && strncmp(r->qualified, name, (size_t)(last + 2 - name)) != 0)
			return refuse(s, KT_DECLINE_OTHER_NAMESPACE, r->line, name);
	}
	return true;
}

static bool make_text(struct special *s, struct kt_scan *scan, const struct kt_region *r)
{
	struct kt_ir_module *copy = kt_ir_copy(s->lowered->module, scan->arena, true);
	struct kt_error err = {.message = "out of memory"};
	struct text text = {0};
	bool made = copy != NULL && print(&text, &(struct printing){scan, r}, copy, s->lowered, &r->instances[s->instance], &err) == KT_OK;

	if (made) {
		s->text = (struct kt_template_text){kt_arena_strdup(scan->arena, kt_buf_text(&text.helpers)),
		                                    kt_arena_strdup(scan->arena, kt_buf_text(&text.head)),
		                                    kt_arena_strdup(scan->arena, kt_buf_text(&text.body))};
		made = s->text.helpers != NULL && s->text.head != NULL && s->text.body != NULL;
	}
	free_text(&text);
	return made || refuse(s, KT_DECLINE_NOT_PRINTABLE, r->line, kt_arena_strdup(scan->arena, err.message));
}

/* The front's "line N: why". */
static bool refuse_opaque(struct special *s, uint32_t line, const char *why)
{
	static const char begin[] = "line ";
	char *end;
	unsigned long number;

	if (why == NULL || strncmp(why, begin, sizeof begin - 1) != 0)
		return refuse(s, KT_DECLINE_OPAQUE_STATEMENT, line, why);
	number = strtoul(why + sizeof begin - 1, &end, 10);
	return refuse(s, KT_DECLINE_OPAQUE_STATEMENT, (uint32_t)number, strncmp(end, ": ", 2) == 0 ? end + 2 : why);
}

static bool make_offer(struct special *s, struct kt_scan *scan, const struct kt_lowered *list, size_t count)
{
	const struct kt_region *r = &scan->found[s->region]->region;
	const struct kt_ir_facts *facts;
	struct kt_ir_offer *offer;
	struct kt_error err;

	if (r->step_count > 0)
		return refuse(s, KT_DECLINE_LAUNCH_REGION, r->line, "several kernels are no kernel of the IR");
	s->lowered = lowered_of(r, s->region, s->instance, list, count);
	if (s->lowered == NULL || s->lowered->module->last_function == NULL)
		return refuse(s, KT_DECLINE_INSTANCE_UNKNOWN, r->line, "libclang's tree does not lead to the instance");
	if (s->lowered->opaque_count > 0)
		return refuse_opaque(s, r->body_line, s->lowered->why);
	if (!kt_specialise_nameable(s->lowered->module, s->lowered))
		return refuse(s, KT_DECLINE_STRUCTURE_TYPE, r->body_line, "a class that an argument leads to has no name");
	if (r->grid_count == 0 || r->block_count == 0)
		return refuse(s, KT_DECLINE_NO_GEOMETRY, r->line, "grid and block are not known");
	if (s->lowered->module->last_function->argument_count != r->argument_count)
		return refuse(s, KT_DECLINE_INSTANCE_UNKNOWN, r->line, "the kernel has other arguments");
	if (!sees_all(s, r) || !make_text(s, scan, r))
		return false;
	facts = kt_specialise_facts(scan, s->region, s->instance);
	if (facts == NULL || kt_ir_offer_make(&offer, scan->arena, s->lowered->module, facts, &err) != KT_OK)
		return refuse(s, KT_DECLINE_NOTHING_APPLIES, r->line,
		              facts == NULL ? "out of memory" : kt_arena_strdup(scan->arena, err.message));
	if (offer->tunable_count == 0)
		return refuse(s, KT_DECLINE_NOTHING_APPLIES, r->line,
		              offer->answer_count > 0 ? offer->answers[0].text : "no pass of the IR may be used");
	kt_specialise_guard_block(offer, kt_region_for(r, s->instance));
	if (offer->failed)
		return refuse(s, KT_DECLINE_NOTHING_APPLIES, r->line, "the template has too many guards");
	s->offer = offer;
	return true;
}

kt_status kt_specialise_open(struct kt_specialise **out, struct kt_scan *scan, struct kt_error *err)
{
	struct kt_specialise *s = kt_arena_alloc(scan->arena, sizeof *s);
	struct kt_lowered *list = NULL;
	size_t count = 0;
	kt_status status = kt_lower_scan(&list, &count, scan, false, err);

	NEED(s, kt_no_memory(err));
	*s = (struct kt_specialise){.scan = scan};
	for (size_t i = 0; status == KT_OK && i < scan->found_count; i++) {
		const struct kt_region *r = &scan->found[i]->region;

		for (size_t k = 0; r->decline == NULL && r->parameter_count == 0 && k < r->instance_count; k++) {
			struct special *slot = kt_arena_push(scan->arena, &s->items, &s->count, sizeof *slot);

			NEED(slot, kt_no_memory(err));
			*slot = (struct special){.region = i, .instance = k};
			(void)make_offer(slot, scan, list, count);
		}
	}
	*out = s;
	return status;
}

/* ---- Answers ---- */

static void put_place(cJSON *json, const struct special *s)
{
	(void)cJSON_AddNumberToObject(json, "region", (double)s->region);
	(void)cJSON_AddNumberToObject(json, "instance", (double)s->instance);
}

static void put_clauses(struct kt_clause_expr *out, const char **reasons, const struct kt_ir_clause *clauses, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		out[i].text = clauses[i].text;
		reasons[i] = clauses[i].reason;
	}
}

static cJSON *template_json(const struct special *s, struct kt_arena *arena, const struct kt_region *r)
{
	const struct kt_ir_offer *o = s->offer;
	struct kt_parameter parameters[KT_IR_MOST_TUNABLES] = {0};
	struct kt_clause_expr restrictions[KT_IR_MOST_CLAUSES] = {0}, guards[KT_IR_MOST_CLAUSES] = {0}, grid[3] = {0},
	                      block[3] = {0};
	const char *restriction_reasons[KT_IR_MOST_CLAUSES], *guard_reasons[KT_IR_MOST_CLAUSES];
	struct kt_template_strategy *strategies = kt_arena_array(arena, o->answer_count + 1, sizeof *strategies);
	struct kt_buf rationale = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_template t = {.generator = "ir", .concrete = true, .is_specialised = true, .helpers = s->text.helpers,
	                        .head = s->text.head, .body = s->text.body, .parameter_count = o->tunable_count,
	                        .parameters = parameters, .restriction_count = o->restriction_count,
	                        .restrictions = restrictions, .restriction_reasons = restriction_reasons,
	                        .guard_count = o->guard_count, .guards = guards, .guard_reasons = guard_reasons,
	                        .grid_count = 3, .block_count = 3, .grid = grid, .block = block,
	                        .shared_bytes = r->shared_bytes, .strategies = strategies};
	cJSON *json = NULL;

	if (t.shared_bytes.expr != NULL)
		t.shared_bytes.text = kt_ir_offer_shared_bytes(arena, o, t.shared_bytes.text);
	for (size_t i = 0; i < o->tunable_count; i++)
		parameters[i] = (struct kt_parameter){.name = o->tunables[i].name, .meaning = o->tunables[i].meaning,
		                                      .value_count = o->tunables[i].count,
		                                      .values = (int64_t *)o->tunables[i].values,
		                                      .original = o->tunables[i].original,
		                                      .absent = !o->tunables[i].has_original};
	put_clauses(restrictions, restriction_reasons, o->restrictions, o->restriction_count);
	put_clauses(guards, guard_reasons, o->guards, o->guard_count);
	for (size_t d = 0; d < 3; d++) {
		grid[d].text = o->grid[d] != NULL ? o->grid[d] : "1";
		block[d].text = o->blocks[d] != NULL ? o->blocks[d] : "1";
	}
	for (size_t i = 0; strategies != NULL && i < o->answer_count; i++)
		if (o->answers[i].applies) {
			strategies[t.strategy_count++] =
			    (struct kt_template_strategy){o->answers[i].pass->name, o->answers[i].text};
			kt_buf_addf(&rationale, "%s%s", t.strategy_count > 1 ? ", " : "", o->answers[i].pass->name);
		}
	t.rationale = kt_buf_text(&rationale);
	if (strategies != NULL && !rationale.failed && (json = kt_template_json(&t)) != NULL)
		put_place(json, s);
	kt_buf_free(&rationale);
	return json;
}

/* The reason of each pass that does not apply. */
static void put_notes(cJSON *list, const struct special *s)
{
	for (size_t i = 0; s->offer != NULL && i < s->offer->answer_count; i++) {
		const struct kt_ir_answer *a = &s->offer->answers[i];
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
		cJSON *json;

		if (a->applies)
			continue;
		kt_buf_addf(&text, "%s does not apply: %s", a->pass->name, a->text);
		json = kt_json_append(list);
		(void)cJSON_AddNumberToObject(json, "region", (double)s->region);
		(void)cJSON_AddNumberToObject(json, "line", a->line);
		(void)cJSON_AddStringToObject(json, "text", kt_buf_text(&text));
		kt_buf_free(&text);
	}
}

cJSON *kt_specialise_templates(const struct kt_specialise *s)
{
	cJSON *json = cJSON_CreateObject(), *templates = cJSON_AddArrayToObject(json, "templates");
	cJSON *declined = cJSON_AddArrayToObject(json, "declined"), *analysis = cJSON_AddArrayToObject(json, "analysis");

	for (size_t i = 0; i < s->count; i++) {
		const struct special *one = &s->items[i];
		cJSON *item;

		put_notes(analysis, one);
		if (one->offer != NULL) {
			item = template_json(one, s->scan->arena,
			                     kt_region_for(&s->scan->found[one->region]->region, one->instance));
			if (item == NULL || !cJSON_AddItemToArray(templates, item)) {
				cJSON_Delete(json);
				return NULL;
			}
			continue;
		}
		item = kt_json_append(declined);
		put_place(item, one);
		(void)cJSON_AddStringToObject(item, "reason", one->reason);
		(void)cJSON_AddNumberToObject(item, "line", one->line);
		(void)cJSON_AddStringToObject(item, "detail", one->detail);
	}
	return json;
}

/* The values of the request: one for each tunable. */
static bool read_values(int64_t *values, const cJSON *request, const struct kt_ir_offer *offer)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(request, "values"), *item;
	size_t count = 0;
	struct kt_error ignored;

	cJSON_ArrayForEach(item, list)
		if (count == offer->tunable_count || kt_json_item_int(&values[count++], item, &ignored) != KT_OK)
			return false;
	return cJSON_IsArray(list) && count == offer->tunable_count;
}

static const struct special *special_of(const struct kt_specialise *s, const cJSON *request)
{
	struct kt_error ignored;
	int64_t region, instance;

	if (kt_json_int(&region, request, "region", &ignored) != KT_OK ||
	    kt_json_int(&instance, request, "instance", &ignored) != KT_OK)
		return NULL;
	for (size_t i = 0; i < s->count; i++)
		if ((int64_t)s->items[i].region == region && (int64_t)s->items[i].instance == instance &&
		    s->items[i].offer != NULL)
			return &s->items[i];
	return NULL;
}

kt_status kt_specialise_text(cJSON **out, const struct kt_specialise *s, const cJSON *request, struct kt_error *err)
{
	const struct special *one = special_of(s, request);
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	int64_t values[KT_IR_MOST_TUNABLES];
	struct kt_ir_module *variant = NULL;
	struct text text = {0};
	kt_status status = arena != NULL ? KT_OK : kt_no_memory(err);

	if (status == KT_OK && one == NULL)
		status = kt_fail(err, KT_ERR_INVALID, "there is no template of that instance");
	if (status == KT_OK && !read_values(values, request, one->offer))
		status = kt_fail(err, KT_ERR_INVALID, "a value for each of the %zu parameters expected",
		                 one->offer->tunable_count);
	THEN(status, kt_ir_variant_make(&variant, arena, one->offer, values, err));
	if (status == KT_OK)
		status = print(&text, &(struct printing){s->scan, &s->scan->found[one->region]->region}, variant, one->lowered,
		               &s->scan->found[one->region]->region.instances[one->instance], err);
	if (status == KT_OK) {
		*out = cJSON_CreateObject();
		(void)cJSON_AddStringToObject(*out, "helpers", kt_buf_text(&text.helpers));
		(void)cJSON_AddStringToObject(*out, "head", kt_buf_text(&text.head));
		(void)cJSON_AddStringToObject(*out, "body", kt_buf_text(&text.body));
	}
	free_text(&text);
	kt_arena_free(arena);
	return status;
}
