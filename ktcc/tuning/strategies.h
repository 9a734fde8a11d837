/* The strategies that search.c lists, one file each. */
#ifndef KT_TUNING_STRATEGIES_H
#define KT_TUNING_STRATEGIES_H

#include "tuning/search.h"

extern const struct kt_strategy kt_strategy_exhaustive;
extern const struct kt_strategy kt_strategy_random;

#endif
