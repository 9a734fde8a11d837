/* The pragma language: what only shows when all clauses are read. */
#include "base/pragma_weight.h"

#include "base/device.h"

#include <limits.h>
#include <string.h>

/* Everything that a clause gives a name to. */
enum symbol_kind { SYMBOL_VARIABLE, SYMBOL_TUNE, SYMBOL_VALUE, SYMBOL_BUFFER };
static const char *const symbol_kinds[] = {"a problem variable", "a tunable parameter", "a value", "a buffer"};

struct symbol {
	const char *name;
	unsigned offset;
	enum symbol_kind kind;
};

struct checking {
	struct kt_reader *r;
	size_t symbol_count;
	struct symbol *symbols; /* ascending by offset */
	/* of the expression that is being looked at */
	const struct kt_clause_expr *expr;
	unsigned before; /* values that it may name begin before this offset of the pragma */
	bool pointers; /* may it use aligned and disjoint? */
	bool right;
};

static void add_symbol(struct checking *c, const char *name, unsigned offset, enum symbol_kind kind)
{
	struct symbol *symbol = kt_reader_push(c->r, &c->symbols, &c->symbol_count, sizeof *symbol);
	if (symbol == NULL)
		return;
	const struct symbol added = {name, offset, kind};
	size_t i = c->symbol_count - 1;
	for (; i > 0 && c->symbols[i - 1].offset > offset; i--)
		c->symbols[i] = c->symbols[i - 1];
	c->symbols[i] = added;
}

static const struct symbol *find_symbol(const struct checking *c, const char *name, size_t below)
{
	return KT_FIND(c->symbols, below, name, name);
}

static void collect_symbols(struct checking *c)
{
	const struct kt_pragma *p = c->r->pragma;
	for (size_t i = 0; i < c->r->use_count; i++) {
		if (c->r->uses[i].kind == KT_USE_VARIABLE)
			add_symbol(c, c->r->uses[i].name, c->r->uses[i].offset, SYMBOL_VARIABLE);
	}
	for (size_t i = 0; i < p->tune_count; i++)
		add_symbol(c, p->tunes[i].name, p->tunes[i].offset, SYMBOL_TUNE);
	for (size_t i = 0; i < p->value_count; i++)
		if (p->values[i].place == 0)
			add_symbol(c, p->values[i].name, p->values[i].offset, SYMBOL_VALUE);
	for (size_t i = 0; i < p->buffer_count; i++)
		add_symbol(c, p->buffers[i].name, p->buffers[i].offset, SYMBOL_BUFFER);
}

static const char *clash_hint(const struct symbol *first, const struct symbol *second)
{
	if (first->kind == SYMBOL_BUFFER && second->kind == SYMBOL_BUFFER)
		return "a buffer that is read and written is inout(…)";
	if ((first->kind == SYMBOL_VARIABLE && second->kind == SYMBOL_VALUE) ||
	    (first->kind == SYMBOL_VALUE && second->kind == SYMBOL_VARIABLE))
		return "an argument that is named like a problem variable needs no value";
	return NULL;
}

static void check_clashes(struct checking *c)
{
	for (size_t i = 1; i < c->symbol_count; i++) {
		const struct symbol *second = &c->symbols[i];
		const struct symbol *first = find_symbol(c, second->name, i);
		if (first == NULL)
			continue;
		if (first->kind == second->kind)
			kt_report_token(c->r, second->offset, clash_hint(first, second), "'%s' is %s twice", second->name,
			                symbol_kinds[second->kind]);
		else
			kt_report_token(c->r, second->offset, clash_hint(first, second), "'%s' is %s and %s", second->name,
			                symbol_kinds[first->kind], symbol_kinds[second->kind]);
		kt_report(c->r, KT_NOTE, first->offset, strlen(first->name), NULL, "the first is here");
	}
}

static void check_binds(struct checking *c)
{
	const struct kt_pragma *p = c->r->pragma;
	for (size_t i = 0; i < p->bind_count; i++) {
		const struct kt_pragma_bind *bind = &p->binds[i];
		const struct symbol *symbol = find_symbol(c, bind->name, c->symbol_count);
		/* Above a launch, the variables are those of the kernel's own pragma. */
		if (c->r->has_problem_clause && !c->r->names_incomplete &&
		    (symbol == NULL || symbol->kind != SYMBOL_VARIABLE))
			kt_report_token(c->r, bind->offset, NULL, "'%s' is no problem variable", bind->name);
		for (size_t j = 0; j < i; j++) {
			if (strcmp(p->binds[j].name, bind->name) != 0)
				continue;
			kt_report_token(c->r, bind->offset, NULL, "'%s' is bound twice", bind->name);
			kt_report(c->r, KT_NOTE, p->binds[j].offset, strlen(bind->name), NULL, "the first is here");
			break;
		}
	}
}

static void check_tolerance(struct checking *c, const struct kt_use *use, size_t index)
{
	const struct kt_pragma *p = c->r->pragma;
	for (size_t i = 0; i < index; i++) {
		const char *other = p->tolerances[i].buffer;
		if ((use->name == NULL) == (other == NULL) && (other == NULL || strcmp(other, use->name) == 0)) {
			kt_report_token(c->r, use->offset, NULL, "two tolerances for %s%s", use->name != NULL ? use->name : "all",
			                use->name != NULL ? "" : " buffers");
			break;
		}
	}
	if (use->name == NULL || p->buffer_count == 0 || c->r->names_incomplete)
		return;
	for (size_t i = 0; i < p->buffer_count; i++) {
		if (strcmp(p->buffers[i].name, use->name) != 0)
			continue;
		if ((p->buffers[i].direction == KT_IN) || (p->buffers[i].direction == KT_SCRATCH))
			kt_report_token(c->r, use->offset, NULL, "'%s' is not compared: only out and inout buffers are", use->name);
		return;
	}
	kt_report_token(c->r, use->offset, NULL, "'%s' is no buffer", use->name);
}

static void check_uses(struct checking *c)
{
	size_t tolerances = 0;
	for (size_t i = 0; i < c->r->use_count; i++) {
		const struct kt_use *use = &c->r->uses[i];
		if (use->kind == KT_USE_TOLERANCE)
			check_tolerance(c, use, tolerances++);
		if (use->kind != KT_USE_SPECIALIZE || !c->r->has_problem_clause || c->r->names_incomplete)
			continue;
		const struct symbol *symbol = find_symbol(c, use->name, c->symbol_count);
		if (symbol == NULL || symbol->kind != SYMBOL_VARIABLE)
			kt_report_token(c->r, use->offset, NULL, "'%s' is no problem variable", use->name);
	}
}

static void wrong_name(struct checking *c, unsigned offset, const char *hint, const char *name, const char *what)
{
	kt_report(c->r, KT_ERROR, c->expr->offset + offset, strlen(name), hint, "'%s' %s", name, what);
	c->right = false;
}

static bool is_fraction(const struct kt_pragma *p, const char *name)
{
	for (size_t i = 0; i < p->value_count; i++)
		if (strcmp(p->values[i].name, name) == 0)
			return !p->values[i].integral;
	return false;
}

static bool check_name(const char *name, unsigned offset, bool pointer, void *context)
{
	static const struct kt_device nothing;
	struct checking *c = context;
	const struct symbol *symbol = find_symbol(c, name, c->symbol_count);
	int64_t value;
	if (pointer && !c->pointers)
		wrong_name(c, offset, "write it in restriction(…) or guard(…)", name,
		           "is a pointer: aligned and disjoint are known at a launch only");
	else if (pointer && symbol != NULL && symbol->kind != SYMBOL_BUFFER)
		wrong_name(c, offset, NULL, name, "is no pointer");
	else if (!pointer && symbol != NULL && symbol->kind == SYMBOL_BUFFER)
		wrong_name(c, offset, NULL, name, "is a buffer: only aligned and disjoint take one");
	else if (symbol != NULL && symbol->kind == SYMBOL_VALUE && symbol->offset >= c->before)
		wrong_name(c, offset, kt_arena_printf(c->r->arena, "write %s = … before it", name), name,
		           symbol->offset == c->before ? "is its own value" : "gets its value later");
	else if (symbol != NULL && symbol->kind == SYMBOL_VALUE && c->before != UINT_MAX && is_fraction(c->r->pragma, name))
		wrong_name(c, offset, NULL, name, "is a fraction: expressions are integers");
	else if (symbol != NULL && symbol->kind == SYMBOL_TUNE && c->before != UINT_MAX)
		wrong_name(c, offset, "all configurations run on the same data: name problem variables, values, device.…", name,
		           "is a tunable parameter");
	/* Whether an argument has such a member, only scan knows. */
	else if (strncmp(name, "device.", 7) != 0)
		return true;
	else if (!kt_device_lookup(&value, name, &nothing))
		wrong_name(c, offset, "such as device.warp_size or device.max_threads_per_block", name,
		           "is no limit of a device");
	return true;
}

/* Names, and the value where there is no name in it; false: reported. */
static bool check_expr(struct checking *c, const struct kt_clause_expr *expr, bool pointers, int64_t least,
                       const char *what)
{
	struct kt_error err;
	int64_t value;
	if (expr->expr == NULL)
		return true;
	c->expr = expr;
	c->pointers = pointers;
	c->right = true;
	kt_expr_names(expr->expr, check_name, c);
	if (!c->right)
		return false;
	const kt_status status = kt_expr_eval(&value, expr->expr, NULL, NULL, &err);
	if (status == KT_ERR_INVALID)
		kt_report_token(c->r, expr->offset + err.offset, NULL, "%s", err.message);
	else if (status == KT_OK && pointers && value == 0)
		kt_report(c->r, KT_ERROR, expr->offset, strlen(expr->text), NULL, "%s never holds", what);
	else if (status == KT_OK && !pointers && value < least)
		kt_report(c->r, KT_ERROR, expr->offset, strlen(expr->text), NULL, "%s must be at least %lld, not %lld", what,
		          (long long)least, (long long)value);
	else
		return true;
	return false;
}

/* A problem's variables, and the values of a pragma that it gives. */
struct numbers {
	const struct kt_pragma *pragma;
	const int64_t *problem;
	size_t count;                 /* values that are worked out */
	bool known[KT_CLAUSE_ITEMS];
	int64_t values[KT_CLAUSE_ITEMS];
};

static bool number_of(int64_t *value, const char *name, void *context)
{
	const struct numbers *n = context;
	const struct kt_pragma *p = n->pragma;
	for (size_t v = 0; v < p->variable_count; v++)
		if (strcmp(p->variables[v], name) == 0) {
			*value = n->problem[v];
			return true;
		}
	for (size_t i = 0; i < n->count; i++)
		if (strcmp(p->values[i].name, name) == 0) {
			*value = n->values[i];
			return n->known[i];
		}
	return false;
}

/* " for rows = 16, d = 4096", where there are variables. */
static const char *problem_text(const struct checking *c, const struct numbers *n)
{
	const char *text = "";
	for (size_t v = 0; v < n->pragma->variable_count && text != NULL; v++)
		text = kt_arena_printf(c->r->arena, "%s%s%s = %lld", text, v > 0 ? ", " : " for ", n->pragma->variables[v],
		                       (long long)n->problem[v]);
	return text != NULL ? text : "";
}

/* False where it has been reported; *known: does it have a value without a device and a launch? */
static bool work_out(int64_t *out, bool *known, struct checking *c, const struct kt_clause_expr *expr,
                     struct numbers *n)
{
	struct kt_error err;
	const kt_status status = kt_expr_eval(out, expr->expr, number_of, n, &err);
	*known = status == KT_OK;
	if (status == KT_ERR_INVALID)
		kt_report_token(c->r, expr->offset + err.offset, NULL, "%s%s", err.message, problem_text(c, n));
	return status != KT_ERR_INVALID;
}

/* `count`: the elements that it fills. */
static bool fill_is_right(struct checking *c, struct kt_fill fill, const struct kt_clause_expr bounds[KT_FILL_NUMBERS],
                          const struct kt_clause_expr *count, struct numbers *n)
{
	bool known = true;
	for (size_t i = 0; i < KT_FILL_NUMBERS; i++) {
		int64_t bound = 0;
		bool one = true;
		if (bounds[i].expr == NULL)
			continue;
		if (!work_out(&bound, &one, c, &bounds[i], n))
			return false;
		known = known && one;
		kt_fill_set(&fill, i, (double)bound);
	}
	const char *wrong = known ? kt_fill_mistake(&fill) : NULL;
	int64_t elements = 0;
	if (wrong == NULL && known && fill.kind == KT_FILL_UNIQUE && count->expr != NULL) {
		if (!work_out(&elements, &known, c, count, n))
			return false;
		wrong = known && (double)elements > fill.b - fill.a + 1 ? "there are more elements than numbers" : NULL;
	}
	if (wrong == NULL)
		return true;
	const struct kt_clause_expr *first = bounds[0].expr != NULL ? &bounds[0] : bounds[1].expr != NULL ? &bounds[1] : count;
	kt_report(c->r, KT_ERROR, first->offset, strlen(first->text),
	          "write bounds that fit each problem, or take that problem out", "%s%s: %.0f, %.0f", wrong,
	          problem_text(c, n), fill.a, fill.b);
	return false;
}

/* A buffer that is like another one has as many elements. */
static bool counts_agree(struct checking *c, const struct kt_pragma_buffer *b, struct numbers *n)
{
	const struct kt_pragma *p = n->pragma;
	int64_t own = 0, others = 0;
	bool known = true, other_known = true;
	size_t other = 0;
	while (other < p->buffer_count && strcmp(p->buffers[other].name, b->like) != 0)
		other++;
	if (other == p->buffer_count || b->count.expr == NULL || p->buffers[other].count.expr == NULL)
		return true;
	if (!work_out(&own, &known, c, &b->count, n) || !work_out(&others, &other_known, c, &p->buffers[other].count, n))
		return false;
	if (!known || !other_known || own == others)
		return true;
	kt_report_token(c->r, b->like_offset, kt_arena_printf(c->r->arena, "write %s[%s], or another fill", b->name, p->buffers[other].count.text),
	                "'%s' has %lld elements and '%s' has %lld%s", b->name, (long long)own, b->like, (long long)others,
	                problem_text(c, n));
	return false;
}

/* What the buffer holds on this problem; NULL: not known, or reported with *right false. */
static const struct kt_pragma_buffer *held(bool *right, struct checking *c, const struct kt_pragma_buffer *b, struct numbers *n)
{
	int64_t holds = 0;
	bool known = true;
	while (b != NULL && b->when.expr != NULL) {
		*right = work_out(&holds, &known, c, &b->when, n);
		if (!*right || !known)
			return NULL;
		if (holds != 0)
			return b;
		b = b->otherwise;
	}
	return b;
}

static bool fills_are_right(struct checking *c, const struct kt_pragma_buffer *b, struct numbers *n)
{
	bool known_right = true;
	if (b->like == NULL && (b = held(&known_right, c, b, n)) == NULL)
		return known_right;
	if (b->like != NULL)
		return counts_agree(c, b, n);
	bool right = fill_is_right(c, b->fill, b->bounds, &b->count, n);
	for (size_t i = 0; right && i < b->member_count; i++)
		right = fill_is_right(c, b->members[i].fill, b->members[i].bounds, &b->count, n);
	return right;
}

/* Values and bounds on every problem; the first mistake is enough. */
static void check_numbers(struct checking *c)
{
	const struct kt_pragma *p = c->r->pragma;
	struct numbers n = {.pragma = p};
	const size_t problems = p->variable_count > 0 ? p->problem_count : 1;
	bool right = true;
	for (size_t i = 0; right && i < problems; i++) {
		n.problem = p->problems + i * p->variable_count;
		for (n.count = 0; right && n.count < p->value_count; n.count++) {
			const struct kt_pragma_value *v = &p->values[n.count];
			n.values[n.count] = v->integer;
			n.known[n.count] = v->integral;
			if (v->expr.expr != NULL)
				right = work_out(&n.values[n.count], &n.known[n.count], c, &v->expr, &n);
		}
		for (size_t b = 0; right && b < p->buffer_count; b++)
			right = fills_are_right(c, &p->buffers[b], &n);
	}
}

/* What each problem counts; where all count nothing, nothing could be compared. */
static void check_weights(struct checking *c)
{
	const struct kt_pragma *p = c->r->pragma;
	struct numbers n = {.pragma = p};
	bool any = p->problem_count == 0;
	for (size_t i = 0; p->weight.expr != NULL && i < p->problem_count; i++) {
		int64_t weight = 0;
		bool known = true;
		n.problem = p->problems + i * p->variable_count;
		if (!work_out(&weight, &known, c, &p->weight, &n))
			return;
		any = any || !known || weight > 0;
		if (known && weight < 0) {
			kt_report(c->r, KT_ERROR, p->weight.offset, strlen(p->weight.text), NULL,
			          "the weight is negative%s: %lld", problem_text(c, &n), (long long)weight);
			return;
		}
	}
	if (p->weight.expr != NULL && !any)
		kt_report(c->r, KT_ERROR, p->weight.offset, strlen(p->weight.text), "write a number above 0 for the problems that count",
		          "every problem has the weight 0");
}

static bool fill_exprs_are_right(struct checking *c, const struct kt_pragma_buffer *b)
{
	const size_t groups = b->like == NULL ? 1 + b->member_count : 0;
	bool right = b->like != NULL || (check_expr(c, &b->when, false, INT64_MIN, "a condition") &&
	                                 (b->otherwise == NULL || fill_exprs_are_right(c, b->otherwise)));
	for (size_t e = 0; e < groups * KT_FILL_NUMBERS; e++) {
		const struct kt_clause_expr *bounds = e < KT_FILL_NUMBERS ? b->bounds : b->members[e / KT_FILL_NUMBERS - 1].bounds;
		right = check_expr(c, &bounds[e % KT_FILL_NUMBERS], false, INT64_MIN, "a bound") && right;
	}
	return right;
}

static void check_exprs(struct checking *c)
{
	const struct kt_pragma *p = c->r->pragma;
	bool right = true;
	for (size_t i = 0; i < p->value_count; i++) {
		c->before = p->values[i].offset;
		right = check_expr(c, &p->values[i].expr, false, INT64_MIN, "a value") && right;
	}
	/* Data is there before a configuration is chosen; all values are. */
	c->before = UINT_MAX - 1;
	for (size_t i = 0; i < p->buffer_count; i++)
		right = fill_exprs_are_right(c, &p->buffers[i]) && right;
	const bool weighs = check_expr(c, &p->weight, false, INT64_MIN, "the weight");
	c->before = UINT_MAX;
	if (right)
		check_numbers(c);
	if (weighs)
		check_weights(c);
	for (size_t i = 0; i < p->buffer_count; i++)
		check_expr(c, &p->buffers[i].count, false, 0, "the number of elements");
	for (size_t i = 0; i < p->restriction_count; i++)
		check_expr(c, &p->restrictions[i], true, 0, "restriction");
	for (size_t i = 0; i < p->guard_count; i++)
		check_expr(c, &p->guards[i], true, 0, "guard");
	for (size_t i = 0; i < p->grid_count; i++)
		check_expr(c, &p->grid[i], false, 1, "an extent of the grid");
	for (size_t i = 0; i < p->block_count; i++)
		check_expr(c, &p->block[i], false, 1, "an extent of the block");
	check_expr(c, &p->shared_bytes, false, 0, "shared memory");
	check_expr(c, &p->bytes, false, 0, "bytes");
	check_expr(c, &p->flops, false, 0, "flops");
}

void kt_pragma_check(struct kt_reader *r)
{
	struct checking c = {.r = r};
	kt_settle_weight(r);
	kt_settle_when(r);
	kt_settle_like(r);
	collect_symbols(&c);
	check_clashes(&c);
	check_binds(&c);
	check_uses(&c);
	check_exprs(&c);
}
