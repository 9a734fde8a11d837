#include "planning/choice.h"

#include <math.h>

#include "planning/measure.h"

static const struct {
	const char *name, *text;
} stops[] = {
#define KT_STOP_ROW(id, name, text) {name, text},
    KT_STOPS(KT_STOP_ROW)
#undef KT_STOP_ROW
};

const char *kt_stop_name(enum kt_stop stop)
{
	return stops[stop].name;
}

const char *kt_stop_text(enum kt_stop stop)
{
	return stops[stop].text;
}

void kt_gain_print(struct kt_buf *out, const struct kt_gain *best)
{
	if (best->speedup == 1 && best->noise == 0)
		kt_buf_adds(out, "the best before was the original kernel");
	else
		kt_buf_addf(out, "the best before was %.3fx, noise %.1f%%", best->speedup, 100 * best->noise);
}

bool kt_choice_keeps(const struct kt_gain *best, const struct kt_gain *candidate)
{
	return candidate->speedup > best->speedup * (1 + fmax(best->noise, candidate->noise));
}

enum kt_choice_generator kt_choice_next(const struct kt_offer offers[KT_CHOOSE_NONE], double least)
{
	enum kt_choice_generator best = KT_CHOOSE_NONE;
	double rate = 0;

	for (int i = 0; i < KT_CHOOSE_NONE; i++) {
		const double own = offers[i].gain / fmax(offers[i].seconds, 1e-3);

		if (offers[i].there && offers[i].gain > least && own > rate) {
			rate = own;
			best = (enum kt_choice_generator)i;
		}
	}
	return best;
}

enum kt_stop kt_choice_stop(const struct kt_progress *p)
{
	if (p->over_copy > 0 && p->over_copy <= KT_AT_COPY)
		return KT_STOP_COPY;
	if (p->fruitless >= KT_FRUITLESS_MOST)
		return KT_STOP_FRUITLESS;
	if (p->rounds >= p->most)
		return KT_STOP_ROUNDS;
	if (!(p->seconds_left > 0))
		return KT_STOP_TIME;
	if (p->trials_left <= 0)
		return KT_STOP_TRIALS;
	if (p->attempts != 0 && p->unpaid != 0)
		return KT_STOP_TOKENS;
	if (p->attempts != 0 && p->awaited == p->attempts)
		return KT_STOP_AWAITED;
	if (p->nobody)
		return KT_STOP_NOBODY;
	return p->attempts != 0 && p->declined == p->attempts ? KT_STOP_DECLINED : KT_STOP_NONE;
}
