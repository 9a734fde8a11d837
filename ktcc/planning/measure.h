/*
 * m(x): what is known about one configuration on one problem, and from it what
 * keeps the configuration from being faster. g = A(m): the rewrite contexts
 * that may help there, the most promising first, as text for the next question.
 */
#ifndef KT_PLANNING_MEASURE_H
#define KT_PLANNING_MEASURE_H

#include "base/buf.h"
#include "base/device.h"
#include "base/region.h"
#include "testing/counters.h"

/* Numbers that are not known are 0, or −1 where 0 means something. */
struct kt_measure {
	double ns;       /* of the configuration */
	double copy_ns; /* of a copy of the same traffic */
	double bytes;    /* that the problem has to move at least */
	int64_t blocks, threads; /* of the launch: all blocks, threads of one */
	int64_t registers, local_bytes, shared_bytes; /* a thread, a thread, a block; −1 */
	const struct kt_counted *counted; /* by the profiler; NULL: nothing was */
};

#define KT_BOUNDS(X) \
	X(UNKNOWN, "unknown", "nothing was measured") \
	X(COPY, "at the copy bound", "as fast as a copy of the same bytes: nothing is left to gain") \
	X(SPILLS, "spills", "registers are spilled to local memory") \
	X(PARALLELISM, "too little parallelism", \
	  "the launch does not fill the device: what a single thread waits for is what it takes") \
	X(OCCUPANCY, "occupancy", "few warps are resident: too little is under way to hide the latency of memory") \
	X(EXCESS, "more work than the bytes", \
	  "well above the time of a copy with many warps resident: bytes are moved twice or in part, " \
	  "or instructions are in the way") \
	X(LATENCY, "latency", \
	  "near the time of a copy: what is under way at a time, the tail of the last blocks, the order of accesses") \
	X(UNCOALESCED, "uncoalesced", \
	  "by the counters: a warp's accesses touch more sectors of memory than their bytes need: neighbouring threads " \
	  "do not take neighbouring elements") \
	X(BANDWIDTH, "bandwidth", \
	  "by the counters: memory is busy all the time, and still slower than a copy: fewer bytes, none of them twice") \
	X(TAIL, "tail and launch", \
	  "by the counters: multiprocessors are idle: blocks that end late, too few of them, the launch itself") \
	X(ISSUE, "instruction issue", "by the counters: the schedulers are busy: fewer instructions for the same work") \
	X(BARRIER, "barriers", "by the counters: warps wait for one another at barriers") \
	X(MEMORY, "memory latency", \
	  "by the counters: warps wait for global memory most of the time: more has to be under way at a time")

enum kt_bound {
#define KT_BOUND_ROW(id, name, text) KT_BOUND_##id,
	KT_BOUNDS(KT_BOUND_ROW)
#undef KT_BOUND_ROW
	KT_BOUND_COUNT
};
const char *kt_bound_name(enum kt_bound bound);
const char *kt_bound_text(enum kt_bound bound);

/* Up to this multiple of the copy's time is KT_BOUND_COPY: two copies of the same bytes differ by it from run to run.
 */
#define KT_AT_COPY 1.05

/*
 * The copy bandwidth bound, spills and too little parallelism are decided first, without counters. Then the counters
 * decide, where there are some and one of their rules applies (measure.c); their occupancy goes before the computed one.
 */
enum kt_bound kt_measure_bound(const struct kt_measure *m, const struct kt_device *device);
/* Resident threads by the most that a multiprocessor can have, 0 to 1; negative: not known. */
double kt_measure_occupancy(const struct kt_measure *m, const struct kt_device *device);
/* The part of its time by which a configuration exceeds the copy bandwidth bound, 0 to 1; 0.5 where that is unknown. */
double kt_measure_headroom(const struct kt_measure *m);
/* What a problem moves at least: the clause `bytes`, else each buffer once a direction; 0: not known.
 * problem: its values. */
double kt_measure_bytes(const struct kt_region *region, const struct kt_instance *instance, const int64_t *problem,
                        const struct kt_device *device);

/* A rewrite context. */
#define KT_FAMILIES_MOST 16
size_t kt_families(void);
const char *kt_family_name(size_t family); /* "wide-accesses" */

/* What was suggested before, one number a family. */
struct kt_family_history {
	unsigned tried[KT_FAMILIES_MOST], helped[KT_FAMILIES_MOST];
};
/*
 * The expected gain of a family, as the part of the time that it may save: over
 * the problems, the mean of headroom × what the family is thought to recover of
 * it under that bound; times (1 + helped) / (1 + tried).
 */
double kt_family_gain(size_t family, const struct kt_measure *problems, size_t count, const struct kt_device *device,
                      const struct kt_family_history *history);
/* Families by expected gain, the best first; those that promise nothing are left out. Returns how many. */
size_t kt_families_rank(size_t order[KT_FAMILIES_MOST], const struct kt_measure *problems, size_t count,
                        const struct kt_device *device, const struct kt_family_history *history);
/* Appends the text of a family, an item of a list. */
void kt_family_suggest(struct kt_buf *out, size_t family);

#endif
