/* Statements. One that is not understood becomes opaque, and with it nothing else. */
#include <string.h>

#include "lower_internal.h"

struct jumps {
	bool leads_out;
	unsigned loops, switches;
};

/* Is there a jump that a statement of this text cannot make: out of it, or to a label? */
static enum CXChildVisitResult find_jump(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	struct jumps *j = data, inner = *j;

	(void)parent;
	switch ((int)kind) {
	case CXCursor_BreakStmt:
		j->leads_out |= j->loops == 0 && j->switches == 0;
		return CXChildVisit_Continue;
	case CXCursor_ContinueStmt:
		j->leads_out |= j->loops == 0;
		return CXChildVisit_Continue;
	case CXCursor_GotoStmt:
	case CXCursor_IndirectGotoStmt:
	case CXCursor_LabelStmt:
		j->leads_out = true;
		return CXChildVisit_Break;
	case CXCursor_LambdaExpr:
		return CXChildVisit_Continue;
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt:
	case CXCursor_CXXForRangeStmt:
		inner.loops++;
		break;
	case CXCursor_SwitchStmt:
		inner.switches++;
		break;
	default:
		return CXChildVisit_Recurse;
	}
	kt_clang.visitChildren(cursor, find_jump, &inner);
	j->leads_out |= inner.leads_out;
	return CXChildVisit_Continue;
}

static bool leads_out(CXCursor statement)
{
	struct jumps j = {0};
	const CXCursor none = kt_clang.getNullCursor();

	if (find_jump(statement, none, &j) == CXChildVisit_Recurse)
		kt_clang.visitChildren(statement, find_jump, &j);
	return j.leads_out;
}

/* ---- Contracts ---- */

bool kt_lower_into(struct kt_lower *l, struct kt_ir_region *region, CXCursor statement)
{
	struct kt_ir_region *const outer = l->body->region;
	bool is_right;

	l->body->region = region;
	is_right = kt_lower_statement(l, statement);
	l->body->region = outer;
	return is_right;
}

static bool nothing(struct kt_lower *l, CXCursor statement)
{
	(void)l;
	(void)statement;
	return true;
}

static bool compound(struct kt_lower *l, CXCursor statement)
{
	const struct kt_lower_children c = kt_lower_children(l, statement);

	for (size_t i = 0; i < c.count; i++)
		if (!kt_lower_statement(l, c.items[i]))
			return false;
	return true;
}

static bool declaration(struct kt_lower *l, CXCursor statement)
{
	const struct kt_lower_children c = kt_lower_children(l, statement);

	for (size_t i = 0; i < c.count; i++)
		switch ((int)kt_clang.getCursorKind(c.items[i])) {
		case CXCursor_VarDecl:
			if (!kt_lower_variable_declared(l, c.items[i]))
				return false;
			break;
		case CXCursor_TypedefDecl:
		case CXCursor_TypeAliasDecl:
		case CXCursor_StructDecl:
		case CXCursor_ClassDecl:
		case CXCursor_EnumDecl:
		case CXCursor_UsingDeclaration:
		case CXCursor_UsingDirective:
		case CXCursor_NamespaceAlias:
		case CXCursor_StaticAssert:
			break;
		default:
			return kt_lower_cannot(l, "a declaration of the kind %d",
					       (int)kt_clang.getCursorKind(c.items[i])),
			       false;
		}
	return true;
}

static bool is_bool(CXCursor expression)
{
	return kt_clang.isExpression(kt_clang.getCursorKind(expression)) != 0 &&
	       kt_lower_canonical(expression).kind == CXType_Bool;
}

/*
 * Children: the condition, the branch, and, where there is one, the other branch. A declaration in front is of a
 * variable of the if's own, or, where an expression follows it, a statement that comes first.
 */
static bool if_statement(struct kt_lower *l, CXCursor statement)
{
	const struct kt_lower_children c = kt_lower_children(l, statement);
	const struct kt_ir_value *condition;
	struct kt_ir_statement *s;
	size_t at = 0;

	if (c.count > 0 && kt_clang.getCursorKind(c.items[0]) == CXCursor_DeclStmt) {
		if (c.count < 3 || !is_bool(c.items[1]) || !declaration(l, c.items[0]))
			return kt_lower_cannot(l, "an if that declares"), false;
		at = 1;
	}
	if (c.count < at + 1 || c.count > at + 3 || !is_bool(c.items[at]))
		return kt_lower_cannot(l, "an if of %zu parts", c.count), false;
	/* `if (f(); c)`: two expressions in front of a branch. */
	if (c.count == at + 3 && is_bool(c.items[at + 1]))
		return kt_lower_cannot(l, "an if whose condition is not told from its first statement"), false;
	NEED(condition = kt_lower_value(l, c.items[at]), false);
	s = kt_ir_if(l->module, l->body->region, condition);
	return s != NULL && (c.count <= at + 1 || kt_lower_into(l, &s->body, c.items[at + 1])) &&
	       (c.count <= at + 2 || kt_lower_into(l, &s->otherwise, c.items[at + 2]));
}

static bool jump(struct kt_lower *l, CXCursor statement)
{
	const bool is_break = kt_clang.getCursorKind(statement) == CXCursor_BreakStmt;
	struct kt_ir_statement *s;

	if (l->body->loop_depth == 0 || (is_break && l->body->switch_depth > 0))
		return kt_lower_cannot(l, "a break inside of a switch's case"), false;
	s = kt_ir_append(l->module, l->body->region, is_break ? KT_IR_S_BREAK : KT_IR_S_CONTINUE);
	return s != NULL;
}

static bool return_statement(struct kt_lower *l, CXCursor statement)
{
	const struct kt_lower_children c = kt_lower_children(l, statement);
	const struct kt_ir_type *type = l->body->function->result;
	const CXType result = kt_clang.getCanonicalType(l->body->result);
	const struct kt_ir_value *value = NULL;
	struct kt_ir_statement *s;

	if (c.count > 1)
		return kt_lower_cannot(l, "a return of %zu parts", c.count), false;
	if (c.count == 1 && type->kind == KT_IR_VOID && !kt_lower_effects(l, c.items[0]))
		return false;
	if (c.count == 1 && type->kind != KT_IR_VOID) {
		const bool is_reference =
		    result.kind == CXType_LValueReference || result.kind == CXType_RValueReference;

		value = is_reference ? kt_lower_reference(l, c.items[0], type) : kt_lower_initial(l, type, c.items[0]);
		if (value == NULL)
			return false;
	}
	NEED(s = kt_ir_append(l->module, l->body->region, KT_IR_S_RETURN), false);
	s->value = value;
	return true;
}

/* A statement with attributes: its last child. */
static bool attributed(struct kt_lower *l, CXCursor statement)
{
	const struct kt_lower_children c = kt_lower_children(l, statement);

	if (c.count == 0 || kt_clang.isStatement(kt_clang.getCursorKind(c.items[c.count - 1])) == 0)
		return kt_lower_cannot(l, "a statement without a kind"), false;
	return kt_lower_statement(l, c.items[c.count - 1]);
}

static const struct {
	enum CXCursorKind kind;
	bool (*lower)(struct kt_lower *l, CXCursor statement);
} contracts[] = {
    {CXCursor_CompoundStmt, compound},      {CXCursor_NullStmt, nothing},
    {CXCursor_DeclStmt, declaration},       {CXCursor_IfStmt, if_statement},
    {CXCursor_ForStmt, kt_lower_for},       {CXCursor_WhileStmt, kt_lower_while},
    {CXCursor_DoStmt, kt_lower_do},         {CXCursor_CXXForRangeStmt, kt_lower_range},
    {CXCursor_SwitchStmt, kt_lower_switch}, {CXCursor_BreakStmt, jump},
    {CXCursor_ContinueStmt, jump},          {CXCursor_ReturnStmt, return_statement},
    {CXCursor_UnexposedStmt, attributed},
};

static bool contract(struct kt_lower *l, CXCursor statement)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(statement);

	if (kt_clang.isExpression(kind) != 0)
		return kt_lower_effects(l, statement);
	for (size_t i = 0; i < sizeof contracts / sizeof *contracts; i++)
		if (contracts[i].kind == kind)
			return contracts[i].lower(l, statement);
	if (kind == CXCursor_GCCAsmStmt)
		return kt_lower_cannot(l, "inline assembly"), false;
	return kt_lower_cannot(l, "a statement of the kind %d", (int)kind), false;
}

/* Gives statements their line that have none: those inside have been given theirs. */
static void stamp(struct kt_ir_statement *first, uint32_t line)
{
	for (struct kt_ir_statement *s = first; s != NULL; s = s->next) {
		if (s->line == 0)
			s->line = line;
		stamp(s->body.first, line);
		stamp(s->otherwise.first, line);
	}
}

/* Takes back what was appended after `last`. */
static void truncate(struct kt_ir_region *region, struct kt_ir_statement *last)
{
	region->last = last;
	if (last == NULL)
		region->first = NULL;
	else
		last->next = NULL;
}

static enum CXChildVisitResult count_loops(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	size_t *count = data;

	(void)parent;
	*count += kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt ||
		  kind == CXCursor_CXXForRangeStmt;
	return CXChildVisit_Recurse;
}

size_t kt_lower_loops(CXCursor statement)
{
	size_t count = 0;

	(void)count_loops(statement, kt_clang.getNullCursor(), &count);
	kt_clang.visitChildren(statement, count_loops, &count);
	return count;
}

bool kt_lower_statement(struct kt_lower *l, CXCursor statement)
{
	struct kt_ir_region *const region = l->body->region;
	struct kt_ir_statement *const last = region->last;
	const size_t loops = l->body->loops;
	const unsigned loop_depth = l->body->loop_depth, switch_depth = l->body->switch_depth;
	const char *why;

	if (l->failed)
		return true;
	l->why = NULL;
	if (contract(l, statement) && !l->module->failed && l->why == NULL) {
		stamp(last == NULL ? region->first : last->next, kt_lower_line(l, statement));
		return true;
	}
	why = l->module->failed ? kt_arena_strdup(l->arena, l->module->error.message)
	      : l->why != NULL  ? l->why
				: "unknown";
	l->module->failed = false;
	l->body->loop_depth = loop_depth;
	l->body->switch_depth = switch_depth;
	truncate(region, last);
	if (leads_out(statement)) {
		l->why = why;
		return false;
	}
	l->body->region = region;
	kt_lower_opaque(l, statement, why);
	l->body->loops = loops + kt_lower_loops(statement);
	return true;
}
