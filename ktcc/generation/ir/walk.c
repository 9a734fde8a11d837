/* Walking over statements and values, rewriting of values, lists of statements. */
#include "generation/ir/walk.h"

struct kt_ir_region *kt_ir_region_of(struct kt_ir_statement *s, size_t number)
{
	if (number == 0)
		return &s->body;
	if (number == 1)
		return &s->otherwise;
	return number - 2 < s->case_count ? &s->cases[number - 2].body : NULL;
}

bool kt_ir_visit(const struct kt_ir_region *region, kt_ir_visitor *visit, void *context)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		if (!visit(s, context))
			return false;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			if (!kt_ir_visit(inner, visit, context))
				return false;
	}
	return true;
}

bool kt_ir_visit_alone(const struct kt_ir_statement *statement, kt_ir_visitor *visit, void *context)
{
	struct kt_ir_statement copy = *statement;
	const struct kt_ir_region alone = {&copy, &copy};

	copy.next = NULL;
	return kt_ir_visit(&alone, visit, context);
}

bool kt_ir_visit_place(const struct kt_ir_place *place, kt_ir_value_visitor *visit, void *context)
{
	if (place->pointer != NULL && !kt_ir_visit_value(place->pointer, visit, context))
		return false;
	for (size_t i = 0; i < place->count; i++)
		if (place->steps[i].kind == KT_IR_INDEX && !kt_ir_visit_value(place->steps[i].index, visit, context))
			return false;
	return true;
}

bool kt_ir_visit_value(const struct kt_ir_value *value, kt_ir_value_visitor *visit, void *context)
{
	if (!visit(value, context) || (value->place != NULL && !kt_ir_visit_place(value->place, visit, context)))
		return false;
	for (size_t i = 0; i < value->count; i++)
		if (!kt_ir_visit_value(value->arguments[i], visit, context))
			return false;
	return true;
}

bool kt_ir_visit_values(const struct kt_ir_statement *s, kt_ir_value_visitor *visit, void *context)
{
	if (s->value != NULL && !kt_ir_visit_value(s->value, visit, context))
		return false;
	for (int i = 0; i < 3; i++)
		if (s->further[i] != NULL && !kt_ir_visit_value(s->further[i], visit, context))
			return false;
	for (size_t i = 0; i < s->argument_count; i++)
		if (!kt_ir_visit_value(s->arguments[i], visit, context))
			return false;
	return s->place == NULL || kt_ir_visit_place(s->place, visit, context);
}

struct over_values {
	kt_ir_value_visitor *visit;
	void *context;
};

static bool values_of(struct kt_ir_statement *s, void *context)
{
	const struct over_values *over = context;

	return kt_ir_visit_values(s, over->visit, over->context);
}

bool kt_ir_visit_all(const struct kt_ir_region *region, kt_ir_value_visitor *visit, void *context)
{
	return kt_ir_visit(region, values_of, &(struct over_values){visit, context});
}

struct counted {
	const struct kt_ir_symbol *symbol;
	unsigned count;
};

static bool count_read(const struct kt_ir_value *value, void *context)
{
	struct counted *c = context;

	c->count += value->op == KT_IR_READ && value->symbol == c->symbol;
	return true;
}

unsigned kt_ir_count_reads(const struct kt_ir_region *region, const struct kt_ir_symbol *symbol)
{
	struct counted c = {symbol, 0};

	(void)kt_ir_visit_all(region, count_read, &c);
	return c.count;
}

bool kt_ir_reads(const struct kt_ir_statement *s, const struct kt_ir_symbol *symbol)
{
	struct counted c = {symbol, 0};

	(void)kt_ir_visit_values(s, count_read, &c);
	c.count += kt_ir_count_reads(&s->body, symbol) + kt_ir_count_reads(&s->otherwise, symbol);
	for (size_t i = 0; i < s->case_count; i++)
		c.count += kt_ir_count_reads(&s->cases[i].body, symbol);
	return c.count > 0;
}

static bool is_no_set(struct kt_ir_statement *s, void *context)
{
	return s->kind != KT_IR_S_SET || s->symbol != context;
}

bool kt_ir_sets(const struct kt_ir_region *region, const struct kt_ir_symbol *symbol)
{
	return !kt_ir_visit(region, is_no_set, (void *)(uintptr_t)symbol);
}

static bool is_no_definition(struct kt_ir_statement *s, void *context)
{
	return s->kind == KT_IR_S_SET || s->symbol != context;
}

bool kt_ir_defines(const struct kt_ir_region *region, const struct kt_ir_symbol *symbol)
{
	return !kt_ir_visit(region, is_no_definition, (void *)(uintptr_t)symbol);
}

/* Is there a jump of the kind from exactly, or at least, `loops` loops around it? */
static bool jumps(const struct kt_ir_region *region, enum kt_ir_statement_kind kind, unsigned loops, bool further)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		const bool is_loop = s->kind == KT_IR_S_LOOP || s->kind == KT_IR_S_FOR;

		if (s->kind == kind && (s->number == loops || (further && s->number > loops)))
			return true;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			if (jumps(inner, kind, loops + is_loop, further))
				return true;
	}
	return false;
}

bool kt_ir_jumps(const struct kt_ir_region *region, enum kt_ir_statement_kind kind)
{
	return jumps(region, kind, 0, false);
}

static bool is_other(struct kt_ir_statement *s, void *context)
{
	return s->kind != *(const enum kt_ir_statement_kind *)context;
}

bool kt_ir_has(const struct kt_ir_region *region, enum kt_ir_statement_kind kind)
{
	return !kt_ir_visit(region, is_other, &kind);
}

struct renaming {
	const struct kt_ir_symbol *from;
	struct kt_ir_symbol *to;
};

static bool set_other(struct kt_ir_statement *s, void *context)
{
	const struct renaming *r = context;

	if (s->kind == KT_IR_S_SET && s->symbol == r->from)
		s->symbol = r->to;
	return true;
}

void kt_ir_rename_sets(const struct kt_ir_region *region, const struct kt_ir_symbol *from, struct kt_ir_symbol *to)
{
	(void)kt_ir_visit(region, set_other, &(struct renaming){from, to});
}

bool kt_ir_is_exit(const struct kt_ir_statement *s)
{
	return s != NULL && s->kind == KT_IR_S_IF && s->otherwise.first == NULL && s->body.first != NULL &&
	       s->body.first->kind == KT_IR_S_BREAK && s->body.first->number == 0;
}

bool kt_ir_leaves(const struct kt_ir_region *region)
{
	return jumps(region, KT_IR_S_BREAK, 1, true) || jumps(region, KT_IR_S_CONTINUE, 1, true) ||
	       kt_ir_has(region, KT_IR_S_RETURN);
}

/* ---- Rewriting ---- */

const struct kt_ir_place *kt_ir_rewrite_place(struct kt_ir_module *module, const struct kt_ir_place *place,
					      kt_ir_replacer *replace, void *context)
{
	const struct kt_ir_value *pointer = place->pointer;
	struct kt_ir_place *copy = NULL;

	if (pointer != NULL && (pointer = kt_ir_rewrite(module, pointer, replace, context)) == NULL)
		return NULL;
	for (size_t i = 0; i <= place->count; i++) {
		const struct kt_ir_value *old = i < place->count ? place->steps[i].index : place->pointer;
		const struct kt_ir_value *made = i < place->count ? old : pointer;

		if (i < place->count && place->steps[i].kind == KT_IR_INDEX)
			made = kt_ir_rewrite(module, old, replace, context);
		if (made == old)
			continue;
		if (copy == NULL) {
			copy = kt_arena_alloc(module->arena, sizeof *copy);
			if (copy == NULL || made == NULL)
				return kt_ir_fail(module, "out of memory");
			*copy = *place;
			NEED(copy->steps = kt_arena_array(module->arena, place->count + 1, sizeof *copy->steps),
			     kt_ir_fail(module, "out of memory"));
			for (size_t j = 0; j < place->count; j++)
				copy->steps[j] = place->steps[j];
		}
		if (i < place->count)
			copy->steps[i].index = made;
		else
			copy->pointer = made;
	}
	return copy == NULL ? place : copy;
}

/* A copy of the node whose operands may be changed. */
static struct kt_ir_value *node_like(struct kt_ir_module *module, const struct kt_ir_value *value)
{
	struct kt_ir_value *copy = kt_arena_alloc(module->arena, sizeof *copy);

	NEED(copy, kt_ir_fail(module, "out of memory"));
	*copy = *value;
	NEED(copy->arguments = kt_arena_array(module->arena, value->count + 1, sizeof *copy->arguments),
	     kt_ir_fail(module, "out of memory"));
	for (size_t i = 0; i < value->count; i++)
		copy->arguments[i] = value->arguments[i];
	return copy;
}

const struct kt_ir_value *kt_ir_rewrite(struct kt_ir_module *module, const struct kt_ir_value *value,
					kt_ir_replacer *replace, void *context)
{
	const struct kt_ir_place *place = value->place;
	struct kt_ir_value *copy = NULL;

	if (place != NULL && (place = kt_ir_rewrite_place(module, place, replace, context)) == NULL)
		return NULL;
	if (place != value->place) {
		/* The pointer's space and qualifiers are those of the new place. */
		const struct kt_ir_value *made = kt_ir_address(module, place);

		return made == NULL ? NULL : replace(kt_ir_convert(module, made, value->type, KT_IR_AS_VALUE), context);
	}
	for (size_t i = 0; i < value->count; i++) {
		const struct kt_ir_value *made = kt_ir_rewrite(module, value->arguments[i], replace, context);

		if (made == NULL)
			return NULL;
		if (made == value->arguments[i])
			continue;
		if (copy == NULL && (copy = node_like(module, value)) == NULL)
			return NULL;
		copy->arguments[i] = made;
	}
	return replace(copy == NULL ? value : copy, context);
}

static bool rewrite_one(struct kt_ir_module *module, const struct kt_ir_value **value, kt_ir_replacer *replace,
			void *context)
{
	const struct kt_ir_value *made;

	if (*value == NULL)
		return false;
	made = kt_ir_rewrite(module, *value, replace, context);
	if (made == NULL || made == *value)
		return false;
	*value = made;
	return true;
}

bool kt_ir_rewrite_statement(struct kt_ir_module *module, struct kt_ir_statement *s, kt_ir_replacer *replace,
			     void *context)
{
	bool changed = rewrite_one(module, &s->value, replace, context);
	const struct kt_ir_place *place;

	for (int i = 0; i < 3; i++)
		changed |= rewrite_one(module, &s->further[i], replace, context);
	for (size_t i = 0; i < s->argument_count; i++)
		changed |= rewrite_one(module, &s->arguments[i], replace, context);
	if (s->place == NULL)
		return changed;
	place = kt_ir_rewrite_place(module, s->place, replace, context);
	if (place == NULL || place == s->place)
		return changed;
	s->place = place;
	return true;
}

bool kt_ir_rewrite_region(struct kt_ir_module *module, struct kt_ir_region *region, kt_ir_replacer *replace,
			  void *context)
{
	struct kt_ir_region *inner;
	bool changed = false;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		changed |= kt_ir_rewrite_statement(module, s, replace, context);
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			changed |= kt_ir_rewrite_region(module, inner, replace, context);
	}
	return changed;
}

struct substitution {
	const struct kt_ir_symbol *symbol;
	const struct kt_ir_value *value;
};

static const struct kt_ir_value *substituted(const struct kt_ir_value *value, void *context)
{
	const struct substitution *s = context;

	return value->op == KT_IR_READ && value->symbol == s->symbol ? s->value : value;
}

bool kt_ir_substitute(struct kt_ir_module *module, struct kt_ir_region *region, const struct kt_ir_symbol *symbol,
		      const struct kt_ir_value *value)
{
	return kt_ir_rewrite_region(module, region, substituted, &(struct substitution){symbol, value});
}

/* ---- Lists ---- */

void kt_ir_push(struct kt_ir_region *region, struct kt_ir_statement *s)
{
	s->next = NULL;
	if (region->last == NULL)
		region->first = s;
	else
		region->last->next = s;
	region->last = s;
}

void kt_ir_splice(struct kt_ir_region *to, struct kt_ir_region *from)
{
	if (from->first == NULL)
		return;
	if (to->last == NULL)
		to->first = from->first;
	else
		to->last->next = from->first;
	to->last = from->last;
	*from = (struct kt_ir_region){NULL, NULL};
}

struct kt_ir_statement *kt_ir_insert(struct kt_ir_region *region, struct kt_ir_statement *behind,
				     struct kt_ir_region *list)
{
	if (list->first == NULL)
		return behind;
	list->last->next = behind == NULL ? region->first : behind->next;
	if (behind == NULL)
		region->first = list->first;
	else
		behind->next = list->first;
	if (region->last == behind)
		region->last = list->last;
	return list->last;
}

bool kt_ir_filter(struct kt_ir_region *region, kt_ir_visitor *keep, void *context)
{
	struct kt_ir_region kept = {NULL, NULL}, *inner;
	bool changed = false;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL; s = next) {
		next = s->next;
		if (!keep(s, context)) {
			changed = true;
			continue;
		}
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			changed |= kt_ir_filter(inner, keep, context);
		kt_ir_push(&kept, s);
	}
	*region = kept;
	return changed;
}

struct kt_ir_statement *kt_ir_statement_new(struct kt_ir_module *module, enum kt_ir_statement_kind kind,
					    const struct kt_ir_statement *like)
{
	struct kt_ir_region alone = {NULL, NULL};
	struct kt_ir_statement *s = kt_ir_append(module, &alone, kind);

	if (s != NULL && like != NULL) {
		s->line = like->line;
		s->origin = like->origin;
	}
	return s;
}
