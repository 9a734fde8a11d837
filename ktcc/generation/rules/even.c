/*
 * Even loops: where all problems allow it, guards ask before the launch what a vector loop would ask in front of
 * itself.
 *
 * With EVEN a loop over groups has no test, no loop over the rest after it, and counters and indices of 32 bits. A quotient by
 * a power of two is a shift, or a product with a number. A block or thread with one iteration has no loop. The first load waits
 * for little more than the thread's own index, which is most of the time that a small problem takes.
 *
 * Sound because guards ask for all of it: every array begins at a multiple of VEC elements, and so does, whatever the
 * loops' indices are, what is added to it (in each product of the index a factor that is an argument or a number is
 * a multiple); the loop's end is one, positive, and so small that a counter of 32 bits never gets past its range;
 * indices of arrays whose size is known fit 32 bits; divisors do, are positive and multiples of VEC. The original runs
 * where one does not hold.
 */
#include "generation/rules/rows.h"

#include <string.h>

#include "generation/rules/fast_math.h"
#include "generation/rules/vector.h"

enum { CLAUSES = 32, WIDEST = 16 };
/* A step is at most the loop or 2^17 elements long: the counter and a step are below 2^32. */
static const long long longest = (1LL << 31) - (1LL << 18);

struct clauses {
	struct kt_family *family;
	size_t count;
	struct kt_rule_clause items[CLAUSES];
	bool failed; /* too many, or one cannot be spelled */
};

static void add(struct clauses *c, const char *text, const char *reason)
{
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->items[i].text, text) == 0)
			return;
	if (c->count == CLAUSES)
		c->failed = true;
	else
		c->items[c->count++] = (struct kt_rule_clause){text, reason};
}

/* Of the product what a launch knows: the rest may be any integer. */
static void add_multiple(struct clauses *c, const struct kt_term *term)
{
	struct kt_poly *part = kt_arena_alloc(c->family->kernel->arena, sizeof *part);
	const char *text;

	if (part == NULL) {
		c->failed = true;
		return;
	}
	part->count = 1;
	part->terms[0].factor = term->factor;
	for (size_t i = 0; i < term->count; i++) {
		const struct kt_poly one = {.count = 1, .terms = {{.factor = 1, .count = 1, .atoms = {term->atoms[i]}}}};

		if (kt_rule_clause(c->family, &one) != NULL)
			part->terms[0].atoms[part->terms[0].count++] = term->atoms[i];
	}
	if (part->terms[0].factor % WIDEST == 0)
		return;
	text = kt_rule_clause(c->family, part);
	if (text == NULL)
		c->failed = true;
	else
		add(c, kt_family_text(c->family, "(%s) %% VEC == 0", text), "rows begin at a whole group of elements");
}

static void add_extent(struct clauses *c, const struct kt_poly *poly)
{
	const char *text = kt_rule_clause(c->family, poly);

	if (text == NULL) {
		c->failed = true;
		return;
	}
	for (size_t i = 0; i < poly->count; i++)
		if (poly->terms[i].factor % WIDEST != 0) {
			add(c, kt_family_text(c->family, "(%s) %% VEC == 0", text), "whole groups of elements");
			break;
		}
	if (poly->count == 1 && poly->terms[0].count == 0 && poly->terms[0].factor > 0 && poly->terms[0].factor <= longest)
		return;
	add(c, kt_family_text(c->family, "(%s) > 0 && (%s) <= %lld", text, text, longest), "counters of 32 bits");
}

/* Where all indices of an array lie; what a counter's end is asked for is less. */
static void add_count(struct clauses *c, const char *count)
{
	const char *end = kt_family_text(c->family, "(%s) > 0 && (%s) <= %lld", count, count, longest);

	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->items[i].text, end) == 0)
			return;
	add(c, kt_family_text(c->family, "(%s) <= %lld", count, (1LL << 32) - 1), "indices of 32 bits");
}

static void add_vector(struct clauses *c, const struct kt_vector *vector)
{
	struct kt_family *family = c->family;

	c->failed = c->failed || vector->apart_count > 0 || vector->loop->bound == NULL;
	if (c->failed)
		return;
	add_extent(c, vector->loop->bound);
	for (size_t i = 0; i < vector->pack_count; i++) {
		const struct kt_pack *pack = &vector->packs[i];
		const char *count = kt_family_count(family, pack->root);
		struct kt_motion motion;

		kt_motion_find(&motion, family, vector->loop, pack->index);
		c->failed = c->failed || pack->root->argument < 0 || pack->root->writes != 0 || !motion.affine;
		if (c->failed)
			return;
		add(c, kt_family_text(family, "aligned(%s, VEC * %u)", pack->root->name, pack->root->element_bytes),
		    "groups of elements are aligned");
		for (size_t k = 0; k < motion.fixed->count; k++)
			add_multiple(c, &motion.fixed->terms[k]);
		if (count != NULL)
			add_count(c, count);
	}
	for (size_t i = 0; i < vector->row_term_count; i++)
		for (size_t k = 0; k < vector->row_terms[i]->count; k++)
			add_multiple(c, &vector->row_terms[i]->terms[k]);
	for (size_t i = 0; i < vector->division_count; i++)
		add_extent(c, vector->divisions[i].by);
}

struct point {
	struct kt_scope scope;
	int64_t width;
};

static bool look_up(int64_t *value, const char *name, void *context)
{
	struct point *point = context;

	if (strcmp(name, "VEC") == 0)
		*value = point->width;
	return strcmp(name, "VEC") == 0 || kt_scope_lookup(value, name, &point->scope);
}

static bool holds_everywhere(struct kt_family *family, const char *text, int64_t width)
{
	const struct kt_region *r = family->kernel->region;
	struct kt_expr *expr;
	struct kt_error ignored;

	if (kt_expr_parse(&expr, family->kernel->arena, text, strlen(text), &ignored) != KT_OK)
		return false;
	for (size_t p = 0; p < r->problem_count; p++) {
		struct point point = {{r, NULL, r->problems + p * r->variable_count, NULL}, width};
		int64_t value;

		if (kt_expr_eval(&value, expr, look_up, &point, &ignored) != KT_OK || value == 0)
			return false;
	}
	return true;
}

/* The widest access that all problems allow; 1: none. */
static int64_t find_width(const struct clauses *c)
{
	for (int64_t width = WIDEST; width > 1; width /= 2) {
		bool all = true;

		for (size_t i = 0; all && i < c->count; i++)
			all = holds_everywhere(c->family, c->items[i].text, width);
		if (all)
			return width;
	}
	return 1;
}

/* Divisors that are powers of two on every problem. */
static void find_shifts(struct kt_family *family, struct kt_vector *vector)
{
	for (size_t i = 0; i < vector->division_count; i++) {
		struct kt_division *d = &vector->divisions[i];
		const char *text = kt_family_text(family, "is_pow2(%s)", kt_rule_clause(family, d->by));

		d->shifts = holds_everywhere(family, text, 1);
		if (d->shifts)
			kt_family_guard(family, kt_family_text(family, "EVEN == 0 || %s", text),
			                "it is a power of two on every problem");
	}
}

/* "a / n" where n is an integer of the launch; NULL: something else. */
static const char *float_divisor(struct kt_family *family, const struct kt_tree *node)
{
	struct kt_tree *right;
	const struct kt_poly *poly;

	if (node->kind != KT_TREE_BINARY || !kt_fast_is_division(family->kernel, node))
		return NULL;
	right = kt_tree_bare(node->children[1]);
	while (right->kind == KT_TREE_CAST && right->scalar == KT_F32 && right->count == 1)
		right = kt_tree_bare(right->children[0]);
	if (right->scalar == KT_SCALAR_NONE || kt_scalar_is_float(right->scalar))
		return NULL;
	poly = kt_poly_of(&family->polys, right);
	return poly != NULL && poly->count > 0 && poly->terms[0].count > 0 ? kt_rule_clause(family, poly) : NULL;
}

static bool is_set(const struct kt_family *family, const struct kt_tree *node)
{
	for (size_t i = 0; i < family->write.count; i++)
		if (family->write.items[i].node == node)
			return true;
	return false;
}

/* One over a power of two is a number, and times that number the very same as the quotient. */
static bool set_inverse(struct kt_tree *node, void *context)
{
	static const char helper[] = "${if EVEN}\n// One over a power of two, exactly.\n"
	                             "__device__ __forceinline__ float ${ktune:callee:9}(int n)\n{\n"
	                             "return __int_as_float((96 + __clz(n)) << 23);\n}\n${end}\n";
	struct kt_family *family = context;
	const char *text = float_divisor(family, node), *guard;

	if (text == NULL || is_set(family, node) || family->guard_count + 1 >= KT_RULE_CLAUSES)
		return true;
	guard = kt_family_text(family, "is_pow2(%s) && (%s) <= 1073741824", text, text);
	if (!holds_everywhere(family, guard, 1))
		return true;
	kt_family_guard(family, kt_family_text(family, "EVEN == 0 || %s", guard), "it is a power of two on every problem");
	kt_write_wrap(&family->write, node, "", " ${if EVEN}* ${ktune:callee:9}(${else}/ ${end}", "${if EVEN})${end}");
	if (family->helpers.data == NULL || strstr(family->helpers.data, helper) == NULL)
		kt_buf_adds(&family->helpers, helper);
	return true;
}

bool kt_vector_even(struct kt_family *family, struct kt_vector *const *vectors, size_t count)
{
	static const int64_t flags[] = {0, 1};
	struct clauses clauses = {.family = family};
	size_t widths = 0;
	int64_t width;

	/* One problem alone gives no information about the sizes that it does not name. */
	if (!kt_family_allows(family, "constants") || !kt_rule_target(family)->has_cuda_words || count == 0 ||
	    family->kernel->region->problem_count < 2)
		return false;
	for (size_t i = 0; i < count; i++) {
		add_vector(&clauses, vectors[i]);
		widths = kt_vector_width_count(vectors[i]) > widths ? kt_vector_width_count(vectors[i]) : widths;
	}
	if (clauses.failed || family->guard_count + clauses.count + KT_VECTOR_DIVISIONS + 1 > KT_RULE_CLAUSES)
		return false;
	width = find_width(&clauses);
	if (width == 1)
		return false;
	kt_family_parameter(family, "EVEN", "1: what vector loops ask in front of themselves is asked before the launch",
	                    flags, 2);
	kt_family_restrict(family, "EVEN == 0 || VEC > 1", "single elements ask for nothing");
	if (width < (int64_t)1 << (widths - 1))
		kt_family_restrict(family, kt_family_text(family, "EVEN == 0 || VEC <= %lld", (long long)width),
		                   "wider groups are not whole on every problem");
	for (size_t i = 0; i < clauses.count; i++)
		kt_family_guard(family, kt_family_text(family, "EVEN == 0 || %s", clauses.items[i].text),
		                clauses.items[i].reason);
	for (size_t i = 0; i < count; i++) {
		vectors[i]->even = true;
		find_shifts(family, vectors[i]);
	}
	kt_tree_walk(family->kernel->body, set_inverse, family);
	kt_family_applied(family, "constants", "rows are whole groups of aligned elements on every problem");
	return true;
}

void kt_row_take_once(struct kt_row *row, const char *rows)
{
	struct kt_family *family = row->family;
	struct kt_tree *node = row->outer->node;
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES), first = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *const single = row->teams ? "EVEN && WAVES == 0 && ROWS == 1" : "EVEN && WAVES == 0";

	if (!kt_family_has(family, "EVEN") || row->outer->changes || node->children[0]->kind != KT_TREE_DECLARE)
		return;
	kt_family_guard(family, kt_family_text(family, "EVEN == 0 || (%s) > 0", rows), "each block has a row");
	kt_write_node(&first, &family->write, node->children[0]);
	while (first.size > 0 && strchr("; \n\t", first.data[first.size - 1]) != NULL)
		first.data[--first.size] = '\0';
	kt_buf_addf(&out, "${if %s}\n{\n%s;\n\n${else}\nfor (%s; ", single, kt_buf_text(&first), kt_buf_text(&first));
	kt_write_node(&out, &family->write, node->children[1]);
	kt_buf_adds(&out, "; ");
	kt_write_node(&out, &family->write, node->children[2]);
	kt_buf_adds(&out, ") {\n${end}\n");
	kt_write_statements(&out, &family->write, row->block, 0, row->block->count);
	kt_buf_adds(&out, "\n}\n");
	kt_write_set(&family->write, node, kt_family_text(family, "%s", kt_buf_text(&out)));
	family->failed = family->failed || out.failed || first.failed;
	kt_buf_free(&out);
	kt_buf_free(&first);
}
