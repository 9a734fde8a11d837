/*
 * Pairs: the greatest or least value of a row together with its place.
 *
 *   for (i = threadIdx.x; i < d; i += T)    becomes   one reduction of pairs, in which any
 *     if (x[i] > value) {                             number of threads, warps and blocks of a cluster take part
 *       value = x[i];
 *       place = i;
 *     }
 *   values[t] = value;
 *   places[t] = place;
 *   … a tree that takes the other pair if its value is greater, or is the same at a smaller place
 *
 * Sound when: the tree asks for the smaller place among equal values: then its result is the greatest pair of all in a total
 * order, whichever thread has which pair. A loop that takes a greater value only keeps the first of its thread's equal ones:
 * its places grow, under any geometry, as no other loop changes the two. What value and place are before it is the same in all
 * threads, and a pair with that value has that place; a value that compares with nothing is
 * taken by none. Value and place lose nothing on their way into variables and arrays. Where the tree keeps its own
 * value instead, which of equal ones it finds depends on the number of threads: the kernel is left as it is.
 */
#include <string.h>

#include "generation/rules/rows.h"

/* if (condition) { value = new_value; place = new_place; } */
struct update {
	struct kt_tree *branch, *condition, *value, *new_value, *place, *new_place;
};

enum tie { TIE_UNREAD, TIE_OPEN /* a greater one only */, TIE_SMALLER, TIE_LAST };

struct same {
	struct kt_row *row;
	const struct kt_tree *within; /* names that are declared in it stand for what they were set to; NULL: none */
};

static struct kt_tree *meant(const struct same *same, struct kt_tree *node)
{
	node = kt_tree_bare(node);
	if (same->within != NULL && node->kind == KT_TREE_REFERENCE && node->variable != NULL && node->variable->is_local &&
	    node->variable->writes == 0 && !node->variable->escapes && node->variable->declaration != NULL &&
	    node->variable->declaration->count == 1 && kt_tree_contains(same->within, node->variable->declaration) &&
	    node->variable->scalar == kt_tree_bare(node->variable->declaration->children[0])->scalar)
		return kt_tree_bare(node->variable->declaration->children[0]);
	return node;
}

static bool is_same(const struct same *same, struct kt_tree *a, struct kt_tree *b)
{
	const struct kt_tree_variable *left, *right;
	const struct kt_poly *here, *there;

	a = meant(same, a);
	b = meant(same, b);
	if (kt_row_shared_element(same->row, a, &left, &here) && kt_row_shared_element(same->row, b, &right, &there))
		return left == right && kt_poly_equal(here, there);
	if (a->kind == KT_TREE_REFERENCE && b->kind == KT_TREE_REFERENCE)
		return a->variable != NULL && a->variable == b->variable;
	return a->kind == b->kind &&
	       strcmp(kt_tree_text(same->row->family->kernel, a), kt_tree_text(same->row->family->kernel, b)) == 0;
}

/* Is it `a OPERATOR b`? */
static bool compares(const struct same *same, struct kt_tree *node, const char *operator_, struct kt_tree *a,
                     struct kt_tree *b)
{
	return kt_tree_is(node, KT_TREE_BINARY, operator_) && is_same(same, node->children[0], a) &&
	       is_same(same, node->children[1], b);
}

/* Is the new value greater (less) than the old one? */
static bool is_better(const struct same *same, struct kt_tree *node, const struct update *u, bool greatest,
		      bool or_equal)
{
	static const char *const operators[2][2] = {{"<", "<="}, {">", ">="}};

	return compares(same, node, operators[greatest][or_equal], u->new_value, u->value) ||
	       compares(same, node, operators[!greatest][or_equal], u->value, u->new_value);
}

/* What the condition of an update does with equal values. */
static enum tie read_rule(const struct same *same, const struct update *u, enum kt_fold_kind *kind)
{
	struct kt_tree *condition = kt_tree_bare(u->condition), *equal;

	for (int greatest = 0; greatest < 2; greatest++) {
		*kind = greatest ? KT_FOLD_FIRST_MAX : KT_FOLD_FIRST_MIN;
		if (is_better(same, condition, u, greatest, false))
			return TIE_OPEN;
		if (is_better(same, condition, u, greatest, true))
			return TIE_LAST;
		if (!kt_tree_is(condition, KT_TREE_BINARY, "||") ||
		    !is_better(same, kt_tree_bare(condition->children[0]), u, greatest, false))
			continue;
		equal = kt_tree_bare(condition->children[1]);
		if (!kt_tree_is(equal, KT_TREE_BINARY, "&&"))
			return TIE_LAST;
		condition = kt_tree_bare(equal->children[1]);
		equal = kt_tree_bare(equal->children[0]);
		if ((compares(same, equal, "==", u->new_value, u->value) ||
		     compares(same, equal, "==", u->value, u->new_value)) &&
		    (compares(same, condition, "<", u->new_place, u->place) ||
		     compares(same, condition, ">", u->place, u->new_place)))
			return TIE_SMALLER;
		return TIE_LAST;
	}
	return TIE_UNREAD;
}

/* An if around two assignments; `swapped`: the place comes first. */
static bool read_update(struct update *out, struct kt_tree *branch, bool swapped)
{
	struct kt_tree *body, *first, *second;

	if (branch->kind != KT_TREE_IF || branch->count != 2 || branch->in_macro)
		return false;
	body = branch->children[1];
	if (body->kind != KT_TREE_BLOCK || body->count != 2 || !kt_tree_is(body->children[0], KT_TREE_ASSIGN, "=") ||
	    !kt_tree_is(body->children[1], KT_TREE_ASSIGN, "="))
		return false;
	first = body->children[swapped];
	second = body->children[!swapped];
	*out = (struct update){branch, branch->children[0], kt_tree_bare(first->children[0]), first->children[1],
	                       kt_tree_bare(second->children[0]), second->children[1]};
	return true;
}

/* Computed twice it is the same, and nothing else happens. */
static bool is_plain(struct kt_tree *node, void *context)
{
	static const char *const known[] = {"__ldg", "fabsf", "fabs", "abs", "__half2float", "__bfloat162float"};

	(void)context;
	if (node->kind == KT_TREE_CALL) {
		return kt_has_text(known, sizeof known / sizeof known[0], node->known);
	}
	return node->kind != KT_TREE_ASSIGN && node->kind != KT_TREE_STATEMENT && node->kind != KT_TREE_OTHER &&
	       !(node->kind == KT_TREE_UNARY && (node->operator_ == NULL || strstr(node->operator_, "++") != NULL ||
	                                         strstr(node->operator_, "--") != NULL));
}

static bool is_unsigned(const struct kt_tree_variable *v)
{
	return v->scalar == KT_U8 || v->scalar == KT_U16 || v->scalar == KT_U32 || v->scalar == KT_U64;
}

static bool is_whole(const struct kt_tree_variable *v)
{
	return v->scalar != KT_SCALAR_NONE && !kt_scalar_is_float(v->scalar);
}

/* Every value of the loop's index is one of the place's, in the same order. */
static bool holds_index(const struct kt_tree_variable *place, const struct kt_tree_variable *index)
{
	if (!is_whole(place) || !is_whole(index) || kt_scalar_bytes(place->scalar) < kt_scalar_bytes(index->scalar))
		return false;
	return kt_scalar_bytes(place->scalar) > kt_scalar_bytes(index->scalar) || is_unsigned(place) || !is_unsigned(index);
}

/* What is compared is what the variable keeps. */
static bool holds_value(const struct kt_tree_variable *value, const struct kt_tree *new_value)
{
	return value->scalar != KT_SCALAR_NONE &&
	       (value->scalar == new_value->scalar ||
	        (value->scalar == KT_F32 && (new_value->scalar == KT_F16 || new_value->scalar == KT_BF16)));
}

static bool is_own(const struct kt_tree *node)
{
	const struct kt_tree_variable *v = node->kind == KT_TREE_REFERENCE ? node->variable : NULL;

	return v != NULL && v->is_local && !v->is_shared && !v->is_pointer && !v->is_array && !v->escapes &&
	       v->declaration != NULL;
}

struct hunt {
	const struct kt_tree_variable *a, *b;
	const struct kt_tree *inside;
	struct kt_row *row;
	struct kt_effects *effects;
	const struct kt_loop *loop;
};

static bool stays_inside(struct kt_tree *node, void *context)
{
	const struct hunt *hunt = context;

	return node->kind != KT_TREE_REFERENCE || (node->variable != hunt->a && node->variable != hunt->b) ||
	       kt_tree_contains(hunt->inside, node);
}

static struct kt_fold *fold_of(struct kt_effects *effects, const struct kt_tree_variable *v)
{
	for (size_t i = 0; i < effects->fold_count; i++)
		if (effects->folds[i].variable == v)
			return &effects->folds[i];
	return NULL;
}

static bool is_taken(const struct kt_row *row, const struct kt_tree_variable *v)
{
	for (size_t i = 0; i < row->loop_count; i++)
		for (size_t f = 0; f < row->effects[i].fold_count; f++)
			if (row->effects[i].folds[f].variable == v)
				return true;
	return false;
}

static void take(struct hunt *hunt, const struct update *u)
{
	const struct same same = {hunt->row, NULL};
	const struct kt_tree_variable *value = u->value->variable, *place = u->place->variable;
	struct hunt uses = {.a = value, .b = place, .inside = u->branch};
	struct kt_fold *value_fold, *place_fold;
	enum kt_fold_kind kind;
	enum tie tie;

	if (!is_own(u->value) || !is_own(u->place) || value == place || hunt->loop->changes ||
	    kt_tree_bare(u->new_place)->variable != hunt->loop->variable ||
	    kt_tree_bare(u->new_place)->kind != KT_TREE_REFERENCE ||
	    kt_tree_uses(u->new_value, value) || kt_tree_uses(u->new_value, place) ||
	    !kt_tree_walk(u->new_value, is_plain, NULL) || !kt_tree_walk(hunt->loop->node, stays_inside, &uses) ||
	    !holds_index(place, hunt->loop->variable) || !holds_value(value, kt_tree_bare(u->new_value)) ||
	    is_taken(hunt->row, value) || is_taken(hunt->row, place))
		return;
	tie = read_rule(&same, u, &kind);
	value_fold = fold_of(hunt->effects, value);
	place_fold = fold_of(hunt->effects, place);
	if (tie == TIE_UNREAD || value_fold == NULL || place_fold == NULL || hunt->row->pair_count == KT_ROW_LOOPS)
		return;
	if (tie == TIE_LAST) {
		hunt->row->ties = u->branch;
		return;
	}
	value_fold->kind = place_fold->kind = kind;
	hunt->row->pairs[hunt->row->pair_count++] = (struct kt_row_pair){value, place, kind};
}

static bool find_update(struct kt_tree *node, void *context)
{
	struct update u;

	for (int swapped = 0; swapped < 2; swapped++)
		if (read_update(&u, node, swapped))
			take(context, &u);
	return true;
}

void kt_row_take_pairs(struct kt_row *row, const struct kt_loop *loop, struct kt_effects *effects)
{
	struct hunt hunt = {.row = row, .effects = effects, .loop = loop};

	kt_tree_walk(loop->body, find_update, &hunt);
}

/* shared[threadIdx.x] = value */
static bool read_store(struct kt_row *row, struct kt_tree *store, const struct kt_tree_variable **array,
                       struct kt_tree **value)
{
	const struct kt_poly *index;

	if (!kt_tree_is(store, KT_TREE_ASSIGN, "=") || !kt_row_shared_element(row, store->children[0], array, &index) ||
	    !kt_row_is_thread_index(row, kt_tree_bare(store->children[0])->children[1]))
		return false;
	*value = kt_tree_bare(store->children[1]);
	return (*value)->kind == KT_TREE_REFERENCE && (*value)->variable != NULL &&
	       (*value)->variable->scalar == (*array)->scalar && (*array)->scalar != KT_SCALAR_NONE;
}

static bool is_element(const struct same *same, struct kt_tree *node, const struct kt_tree_variable *array,
                       const struct kt_tree_variable *width)
{
	const struct kt_tree_variable *root;
	const struct kt_poly *index;

	node = meant(same, node);
	return kt_row_shared_element(same->row, node, &root, &index) && root == array &&
	       kt_row_is_tree_place(same->row, node->children[1], width);
}

/* The step of a tree over two arrays: names for elements, then the update. */
static enum tie read_step(struct kt_row *row, struct kt_tree *step, const struct kt_row_fold *fold,
                          const struct kt_tree_variable *width, enum kt_fold_kind *kind)
{
	const struct same same = {row, step};
	const struct kt_tree_variable *array;
	const struct kt_poly *index;
	struct update u;

	if (step->kind != KT_TREE_BLOCK || step->count == 0)
		return TIE_UNREAD;
	for (size_t i = 0; i + 1 < step->count; i++)
		for (size_t k = 0; k < step->children[i]->count; k++)
			if (step->children[i]->kind != KT_TREE_DECLARE || step->children[i]->children[k]->count != 1 ||
			    !kt_row_shared_element(row, step->children[i]->children[k]->children[0], &array, &index))
				return TIE_UNREAD;
	for (int swapped = 0; swapped < 2; swapped++)
		if (read_update(&u, step->children[step->count - 1], swapped) && is_element(&same, u.value, fold->array, NULL) &&
		    is_element(&same, u.place, fold->places, NULL) && is_element(&same, u.new_value, fold->array, width) &&
		    is_element(&same, u.new_place, fold->places, width))
			return read_rule(&same, &u, kind);
	return TIE_UNREAD;
}

bool kt_row_read_pair(struct kt_row *row, size_t at)
{
	struct kt_row_fold *fold = &row->folds[row->fold_count];
	const struct kt_tree_variable *width;
	struct kt_tree *step, *loop;

	if (at + 3 >= row->block->count || row->fold_count == KT_ROW_FOLDS ||
	    !kt_row_is_call(row->block->children[at + 2], "__syncthreads"))
		return false;
	for (size_t swapped = 0; swapped < 2; swapped++) {
		enum tie tie;

		*fold = (struct kt_row_fold){.statement = at, .end = at + 4};
		if (!read_store(row, row->block->children[at + swapped], &fold->array, &fold->value) ||
		    !read_store(row, row->block->children[at + 1 - swapped], &fold->places, &fold->place) ||
		    fold->array == fold->places)
			return false;
		loop = row->block->children[at + 3];
		step = kt_row_tree_step(row, loop, &width);
		tie = step != NULL ? read_step(row, step, fold, width, &fold->kind) : TIE_UNREAD;
		if (tie == TIE_OPEN || tie == TIE_LAST)
			row->ties = loop;
		if (tie != TIE_SMALLER)
			continue;
		for (size_t i = 0; i < 2; i++)
			kt_row_consume(row, row->block->children[at + i]->children[0]);
		kt_row_consume(row, loop);
		row->fold_count++;
		return true;
	}
	return false;
}

bool kt_row_is_pair(const struct kt_row *row, const struct kt_tree_variable *value,
		    const struct kt_tree_variable *place, enum kt_fold_kind kind)
{
	for (size_t i = 0; i < row->pair_count; i++)
		if (row->pairs[i].value == value && row->pairs[i].place == place && row->pairs[i].kind == kind)
			return true;
	return false;
}
