#include "rewrite.h"

#include <stdio.h>
#include <string.h>

#include "base/declare.h"
#include "fused.h"
#include "generation/rules/family.h"
#include "lift.h"
#include "words.h"

/* The place of an instance after the unit's text. */
struct copy {
	bool made;
	const char *why; /* it was not made; NULL: no reason */
	struct kt_range range;
	size_t mark_count, step_count;
	struct kt_line_at *marks;
	uint32_t *steps;
};

struct rewriter {
	struct kt_scan *scan;
	struct kt_buf text;          /* the unit's, with an instance of each kernel template after it */
	CXTranslationUnit unit;      /* of that text; NULL: no kernel is a template */
	const char **allowed;
	size_t allowed_count;
	cJSON *templates, *declined, *analysis;
};

static bool is_open(const struct kt_region *r)
{
	return r->decline == NULL && (r->body.end != 0 || r->step_count != 0) && r->parameter_count == 0;
}

/* A kernel that is no template is read at its place. */
static bool is_copied(const struct kt_region *r)
{
	return r->template_count > 0 || r->step_count > 0;
}

/* "ktune_k_0_1": the instance as a plain kernel. */
static const char *plain_name(struct kt_scan *scan, size_t region, size_t instance)
{
	const char *name = kt_arena_printf(scan->arena, "ktune_k_%zu_%zu", region, instance);

	return name != NULL ? name : "";
}

/* What makes the template's own names concrete: "using T = __half;". NULL: there is no such text. */
static const char *prologue(struct kt_scan *scan, const struct kt_region *r, const struct kt_instance *instance)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES * 16);
	const char *text = NULL;

	if (instance->argument_count != r->template_count)
		return NULL;
	for (size_t i = 0; i < r->template_count; i++) {
		const struct kt_template_parameter *t = &r->templates[i];

		if (strstr(t->declaration, "...") != NULL || strncmp(t->declaration, "template", 8) == 0)
			goto done;
		if (t->name[0] == '\0')
			continue;
		if (t->is_type)
			kt_buf_addf(&out, "using %s = %s;\n", t->name, instance->arguments[i]);
		else
			kt_buf_addf(&out, "constexpr %s = %s;\n", t->declaration, instance->arguments[i]);
	}
	text = out.failed ? NULL : kt_arena_strdup(scan->arena, kt_buf_text(&out));
done:
	kt_buf_free(&out);
	return text;
}

static void add_scopes(struct kt_buf *out, const char *scope, bool open)
{
	for (const char *next; (next = strstr(scope, "::")) != NULL; scope = next + 2)
		if (open)
			kt_buf_addf(out, "namespace %.*s {\n", (int)(next - scope), scope);
		else
			kt_buf_adds(out, "}\n");
}

/* Words that a second function of the same text may not have. */
static void add_specifiers(struct kt_buf *out, const struct kt_scan *scan, struct kt_range range)
{
	size_t i = kt_token_at(scan->text, range.begin);

	for (; i < scan->text->count && scan->text->tokens[i].begin < range.end; i++) {
		const struct kt_token *token = &scan->text->tokens[i];

		if (kt_token_is(scan->text, i, "extern") || kt_token_is(scan->text, i, "static") ||
		    token->kind == KT_TOKEN_STRING)
			continue;
		kt_buf_add(out, scan->text->data + token->begin, token->end - token->begin);
		kt_buf_addc(out, ' ');
	}
}

static bool add_mark(struct rewriter *w, struct copy *copy, uint32_t offset, uint32_t line)
{
	struct kt_line_at *slot = kt_arena_push(w->scan->arena, &copy->marks, &copy->mark_count, sizeof *slot);

	if (slot != NULL)
		*slot = (struct kt_line_at){offset, line};
	return slot != NULL;
}

static void open_copy(struct rewriter *w, size_t region, size_t instance, const char *scope)
{
	add_scopes(&w->text, scope, true);
	kt_buf_addf(&w->text, "namespace %s_scope {\n", plain_name(w->scan, region, instance));
}

static void close_copy(struct rewriter *w, const char *scope)
{
	kt_buf_adds(&w->text, "\n}\n");
	add_scopes(&w->text, scope, false);
}

/* Puts the instance after the text; parameters and body keep their bytes. */
static bool append_kernel(struct rewriter *w, size_t region, size_t instance, struct copy *copy)
{
	struct kt_scan *scan = w->scan;
	const struct kt_region *r = &scan->found[region]->region;
	const struct kt_item *item = &scan->items[scan->found[region]->item];
	const char *opening = prologue(scan, r, &r->instances[instance]);
	size_t begin;

	if (!kt_words_are_kept(scan, (struct kt_range){r->parameters_range.begin, r->body.end})) {
		copy->why = kt_arena_printf(scan->arena, KT_WORDS_CHANGE, r->kernel);
		return false;
	}
	if (opening == NULL)
		return false;
	open_copy(w, region, instance, item->scope);
	kt_buf_adds(&w->text, opening);
	add_specifiers(&w->text, scan, r->attributes);
	kt_buf_adds(&w->text, plain_name(scan, region, instance));
	begin = w->text.size;
	kt_buf_add(&w->text, scan->text->data + r->parameters_range.begin, r->body.end - r->parameters_range.begin);
	close_copy(w, item->scope);
	return !w->text.failed &&
	       add_mark(w, copy, (uint32_t)(begin + (r->body.begin - r->parameters_range.begin)), r->body_line);
}

static bool append_fused(struct rewriter *w, size_t region, size_t instance, struct copy *copy)
{
	struct kt_scan *scan = w->scan;
	const struct kt_found *found = scan->found[region];
	const struct kt_region *r = &found->region;
	const struct kt_item *item = &scan->items[found->steps[0].kernel->item];
	struct kt_fused fused;

	for (size_t s = 0; s < found->step_count; s++)
		if (strcmp(scan->items[found->steps[s].kernel->item].scope, item->scope) != 0)
			return false;
	if (!kt_fused_open(&fused, scan, found, instance)) {
		copy->why = fused.why;
		return false;
	}
	open_copy(w, region, instance, item->scope);
	kt_buf_addf(&w->text, "__global__ void %s(", plain_name(scan, region, instance));
	for (size_t i = 0; i < r->argument_count; i++) {
		kt_buf_adds(&w->text, i > 0 ? ", " : "");
		kt_declare(&w->text, r->instances[instance].types[i],
		           kt_arena_printf(scan->arena, "%s%s", r->arguments[i].is_restrict ? "__restrict__ " : "",
		                           r->arguments[i].name));
	}
	kt_buf_adds(&w->text, ")\n");
	/* What is reported for the whole gets the place of the pragma's region. */
	if (!add_mark(w, copy, (uint32_t)w->text.size, r->line))
		return false;
	kt_buf_adds(&w->text, "{");
	for (size_t s = 0; s < found->step_count; s++) {
		const struct kt_region *k = &found->steps[s].kernel->region;
		uint32_t *slot = kt_arena_push(scan->arena, &copy->steps, &copy->step_count, sizeof *slot);

		NEED(slot, false);
		/* Threads of one block synchronise where all threads of all blocks did. */
		if (s > 0)
			kt_buf_adds(&w->text, "\n__syncthreads();\n");
		*slot = (uint32_t)w->text.size;
		kt_fused_add_copies(&w->text, &fused, s);
		if (!add_mark(w, copy, (uint32_t)w->text.size, k->body_line))
			return false;
		kt_fused_add_body(&w->text, &fused, s);
	}
	kt_buf_adds(&w->text, "}\n");
	close_copy(w, item->scope);
	return !w->text.failed;
}

struct named {
	const char *name;
	CXCursor cursor;
	bool found;
};

static enum CXChildVisitResult find_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct named *named = data;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	(void)parent;
	if (kind == CXCursor_Namespace)
		return kt_clang.Location_isInSystemHeader(kt_clang.getCursorLocation(cursor)) != 0 ? CXChildVisit_Continue
		                                                                                 : CXChildVisit_Recurse;
	if (kind == CXCursor_FunctionDecl && kt_clang.isCursorDefinition(cursor) != 0) {
		CXString name = kt_clang.getCursorSpelling(cursor);
		const char *text = kt_clang.getCString(name);

		if (text != NULL && strcmp(text, named->name) == 0) {
			named->cursor = cursor;
			named->found = true;
		}
		kt_clang.disposeString(name);
	}
	return named->found ? CXChildVisit_Break : CXChildVisit_Continue;
}

static void add_note(struct rewriter *w, size_t region, uint32_t line, const char *text)
{
	cJSON *object, *said;

	/* Instances of one kernel have most facts in common. */
	cJSON_ArrayForEach(said, w->analysis)
		if (cJSON_GetObjectItem(said, "region")->valuedouble == (double)region &&
		    cJSON_GetObjectItem(said, "line")->valuedouble == (double)line &&
		    strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(said, "text")), text) == 0)
			return;
	object = kt_json_append(w->analysis);
	(void)cJSON_AddNumberToObject(object, "region", (double)region);
	(void)cJSON_AddNumberToObject(object, "line", line);
	(void)cJSON_AddStringToObject(object, "text", text);
}

static void decline(struct rewriter *w, size_t region, size_t instance, enum kt_decline reason, uint32_t line,
                    const char *detail)
{
	cJSON *object = kt_json_append(w->declined);

	(void)cJSON_AddNumberToObject(object, "region", (double)region);
	(void)cJSON_AddNumberToObject(object, "instance", (double)instance);
	(void)cJSON_AddStringToObject(object, "reason", kt_decline_name(reason));
	(void)cJSON_AddNumberToObject(object, "line", line);
	(void)cJSON_AddStringToObject(object, "detail", detail != NULL ? detail : "");
}

/* One launch geometry for all steps, as if it were the region's own. False: they differ, or it is not known. */
static bool share_geometry(struct kt_region *out, const struct kt_region *r)
{
	*out = *r;
	for (size_t s = 0; s < r->step_count; s++) {
		const struct kt_region_step *one = &r->steps[s], *first = &r->steps[0];

		if (one->grid_count != first->grid_count || one->block_count != first->block_count || one->grid_count == 0 ||
		    (one->shared_bytes.expr != NULL && strcmp(one->shared_bytes.text, "0") != 0))
			return false;
		for (size_t d = 0; d < one->grid_count; d++)
			if (strcmp(one->grid[d].text, first->grid[d].text) != 0)
				return false;
		for (size_t d = 0; d < one->block_count; d++)
			if (strcmp(one->block[d].text, first->block[d].text) != 0)
				return false;
	}
	out->grid_count = r->steps[0].grid_count;
	out->block_count = r->steps[0].block_count;
	memcpy(out->grid, r->steps[0].grid, sizeof out->grid);
	memcpy(out->block, r->steps[0].block, sizeof out->block);
	return true;
}

static bool read_kernel(struct kt_kernel *kernel, CXCursor *cursor, struct rewriter *w, size_t region, size_t instance,
                        const struct copy *copy)
{
	struct kt_scan *scan = w->scan;
	const struct kt_found *found = scan->found[region];
	const struct kt_region *r = &found->region;
	struct named named = {.name = plain_name(scan, region, instance)};

	*kernel = (struct kt_kernel){.arena = scan->arena, .region = kt_region_for(r, instance), .instance = instance, .prologue = ""};
	if (!is_copied(r)) {
		struct kt_line_at *mark = kt_arena_alloc(scan->arena, sizeof *mark);

		kernel->text = scan->text->data;
		kernel->size = scan->text->size;
		kernel->marks = mark;
		kernel->mark_count = mark != NULL;
		if (mark != NULL)
			*mark = (struct kt_line_at){r->body.begin, r->body_line};
		*cursor = scan->items[found->item].cursor;
		return true;
	}
	if (!copy->made || w->unit == NULL)
		return false;
	kernel->text = kt_buf_text(&w->text);
	kernel->size = w->text.size;
	kernel->marks = copy->marks;
	kernel->mark_count = copy->mark_count;
	kernel->steps = copy->steps;
	kernel->step_count = copy->step_count;
	if (r->step_count == 0)
		kernel->prologue = prologue(scan, r, &r->instances[instance]);
	kt_clang.visitChildren(kt_clang.getTranslationUnitCursor(w->unit), find_function, &named);
	*cursor = named.cursor;
	return named.found && kernel->prologue != NULL;
}

/* All that the project defines anywhere: after the file, at the place of a variant, each may still be a macro. */
static bool read_macros(struct kt_kernel *kernel, const struct kt_scan *scan)
{
	struct kt_tree_macro *macros = kt_arena_array(scan->arena, scan->macro_count + 1, sizeof *macros);

	for (size_t i = 0; macros != NULL && i < scan->macro_count; i++)
		macros[i] =
		    (struct kt_tree_macro){scan->macros[i].name, scan->macros[i].body, scan->macros[i].is_function};
	kernel->macros = macros;
	kernel->macro_count = scan->macro_count;
	return macros != NULL;
}

/* Is what is declared there visible by its name in the kernel's scope? A directive may make anything visible. */
static bool is_visible(const struct kt_scan *scan, const char *declared, const char *scope)
{
	for (size_t i = 0; i < scan->item_count; i++)
		if (scan->items[i].kind == CXCursor_UsingDirective)
			return true;
	return strncmp(scope, declared, strlen(declared)) == 0;
}

static bool read_declared(struct kt_kernel *kernel, const struct kt_scan *scan, const struct kt_found *found)
{
	const char **names = kt_arena_array(scan->arena, scan->item_count + 1, sizeof *names);
	const size_t own = found->step_count > 0 ? found->steps[0].kernel->item : found->item;

	kernel->declared = names;
	for (size_t i = 0; names != NULL && i < scan->item_count; i++)
		if (!scan->items[i].is_member && is_visible(scan, scan->items[i].scope, scan->items[own].scope))
			names[kernel->declared_count++] = scan->items[i].name;
	return names != NULL;
}

static void make(struct rewriter *w, size_t region, size_t instance, const struct copy *copy)
{
	struct kt_scan *scan = w->scan;
	const struct kt_region *r = &scan->found[region]->region;
	const struct kt_pragma *pragma = scan->found[region]->pragma;
	struct kt_kernel kernel;
	struct kt_family *family = kt_arena_alloc(scan->arena, sizeof *family);
	struct kt_region *whole = kt_arena_alloc(scan->arena, sizeof *whole);
	CXCursor cursor;
	struct kt_error err;
	cJSON *json = NULL;

	if (family == NULL || whole == NULL || !read_kernel(&kernel, &cursor, w, region, instance, copy) ||
	    !read_macros(&kernel, scan) || !read_declared(&kernel, scan, scan->found[region])) {
		decline(w, region, instance, KT_DECLINE_INSTANCE_UNKNOWN, r->line,
		        copy->why != NULL ? copy->why : "the instance cannot be written as a plain kernel");
		return;
	}
	if (r->step_count > 0) {
		if (!share_geometry(whole, r)) {
			decline(w, region, instance, KT_DECLINE_GEOMETRY_DIFFERS, r->line, "the launches have different grids or blocks");
			return;
		}
		kernel.region = whole;
	}
	if (kt_lift(&kernel, scan, is_copied(r) ? w->unit : scan->unit, cursor, &err) != KT_OK ||
	    kernel.variable_count < r->argument_count) {
		decline(w, region, instance, KT_DECLINE_BODY_UNREAD, r->body_line != 0 ? r->body_line : r->line,
		        "the kernel's body cannot be read");
		return;
	}
	family->kernel = &kernel;
	/* auto(vectorize, geometry): a region's own list goes before the command line's. */
	family->allowed = pragma->strategy_count != 0 ? pragma->strategies : w->allowed;
	family->allowed_count = pragma->strategy_count != 0 ? pragma->strategy_count : w->allowed_count;
	kt_family_make(family);
	for (size_t i = 0; i < family->note_count; i++)
		add_note(w, region, family->notes[i].line, family->notes[i].text);
	if (family->reason == KT_DECLINE_NONE)
		json = kt_family_json(family, region);
	if (json != NULL)
		(void)cJSON_AddItemToArray(w->templates, json);
	else if (family->reason != KT_DECLINE_NONE)
		decline(w, region, instance, family->reason, family->reason_line, family->reason_detail);
	else
		decline(w, region, instance, family->write.failed ? KT_DECLINE_IN_MACRO : KT_DECLINE_TOO_LARGE, r->line,
		        family->write.failed ? "what would have to change is in a macro"
		                             : "the kernel is too large for the rules");
	kt_buf_free(&family->helpers);
	kt_buf_free(&family->top);
}

static kt_status split(struct rewriter *w, const char *list, struct kt_error *err)
{
	while (list != NULL && *list != '\0') {
		size_t length = strcspn(list, ",");

		if (!kt_arena_push_text(w->scan->arena, &w->allowed, &w->allowed_count,
		                        kt_arena_strndup(w->scan->arena, list, length)))
			return kt_no_memory(err);
		list += length + (list[length] == ',');
	}
	return KT_OK;
}

/* The tree of a text that does not compile has gaps: such a copy gives no information about its kernel. */
static void drop_broken(struct rewriter *w, struct copy **copies)
{
	const unsigned count = kt_clang.getNumDiagnostics(w->unit);

	for (unsigned d = 0; d < count; d++) {
		CXDiagnostic diagnostic = kt_clang.getDiagnostic(w->unit, d);
		const enum CXDiagnosticSeverity severity = kt_clang.getDiagnosticSeverity(diagnostic);
		const CXSourceLocation location = kt_clang.getDiagnosticLocation(diagnostic);
		unsigned at = 0;

		kt_clang.getFileLocation(location, NULL, NULL, NULL, &at);
		for (size_t i = 0; severity >= CXDiagnostic_Error && i < w->scan->found_count && copies[i] != NULL; i++)
			for (size_t k = 0; k < w->scan->found[i]->region.instance_count; k++) {
				struct copy *copy = &copies[i][k];

				if (severity != CXDiagnostic_Fatal && (kt_clang.Location_isFromMainFile(location) == 0 ||
				                                        at < copy->range.begin || copy->range.end <= at))
					continue;
				copy->made = false;
				copy->why = kt_arena_printf(w->scan->arena, "what the rules would read does not compile: %s",
				                            kt_clang_text(w->scan->arena, kt_clang.getDiagnosticSpelling(diagnostic)));
			}
		kt_clang.disposeDiagnostic(diagnostic);
	}
}

cJSON *kt_rewrite(struct kt_scan *scan, const char *strategies, struct kt_error *err)
{
	struct rewriter w = {.scan = scan, .text = KT_BUF(KT_LIMIT_SOURCE_BYTES * 4)};
	cJSON *json = cJSON_CreateObject();
	struct copy **copies = kt_arena_array(scan->arena, scan->found_count + 1, sizeof *copies);
	bool any = false;
	kt_status status = split(&w, strategies, err);

	w.templates = cJSON_AddArrayToObject(json, "templates");
	w.declined = cJSON_AddArrayToObject(json, "declined");
	w.analysis = cJSON_AddArrayToObject(json, "analysis");
	if (status == KT_OK && copies == NULL)
		status = kt_no_memory(err);
	if (status == KT_OK)
		kt_buf_add(&w.text, scan->text->data, scan->text->size);
	kt_buf_addc(&w.text, '\n');
	for (size_t i = 0; status == KT_OK && i < scan->found_count; i++) {
		const struct kt_region *r = &scan->found[i]->region;

		copies[i] = kt_arena_array(scan->arena, r->instance_count + 1, sizeof **copies);
		for (size_t k = 0; copies[i] != NULL && is_open(r) && is_copied(r) && k < r->instance_count; k++) {
			struct copy *copy = &copies[i][k];
			const size_t mark = w.text.size;

			copy->made = r->step_count > 0 ? append_fused(&w, i, k, copy) : append_kernel(&w, i, k, copy);
			copy->range = (struct kt_range){(uint32_t)mark, (uint32_t)w.text.size};
			any = any || copy->made;
			/* Half a copy would take the rest of the text along. */
			if (!copy->made && w.text.data != NULL) {
				w.text.size = mark;
				w.text.data[mark] = '\0';
			}
		}
	}
	if (status == KT_OK && any)
		status = kt_scan_again(&w.unit, scan, &w.text, err);
	if (status == KT_OK && w.unit != NULL)
		drop_broken(&w, copies);
	for (size_t i = 0; status == KT_OK && i < scan->found_count; i++) {
		const struct kt_region *r = &scan->found[i]->region;

		for (size_t k = 0; copies[i] != NULL && is_open(r) && k < r->instance_count; k++)
			make(&w, i, k, &copies[i][k]);
	}
	if (w.unit != NULL)
		kt_clang.disposeTranslationUnit(w.unit);
	kt_buf_free(&w.text);
	if (status == KT_OK)
		return json;
	cJSON_Delete(json);
	return NULL;
}
