/* Random numbers that are the same everywhere for a seed: xoshiro256**, seeded by splitmix64. */
#ifndef KT_TUNING_RNG_H
#define KT_TUNING_RNG_H

#include <stdint.h>

struct kt_rng {
	uint64_t state[4];
};

void kt_rng_seed(struct kt_rng *rng, uint64_t seed);
uint64_t kt_rng_next(struct kt_rng *rng);
/* Uniform in [0, bound), without the bias of a remainder; bound ≥ 1. */
uint64_t kt_rng_below(struct kt_rng *rng, uint64_t bound);
/* Uniform in [0, 1). */
double kt_rng_double(struct kt_rng *rng);

#endif
