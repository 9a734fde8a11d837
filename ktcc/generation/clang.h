/*
 * The client of `ktcc-clang serve` (docs/protocol.md, "serve"): one process per source file, which parses it once and
 * answers one request after the other. The process is started by the first request and again by the one after its
 * death, so that a request on which it dies costs no other.
 */
#ifndef KT_GENERATION_CLANG_H
#define KT_GENERATION_CLANG_H

#include <stdint.h>

#include "base/buf.h"

struct kt_clang_options {
	const char *file, *directory, *toolkit; /* as for scan; directory and toolkit may be NULL */
	int64_t arch;            /* 90; 0: OpenCL */
	char *const *arguments;  /* of clang, NULL-terminated; NULL: none */
	const char *cache;       /* where precompiled headers are kept; NULL: none are used */
};

struct kt_clang_client;
/* Starts nothing. The options' strings are copied. */
kt_status kt_clang_open(struct kt_clang_client **out, const struct kt_clang_options *options, struct kt_error *err)
    KT_MUST_CHECK;
/* Accepts NULL. */
void kt_clang_close(struct kt_clang_client *client);

/*
 * Sends one request, a line of JSON, and appends the line that comes back. `what` names the request in messages. On any
 * failure the process has ended, or is ended. KT_ERR_MISSING: no libclang. KT_ERR_LIMIT: no answer within limit_s.
 */
kt_status kt_clang_ask(struct kt_buf *answer, struct kt_clang_client *client, const char *what, const char *request,
                       double limit_s, struct kt_error *err) KT_MUST_CHECK;
/* The first half of kt_clang_ask, for a request whose answer is awaited later by kt_clang_receive. */
kt_status kt_clang_send(struct kt_clang_client *client, const char *what, const char *request, struct kt_error *err)
    KT_MUST_CHECK;
kt_status kt_clang_receive(struct kt_buf *answer, struct kt_clang_client *client, const char *what, double limit_s,
                           struct kt_error *err) KT_MUST_CHECK;
/* Nothing more is asked for now: the process ends by itself, without being waited for. Accepts NULL. */
void kt_clang_rest(struct kt_clang_client *client);

#endif
