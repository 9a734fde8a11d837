/*
 * Candidates compiled ahead, where the driver compiles at the first launch and
 * keeps the code on disk for other processes (PoCL). Processes of the lowest
 * priority launch each candidate once on the first tuning problem, below the
 * runner's --once, so that the runner finds the code when it tries it. They
 * take what processors the runner leaves idle, nothing of what they compute is
 * looked at, and one that crashes or hangs costs nothing but itself.
 */
#ifndef KT_TESTING_AHEAD_H
#define KT_TESTING_AHEAD_H

#include "testing/testing.h"

struct kt_ahead;
/*
 * *out is NULL where there is nothing to gain: another driver, a recording, no jobs. All that is given here outlives
 * it; requests are written to the folder `scratch`. jobs: most processes at a time.
 */
kt_status kt_ahead_open(struct kt_ahead **out, struct kt_arena *arena, struct kt_tester *tester,
                        const struct kt_config *config, const char *scratch, size_t jobs, struct kt_error *err)
    KT_MUST_CHECK;
/* Kills what runs; accepts NULL. */
void kt_ahead_close(struct kt_ahead *ahead);

/* A candidate that will be tried; once for each number. What it points to outlives `ahead`, which may be NULL. */
void kt_ahead_offer(struct kt_ahead *ahead, size_t number, const struct kt_candidate *candidate);
/* It is tried now, and no longer worth compiling ahead. */
void kt_ahead_drop(struct kt_ahead *ahead, size_t number);
/* Starts and collects processes, without waiting; nothing before a region is there. */
void kt_ahead_poll(struct kt_ahead *ahead);

enum kt_ahead_state {
	KT_AHEAD_DONE,   /* or it will not be compiled */
	KT_AHEAD_WAITS,
	KT_AHEAD_RUNS    /* trying it now compiles it twice */
};
enum kt_ahead_state kt_ahead_state(const struct kt_ahead *ahead, size_t number);

#endif
