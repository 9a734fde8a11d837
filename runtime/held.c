#include "engine.h"

/* Queues the digest of what is held of each output. */
kt_status kt_held_digest(struct kt_engine *e, size_t problem, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	for (size_t b = 0; b < e->region->buffer_count; b++) {
		if (kt_span_is_output(place, b) && place->spans[b].bytes)
			TRY(e->ops->digest(e->state, b, place->held + place->spans[b].kept, place->spans[b].bytes, 0, 1,
					   err));
	}
	return KT_OK;
}

bool kt_held_intact(const struct kt_engine *e, size_t problem, size_t page)
{
	const struct kt_place *place = &e->places[problem];
	for (size_t b = 0; place->held && b < e->region->buffer_count; b++) {
		if (kt_span_is_output(place, b) && place->spans[b].bytes &&
		    e->pages[page][b].digest != place->spans[b].held_digest)
			return false;
	}
	return true;
}

/* From the host, through the field, where it is wiped again. */
static kt_status put(struct kt_engine *e, size_t problem, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	TRY(e->ops->upload(e->state, place->staging, place->reference, place->kept_bytes, err));
	for (size_t b = 0; b < e->region->buffer_count; b++) {
		const struct kt_span *span = &place->spans[b];
		if (kt_span_is_output(place, b) && span->bytes)
			TRY(e->ops->mask(e->state, place->held + span->kept, place->staging + span->kept, span->bytes,
					 place->mask, err));
	}
	TRY(e->ops->poison(e->state, place->staging, place->kept_bytes, 0, 1, kt_verify_poison(e), err));
	TRY(e->ops->clear(e->state, err));
	TRY(kt_held_digest(e, problem, err));
	return kt_verify_fetch(e, err);
}

kt_status kt_held_restore(struct kt_engine *e, size_t problem, struct kt_error *err)
{
	kt_status status = put(e, problem, err);
	if (!status && !kt_held_intact(e, problem, KT_PAGES - 1))
		return kt_fail(err, KT_ERR_CHILD, "a reference is not on the device what it is on the host");
	return status;
}

static size_t wanted(const struct kt_engine *e, size_t problem)
{
	return e->places[problem].usable && e->places[problem].reference ? e->places[problem].kept_bytes : 0;
}

kt_status kt_held_take(struct kt_engine *e, struct kt_error *err)
{
	struct kt_error refused;
	size_t bytes = 0;
	kt_at at = KT_AT_HELD;
	for (size_t p = 0; p < e->region->problem_count; p++)
		bytes += wanted(e, p);
	/* Without them references come from the host, each time. */
	if (!bytes || e->host_reads || !e->ops->hold || e->ops->hold(e->state, bytes, &refused))
		return KT_OK;
	for (size_t p = 0; p < e->region->problem_count; p++) {
		struct kt_place *place = &e->places[p];
		if (!wanted(e, p))
			continue;
		place->held = at;
		place->mask = kt_verify_poison(e);
		at += place->kept_bytes;
		TRY(put(e, p, err));
		for (size_t b = 0; b < e->region->buffer_count; b++)
			place->spans[b].held_digest = e->results[b].digest;
	}
	return KT_OK;
}
