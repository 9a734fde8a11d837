/* Constants of the source in clauses: macros, enumerators and constant variables that are numbers, as `in(weights[2 * RADIUS + 1])`. */
#include <string.h>

#include "clauses.h"
#include "instances.h"

/* Are there names in the text of a variable's declaration after its "="? */
static bool is_made_of_names(const struct kt_scan *scan, const struct kt_item *item)
{
	const struct kt_text *text = scan->text;
	bool begun = false;

	if (item->file != 0)
		return true;
	for (size_t t = kt_token_at(text, item->begin); t < text->count && text->tokens[t].begin < item->end; t++) {
		if (begun && text->tokens[t].kind == KT_TOKEN_NAME)
			return true;
		begun = begun || kt_token_is(text, t, "=") || kt_token_is(text, t, "{");
	}
	return false;
}

bool kt_clause_may_name(const struct kt_scan *scan, const char *name)
{
	const struct kt_found *found = scan->clauses_of;
	const size_t item = kt_index_find(scan->item_index, name, strlen(name), 0);
	const char *scope = found->item != KT_NO_ITEM ? scan->items[found->item].scope : "";
	/* Variables of the file are among them. */
	const struct kt_local *local = kt_scan_visible(scan, name, found->region.pragma.begin);

	if (kt_clause_means(found, name) ||
	    (local != NULL && (item == SIZE_MAX || local->at < scan->items[item].begin || local->at >= scan->items[item].end)))
		return false;
	for (size_t t = 0; t < found->region.template_count; t++)
		if (strcmp(found->region.templates[t].name, name) == 0)
			return false;
	if (item == SIZE_MAX)
		return true;
	return kt_index_find(scan->item_index, name, strlen(name), item + 1) == SIZE_MAX &&
	       strncmp(scan->items[item].scope, scope, strlen(scan->items[item].scope)) == 0 &&
	       (found->pragma->tune_count == 0 || scan->items[item].kind != CXCursor_VarDecl ||
	        !is_made_of_names(scan, &scan->items[item]));
}

struct constants {
	struct kt_scan *scan;
	const struct kt_found *found;
	bool alone, used, unknown;
};

static bool find_constant(int64_t *value, const char *name, void *context)
{
	struct constants *c = context;
	const bool known = (c->alone ? kt_scan_constant_alone : kt_scan_constant)(value, name, c->scan);

	c->used = c->used || known;
	return known;
}

static bool find_unknown(const char *name, unsigned offset, bool pointer, void *context)
{
	struct constants *c = context;

	(void)offset;
	c->unknown = c->unknown || (!pointer && !kt_clause_means(c->found, name));
	return !c->unknown;
}

/* An expression with an unknown name is left to the message about that. */
static void put_in(struct kt_clause_expr *clause, void *context)
{
	struct constants *c = context;
	struct kt_scan *scan = c->scan;
	struct kt_clause_expr made = *clause;
	const struct kt_expr *folded;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error ignored;

	c->used = c->unknown = false;
	if (clause->expr == NULL)
		return;
	c->alone = kt_expr_name(clause->expr) != NULL;
	folded = kt_expr_fold(scan->arena, clause->expr, find_constant, c);
	scan->failed = scan->failed || folded == NULL;
	if (folded == NULL || !c->used)
		return;
	(void)kt_expr_names(folded, find_unknown, c);
	if (c->unknown)
		return;
	kt_expr_canonical(&text, folded);
	made.text = kt_arena_strdup(scan->arena, kt_buf_text(&text));
	if (made.text != NULL && !text.failed &&
	    kt_expr_parse(&made.expr, scan->arena, made.text, strlen(made.text), &ignored) == KT_OK)
		*clause = made;
	kt_buf_free(&text);
}

static void each_of_buffer(struct kt_pragma_buffer *b, void (*visit)(struct kt_clause_expr *clause, void *context), void *context)
{
	visit(&b->count, context);
	visit(&b->when, context);
	for (size_t i = 0; i < KT_FILL_NUMBERS; i++)
		visit(&b->bounds[i], context);
	for (size_t m = 0; m < b->member_count; m++)
		for (size_t i = 0; i < KT_FILL_NUMBERS; i++)
			visit(&b->members[m].bounds[i], context);
}

void kt_clause_each(struct kt_pragma *p, void (*visit)(struct kt_clause_expr *clause, void *context), void *context)
{
	for (size_t i = 0; i < p->buffer_count; i++)
		for (struct kt_pragma_buffer *b = &p->buffers[i]; b != NULL; b = b->otherwise)
			each_of_buffer(b, visit, context);
	for (size_t i = 0; i < p->value_count; i++)
		visit(&p->values[i].expr, context);
	for (size_t i = 0; i < p->restriction_count; i++)
		visit(&p->restrictions[i], context);
	for (size_t i = 0; i < p->guard_count; i++)
		visit(&p->guards[i], context);
	for (size_t i = 0; i < 3; i++) {
		visit(&p->grid[i], context);
		visit(&p->block[i], context);
	}
#define VISIT(clause, member, usage) visit(&p->member, context);
	KT_CLAUSE_EXPRESSIONS(VISIT)
#undef VISIT
}

/* A value that is a number then is one. */
static void settle_value(struct kt_pragma_value *v)
{
	int64_t number;

	if (v->expr.expr == NULL)
		return;
	v->text = v->expr.text;
	if (!kt_expr_number(&number, v->expr.expr))
		return;
	v->integral = true;
	v->integer = number;
	v->number = (double)number;
	v->expr = (struct kt_clause_expr){.text = NULL};
}

void kt_clause_constants(struct kt_scan *scan, struct kt_found *found)
{
	struct constants c = {.scan = scan, .found = found};
	const uint32_t place = scan->place;

	/* Macros have the meaning that they have at the pragma, as in lists of values. What the clauses give a meaning is no constant. */
	if (found->region.pragma.end != 0)
		scan->place = found->region.pragma.end;
	scan->clauses_of = found;
	kt_clause_each(found->pragma, put_in, &c);
	for (size_t i = 0; i < found->pragma->value_count; i++)
		settle_value(&found->pragma->values[i]);
	scan->clauses_of = NULL;
	scan->place = place;
}
