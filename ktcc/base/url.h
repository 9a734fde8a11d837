/* Which addresses a secret, a question or an entry may go to, by their text alone: nothing is looked up. */
#ifndef KT_BASE_URL_H
#define KT_BASE_URL_H

#include <stdbool.h>

/*
 * Does "http://…" or "https://…" name this machine itself: localhost, 127.0.0.0/8 in four decimal numbers, [::1], with
 * or without a port? Addresses that parsers could read differently (a user, a backslash, "127.1") are not this machine.
 */
bool kt_url_is_loopback(const char *url);

/* May a connection be made? https to every host, http to this machine alone, neither with a user in the address. */
bool kt_url_may_go(const char *url);

#endif
