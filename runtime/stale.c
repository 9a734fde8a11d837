#include "engine.h"

#define GAPS 8
#define OTHER_DATA 0x5bd1e995u

/* Element number `part` of GAPS that stays poisoned, somewhere in its share of the buffer. */
static uint64_t gap(const struct kt_engine *e, uint64_t count, uint64_t part)
{
	uint64_t start = count / GAPS * part, share = part + 1 < GAPS ? count / GAPS : count - start;
	return start + (share ? kt_data_mix(e->runs * GAPS + part) % share : 0);
}

kt_status kt_stale_outputs(struct kt_engine *e, size_t problem, size_t set, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	kt_status status = KT_OK;
	for (size_t b = 0; !status && b < e->region->buffer_count; b++) {
		const struct kt_span *span = &place->spans[b];
		uint64_t count = (uint64_t)span->data->count, done = 0;
		size_t size = e->region->buffers[b].element->bytes;
		if (span->leader != b || span->direction != KT_OUT)
			continue;
		/* Few elements have one gap, the last. */
		for (uint64_t part = count < 2 * GAPS ? GAPS - 1 : 0; !status && part < GAPS; part++) {
			uint64_t next = gap(e, count, part);
			if (next > done)
				status = e->ops->copy(e->state, kt_place_at(e, problem, set, b) + done * size,
				                      place->snapshot + span->kept + done * size, (size_t)(next - done) * size, err);
			done = next + 1;
		}
		if (!status && done < count)
			status = e->ops->copy(e->state, kt_place_at(e, problem, set, b) + done * size,
			                      place->snapshot + span->kept + done * size, (size_t)(count - done) * size, err);
	}
	return status;
}

kt_status kt_stale_data(size_t *page, const struct kt_verification *v, struct kt_error *err)
{
	struct kt_engine *e = v->e;
	const size_t problem = v->problem, set = kt_verify_next_set(e, problem); /* of the newest marks: of the last run */
	const struct kt_place *place = &e->places[problem];
	struct kt_marks marks = kt_verify_marks(e);
	/* The original runs on another set. */
	if (place->sets < 2 || !place->kept_bytes)
		return KT_OK;
	e->salt = OTHER_DATA;
	kt_status status = kt_verify_run(NULL, e, v->what, problem, set, marks, kt_verify_limit(e, problem, false), err);
	THEN(status, e->ops->clear(e->state, err));
	THEN(status, kt_verify_with_reference(e, problem, set, marks, err));
	THEN(status, kt_verify_page(page, e, err));
	e->salt = 0;
	return status;
}

void kt_stale_judge(const struct kt_verification *v, size_t page)
{
	v->e->results = v->e->pages[page];
	const size_t wrong = kt_verify_wrong(v->e, v->problem);
	if (wrong < v->e->region->buffer_count)
		kt_verify_found(v, KT_VERDICT_WRONG_ANSWER,
		                kt_verify_describe(v, wrong, " with other data at the same addresses"));
}
