/*
 * Which configurations of a template by rules are tried first, before anything was measured: those of an
 * estimate from the bytes that a problem moves, the launch and the device's limits. The search goes on from there
 * by what is measured; an estimate that is wrong costs a trial.
 */
#ifndef KT_PLANNING_START_H
#define KT_PLANNING_START_H

#include "base/buf.h"
#include "store/store.h"
#include "tuning/space.h"

/* A launch as it is estimated. */
struct kt_launch_estimate {
	double bytes;            /* that have to be moved */
	int64_t blocks, threads; /* all blocks, threads of one */
	double access_bytes;     /* of one access */
	double accesses;         /* that a thread has under way at a time */
	double reach;            /* of the largest buffer: bytes that are asked for at once by its bytes; 1 or more: idle threads */
	double work;             /* instructions, and bytes moved again, relative to the best known form: 1 or more */
};
/*
 * Time, relative to that of moving the bytes at full speed. By Little's law a multiprocessor needs some bytes under way
 * to keep the memory busy; accesses of less than 16 bytes take more instructions for the same bytes; the last wave
 * of blocks is part empty; threads beyond the end of a row have nothing to do, and what a thread
 * has under way needs registers; multiprocessors without a block are idle. HUGE_VAL where the launch is not known.
 */
double kt_start_estimate(const struct kt_launch_estimate *launch, const struct kt_device *device);
/* "latency": too little is under way; "issue": narrow accesses; "memory": neither. */
const char *kt_start_bound(const struct kt_launch_estimate *launch, const struct kt_device *device);

#define KT_STARTS 8   /* by estimate */
#define KT_STARTS_KNOWN 8 /* by what was chosen elsewhere */
struct kt_start {
	size_t index;
	const char *why; /* for the decision log; lives in arena */
};
/*
 * The configurations with the least estimate over all problems (geometric mean) and on each problem (where there are
 * many: those with the most bytes, and the one with the least); each once. Returns how many; 0 where the device's
 * limits or the bytes are not known, or the
 * template is no rule's.
 */
size_t kt_start_choose(struct kt_start out[KT_STARTS], struct kt_arena *arena, const struct kt_space *space,
                       const struct kt_template *template_, const struct kt_instance *instance,
                       const struct kt_device *device);
/*
 * What was chosen for the same region elsewhere, for another instance of it or on another device: each
 * configuration of an entry with the same generator, as near to it as the space has one, after the `count` starts
 * that `out` has.
 * Parameters that the entry does not name are as in the first of those. Returns how many there are then, at most
 * KT_STARTS_KNOWN more; entries are taken in their order.
 */
size_t kt_start_known(struct kt_start *out, size_t count, struct kt_arena *arena, const struct kt_space *space,
                      const struct kt_template *template_, const struct kt_entry *const *entries, size_t entry_count);
bool kt_start_is_among(const struct kt_start *starts, size_t count, size_t index);

#endif
