/* Where statements and places are, and what changes from one iteration to the next. */
#include "generation/ir/effect.h"
#include "generation/ir/unstage_parts.h"

bool kt_ir_is_shared(const struct kt_ir_place *place)
{
	const struct kt_ir_symbol *root = kt_ir_root_of(place);

	return kt_ir_space_of(place) == KT_IR_SPACE_SHARED || (root != NULL && root->kind == KT_IR_SHARED_SYMBOL);
}

/* ---- Where statements are ---- */

static bool find_way(struct kt_ir_way *way, const struct kt_ir_region *region, const struct kt_ir_statement *wanted, size_t depth)
{
	struct kt_ir_region *inner;

	if (depth == KT_IR_MOST_DEPTH)
		return false;
	way->lists[depth] = region;
	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		way->at[depth] = s;
		way->count = depth + 1;
		if (s == wanted)
			return true;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			if (inner->first != NULL && find_way(way, inner, wanted, depth + 1))
				return true;
		way->lists[depth] = region;
	}
	return false;
}

bool kt_ir_way_to(struct kt_ir_way *way, const struct kt_ir_region *region, const struct kt_ir_statement *wanted)
{
	*way = (struct kt_ir_way){0};
	return find_way(way, region, wanted, 0);
}

bool kt_ir_is_before(const struct kt_ir_statement *a, const struct kt_ir_statement *b)
{
	for (a = a->next; a != NULL && a != b; a = a->next)
		continue;
	return a != NULL;
}

size_t kt_ir_loops_around(const struct kt_ir_origin *o)
{
	size_t count = 0;

	for (size_t i = 0; i < o->shared; i++)
		count += o->to_load.at[i]->kind == KT_IR_S_FOR;
	return count;
}

bool kt_ir_is_in_sight(const struct kt_ir_origin *o, const struct kt_ir_statement *statement)
{
	for (size_t i = 0; i <= o->shared; i++) {
		if (i < o->shared && o->to_load.at[i] == statement)
			return statement->kind == KT_IR_S_FOR;
		for (const struct kt_ir_statement *s = o->to_load.lists[i]->first; s != o->to_load.at[i]; s = s->next)
			if (s == statement)
				return true;
	}
	return false;
}

static bool note_definition(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_unstaging *in = context;

	if (s->symbol != NULL && s->kind != KT_IR_S_SET)
		in->definitions[s->symbol->id] = s;
	return true;
}

bool kt_ir_note_definitions(struct kt_ir_unstaging *in)
{
	in->definition_count = in->module->next_id;
	in->definitions = kt_arena_array(in->arena, in->definition_count + 1, sizeof *in->definitions);
	return in->definitions != NULL && kt_ir_visit(&in->kernel->body, note_definition, in);
}

const struct kt_ir_statement *kt_ir_definition(const struct kt_ir_unstaging *in, const struct kt_ir_symbol *symbol)
{
	return symbol->id < in->definition_count ? in->definitions[symbol->id] : NULL;
}

/* ---- What changes with iterations ---- */

static bool is_in_loop(const struct kt_ir_origin *o, const struct kt_ir_statement *statement)
{
	for (size_t i = 0; i < o->shared; i++)
		if (o->to_load.at[i]->kind == KT_IR_S_FOR &&
		    (o->to_load.at[i] == statement || (statement->symbol != NULL && kt_ir_defines(&o->to_load.at[i]->body, statement->symbol))))
			return true;
	return false;
}

static bool is_same_in_all(const struct kt_ir_value *v, void *context);

/* Once for each symbol: lets may use each other in any way. */
static bool changes(const struct kt_ir_origin *o, const struct kt_ir_symbol *symbol)
{
	const struct kt_ir_statement *s = kt_ir_definition(o->in, symbol);
	unsigned char *change = s != NULL ? &o->changes[symbol->id] : NULL;

	if (s == NULL || symbol->kind == KT_IR_LOCAL_SYMBOL)
		return true;
	if (*change == 0)
		*change = !is_in_loop(o, s) || (s->kind == KT_IR_S_LET && kt_ir_visit_value(s->value, is_same_in_all, (void *)(uintptr_t)o))
			      ? KT_IR_KEEPS
			      : KT_IR_CHANGES;
	return *change == KT_IR_CHANGES;
}

static bool is_same_in_all(const struct kt_ir_value *v, void *context)
{
	return v->op != KT_IR_READ || v->symbol->kind == KT_IR_ARGUMENT || !changes(context, v->symbol);
}

bool kt_ir_varies(const struct kt_ir_origin *o, const struct kt_ir_value *value)
{
	return kt_ir_loops_around(o) > 0 && !kt_ir_visit_value(value, is_same_in_all, (void *)(uintptr_t)o);
}
