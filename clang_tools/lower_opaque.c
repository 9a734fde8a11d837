/* Statements that are not understood: their text, and what they may change. */
#include "lower_internal.h"

struct mentioned {
	struct kt_lower *l;
	struct kt_lower_map inner; /* variables of the statement's own */
	const struct kt_ir_value **addresses;
	size_t count;
};

static bool is_known(const struct mentioned *m, const struct kt_ir_value *address)
{
	for (size_t i = 0; i < m->count; i++)
		if (kt_ir_same(m->addresses[i], address))
			return true;
	return false;
}

/* Variables that it may change are given by their addresses. */
static enum CXChildVisitResult find_mentioned(CXCursor cursor, CXCursor parent, CXClientData data)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	struct mentioned *m = data;
	struct kt_lower_variable *variable;
	struct kt_lower_place at;
	const struct kt_ir_value *address, **slot;

	(void)parent;
	if ((kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) &&
	    !kt_lower_put(&m->inner, m->l->arena, cursor, m->l))
		m->l->failed = true;
	if (kind != CXCursor_DeclRefExpr)
		return CXChildVisit_Recurse;
	variable = kt_lower_find(&m->l->body->variables, kt_lower_referenced(cursor));
	if (variable == NULL || kt_lower_find(&m->inner, variable->cursor) != NULL)
		return CXChildVisit_Recurse;
	at = (struct kt_lower_place){.type = variable->symbol->type, .variable = variable};
	if (variable->is_reference)
		address = kt_ir_read(m->l->module, variable->symbol);
	else if (variable->symbol->is_memory)
		address = kt_ir_address(m->l->module, kt_ir_place_of(m->l->module, variable->symbol));
	else
		address = kt_ir_address(m->l->module, kt_lower_memory(m->l, &at));
	if (address == NULL || is_known(m, address))
		return CXChildVisit_Continue;
	slot = kt_arena_push(m->l->module->arena, &m->addresses, &m->count, sizeof *slot);
	if (slot == NULL)
		m->l->failed = true;
	else
		*slot = address;
	return CXChildVisit_Continue;
}

/* The text that the cursor covers, for people: nothing is decided by it. "$" is doubled. */
static const char *quoted(struct kt_lower *l, CXCursor cursor)
{
	const CXSourceRange extent = kt_clang.getCursorExtent(cursor);
	CXFile file = NULL;
	unsigned begin = 0, end = 0;
	size_t size = 0;
	const char *text;
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *copy;
	bool is_blank = false;

	kt_clang.getFileLocation(kt_clang.getRangeStart(extent), &file, NULL, NULL, &begin);
	kt_clang.getFileLocation(kt_clang.getRangeEnd(extent), NULL, NULL, NULL, &end);
	text = file == NULL ? NULL : kt_clang.getFileContents(l->unit, file, &size);
	for (size_t i = begin; text != NULL && i < end && end <= size && i < begin + 2000u; i++) {
		const bool blank = text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r';

		if (!blank)
			kt_buf_addf(&out, text[i] == '$' ? "%s$$" : "%s%c", is_blank ? " " : "", text[i]);
		is_blank = blank;
	}
	copy = kt_arena_strdup(l->module->arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

/* Variables that it declares are there for what follows: memory that it may fill. */
static void declare_mentioned(struct mentioned *m, CXCursor statement)
{
	const struct kt_lower_children c = kt_lower_children(m->l, statement);

	for (size_t i = 0; i < c.count; i++) {
		struct kt_lower_variable *variable;
		struct kt_ir_statement *declaration;
		const struct kt_ir_value **slot;
		const struct kt_ir_type *type;
		const CXType declared = kt_clang.getCursorType(c.items[i]);
		const long long size = kt_clang.Type_getSizeOf(declared), align = kt_clang.Type_getAlignOf(declared);

		/* What outlives the function is no local: who names it is opaque, too. */
		if (kt_clang.getCursorKind(c.items[i]) != CXCursor_VarDecl ||
		    kt_clang.Cursor_getStorageClass(c.items[i]) == CX_SC_Static)
			continue;
		type = kt_lower_type(m->l, declared);
		if (type == NULL && size > 0 && align > 0)
			type = kt_ir_opaque(m->l->module, (uint64_t)size, (uint32_t)align);
		if (type == NULL || type->size == 0 ||
		    !kt_lower_put(&m->l->body->in_memory, m->l->arena, c.items[i], m->l))
			continue;
		variable = kt_lower_new_variable(m->l, c.items[i], type, KT_IR_LOCAL_SYMBOL);
		declaration =
		    variable == NULL ? NULL : kt_ir_declare(m->l->module, m->l->body->region, variable->symbol);
		if (declaration == NULL)
			continue;
		declaration->line = kt_lower_line(m->l, statement);
		variable->is_reference = false;
		slot = kt_arena_push(m->l->module->arena, &m->addresses, &m->count, sizeof *slot);
		if (slot != NULL)
			*slot = kt_ir_address(m->l->module, kt_ir_place_of(m->l->module, variable->symbol));
	}
}

void kt_lower_opaque(struct kt_lower *l, CXCursor statement, const char *why)
{
	struct mentioned m = {.l = l};
	struct kt_lower_reason *reason;
	struct kt_ir_statement *s;

	l->why = NULL;
	if (kt_clang.getCursorKind(statement) == CXCursor_DeclStmt)
		declare_mentioned(&m, statement);
	(void)find_mentioned(statement, kt_clang.getNullCursor(), &m);
	kt_clang.visitChildren(statement, find_mentioned, &m);
	l->why = NULL;
	s = kt_ir_append(l->module, l->body->region, KT_IR_S_OPAQUE);
	if (s == NULL) {
		l->failed = true;
		return;
	}
	s->text = quoted(l, statement);
	s->effects = KT_IR_ALL_EFFECTS;
	s->arguments = m.addresses;
	s->argument_count = m.count;
	s->line = kt_lower_line(l, statement);
	reason = kt_arena_push(l->arena, &l->reasons, &l->reason_count, sizeof *reason);
	if (reason != NULL)
		*reason = (struct kt_lower_reason){s, kt_arena_printf(l->arena, "line %u: %s", s->line, why)};
	l->failed |= s->text == NULL || reason == NULL || reason->why == NULL;
}
