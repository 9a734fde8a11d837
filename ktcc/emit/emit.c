#include "emit/emit.h"

#include <ctype.h>
#include <string.h>

#include "emit/copies.h"
#include "emit/launches.h"
#include "emit/macros.h"
#include "emit/splices.h"

struct emitter {
	const struct kt_emission *emission;
	struct kt_arena *arena;
	struct kt_splices splices;
	struct kt_emit_macros macros;
};

/* Inserts what `text` holds after offset `at`, and puts the line number right again. */
static kt_status insert(struct emitter *e, size_t at, struct kt_buf *text, struct kt_error *err)
{
	const char *file;
	uint32_t line;
	int64_t shift;
	char *copy;

	TRY(kt_emit_place(&file, &line, &shift, e->arena, e->emission, at, err));
	kt_source_line_directive(text, line, file);
	copy = kt_arena_strdup(e->arena, kt_buf_text(text));
	if (copy == NULL || text->failed)
		return kt_no_memory(err);
	return kt_splices_add(&e->splices, (struct kt_splice){at, at, copy, false}, err);
}

/* After the semicolon of the declaration that ends at `at`. */
static size_t behind_semicolon(const char *source, size_t size, size_t at)
{
	size_t i = at;

	while (i < size && isspace((unsigned char)source[i]))
		i++;
	return i < size && source[i] == ';' ? i + 1 : at;
}

/* The launches of a launch region, in their places. */
static kt_status add_block(struct emitter *e, const struct kt_emit_region *plan, struct kt_error *err)
{
	struct kt_splice *splices = NULL;
	size_t count = 0;
	TRY(kt_emit_block(&splices, &count, e->arena, plan, e->emission, err));
	for (size_t i = 0; i < count; i++)
		TRY(kt_splices_add(&e->splices, splices[i], err));
	return KT_OK;
}

/* Several regions may have a site. */
static kt_status add_site(struct emitter *e, const struct kt_launch_site *site, struct kt_error *err)
{
	struct kt_splice splices[4];
	size_t count = 0;
	TRY(kt_emit_site(splices, &count, e->arena, site, e->emission, err));
	for (size_t i = 0; i < e->splices.count; i++)
		if (e->splices.items[i].begin == site->callee.begin && e->splices.items[i].end == site->callee.end)
			return KT_OK;
	for (size_t s = 0; s < count; s++)
		TRY(kt_splices_add(&e->splices, splices[s], err));
	return KT_OK;
}

static kt_status add_launches(struct emitter *e, const struct kt_emit_region *plan, struct kt_error *err)
{
	for (size_t i = 0; i < plan->region->launch_count; i++) {
		struct kt_splice splices[4];
		size_t count = 0;
		if (!plan->rewritten[i])
			continue;
		TRY(kt_emit_rewrite(splices, &count, e->arena, plan, &plan->region->launches[i], e->emission, err));
		if (plan->region->launches[i].level_count > 0) {
			TRY(kt_emit_macros_add(&e->macros, &plan->region->launches[i], splices, count, err));
			continue;
		}
		for (size_t s = 0; s < count; s++)
			TRY(kt_splices_add(&e->splices, splices[s], err));
	}
	return KT_OK;
}

/* The dispatcher of a kernel that another source defines, and its launches. */
static kt_status add_imported(struct emitter *e, const struct kt_emit_region *plan, struct kt_error *err)
{
	const struct kt_emission *m = e->emission;
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status;

	kt_buf_addc(&text, '\n');
	status = kt_emit_import(&text, plan, err);
	if (status == KT_OK)
		status = insert(e, behind_semicolon(m->source, m->source_size, plan->region->declaration.end), &text, err);
	if (status == KT_OK)
		status = add_launches(e, plan, err);
	kt_buf_free(&text);
	return status == KT_OK ? KT_OK : kt_fail_prefix(err, "region '%.80s'", plan->region->name);
}

static kt_status add_region(struct emitter *e, const struct kt_emit_region *plan, struct kt_error *err)
{
	const struct kt_emission *m = e->emission;
	const struct kt_region *r = plan->region;
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_emit_lines lines;
	uint32_t line;
	int64_t shift;
	kt_status status;

	kt_buf_addc(&text, '\n');
	status = kt_emit_place(&lines.file, &lines.line, &shift, e->arena, m, r->extent.end, err);
	if (status == KT_OK)
		status = kt_emit_place(&lines.body_file, &line, &lines.body_shift, e->arena, m, r->extent.begin, err);
	if (status == KT_OK)
		status = kt_emit_definition(&text, plan, &lines, err);
	if (status == KT_OK)
		status = insert(e, r->extent.end, &text, err);
	if (status == KT_OK && r->declaration.end > r->declaration.begin) {
		kt_buf_clear(&text);
		kt_buf_addc(&text, '\n');
		status = kt_emit_declaration(&text, plan, err);
		if (status == KT_OK)
			status = insert(e, behind_semicolon(m->source, m->source_size, r->declaration.end), &text, err);
	}
	if (status == KT_OK && r->step_count > 0)
		status = add_block(e, plan, err);
	if (status == KT_OK && r->step_count == 0)
		status = add_launches(e, plan, err);
	for (size_t i = 0; status == KT_OK && plan->has_routed && i < r->site_count; i++)
		status = add_site(e, &r->sites[i], err);
	kt_buf_free(&text);
	if (status != KT_OK)
		return kt_fail_prefix(err, "region '%.80s'", r->name);
	return KT_OK;
}

static bool is_for(const struct kt_variant *variant, const struct kt_region *region)
{
	return kt_region_whole(variant->template_->region) == region;
}

static kt_status check_variants(const struct kt_emission *m, struct kt_error *err)
{
	for (size_t i = 0; i < m->variant_count; i++) {
		const struct kt_variant *v = &m->variants[i];
		const struct kt_region *r = NULL;

		for (size_t k = 0; k < m->unit->region_count; k++)
			if (is_for(v, &m->unit->regions[k]))
				r = &m->unit->regions[k];
		if (r == NULL)
			return kt_fail(err, KT_ERR_INVALID, "variant %zu belongs to no region of the unit", i);
		if (r->decline != NULL)
			return kt_fail(err, KT_ERR_INVALID, "region '%.80s' is declined and has a variant", r->name);
		if (v->instance >= r->instance_count)
			return kt_fail(err, KT_ERR_INVALID, "region '%.80s' has no instance %zu", r->name, v->instance);
		if (r->extent.end > m->source_size || r->declaration.end > m->source_size ||
		    (r->declaration.end > r->declaration.begin && r->declaration.end > r->extent.begin))
			return kt_fail(err, KT_ERR_INVALID, "region '%.80s' does not fit the text", r->name);
		for (size_t t = 0; t < r->template_count; t++)
			if (strstr(r->templates[t].declaration, "...") != NULL)
				return kt_fail(err, KT_ERR_INVALID, "region '%.80s' has a parameter pack", r->name);
	}
	return KT_OK;
}

static kt_status plan_region(struct emitter *e, size_t index, struct kt_error *err)
{
	const struct kt_emission *m = e->emission;
	struct kt_emit_region plan = {.region = &m->unit->regions[index]};
	size_t launches;
	kt_status status;

	for (size_t i = 0; i < m->variant_count; i++)
		if (is_for(&m->variants[i], plan.region)) {
			const struct kt_variant **slot =
			    kt_arena_push(e->arena, &plan.variants, &plan.variant_count, sizeof *slot);

			NEED(slot, kt_no_memory(err));
			*slot = &m->variants[i];
		}
	if (plan.variant_count == 0 && !plan.region->is_imported)
		return KT_OK;
	status = kt_emit_choose(&launches, &plan, e->arena, m, err);
	if (status != KT_OK || (launches == 0 && !plan.region->is_exported))
		return status;
	status = kt_emit_names(&plan, e->arena, m, index, err);
	if (status == KT_OK && plan.region->is_imported)
		return plan.linked != NULL ? add_imported(e, &plan, err) : KT_OK;
	return status == KT_OK ? add_region(e, &plan, err) : status;
}

kt_status kt_emit(struct kt_emitted *out, struct kt_arena *arena, const struct kt_emission *emission,
                  struct kt_error *err)
{
	struct emitter e = {.emission = emission};
	struct kt_buf macros = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status;

	NEED(e.arena = kt_arena_new(KT_LIMIT_SOURCE_BYTES * 4), kt_no_memory(err));
	e.splices.arena = e.macros.arena = e.arena;
	status = check_variants(emission, err);
	if (status == KT_OK)
		status = kt_splices_blank(&e.splices, emission, err);
	for (size_t i = 0; status == KT_OK && i < emission->unit->region_count; i++)
		status = plan_region(&e, i, err);
	if (status == KT_OK)
		status = kt_emit_macros_write(&macros, &e.splices, &e.macros, err);
	if (status == KT_OK)
		status = kt_emit_copies(out, arena, emission, kt_buf_text(&macros), e.splices.items, e.splices.count, err);
	kt_buf_free(&macros);
	kt_arena_free(e.arena);
	return status;
}
