#include "emit/opencl.h"

#include <string.h>

#include "base/source.h"
#include "emit/dispatch.h"
#include "emit/splices.h"

struct emitter {
	const struct kt_emission *emission;
	struct kt_arena *arena;
	struct kt_buf functions; /* the header's, one per region */
	struct kt_hash names;    /* of everything that is emitted: the header's own name */
	struct kt_splices splices;
};

static kt_status gather(struct kt_emit_region *plan, struct emitter *e, struct kt_error *err)
{
	const struct kt_emission *m = e->emission;
	const struct kt_region *r = plan->region;

	for (size_t i = 0; i < m->variant_count; i++) {
		const struct kt_variant **slot;

		if (kt_region_whole(m->variants[i].template_->region) != r)
			continue;
		if (r->decline != NULL)
			return kt_fail(err, KT_ERR_INVALID, "region '%.80s' is declined and has a variant", r->name);
		if (m->variants[i].instance >= r->instance_count || r->extent.end > m->source_size)
			return kt_fail(err, KT_ERR_INVALID, "a variant does not fit region '%.80s'", r->name);
		NEED(slot = kt_arena_push(e->arena, &plan->variants, &plan->variant_count, sizeof *slot),
		     kt_no_memory(err));
		*slot = &m->variants[i];
	}
	return KT_OK;
}

/* The variants, after the kernel. */
static kt_status add_variants(struct emitter *e, const struct kt_emit_region *plan, struct kt_error *err)
{
	const struct kt_emission *m = e->emission;
	const size_t at = plan->region->extent.end;
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status = KT_OK;
	char *copy = NULL;

	kt_buf_addc(&text, '\n');
	for (size_t i = 0; status == KT_OK && i < plan->variant_count; i++) {
		const struct kt_render render = {.template_ = plan->variants[i]->template_,
						 .configuration = plan->variants[i]->configuration,
						 .name = plan->names[i],
						 .line_file = m->line_file};

		status = kt_template_render(&text, &render, err);
	}
	kt_source_line_directive(&text, kt_source_line(m->source, m->source_size, at), m->line_file);
	if (status == KT_OK)
		copy = kt_arena_strdup(e->arena, kt_buf_text(&text));
	if (status == KT_OK && (copy == NULL || text.failed))
		status = kt_no_memory(err);
	if (status == KT_OK)
		status = kt_splices_add(&e->splices, (struct kt_splice){at, at, copy, false}, err);
	kt_buf_free(&text);
	return status;
}

static kt_status add_region(struct emitter *e, size_t index, struct kt_error *err)
{
	struct kt_emit_region plan = {.region = &e->emission->unit->regions[index]};
	TRY(gather(&plan, e, err));

	TRY(kt_emit_names(&plan, e->arena, e->emission, index, err));
	kt_hash_field(&e->names, "region", plan.hash);
	if (plan.variant_count > 0)
		TRY(add_variants(e, &plan, err));
	return kt_emit_opencl_function(&e->functions, &plan, err);
}

static void add_header(struct kt_buf *header, struct emitter *e)
{
	char name[KT_HASH_TEXT];

	kt_hash_final(&e->names, name);
	kt_buf_addf(header,
		    "/* Which kernel of the tuned source to launch how, by problem and device. Written by ktcc emit. */\n"
		    "#ifndef KTUNE_TUNED_%.*s\n#define KTUNE_TUNED_%.*s\n\n",
		    KT_EMIT_HASH, name, KT_EMIT_HASH, name);
	kt_emit_opencl_prelude(header);
	kt_buf_add(header, kt_buf_text(&e->functions), e->functions.size);
	kt_buf_adds(header, "\n#endif\n");
}

kt_status kt_emit_opencl(struct kt_buf *cl, struct kt_buf *header, const struct kt_emission *emission,
			 struct kt_error *err)
{
	struct emitter e = {.emission = emission, .functions = KT_BUF(KT_LIMIT_SOURCE_BYTES)};
	kt_status status;

	NEED(e.arena = kt_arena_new(KT_LIMIT_SOURCE_BYTES * 4), kt_no_memory(err));
	e.splices.arena = e.arena;
	kt_hash_init(&e.names);
	kt_hash_field(&e.names, "unit", emission->unit_id);
	status = kt_splices_blank(&e.splices, emission, err);
	for (size_t i = 0; status == KT_OK && i < emission->unit->region_count; i++)
		status = add_region(&e, i, err);
	if (status == KT_OK) {
		kt_source_line_directive(cl, 1, emission->line_file);
		status = kt_source_splice(cl, emission->source, emission->source_size, e.splices.items, e.splices.count, err);
	}
	if (status == KT_OK) {
		add_header(header, &e);
		status = kt_buf_check(e.functions.failed ? &e.functions : header, "header", err);
	}
	kt_buf_free(&e.functions);
	kt_arena_free(e.arena);
	return status;
}
