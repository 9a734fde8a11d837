/* What a measurement depends on besides configuration and problem. */
#include "base/expr.h"
#include "planning/work_internal.h"

static void hash_clause(struct kt_hash *hash, const char *tag, const struct kt_clause_expr *clause)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (clause->expr != NULL)
		kt_expr_canonical(&text, clause->expr);
	kt_hash_field(hash, tag, clause->expr != NULL ? kt_buf_text(&text) : clause->text);
	kt_buf_free(&text);
}

static void hash_double(struct kt_hash *hash, const char *tag, double value)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_buf_addf(&text, "%a", value);
	kt_hash_field(hash, tag, kt_buf_text(&text));
	kt_buf_free(&text);
}

static void hash_more(struct kt_hash *hash, const struct kt_fill *fill, const struct kt_clause_expr bounds[KT_FILL_NUMBERS])
{
	for (size_t e = 0; e < KT_FILL_NUMBERS; e++)
		if (bounds[e].expr != NULL)
			hash_clause(hash, e == 0 ? "lower" : e == 1 ? "upper" : "bound", &bounds[e]);
	for (size_t i = 0; i < fill->count; i++)
		hash_double(hash, "number", kt_fill_number(fill, i));
}

static void hash_fill(struct kt_hash *hash, const struct kt_fill *fill, const struct kt_clause_expr bounds[KT_FILL_NUMBERS])
{
	kt_hash_int(hash, "fill", fill->kind);
	hash_double(hash, "a", fill->a);
	hash_double(hash, "b", fill->b);
	hash_more(hash, fill, bounds);
}

/* What is in files, and what a buffer holds on other problems. */
static void hash_files(struct kt_hash *hash, const struct kt_buffer *buffer)
{
	for (const struct kt_buffer *b = buffer; b != NULL; b = b->otherwise) {
		if (b->file.text != NULL)
			kt_hash_field(hash, "file", b->file.hash);
		if (b->otherwise == NULL)
			return;
		hash_clause(hash, "when", &b->when);
		hash_fill(hash, &b->otherwise->fill, b->otherwise->bounds);
	}
}

static void hash_data(struct kt_hash *hash, const struct kt_region *region)
{
	for (size_t i = 0; i < region->buffer_count; i++) {
		const struct kt_buffer *buffer = &region->buffers[i];

		kt_hash_field(hash, "buffer", buffer->name);
		kt_hash_int(hash, "direction", buffer->direction);
		hash_clause(hash, "count", &buffer->count);
		kt_hash_int(hash, "fill", buffer->fill.kind);
		hash_double(hash, "a", buffer->fill.a);
		hash_double(hash, "b", buffer->fill.b);
		hash_more(hash, &buffer->fill, buffer->bounds);
		for (size_t m = 0; m < buffer->member_count; m++) {
			kt_hash_field(hash, "member", buffer->members[m].member);
			hash_fill(hash, &buffer->members[m].fill, buffer->members[m].bounds);
		}
		if (buffer->like != NULL)
			kt_hash_field(hash, "like", buffer->like);
		hash_files(hash, buffer);
		hash_double(hash, "absolute", buffer->absolute);
		hash_double(hash, "relative", buffer->relative);
	}
	for (size_t i = 0; i < region->value_count; i++) {
		kt_hash_field(hash, "value", region->values[i].name);
		kt_hash_field(hash, "text", region->values[i].text);
	}
}

static void hash_geometry(struct kt_hash *hash, const struct kt_clause_expr *grid, size_t grid_count,
                          const struct kt_clause_expr *block, size_t block_count, const struct kt_clause_expr *shared)
{
	for (size_t i = 0; i < grid_count; i++)
		hash_clause(hash, "grid", &grid[i]);
	for (size_t i = 0; i < block_count; i++)
		hash_clause(hash, "block", &block[i]);
	hash_clause(hash, "shared", shared);
}

const char *kt_work_measure_key(struct kt_work *work, const struct kt_case *each)
{
	const struct kt_region *region = each->region;
	struct kt_hash hash;
	char text[KT_HASH_TEXT];

	kt_hash_init(&hash);
	kt_hash_field(&hash, "measure", "2");
	kt_hash_field(&hash, "tokens", region->closure);
	kt_work_hash_identity(&hash, each);
	kt_hash_field(&hash, "flags", work->input.flags);
	kt_hash_field(&hash, "assembler", work->input.assembler);
	hash_data(&hash, region);
	/* A guard keeps a configuration from problems; what else is legal changes no measurement. */
	for (size_t i = 0; i < region->restriction_count; i++)
		if (region->restriction_is_guard[i])
			hash_clause(&hash, "guard", &region->restrictions[i]);
	for (size_t i = 0; i < region->guard_count; i++)
		hash_clause(&hash, "guard", &region->guards[i]);
	hash_geometry(&hash, region->grid, region->grid_count, region->block, region->block_count, &region->shared_bytes);
	for (size_t i = 0; i < region->step_count; i++) {
		const struct kt_region_step *step = &region->steps[i];

		kt_hash_field(&hash, "step", step->kernel);
		for (size_t a = 0; a < step->argument_count; a++)
			kt_hash_int(&hash, "argument", (int64_t)step->arguments[a]);
		hash_geometry(&hash, step->grid, step->grid_count, step->block, step->block_count, &step->shared_bytes);
	}
	kt_hash_final(&hash, text);
	return kt_arena_strdup(work->arena, text);
}
