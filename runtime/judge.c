#include <string.h>

#include "engine.h"

/* The number of the zone that is no buffer's. */
static size_t far_zone(const struct kt_engine *e)
{
	return 2 * e->region->buffer_count;
}

void kt_verify_found(const struct kt_verification *v, enum kt_verdict verdict, const char *detail)
{
	v->trial->verdict = verdict;
	v->trial->detail = detail;
}

/* What was written beside a buffer, and which indices lead there. */
static const char *outside(const struct kt_verification *v, uint64_t zone, uint64_t bytes)
{
	const size_t b = zone / 2 % v->e->region->buffer_count;
	const char *name = v->e->region->buffers[b].name;
	const long long count = (long long)v->e->places[v->problem].spans[b].data->count;
	if (zone == far_zone(v->e))
		return kt_arena_printf(v->arena, "%llu bytes written far from every buffer", (unsigned long long)bytes);
	if (zone % 2 == 0)
		return kt_arena_printf(v->arena, "%llu bytes written before the start of %s, by an index below 0",
		                       (unsigned long long)bytes, name);
	return kt_arena_printf(v->arena, "%llu bytes written past the end of %s, by an index of %lld or above: it has %lld elements",
	                       (unsigned long long)bytes, name, count, count);
}

void kt_verify_surroundings(const struct kt_verification *v)
{
	const struct kt_engine *e = v->e;
	const struct kt_result *zones = &e->results[KT_RUN_BUFFERS];
	v->trial->detail = NULL;
	if (zones->zones)
		kt_verify_found(v, KT_VERDICT_OUT_OF_BOUNDS, outside(v, ~zones->zone, zones->zones));
	for (size_t b = 0; !v->trial->detail && b < e->region->buffer_count; b++) {
		const struct kt_span *span = &e->places[v->problem].spans[b];
		if (span->leader == b && span->direction == KT_IN && e->results[b].digest != span->input_digest)
			kt_verify_found(v, KT_VERDICT_WRONG_ANSWER,
			                kt_arena_printf(v->arena, "input %s was changed", e->region->buffers[b].name));
	}
}

/* A comparison that did not take place, or whose result somebody has written over, finds nothing right. */
static bool is_right(const struct kt_engine *e, const struct kt_span *span, size_t b)
{
	const struct kt_element *element = e->region->buffers[b].element;
	bool right = true;
	for (size_t part = 0; right && part < element->part_count; part++) {
		const struct kt_result *r = &e->results[kt_parts_slot(e, b, part)];
		right = !r->wrong && (!span->bytes || r->seen == (uint64_t)span->data->count * element->parts[part].count);
	}
	return right;
}

size_t kt_verify_wrong(const struct kt_engine *e, size_t problem)
{
	const struct kt_place *place = &e->places[problem];
	size_t b = 0;
	while (b < e->region->buffer_count && (!kt_span_is_output(place, b) || is_right(e, &place->spans[b], b)))
		b++;
	return b;
}

static double real_of(uint64_t bits)
{
	double value = 0;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* ", up to 15 ulp"; empty where nothing differs by its distance. */
static const char *describe_distance(const struct kt_result *r, struct kt_arena *arena)
{
	size_t bin = KT_ULP_BINS;
	while (bin > 1 && !r->ulp[bin - 1])
		bin--;
	if (bin <= 1)
		return "";
	if (bin == KT_ULP_BINS)
		return ", beyond any count of ulp";
	return kt_arena_printf(arena, ", up to %llu ulp", (1ull << (bin - 1)) - 1);
}

static const char *counted_as(const struct kt_element *element)
{
	return element->number_count == 1 ? "elements" : "numbers";
}

const char *kt_verify_describe(const struct kt_verification *v, size_t b, const char *when)
{
	const struct kt_engine *e = v->e;
	struct kt_arena *arena = v->arena;
	const struct kt_element *element = e->region->buffers[b].element;
	const struct kt_result merged = kt_parts_result(e, b), *r = &merged;
	const char *distance = describe_distance(r, arena), *first = kt_parts_index(element, arena, ~r->first);
	if (!r->wrong)
		return kt_arena_printf(arena, "%s: what the comparison found%s was written over", e->region->buffers[b].name,
		                       when);
	if (!r->place)
		return kt_arena_printf(arena, "%s: %llu wrong %s%s, first at %s%s", e->region->buffers[b].name,
		                       (unsigned long long)r->wrong, counted_as(element), when, first,
		                       distance ? distance : "");
	return kt_arena_printf(arena, "%s: %llu wrong %s%s, first at %s, largest error %.3g at %s%s",
	                       e->region->buffers[b].name, (unsigned long long)r->wrong, counted_as(element), when, first,
	                       real_of(r->worst), kt_parts_index(element, arena, ~r->place & 0xfffffffffffull),
	                       distance ? distance : "");
}

void kt_judge_distances(const struct kt_verification *v)
{
	const struct kt_engine *e = v->e;
	const struct kt_place *place = &e->places[v->problem];
	struct kt_run_notes *notes = v->notes;
	notes->ulp_count = 0;
	notes->ulp = kt_arena_array(v->arena, e->region->buffer_count + 1, sizeof *notes->ulp);
	for (size_t b = 0; notes->ulp && b < e->region->buffer_count; b++) {
		const struct kt_result merged = kt_parts_result(e, b), *r = &merged;
		struct kt_ulp *ulp = &notes->ulp[notes->ulp_count];
		uint64_t different = 0;
		if (!kt_span_is_output(place, b) ||
		    (ulp->counts = kt_arena_array(v->arena, KT_ULP_BINS, sizeof *ulp->counts)) == NULL)
			continue;
		for (size_t i = 1; i < KT_ULP_BINS; i++) {
			ulp->counts[i] = (int64_t)r->ulp[i];
			different += r->ulp[i];
		}
		ulp->counts[0] = (int64_t)(kt_parts_numbers(e, v->problem, b) - different);
		for (size_t i = 0; i < KT_ULP_BINS; i++)
			ulp->bins = ulp->counts[i] != 0 ? i + 1 : ulp->bins;
		ulp->buffer = e->region->buffers[b].name;
		ulp->largest = real_of(r->worst);
		ulp->index = (int64_t)((r->place ? ~r->place & 0xfffffffffffu : 0) / e->region->buffers[b].element->number_count);
		notes->ulp_count++;
	}
}
