/*
 * A model that is reached through an endpoint or through files, asked by ktcc-llm (docs/protocol.md). Off unless KTUNE_LLM_URL
 * is set. An answer is untrusted text: kt_reply_read and kt_check_ask come next.
 */
#ifndef KT_GENERATION_LLM_LLM_H
#define KT_GENERATION_LLM_LLM_H

#include "base/buf.h"
#include "base/config.h"
#include "base/hash.h"

struct kt_llm;

/*
 * Starts ktcc-llm. KT_ERR_MISSING: no URL, no program, or an endpoint that did
 * not answer a minute ago, in this process or in another one of this store.
 */
kt_status kt_llm_open(struct kt_llm **out, const struct kt_config *config, struct kt_error *err) KT_MUST_CHECK;
void kt_llm_close(struct kt_llm *llm); /* accepts NULL */
/* `alive` is called about every second while the answer is pending. */
void kt_llm_watch(struct kt_llm *llm, void (*alive)(void *context), void *context);

struct kt_llm_message {
	const char *role; /* "system", "user", "assistant" */
	const char *content;
};

struct kt_llm_question {
	/*
	 * Names the question in files: region with the start of its key, round, attempt ("silu-95001c94.r2.a0"). The
	 * same label means the same place in the loop, whatever was measured meanwhile.
	 */
	const char *label;
	size_t message_count;
	const struct kt_llm_message *messages;
	double limit_s;      /* what is left of the time for answers; at most KTUNE_LLM_TIMEOUT is taken of it */
	int64_t seed;        /* added to KTUNE_LLM_SEED: another answer to the same question */
	bool no_schema;      /* the answer is no reply of reply.schema.json */
};

struct kt_llm_answer {
	const char *text;
	size_t size;
	const char *model;   /* the model that answered, as reported */
	int64_t when;        /* seconds since the epoch */
	bool recorded;       /* from a file */
	bool exact;          /* recorded: to this very question */
	bool complete;       /* false: it ended at its longest length */
	const char *awaited; /* KT_ERR_BUSY: the file that the answer is to be in; NULL: none will come */
	int64_t prompt_tokens, reply_tokens; /* as counted by the endpoint, else estimated; 0 for files */
	double cost, seconds;
	char question_hash[KT_HASH_TEXT], answer_hash[KT_HASH_TEXT];
};

/*
 * Asks, waits. Everything lives in arena. KT_ERR_LIMIT: a budget (tokens of the region, money, the question's limit_s).
 * KT_ERR_BUSY: the question is in a folder and waits for its answer, or no answer to it was recorded. KT_ERR_MISSING: there is
 * no model to answer: later questions fail at once. KT_ERR_CHILD: this question failed. The first failure that is neither a
 * budget nor pending is reported to the user, once in a build.
 */
kt_status kt_llm_ask(struct kt_llm_answer *out, struct kt_arena *arena, struct kt_llm *llm,
                     const struct kt_llm_question *question, struct kt_error *err) KT_MUST_CHECK;

/* What was used: tokens of prompts and answers, money. Failed questions count. One kt_llm is for one region. */
struct kt_llm_usage {
	int64_t questions, prompt_tokens, reply_tokens;
	double cost, seconds;
};
struct kt_llm_usage kt_llm_usage(const struct kt_llm *llm);
/* Tokens that are left for this region. */
int64_t kt_llm_tokens_left(const struct kt_llm *llm);

/*
 * Is the endpoint there, does it take the key, does it have the model? Appends
 * one line with what was found. For `ktcc doctor`.
 */
kt_status kt_llm_probe(struct kt_buf *out, const struct kt_config *config, struct kt_error *err) KT_MUST_CHECK;

#endif
