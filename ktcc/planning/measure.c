#include "planning/measure.h"

#include <math.h>

static const struct {
	const char *name, *text;
} bounds[] = {
#define KT_BOUND_ROW(id, name, text) {name, text},
    KT_BOUNDS(KT_BOUND_ROW)
#undef KT_BOUND_ROW
};

/* Below this share of the threads that the device can hold, it is not filled; below this occupancy latency shows. */
static const double filled_least = 0.25, occupancy_least = 0.25;
/* From this multiple of the copy bandwidth bound on, more is done than moving the bytes. */
static const double excess_least = 1.5;

/*
 * What the counters show: the first rule that applies. A row: the counter, as a percentage of another where there is one,
 * reaches the limit. Sources: 32 lanes of 16 bytes, the widest access, are 16 sectors of 32 bytes, so that more of them
 * cannot be contiguous (Nsight Compute, Kernel Profiling Guide, "Memory Tables"). From 80 % of its peak on a unit is
 * what bounds, and below 60 % latencies are (its SpeedOfLight section). A wait of nearly a third of a warp's time is
 * where to begin. With a quarter of the warps, the computed occupancy counts as low, too.
 */
enum { NOTHING = KT_COUNTERS };
static const struct {
	enum kt_bound bound;
	bool below; /* it stays below the limit, instead */
	int counter, of;
	double limit;
} rules[] = {
    {KT_BOUND_UNCOALESCED, false, KT_COUNTER_LOAD_SECTORS, NOTHING, 16.5},
    {KT_BOUND_UNCOALESCED, false, KT_COUNTER_STORE_SECTORS, NOTHING, 16.5},
    {KT_BOUND_BANDWIDTH, false, KT_COUNTER_MEMORY_BUSY, NOTHING, 80},
    {KT_BOUND_TAIL, true, KT_COUNTER_BUSY, NOTHING, 60},
    {KT_BOUND_ISSUE, false, KT_COUNTER_ISSUE, NOTHING, 60},
    {KT_BOUND_OCCUPANCY, true, KT_COUNTER_WARPS, NOTHING, 25},
    {KT_BOUND_BARRIER, false, KT_COUNTER_BARRIER_WAIT, KT_COUNTER_LATENCY, 30},
    {KT_BOUND_MEMORY, false, KT_COUNTER_MEMORY_WAIT, KT_COUNTER_LATENCY, 30},
};

/* Where no copy bandwidth bound was measured. */
static const double headroom_unknown = 0.5;

const char *kt_bound_name(enum kt_bound bound)
{
	return bounds[bound].name;
}

const char *kt_bound_text(enum kt_bound bound)
{
	return bounds[bound].text;
}

double kt_measure_occupancy(const struct kt_measure *m, const struct kt_device *device)
{
	int64_t blocks;

	if (m->threads <= 0 || m->registers < 0 || m->shared_bytes < 0 || device->max_threads_per_multiprocessor <= 0)
		return -1;
	blocks = kt_device_occupancy_blocks(device, m->threads, m->registers, m->shared_bytes);
	return fmin(1, (double)(blocks * m->threads) / (double)device->max_threads_per_multiprocessor);
}

/* Threads of the launch by those that the device holds at a time; negative: not known. */
static double filled(const struct kt_measure *m, const struct kt_device *device)
{
	const double room = (double)device->multiprocessors * (double)device->max_threads_per_multiprocessor;

	return m->blocks > 0 && m->threads > 0 && room > 0 ? (double)m->blocks * (double)m->threads / room : -1;
}

/* What is not known is no reason. */
static enum kt_bound counted_bound(const struct kt_counted *counted)
{
	for (size_t i = 0; counted != NULL && i < sizeof rules / sizeof *rules; i++) {
		const double value = counted->value[rules[i].counter],
		             whole = rules[i].of != NOTHING ? counted->value[rules[i].of] / 100 : 1;

		if (rules[i].below ? value < rules[i].limit : whole > 0 && value / whole >= rules[i].limit)
			return rules[i].bound;
	}
	return KT_BOUND_UNKNOWN;
}

enum kt_bound kt_measure_bound(const struct kt_measure *m, const struct kt_device *device)
{
	const double share = filled(m, device), occupancy = kt_measure_occupancy(m, device);
	const enum kt_bound counted = counted_bound(m->counted);

	if (!(m->ns > 0))
		return KT_BOUND_UNKNOWN;
	if (m->copy_ns > 0 && m->ns <= m->copy_ns * KT_AT_COPY)
		return KT_BOUND_COPY;
	if (m->local_bytes > 0)
		return KT_BOUND_SPILLS;
	if (share >= 0 && share < filled_least)
		return KT_BOUND_PARALLELISM;
	if (counted != KT_BOUND_UNKNOWN)
		return counted;
	if (occupancy >= 0 && occupancy < occupancy_least)
		return KT_BOUND_OCCUPANCY;
	return m->copy_ns > 0 && m->ns < m->copy_ns * excess_least ? KT_BOUND_LATENCY : KT_BOUND_EXCESS;
}

double kt_measure_headroom(const struct kt_measure *m)
{
	if (!(m->ns > 0) || !(m->copy_ns > 0))
		return headroom_unknown;
	return fmax(0, 1 - m->copy_ns / m->ns);
}

double kt_measure_bytes(const struct kt_region *region, const struct kt_instance *instance, const int64_t *problem,
                        const struct kt_device *device)
{
	struct kt_scope scope = {region, NULL, problem, device};
	struct kt_error ignored;
	int64_t value;
	double sum = 0;

	if (region->bytes.expr != NULL)
		return kt_expr_eval(&value, region->bytes.expr, kt_scope_lookup, &scope, &ignored) == KT_OK ? (double)value : 0;
	for (size_t b = 0; b < region->buffer_count; b++) {
		const struct kt_buffer *buffer = &region->buffers[b];
		const double times = buffer->scratch ? 0 : buffer->direction == KT_INOUT ? 2 : 1;

		if (times == 0)
			continue;
		if (kt_expr_eval(&value, buffer->count.expr, kt_scope_lookup, &scope, &ignored) != KT_OK)
			return 0;
		sum += times * (double)value * (double)kt_buffer_unit(buffer, instance);
	}
	return sum;
}
