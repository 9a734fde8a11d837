/*
 * The rewrite contexts that a question can suggest. How much of the headroom a
 * context recovers under each bound is an estimate to begin with; the gains
 * that are measured then decide their order.
 */
#include "planning/measure.h"

static const struct {
	const char *name;
	double share[KT_BOUND_COUNT];
	const char *text;
} families[] = {
    {"wide-accesses",
     {[KT_BOUND_UNKNOWN] = 0.4, [KT_BOUND_EXCESS] = 0.4, [KT_BOUND_LATENCY] = 0.3, [KT_BOUND_OCCUPANCY] = 0.2,
      [KT_BOUND_MEMORY] = 0.5, [KT_BOUND_ISSUE] = 0.3},
     "wide accesses with many in flight: 16 bytes per thread and access, and several independent loads issued before the "
     "first of them is used, their number a parameter"},
    {"neighbouring-threads",
     {[KT_BOUND_UNCOALESCED] = 0.7},
     "neighbouring threads take neighbouring elements: the loop over the contiguous dimension is distributed over the threads; "
     "where input and output disagree, tiles go through shared memory, padded against bank conflicts"},
    {"fewer-passes",
     {[KT_BOUND_UNKNOWN] = 0.4, [KT_BOUND_EXCESS] = 0.5, [KT_BOUND_BANDWIDTH] = 0.6, [KT_BOUND_UNCOALESCED] = 0.2},
     "each byte once: what is needed again stays in registers or shared memory, what several elements have in common "
     "is "
     "computed once, stores that are never read are removed"},
    {"other-division",
     {[KT_BOUND_UNKNOWN] = 0.2, [KT_BOUND_PARALLELISM] = 0.5, [KT_BOUND_LATENCY] = 0.2, [KT_BOUND_OCCUPANCY] = 0.1,
      [KT_BOUND_TAIL] = 0.4, [KT_BOUND_BARRIER] = 0.3, [KT_BOUND_UNCOALESCED] = 0.4},
     "another distribution of the work: one warp per row, several rows per block, several blocks per row, as the problem is small "
     "or "
     "large; which of them by parameters and by the grid's expression"},
    {"short-chains",
     {[KT_BOUND_PARALLELISM] = 0.4, [KT_BOUND_LATENCY] = 0.1, [KT_BOUND_BARRIER] = 0.5, [KT_BOUND_TAIL] = 0.2,
      [KT_BOUND_MEMORY] = 0.1},
     "short chains of dependent operations: all loads of a thread first, no synchronisation of a block where one of a "
     "warp is enough, no 64-bit division or remainder in an index"},
    {"fewer-registers",
     {[KT_BOUND_SPILLS] = 0.8, [KT_BOUND_OCCUPANCY] = 0.5},
     "fewer registers per thread: less kept at a time, 32-bit indices where a guard allows them, `__launch_bounds__` "
     "with "
     "the least number of blocks as a parameter"},
    {"pipeline",
     {[KT_BOUND_LATENCY] = 0.3, [KT_BOUND_OCCUPANCY] = 0.3, [KT_BOUND_EXCESS] = 0.1, [KT_BOUND_MEMORY] = 0.4,
      [KT_BOUND_BARRIER] = 0.2},
     "loads of the next work item while this one is computed: registers or stages of shared memory as a software "
     "pipeline, their number a parameter"},
    {"persistent-blocks",
     {[KT_BOUND_LATENCY] = 0.25, [KT_BOUND_EXCESS] = 0.1, [KT_BOUND_TAIL] = 0.5},
     "as many blocks as the device holds at a time, or a whole multiple, each with a loop over the work, so that no "
     "last "
     "wave is partly empty"},
    {"cache-policy",
     {[KT_BOUND_LATENCY] = 0.2, [KT_BOUND_EXCESS] = 0.1, [KT_BOUND_UNKNOWN] = 0.1, [KT_BOUND_BANDWIDTH] = 0.2},
     "the caches told what is used once and what again: streaming loads and stores (`__ldcs`, `__stcs`, `__ldcg`), "
     "plain "
     "ones for what all blocks read; which of them by a parameter"},
    {"cheaper-arithmetic",
     {[KT_BOUND_EXCESS] = 0.2, [KT_BOUND_PARALLELISM] = 0.1, [KT_BOUND_ISSUE] = 0.6},
     "fewer instructions per element: packed conversions and arithmetic of two halves, fast intrinsics where the "
     "tolerance "
     "allows them, divisions as multiplications, indices counted up"},
};

_Static_assert(sizeof families / sizeof *families <= KT_FAMILIES_MOST, "a history has room for every family");

size_t kt_families(void)
{
	return sizeof families / sizeof *families;
}

const char *kt_family_name(size_t family)
{
	return families[family].name;
}

double kt_family_gain(size_t family, const struct kt_measure *problems, size_t count, const struct kt_device *device,
                      const struct kt_family_history *history)
{
	double sum = 0;

	for (size_t p = 0; p < count; p++)
		sum += kt_measure_headroom(&problems[p]) * families[family].share[kt_measure_bound(&problems[p], device)];
	return count != 0 ? sum / (double)count * (1.0 + history->helped[family]) / (1.0 + history->tried[family]) : 0;
}

size_t kt_families_rank(size_t order[KT_FAMILIES_MOST], const struct kt_measure *problems, size_t count,
                        const struct kt_device *device, const struct kt_family_history *history)
{
	double gains[KT_FAMILIES_MOST];
	size_t used = 0;

	for (size_t f = 0; f < kt_families(); f++) {
		size_t at = used;

		gains[f] = kt_family_gain(f, problems, count, device, history);
		if (!(gains[f] > 0))
			continue;
		/* Equal ones stay in the table's order. */
		for (; at > 0 && gains[order[at - 1]] < gains[f]; at--)
			order[at] = order[at - 1];
		order[at] = f;
		used++;
	}
	return used;
}

void kt_family_suggest(struct kt_buf *out, size_t family)
{
	kt_buf_addf(out, "- %s: %s\n", families[family].name, families[family].text);
}
