/*
 * Signals while somebody else's program runs in our place (a user's compiler
 * that is waited for): what is sent to this process is passed on to that one,
 * which cleans up and ends as it would without us; we end after it. What a
 * terminal sends to the whole group has reached it already. A signal that is
 * ignored stays so. One relay at a time.
 */
#ifndef KT_BASE_RELAY_H
#define KT_BASE_RELAY_H

#include <signal.h>
#include <sys/types.h>

struct kt_relay {
	sigset_t mask;               /* the mask of before */
	struct sigaction before[4]; /* what each signal did */
};

/* Before the fork: the signals wait. */
void kt_relay_hold(struct kt_relay *relay);
/* In the child before exec, and in the parent where there is no child: as it was. */
void kt_relay_drop(const struct kt_relay *relay);
/* In the parent: from now on everything goes to the child. */
void kt_relay_start(struct kt_relay *relay, pid_t child);
/* Once the child was waited for: as it was. The last signal that came meanwhile, 0: none. */
int kt_relay_end(const struct kt_relay *relay);

#endif
