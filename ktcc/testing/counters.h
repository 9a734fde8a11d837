/*
 * Hardware counters of single launches, by Nsight Compute: the runner is
 * started below `ncu` (once.h), which runs the asked-for kernel several times
 * with its memory put back and the caches emptied in between, and prints a
 * table. The device's clocks are not changed, and nothing is written outside of a
 * private folder. What cannot be had is a reason, never a verdict.
 */
#ifndef KT_TESTING_COUNTERS_H
#define KT_TESTING_COUNTERS_H

#include "testing/once.h"

/*
 * id, name in JSON, metric of ncu (GV100 and later), dimension, factor to what is shown, text before the number, digits
 * after its point, text after it. Of the times that a warp waits, `latency` is the whole: the cycles between two of its
 * instructions; `memory_wait` and `barrier_wait` are parts of it.
 */
#define KT_COUNTER_ROWS(X) \
	X(TIME, "time_ns", "gpu__time_duration.sum", TIME, 1e-3, "", 2, " us") \
	X(READ, "read_bytes", "dram__bytes_read.sum", BYTES, 1e-6, "", 3, " MB read from memory") \
	X(WRITTEN, "written_bytes", "dram__bytes_write.sum", BYTES, 1e-6, "", 3, " MB written to memory") \
	X(MEMORY_BUSY, "memory_busy_percent", "dram__throughput.avg.pct_of_peak_sustained_elapsed", PERCENT, 1, \
	  "memory busy ", 0, " %") \
	X(L2_HITS, "l2_hit_percent", "lts__t_sector_hit_rate.pct", PERCENT, 1, "L2 hits ", 0, " %") \
	X(LOAD_SECTORS, "sectors_per_load", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", RATIO, \
	  1, "", 1, " sectors of 32 bytes a load of a warp") \
	X(STORE_SECTORS, "sectors_per_store", "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", \
	  RATIO, 1, "", 1, " a store") \
	X(BUSY, "busy_percent", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", PERCENT, 1, \
	  "multiprocessors busy ", 0, " %") \
	X(WARPS, "warps_percent", "sm__warps_active.avg.pct_of_peak_sustained_active", PERCENT, 1, "warps resident ", 0, \
	  " %") \
	X(ISSUE, "issue_percent", "smsp__issue_active.avg.pct_of_peak_sustained_active", PERCENT, 1, "issue slots used ", \
	  0, " %") \
	X(LATENCY, "latency_cycles", "smsp__average_warp_latency_per_inst_issued.ratio", RATIO, 1, "", 1, \
	  " cycles from instruction to instruction of a warp") \
	X(MEMORY_WAIT, "memory_wait_cycles", "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", \
	  RATIO, 1, "", 1, " of them waiting for global memory") \
	X(BARRIER_WAIT, "barrier_wait_cycles", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", RATIO, \
	  1, "", 1, " at barriers")

enum kt_counter {
#define KT_COUNTER_ROW(id, name, metric, dimension, factor, before, digits, after) KT_COUNTER_##id,
	KT_COUNTER_ROWS(KT_COUNTER_ROW)
#undef KT_COUNTER_ROW
	KT_COUNTERS
};
const char *kt_counter_name(enum kt_counter counter);

struct kt_counted {
	const char *kernel;        /* its name in the cubin */
	double value[KT_COUNTERS]; /* ns, bytes, percent, ratios; NAN: not known */
};
/* Appends those that are known: "3.10 us, 1.049 MB read from memory, memory busy 45 %, …". */
void kt_counted_print(struct kt_buf *out, const struct kt_counted *counted);

/*
 * Counters of the runs, one each; of a region of several launches those of the kernel that takes longest. At most
 * limit_s, of which it may wait for the device. KT_ERR_INVALID, _CHILD, _LIMIT, _BUSY: there are none, err has the cause.
 */
kt_status kt_counters_take(struct kt_counted *out, struct kt_arena *arena, struct kt_tester *tester,
                           const struct kt_config *config, const char *ncu, const struct kt_once_run *runs,
                           size_t count, double limit_s, struct kt_error *err) KT_MUST_CHECK;

/*
 * Kernels of runs, one text per run, a blank between two names. As ncu's filter, and how many launches that makes; from
 * the rows of these launches, in their order: for each run the one that takes longest. For tests as well.
 */
kt_status kt_counters_filter(struct kt_buf *out, size_t *launches, const char *const *kernels, size_t count,
                             struct kt_error *err) KT_MUST_CHECK;
kt_status kt_counters_assign(struct kt_counted *out, const char *const *kernels, size_t count,
                             const struct kt_counted *rows, size_t row_count, struct kt_error *err) KT_MUST_CHECK;

/* ---- counters_read.c */
/* The option's value: all metrics. False: out of memory. */
bool kt_counters_metrics(struct kt_buf *out);
/*
 * Reads ncu's table (--csv --page raw) out of its log: names of columns, units, then a row per launch, with other lines
 * of ncu's ("==PROF== …") around. All cells are quoted; numbers may have commas between groups of three digits. A cell
 * that is no such number in a known unit is not known; anything else that is out of place fails: KT_ERR_INVALID with
 * the first error of ncu's where there is one, KT_ERR_LIMIT for more than `most` launches.
 */
kt_status kt_counters_read(struct kt_counted *out, size_t *count, size_t most, struct kt_arena *arena,
                           const char *text, size_t size, struct kt_error *err) KT_MUST_CHECK;

#endif
