/*
 * Requests to one server over HTTP, several at a time, all of them over within
 * one time limit. A redirect is an answer like any other, never followed; what
 * is longer than its ceiling is no answer; only http and https are spoken.
 */
#ifndef KT_REMOTE_TRANSFER_H
#define KT_REMOTE_TRANSFER_H

#include "base/buf.h"

#define KT_TRANSFER_BODY_BYTES ((size_t)4 << 20) /* largest body, either way */
#define KT_TRANSFER_MOST 64                      /* requests at a time */

enum kt_transfer_verb { KT_TRANSFER_GET, KT_TRANSFER_HEAD, KT_TRANSFER_PUT };

struct kt_transfer {
	const char *name;   /* below the base: letters, digits, '.', '_', '-' */
	const char *body;   /* PUT: what is put */
	size_t body_size;
	/* Filled in: */
	long status;        /* the server's; 0: none, and `error` has the reason */
	const char *error;  /* text of libcurl's or a literal; lives as long as the program */
	struct kt_buf text; /* GET with status 200; the caller frees it */
};

struct kt_server;

/* base: "http…://host/folder"; token NULL: none is sent; ca NULL: the system's certificates. Texts are copied. */
kt_status kt_server_open(struct kt_server **out, const char *base, const char *token, const char *ca,
                         struct kt_error *err) KT_MUST_CHECK;
void kt_server_close(struct kt_server *server); /* accepts NULL */
/* Runs all; a request that is not over after limit_ms has the error "timed out". */
kt_status kt_server_run(struct kt_server *server, enum kt_transfer_verb verb, struct kt_transfer *transfers,
                        size_t count, long limit_ms, struct kt_error *err) KT_MUST_CHECK;

#endif
