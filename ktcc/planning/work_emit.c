/* From the entries that were found to what emission wants to know. */
#include <string.h>

#include "base/fs.h"
#include "emit/emit.h"
#include "emit/opencl.h"
#include "planning/work_internal.h"

static size_t variant_count(const struct kt_entry *entry)
{
	return entry->special_count + !entry->baseline_best;
}

size_t kt_work_variants(const struct kt_work *work)
{
	size_t count = 0;

	for (size_t i = 0; i < work->case_count; i++)
		for (size_t f = 0; f < work->cases[i].found_count; f++)
			count += variant_count(&work->cases[i].found[f].entry);
	return count;
}

bool kt_work_emits(const struct kt_work *work)
{
	bool reaches = kt_work_variants(work) != 0;

	for (size_t r = 0; r < work->unit->region_count; r++)
		for (size_t i = 0; i < work->unit->regions[r].launch_count; i++)
			reaches = reaches || kt_region_reaches(&work->unit->regions[r], &work->unit->regions[r].launches[i]);
	return reaches;
}

/* Names of the emitted file must differ from another unit's and be the same on every machine. */
static const char *unit_id(struct kt_work *work)
{
	struct kt_hash hash;
	char text[KT_HASH_TEXT];

	kt_hash_init(&hash);
	kt_hash_field(&hash, "unit", kt_path_basename(work->input.file));
	kt_hash_bytes(&hash, kt_buf_text(&work->source), work->source.size);
	kt_hash_final(&hash, text);
	return kt_arena_strdup(work->arena, text);
}

/* The variants of one entry: special ones are tried before the general one. */
static kt_status gather_entry(struct kt_variant *variants, size_t *used, struct kt_work *work,
                              const struct kt_case *each, const struct kt_found *found, struct kt_error *err)
{
	const struct kt_device *here = kt_work_known_device(work);
	const struct kt_entry *entry = &found->entry;
	struct kt_variant variant = {
	    .template_ = kt_work_entry_template(each, entry),
	    .instance = each->instance,
	    /* An entry of a sibling device was chosen for this machine's: it must be allowed to run here. */
	    .device = found->closeness == KT_CLOSE_ARCHITECTURE && here != NULL ? here : &entry->device,
	};

	for (size_t i = 0; i < entry->special_count; i++) {
		variant.configuration = entry->specials[i].configuration;
		TRY(kt_entry_when(&variant.when, work->arena, entry, (int64_t)i + 1, err));
		variants[(*used)++] = variant;
	}
	if (entry->baseline_best)
		return KT_OK;
	variant.configuration = entry->configuration;
	TRY(kt_entry_when(&variant.when, work->arena, entry, 0, err));
	variants[(*used)++] = variant;
	return KT_OK;
}

/* What emission wants to know, from the entries that were found; lives in the work's arena. */
static kt_status gather(struct kt_emission *out, struct kt_work *work, struct kt_error *err)
{
	size_t count = kt_work_variants(work), used = 0;
	struct kt_variant *variants = kt_arena_array(work->arena, count, sizeof *variants);
	kt_status status = KT_OK;

	*out = (struct kt_emission){
	    .unit = work->unit,
	    .source = kt_buf_text(&work->source),
	    .source_size = work->source.size,
	    .unit_id = unit_id(work),
	    .line_file = work->input.file,
	    .flat = work->unit->flat.file_count != 0 ? &work->unit->flat : NULL,
	    .variant_count = count,
	    .variants = variants,
	};
	if (variants == NULL || out->unit_id == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "emission: out of memory");
	for (size_t i = 0; i < work->case_count; i++)
		for (size_t f = 0; status == KT_OK && f < work->cases[i].found_count; f++)
			status = gather_entry(variants, &used, work, &work->cases[i], &work->cases[i].found[f], err);
	return status;
}

kt_status kt_work_emit(struct kt_emitted *out, struct kt_work *work, const char *prefix, struct kt_error *err)
{
	struct kt_emission emission;
	kt_status status = gather(&emission, work, err);

	emission.prefix = prefix;
	return status == KT_OK ? kt_emit(out, work->arena, &emission, err) : status;
}

kt_status kt_work_emit_opencl(struct kt_buf *cl, struct kt_buf *header, struct kt_work *work, struct kt_error *err)
{
	struct kt_emission emission;

	return gather(&emission, work, err) == KT_OK ? kt_emit_opencl(cl, header, &emission, err) : err->code;
}
