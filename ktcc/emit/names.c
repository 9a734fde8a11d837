/* Names of what is emitted: a hash of everything that decides what they name. */
#include "emit/dispatch.h"


static void hash_clauses(struct kt_hash *hash, const char *tag, const struct kt_clause_expr *clauses, size_t count)
{
	kt_hash_int(hash, tag, (int64_t)count);
	for (size_t i = 0; i < count; i++)
		kt_hash_field(hash, tag, clauses[i].text);
}

static void hash_region(struct kt_hash *hash, const struct kt_emission *emission, const struct kt_region *r,
                        size_t index)
{
	kt_hash_int(hash, "form", KT_EMITTED_FORM);
	kt_hash_field(hash, "unit", emission->unit_id);
	kt_hash_field(hash, "region", r->qualified);
	kt_hash_int(hash, "index", (int64_t)index);
	kt_hash_field(hash, "closure", r->closure);
	kt_hash_field(hash, "clauses", r->clauses);
	hash_clauses(hash, "baseline-grid", r->grid, r->grid_count);
	hash_clauses(hash, "baseline-block", r->block, r->block_count);
	hash_clauses(hash, "baseline-shared", &r->shared_bytes, 1);
	for (size_t i = 0; i < r->step_count; i++) {
		hash_clauses(hash, "step-grid", r->steps[i].grid, r->steps[i].grid_count);
		hash_clauses(hash, "step-block", r->steps[i].block, r->steps[i].block_count);
		hash_clauses(hash, "step-shared", &r->steps[i].shared_bytes, 1);
	}
}

static kt_status hash_variant(struct kt_hash *hash, const struct kt_region *r, const struct kt_variant *v,
                              struct kt_error *err)
{
	const struct kt_template *t = v->template_;
	struct kt_template_text made = {t->helpers, t->head, t->body};
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	char device[KT_HASH_TEXT];
	kt_status status;

	kt_device_key(device, v->device);
	kt_configuration_print(&text, t->parameters, t->parameter_count, v->configuration);
	status = kt_buf_check(&text, "configuration", err);
	if (status == KT_OK && t->source != NULL)
		status = t->source->write(&made, t->source->context, v->configuration, err);
	kt_hash_field(hash, "device", device);
	kt_hash_field(hash, "instance", r->instances[v->instance].name);
	if (r->instances[v->instance].extents != NULL) {
		const struct kt_extents *e = r->instances[v->instance].extents;

		hash_clauses(hash, "baseline-grid", e->grid, e->grid_count);
		hash_clauses(hash, "baseline-block", e->block, e->block_count);
		hash_clauses(hash, "baseline-shared", &e->shared_bytes, 1);
	}
	kt_hash_field(hash, "configuration", kt_buf_text(&text));
	if (v->when.expr != NULL)
		kt_hash_field(hash, "when", v->when.text);
	kt_hash_field(hash, "helpers", made.helpers);
	kt_hash_field(hash, "head", made.head);
	kt_hash_field(hash, "body", made.body);
	hash_clauses(hash, "restriction", t->restrictions, t->restriction_count);
	hash_clauses(hash, "guard", t->guards, t->guard_count);
	hash_clauses(hash, "grid", t->grid, t->grid_count);
	hash_clauses(hash, "block", t->block, t->block_count);
	hash_clauses(hash, "shared", &t->shared_bytes, 1);
	for (size_t i = 0; i < t->further_count; i++) {
		kt_hash_field(hash, "head", t->further[i].head);
		kt_hash_field(hash, "body", t->further[i].body);
		hash_clauses(hash, "grid", t->further[i].grid, t->further[i].grid_count);
		hash_clauses(hash, "block", t->further[i].block, t->further[i].block_count);
	}
	for (size_t i = 0; i < t->temporary_count; i++) {
		kt_hash_field(hash, "temporary", kt_scalar_name(t->temporaries[i].element));
		hash_clauses(hash, "count", &t->temporaries[i].count, 1);
	}
	kt_buf_free(&text);
	return status;
}

/* Alike in all sources, whatever they were made of: by the kernel's symbol and what the function takes. */
static const char *linked_name(struct kt_arena *arena, const struct kt_region *r)
{
	struct kt_hash hash;
	char text[KT_HASH_TEXT];

	if (!(r->is_exported || r->is_imported) || r->instances[0].symbol == NULL)
		return NULL;
	kt_hash_init(&hash);
	kt_hash_field(&hash, "linked", KT_LINKED_FORM);
	kt_hash_field(&hash, "kernel", r->instances[0].symbol);
	for (size_t i = 0; i < r->variable_count; i++)
		kt_hash_field(&hash, "variable", r->variables[i]);
	kt_hash_final(&hash, text);
	return kt_arena_printf(arena, "ktune_l_%.*s_%s", KT_EMIT_HASH, text, r->kernel);
}

kt_status kt_emit_names(struct kt_emit_region *out, struct kt_arena *arena, const struct kt_emission *emission,
                        size_t index, struct kt_error *err)
{
	const struct kt_region *r = out->region;
	struct kt_hash whole, one;
	char text[KT_HASH_TEXT];

	out->names = kt_arena_array(arena, out->variant_count, sizeof *out->names);
	if (out->names == NULL)
		goto memory;
	kt_hash_init(&whole);
	hash_region(&whole, emission, r, index);
	for (size_t i = 0; i < out->variant_count; i++) {
		kt_hash_init(&one);
		hash_region(&one, emission, r, index);
		/* Two equal variants are a caller's mistake that still must compile. */
		kt_hash_int(&one, "order", (int64_t)i);
		TRY(hash_variant(&one, r, out->variants[i], err));
		kt_hash_final(&one, text);
		kt_hash_field(&whole, "variant", text);
		out->names[i] = kt_arena_printf(arena, "ktune_v_%.*s_%s", KT_EMIT_HASH, text, r->kernel);
		if (out->names[i] == NULL)
			goto memory;
	}
	kt_hash_final(&whole, text);
	out->hash = kt_arena_strndup(arena, text, KT_EMIT_HASH);
	out->dispatcher = kt_arena_printf(arena, "ktune_d_%.*s_%s", KT_EMIT_HASH, text, r->kernel);
	out->ordered = kt_arena_printf(arena, "ktune_o_%.*s_%s", KT_EMIT_HASH, text, r->kernel);
	out->routed = kt_arena_printf(arena, "ktune_w_%.*s_%s", KT_EMIT_HASH, text, r->kernel);
	out->linked = linked_name(arena, r);
	out->held = kt_arena_printf(arena, "ktune_h_%.*s", KT_EMIT_HASH, text);
	if (out->hash != NULL && out->dispatcher != NULL && out->ordered != NULL && out->routed != NULL && out->held != NULL &&
	    (out->linked != NULL || !(r->is_exported || r->is_imported)))
		return kt_emit_conditions(out, arena, err);
memory:
	return kt_fail(err, KT_ERR_MEMORY, "out of memory for the emission of '%.80s'", r->name);
}
