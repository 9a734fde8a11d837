#include "tuning/rng.h"

static uint64_t splitmix(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t value, int by)
{
	return value << by | value >> (64 - by);
}

void kt_rng_seed(struct kt_rng *rng, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		rng->state[i] = splitmix(&seed);
}

uint64_t kt_rng_next(struct kt_rng *rng)
{
	uint64_t *s = rng->state;
	const uint64_t result = rotate(s[1] * 5, 7) * 9, shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate(s[3], 45);
	return result;
}

uint64_t kt_rng_below(struct kt_rng *rng, uint64_t bound)
{
	/* 2^64 mod bound: below it a remainder would come up once more than the others. */
	const uint64_t uneven = (0 - bound) % bound;
	uint64_t value;

	do
		value = kt_rng_next(rng);
	while (value < uneven);
	return value % bound;
}

double kt_rng_double(struct kt_rng *rng)
{
	return (double)(kt_rng_next(rng) >> 11) * 0x1p-53;
}
