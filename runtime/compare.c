#include <math.h>
#include <string.h>

#include "data.h"

#define BLOCK 256 /* elements that are looked at together: most of them are equal */

static double real_of_half(uint16_t bits)
{
	double sign = bits & 0x8000 ? -1 : 1;
	unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
	if (exponent == 31)
		return fraction ? (double)NAN : sign * (double)INFINITY;
	return sign * (exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24));
}

static double real_of(enum kt_scalar element, uint64_t bits)
{
	uint32_t word = (uint32_t)(element == KT_BF16 ? bits << 16 : bits);
	float single;
	double wide;
	switch (element) {
	case KT_F64:
		memcpy(&wide, &bits, sizeof wide);
		return wide;
	case KT_F32:
	case KT_BF16:
		memcpy(&single, &word, sizeof single);
		return (double)single;
	case KT_F16:
		return real_of_half((uint16_t)bits);
	case KT_I8:
		return (double)(int8_t)bits;
	case KT_I16:
		return (double)(int16_t)bits;
	case KT_I32:
		return (double)(int32_t)bits;
	case KT_I64:
		return (double)(int64_t)bits;
	default:
		return (double)bits;
	}
}

static bool close_enough(struct kt_data_result *out, double got, double want,
                         const struct kt_data_tolerance *tolerance)
{
	if (isnan(got) || isnan(want))
		return isnan(got) && isnan(want);
	if (isinf(got) || isinf(want))
		return got == want;
	double difference = fabs(got - want);
	if (difference > out->worst)
		out->worst = difference;
	return difference <= tolerance->absolute + tolerance->relative * fabs(want);
}

static void compare_one(struct kt_data_result *out, uint64_t i, uint64_t got, uint64_t want, enum kt_scalar element,
                        unsigned bytes, const struct kt_data_tolerance *tolerance)
{
	if (got == want)
		return;
	if (want == kt_data_poison_bits(i, bytes, tolerance->want_seed) &&
	    got == kt_data_poison_bits(i, bytes, tolerance->got_seed))
		return;
	if (!tolerance->exact && close_enough(out, real_of(element, got), real_of(element, want), tolerance))
		return;
	if (!out->wrong++)
		out->first = i;
}

void kt_data_compare(struct kt_data_result *out, const void *got, const void *want, size_t count,
                     enum kt_scalar element, const struct kt_data_tolerance *tolerance)
{
	const unsigned char *g = got, *w = want;
	unsigned bytes = kt_scalar_bytes(element);
	*out = (struct kt_data_result){0};
	for (size_t start = 0; start < count; start += BLOCK) {
		size_t end = count - start < BLOCK ? count : start + BLOCK;
		if (memcmp(g + start * bytes, w + start * bytes, (end - start) * bytes) == 0)
			continue;
		for (size_t i = start; i < end; i++) {
			uint64_t a = 0, b = 0;
			memcpy(&a, g + i * bytes, bytes);
			memcpy(&b, w + i * bytes, bytes);
			compare_one(out, i, a, b, element, bytes, tolerance);
		}
	}
}
