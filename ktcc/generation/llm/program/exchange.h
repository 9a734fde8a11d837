/*
 * ktcc-llm: one question to a model and its answer, through an endpoint or
 * through files. Requests come as JSON lines on stdin, events go as JSON lines
 * to stdout (docs/protocol.md, "ktcc-llm").
 *
 * The key is read here and nowhere else. It is in this process's memory and in one header of one connection; every line that
 * leaves the process is searched for it (`say.c`).
 */
#ifndef KT_LLM_EXCHANGE_H
#define KT_LLM_EXCHANGE_H

#include "base/hash.h"
#include "base/json.h"

#define KT_LLM_BODY_BYTES ((size_t)8 << 20)  /* longest response that is read */
#define KT_LLM_TEXT_BYTES ((size_t)2 << 20)  /* longest answer */
#define KT_LLM_PROMPT_BYTES ((size_t)4 << 20) /* longest messages */
#define KT_LLM_KEY_BYTES 4096
#define KT_LLM_CONNECT_SECONDS 15
#define KT_LLM_WAIT_SECONDS 30.0             /* longest pause between two tries that the endpoint did not ask for */
#define KT_LLM_BYTES_PER_TOKEN 3             /* what a token is taken for before the endpoint has counted */

struct kt_exchange {
	struct kt_arena *arena;
	/* The request, as it came; texts are NULL where they were not given. */
	const char *url, *model, *key_file, *key_command, *key_env, *proxy, *ca_file, *record, *state, *label, *schema_mode;
	double timeout_s, idle_s, temperature, cost_limit, price_prompt, price_reply;
	int64_t retries, jobs, reply_tokens, token_limit, seed;
	bool stream;
	const cJSON *messages; /* [{"role", "content"}] */
	const cJSON *schema;   /* of the answer, NULL: none */
	size_t prompt_bytes;   /* of all contents */
	char hash[KT_HASH_TEXT]; /* of messages and seed: what a recorded answer belongs to */
	double started_s;

	/* The answer. */
	struct kt_buf text;
	const char *answered_by; /* the model's name as in the endpoint's answer, the file or the transcript */
	const char *finish;      /* "stop", "length"; NULL: unknown */
	const char *match;       /* "exact" or "label" where the answer was not made for this request; NULL: it was */
	int64_t when;            /* seconds since the epoch */
	int64_t prompt_tokens, completion_tokens; /* −1: not counted by anybody */
	int64_t attempts;
	bool with_schema;
	double cost;

	/* What went wrong: a word of docs/protocol.md, and a sentence. */
	const char *code;
	const char *awaited;     /* pending: the file that the answer is to be in; NULL otherwise */
	struct kt_error error;
};

/* Fails with one of the words of the protocol. Returns false. */
bool kt_exchange_fail(struct kt_exchange *x, const char *code, const char *format, ...) KT_PRINTF(3, 4);
/* Seconds that are left for this exchange. */
double kt_exchange_left(const struct kt_exchange *x);
/* Tokens of the prompt, estimated from above. */
int64_t kt_exchange_prompt_tokens(const struct kt_exchange *x);

/* `say.c`: one line to stdout, without the key. */
void kt_say_line(cJSON *event);
/* The key's places are blanked in text before it goes anywhere. */
void kt_say_hide(const char *key);
void kt_say_forget(void);
/* Blanks the key in the text. */
void kt_say_scrub(char *text, size_t size);

/* key.c: the key, "" for none. It lives until kt_key_forget. */
bool kt_key_find(const char **out, struct kt_exchange *x);
void kt_key_forget(void);

/* spend.c: a place among the requests that run at a time; -1 where they are not counted. */
bool kt_spend_enter(int *slot, struct kt_exchange *x);
void kt_spend_leave(int slot);
/* Takes this much of the money of 24 hours; corrected once the cost is known. */
bool kt_spend_reserve(struct kt_exchange *x, double cost);
void kt_spend_settle(struct kt_exchange *x, double reserved);

/* http.c: asks the endpoint. */
bool kt_http_complete(struct kt_exchange *x);
/* Is there an endpoint, and does it know key and model? Fills x->text with its answer. */
bool kt_http_probe(struct kt_exchange *x);

/* files.c: dir:/path and transcript:/path. */
bool kt_files_complete(struct kt_exchange *x, const char *folder);
bool kt_files_replay(struct kt_exchange *x, const char *folder);
bool kt_files_probe(struct kt_exchange *x, const char *folder, bool writing);
/* Keeps the exchange as a transcript in x->record. */
void kt_files_record(struct kt_exchange *x);

#endif
