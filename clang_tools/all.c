/* All that a scan finds out about a unit, region by region. */
#include "unit.h"

/* Macros have the meaning that they have after the kernel, or in the block. */
static void go_to(struct kt_scan *scan, const struct kt_found *found)
{
	scan->place = found->block.end != 0           ? found->block.end
	              : found->item != KT_NO_ITEM     ? scan->items[found->item].end
	                                              : UINT32_MAX;
}

static kt_status read_region(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	static kt_status (*const steps[])(struct kt_scan *, struct kt_found *, struct kt_error *) = {
		kt_scan_signature, kt_scan_launches, kt_scan_listed, kt_scan_clauses, kt_scan_geometry, kt_scan_closure, kt_scan_slice,
		kt_scan_reference,
	};
	kt_status status = KT_OK;
	go_to(scan, found);
	/* A header that is missing may have taken declarations along: what follows from that is not the cause. */
	kt_scan_judge_fatal(scan, found);
	if (found->block.end != 0)
		return kt_scan_sequence(scan, found, err);
	if (found->item == KT_NO_ITEM)
		return KT_OK;
	if (kt_scan_fatal(scan) != NULL) {
		status = kt_scan_signature(scan, found, err);
		kt_region_withdraw(&found->region);
		return status;
	}
	for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == KT_OK; i++) {
		status = steps[i](scan, found, err);
		if (found->region.is_imported)
			return status == KT_OK ? kt_scan_launches(scan, found, err) : status;
		if (found->region.body.end == 0)
			return status;
	}
	return status;
}

/* What depends on the places of the other regions. */
static kt_status finish_region(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	if (found->item == KT_NO_ITEM || found->region.body.end == 0)
		return KT_OK;
	go_to(scan, found);
	TRY(kt_scan_parameters(scan, found, err));
	kt_scan_judge(scan, found);
	if (!kt_region_divide(scan->arena, &found->region))
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for instances");
	return KT_OK;
}

kt_status kt_scan_all(struct kt_scan *scan, struct kt_error *err)
{
	TRY(kt_clang_load(&scan->version, &scan->major, scan->arena, err));
	TRY(kt_scan_open(scan, err));
	TRY(kt_scan_pragmas(scan, err));
	for (size_t i = 0; i < scan->found_count; i++)
		TRY(read_region(scan, scan->found[i], err));
	for (size_t i = 0; i < scan->found_count; i++)
		TRY(finish_region(scan, scan->found[i], err));
	for (size_t i = 0; i < scan->bind_count; i++)
		if (!scan->binds[i].used)
			kt_scan_diagnose(scan, 0, KT_WARNING, scan->binds[i].begin,
			                 scan->binds[i].end - scan->binds[i].begin,
			                 "the kernel launched here has no region", "write a pragma above the kernel");
	return KT_OK;
}
