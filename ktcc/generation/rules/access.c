#include "generation/rules/access.h"

#include <string.h>

struct reader {
	struct kt_polys *polys;
	struct kt_effects *out;
	struct kt_tree *scope;
	size_t first;
	bool failed;
};

bool kt_access_resolve(const struct kt_tree_variable **root, const struct kt_poly **offset, struct kt_polys *polys,
                       struct kt_tree *pointer)
{
	struct kt_tree *node = kt_tree_bare(pointer);

	if (node->kind == KT_TREE_REFERENCE && node->variable != NULL) {
		const struct kt_tree_variable *v = node->variable;

		if (v->is_array || v->argument >= 0) {
			*root = v;
			*offset = kt_poly_constant(polys, 0);
			return *offset != NULL && v->writes == 0 && !v->escapes;
		}
		if (v->is_pointer && v->is_local && v->writes == 0 && !v->escapes && v->declaration != NULL &&
		    v->declaration->count == 1 && kt_value_is_kept(v))
			return kt_access_resolve(root, offset, polys, v->declaration->children[0]) &&
			       (!v->is_volatile || (*root)->is_volatile);
		return false;
	}
	if (kt_tree_is(node, KT_TREE_UNARY, "&")) {
		struct kt_tree *element = kt_tree_bare(node->children[0]);
		const struct kt_poly *base, *index;

		if (element->kind != KT_TREE_INDEX || !kt_access_resolve(root, &base, polys, element->children[0]))
			return false;
		index = kt_poly_of(polys, element->children[1]);
		*offset = index != NULL ? kt_poly_add(polys, base, index, 1) : NULL;
		return *offset != NULL;
	}
	if (kt_tree_is(node, KT_TREE_BINARY, "+") || kt_tree_is(node, KT_TREE_BINARY, "-")) {
		bool minus = node->operator_[0] == '-';
		const struct kt_poly *base, *index;
		size_t side = 0;

		if (!kt_access_resolve(root, &base, polys, node->children[0])) {
			if (minus || !kt_access_resolve(root, &base, polys, node->children[1]))
				return false;
			side = 1;
		}
		index = kt_poly_of(polys, node->children[1 - side]);
		*offset = index != NULL ? kt_poly_add(polys, base, index, minus ? -1 : 1) : NULL;
		return *offset != NULL;
	}
	return false;
}

bool kt_roots_may_alias(const struct kt_tree_variable *a, const struct kt_tree_variable *b)
{
	if (a == b)
		return true;
	/* Shared memory and a thread's own arrays are no argument's. */
	if (a->is_shared || b->is_shared)
		return a->argument >= 0 && b->argument >= 0 && a->is_shared == b->is_shared && !a->is_restrict && !b->is_restrict;
	/*
	 * A launch may be given the address of a device symbol, but nothing may change a constant one while kernels read it
	 * (CUDA Programming Guide, __constant__).
	 */
	if (a->argument < 0 || b->argument < 0)
		return a->argument != b->argument && !a->is_local && !b->is_local && !a->is_constant && !b->is_constant &&
		       !a->is_restrict && !b->is_restrict;
	return !a->is_restrict && !b->is_restrict;
}

/* Does the node run once in every iteration? */
static bool is_conditional(const struct reader *r, const struct kt_tree *node)
{
	for (const struct kt_tree *at = node; at != r->scope && at->parent != NULL; at = at->parent) {
		const struct kt_tree *parent = at->parent;

		switch (parent->kind) {
		case KT_TREE_IF:
		case KT_TREE_CHOOSE:
			if (parent->children[0] != at)
				return true;
			break;
		case KT_TREE_FOR:
			if (parent->children[0] != at)
				return true;
			break;
		case KT_TREE_WHILE:
		case KT_TREE_DO:
			return true;
		case KT_TREE_BINARY:
			if (parent->children[1] == at && parent->operator_ != NULL &&
			    (strcmp(parent->operator_, "&&") == 0 || strcmp(parent->operator_, "||") == 0))
				return true;
			break;
		default:
			break;
		}
	}
	return false;
}

static bool starts_with(const char *text, const char *prefix)
{
	return text != NULL && strncmp(text, prefix, strlen(prefix)) == 0;
}

struct kt_tree *kt_access_atomic(const struct kt_access *access)
{
	const struct kt_tree *at = access->node;

	while (at->parent != NULL && (at->parent->kind == KT_TREE_PAREN || kt_tree_is(at->parent, KT_TREE_UNARY, "&")))
		at = at->parent;
	return at->parent != NULL && at->parent->kind == KT_TREE_CALL && at->parent->count > 1 &&
		       at->parent->children[1] == at && starts_with(at->parent->known, "atomic")
		   ? at->parent
		   : NULL;
}

static bool is_address_of(const struct kt_tree *node)
{
	return node->parent != NULL && kt_tree_is(node->parent, KT_TREE_UNARY, "&");
}

static bool declared_inside(const struct reader *r, const struct kt_tree_variable *v)
{
	return v->declaration != NULL && kt_tree_contains(r->scope, v->declaration) &&
	       (r->scope->kind != KT_TREE_BLOCK || r->scope->count <= r->first ||
	        v->declaration->range.begin >= r->scope->children[r->first]->range.begin);
}

/* What is done to a part of it, `at.x += …` or `at[k] = …`, is done to it. */
static bool is_changed_in_part(const struct kt_tree *node)
{
	const struct kt_tree *at = node;
	bool reads;

	while (at->parent != NULL && at->parent->children[0] == at &&
	       (at->parent->kind == KT_TREE_MEMBER || at->parent->kind == KT_TREE_PAREN || at->parent->kind == KT_TREE_INDEX))
		at = at->parent;
	return at != node && (kt_tree_is_target(at, &reads) || is_address_of(at));
}

/* A variable with writes of two kinds of reduction has none. */
static void note_fold(struct reader *r, const struct kt_tree_variable *v, enum kt_fold_kind kind)
{
	struct kt_fold *slot;

	for (size_t i = 0; i < r->out->fold_count; i++)
		if (r->out->folds[i].variable == v) {
			if (r->out->folds[i].kind != kind)
				r->out->folds[i].kind = KT_FOLD_NONE;
			return;
		}
	slot = kt_arena_push(r->polys->kernel->arena, &r->out->folds, &r->out->fold_count, sizeof *slot);
	if (slot == NULL)
		r->failed = true;
	else
		*slot = (struct kt_fold){v, kind};
}

/* An iteration leaves something in an object or an array of the thread's own, for the next one. */
static void add_carried(struct reader *r, const struct kt_tree_variable *v)
{
	if (!declared_inside(r, v))
		note_fold(r, v, KT_FOLD_NONE);
}

/*
 * `object.array[i]` of the thread's own object. Where a pointer of it comes from is seen at the place that puts it
 * there.
 */
static bool is_own_member(const struct kt_tree *node)
{
	bool member = false;

	if (node->kind != KT_TREE_INDEX)
		return false;
	while (node->kind == KT_TREE_INDEX || (node->kind == KT_TREE_MEMBER && node->count == 1)) {
		member = member || node->kind == KT_TREE_MEMBER;
		node = kt_tree_bare(node->children[0]);
	}
	return member && node->kind == KT_TREE_REFERENCE && node->variable != NULL && node->variable->is_local &&
	       !node->variable->is_shared && !node->variable->is_pointer && !node->variable->is_reference;
}

static void set_unknown(struct kt_effects *out, struct kt_tree *node)
{
	if (out->unknown == NULL)
		out->unknown = node;
	if (out->opaque == NULL && !is_own_member(node))
		out->opaque = node;
}

static void add_access(struct reader *r, struct kt_tree *node)
{
	struct kt_access access = {.node = node};
	const struct kt_poly *base, *index = NULL;
	bool indexed = node->kind == KT_TREE_INDEX, target;
	struct kt_access *slot;

	if (!kt_access_resolve(&access.root, &base, r->polys, node->children[0]) || access.root->is_volatile) {
		set_unknown(r->out, node);
		return;
	}
	/* A thread's own array is as good as a variable. */
	if (access.root->is_array && !access.root->is_shared && access.root->is_local) {
		if (kt_tree_is_target(node, &access.reads) || is_changed_in_part(node) || is_address_of(node))
			add_carried(r, access.root);
		return;
	}
	access.index = base;
	if (indexed && (index = kt_poly_of(r->polys, node->children[1])) != NULL)
		access.index = kt_poly_add(r->polys, base, index, 1);
	if (access.index == NULL || (indexed && index == NULL)) {
		set_unknown(r->out, node);
		return;
	}
	access.atomic = kt_access_atomic(&access) != NULL;
	if (!access.atomic && is_address_of(node)) {
		set_unknown(r->out, node);
		return;
	}
	target = kt_tree_is_target(node, &access.reads);
	if (!target && is_changed_in_part(node))
		target = access.reads = true;
	access.writes = target || access.atomic;
	access.reads = access.reads || access.atomic;
	access.conditional = is_conditional(r, node);
	access.order = r->out->access_count;
	slot = kt_arena_push(r->polys->kernel->arena, &r->out->accesses, &r->out->access_count, sizeof *slot);
	if (slot == NULL)
		r->failed = true;
	else
		*slot = access;
}

static struct kt_tree *write_of(struct kt_tree *target)
{
	struct kt_tree *at = target->parent;

	while (at != NULL && at->kind == KT_TREE_PAREN)
		at = at->parent;
	return at;
}

static void add_fold(struct reader *r, struct kt_tree *node)
{
	const struct kt_tree_variable *v = node->variable;
	struct kt_tree *write = write_of(node);
	enum kt_fold_kind kind = write != NULL ? kt_fold_of(write, v) : KT_FOLD_NONE;

	/* Its value may be used by nothing but the reduction: neither by an expression nor by `int t = s += x[i]` or a
	 * condition. */
	if (write != NULL && !kt_tree_is_statement(write) &&
	    (write->parent->kind != KT_TREE_FOR || write->parent->children[2] != write))
		kind = KT_FOLD_NONE;
	note_fold(r, v, kind);
}

/* Read outside of the reduction that it is the result of? Then partial values are seen. */
static bool is_part_of_fold(struct kt_tree *node)
{
	for (struct kt_tree *at = node->parent; at != NULL && at->kind <= KT_TREE_OTHER; at = at->parent)
		if ((at->kind == KT_TREE_ASSIGN || at->kind == KT_TREE_UNARY) && kt_fold_of(at, node->variable) != KT_FOLD_NONE &&
		    kt_tree_is_variable(at->children[0], node->variable))
			return true;
	return false;
}

static const char *const meeting[] = {"__syncthreads", "__syncwarp", "__shfl", "__ballot", "__any_sync", "__all_sync",
                                      "__reduce_", "__match_", "__activemask", "__nanosleep", "__threadfence",
                                      "__cluster", "sub_group_", "work_group_",
                                      "async_work_group_", "wait_group_events", "mem_fence", "read_mem_fence",
                                      "write_mem_fence", "get_local_linear_id", "get_global_linear_id",
                                      "get_global_offset",
                                      "get_enqueued_local_size", "get_sub_group_", "get_num_sub_groups",
                                      "get_max_sub_group_size", "get_work_dim"};

/* Assembly that waits, or asks for a register with the thread's position: `%%laneid`. */
static bool is_meeting_assembly(const struct kt_kernel *kernel, const struct kt_tree *node)
{
	static const char *const words[] = {"%%", ".sync", "bar.", "barrier", "activemask"};
	const char *text;

	if (node->kind != KT_TREE_STATEMENT)
		return false;
	text = kt_tree_text(kernel, node);
	if (text == NULL || node->in_macro)
		return true;
	for (size_t i = 0; strstr(text, "asm") != NULL && i < sizeof words / sizeof words[0]; i++)
		if (strstr(text, words[i]) != NULL)
			return true;
	return false;
}

static bool stands_alone(struct kt_tree *node, void *context)
{
	return node->kind != KT_TREE_BUILTIN && !is_meeting_assembly(context, node) &&
	       (node->kind != KT_TREE_CALL || !kt_call_synchronises(node));
}

bool kt_callee_synchronises(struct kt_kernel *callee)
{
	/* Once: where functions call two others each the paths to one double with every call. */
	if (callee->meeting == KT_MEETING_UNKNOWN)
		callee->meeting = kt_tree_walk(callee->body, stands_alone, callee) ? KT_MEETING_NONE : KT_MEETING_SOME;
	return callee->meeting == KT_MEETING_SOME;
}

/* Other blocks would not see it done at once: atomicAdd_block. */
static bool is_atomic_of_block(const char *name)
{
	const char *end = strrchr(name, '_');

	return starts_with(name, "atomic") && end != NULL && strcmp(end, "_block") == 0;
}

bool kt_call_is_meeting(const struct kt_tree *call)
{
	if (is_atomic_of_block(call->known))
		return true;
	for (size_t i = 0; i < sizeof meeting / sizeof meeting[0]; i++)
		if (starts_with(call->known, meeting[i]))
			return true;
	return false;
}

bool kt_call_synchronises(const struct kt_tree *call)
{
	return call->opaque || kt_call_is_meeting(call) ||
	       (call->callee != NULL && call->callee->body != NULL && kt_callee_synchronises(call->callee));
}

const char *kt_synchronisation_detail(const struct kt_tree *where, const char *meets)
{
	return where->kind == KT_TREE_CALL && where->opaque
	           ? "this cannot be analysed: it may depend on the thread index"
	           : meets;
}

/* Is it a pointer, or the sum of one and an index? */
static bool leads_on(struct kt_tree *node)
{
	node = kt_tree_bare(node);
	if (node->kind == KT_TREE_REFERENCE)
		return node->variable != NULL && (node->variable->is_pointer || node->variable->is_array);
	if (node->kind != KT_TREE_CAST && node->kind != KT_TREE_CHOOSE && node->kind != KT_TREE_OTHER &&
	    !kt_tree_is(node, KT_TREE_BINARY, "+") && !kt_tree_is(node, KT_TREE_BINARY, "-"))
		return false;
	for (size_t i = 0; i < node->count; i++)
		if (node->children[i] != NULL && leads_on(node->children[i]))
			return true;
	return false;
}

/* `atomicAdd(x + i, …)`. False: it cannot be followed. */
static bool add_atomic(struct reader *r, struct kt_tree *pointer)
{
	struct kt_access access = {.node = pointer, .reads = true, .writes = true, .atomic = true};
	struct kt_access *slot;

	if (!kt_access_resolve(&access.root, &access.index, r->polys, pointer))
		return false;
	access.conditional = is_conditional(r, pointer);
	access.order = r->out->access_count;
	slot = kt_arena_push(r->polys->kernel->arena, &r->out->accesses, &r->out->access_count, sizeof *slot);
	if (slot == NULL)
		r->failed = true;
	else
		*slot = access;
	return true;
}

/* `total.add(x)`: a method may change its object, except an operator that converts it. */
static void read_method(struct reader *r, const struct kt_tree *call)
{
	struct kt_tree *object = call->count > 0 ? kt_tree_bare(call->children[0]) : NULL;

	while (object != NULL && (object->kind == KT_TREE_INDEX || (object->kind == KT_TREE_MEMBER && object->count == 1)))
		object = kt_tree_bare(object->children[0]);
	if (object != NULL && object->kind == KT_TREE_REFERENCE && object->variable != NULL && object->variable->is_local &&
	    object->variable->scalar == KT_SCALAR_NONE && !object->variable->is_const && !call->keeps_object && call->name != NULL &&
	    !starts_with(call->name, "operator ") && !declared_inside(r, object->variable))
		add_fold(r, object);
}

static void read_call(struct reader *r, struct kt_tree *node)
{
	read_method(r, node);
	if (kt_call_synchronises(node)) {
		r->out->barrier = r->out->barrier != NULL ? r->out->barrier : node;
		return;
	}
	if (node->name == NULL || node->name[0] == '\0' || node->reaches ||
	    (node->callee != NULL && node->callee->body != NULL && kt_callee_reaches(node->callee)))
		set_unknown(r->out, node);
	/* A pointer that is handed on leads anywhere. */
	for (size_t i = 1; i < node->count; i++)
		if (leads_on(node->children[i]) &&
		    (i > 1 || !starts_with(node->known, "atomic") || !add_atomic(r, kt_tree_bare(node->children[i]))))
			set_unknown(r->out, node);
}

/* A pointer that is put into an object, or such an object: who reads or writes through it is not seen. */
static bool is_put_away(const struct kt_tree *node)
{
	const struct kt_tree_variable *v = node->variable;
	const struct kt_tree *at = node->parent;

	if (!v->is_pointer && !v->is_array)
		return v->scalar == KT_SCALAR_NONE && v->declaration != NULL && v->declaration->count == 1 &&
		       leads_on(v->declaration->children[0]);
	while (at != NULL && (at->kind == KT_TREE_PAREN || at->kind == KT_TREE_CAST || kt_tree_is(at, KT_TREE_BINARY, "+") ||
	                      kt_tree_is(at, KT_TREE_BINARY, "-")))
		at = at->parent;
	return at != NULL && (at->kind == KT_TREE_OTHER || at->kind == KT_TREE_MEMBER ||
	                      (at->kind == KT_TREE_ASSIGN && kt_tree_bare(at->children[0])->kind == KT_TREE_MEMBER));
}

/* `float &to = y[i]`: what is written through it is memory. */
static bool names_memory(const struct kt_tree *node)
{
	return node->variable != NULL && node->count == 1 && node->variable->is_reference &&
	       !node->variable->points_to_const &&
	       kt_tree_bare(node->children[0])->kind != KT_TREE_REFERENCE;
}

/* A variable that others see: what leads to such memory is looked at where it is used. */
static bool is_volatile_value(const struct kt_tree_variable *v)
{
	return v->is_volatile && !v->is_pointer && !v->is_array;
}

/* A number in memory: a pointer may lead there. */
static bool is_outside(const struct kt_tree *node)
{
	const struct kt_tree_variable *v = node->variable;

	return !v->is_local && v->argument < 0 && !v->is_array && !v->is_pointer && !v->is_constant && !node->has_value;
}

struct lambda {
	const struct kt_tree *node;
};

/* Nothing of it is done where the lambda is written, only where it is called: no memory, no variable of others. */
static bool is_of_lambda(struct kt_tree *node, void *context)
{
	const struct lambda *lambda = context;
	bool reads;

	if (node->kind == KT_TREE_INDEX || kt_tree_is(node, KT_TREE_UNARY, "*"))
		return false;
	return node->kind != KT_TREE_REFERENCE || node->variable == NULL || !kt_tree_is_target(node, &reads) ||
	       (node->variable->declaration != NULL && kt_tree_contains(lambda->node, node->variable->declaration));
}

static bool leaves_scope(const struct reader *r, const struct kt_tree *node)
{
	for (const struct kt_tree *at = node->parent; at != NULL && at != r->scope; at = at->parent)
		if (at->kind == KT_TREE_FOR || at->kind == KT_TREE_WHILE || at->kind == KT_TREE_DO)
			return false;
	return true;
}

static bool read_node(struct kt_tree *node, void *context)
{
	struct reader *r = context;
	struct kt_effects *out = r->out;
	bool reads;

	switch (node->kind) {
	case KT_TREE_INDEX:
		add_access(r, node);
		break;
	case KT_TREE_UNARY:
		if (kt_tree_is(node, KT_TREE_UNARY, "*"))
			add_access(r, node);
		break;
	case KT_TREE_CALL:
		read_call(r, node);
		break;
	case KT_TREE_OTHER:
		if (node->is_lambda && !kt_tree_walk(node, is_of_lambda, &(struct lambda){node}))
			set_unknown(out, node);
		break;
	case KT_TREE_VARIABLE:
		if (names_memory(node))
			set_unknown(out, node);
		break;
	case KT_TREE_RETURN:
		if (kt_tree_is_return(node))
			out->leaves = out->leaves != NULL ? out->leaves : node;
		break;
	case KT_TREE_BREAK:
		if (leaves_scope(r, node))
			out->leaves = out->leaves != NULL ? out->leaves : node;
		break;
	case KT_TREE_CONTINUE:
		if (leaves_scope(r, node))
			out->skips = out->skips != NULL ? out->skips : node;
		break;
	case KT_TREE_STATEMENT:
		set_unknown(out, node);
		if (is_meeting_assembly(r->polys->kernel, node))
			out->barrier = out->barrier != NULL ? out->barrier : node;
		break;
	case KT_TREE_REFERENCE:
		if (node->variable != NULL && (is_put_away(node) || is_volatile_value(node->variable) || is_outside(node)))
			set_unknown(out, node);
		if (node->variable == NULL || node->has_value || declared_inside(r, node->variable))
			break;
		if (kt_tree_is_target(node, &reads) || node->variable->escapes)
			add_fold(r, node);
		else if (node->variable->is_local && !node->variable->is_shared && !node->variable->is_pointer &&
		         is_changed_in_part(node))
			add_carried(r, node->variable);
		else if (node->variable->is_local && node->variable->writes != 0 && !is_part_of_fold(node)) {
			/* Read while the reduction goes on: remembered, and judged when all is known. */
			for (size_t i = 0; i < out->fold_count; i++)
				if (out->folds[i].variable == node->variable)
					out->folds[i].kind = KT_FOLD_NONE;
		}
		break;
	default:
		break;
	}
	return !r->failed;
}

static bool is_in_place(struct kt_tree *node, void *context)
{
	const struct kt_tree *parent = node->parent;

	return node->kind != KT_TREE_REFERENCE || node->variable != context ||
	       (parent != NULL && parent->kind == KT_TREE_INDEX && parent->children[0] == node && !is_address_of(parent));
}

/* Through a pointer that cannot be followed an iteration may change whatever such a pointer can lead to. */
static void carry_reached(struct reader *r)
{
	const struct kt_kernel *kernel = r->polys->kernel;

	for (size_t i = 0; i < kernel->variable_count; i++) {
		struct kt_tree_variable *v = kernel->variables[i];

		if (v->is_local && !v->is_shared &&
		    (v->escapes || (v->is_array && !kt_tree_walk(kernel->body, is_in_place, v))))
			add_carried(r, v);
	}
}

kt_status kt_effects_read(struct kt_effects *out, struct kt_polys *polys, struct kt_tree *scope, size_t first,
                          struct kt_error *err)
{
	struct reader r = {polys, out, scope, first, false};

	memset(out, 0, sizeof *out);
	/* Twice: a variable may be read before the text shows that it is of a reduction. */
	for (int pass = 0; pass < 2; pass++) {
		out->access_count = 0;
		out->accesses = NULL;
		if (scope->kind != KT_TREE_BLOCK) {
			kt_tree_walk(scope, read_node, &r);
			continue;
		}
		for (size_t i = first; i < scope->count; i++)
			kt_tree_walk(scope->children[i], read_node, &r);
	}
	if (out->unknown != NULL)
		carry_reached(&r);
	kt_effects_drop_set_anew(out, polys, scope, first);
	return r.failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory for a loop's effects") : KT_OK;
}
