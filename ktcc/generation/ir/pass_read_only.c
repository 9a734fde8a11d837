/*
 * Read-only loads: what the kernel reads through a pointer argument, and what is not written while it runs, goes through the
 * read-only data cache (`__ldg`), and need not wait for stores.
 *
 * Sound for an argument x where: a clause states that its buffer is an input; no store and no atomic leads through x; all that
 * is written is private to a thread, shared memory, or reached through another argument y; x and y do not overlap, since one of
 * them is `__restrict__` or a guard keeps their buffers disjoint; and no opaque code may write. What leads through a pointer that
 * is made from an argument, by called functions too, leads through that argument (`roots.h`). Volatile loads and loads with a
 * cache hint of the user's are kept.
 */
#include <string.h>

#include "generation/ir/pass.h"
#include "generation/ir/roots.h"

struct memory {
	const struct kt_ir_roots *roots;
	bool *written;   /* by argument of the kernel */
	const char *why; /* what is written is not known; NULL: it is */
	uint32_t line;
};

static bool unknown(struct memory *m, const struct kt_ir_statement *s, const char *why)
{
	m->why = why;
	m->line = s->line;
	return false;
}

/* A place that is written to. */
static bool note_written(struct memory *m, const struct kt_ir_statement *s)
{
	const int root = kt_ir_roots_place(m->roots, s->place);

	if (root >= 0)
		m->written[root] = true;
	else if (root == KT_IR_ROOT_UNKNOWN)
		return unknown(m, s, s->place->symbol != NULL ? "a store goes to a device variable"
							      : "a store goes through a pointer that leads to no one argument of the kernel");
	return true;
}

static bool note(const struct kt_ir_statement *s, unsigned depth, void *context)
{
	struct memory *m = context;

	(void)depth;
	switch (s->kind) {
	case KT_IR_S_STORE:
	case KT_IR_S_ATOMIC:
		return note_written(m, s);
	case KT_IR_S_CALL:
		return s->callee->has_body || (s->callee->effects & KT_IR_WRITES_MEMORY) == 0 ||
		       unknown(m, s, "a function is called that may write to memory");
	case KT_IR_S_OPAQUE:
		return (s->effects & KT_IR_WRITES_MEMORY) == 0 ||
		       unknown(m, s, "a statement that is not understood may write to memory");
	default:
		return true;
	}
}

/* A type that `__ldg` has an overload for. */
static bool is_loadable(const struct kt_ir_type *type)
{
	if (type->kind == KT_IR_VECTOR)
		return (type->count == 2 || type->count == 4) && type->size <= 16;
	return type->kind == KT_IR_FLOAT || (type->kind == KT_IR_INTEGER && type->bits <= 64);
}

static bool is_plain_load(const struct kt_ir_statement *s)
{
	return s->kind == KT_IR_S_LOAD && s->hint.cache == KT_IR_CACHE_NONE && !s->hint.is_volatile &&
	       s->place->pointer != NULL && !s->place->pointer->type->is_volatile && is_loadable(s->place->type);
}

/* The compiler sees by itself that what a `const T *__restrict__` leads to is not written. */
static bool is_seen(const struct kt_ir_symbol *argument)
{
	return argument->is_restrict && argument->type->is_const;
}

/* "" where a and b are disjoint by their declarations, the guard's text, or NULL where nothing keeps them disjoint. */
static const char *apart(struct kt_ir_offer *offer, size_t a, size_t b)
{
	const struct kt_ir_argument_facts *one = &offer->facts->arguments[a], *two = &offer->facts->arguments[b];
	const bool is_ordered = strcmp(one->name, two->name) <= 0;
	const struct kt_ir_argument_facts *first = is_ordered ? one : two, *second = is_ordered ? two : one;

	if (offer->kernel->arguments[a]->is_restrict || offer->kernel->arguments[b]->is_restrict)
		return "";
	if (first->count == NULL || second->count == NULL)
		return NULL;
	return kt_ir_offer_text(offer, "READ_ONLY == 0 || disjoint(%s, %s, %s, %s)", first->name, first->count, second->name,
				second->count);
}

/* Is the argument an input that nothing reaches which is written? Adds the guards for that where `adds`. */
static bool is_read_only(struct kt_ir_offer *offer, const bool *written, size_t a, bool adds)
{
	const struct kt_ir_symbol *argument = offer->kernel->arguments[a];

	if (argument->type->space != KT_IR_SPACE_GLOBAL || argument->type->is_volatile || is_seen(argument) ||
	    !offer->facts->arguments[a].is_input || written[a])
		return false;
	for (size_t b = 0; b < offer->kernel->argument_count; b++) {
		const char *guard = written[b] ? apart(offer, a, b) : "";

		if (guard == NULL)
			return false;
		if (adds && guard[0] != '\0')
			kt_ir_offer_guard(offer, guard, "no load of an input may see what the kernel writes");
	}
	return true;
}

/* By argument: is it read with loads that change? */
struct loads {
	const struct kt_ir_roots *roots;
	bool *read;
};

static bool find_load(const struct kt_ir_statement *s, unsigned depth, void *context)
{
	struct loads *loads = context;
	const int argument = is_plain_load(s) ? kt_ir_roots_place(loads->roots, s->place) : KT_IR_ROOT_NONE;

	(void)depth;
	if (argument >= 0)
		loads->read[argument] = true;
	return true;
}

/* What the kernel writes; false: it is not known. */
static bool read_memory(struct memory *m, struct kt_ir_offer *offer)
{
	*m = (struct memory){.roots = kt_ir_roots_find(offer->module, offer->kernel)};
	m->written = kt_arena_array(offer->arena, offer->kernel->argument_count + 1, sizeof *m->written);
	offer->failed |= m->written == NULL || m->roots == NULL;
	for (const struct kt_ir_function *f = offer->module->functions; !offer->failed && f != NULL; f = f->next)
		if (!kt_ir_walk(&f->body, 0, note, m))
			return false;
	return !offer->failed;
}

/* Arguments whose loads change, by number; their guards where `adds`. */
static bool *find_arguments(size_t *count, struct kt_ir_offer *offer, const struct memory *m, bool adds)
{
	struct loads loads = {m->roots, kt_arena_array(offer->arena, offer->kernel->argument_count + 1, sizeof(bool))};

	*count = 0;
	offer->failed |= loads.read == NULL;
	if (loads.read == NULL)
		return NULL;
	for (const struct kt_ir_function *f = offer->module->functions; f != NULL; f = f->next)
		(void)kt_ir_walk(&f->body, 0, find_load, &loads);
	for (size_t i = 0; i < offer->kernel->argument_count; i++) {
		loads.read[i] = loads.read[i] && is_read_only(offer, m->written, i, adds);
		*count += loads.read[i];
	}
	return loads.read;
}

static bool applies(struct kt_ir_offer *offer)
{
	static const int64_t values[] = {0, 1};
	struct memory m;
	size_t count;

	if (offer->facts->arguments == NULL)
		return kt_ir_refuses(offer, offer->kernel->line, "nothing is known of the kernel's buffers");
	if (!read_memory(&m, offer))
		return kt_ir_refuses(offer, m.line, "%s", m.why != NULL ? m.why : "out of memory");
	(void)find_arguments(&count, offer, &m, false);
	if (count == 0)
		return kt_ir_refuses(offer, offer->kernel->line,
				     "no input is read that the compiler does not know to be read-only");
	kt_ir_offer_values(offer, "READ_ONLY", "inputs are loaded through the read-only data cache", values, 2, 0)->found =
	    find_arguments(&count, offer, &m, true);
	return kt_ir_applies(offer, "clauses and guards ensure that nothing writes to these inputs while the kernel runs");
}

struct change {
	const struct kt_ir_roots *roots;
	const bool *read;
};

static void change(struct kt_ir_statement *s, void *context)
{
	const struct change *c = context;
	const int argument = is_plain_load(s) ? kt_ir_roots_place(c->roots, s->place) : KT_IR_ROOT_NONE;

	if (argument >= 0 && c->read[argument])
		s->hint.cache = KT_IR_NC;
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	const struct kt_ir_tunable *read_only;
	struct change c = {.roots = kt_ir_roots_find(variant->module, variant->kernel)};

	NEED(c.roots, kt_fail(err, KT_ERR_MEMORY, "out of memory for a variant"));
	(void)kt_ir_chosen(&read_only, variant);
	c.read = read_only->found;
	kt_ir_each_of(variant->module, NULL, change, &c);
	return KT_OK;
}

const struct kt_ir_pass kt_ir_pass_read_only = {"read_only", applies, transform};
