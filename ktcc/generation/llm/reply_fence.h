/* The places of an answer's parts: JSON, or fenced blocks of Markdown. */
#ifndef KT_GENERATION_LLM_REPLY_FENCE_H
#define KT_GENERATION_LLM_REPLY_FENCE_H

#include <stdbool.h>
#include <stddef.h>

struct kt_reply_part {
	const char *text; /* NULL: there is none */
	size_t size;
};

struct kt_reply_parts {
	struct kt_reply_part json; /* one object, with its braces */
	struct kt_reply_part code; /* the last block of CUDA code */
};

/*
 * Finds them. Reasoning between <think> and </think> in front is no part of the
 * answer. False: neither is there.
 */
bool kt_reply_find(struct kt_reply_parts *out, const char *text, size_t size);

#endif
