/* Loops and switches. All loops are `loop { } next { }`: the normal form makes counted ones of them. */
#include <string.h>

#include "generation/ir/normal.h"
#include "lower_internal.h"

static struct kt_ir_statement *new_loop(struct kt_lower *l)
{
	struct kt_ir_statement *s = kt_ir_append(l->module, l->body->region, KT_IR_S_LOOP);
	const struct kt_lower_printed *printed = &l->body->printed;

	if (s != NULL && l->body->loops < printed->loop_count)
		s->unroll = printed->unrolls[l->body->loops];
	l->body->loops++;
	return s;
}

/* if not (condition) { break }, in the region. */
static bool leave_unless(struct kt_lower *l, struct kt_ir_region *region, CXCursor condition)
{
	struct kt_ir_region *const outer = l->body->region;
	const struct kt_ir_value *value;
	struct kt_ir_statement *s = NULL;
	int64_t constant;

	l->body->region = region;
	value = kt_lower_as(l, kt_lower_value(l, condition), kt_ir_bool(l->module));
	if (value != NULL && kt_ir_is_constant(value, &constant) && constant != 0) {
		l->body->region = outer;
		return true;
	}
	value = value == NULL ? NULL : kt_ir_apply(l->module, KT_IR_NOT, value, NULL, NULL);
	if (value != NULL && (s = kt_ir_if(l->module, region, value)) != NULL)
		(void)kt_ir_append(l->module, &s->body, KT_IR_S_BREAK);
	l->body->region = outer;
	return s != NULL;
}

static bool lower_loop_body(struct kt_lower *l, struct kt_ir_statement *s, CXCursor body)
{
	const unsigned switch_depth = l->body->switch_depth;
	bool is_right;

	l->body->loop_depth++;
	l->body->switch_depth = 0;
	is_right = kt_lower_into(l, &s->body, body);
	l->body->switch_depth = switch_depth;
	l->body->loop_depth--;
	return is_right;
}

static bool effects_into(struct kt_lower *l, struct kt_ir_region *region, CXCursor expression)
{
	struct kt_ir_region *const outer = l->body->region;
	bool is_right;

	l->body->region = region;
	is_right = kt_lower_effects(l, expression);
	l->body->region = outer;
	return is_right;
}

/* ---- for ---- */

struct head {
	CXCursor init, condition, step;
	bool has_init, has_condition, has_step;
};

/* Is it a condition by its type, and no assignment that has that type by chance? */
static bool may_be_condition(struct kt_lower *l, CXCursor expression, bool *is_sure)
{
	const CXCursor bare = kt_lower_bare(l, expression);
	const enum CXCursorKind kind = kt_clang.getCursorKind(bare);
	const char *op = kt_operator(bare);

	if (kt_clang.isExpression(kind) == 0 || kt_lower_canonical(bare).kind != CXType_Bool || strcmp(op, "=") == 0 ||
	    strcmp(op, ",") == 0 || kind == CXCursor_CompoundAssignOperator)
		return false;
	*is_sure = kind != CXCursor_CallExpr && kind != CXCursor_UnexposedExpr;
	/* What is converted to bool was written for its truth. */
	if (kind == CXCursor_UnexposedExpr) {
		const struct kt_lower_children c = kt_lower_children(l, bare);

		*is_sure = c.count == 1 &&
			   (kt_lower_canonical(c.items[0]).kind != CXType_Bool || kt_lower_is_lvalue(l, c.items[0]));
	}
	return true;
}

/* Slots that are empty have no child: what the others are is told by their kinds and types. */
static bool read_head(struct kt_lower *l, const struct kt_lower_children *c, struct head *h)
{
	size_t at = 0, count = c->count - 1;
	bool is_sure = true;

	*h = (struct head){0};
	if (count > 0 && kt_clang.getCursorKind(c->items[0]) == CXCursor_DeclStmt) {
		h->has_init = true;
		h->init = c->items[at++];
	}
	for (size_t i = at; i < count; i++)
		if (kt_clang.isExpression(kt_clang.getCursorKind(c->items[i])) == 0)
			return kt_lower_cannot(l, "a for whose condition declares"), false;
	if (!h->has_init && count == 3) {
		h->has_init = true;
		h->init = c->items[at++];
	}
	if (!h->has_init && count == 2 && !may_be_condition(l, c->items[0], &is_sure)) {
		h->has_init = true;
		h->init = c->items[at++];
	}
	if (count - at == 2) {
		h->has_condition = h->has_step = true;
		h->condition = c->items[at];
		h->step = c->items[at + 1];
		if (!is_sure)
			(void)kt_lower_cannot(l, "a for whose parts cannot be distinguished");
		return is_sure;
	}
	if (count - at == 1) {
		h->has_condition = may_be_condition(l, c->items[at], &is_sure);
		h->has_step = !h->has_condition;
		*(h->has_condition ? &h->condition : &h->step) = c->items[at];
		/* `for (i = 0;;)` and `for (;; i++)` look the same. */
		if (!is_sure || (h->has_step && !h->has_init))
			return kt_lower_cannot(l, "a for whose parts cannot be distinguished"), false;
	}
	return true;
}

bool kt_lower_for(struct kt_lower *l, CXCursor statement)
{
	const struct kt_lower_children c = kt_lower_children(l, statement);
	struct kt_ir_statement *s;
	struct head h;

	if (c.count < 1 || c.count > 4)
		return kt_lower_cannot(l, "a for of %zu parts", c.count), false;
	if (!read_head(l, &c, &h))
		return false;
	if (h.has_init && !(kt_clang.getCursorKind(h.init) == CXCursor_DeclStmt ? kt_lower_statement(l, h.init)
										: kt_lower_effects(l, h.init)))
		return false;
	s = new_loop(l);
	return s != NULL && (!h.has_condition || leave_unless(l, &s->body, h.condition)) &&
	       lower_loop_body(l, s, c.items[c.count - 1]) && (!h.has_step || effects_into(l, &s->otherwise, h.step));
}

bool kt_lower_while(struct kt_lower *l, CXCursor statement)
{
	const struct kt_lower_children c = kt_lower_children(l, statement);
	struct kt_ir_statement *s;

	if (c.count != 2 || kt_clang.isExpression(kt_clang.getCursorKind(c.items[0])) == 0)
		return kt_lower_cannot(l, "a while that declares"), false;
	s = new_loop(l);
	return s != NULL && leave_unless(l, &s->body, c.items[0]) && lower_loop_body(l, s, c.items[1]);
}

bool kt_lower_do(struct kt_lower *l, CXCursor statement)
{
	const struct kt_lower_children c = kt_lower_children(l, statement);
	struct kt_ir_statement *s;

	if (c.count != 2)
		return kt_lower_cannot(l, "a do of %zu parts", c.count), false;
	s = new_loop(l);
	if (s == NULL || !lower_loop_body(l, s, c.items[0]))
		return false;
	return leave_unless(l, &s->otherwise, c.items[1]);
}

/* Over an array: the variable is its element, by value or by reference. */
bool kt_lower_range(struct kt_lower *l, CXCursor statement)
{
	const struct kt_lower_children c = kt_lower_children(l, statement);
	const struct kt_ir_type *wide = kt_ir_integer(l->module, 32, true), *type;
	struct kt_lower_variable *variable;
	struct kt_ir_symbol *counter;
	struct kt_lower_place array;
	const struct kt_ir_place *memory, *element;
	const struct kt_ir_value *value;
	struct kt_ir_region *const outer = l->body->region;
	struct kt_ir_statement *s, *leave;

	if (c.count != 3 || kt_clang.getCursorKind(c.items[0]) != CXCursor_VarDecl ||
	    kt_lower_canonical(c.items[1]).kind != CXType_ConstantArray || !kt_lower_place(l, c.items[1], &array))
		return kt_lower_cannot(l, "a loop over what is no array"), false;
	memory = kt_lower_memory(l, &array);
	type = kt_lower_type(l, kt_clang.getCursorType(c.items[0]));
	counter = kt_ir_symbol(l->module, KT_IR_LOCAL_SYMBOL, wide, "at");
	if (memory == NULL || type == NULL || kt_ir_declare(l->module, outer, counter) == NULL ||
	    kt_ir_set(l->module, outer, counter, kt_ir_constant(l->module, wide, 0)) == NULL ||
	    (s = new_loop(l)) == NULL)
		return false;
	value = kt_ir_apply(l->module, KT_IR_GE, kt_ir_read(l->module, counter),
			    kt_ir_constant(l->module, wide, memory->type->count), NULL);
	leave = kt_ir_if(l->module, &s->body, value);
	if (leave == NULL || kt_ir_append(l->module, &leave->body, KT_IR_S_BREAK) == NULL)
		return false;
	variable = kt_lower_new_variable(l, c.items[0], type, KT_IR_LOCAL_SYMBOL);
	element = kt_ir_index(l->module, memory, kt_ir_read(l->module, counter));
	if (variable == NULL || element == NULL || kt_ir_declare(l->module, &s->body, variable->symbol) == NULL)
		return false;
	l->body->region = &s->body;
	if (variable->is_reference)
		value = kt_lower_as(l, kt_ir_address(l->module, element), type);
	else
		value = kt_lower_as(
		    l, kt_ir_read(l->module, kt_ir_load(l->module, &s->body, "", element, (struct kt_ir_hint){0})),
		    type);
	if (value != NULL && variable->symbol->is_memory)
		(void)kt_ir_store(l->module, &s->body, kt_ir_place_of(l->module, variable->symbol), value,
				  (struct kt_ir_hint){0});
	else if (value != NULL)
		(void)kt_ir_set(l->module, &s->body, variable->symbol, value);
	l->body->region = outer;
	value = value == NULL
		    ? NULL
		    : kt_lower_arithmetic(l, "+", kt_ir_read(l->module, counter), kt_ir_constant(l->module, wide, 1));
	return value != NULL && lower_loop_body(l, s, c.items[2]) &&
	       kt_ir_set(l->module, &s->otherwise, counter, value) != NULL;
}

/* ---- switch ---- */

struct cases {
	struct kt_ir_case *items;
	size_t count;
	bool is_open; /* the last one has statements, and nothing has ended it */
};

static struct kt_ir_case *new_case(struct kt_lower *l, struct cases *cases)
{
	struct kt_ir_case *slot = kt_arena_push(l->module->arena, &cases->items, &cases->count, sizeof *slot);

	if (slot == NULL) {
		l->failed = true;
		return NULL;
	}
	*slot = (struct kt_ir_case){0};
	cases->is_open = true;
	return slot;
}

static bool ends(CXCursor statement, struct kt_lower *l)
{
	const struct kt_lower_children c = kt_lower_children(l, statement);

	switch ((int)kt_clang.getCursorKind(statement)) {
	case CXCursor_ReturnStmt:
	case CXCursor_ContinueStmt:
		return true;
	case CXCursor_CompoundStmt:
		return c.count > 0 && ends(c.items[c.count - 1], l);
	default:
		return false;
	}
}

/* A case's statements up to its break. */
static bool case_statement(struct kt_lower *l, struct cases *cases, CXCursor statement)
{
	struct kt_ir_case *now = &cases->items[cases->count - 1];
	const struct kt_lower_children c = kt_lower_children(l, statement);

	if (kt_clang.getCursorKind(statement) == CXCursor_BreakStmt) {
		cases->is_open = false;
		return true;
	}
	/* `case 1: { …; break; }` */
	if (kt_clang.getCursorKind(statement) == CXCursor_CompoundStmt) {
		for (size_t i = 0; i < c.count; i++)
			if (!case_statement(l, cases, c.items[i]))
				return false;
		return true;
	}
	if (!cases->is_open)
		return kt_lower_cannot(l, "a statement after a break"), false;
	if (!kt_lower_into(l, &now->body, statement))
		return false;
	cases->is_open = !ends(statement, l);
	return true;
}

/* `case 1: case 2: statement`: nested in each other. */
static bool labelled(struct kt_lower *l, struct cases *cases, CXCursor statement)
{
	struct kt_ir_case *now;
	bool has_default = false;

	if (cases->is_open)
		return kt_lower_cannot(l, "a case that goes on into the next one"), false;
	now = new_case(l, cases);
	while (now != NULL) {
		const enum CXCursorKind kind = kt_clang.getCursorKind(statement);
		const struct kt_lower_children c = kt_lower_children(l, statement);
		const struct kt_ir_value *value;
		int64_t *slot, number;

		if (kind == CXCursor_DefaultStmt && c.count == 1) {
			has_default = true;
			statement = c.items[0];
			continue;
		}
		if (kind != CXCursor_CaseStmt)
			break;
		/* Of an unsigned or a wider switch it is converted. */
		if (c.count != 2 || (value = kt_lower_value(l, c.items[0])) == NULL ||
		    (value = kt_ir_fold_all(l->module, value)) == NULL || !kt_ir_is_constant(value, &number))
			return kt_lower_cannot(l, "a case without one number"), false;
		NEED(slot = kt_arena_push(l->module->arena, &now->values, &now->count, sizeof *slot), false);
		*slot = number;
		statement = c.items[1];
	}
	if (now == NULL)
		return false;
	if (has_default) {
		now->beside = now->count;
		now->count = 0;
	}
	return case_statement(l, cases, statement);
}

bool kt_lower_switch(struct kt_lower *l, CXCursor statement)
{
	const struct kt_lower_children c = kt_lower_children(l, statement);
	struct kt_lower_children body;
	struct cases cases = {0};
	struct kt_ir_statement *s;
	const struct kt_ir_value *value;

	if (c.count != 2 || kt_clang.getCursorKind(c.items[1]) != CXCursor_CompoundStmt)
		return kt_lower_cannot(l, "a switch of %zu parts", c.count), false;
	value = kt_lower_value(l, c.items[0]);
	s = value == NULL ? NULL : kt_ir_append(l->module, l->body->region, KT_IR_S_SWITCH);
	if (s == NULL)
		return false;
	s->value = value->type->kind == KT_IR_BOOL ? kt_lower_as(l, value, kt_ir_integer(l->module, 32, true)) : value;
	body = kt_lower_children(l, c.items[1]);
	l->body->switch_depth++;
	for (size_t i = 0; i < body.count; i++) {
		const enum CXCursorKind kind = kt_clang.getCursorKind(body.items[i]);
		const bool is_label = kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt;

		if (!is_label && cases.count == 0)
			return kt_lower_cannot(l, "a switch that begins without a case"), false;
		if (!(is_label ? labelled(l, &cases, body.items[i]) : case_statement(l, &cases, body.items[i])))
			return false;
	}
	l->body->switch_depth--;
	s->cases = cases.items;
	s->case_count = cases.count;
	return true;
}
