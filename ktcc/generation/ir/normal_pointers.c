/*
 * Normal form: places name an argument or an object, and an offset. A pointer local (or an argument that the function
 * sets) whose every value is one root plus an offset becomes a local that holds the offset; a place that goes through a
 * pointer made from another place is one place; pointers of one root are compared by their offsets.
 */
#include "generation/ir/effect.h"
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

struct pointers {
	struct kt_ir_module *module;
	const struct kt_ir_value **lets; /* by symbol id: the value of a let whose operands keep theirs */
	unsigned *sets;                  /* by symbol id */
	bool changed;
};

/* The target of a pointer: a number of elements after a pointer that is an argument or temporary, or into an array. */
struct target {
	const struct kt_ir_symbol *root;
	const struct kt_ir_value *offset; /* i64; NULL: 0 */
};

static const struct kt_ir_value *sum(struct kt_ir_module *m, const struct kt_ir_value *a, const struct kt_ir_value *b)
{
	if (a == NULL || b == NULL)
		return a == NULL ? b : a;
	return kt_ir_fold_all(m, kt_ir_no_wrap(m, kt_ir_apply(m, KT_IR_ADD, a, b, NULL)));
}

static const struct kt_ir_type *element_of(const struct kt_ir_symbol *root)
{
	return root->type->kind == KT_IR_POINTER || root->type->kind == KT_IR_ARRAY ? root->type->element : NULL;
}

static bool resolve(const struct pointers *p, const struct kt_ir_value *v, struct target *to)
{
	const struct kt_ir_place *at = v->place;

	if (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->arguments[0]->type->kind == KT_IR_POINTER &&
	    v->type->kind == KT_IR_POINTER && v->type->element == v->arguments[0]->type->element)
		return resolve(p, v->arguments[0], to);
	if (v->op == KT_IR_READ) {
		to->root = v->symbol;
		return true;
	}
	if (v->op != KT_IR_ADDRESS || at->count > 1 || (at->count == 1 && at->steps[0].kind != KT_IR_INDEX))
		return false;
	if (at->symbol != NULL) {
		if (at->count != 1 || at->symbol->type->kind != KT_IR_ARRAY || at->symbol->type->count < -1)
			return false;
		to->root = at->symbol;
	} else if (!resolve(p, at->pointer, to)) {
		return false;
	}
	if (at->count == 1)
		to->offset = sum(p->module, to->offset, at->steps[0].index);
	return true;
}

/* ---- Places through pointers ---- */

static const struct kt_ir_place *with_step(struct kt_ir_module *m, const struct kt_ir_place *place,
					   const struct kt_ir_step *step)
{
	switch (step->kind) {
	case KT_IR_INDEX:
		return kt_ir_index(m, place, step->index);
	case KT_IR_SEEN_AS:
		return kt_ir_seen_as(m, place, step->type, step->align);
	default:
		return kt_ir_field(m, place, step->number);
	}
}

/* The steps of `from`, from this one on, after those of `place`. */
static const struct kt_ir_place *followed(struct kt_ir_module *m, const struct kt_ir_place *place,
					  const struct kt_ir_place *from, size_t first)
{
	for (size_t i = first; place != NULL && i < from->count; i++)
		place = with_step(m, place, &from->steps[i]);
	return place;
}

/* The place without its last step. */
static const struct kt_ir_place *shorter(struct kt_ir_module *m, const struct kt_ir_place *place)
{
	struct kt_ir_place cut = *place;

	cut.count--;
	return followed(m, place->symbol != NULL ? kt_ir_place_of(m, place->symbol) : kt_ir_place_at(m, place->pointer),
			&cut, 0);
}

/* The value that a pointer is, through lets and conversions that do not change what it leads to. */
static const struct kt_ir_value *seen_through(const struct pointers *p, const struct kt_ir_value *v)
{
	for (;;) {
		if (v->op == KT_IR_READ && p->lets[v->symbol->id] != NULL)
			v = p->lets[v->symbol->id];
		else if (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->type->kind == KT_IR_POINTER &&
			 v->arguments[0]->type->kind == KT_IR_POINTER && v->type->element == v->arguments[0]->type->element)
			v = v->arguments[0];
		else
			return v;
	}
}

static bool is_const_root(const struct kt_ir_place *place)
{
	return place->pointer != NULL ? place->pointer->type->is_const : place->symbol->kind == KT_IR_CONSTANT_SYMBOL;
}

/* Is the value of a let a pointer into an argument's memory, by which places are what they are by the let? */
static bool sees_argument(const struct kt_ir_value *pointer, const struct kt_ir_value *let)
{
	const struct kt_ir_type *a = pointer->type, *b = let->type;
	const struct kt_ir_place through = {.pointer = pointer};
	const struct kt_ir_symbol *root;

	if (let->op != KT_IR_READ || pointer->op != KT_IR_CONVERT || a->kind != KT_IR_POINTER || a->element != b->element ||
	    a->is_const != b->is_const || a->is_volatile != b->is_volatile)
		return false;
	root = kt_ir_root_of(&through);
	return root != NULL && root->kind == KT_IR_ARGUMENT;
}

/* *(addr(q))[k]… as a place from q's root on; the place itself where that is not possible. */
static const struct kt_ir_place *merged(const struct pointers *p, const struct kt_ir_place *place)
{
	const struct kt_ir_value *pointer;
	const struct kt_ir_place *inner, *made;
	const bool begins = place->count > 0 && place->steps[0].kind == KT_IR_INDEX;

	if (place->pointer == NULL)
		return place;
	pointer = seen_through(p, place->pointer);
	/* A let that sees other elements there (float4 of float): the place tells of what they are. */
	if (sees_argument(pointer, place->pointer))
		return followed(p->module, kt_ir_place_at(p->module, pointer), place, 0);
	if (pointer->op != KT_IR_ADDRESS)
		/* A pointer from a let or inside a conversion: the same place by its plain name. */
		return pointer == place->pointer || pointer->op != KT_IR_READ ||
			       (pointer->type->is_const && !place->pointer->type->is_const)
			   ? place
			   : followed(p->module, kt_ir_place_at(p->module, pointer), place, 0);
	inner = pointer->place;
	if (is_const_root(inner) && !place->pointer->type->is_const)
		return place;
	if (!begins)
		return followed(p->module, inner, place, 0);
	/* An index after an index adds to it; in an array of an array it might leave the inner one, as a pointer may.
	 */
	if (inner->count == 1 && inner->steps[0].kind == KT_IR_INDEX) {
		made = kt_ir_index(p->module, shorter(p->module, inner),
				   sum(p->module, inner->steps[inner->count - 1].index, place->steps[0].index));
		return followed(p->module, made, place, 1);
	}
	if (inner->count == 0 && inner->pointer != NULL)
		return followed(p->module, inner, place, 0);
	return place;
}

static const struct kt_ir_value *through(const struct kt_ir_value *v, void *context)
{
	struct pointers *p = context;
	const struct kt_ir_place *place;
	struct target a = {NULL, NULL}, b = {NULL, NULL};
	const struct kt_ir_value *zero;

	if (v->op == KT_IR_ADDRESS) {
		place = merged(p, v->place);
		return place == v->place || place == NULL
			   ? v
			   : kt_ir_convert(p->module, kt_ir_address(p->module, place), v->type, KT_IR_AS_VALUE);
	}
	if (kt_ir_ops[v->op].operands != KT_IR_SCALARS || v->arguments[0]->type->kind != KT_IR_POINTER)
		return v;
	if (!resolve(p, v->arguments[0], &a) || !resolve(p, v->arguments[1], &b) || a.root != b.root)
		return v;
	if (a.offset == NULL && b.offset == NULL && v->arguments[0]->op == KT_IR_READ &&
	    v->arguments[1]->op == KT_IR_READ)
		return v;
	zero = kt_ir_constant(p->module, kt_ir_integer(p->module, 64, true), 0);
	return kt_ir_apply(p->module, v->op, a.offset == NULL ? zero : a.offset, b.offset == NULL ? zero : b.offset,
			   NULL);
}

static bool has_hint(const struct kt_ir_statement *s)
{
	return s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_STORE;
}

static bool through_places(struct kt_ir_statement *s, void *context)
{
	struct pointers *p = context;
	const struct kt_ir_place *place;
	bool is_volatile;

	p->changed |= kt_ir_rewrite_statement(p->module, s, through, p);
	if (s->place == NULL)
		return true;
	is_volatile = s->place->pointer != NULL && s->place->pointer->type->is_volatile;
	place = merged(p, s->place);
	if (place != NULL && place != s->place && place->type == s->place->type && (!is_volatile || has_hint(s))) {
		/* That the pointer leads to volatile memory is known by the access then. */
		s->hint.is_volatile |= is_volatile;
		s->place = place;
		p->changed = true;
	}
	return !p->module->failed;
}

/* ---- Pointers that are set ---- */

struct moving {
	struct pointers *p;
	struct kt_ir_symbol *pointer, *at;
	const struct kt_ir_symbol *root;
	bool fits;
};

static bool is_root(const struct pointers *p, const struct kt_ir_symbol *root, const struct kt_ir_symbol *pointer)
{
	if (element_of(root) != pointer->type->element)
		return false;
	if (root->type->kind == KT_IR_ARRAY)
		return root->kind != KT_IR_LOCAL_SYMBOL;
	return root->kind == KT_IR_ARGUMENT && !root->is_memory && p->sets[root->id] == 0;
}

/* All sets of the pointer lead to one root, or move it. */
static bool check_set(struct kt_ir_statement *s, void *context)
{
	struct moving *m = context;
	struct target to = {NULL, NULL};

	if (s->kind != KT_IR_S_SET || s->symbol != m->pointer)
		return true;
	m->fits = resolve(m->p, s->value, &to);
	if (!m->fits || to.root == m->pointer)
		return m->fits;
	m->fits = (m->root == NULL || m->root == to.root) && is_root(m->p, to.root, m->pointer);
	m->root = to.root;
	return m->fits;
}

static const struct kt_ir_value *pointed(const struct kt_ir_value *v, void *context)
{
	const struct moving *m = context;
	struct kt_ir_module *module = m->p->module;
	const struct kt_ir_place *root;

	if (v->op != KT_IR_READ || v->symbol != m->pointer)
		return v;
	root =
	    m->root->is_memory ? kt_ir_place_of(module, m->root) : kt_ir_place_at(module, kt_ir_read(module, m->root));
	return kt_ir_convert(module, kt_ir_address(module, kt_ir_index(module, root, kt_ir_read(module, m->at))),
			     v->type, KT_IR_AS_VALUE);
}

/* Sets become sets of the offset, and the declaration one of it. */
static bool move_set(struct kt_ir_statement *s, void *context)
{
	struct moving *m = context;
	struct target to = {NULL, NULL};

	if (s->kind == KT_IR_S_DECLARE && s->symbol == m->pointer)
		s->symbol = m->at;
	if (s->kind != KT_IR_S_SET || s->symbol != m->pointer || !resolve(m->p, s->value, &to))
		return true;
	if (to.root == m->pointer)
		to.offset = sum(m->p->module, kt_ir_read(m->p->module, m->at), to.offset);
	if (to.offset == NULL)
		to.offset = kt_ir_constant(m->p->module, m->at->type, 0);
	s->symbol = m->at;
	s->value = to.offset;
	return true;
}

static void move(struct pointers *p, struct kt_ir_function *f, struct kt_ir_symbol *pointer)
{
	struct moving m = {p, pointer, NULL, pointer->kind == KT_IR_ARGUMENT ? pointer : NULL, true};
	struct kt_ir_region begin = {NULL, NULL};

	if (pointer->is_memory || pointer->type->kind != KT_IR_POINTER || pointer->type->element->size == 0)
		return;
	(void)kt_ir_visit(&f->body, check_set, &m);
	if (!m.fits || m.root == NULL)
		return;
	m.at = kt_ir_symbol(p->module, KT_IR_LOCAL_SYMBOL, kt_ir_integer(p->module, 64, true), pointer->hint);
	if (m.at == NULL)
		return;
	if (pointer->kind == KT_IR_ARGUMENT) {
		(void)kt_ir_declare(p->module, &begin, m.at);
		(void)kt_ir_set(p->module, &begin, m.at, kt_ir_constant(p->module, m.at->type, 0));
	}
	(void)kt_ir_visit(&f->body, move_set, &m);
	(void)kt_ir_rewrite_region(p->module, &f->body, pointed, &m);
	kt_ir_splice(&begin, &f->body);
	f->body = begin;
	p->changed = true;
}

/* ---- Copies of what moves: `*p++` ---- */

static bool is_steady(const struct kt_ir_value *v, void *context);

/* The local, or the argument, that the let is a copy of; NULL: it is none. */
static const struct kt_ir_symbol *copied(const struct kt_ir_statement *s)
{
	const struct kt_ir_value *v = s->value;

	return s->kind == KT_IR_S_LET && v->op == KT_IR_READ && !v->symbol->is_memory &&
		       (v->symbol->kind == KT_IR_LOCAL_SYMBOL || v->symbol->kind == KT_IR_ARGUMENT)
		   ? v->symbol
		   : NULL;
}

/* `t = v; v = t + 1` moves v by one. */
static void move_by_copy(struct pointers *p, struct kt_ir_statement *let)
{
	const struct kt_ir_symbol *local = copied(let);

	for (struct kt_ir_statement *s = let->next; local != NULL && s != NULL; s = s->next) {
		struct kt_ir_region alone = {s, s};
		struct kt_ir_statement *next = s->next;

		if (s->kind != KT_IR_S_SET || s->symbol != local) {
			if (kt_ir_sets(&s->body, local) || kt_ir_sets(&s->otherwise, local) || s->case_count > 0)
				return;
			continue;
		}
		s->next = NULL;
		p->changed |= kt_ir_substitute(p->module, &alone, let->symbol, kt_ir_read(p->module, local));
		s->next = next;
		return;
	}
}

/* A let of an address whose index may change has a let of the index before it, and what reads it has the address of that. */
static void name_index(struct pointers *p, struct kt_ir_region *region, struct kt_ir_statement *before, struct kt_ir_statement *let)
{
	struct kt_ir_module *m = p->module;
	const struct kt_ir_value *address = let->value;
	struct kt_ir_region one = {NULL, NULL}, rest = {let->next, region->last};
	struct kt_ir_symbol *index;

	while (address->op == KT_IR_CONVERT && address->type->kind == KT_IR_POINTER && address->arguments[0]->type->kind == KT_IR_POINTER)
		address = address->arguments[0];
	if (address->op != KT_IR_ADDRESS || address->place->count != 1 || address->place->steps[0].kind != KT_IR_INDEX ||
	    kt_ir_visit_value(address->place->steps[0].index, is_steady, p) ||
	    (address->place->pointer != NULL && !kt_ir_visit_value(address->place->pointer, is_steady, p)))
		return;
	index = kt_ir_let(m, &one, "", address->place->steps[0].index);
	if (index == NULL)
		return;
	address = kt_ir_convert(m, kt_ir_address(m, kt_ir_index(m, shorter(m, address->place), kt_ir_read(m, index))), let->value->type,
				KT_IR_AS_VALUE);
	let->value = address;
	(void)kt_ir_substitute(m, &rest, let->symbol, address);
	(void)kt_ir_insert(region, before, &one);
	p->changed = true;
}

static void in_copies(struct pointers *p, struct kt_ir_region *region)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first, *before = NULL; s != NULL && !p->module->failed; before = s, s = s->next) {
		move_by_copy(p, s);
		if (s->kind == KT_IR_S_LET && s->value->type->kind == KT_IR_POINTER)
			name_index(p, region, before, s);
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			in_copies(p, inner);
	}
}

/* ---- The pass ---- */

static bool is_steady(const struct kt_ir_value *v, void *context)
{
	const struct pointers *p = context;

	return v->op != KT_IR_READ || v->symbol->kind == KT_IR_TEMPORARY || v->symbol->kind == KT_IR_COUNTER ||
	       (v->symbol->kind == KT_IR_ARGUMENT && p->sets[v->symbol->id] == 0);
}

static bool note(struct kt_ir_statement *s, void *context)
{
	struct pointers *p = context;

	if (s->kind == KT_IR_S_SET)
		p->sets[s->symbol->id]++;
	return true;
}

static bool note_let(struct kt_ir_statement *s, void *context)
{
	struct pointers *p = context;

	if (s->kind == KT_IR_S_LET && s->symbol->type->kind == KT_IR_POINTER &&
	    kt_ir_visit_value(s->value, is_steady, p))
		p->lets[s->symbol->id] = s->value;
	return true;
}

struct found {
	struct pointers *p;
	struct kt_ir_function *f;
	struct kt_ir_symbol *pointer;
};

static bool find_pointer(struct kt_ir_statement *s, void *context)
{
	struct found *found = context;

	if (s->kind == KT_IR_S_DECLARE && s->symbol->type->kind == KT_IR_POINTER &&
	    s->symbol->kind == KT_IR_LOCAL_SYMBOL && found->p->sets[s->symbol->id] > 0)
		move(found->p, found->f, s->symbol);
	return true;
}

bool kt_ir_normal_pointers(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_pointers(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	struct pointers p = {.module = n->module};
	const size_t room = (size_t)n->module->next_id + 2 * f->argument_count + 64;

	p.lets = kt_arena_array(n->module->arena, room, sizeof *p.lets);
	p.sets = kt_arena_array(n->module->arena, room, sizeof *p.sets);
	if (p.lets == NULL || p.sets == NULL)
		return kt_ir_fail(n->module, "out of memory") != NULL;
	(void)kt_ir_visit(&f->body, note, &p);
	(void)kt_ir_visit(&f->body, note_let, &p);
	in_copies(&p, &f->body);
	if (p.changed)
		return true;
	for (size_t i = 0; i < f->argument_count; i++)
		if (p.sets[f->arguments[i]->id] > 0)
			move(&p, f, f->arguments[i]);
	if (!p.changed)
		(void)kt_ir_visit(&f->body, find_pointer, &(struct found){&p, f, NULL});
	/* Symbols that were made just now have no entry in the tables: they are for the next round. */
	if (!p.changed)
		(void)kt_ir_visit(&f->body, through_places, &p);
	return p.changed;
}
