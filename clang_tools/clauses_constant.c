/* Constants of the source in clauses: macros, enumerators and constant variables that are numbers, as `in(weights[2 * RADIUS + 1])`. */
#include <string.h>

#include "clauses.h"
#include "instances.h"

struct constants {
	struct kt_scan *scan;
	const struct kt_found *found;
	bool used, unknown;
};

/* Names that mean something in clauses hide constants. */
static bool find_constant(int64_t *value, const char *name, void *context)
{
	struct constants *c = context;
	const bool known = !kt_clause_means(c->found, name) && kt_scan_constant(value, name, c->scan);

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
static bool put_in(struct kt_scan *scan, const struct kt_found *found, struct kt_clause_expr *clause)
{
	struct constants c = {.scan = scan, .found = found};
	struct kt_clause_expr made = *clause;
	const struct kt_expr *folded = clause->expr != NULL ? kt_expr_fold(scan->arena, clause->expr, find_constant, &c) : NULL;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error ignored;

	scan->failed = scan->failed || (clause->expr != NULL && folded == NULL);
	if (folded == NULL || !c.used)
		return false;
	(void)kt_expr_names(folded, find_unknown, &c);
	if (c.unknown)
		return false;
	kt_expr_canonical(&text, folded);
	made.text = kt_arena_strdup(scan->arena, kt_buf_text(&text));
	c.used = made.text != NULL && !text.failed &&
	         kt_expr_parse(&made.expr, scan->arena, made.text, strlen(made.text), &ignored) == KT_OK;
	kt_buf_free(&text);
	if (c.used)
		*clause = made;
	return c.used;
}

static void put_in_buffer(struct kt_scan *scan, const struct kt_found *found, struct kt_pragma_buffer *b)
{
	(void)put_in(scan, found, &b->count);
	(void)put_in(scan, found, &b->when);
	for (size_t i = 0; i < KT_FILL_NUMBERS; i++)
		(void)put_in(scan, found, &b->bounds[i]);
	for (size_t m = 0; m < b->member_count; m++)
		for (size_t i = 0; i < KT_FILL_NUMBERS; i++)
			(void)put_in(scan, found, &b->members[m].bounds[i]);
}

/* An expression that is a number then is one. */
static void put_in_value(struct kt_scan *scan, const struct kt_found *found, struct kt_pragma_value *v)
{
	int64_t number;

	if (!put_in(scan, found, &v->expr))
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
	struct kt_pragma *p = found->pragma;

	for (size_t i = 0; i < p->buffer_count; i++)
		for (struct kt_pragma_buffer *b = &p->buffers[i]; b != NULL; b = b->otherwise)
			put_in_buffer(scan, found, b);
	for (size_t i = 0; i < p->value_count; i++)
		put_in_value(scan, found, &p->values[i]);
	for (size_t i = 0; i < p->restriction_count; i++)
		(void)put_in(scan, found, &p->restrictions[i]);
	for (size_t i = 0; i < p->guard_count; i++)
		(void)put_in(scan, found, &p->guards[i]);
	for (size_t i = 0; i < 3; i++) {
		(void)put_in(scan, found, &p->grid[i]);
		(void)put_in(scan, found, &p->block[i]);
	}
#define PUT_IN(clause, member, usage) (void)put_in(scan, found, &p->member);
	KT_CLAUSE_EXPRESSIONS(PUT_IN)
#undef PUT_IN
}
