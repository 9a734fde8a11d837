/*
 * What the planning agent decides, from numbers alone: which generator is asked
 * next, what is kept, when to stop. `ktcc plan replay` makes the same decisions
 * from the numbers of the decision log.
 */
#ifndef KT_PLANNING_CHOICE_H
#define KT_PLANNING_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* A result beside the original: how many times as fast (1: the original), and the noise of its comparison, relative. */
struct kt_gain {
	double speedup, noise;
};
/* "the best before was 2.100x, noise 0.4%", or that it was the original. */
void kt_gain_print(struct kt_buf *out, const struct kt_gain *best);
/*
 * Is the candidate better than the best so far, by more than both comparisons' noise? Else the best stays. With the best
 * before a round and after it as arguments: did the round gain anything?
 */
bool kt_choice_keeps(const struct kt_gain *best, const struct kt_gain *candidate);
enum kt_choice_generator { KT_CHOOSE_RULES, KT_CHOOSE_MODEL, KT_CHOOSE_NONE };
/* What can be asked, and what is expected of it: part of the time saved, seconds that it takes. */
struct kt_offer {
	bool there;
	double gain, seconds;
};
/* The offer with the largest expected gain for its time; none where all promise less than `least`. */
enum kt_choice_generator kt_choice_next(const struct kt_offer offers[KT_CHOOSE_NONE], double least);

#define KT_STOPS(X) \
	X(NONE, "going-on", "it goes on") \
	X(COPY, "at-the-copy-bound", "the best is as fast as a copy of the same bytes") \
	X(FRUITLESS, "fruitless", "two rounds gained less than noise") \
	X(ROUNDS, "rounds", "the rounds of the budget are spent") \
	X(TIME, "time", "the time of the budget is spent") \
	X(TRIALS, "trials", "the trials of the budget are spent") \
	X(TOKENS, "tokens", "the tokens or the money of the budget are spent") \
	X(AWAITED, "awaited", "answers are awaited") \
	X(NOBODY, "nobody", "nobody answers") \
	X(DECLINED, "declined", "the model has nothing to suggest") \
	X(PROMISE, "no-promise", "nothing promises more than noise") \
	X(BROKEN, "broken", "a question could not be made")

enum kt_stop {
#define KT_STOP_ROW(id, name, text) KT_STOP_##id,
	KT_STOPS(KT_STOP_ROW)
#undef KT_STOP_ROW
	KT_STOP_COUNT
};
const char *kt_stop_name(enum kt_stop stop);
const char *kt_stop_text(enum kt_stop stop);

/* The state of the rounds. */
struct kt_progress {
	double over_copy;        /* geometric mean over the problems: the best's time by the copy's; 0: not known */
	unsigned rounds, most;    /* of the model: made, allowed */
	unsigned fruitless;       /* consecutive ones, up to the last round */
	double seconds_left;
	int64_t trials_left;
	/* Of the attempts of the last round. */
	unsigned attempts, awaited, declined, unpaid;
	bool nobody;
};
#define KT_FRUITLESS_MOST 2
/* The first rule that applies, in the order of KT_STOPS; NONE: another round. */
enum kt_stop kt_choice_stop(const struct kt_progress *progress);

#endif
