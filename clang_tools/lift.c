#include "lift.h"

#include "lift_internal.h"

#define MOST_DEPTH 400 /* deepest nesting of a kernel's tree */

static enum CXChildVisitResult gather(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct kt_lift_cursors *g = data;
	CXCursor *slot = kt_arena_push(g->lift->kernel->arena, &g->cursors, &g->count, sizeof *slot);

	(void)parent;
	if (slot == NULL) {
		g->lift->failed = true;
		return CXChildVisit_Break;
	}
	*slot = cursor;
	return CXChildVisit_Continue;
}

struct kt_lift_cursors kt_lift_cursors_of(struct kt_lift *lift, CXCursor cursor)
{
	struct kt_lift_cursors g = {lift, 0, NULL};

	kt_clang.visitChildren(cursor, gather, &g);
	return g;
}

static struct kt_tree *new_node(struct kt_lift *lift, enum kt_tree_kind kind, struct kt_range range, bool in_macro)
{
	struct kt_tree *node = kt_arena_alloc(lift->kernel->arena, sizeof *node);

	if (node == NULL) {
		lift->failed = true;
		return NULL;
	}
	node->kind = kind;
	node->range = range;
	node->in_macro = in_macro;
	node->known = "";
	return node;
}

void kt_lift_adopt(struct kt_lift *lift, struct kt_tree *node, struct kt_tree *child)
{
	struct kt_tree **slot = kt_arena_push(lift->kernel->arena, &node->children, &node->count, sizeof *slot);

	if (slot == NULL) {
		lift->failed = true;
		return;
	}
	*slot = child;
	if (child != NULL)
		child->parent = node;
}

void kt_lift_children(struct kt_lift *lift, struct kt_tree *node, CXCursor cursor)
{
	struct kt_lift_cursors g = kt_lift_cursors_of(lift, cursor);

	for (size_t i = 0; i < g.count && !lift->failed; i++) {
		struct kt_tree *child = kt_lift_node(lift, g.cursors[i]);

		if (child != NULL)
			kt_lift_adopt(lift, node, child);
	}
}

struct kt_tree *kt_lift_node(struct kt_lift *lift, CXCursor cursor)
{
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	bool in_macro = false, is_expression = kt_clang.isExpression(kind) != 0;
	struct kt_range range = kt_lift_range(lift, cursor, &in_macro);
	struct kt_tree *node;

	if (kt_clang.isReference(kind) != 0 || lift->failed)
		return NULL;
	if (range.begin > range.end || range.end > lift->kernel->size || ++lift->depth > MOST_DEPTH) {
		lift->too_deep = true;
		return NULL;
	}
	node = new_node(lift, is_expression ? KT_TREE_OTHER : KT_TREE_STATEMENT, range, in_macro);
	if (node != NULL)
		node = is_expression ? kt_lift_value(lift, node, cursor) : kt_lift_statement(lift, node, cursor);
	lift->depth--;
	return node;
}

struct function {
	struct kt_lift *lift;
	CXCursor body;
	int arguments;
	bool found;
	struct kt_lift_cursors first; /* what a constructor gives its members */
};

static enum CXChildVisitResult read_function(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct function *f = data;
	enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

	if (kind == CXCursor_ParmDecl) {
		struct kt_tree_variable *v = kt_lift_variable(f->lift, cursor);

		if (v != NULL)
			v->argument = f->arguments++;
	} else if (kind == CXCursor_CompoundStmt) {
		f->body = cursor;
		f->found = true;
	} else if (kt_clang.isExpression(kind) != 0 && (kt_clang.getCursorKind(parent) == CXCursor_Constructor ||
	                                                kt_clang.getTemplateCursorKind(parent) == CXCursor_Constructor)) {
		(void)gather(cursor, parent, &f->first);
	}
	return CXChildVisit_Continue;
}

bool kt_lift_body(struct kt_lift *lift, CXCursor cursor)
{
	struct function f = {.lift = lift, .first = {.lift = lift}};

	kt_clang.visitChildren(cursor, read_function, &f);
	if (f.found)
		lift->kernel->body = kt_lift_node(lift, f.body);
	for (size_t i = 0; lift->kernel->body != NULL && i < f.first.count; i++) {
		struct kt_tree *node = kt_lift_node(lift, f.first.cursors[i]);

		if (node != NULL)
			kt_lift_adopt(lift, lift->kernel->body, node);
	}
	if (lift->kernel->body == NULL || lift->failed || lift->too_deep)
		return false;
	kt_lift_count_uses(lift->kernel, lift->kernel->body);
	kt_lift_widen(lift->kernel->body, lift->kernel);
	return true;
}

kt_status kt_lift(struct kt_kernel *kernel, struct kt_scan *scan, CXTranslationUnit unit, CXCursor cursor,
                  struct kt_error *err)
{
	struct kt_lift_callees callees = {0, NULL};
	struct kt_lift_folders folders;
	struct kt_lift lift = {.kernel = kernel, .unit = unit, .callees = &callees, .folders = &folders,
	                       .opencl = !kt_target_of(kernel->region->language)->has_host_code};

	kt_lift_find_folders(&folders, scan);
	if (kt_lift_body(&lift, cursor))
		return KT_OK;
	if (lift.failed)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a kernel's tree");
	return kt_fail(err, KT_ERR_INVALID, "the kernel's body cannot be read");
}
