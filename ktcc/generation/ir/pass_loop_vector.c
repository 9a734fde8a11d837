/*
 * Vector access of serial loops: a thread that goes along a row loads several neighbouring elements at a time, from where they
 * lie at a multiple of the vector; the iterations keep their order.
 *
 * Sound where a load may come before what earlier iterations of its group write, and its own one before the load: they write
 * elsewhere, or to elements that no later iteration of the group loads. Every iteration loads these elements, so that nothing is accessed that was not.
 */
#include "generation/ir/effect.h"
#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/row.h"
#include "generation/ir/walk.h"

enum { AS_WRITTEN = 1, WIDEST_BYTES = 16, MOST_LOADS = 8, MOST_STORES = 16, MOST_PAIRS = 32, MOST_WIDTH = 4, FEWEST = 8 };

static const int64_t widths[] = {AS_WRITTEN, 2, MOST_WIDTH};

/* Arguments of which one is written and the other one loaded before that, by the ids of their symbols. */
struct pairs {
	size_t count;
	struct {
		uint32_t written, loaded;
	} all[MOST_PAIRS];
};

struct load {
	const struct kt_ir_statement *statement;
	struct kt_ir_form form;
};

/* A loop that may be in vectors. */
struct loop {
	const struct kt_ir_statement *statement;
	struct kt_ir_row row;
	size_t count, store_count;
	struct load loads[MOST_LOADS];
	const struct kt_ir_statement *stores[MOST_STORES];
	const char *why;
};

struct context {
	struct kt_ir_module *module;
	const struct kt_ir_function *kernel;
	struct kt_ir_lets lets;
	struct kt_ir_offer *offer; /* that guards are added to; NULL: pairs are those that are known */
	struct pairs *pairs;
};

/* ---- What prevents it ---- */

static bool is_plain(struct kt_ir_statement *s, void *context)
{
	struct loop *l = context;

	switch (s->kind) {
	case KT_IR_S_STORE:
		if (l->store_count < MOST_STORES)
			l->stores[l->store_count++] = s;
		else
			l->why = "the loop stores at too many places";
		/* fall through */
	case KT_IR_S_LOAD:
		if (s->hint.is_volatile)
			l->why = "an access of the loop is volatile";
		break;
	case KT_IR_S_DECLARE:
	case KT_IR_S_LET:
	case KT_IR_S_SET:
	case KT_IR_S_IF:
		break;
	case KT_IR_S_FOR:
	case KT_IR_S_LOOP:
		l->why = "there is a loop in the loop";
		break;
	case KT_IR_S_BREAK:
	case KT_IR_S_CONTINUE:
	case KT_IR_S_RETURN:
		l->why = "a jump leaves the loop or an iteration";
		break;
	default:
		l->why = "the loop does more than compute, load and store";
		break;
	}
	return l->why == NULL;
}

static bool may_have_pair(struct context *c, const struct kt_ir_symbol *written, const struct kt_ir_symbol *loaded)
{
	struct pairs *p = c->pairs;

	for (size_t i = 0; i < p->count; i++)
		if (p->all[i].written == written->id && p->all[i].loaded == loaded->id)
			return true;
	if (c->offer == NULL || p->count == MOST_PAIRS || !kt_ir_keep_apart(c->offer, c->kernel, written, loaded, "LOOP_VECTOR == 1"))
		return false;
	p->all[p->count].written = written->id;
	p->all[p->count++].loaded = loaded->id;
	return true;
}

/*
 * May the load of a later iteration of a group come before the store of an earlier one? is_behind: the load comes after the
 * store within an iteration, too.
 */
static bool may_pass(struct context *c, const struct load *load, const struct kt_ir_statement *store, bool is_behind)
{
	const struct kt_ir_place *from = load->statement->place, *to = store->place;
	const struct kt_ir_symbol *loaded = kt_ir_root_of(from), *written = kt_ir_root_of(to);
	struct kt_ir_form form, difference;
	int64_t distance;

	if (!kt_ir_may_alias(from, to))
		return true;
	if (loaded == NULL || written == NULL)
		return false;
	if (loaded != written)
		return may_have_pair(c, written, loaded);
	/* Elements of one argument are of one type. Forms are right modulo 2^32 at least, and so is what iterations of a group differ by. */
	if (!kt_ir_is_element(store) || !kt_ir_form_of(&form, &c->lets, to->steps[0].index, true) ||
	    !kt_ir_form_minus(&difference, &form, &load->form) || !kt_ir_form_is_constant(&difference, &distance))
		return false;
	return (uint32_t)distance == 0 ? !is_behind : (uint32_t)distance >= MOST_WIDTH;
}

/* Stores of a statement and of those within it. */
static size_t stores_in(struct kt_ir_statement *s)
{
	size_t count = s->kind == KT_IR_S_STORE;
	struct kt_ir_region *inner;

	for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
		for (struct kt_ir_statement *each = inner->first; each != NULL; each = each->next)
			count += stores_in(each);
	return count;
}

/* The loads of every iteration that go along the row. */
static void find_loads(struct context *c, struct loop *l)
{
	const struct kt_ir_value *counter = kt_ir_read(c->module, l->statement->symbol);
	const struct kt_ir_term *term;
	size_t before = 0; /* stores, in the order of the body */

	l->row.symbol = l->statement->symbol;
	l->row.instead = counter;
	for (struct kt_ir_statement *s = l->statement->body.first; s != NULL && l->count < MOST_LOADS; s = s->next) {
		struct load load = {.statement = s};
		bool passes = true;

		before += stores_in(s);
		if (s->kind != KT_IR_S_LOAD || !kt_ir_is_element(s) ||
		    !kt_ir_form_of(&load.form, &c->lets, s->place->steps[0].index, true) ||
		    kt_ir_form_degree(&load.form, counter, &term) != 1 || term->count != 1 || term->factor != 1 ||
		    kt_ir_formed_outside(&l->row, s->place->steps[0].index) == NULL)
			continue;
		for (size_t i = 0; i < l->store_count; i++)
			passes = passes && may_pass(c, &load, l->stores[i], i < before);
		if (passes)
			l->loads[l->count++] = load;
	}
}

static bool is_short(const struct kt_ir_statement *s)
{
	int64_t low = 0, high = 0;

	return kt_ir_is_constant(s->value, &low) && kt_ir_is_constant(s->further[0], &high) && high - low < FEWEST;
}

static const char *look_at(struct context *c, struct loop *l, const struct kt_ir_statement *s)
{
	int64_t step;

	*l = (struct loop){.statement = s};
	if (!kt_ir_is_constant(s->further[1], &step) || step != 1)
		return "the loop does not go from one element to the next one";
	if (s->at_most_once || is_short(s))
		return "the loop has few iterations";
	(void)kt_ir_visit(&s->body, is_plain, l);
	if (l->why != NULL)
		return l->why;
	if (!kt_ir_row_of(&l->row, c->module, &c->lets, &s->body))
		return "out of memory";
	find_loads(c, l);
	return l->count > 0 ? NULL : "no load of every iteration goes along a row, apart from what the loop writes";
}

/* ---- The offer ---- */

struct search {
	struct context c;
	bool found;
	const char *why;
	uint32_t line;
};

static bool seek(struct kt_ir_statement *s, void *context)
{
	struct search *search = context;
	struct loop l;
	const char *why;

	if (s->kind != KT_IR_S_FOR)
		return true;
	why = look_at(&search->c, &l, s);
	search->found |= why == NULL;
	if (search->why == NULL && why != NULL) {
		search->why = why;
		search->line = s->line;
	}
	return true;
}

static bool applies(struct kt_ir_offer *offer)
{
	struct kt_ir_module *normal = kt_ir_offer_normal(offer);
	struct pairs *pairs = kt_arena_alloc(offer->arena, sizeof *pairs);
	const size_t guards = offer->guard_count;
	struct search search = {.c = {.module = normal, .offer = offer, .pairs = pairs}};
	struct kt_ir_tunable *t;

	if (normal == NULL)
		return false;
	search.c.kernel = normal->last_function;
	if (pairs == NULL || !kt_ir_lets_of(&search.c.lets, offer->arena, normal, normal->last_function))
		return kt_ir_refuses(offer, offer->kernel->line, "out of memory");
	*pairs = (struct pairs){.count = 0};
	(void)kt_ir_visit(&normal->last_function->body, seek, &search);
	if (search.found && !kt_ir_offer_assumptions(offer, normal->last_function)) {
		search.found = false;
		search.why = "an assumption about the launch has no words";
		search.line = offer->kernel->line;
	}
	if (!search.found) {
		offer->guard_count = guards;
		return kt_ir_refuses(offer, search.why != NULL ? search.line : offer->kernel->line, "%s",
				     search.why != NULL ? search.why : "the kernel has no loop that counts");
	}
	t = kt_ir_offer_values(offer, "LOOP_VECTOR", "neighbouring elements that a loop along a row loads at a time, where they are aligned",
			   widths, sizeof widths / sizeof *widths, AS_WRITTEN);
	t->found = pairs;
	t->is_repeated = true;
	return kt_ir_applies(offer, "the iterations keep their order, and no load comes before what it reads was written");
}

/* ---- The variant ---- */

struct making {
	struct context c;
	int64_t width;
};

static const struct kt_ir_value *word(struct kt_ir_module *m, int64_t number)
{
	return kt_ir_constant(m, kt_ir_integer(m, 64, true), number);
}

static const struct kt_ir_value *two(struct kt_ir_module *m, enum kt_ir_op op, const struct kt_ir_value *a, const struct kt_ir_value *b)
{
	return kt_ir_apply(m, op, a, b, NULL);
}

/* The index plus this number, in 64 bits, which does not wrap. */
static const struct kt_ir_value *further(struct kt_ir_module *m, const struct kt_ir_value *at, int64_t number)
{
	return number == 0 ? at : kt_ir_no_wrap(m, two(m, KT_IR_ADD, at, word(m, number)));
}

static const struct kt_ir_value *named(struct kt_ir_module *m, struct kt_ir_region *to, const char *hint, const struct kt_ir_value *value)
{
	const struct kt_ir_symbol *made = value == NULL ? NULL : kt_ir_let(m, to, hint, kt_ir_fold_all(m, value));

	return made == NULL ? NULL : kt_ir_read(m, made);
}

/* Elements of a vector of that load. */
static int64_t span(const struct making *k, const struct load *load)
{
	const int64_t most = WIDEST_BYTES / (int64_t)load->statement->place->type->size;

	return k->width < most ? k->width : most;
}

/* Does the load lie like the first one, so that both may be aligned? The others are loaded one by one. */
static bool is_like_first(const struct making *k, const struct loop *l, const struct load *load)
{
	struct kt_ir_form difference;
	int64_t distance;

	return span(k, load) > 1 && (load == &l->loads[0] || (kt_ir_form_minus(&difference, &load->form, &l->loads[0].form) &&
							       kt_ir_form_is_constant(&difference, &distance) &&
							       distance % span(k, load) == 0));
}

/* Are the vectors aligned, where an iteration of the group is this one? */
static const struct kt_ir_value *are_aligned(struct making *k, struct loop *l, const struct kt_ir_value *at)
{
	struct kt_ir_module *m = k->c.module;
	const struct kt_ir_value *all = kt_ir_constant(m, kt_ir_bool(m), 1);

	l->row.instead = kt_ir_convert(m, at, l->statement->symbol->type, KT_IR_AS_VALUE);
	for (size_t i = 0; i < l->count; i++) {
		const struct kt_ir_value *past;

		if (!is_like_first(k, l, &l->loads[i]))
			continue;
		past = kt_ir_elements_past(&l->row, l->loads[i].statement, span(k, &l->loads[i]));
		all = two(m, KT_IR_BOTH, all, two(m, KT_IR_EQ, past, kt_ir_constant(m, past->type, 0)));
	}
	return all;
}

/* Is the group one element after the other, also where an index of less than 64 bits might wrap? */
static const struct kt_ir_value *are_neighbours(struct making *k, struct loop *l, const struct kt_ir_value *at)
{
	struct kt_ir_module *m = k->c.module;
	const struct kt_ir_type *type = l->statement->symbol->type;
	const struct kt_ir_value *all = kt_ir_constant(m, kt_ir_bool(m), 1), *last = further(m, at, k->width - 1);

	for (size_t i = 0; i < l->count; i++) {
		const struct kt_ir_value *index = l->loads[i].statement->place->steps[0].index, *one, *other;

		if (!is_like_first(k, l, &l->loads[i]) || !kt_ir_may_skip(&l->row, index))
			continue;
		l->row.instead = kt_ir_convert(m, at, type, KT_IR_AS_VALUE);
		one = kt_ir_formed_outside(&l->row, index);
		l->row.instead = kt_ir_convert(m, last, type, KT_IR_AS_VALUE);
		other = kt_ir_formed_outside(&l->row, index);
		one = two(m, KT_IR_ADD, one, kt_ir_constant(m, one->type, k->width - 1));
		all = two(m, KT_IR_BOTH, all, two(m, KT_IR_EQ, one, other));
	}
	return all;
}

/* Loads the elements of a group: values[i] for each of its iterations. */
static void load_vectors(struct making *k, struct kt_ir_region *to, struct loop *l, const struct load *load,
			 const struct kt_ir_value *at, const struct kt_ir_value **values)
{
	struct kt_ir_module *m = k->c.module;
	const int64_t each = span(k, load);
	const struct kt_ir_type *type = kt_ir_vector(m, load->statement->place->type, each, 0);

	for (int64_t i = 0; i < k->width && type != NULL && !m->failed; i++) {
		const struct kt_ir_place *place;
		const struct kt_ir_symbol *made;

		if (i % each == 0) {
			l->row.instead = kt_ir_convert(m, further(m, at, i), l->statement->symbol->type, KT_IR_AS_VALUE);
			place = kt_ir_index(m, kt_ir_place_at(m, load->statement->place->pointer),
					    kt_ir_formed_outside(&l->row, load->statement->place->steps[0].index));
			made = kt_ir_load(m, to, load->statement->symbol->hint, kt_ir_seen_as(m, place, type, type->align),
					  load->statement->hint);
			if (made == NULL)
				return;
			values[i] = kt_ir_read(m, made);
		} else {
			values[i] = values[i - i % each];
		}
	}
	for (int64_t i = k->width; type != NULL && !m->failed && i-- > 0;)
		values[i] = kt_ir_extract(m, values[i - i % each], (unsigned)(i % each));
}

/* The iterations of a group, one after the other, with what was loaded for all of them. */
static void write_group(struct making *k, struct kt_ir_region *to, struct loop *l, const struct kt_ir_value *at)
{
	struct kt_ir_module *m = k->c.module;
	const struct kt_ir_value *values[MOST_LOADS][MOST_WIDTH];
	const struct kt_ir_statement *s = l->statement;

	for (size_t i = 0; i < l->count && !m->failed; i++)
		if (is_like_first(k, l, &l->loads[i]))
			load_vectors(k, to, l, &l->loads[i], at, values[i]);
	for (int64_t n = 0; n < k->width && !m->failed; n++) {
		const struct kt_ir_value *index = named(
		    m, to, s->symbol->hint, kt_ir_convert(m, further(m, at, n), s->symbol->type, KT_IR_AS_VALUE));
		struct kt_ir_cloner cloner;

		if (index == NULL || !kt_ir_cloner_start(&cloner, m, NULL, NULL))
			return;
		cloner.values[s->symbol->id] = index;
		for (const struct kt_ir_statement *i = s->body.first; i != NULL && !m->failed; i = i->next) {
			size_t number = 0;

			while (number < l->count && (l->loads[number].statement != i || !is_like_first(k, l, &l->loads[number])))
				number++;
			if (number == l->count)
				(void)kt_ir_clone_statement(&cloner, to, i);
			else
				cloner.symbols[i->symbol->id] = kt_ir_let(m, to, i->symbol->hint, values[number][n]);
		}
	}
}

/*
 * Groups of `width` iterations. Each but the first and the last one is whole: those begin before the loop, or end after it, and
 * are run one by one, as are all where accesses are not aligned. Counted in 64 bits, nothing wraps.
 */
static void rewrite(struct making *k, struct kt_ir_region *to, struct kt_ir_statement *s, struct loop *l)
{
	struct kt_ir_module *m = k->c.module;
	const struct kt_ir_type *wide = kt_ir_integer(m, 64, true), *type = s->symbol->type;
	const struct kt_ir_value *begin = named(m, to, "begin", kt_ir_convert(m, s->value, wide, KT_IR_AS_VALUE)),
				 *end = named(m, to, "end", kt_ir_convert(m, s->further[0], wide, KT_IR_AS_VALUE)), *lead, *aligned, *at,
				 *behind, *whole, *low, *high;
	struct kt_ir_statement *made, *branch, *one;

	if (begin == NULL || end == NULL)
		return;
	l->row.instead = kt_ir_convert(m, begin, type, KT_IR_AS_VALUE);
	lead = kt_ir_elements_past(&l->row, l->loads[0].statement, span(k, &l->loads[0]));
	lead = named(m, to, "lead", kt_ir_convert(m, lead, wide, KT_IR_AS_VALUE));
	lead = lead == NULL ? NULL : named(m, to, "first", kt_ir_no_wrap(m, two(m, KT_IR_SUB, begin, lead)));
	aligned = lead == NULL ? NULL : named(m, to, "aligned", are_aligned(k, l, lead));
	made = aligned == NULL ? NULL : kt_ir_for(m, to, "group", lead, end, word(m, k->width));
	if (made == NULL)
		return;
	made->line = s->line;
	made->origin = s->origin;
	at = kt_ir_read(m, made->symbol);
	behind = named(m, &made->body, "behind", further(m, at, k->width));
	whole = two(m, KT_IR_BOTH, aligned, two(m, KT_IR_BOTH, two(m, KT_IR_GE, at, begin), two(m, KT_IR_LE, behind, end)));
	whole = two(m, KT_IR_BOTH, whole, are_neighbours(k, l, at));
	branch = whole == NULL ? NULL : kt_ir_if(m, &made->body, kt_ir_fold_all(m, whole));
	if (branch == NULL)
		return;
	l->row.is_run = true;
	write_group(k, &branch->body, l, at);
	low = kt_ir_apply(m, KT_IR_SELECT, two(m, KT_IR_LT, at, begin), begin, at);
	high = kt_ir_apply(m, KT_IR_SELECT, two(m, KT_IR_LT, behind, end), behind, end);
	one = kt_ir_statement_new(m, KT_IR_S_FOR, s);
	if (one == NULL)
		return;
	one->symbol = s->symbol;
	one->value = kt_ir_convert(m, low, type, KT_IR_AS_VALUE);
	one->further[0] = kt_ir_convert(m, high, type, KT_IR_AS_VALUE);
	one->further[1] = s->further[1];
	one->unroll = 1;
	one->origin = NULL; /* it is none that a further pass unrolls */
	one->body = s->body;
	kt_ir_push(&branch->otherwise, one);
}

static void in_region(struct making *k, struct kt_ir_region *region)
{
	struct kt_ir_region made = {NULL, NULL}, *inner;
	struct loop l;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL && !k->c.module->failed; s = next) {
		next = s->next;
		if (s->kind == KT_IR_S_FOR && look_at(&k->c, &l, s) == NULL && span(k, &l.loads[0]) > 1) {
			rewrite(k, &made, s, &l);
			continue;
		}
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			in_region(k, inner);
		kt_ir_push(&made, s);
	}
	*region = made;
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	const struct kt_ir_tunable *tunable;
	struct making k = {.c = {.module = variant->module, .kernel = variant->kernel}, .width = kt_ir_chosen(&tunable, variant)};
	struct pairs pairs = *(const struct pairs *)tunable->found;
	kt_status status = kt_ir_variant_normal(variant, err);

	k.c.pairs = &pairs;
	if (status != KT_OK)
		return status;
	if (!kt_ir_lets_of(&k.c.lets, variant->module->arena, variant->module, variant->kernel))
		return kt_no_memory(err);
	in_region(&k, &variant->kernel->body);
	/* They are guards of the offer, and speak of the original launch. */
	variant->kernel->assumption_count = 0;
	(void)kt_ir_normalise_by(variant->module, KT_IR_N_FOLD, NULL);
	(void)kt_ir_normalise_by(variant->module, KT_IR_N_DEAD, NULL);
	return kt_ir_check(variant->module, err);
}

const struct kt_ir_pass kt_ir_pass_loop_vector = {"loop_vector", applies, transform};
