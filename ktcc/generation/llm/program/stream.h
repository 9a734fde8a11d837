/*
 * What comes back from /v1/chat/completions, as it comes: one JSON object, or
 * server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html)
 * whose data are pieces of one.
 */
#ifndef KT_LLM_STREAM_H
#define KT_LLM_STREAM_H

#include "exchange.h"

struct kt_stream {
	struct kt_exchange *x;
	bool events;        /* server-sent events; else one object */
	struct kt_buf body; /* the object, or the line that is not complete yet */
	size_t size;        /* bytes that came */
	bool ended;         /* it reported that it is complete */
	bool too_long;
	const char *complaint; /* an error object inside of a response */
};

void kt_stream_open(struct kt_stream *s, struct kt_exchange *x, bool events);
/* Takes bytes; false: no more are wanted. */
bool kt_stream_take(struct kt_stream *s, const char *data, size_t size);
/* What is left at the end. False, with x->code: no answer came out of it. */
bool kt_stream_end(struct kt_stream *s);
void kt_stream_free(struct kt_stream *s);
/* The message of an error body {"error":{"message"}} or {"error":"…"}, on one line; "" for none. In arena. */
const char *kt_stream_complaint(struct kt_arena *arena, const struct kt_buf *body);

#endif
