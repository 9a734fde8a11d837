/*
 * Vectorize: a shared loop moves VEC neighbouring elements in one access.
 *
 *   for (d = START; d < N; d += STEP) BODY(d)
 *
 * becomes a loop over groups of VEC iterations, in which the loads of a group stand
 * in front of it and its stores behind it, and a loop over the rest, one by one.
 *
 * Sound when: no iteration leaves the loop, waits for other threads or does anything
 * that cannot be read; what it changes outside of itself is a fold (a sum, a
 * maximum …); a load is moved only over stores to memory that it cannot overlap
 * (__restrict__, or a guard says so) or to the very same elements; a store is moved
 * only if it happens in every iteration. Alignment, divisibility and the range of
 * the counter are asked at run time, in front of the loop: where one of them does
 * not hold, the loop over the rest does everything.
 *
 * An index is contiguous when it grows by 1 from one iteration to the next. d / H
 * stays the same and d % H grows by 1 within a group if VEC divides H and the
 * group's first d: what depends on d / H only is then the same for all elements of
 * a group, and the compiler computes it once (hoisting across lanes).
 */
#include <string.h>

#include "generation/rules/family.h"

enum { MOST_PACKS = 16, MOST_DIVISIONS = 8 };

struct pack {
	const struct kt_tree_variable *root;
	const struct kt_poly *index;
	const char *name;
	bool loads, stores, streams;
	const char *kept; /* the array in registers that holds it from loop to loop; NULL: none */
	bool known;       /* an earlier loop has it there */
	const char *ahead; /* the array that the first loop of the row fills for this one, where AHEAD says so; NULL: none */
	uint32_t first_read, first_write; /* where: a write's is the end of its assignment */
};

/* v / H and v % H, with one H. */
struct division {
	const struct kt_atom *atom; /* of either */
	const struct kt_poly *by;
	const char *quotient, *remainder;
};

struct member {
	struct kt_tree *node;
	size_t pack;
};

struct kt_vector {
	const struct kt_loop *loop;
	const struct kt_effects *effects;
	size_t pack_count, division_count, member_count;
	struct pack packs[MOST_PACKS];
	struct division divisions[MOST_DIVISIONS];
	struct member *members;
	struct kt_tree **quotients; /* nodes v / H and v % H, and which division each is of */
	size_t quotient_count;
	unsigned widest;          /* bytes of the widest element in a pack */
	bool wide_index;          /* the variable has 64 bits */
	size_t ahead_count;       /* packs of later loops that this one loads for them */
	struct {
		const struct kt_vector *vector;
		size_t pack;
	} aheads[MOST_PACKS];
	size_t row_term_count;    /* products that VEC must divide */
	const struct kt_poly *row_terms[MOST_PACKS];
};

static bool is_variable(const struct kt_atom *atom, const struct kt_tree_variable *v)
{
	return atom->kind == KT_ATOM_VARIABLE && atom->variable == v;
}

static bool is_alone(const struct kt_poly *poly, const struct kt_tree_variable *v)
{
	return poly->count == 1 && poly->terms[0].factor == 1 && poly->terms[0].count == 1 &&
	       is_variable(poly->terms[0].atoms[0], v);
}

/* Items have their index as a declaration: its value is threadIdx and its kin, in every use. */
static bool is_index(const struct kt_family *family, const struct kt_loop *loop, const struct kt_poly *poly)
{
	enum kt_share share;
	unsigned dimension;

	if (loop->form == KT_LOOP_FOR)
		return is_alone(poly, loop->variable);
	return kt_share_start(&share, &dimension, poly, family->block) && share == loop->share &&
	       dimension == loop->dimension;
}

static bool varies(const struct kt_loop *loop, const struct kt_atom *atom)
{
	if (loop->form == KT_LOOP_FOR)
		return is_variable(atom, loop->variable) || kt_atom_varies(atom, loop->node);
	if (atom->kind == KT_ATOM_BUILTIN)
		return (atom->builtin == KT_THREAD_INDEX || atom->builtin == KT_BLOCK_INDEX) && atom->dimension == loop->dimension;
	if (atom->left != NULL) {
		for (size_t i = 0; i < atom->left->count; i++)
			for (size_t j = 0; j < atom->left->terms[i].count; j++)
				if (varies(loop, atom->left->terms[i].atoms[j]))
					return true;
		for (size_t i = 0; i < atom->right->count; i++)
			for (size_t j = 0; j < atom->right->terms[i].count; j++)
				if (varies(loop, atom->right->terms[i].atoms[j]))
					return true;
		return false;
	}
	return kt_atom_varies(atom, kt_loop_scope(loop));
}

static bool poly_varies(const struct kt_loop *loop, const struct kt_poly *poly)
{
	for (size_t i = 0; i < poly->count; i++)
		for (size_t j = 0; j < poly->terms[i].count; j++)
			if (varies(loop, poly->terms[i].atoms[j]))
				return true;
	return false;
}

/* How an index moves with the loop. */
struct motion {
	bool affine;           /* it is one of: */
	int64_t step;          /* elements an iteration */
	const struct kt_poly *fixed;  /* the part that does not depend on the loop's variable */
	size_t row_count;      /* terms with a quotient: the same within a group */
	struct kt_term rows[4];
	size_t division_count;
	const struct kt_atom *divisions[4];
};

/* The index with the loop's own part taken out, when that part is the index itself times a number. */
static const struct kt_poly *self_poly(struct kt_family *family, const struct kt_loop *loop)
{
	if (loop->form == KT_LOOP_FOR) {
		struct kt_tree reference = {.kind = KT_TREE_REFERENCE, .variable = (struct kt_tree_variable *)loop->variable};
		const struct kt_poly *poly;
		struct kt_tree *copy = kt_arena_alloc(family->kernel->arena, sizeof *copy);

		if (copy == NULL)
			return NULL;
		*copy = reference;
		copy->range = loop->node->range;
		poly = kt_poly_of(&family->polys, copy);
		return poly;
	}
	return kt_poly_of(&family->polys, loop->declaration->children[0]->children[0]);
}

/* Takes `factor` times the loop's index out of the polynomial, with the greatest factor for which it has all its terms. */
static const struct kt_poly *take_self(struct kt_family *family, const struct kt_poly *poly, const struct kt_poly *self,
                                       int64_t *step)
{
	*step = 0;
	if (self == NULL || self->count == 0)
		return poly;
	for (size_t i = 0; i < poly->count; i++) {
		const struct kt_term *term = &poly->terms[i], *first = &self->terms[0];

		if (term->count != first->count || term->factor % first->factor != 0 ||
		    memcmp(term->atoms, first->atoms, term->count * sizeof *term->atoms) != 0)
			continue;
		*step = term->factor / first->factor;
		return kt_poly_add(&family->polys, poly, self, -*step);
	}
	return poly;
}

static void find_motion(struct motion *out, struct kt_family *family, const struct kt_loop *loop,
                        const struct kt_poly *index)
{
	const struct kt_poly *self = self_poly(family, loop), *rest;
	struct kt_poly *fixed = kt_arena_alloc(family->kernel->arena, sizeof *fixed);

	memset(out, 0, sizeof *out);
	rest = take_self(family, index, self, &out->step);
	if (rest == NULL || fixed == NULL)
		return;
	for (size_t i = 0; i < rest->count; i++) {
		const struct kt_term *term = &rest->terms[i];
		size_t moving = 0, at = 0;

		for (size_t j = 0; j < term->count; j++)
			if (varies(loop, term->atoms[j])) {
				moving++;
				at = j;
			}
		if (moving == 0) {
			fixed->terms[fixed->count++] = *term;
			continue;
		}
		const struct kt_atom *atom = term->atoms[at];
		if (moving > 1 || (atom->kind != KT_ATOM_QUOTIENT && atom->kind != KT_ATOM_REMAINDER) ||
		    !is_index(family, loop, atom->left) || poly_varies(loop, atom->right) || out->division_count == 4)
			return;
		out->divisions[out->division_count++] = atom;
		if (atom->kind == KT_ATOM_REMAINDER) {
			if (term->count != 1)
				return;
			out->step += term->factor;
		} else {
			if (out->row_count == 4)
				return;
			out->rows[out->row_count] = *term;
			/* The quotient itself is left out: the rest of the product is what VEC must divide. */
			memmove(&out->rows[out->row_count].atoms[at], &out->rows[out->row_count].atoms[at + 1],
			        (term->count - at - 1) * sizeof *term->atoms);
			out->rows[out->row_count++].count--;
		}
	}
	out->fixed = fixed;
	out->affine = true;
}

static bool add_division(struct kt_family *family, struct kt_vector *vector, const struct kt_atom *atom)
{
	struct division *d;

	for (size_t i = 0; i < vector->division_count; i++)
		if (kt_poly_equal(vector->divisions[i].by, atom->right))
			return true;
	if (vector->division_count == MOST_DIVISIONS)
		return false;
	d = &vector->divisions[vector->division_count];
	d->atom = atom;
	d->by = atom->right;
	d->quotient = kt_family_name(family, vector->division_count == 0
	                                         ? "group_row"
	                                         : kt_family_text(family, "group_row%zu", vector->division_count));
	d->remainder = kt_family_name(family, vector->division_count == 0
	                                          ? "group_column"
	                                          : kt_family_text(family, "group_column%zu", vector->division_count));
	vector->division_count++;
	return true;
}

/* May this access move over every store of the loop, or if it is one, over every access? */
static bool may_move(struct kt_family *family, const struct kt_effects *effects, const struct kt_access *access)
{
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *other = &effects->accesses[i];

		if (other == access || (!other->writes && !access->writes))
			continue;
		if (other->root == access->root) {
			if (!kt_poly_equal(other->index, access->index))
				return false;
			continue;
		}
		if (kt_roots_may_alias(other->root, access->root) &&
		    !kt_family_disjoint(family, other->root, access->root))
			return false;
	}
	return true;
}

static bool is_whole(const struct kt_effects *effects, const struct kt_access *access)
{
	/* Every access to these elements must go through the pack, and a store must be no maybe. */
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *other = &effects->accesses[i];

		if (other->root == access->root && kt_poly_equal(other->index, access->index) &&
		    (other->atomic || (other->writes && other->conditional)))
			return false;
	}
	return true;
}

/* Unconditional somewhere: then the element exists. */
static bool happens(const struct kt_effects *effects, const struct kt_access *access)
{
	for (size_t i = 0; i < effects->access_count; i++)
		if (effects->accesses[i].root == access->root && kt_poly_equal(effects->accesses[i].index, access->index) &&
		    !effects->accesses[i].conditional)
			return true;
	return false;
}

static bool is_power(unsigned bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

static struct pack *pack_of(struct kt_vector *vector, const struct kt_access *access)
{
	for (size_t i = 0; i < vector->pack_count; i++)
		if (vector->packs[i].root == access->root && kt_poly_equal(vector->packs[i].index, access->index))
			return &vector->packs[i];
	return NULL;
}

/* The right side of an assignment is read before the left one is written. */
static uint32_t write_end(const struct kt_tree *target)
{
	const struct kt_tree *at = target->parent;

	while (at != NULL && at->kind == KT_TREE_PAREN)
		at = at->parent;
	return at != NULL && (at->kind == KT_TREE_ASSIGN || at->kind == KT_TREE_CALL) ? at->range.end : target->range.begin;
}

/* Elements that only one iteration of all loops touches will not be needed again. */
static bool streams(const struct kt_loop *loop, const struct motion *motion)
{
	if (loop->outer == NULL)
		return loop->share == KT_SHARE_FLAT && motion->row_count == 0;
	for (size_t i = 0; i < motion->fixed->count; i++)
		for (size_t j = 0; j < motion->fixed->terms[i].count; j++)
			if (varies(loop->outer, motion->fixed->terms[i].atoms[j]))
				return true;
	return false;
}

static void add_member(struct kt_family *family, struct kt_vector *vector, const struct kt_access *access,
                       const struct motion *motion)
{
	struct pack *pack = pack_of(vector, access);
	struct member *slot;

	if (pack == NULL) {
		size_t same = 0;

		if (vector->pack_count == MOST_PACKS || vector->row_term_count + motion->row_count > MOST_PACKS)
			return;
		for (size_t i = 0; i < motion->division_count; i++)
			if (!add_division(family, vector, motion->divisions[i]))
				return;
		for (size_t i = 0; i < vector->pack_count; i++)
			same += vector->packs[i].root == access->root;
		pack = &vector->packs[vector->pack_count++];
		*pack = (struct pack){.root = access->root, .index = access->index, .first_read = UINT32_MAX,
		                      .first_write = UINT32_MAX, .streams = streams(vector->loop, motion)};
		pack->name = kt_family_name(family, same == 0 ? kt_family_text(family, "%s_pack", access->root->name)
		                                              : kt_family_text(family, "%s_pack_%c", access->root->name,
		                                                               (char)('b' + same - 1)));
		if (access->root->element_bytes > vector->widest)
			vector->widest = access->root->element_bytes;
		for (size_t i = 0; i < motion->row_count; i++) {
			struct kt_poly *term = kt_arena_alloc(family->kernel->arena, sizeof *term);

			if (term == NULL)
				return;
			term->count = 1;
			term->terms[0] = motion->rows[i];
			vector->row_terms[vector->row_term_count++] = term;
		}
	}
	pack->stores = pack->stores || access->writes;
	if (access->reads && access->node->range.begin < pack->first_read)
		pack->first_read = access->node->range.begin;
	if (access->writes && write_end(access->node) < pack->first_write)
		pack->first_write = write_end(access->node);
	pack->loads = pack->first_read < pack->first_write;
	slot = kt_arena_push(family->kernel->arena, &vector->members, &vector->member_count, sizeof *slot);
	if (slot != NULL)
		*slot = (struct member){access->node, (size_t)(pack - vector->packs)};
}

struct search {
	struct kt_family *family;
	struct kt_vector *vector;
};

/* Divisions of the loop's index are worth being done once a group, wherever they stand. */
static bool find_divisions(struct kt_tree *node, void *context)
{
	struct search *s = context;
	const struct kt_poly *poly;
	const struct kt_atom *atom;
	struct kt_tree **slot;

	if (node->kind != KT_TREE_BINARY || node->in_macro ||
	    (!kt_tree_is(node, KT_TREE_BINARY, "/") && !kt_tree_is(node, KT_TREE_BINARY, "%")))
		return true;
	poly = kt_poly_of(&s->family->polys, node);
	if (poly == NULL || poly->count != 1 || poly->terms[0].count != 1 || poly->terms[0].factor != 1)
		return true;
	atom = poly->terms[0].atoms[0];
	if (atom->left == NULL || !is_index(s->family, s->vector->loop, atom->left) ||
	    poly_varies(s->vector->loop, atom->right) || !add_division(s->family, s->vector, atom))
		return true;
	slot = kt_arena_push(s->family->kernel->arena, &s->vector->quotients, &s->vector->quotient_count, sizeof *slot);
	if (slot != NULL)
		*slot = node;
	return true;
}

static const char *obstacle(const struct kt_effects *effects, const struct kt_tree **where)
{
	const struct {
		const struct kt_tree *node;
		const char *text;
	} all[] = {
		{effects->barrier, "threads wait for each other in this loop"},
		{effects->leaves, "an iteration can leave the loop"},
		{effects->skips, "an iteration can be cut short"},
		{effects->unknown, "memory is reached in a way that cannot be followed"},
	};

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (all[i].node != NULL) {
			*where = all[i].node;
			return all[i].text;
		}
	return NULL;
}

struct kt_vector *kt_vector_plan(struct kt_family *family, const struct kt_loop *loop, const struct kt_effects *effects)
{
	struct kt_vector *vector = kt_arena_alloc(family->kernel->arena, sizeof *vector);
	const struct kt_tree *where = loop->node;
	const char *why = obstacle(effects, &where);
	struct kt_tree *scope = kt_loop_scope(loop);
	struct search search = {family, vector};

	if (vector == NULL) {
		family->failed = true;
		return NULL;
	}
	if (why != NULL || loop->bound == NULL || loop->share == KT_SHARE_BLOCK) {
		if (why != NULL)
			kt_family_note(family, where, "no vector access: %s", why);
		return NULL;
	}
	for (size_t i = 0; i < effects->fold_count; i++)
		if (effects->folds[i].kind == KT_FOLD_NONE) {
			kt_family_note(family, loop->node, "no vector access: '%s' is carried from iteration to iteration",
			               effects->folds[i].variable->name);
			return NULL;
		}
	vector->loop = loop;
	vector->effects = effects;
	vector->wide_index = kt_scalar_bytes(loop->variable->scalar) == 8;
	for (size_t i = 0; i < effects->access_count; i++) {
		const struct kt_access *access = &effects->accesses[i];
		struct motion motion;

		if (access->root->is_shared || access->root->is_array || !is_power(access->root->element_bytes) ||
		    access->root->element == NULL || access->node->in_macro)
			continue;
		find_motion(&motion, family, loop, access->index);
		if (!motion.affine) {
			kt_family_note(family, access->node, "'%s' is not contiguous here: its index depends on data or moves unevenly",
			               kt_tree_text(family->kernel, access->node));
			continue;
		}
		if (motion.step == 0)
			continue;
		if (motion.step != 1) {
			kt_family_note(family, access->node, "'%s' moves %lld elements an iteration", access->root->name,
			               (long long)motion.step);
			continue;
		}
		if (!happens(effects, access) || !is_whole(effects, access))
			continue;
		if (!may_move(family, effects, access)) {
			kt_family_note(family, access->node, "'%s' may overlap with what the loop writes", access->root->name);
			continue;
		}
		add_member(family, vector, access, &motion);
	}
	if (vector->pack_count == 0)
		return NULL;
	kt_tree_walk(scope, find_divisions, &search);
	return vector;
}

struct renaming {
	struct kt_family *family;
	const struct kt_vector *vector;
	const char *group; /* the group's first index */
};

static const char *group_atom(const struct kt_atom *atom, void *context)
{
	const struct renaming *r = context;
	const struct kt_loop *loop = r->vector->loop;

	if (loop->form == KT_LOOP_FOR && is_variable(atom, loop->variable))
		return r->group;
	if (atom->left == NULL || !is_index(r->family, loop, atom->left))
		return NULL;
	for (size_t i = 0; i < r->vector->division_count; i++)
		if (kt_poly_equal(r->vector->divisions[i].by, atom->right))
			return atom->kind == KT_ATOM_QUOTIENT ? r->vector->divisions[i].quotient
			                                      : r->vector->divisions[i].remainder;
	return NULL;
}

/* Text of an index, of the group's first element; `group` "0": of the very first. */
static void add_index(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                      const struct kt_poly *index, const char *group)
{
	struct renaming renaming = {family, vector, group};
	const struct kt_poly *self = self_poly(family, vector->loop), *rest = index;
	int64_t step = 0;

	if (vector->loop->form != KT_LOOP_FOR) {
		rest = take_self(family, index, self, &step);
		if (step != 0)
			kt_buf_addf(out, "%s%s", group, rest->count > 0 ? " + " : "");
		if (step != 0 && rest->count == 0)
			return;
	}
	kt_poly_print(out, family->kernel, rest, group_atom, &renaming);
}

static const char *pack_type(struct kt_family *family, const struct kt_tree_variable *root)
{
	const char *element = root->scalar != KT_SCALAR_NONE ? kt_scalar_name(root->scalar) : root->element;
	char *clean = kt_arena_strdup(family->kernel->arena, kt_family_text(family, "pack_%s", element));

	for (char *at = clean; at != NULL && *at != '\0'; at++)
		if (!(*at >= 'a' && *at <= 'z') && !(*at >= 'A' && *at <= 'Z') && !(*at >= '0' && *at <= '9'))
			*at = '_';
	return clean != NULL ? clean : "pack";
}

static void declare_pack_type(struct kt_family *family, const struct kt_tree_variable *root)
{
	const char *type = pack_type(family, root);
	const char *text = kt_family_text(family,
	                                  "${if VEC > 1}\nstruct alignas(${= VEC * %u}) %s {\n%s item[${VEC}];\n};\n${end}\n",
	                                  root->element_bytes, type, root->element);

	if (family->top.data == NULL || strstr(family->top.data, text) == NULL)
		kt_buf_adds(&family->top, text);
}

/* Each is asked once. */
static void add_condition(struct kt_buf *out, struct kt_buf *one)
{
	if (out->data != NULL && strstr(out->data, kt_buf_text(one)) != NULL)
		return;
	if (out->size > 0 && strchr("0)", out->data[out->size - 1]) != NULL)
		kt_buf_adds(out, " &&\n");
	kt_buf_adds(out, kt_buf_text(one));
}

/* The first index of each access, at the loop's begin, must be a multiple of VEC elements. */
void kt_vector_conditions(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector)
{
	struct kt_buf one = KT_BUF(KT_LIMIT_LINE_BYTES);

	for (size_t i = 0; i < vector->pack_count; i++) {
		const struct pack *pack = &vector->packs[i];
		struct motion motion;

		find_motion(&motion, family, vector->loop, pack->index);
		kt_buf_clear(&one);
		kt_buf_addf(&one, "reinterpret_cast<unsigned long long>(%s", pack->root->name);
		if (motion.fixed->count > 0) {
			kt_buf_adds(&one, " + (");
			kt_poly_print(&one, family->kernel, motion.fixed, NULL, NULL);
			kt_buf_addc(&one, ')');
		}
		kt_buf_addf(&one, ") %% ${= VEC * %u} == 0", pack->root->element_bytes);
		add_condition(out, &one);
	}
	for (size_t i = 0; i < vector->row_term_count + vector->division_count; i++) {
		const bool row = i < vector->row_term_count;

		kt_buf_clear(&one);
		kt_buf_addc(&one, '(');
		kt_poly_print(&one, family->kernel,
		              row ? vector->row_terms[i] : vector->divisions[i - vector->row_term_count].by, NULL, NULL);
		kt_buf_adds(&one, ") % ${VEC} == 0");
		add_condition(out, &one);
	}
	family->failed = family->failed || one.failed;
	kt_buf_free(&one);
}

struct place {
	uint32_t at;
};

static bool is_known_at(const struct kt_atom *atom, void *context)
{
	const struct place *place = context;

	if (atom->kind == KT_ATOM_VARIABLE && atom->variable->declaration != NULL)
		return atom->variable->declaration->range.end <= place->at && atom->variable->writes == 0;
	return atom->kind != KT_ATOM_OPAQUE || atom->node->range.end <= place->at;
}

bool kt_vector_is_known(struct kt_family *family, const struct kt_vector *vector, uint32_t at)
{
	struct place place = {at};

	for (size_t i = 0; i < vector->pack_count; i++) {
		struct motion motion;

		find_motion(&motion, family, vector->loop, vector->packs[i].index);
		if (!motion.affine || !kt_poly_every(motion.fixed, is_known_at, &place))
			return false;
	}
	return vector->division_count == 0 && vector->loop->bound != NULL &&
	       kt_poly_every(vector->loop->bound, is_known_at, &place);
}

bool kt_access_same_place(struct kt_family *family, const struct kt_loop *one, const struct kt_access *a,
                          const struct kt_loop *two, const struct kt_access *b, const struct kt_poly **fixed)
{
	struct motion left, right;

	find_motion(&left, family, one, a->index);
	find_motion(&right, family, two, b->index);
	*fixed = left.fixed;
	return a->root == b->root && left.affine && right.affine && left.division_count == 0 && right.division_count == 0 &&
	       left.step == right.step && left.step != 0 && kt_poly_equal(left.fixed, right.fixed);
}

static bool same_place(struct kt_family *family, const struct kt_vector *a, const struct pack *left, const struct kt_vector *b,
                       const struct pack *right)
{
	struct motion one, two;

	if (left->root != right->root)
		return false;
	find_motion(&one, family, a->loop, left->index);
	find_motion(&two, family, b->loop, right->index);
	return kt_poly_equal(one.fixed, two.fixed);
}

/* May anything between the two loops, or in them, write what the pack holds, other than by it? */
static bool is_disturbed(struct kt_family *family, struct kt_vector *const *vectors, size_t count, size_t of,
                         const struct pack *pack)
{
	for (size_t v = 0; v < count; v++)
		for (size_t i = 0; i < vectors[v]->effects->access_count; i++) {
			const struct kt_access *access = &vectors[v]->effects->accesses[i];
			const struct pack *own = pack_of(vectors[v], access);

			if (!access->writes || access->root->is_shared)
				continue;
			if (own != NULL && same_place(family, vectors[of], pack, vectors[v], own))
				continue;
			if (access->root == pack->root || (kt_roots_may_alias(access->root, pack->root) &&
			                                  !kt_family_disjoint(family, access->root, pack->root)))
				return true;
		}
	return false;
}

/* What only a later loop loads can be on its way while the threads fold. */
static bool keep_ahead(struct kt_buf *out, struct kt_family *family, struct kt_vector **vectors, size_t count)
{
	struct kt_vector *first = vectors[0];
	bool any = false;

	for (size_t b = 1; b < count; b++)
		for (size_t i = 0; i < vectors[b]->pack_count; i++) {
			struct pack *pack = &vectors[b]->packs[i];

			if (pack->kept != NULL || pack->ahead != NULL || pack->stores || !pack->loads ||
			    first->ahead_count == MOST_PACKS || is_disturbed(family, vectors, count, b, pack))
				continue;
			pack->ahead = kt_family_name(family, kt_family_text(family, "%s_ahead", pack->name));
			declare_pack_type(family, pack->root);
			kt_buf_addf(out, "${if AHEAD}\n%s %s[${TURNS}];\n${end}\n", pack_type(family, pack->root), pack->ahead);
			first->aheads[first->ahead_count].vector = vectors[b];
			first->aheads[first->ahead_count++].pack = i;
			any = true;
		}
	if (any) {
		static const int64_t flags[] = {0, 1};

		kt_family_parameter(family, "AHEAD", "1: the first loop of a row loads what only later loops need", flags, 2);
		kt_family_restrict(family, "AHEAD == 0 || TURNS > 0", "it waits in the kept packs");
	}
	return any;
}

bool kt_vector_keep(struct kt_buf *out, struct kt_family *family, struct kt_vector **vectors, size_t count)
{
	bool any = false;

	for (size_t a = 0; a < count; a++)
		for (size_t i = 0; i < vectors[a]->pack_count; i++) {
			struct pack *first = &vectors[a]->packs[i];
			const char *kept = NULL;

			if (first->kept != NULL || is_disturbed(family, vectors, count, a, first))
				continue;
			for (size_t b = a + 1; b < count; b++)
				for (size_t k = 0; k < vectors[b]->pack_count; k++) {
					struct pack *second = &vectors[b]->packs[k];

					if (second->kept != NULL || !same_place(family, vectors[a], first, vectors[b], second) ||
					    !second->loads)
						continue;
					if (kept == NULL) {
						kept = kt_family_name(family, kt_family_text(family, "%s_kept", first->name));
						declare_pack_type(family, first->root);
						kt_buf_addf(out, "${if TURNS}\n%s %s[${TURNS}];\n${end}\n",
						            pack_type(family, first->root), kept);
						first->kept = kept;
					}
					second->kept = kept;
					second->known = true;
					any = true;
				}
		}
	return keep_ahead(out, family, vectors, count) || any;
}

static void replace_divisions(struct kt_family *family, const struct kt_vector *vector, const char *lane)
{
	for (size_t i = 0; i < vector->quotient_count; i++) {
		struct kt_tree *node = vector->quotients[i];
		const struct kt_poly *poly = kt_poly_of(&family->polys, node);
		const struct kt_atom *atom = poly->terms[0].atoms[0];

		for (size_t d = 0; d < vector->division_count; d++) {
			if (!kt_poly_equal(vector->divisions[d].by, atom->right))
				continue;
			kt_write_set(&family->write, node,
			             atom->kind == KT_ATOM_QUOTIENT
			                 ? vector->divisions[d].quotient
			                 : kt_family_text(family, "(%s + %s)", vector->divisions[d].remainder, lane));
		}
	}
}

/* The statements of one iteration, as they are replaced at the moment. */
static void add_body(struct kt_buf *out, struct kt_family *family, const struct kt_loop *loop)
{
	struct kt_tree *scope = kt_loop_scope(loop);

	if (loop->body == NULL || scope->kind == KT_TREE_BLOCK)
		kt_write_statements(out, &family->write, scope, loop->body == NULL ? loop->first : 0, scope->count);
	else
		kt_write_node(out, &family->write, scope);
}

static void add_load(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector, const struct pack *pack,
                     const char *group)
{
	if (pack->streams)
		kt_buf_adds(out, "${if STREAM > 1}${ktune:callee:0}(${else}*${end}");
	else
		kt_buf_addc(out, '*');
	kt_buf_addf(out, "reinterpret_cast<const %s *>(%s + (", pack_type(family, pack->root), pack->root->name);
	add_index(out, family, vector, pack->index, group);
	kt_buf_addf(out, "))%s;\n", pack->streams ? "${if STREAM > 1})${end}" : "");
}

static void add_moves(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector, const char *group,
                      bool stores)
{
	for (size_t i = 0; i < vector->pack_count; i++) {
		const struct pack *pack = &vector->packs[i];
		const char *type = pack_type(family, pack->root);
		bool streams = pack->streams;

		if (stores ? !pack->stores : false)
			continue;
		if (!stores) {
			if (pack->ahead != NULL)
				kt_buf_addf(out, "${if AHEAD}\nconst %s &%s = %s[turn];\n${else}\n", type, pack->name, pack->ahead);
			if (pack->kept != NULL)
				kt_buf_addf(out, "${if TURNS}\n%s &%s = %s[turn];\n", type, pack->name, pack->kept);
			if (pack->kept != NULL && pack->loads && !pack->known) {
				kt_buf_addf(out, "%s = ", pack->name);
				add_load(out, family, vector, pack, group);
			}
			if (pack->kept != NULL)
				kt_buf_adds(out, "${else}\n");
			if (!pack->loads) {
				kt_buf_addf(out, "%s %s;\n", type, pack->name);
			} else {
				kt_buf_addf(out, "%s%s %s = ", pack->stores ? "" : "const ", type, pack->name);
				add_load(out, family, vector, pack, group);
			}
			if (pack->kept != NULL || pack->ahead != NULL)
				kt_buf_adds(out, "${end}\n");
			continue;
		}
		if (streams) {
			kt_buf_addf(out, "${if STREAM}\n${ktune:callee:1}(reinterpret_cast<%s *>(%s + (", type, pack->root->name);
			add_index(out, family, vector, pack->index, group);
			kt_buf_addf(out, ")), %s);\n${else}\n", pack->name);
		}
		kt_buf_addf(out, "*reinterpret_cast<%s *>(%s + (", type, pack->root->name);
		add_index(out, family, vector, pack->index, group);
		kt_buf_addf(out, ")) = %s;\n%s", pack->name, streams ? "${end}\n" : "");
	}
}

static void add_parameters(struct kt_family *family, const struct kt_vector *vector)
{
	static const int64_t widths[] = {1, 2, 4, 8, 16}, turns[] = {1, 2, 4}, flags[] = {0, 1};
	unsigned narrowest = vector->widest;
	size_t count = 1;

	for (size_t i = 0; i < vector->pack_count; i++)
		if (vector->packs[i].root->element_bytes < narrowest)
			narrowest = vector->packs[i].root->element_bytes;
	while (count < sizeof widths / sizeof widths[0] && widths[count] * narrowest <= 16)
		count++;
	kt_family_parameter(family, "VEC", "elements of one memory access", widths, count)->original = 1;
	kt_family_parameter(family, "UNROLL", "groups of one turn of the vector loop", turns, 3);
	kt_family_restrict(family, "VEC > 1 || UNROLL == 1", "the scalar loop is left as it is");
	if (vector->wide_index && vector->division_count > 0) {
		kt_family_parameter(family, "NARROW", "1: the vector loop counts in 32 bits", flags, 2);
		kt_family_restrict(family, "VEC > 1 || NARROW == 0", "the scalar loop is left as it is");
	}
}

/* The counter must not run past its type. */
static void add_range(struct kt_buf *out, const struct kt_vector *vector, const char *count, const char *step)
{
	if (vector->wide_index && vector->division_count == 0)
		return;
	kt_buf_addf(out, "%s(long long)%s + (long long)(%s) * ${VEC} <= 0x7fffffffLL%s",
	            vector->wide_index ? "${if NARROW} &&\n" : " &&\n", count, step, vector->wide_index ? "${end}" : "");
}

struct names {
	const char *type, *counter, *group, *end, *count, *lane;
};

static struct names name_parts(struct kt_family *family, const struct kt_vector *vector)
{
	const struct kt_tree_variable *v = vector->loop->variable;
	const char *type = strncmp(v->type, "const ", 6) == 0 ? v->type + 6 : v->type;

	return (struct names){
	    .type = type,
	    .counter = vector->wide_index && vector->division_count > 0 ? kt_family_text(family, "${if NARROW}int${else}%s${end}", type) : type,
	    .group = kt_family_name(family, kt_family_text(family, "%s_group", v->name)),
	    .end = kt_family_name(family, kt_family_text(family, "%s_end", v->name)),
	    .count = kt_family_name(family, kt_family_text(family, "%s_count", v->name)),
	    .lane = kt_family_name(family, "lane"),
	};
}

static void add_divisions(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                          const struct names *n)
{
	for (size_t i = 0; i < vector->division_count; i++) {
		const struct division *d = &vector->divisions[i];

		kt_buf_addf(out, "const %s %s = %s / (%s)(", n->counter, d->quotient, n->group, n->counter);
		kt_poly_print(out, family->kernel, d->by, NULL, NULL);
		kt_buf_addf(out, ");\nconst %s %s = %s - %s * (%s)(", n->counter, d->remainder, n->group, d->quotient, n->counter);
		kt_poly_print(out, family->kernel, d->by, NULL, NULL);
		kt_buf_adds(out, ");\n");
	}
}

/* The loop over groups. */
static void add_groups(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector,
                       const struct kt_frame *frame, const struct names *n)
{
	const size_t mark = family->write.count;

	if (frame->turns)
		kt_buf_addf(out,
		            "${if TURNS}\n#pragma unroll\nfor (int turn = 0; turn < ${TURNS}; turn++) {\n"
		            "const %s %s = (turn * ${BLOCK} + %s) * ${VEC};\n\nif (%s >= %s)\ncontinue;\n${else}\n",
		            n->counter, n->group, frame->start, n->group, n->end);
	kt_buf_addf(out, "#pragma unroll ${UNROLL}\nfor (%s %s = (%s) * ${VEC}; %s < %s; %s += (%s) * ${VEC}) {\n", n->counter,
	            n->group, frame->start, n->group, n->end, n->group, frame->step);
	if (frame->turns)
		kt_buf_adds(out, "${end}\n");
	add_divisions(out, family, vector, n);
	add_moves(out, family, vector, n->group, false);
	for (size_t i = 0; i < vector->ahead_count; i++) {
		const struct pack *pack = &vector->aheads[i].vector->packs[vector->aheads[i].pack];

		kt_buf_addf(out, "${if AHEAD}\n%s[turn] = ", pack->ahead);
		add_load(out, family, vector->aheads[i].vector, pack, n->group);
		kt_buf_adds(out, "${end}\n");
	}
	kt_buf_addf(out, "#pragma unroll\nfor (int %s = 0; %s < ${VEC}; %s++) {\nconst %s %s = %s + %s;\n", n->lane, n->lane,
	            n->lane, n->type, vector->loop->variable->name, n->group, n->lane);
	for (size_t i = 0; i < vector->member_count; i++)
		kt_write_set(&family->write, vector->members[i].node,
		             kt_family_text(family, "%s.item[%s]", vector->packs[vector->members[i].pack].name, n->lane));
	replace_divisions(family, vector, n->lane);
	add_body(out, family, vector->loop);
	kt_write_back(&family->write, mark);
	kt_buf_adds(out, "\n}\n");
	add_moves(out, family, vector, n->group, true);
	kt_buf_adds(out, "}\n");
}

const char *kt_vector_text(struct kt_family *family, const struct kt_vector *vector, const struct kt_frame *frame)
{
	const struct kt_loop *loop = vector->loop;
	const struct names n = name_parts(family, vector);
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *text;

	add_parameters(family, vector);
	for (size_t i = 0; i < vector->pack_count; i++)
		declare_pack_type(family, vector->packs[i].root);
	kt_buf_addf(&out, "{\nconst %s %s = ", n.type, n.count);
	kt_write_node(&out, &family->write, loop->bound_node);
	kt_buf_adds(&out, ";\n${if VEC > 1}\n// Groups of ${VEC} elements, where all of them can be moved in one access.\n");
	if (frame->wide == NULL) {
		kt_buf_adds(&out, "const bool wide = ");
		kt_vector_conditions(&out, family, vector);
		add_range(&out, vector, n.count, frame->step);
		kt_buf_adds(&out, ";\n");
	}
	kt_buf_addf(&out, "const %s %s = %s ? %s - %s %% ${VEC} : 0;\n\n", n.type, n.end,
	            frame->wide != NULL ? frame->wide : "wide", n.count, n.count);
	add_groups(&out, family, vector, frame, &n);
	kt_buf_addf(&out, "${end}\nfor (%s %s = ${if VEC > 1}%s + ${end}%s; %s < %s; %s += %s) {\n", n.type,
	            loop->variable->name, n.end, frame->start, loop->variable->name, n.count, loop->variable->name, frame->step);
	add_body(&out, family, loop);
	kt_buf_adds(&out, "\n}\n}\n");
	text = kt_family_text(family, "%s", kt_buf_text(&out));
	family->failed = family->failed || out.failed;
	kt_buf_free(&out);
	kt_family_applied(family, "vectorize", kt_family_text(family, "line %u: %zu arrays are read or written at neighbouring "
	                                                              "indices in neighbouring iterations",
	                                                      kt_tree_line(family->kernel, loop->node), vector->pack_count));
	if (vector->division_count > 0)
		kt_family_applied(family, "hoist", "quotients of the index are the same for all elements of a group");
	return text;
}
