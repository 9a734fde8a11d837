/* Which kernels are lowered, and how they are reached. */
#include "lower_internal.h"

#include <string.h>

#include "base/fs.h"
#include "generation/ir/cuda.h"
#include "generation/ir/text.h"

/* ---- Kernels ---- */

struct kernels {
	struct kt_lower *l;
	struct kernel {
		CXCursor cursor;
		size_t region;
	} * items;
	size_t count;
	struct kt_lower_map seen, visited;
	bool all;
};

/* The region whose kernel it is, or an instance of that kernel; without one: their count. */
static size_t region_of(const struct kernels *k, CXCursor function)
{
	const CXCursor from = kt_clang.getSpecializedCursorTemplate(function);
	const CXCursor pattern = kt_clang.Cursor_isNull(from) == 0 ? from : function;
	const char *usr = kt_lower_text(k->l, kt_clang.getCursorUSR(pattern));

	for (size_t i = 0; i < k->l->scan->found_count; i++) {
		const struct kt_found *found = k->l->scan->found[i];

		if (found->item != KT_NO_ITEM &&
		    strcmp(kt_lower_text(k->l, kt_clang.getCursorUSR(found->pattern)), usr) == 0)
			return i;
	}
	return k->l->scan->found_count;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data);

/* A function that is named: a kernel, or an instance of a host function that may launch one. */
static void add_function(struct kernels *k, CXCursor cursor)
{
	const CXCursor definition = kt_clang.getCursorDefinition(cursor);
	const CXCursor function = kt_clang.Cursor_isNull(definition) == 0 ? definition : cursor;
	struct kernel *slot;
	size_t region;

	if (kt_lower_is_system(function) || kt_lower_find(&k->seen, function) != NULL)
		return;
	if (!kt_lower_put(&k->seen, k->l->arena, function, k))
		k->l->failed = true;
	if (!kt_lower_has_child(k->l, function, CXCursor_CompoundStmt))
		return;
	if (!kt_lower_has_child(k->l, function, CXCursor_CUDAGlobalAttr)) {
		if (kt_clang.Cursor_isNull(kt_clang.getSpecializedCursorTemplate(function)) == 0)
			kt_clang.visitChildren(function, visit, k);
		return;
	}
	region = region_of(k, function);
	if (region == k->l->scan->found_count && !k->all)
		return;
	slot = kt_arena_push(k->l->arena, &k->items, &k->count, sizeof *slot);
	if (slot == NULL)
		k->l->failed = true;
	else
		*slot = (struct kernel){function, region};
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	struct kernels *k = data;
	CXCursor target;

	(void)parent;
	if (kt_clang.isDeclaration(kind) != 0 && kt_lower_is_system(cursor) && kind != CXCursor_LinkageSpec)
		return CXChildVisit_Continue;
	if (kind == CXCursor_FunctionTemplate)
		return CXChildVisit_Continue;
	if (kind == CXCursor_FunctionDecl)
		add_function(k, cursor);
	if (kind == CXCursor_DeclRefExpr || kind == CXCursor_CallExpr || kind == CXCursor_MemberRefExpr) {
		target = kt_lower_referenced(cursor);
		if (kt_clang.Cursor_isNull(target) == 0 &&
		    kt_clang.Cursor_isNull(kt_clang.getSpecializedCursorTemplate(target)) == 0)
			add_function(k, target);
	}
	return k->l->failed ? CXChildVisit_Break : CXChildVisit_Recurse;
}

/* ---- Lowering ---- */

static void count_opaque(struct kt_lowered *out, const struct kt_lower *l, const struct kt_ir_region *r)
{
	for (const struct kt_ir_statement *s = r->first; s != NULL; s = s->next) {
		count_opaque(out, l, &s->body);
		count_opaque(out, l, &s->otherwise);
		for (size_t i = 0; i < s->case_count; i++)
			count_opaque(out, l, &s->cases[i].body);
		if (s->kind != KT_IR_S_OPAQUE || s->effects != KT_IR_ALL_EFFECTS)
			continue;
		out->opaque_count++;
		for (size_t i = 0; out->why == NULL && i < l->reason_count; i++)
			if (l->reasons[i].statement == s)
				out->why = l->reasons[i].why;
	}
}

/* The kernel, alone in a module. */
static kt_status lower_kernel(struct kt_lowered *out, struct kt_lower *l, const struct kernel *k, struct kt_error *err)
{
	const CXCursor kernel = k->cursor;
	kt_status status;

	l->module = kt_ir_module_new(l->arena);
	l->functions = l->classes = l->globals = l->working = (struct kt_lower_map){0};
	l->with_defaults = NULL;
	l->with_default_count = l->reason_count = l->use_count = l->named_count = 0;
	l->reasons = NULL;
	l->uses = NULL;
	l->named = NULL;
	l->why = NULL;
	NEED(l->module, kt_no_memory(err));
	l->module->flags.contract = true;
	*out = (struct kt_lowered){
	    .name = kt_lower_spelling(l, kernel),
	    .symbol = kt_lower_text(l, kt_clang.Cursor_getMangling(kernel)),
	    .region = k->region,
	    .module = l->module,
	};
	l->kernel = kernel;
	if (kt_lower_function(l, kernel, true, NULL) == NULL) {
		/* Its parameters are not understood: there is nothing of it but its name. */
		out->opaque_count = 1;
		out->why = l->why != NULL ? l->why : l->module->error.message;
		out->module = kt_ir_module_new(l->arena);
		l->why = NULL;
		return l->failed || out->module == NULL ? kt_no_memory(err) : KT_OK;
	}
	for (const struct kt_ir_function *f = l->module->functions; f != NULL; f = f->next)
		count_opaque(out, l, &f->body);
	out->uses = l->uses;
	out->use_count = l->use_count;
	out->classes = l->named;
	out->class_count = l->named_count;
	if (l->failed)
		return kt_no_memory(err);
	status = kt_ir_verify(l->module, false, err);
	/* A mistake of the front's: the kernel is not understood then. */
	if (status == KT_ERR_INVALID) {
		out->opaque_count++;
		out->why = kt_arena_printf(l->arena, "the IR is not right: %s", err->message);
		status = KT_OK;
	}
	return status;
}

/*
 * Instances are named in a function at the end of the file: some are known as text alone, or by references that the file does
 * not have, or by one in a host function template, which the walk leaves out.
 */
static void name_instances(struct kt_buf *text, struct kt_scan *scan)
{
	kt_buf_adds(text, "\nnamespace { inline void kt_lower_instances() {\n");
	for (size_t i = 0; i < scan->found_count; i++) {
		const struct kt_region *r = &scan->found[i]->region;

		if (scan->found[i]->item == KT_NO_ITEM || scan->found[i]->block.end != 0)
			continue;
		for (size_t k = 0; k < r->instance_count; k++)
			kt_buf_addf(text, "(void)&%s%s;\n", scan->items[scan->found[i]->item].scope, r->instances[k].name);
	}
	kt_buf_adds(text, "} }\n");
}

kt_status kt_lower_scan(struct kt_lowered **out, size_t *count, struct kt_scan *scan, bool all, struct kt_error *err)
{
	struct kt_lower l = {.arena = scan->arena, .scan = scan};
	struct kernels k = {.l = &l, .all = all};
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct CXUnsavedFile headers[KT_LOWER_HEADERS];
	kt_status status = KT_OK;

	*count = 0;
	if (!kt_lower_headers(headers, scan))
		return kt_fail(err, KT_ERR_MISSING, "libclang's headers for CUDA were not found");
	/* By its path: libclang may spell the folder in another way, and then finds nothing there but what is on disk. */
	kt_buf_addf(&text, "#include \"%s\"\n#line 1\n", headers[1].Filename);
	kt_buf_add(&text, scan->text->data, scan->text->size);
	name_instances(&text, scan);
	status = kt_scan_with(&l.unit, scan, &text, headers, KT_LOWER_HEADERS, kt_lower_groups(scan), err);
	if (status != KT_OK)
		goto done;
	if (kt_clang.getFile(l.unit, headers[1].Filename) == NULL) {
		status = kt_fail(err, KT_ERR_MISSING, "%s was not read", headers[1].Filename);
		goto done;
	}
	l.main_file =
	    kt_clang.getFile(l.unit, kt_path_absolute(scan->arena, scan->options.file, scan->options.directory));
	kt_clang.visitChildren(kt_clang.getTranslationUnitCursor(l.unit), visit, &k);
	*out = kt_arena_array(scan->arena, k.count + 1, sizeof **out);
	if (l.failed || *out == NULL) {
		status = kt_no_memory(err);
		goto done;
	}
	for (size_t i = 0; i < k.count && status == KT_OK; i++)
		status = lower_kernel(&(*out)[(*count)++], &l, &k.items[i], err);
done:
	if (l.unit != NULL)
		kt_clang.disposeTranslationUnit(l.unit);
	kt_buf_free(&text);
	return status;
}

/* ---- Printing ---- */

static void heading(struct kt_buf *out, const char *comment, const struct kt_lowered *k)
{
	kt_buf_addf(out, "%s kernel %s %s: %zu opaque%s%s\n", comment, k->name, k->symbol, k->opaque_count,
		    k->why != NULL ? "; " : "", k->why != NULL ? k->why : "");
}

void kt_lower_print(struct kt_buf *out, const struct kt_lowered *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		heading(out, ";", &list[i]);
		kt_ir_print(out, list[i].module);
	}
}

kt_status kt_lower_print_cuda(struct kt_buf *out, const struct kt_lowered *list, size_t count, struct kt_error *err)
{
	const struct kt_ir_cuda_options options = {.prefix = "lowered_", .declares_types = true, .inlines_lets = true};
	kt_status status = KT_OK;

	for (size_t i = 0; i < count && status == KT_OK; i++) {
		heading(out, "//", &list[i]);
		if (list[i].opaque_count > 0)
			continue;
		kt_buf_addf(out, "namespace kt_lowered_%zu {\n", i);
		for (size_t k = 0; k < list[i].use_count; k++)
			kt_buf_addf(out, "using %s;\n", list[i].uses[k]);
		status = kt_ir_print_cuda(out, list[i].module, &options, err);
		kt_buf_adds(out, "}\n");
	}
	return status;
}
