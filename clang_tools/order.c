/*
 * Does the order matter in which a launch's expressions are evaluated, and do they change what problem variables come
 * from?
 */
#include "launches.h"
#include "quiet.h"

#include <string.h>

#include "base/lex.h"

struct operands {
	const struct kt_call *call;
	struct kt_quiet quiet;
	bool in_configuration;
	size_t at; /* expressions seen, the callee included */
	bool all_quiet;
};

/* The callee, the configuration with its own operands (grid, block, shared memory, stream), arguments. */
static enum CXChildVisitResult judge_operand(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct operands *o = data;
	bool quiet;

	(void)parent;
	if (kt_clang.isExpression(kt_clang.getCursorKind(cursor)) == 0 || o->at++ == 0)
		return CXChildVisit_Continue;
	if (!o->in_configuration && kt_clang.equalCursors(cursor, o->call->config) != 0) {
		struct operands inner = {
		    .call = o->call, .quiet = {.scan = o->quiet.scan}, .in_configuration = true, .all_quiet = true};

		kt_clang.visitChildren(cursor, judge_operand, &inner);
		quiet = inner.all_quiet;
	} else {
		quiet = o->in_configuration && o->at == 5 ? kt_quiet_stream(&o->quiet, cursor) : kt_quiet_value(&o->quiet, cursor);
	}
	o->all_quiet = o->all_quiet && quiet;
	return o->all_quiet ? CXChildVisit_Continue : CXChildVisit_Break;
}

bool kt_launch_is_quiet(struct kt_scan *scan, const struct kt_region *r, const struct kt_call *call,
                        const struct kt_callee_of *callee)
{
	struct operands o = {.call = call, .quiet = {.scan = scan}, .all_quiet = true};

	kt_clang.visitChildren(call->cursor, judge_operand, &o);
	if (!o.all_quiet)
		return false;
	if (!callee->dependent)
		return kt_quiet_defaults(&o.quiet, callee->target, call->cursor);
	/* Which arguments are left to their defaults is not known before the template has an instance. */
	for (size_t i = 0; i < r->argument_count; i++)
		if (r->arguments[i].default_text != NULL)
			return false;
	return true;
}

/* ---- variables that bindings name */

struct changes {
	struct kt_scan *scan;
	const struct kt_launch *launch;
	size_t variable_count;
	bool is_read; /* what is visited is only read there */
	bool found;
};

static bool names(struct kt_scan *scan, const char *expression, const char *name)
{
	struct kt_text text;
	struct kt_error err;

	if (kt_lex(&text, scan->arena, expression, 0, strlen(expression), false, &err) != KT_OK) {
		scan->failed = true;
		return false;
	}
	for (size_t i = 0; i < text.count; i++)
		if (kt_token_is(&text, i, name))
			return true;
	return false;
}

static bool is_bound(const struct changes *c, CXCursor variable)
{
	const CXType type = kt_clang.getCursorType(variable);
	const int kind = (int)kt_clang.getCursorKind(variable);
	const char *name;

	if ((kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl) || kt_clang.isConstQualifiedType(type) != 0)
		return false;
	name = kt_clang_text(c->scan->arena, kt_clang.getCursorSpelling(variable));
	for (size_t v = 0; name != NULL && v < c->variable_count; v++) {
		const struct kt_binding *b = &c->launch->bindings[v];

		if (b->argument < 0 && b->text != NULL && names(c->scan, b->text, name))
			return true;
	}
	c->scan->failed = c->scan->failed || name == NULL;
	return false;
}

/* A variable is only read where it is converted to a value, or its constant member is called. */
static enum CXChildVisitResult find_change(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct changes *c = data;
	struct changes inner = *c;

	(void)parent;
	switch ((int)kt_clang.getCursorKind(cursor)) {
	case CXCursor_DeclRefExpr:
		c->found = c->found || (!c->is_read && is_bound(c, kt_clang.getCursorReferenced(cursor)));
		break;
	case CXCursor_UnexposedExpr:
	case CXCursor_UnaryExpr: /* sizeof: not evaluated */
		inner.is_read = true;
		break;
	case CXCursor_ParenExpr:
	case CXCursor_MemberRefExpr:
		break;
	case CXCursor_CallExpr:
		/* A function or constructor that takes it by reference, and has no effect by its body. */
		if (kt_quiet_value(&(struct kt_quiet){.scan = c->scan}, cursor))
			return CXChildVisit_Continue;
		inner.is_read = false;
		break;
	default:
		inner.is_read = false;
		break;
	}
	kt_clang.visitChildren(cursor, find_change, &inner);
	c->found = c->found || inner.found;
	return c->found ? CXChildVisit_Break : CXChildVisit_Continue;
}

struct parts {
	struct changes changes;
	CXCursor config;
};

/* What the launch itself takes is converted, or given to a separate parameter. */
static enum CXChildVisitResult find_change_in_part(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct parts *p = data;

	if (kt_clang.equalCursors(cursor, p->config) != 0)
		kt_clang.visitChildren(cursor, find_change_in_part, p);
	else
		(void)find_change(cursor, parent, &p->changes);
	return CXChildVisit_Continue;
}

bool kt_launch_changes_bound(struct kt_scan *scan, const struct kt_launch *launch, const struct kt_call *call,
                             size_t variable_count)
{
	struct parts p = {{scan, launch, variable_count, true, false}, call->config};

	kt_clang.visitChildren(call->cursor, find_change_in_part, &p);
	return p.changes.found;
}
