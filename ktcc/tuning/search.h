/*
 * Search strategies with one interface: ask for configurations, tell what came of
 * them. A search never asks for a configuration twice, nor for one it was told about.
 *
 * Deterministic: what is asked is a function of strategy, space, seed, budget and the
 * sequence of asks and tells before. A killed search is resumed by opening it again and
 * answering its asks from what was kept: it goes on where it was. Told without having
 * been asked, the same facts are used all the same, but the path may differ.
 */
#ifndef KT_TUNING_SEARCH_H
#define KT_TUNING_SEARCH_H

#include "tuning/prior.h"
#include "tuning/space.h"

struct kt_search;

/* A strategy, as in the table of search.c; its functions are in tuning/strategy.h. */
struct kt_strategy {
	const char *name, *summary;
	bool plans;   /* the budget changes what it asks for */
	bool listens; /* what it is told changes what it asks for */
	const struct kt_strategy_calls *calls;
};

/* What came of a configuration. All but OK are without a cost. */
enum kt_tell {
	KT_TELL_OK,
	KT_TELL_COMPILE, /* does not compile */
	KT_TELL_RUNTIME, /* does not run */
	KT_TELL_WRONG,   /* wrong results */
	KT_TELL_SLOW,    /* valid, but stopped early because others are faster */
};

/* All of them, in the order of the table. */
size_t kt_strategies(const struct kt_strategy *const **out);
/* By its name or a synonym (base/strategies.h); NULL when unknown. */
const struct kt_strategy *kt_strategy_find(const char *name);
/* KT_ERR_INVALID with a message that lists the strategies there are. */
kt_status kt_strategy_unknown(const char *name, struct kt_error *err);

/*
 * `budget`: how many evaluations there will probably be, so that a strategy can plan;
 * 0: unknown. It is a hint: more may be asked for, and fewer told. The space must
 * outlive the search and may not be used by another thread meanwhile.
 */
kt_status kt_search_open(struct kt_search **out, const char *strategy, const struct kt_space *space, uint64_t seed,
                         size_t budget, struct kt_error *err) KT_MUST_CHECK;
/* What is known from elsewhere (tuning/prior.h), before the first ask; NULL: nothing. It must outlive the search. */
void kt_search_know(struct kt_search *search, struct kt_prior *prior);
/* Writes up to `most` indices; 0 when every configuration was asked for or told. */
size_t kt_search_ask(size_t *indices, size_t most, struct kt_search *search);
/* A positive cost, the lower the better; anything that is not finite counts as KT_TELL_RUNTIME. Repeated: ignored. */
void kt_search_tell(struct kt_search *search, size_t index, double cost);
void kt_search_tell_verdict(struct kt_search *search, size_t index, enum kt_tell verdict);
/* What was told as valid has turned out to be wrong: it counts as KT_TELL_WRONG from now on. */
void kt_search_retract(struct kt_search *search, size_t index);
/* Does it make a difference when the search is told what came of what it asked for? */
bool kt_search_listens(const struct kt_search *search);
void kt_search_close(struct kt_search *search);

#endif
