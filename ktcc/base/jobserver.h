/*
 * GNU make's jobserver, as a client: a recipe may run one job; for each further
 * one at the same time it takes a token and gives it back. Both kinds of make
 * are known, the pipe (--jobserver-auth=R,W) and the named pipe (fifo:PATH).
 */
#ifndef KT_BASE_JOBSERVER_H
#define KT_BASE_JOBSERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define KT_JOBSERVER_TOKENS 64 /* most that are held at a time */

struct kt_jobserver {
	bool present; /* make announced one; without, every job may start */
	int reading, writing; /* -1: it cannot be reached, as in a recipe that make does not take for a submake */
	size_t held;
	char tokens[KT_JOBSERVER_TOKENS]; /* what was read goes back as it came */
};

/* The one that `flags` (the value of MAKEFLAGS; NULL: none) tells of. */
void kt_jobserver_open(struct kt_jobserver *server, const char *flags);
/* May one more job start? Never waits. */
bool kt_jobserver_take(struct kt_jobserver *server);
/* One job fewer. Nothing happens when no token is held. */
void kt_jobserver_give(struct kt_jobserver *server);
/* Gives back all. */
void kt_jobserver_close(struct kt_jobserver *server);

#endif
