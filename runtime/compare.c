#include <math.h>
#include <string.h>

#include "data.h"

#define BLOCK 256 /* elements that are looked at together: most of them are equal */
#define LARGEST_LOOKS ((size_t)4 << 20) /* about this number of elements shows how large all are */

static double real_of_half(uint16_t bits)
{
	double sign = bits & 0x8000 ? -1 : 1;
	unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
	if (exponent == 31)
		return fraction ? (double)NAN : sign * (double)INFINITY;
	return sign * (exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24));
}

double kt_data_real(enum kt_scalar element, uint64_t bits)
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

/* Bits of a floating-point type as a number that counts representable values in order. */
static int64_t ordered(enum kt_scalar element, uint64_t bits)
{
	unsigned width = 8 * kt_scalar_bytes(element);
	uint64_t sign = UINT64_C(1) << (width - 1);
	return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

/* How many steps of the type lie between two finite values, as a power of two. */
static size_t distance_bin(enum kt_scalar element, uint64_t got, uint64_t want, double a, double b)
{
	uint64_t distance = 0;
	if (kt_scalar_is_float(element)) {
		/* Neighbours of zero on both sides differ by far less than 2⁶³, so that nothing overflows unsigned. */
		uint64_t x = (uint64_t)ordered(element, got), y = (uint64_t)ordered(element, want);
		distance = (int64_t)x > (int64_t)y ? x - y : y - x;
	} else {
		double difference = fabs(a - b);
		distance = difference < 0x1p63 ? (uint64_t)difference : UINT64_MAX;
	}
	size_t bin = 0;
	for (; distance && bin < KT_ULP_BINS - 1; distance >>= 1)
		bin++;
	return bin ? bin : 1;
}

static void raise_to(uint64_t *bits, double value)
{
	double before;
	memcpy(&before, bits, sizeof before);
	if (value > before)
		memcpy(bits, &value, sizeof value);
}

static void note_worst(struct kt_result *out, uint64_t i, double difference)
{
	uint64_t bits = 0, place = 0;
	memcpy(&bits, &difference, sizeof bits);
	place = (bits >> 44 << 44) | (~i & 0xfffffffffffu);
	raise_to(&out->worst, difference);
	if (place > out->place)
		out->place = place;
}

/* Two numbers that are not the same bits. */
static bool close_enough(struct kt_result *out, uint64_t i, enum kt_scalar element, uint64_t got, uint64_t want,
                         const struct kt_data_tolerance *t)
{
	double g = kt_data_real(element, got), w = kt_data_real(element, want);
	if (isnan(g) && isnan(w))
		return true;
	if (!isfinite(g) || !isfinite(w)) {
		out->odd += g != w;
		out->ulp[KT_ULP_BINS - 1] += g != w;
		return g == w;
	}
	double difference = fabs(g - w), allowed = t->absolute + t->relative * fabs(w);
	if (difference > 0)
		note_worst(out, i, difference);
	if (difference > 0 && allowed > 0)
		raise_to(&out->ratio, difference / allowed);
	out->ulp[distance_bin(element, got, want, g, w)]++;
	return !t->exact && difference <= allowed;
}

/* The number at `place`, which goes by the index i. */
static void compare_one(struct kt_result *out, uint64_t place, uint64_t i, uint64_t got, uint64_t want,
                        enum kt_scalar element, const struct kt_data_tolerance *tolerance)
{
	const unsigned bytes = kt_scalar_bytes(element);
	if (got == want)
		return;
	if (want == kt_data_poison_bits(place, bytes, tolerance->want_seed) &&
	    got == kt_data_poison_bits(place, bytes, tolerance->got_seed))
		return;
	if (close_enough(out, i, element, got, want, tolerance) && !tolerance->exact)
		return;
	if (!out->wrong++)
		out->first = ~i;
}

static uint64_t place_of(const struct kt_lanes *lanes, uint64_t i)
{
	return i / lanes->width * lanes->step + lanes->first + i % lanes->width;
}

double kt_data_largest(const void *data, size_t count, const struct kt_lanes *lanes, uint64_t poison_seed)
{
	const unsigned char *at = data;
	const unsigned bytes = kt_scalar_bytes(lanes->scalar);
	/* An odd distance: powers of two would find the same columns of a matrix in each row. */
	const size_t step = count / LARGEST_LOOKS < 2 ? 1 : count / LARGEST_LOOKS * 2 + 1;
	double largest = 0;
	for (size_t i = 0; i < count; i += step) {
		const uint64_t place = place_of(lanes, i);
		uint64_t bits = 0;
		memcpy(&bits, at + place * bytes, bytes);
		double value = fabs(kt_data_real(lanes->scalar, bits));
		if (isfinite(value) && value > largest && bits != kt_data_poison_bits(place, bytes, poison_seed))
			largest = value;
	}
	return largest;
}

void kt_data_compare(struct kt_result *out, const void *got, const void *want, size_t count,
                     const struct kt_lanes *lanes, const struct kt_data_tolerance *tolerance)
{
	const unsigned char *g = got, *w = want;
	const unsigned bytes = kt_scalar_bytes(lanes->scalar);
	const bool skips = kt_data_is_dense(lanes) && !tolerance->mask;
	*out = (struct kt_result){.digest = out->digest, .seen = out->seen + count};
	for (size_t start = 0; start < count; start += BLOCK) {
		size_t end = count - start < BLOCK ? count : start + BLOCK;
		if (skips && memcmp(g + start * bytes, w + start * bytes, (end - start) * bytes) == 0)
			continue;
		for (size_t i = start; i < end; i++) {
			const uint64_t place = place_of(lanes, i);
			uint64_t a = 0, b = 0;
			memcpy(&a, g + place * bytes, bytes);
			memcpy(&b, w + place * bytes, bytes);
			if (tolerance->mask)
				b ^= kt_data_poison_bits(place, bytes, tolerance->mask);
			compare_one(out, place, i / lanes->width * lanes->numbers + lanes->index + i % lanes->width, a, b,
			            lanes->scalar, tolerance);
		}
	}
}
