/* Buffers whose elements are several numbers: each part of them is filled, compared and judged by its own type. */
#include <string.h>

#include "engine.h"

struct kt_run_data kt_parts_data(const struct kt_run_data *data, const struct kt_element *element, size_t part)
{
	struct kt_run_data out = *data;
	const struct kt_fill *own = data->fills ? &data->fills[part] : NULL;
	if (own) {
		out.kind = own->kind;
		out.a = own->a;
		out.b = own->b;
		out.whole = own;
	}
	if (part)
		out.seed = kt_data_mix(data->seed + part);
	out.count = data->count * element->parts[part].count;
	return out;
}

kt_status kt_parts_clear_padding(struct kt_engine *e, size_t buffer, kt_at at, int64_t count, struct kt_error *err)
{
	const struct kt_element *element = e->region->buffers[buffer].element;
	for (size_t i = 0; i < element->padding_count; i++) {
		const struct kt_lanes lanes = kt_data_lanes(element, element->part_count + i);
		const struct kt_run_data zeros = {.count = count * (int64_t)lanes.width, .kind = KT_FILL_ZEROS};
		TRY(e->ops->fill(e->state, at, &lanes, &zeros, err));
	}
	return KT_OK;
}

kt_status kt_parts_fill(struct kt_engine *e, size_t buffer, kt_at at, const struct kt_run_data *data,
                        struct kt_error *err)
{
	const struct kt_element *element = e->region->buffers[buffer].element;
	kt_status status = kt_parts_clear_padding(e, buffer, at, data->count, err);
	for (size_t part = 0; !status && part < element->part_count; part++) {
		const struct kt_lanes lanes = kt_data_lanes(element, part);
		const struct kt_run_data own = kt_parts_data(data, element, part);
		status = e->ops->fill(e->state, at, &lanes, &own, err);
	}
	return status;
}

size_t kt_parts_slot(const struct kt_engine *e, size_t buffer, size_t part)
{
	return part ? KT_RUN_BUFFERS + e->region->buffers[buffer].further + part : buffer;
}

/* The larger of two doubles of at least 0, as bits. */
static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

struct kt_result kt_parts_result(const struct kt_engine *e, size_t buffer)
{
	struct kt_result out = e->results[buffer];
	for (size_t part = 1; part < e->region->buffers[buffer].element->part_count; part++) {
		const struct kt_result *own = &e->results[kt_parts_slot(e, buffer, part)];
		out.wrong += own->wrong;
		out.first = larger(out.first, own->first);
		out.place = own->worst > out.worst ? own->place : out.place;
		out.worst = larger(out.worst, own->worst);
		out.ratio = larger(out.ratio, own->ratio);
		out.odd += own->odd;
		out.seen += own->seen;
		for (size_t i = 0; i < KT_ULP_BINS; i++)
			out.ulp[i] += own->ulp[i];
	}
	return out;
}

uint64_t kt_parts_numbers(const struct kt_engine *e, size_t problem, size_t buffer)
{
	const uint64_t count = (uint64_t)e->places[problem].spans[buffer].data->count;
	return count * e->region->buffers[buffer].element->number_count;
}

const char *kt_parts_index(const struct kt_element *element, struct kt_arena *arena, uint64_t index)
{
	const uint64_t numbers = element->number_count;
	const char *text = numbers == 1
	                       ? kt_arena_printf(arena, "index %llu", (unsigned long long)index)
	                       : kt_arena_printf(arena, "index %llu (%s)", (unsigned long long)(index / numbers),
	                                         element->numbers[index % numbers].name);
	return text ? text : "an index";
}
