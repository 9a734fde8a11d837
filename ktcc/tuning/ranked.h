/* The best configurations told so far, for strategies with a population. */
#ifndef KT_TUNING_RANKED_H
#define KT_TUNING_RANKED_H

#include "tuning/strategy.h"

#define KT_RANKED_MOST 32

struct kt_ranked {
	size_t heard, count, room;
	size_t place[KT_RANKED_MOST]; /* in view->told, by cost ascending */
};

/* `room`: how many are kept, at most KT_RANKED_MOST. */
void kt_ranked_open(struct kt_ranked *ranked, size_t room);
/* Takes in what was told since. */
void kt_ranked_listen(struct kt_ranked *ranked, const struct kt_view *view);

#endif
