#include "data.h"

#include <math.h>
#include <string.h>

#include "messages.h"

uint64_t kt_data_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static uint32_t poison_word(uint64_t word, uint64_t seed)
{
	return (uint32_t)(kt_data_mix(word ^ seed) >> 32);
}

uint64_t kt_data_poison_bits(uint64_t i, unsigned bytes, uint64_t seed)
{
	if (bytes == 8)
		return (uint64_t)poison_word(2 * i, seed) | (uint64_t)poison_word(2 * i + 1, seed) << 32;
	if (bytes == 4)
		return poison_word(i, seed);
	unsigned per_word = 4 / bytes;
	uint32_t word = poison_word(i / per_word, seed);
	return (word >> (8 * bytes * (i % per_word))) & ((UINT32_C(1) << (8 * bytes)) - 1);
}

void kt_data_poison(void *out, size_t bytes, uint64_t seed)
{
	unsigned char *to = out;
	const size_t words = bytes / 4;
	for (size_t i = 0; i < words; i++) {
		const uint32_t word = poison_word(i, seed);
		memcpy(to + 4 * i, &word, sizeof word);
	}
	const uint32_t last = poison_word(words, seed);
	memcpy(to + 4 * words, &last, bytes % 4);
}

void kt_data_mask(void *to, const void *from, size_t bytes, uint64_t seed)
{
	unsigned char *out = to;
	const unsigned char *in = from;
	kt_data_poison(to, bytes, seed);
	for (size_t i = 0; i < bytes; i++)
		out[i] ^= in[i];
}

/*
 * Four bytes of a zone. Each byte is 0x70 to 0x73, 0x78 to 0x7b or one of them
 * with the sign: 10²⁹ and beyond, or 8192 and beyond in f16. Odd seeds: NaN of
 * any type, −1 as an integer or nearly the least.
 */
static uint32_t zone_word(uint64_t word, uint64_t seed)
{
	uint32_t poison = poison_word(word, seed);
	return seed & 1 ? poison | 0x7fffffff : (poison & 0x8b8b8b8b) | 0x70707070;
}

void kt_data_zone(void *out, size_t bytes, uint64_t seed)
{
	unsigned char *to = out;
	for (size_t i = 0; i < bytes; i += 4) {
		uint32_t word = zone_word(i / 4, seed);
		memcpy(to + i, &word, bytes - i < 4 ? bytes - i : 4);
	}
}

size_t kt_data_damage(const void *data, size_t bytes, uint64_t seed)
{
	const unsigned char *from = data;
	size_t damaged = 0;
	for (size_t i = 0; i < bytes; i += 4) {
		uint32_t word = zone_word(i / 4, seed);
		size_t size = bytes - i < 4 ? bytes - i : 4;
		if (memcmp(from + i, &word, size) == 0)
			continue;
		for (size_t k = 0; k < size; k++)
			damaged += from[i + k] != (unsigned char)(word >> (8 * k));
	}
	return damaged;
}

uint64_t kt_data_digest(const void *data, size_t bytes, uint64_t salt)
{
	const unsigned char *from = data;
	uint64_t sum = 0;
	size_t whole = bytes / 16;
	for (size_t i = 0; i < whole; i++) {
		uint64_t v[2];
		memcpy(v, from + 16 * i, sizeof v);
		sum += kt_data_mix(kt_data_mix(v[0] ^ kt_data_mix(salt ^ i)) + v[1]);
	}
	for (size_t i = whole * 16; i < bytes; i++)
		sum += kt_data_mix(kt_data_mix(salt ^ ~(uint64_t)i) ^ from[i]);
	return sum;
}

/*
 * What an element type represents: integers up to this period exactly, whether
 * it has a fraction, and how many denormal magnitudes of which unit.
 */
static const struct {
	uint64_t iota_period; /* 0: all of them */
	bool real, wide;
	uint64_t denormals;
	int unit; /* power of two */
} traits[] = {
    [KT_BOOL] = {2, false, false, 0, 0},
    [KT_I8] = {0, false, false, 0, 0},
    [KT_U8] = {0, false, false, 0, 0},
    [KT_I16] = {0, false, false, 0, 0},
    [KT_U16] = {0, false, false, 0, 0},
    [KT_I32] = {0, false, false, 0, 0},
    [KT_U32] = {0, false, false, 0, 0},
    [KT_I64] = {0, false, false, 0, 0},
    [KT_U64] = {0, false, false, 0, 0},
    [KT_F16] = {2048, true, false, 1023, -24},
    [KT_BF16] = {256, true, false, 127, -133},
    [KT_F32] = {1 << 24, true, false, (1 << 23) - 1, -149},
    [KT_F64] = {UINT64_C(1) << 53, true, true, (UINT64_C(1) << 52) - 1, -1074},
};

/* One element's value: an integer, or a real. */
struct value {
	bool is_real;
	int64_t integer;
	double real;
};

static struct value normal(const struct kt_run_data *fill, bool wide, uint64_t h)
{
	static const double pi = 3.14159265358979323846;
	struct value v = {.is_real = true};
	if (wide) {
		double u = ((double)(h >> 11) + 0.5) * 0x1p-53, w = (double)(kt_data_mix(h) >> 11) * 0x1p-53;
		v.real = fill->a + fill->b * sqrt(-2.0 * log(u)) * cos(2.0 * pi * w);
		return v;
	}
	float u = ((float)(h >> 40) + 0.5f) * 0x1p-24f, w = (float)(h & 0xffffff) * 0x1p-24f;
	v.real = (double)((float)fill->a + (float)fill->b * sqrtf(-2.0f * logf(u)) * cosf(2.0f * (float)pi * w));
	return v;
}

static double uniform(enum kt_scalar element, const struct kt_run_data *fill, uint64_t h)
{
	return traits[element].wide || !traits[element].real
	           ? fill->a + (fill->b - fill->a) * ((double)(h >> 11) * 0x1p-53)
	           : (double)((float)fill->a + (float)(fill->b - fill->a) * ((float)(h >> 40) * 0x1p-24f));
}

/* The fills of checks; the low bits decide what kind of number it is, another number what it is. */
static double unusual(enum kt_scalar element, const struct kt_run_data *fill, uint64_t h)
{
	static const double specials[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, -0.0};
	uint64_t other = kt_data_mix(h);
	double sign = h & 1 ? -1 : 1;
	switch (fill->kind) {
	case KT_FILL_CONSTANT:
		return fill->a;
	case KT_FILL_SPARSE:
		return h & 7 ? 0 : uniform(element, fill, other);
	case KT_FILL_LARGE:
		return sign * pow(10, 4 * ((double)(other >> 11) * 0x1p-53));
	case KT_FILL_DENORMAL:
		return traits[element].denormals
		           ? sign * ldexp((double)(1 + other % traits[element].denormals), traits[element].unit)
		           : 0;
	default:
		return h & 15 ? uniform(element, fill, other) : specials[h >> 4 & 3];
	}
}

/*
 * Where i goes in a permutation of 0 … n − 1: a Feistel network of four rounds over the next power of four, walked until it
 * is inside again (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002).
 */
static uint64_t permuted(uint64_t i, uint64_t n, uint64_t seed)
{
	unsigned half = 1;
	while (half < 31 && (UINT64_C(1) << (2 * half)) < n)
		half++;
	const uint64_t low = (UINT64_C(1) << half) - 1;
	do {
		uint64_t left = i >> half, right = i & low;
		for (uint64_t round = 0; round < 4; round++) {
			const uint64_t next = left ^ (kt_data_mix(seed ^ (right << 2 | round)) & low);
			left = right;
			right = next;
		}
		i = left << half | right;
	} while (i >= n);
	return i;
}

/* Fills that promise an order, a range or a structure; integers unless `sorted` is one of fractions. */
static struct value arranged(uint64_t i, enum kt_scalar element, const struct kt_run_data *fill, uint64_t seed, uint64_t h)
{
	const uint64_t count = (uint64_t)fill->count, mean = (uint64_t)fill->a;
	const double u = (double)(h >> 11) * 0x1p-53, place = ((double)i + u) / (double)count;
	struct value v = {false, 0, 0};
	switch (fill->kind) {
	case KT_FILL_PERMUTATION:
		v.integer = (int64_t)permuted(i, count, seed);
		return v;
	case KT_FILL_UNIQUE: {
		const uint64_t numbers = (uint64_t)((int64_t)fill->b - (int64_t)fill->a) + 1;
		v.integer = (int64_t)fill->a + (int64_t)permuted(i % numbers, numbers, seed);
		return v;
	}
	case KT_FILL_SORTED:
		if (traits[element].real)
			return (struct value){.is_real = true, .real = fill->a + (fill->b - fill->a) * place};
		v.integer = (int64_t)fmin(fill->b, floor(fill->a + (fill->b - fill->a + 1) * place));
		return v;
	case KT_FILL_OFFSETS:
		/* Lengths from 0 to twice the mean; the first offset is 0 and the last one all of them at their mean. */
		v.integer = (int64_t)(i * mean + (i == 0 || i + 1 == count ? 0 : h % (mean + 1)));
		return v;
	default:
		v.integer = u < fill->a;
		return v;
	}
}

static struct value make(uint64_t i, enum kt_scalar element, const struct kt_run_data *fill, uint64_t seed)
{
	uint64_t period = traits[element].iota_period, h = kt_data_mix(seed ^ i);
	struct value v = {false, 0, 0};
	switch (fill->kind) {
	case KT_FILL_ZEROS:
		return v;
	case KT_FILL_IOTA:
		v.integer = (int64_t)(period ? i % period : i);
		return v;
	case KT_FILL_RANGE:
		v.integer = (int64_t)fill->a + (int64_t)(h % (uint64_t)((int64_t)fill->b - (int64_t)fill->a + 1));
		return v;
	case KT_FILL_PERMUTATION:
	case KT_FILL_UNIQUE:
	case KT_FILL_SORTED:
	case KT_FILL_OFFSETS:
	case KT_FILL_MASK:
		return arranged(i, element, fill, seed, h);
	case KT_FILL_CHOICE:
		return (struct value){.is_real = true, .real = kt_fill_number(fill->whole, h % fill->whole->count)};
	case KT_FILL_NORMAL:
		return normal(fill, traits[element].wide, h);
	case KT_FILL_DEFAULT:
	case KT_FILL_UNIFORM:
		return (struct value){.is_real = true, .real = uniform(element, fill, h)};
	default:
		return (struct value){.is_real = true, .real = unusual(element, fill, h)};
	}
}

/* Out of an integer type's range is undefined in C: such a fill saturates. */
static int64_t truncated(double real)
{
	return real >= 0x1p63 ? INT64_MAX : real <= -0x1p63 ? INT64_MIN : real == real ? (int64_t)real : 0;
}

static uint64_t bits_of(enum kt_scalar element, const struct value *v)
{
	double real = v->is_real ? v->real : (double)v->integer;
	float single = (float)real;
	uint32_t word;
	uint64_t wide;
	switch (element) {
	case KT_F64:
		memcpy(&wide, &real, sizeof wide);
		return wide;
	case KT_F32:
		memcpy(&word, &single, sizeof word);
		return word;
	case KT_F16:
		return kt_half_bits(single);
	case KT_BF16:
		return kt_bfloat16_bits(single);
	case KT_BOOL:
		return v->is_real ? v->real > 0.0 : (uint64_t)v->integer & 1;
	default:
		return (uint64_t)(v->is_real ? truncated(v->real) : v->integer);
	}
}

/* Ends of the range of an integer type. */
static double clamped(enum kt_scalar element, double real)
{
	const int bits = 8 * (int)kt_scalar_bytes(element);
	const bool is_signed = element == KT_I8 || element == KT_I16 || element == KT_I32 || element == KT_I64;
	const double most = ldexp(1, is_signed ? bits - 1 : bits) - 1, least = is_signed ? -ldexp(1, bits - 1) : 0;
	return real < least ? least : real > most ? most : real;
}

uint64_t kt_data_bits(enum kt_scalar element, double real)
{
	const struct value as_it_is = {.is_real = true, .real = real};
	if (kt_scalar_is_float(element))
		return bits_of(element, &as_it_is);
	if (element == KT_BOOL)
		return real != 0;
	real = clamped(element, nearbyint(real));
	/* The upper half of the widest type is out of truncated()'s range. */
	if (element == KT_U64 && real >= 0x1p63)
		return real >= 0x1p64 ? UINT64_MAX : (uint64_t)real;
	return (uint64_t)truncated(real);
}

struct kt_lanes kt_data_lanes(const struct kt_element *element, size_t part)
{
	const struct kt_part *p = &element->parts[part];
	const uint64_t size = kt_scalar_bytes(p->scalar);

	return (struct kt_lanes){p->offset / size, element->bytes / size, p->count,
	                         p->first, element->number_count, p->scalar};
}

void kt_data_fill(void *out, const struct kt_lanes *lanes, const struct kt_run_data *fill)
{
	unsigned char *to = out;
	const size_t size = kt_scalar_bytes(lanes->scalar);
	const uint64_t seed = kt_data_mix(fill->seed);
	uint64_t i = 0;
	if (fill->kind == KT_FILL_FILE) {
		memcpy(out, fill->contents, (size_t)fill->count * size);
		return;
	}
	for (uint64_t at = lanes->first; i < (uint64_t)fill->count; at += lanes->step)
		for (uint64_t lane = 0; lane < lanes->width && i < (uint64_t)fill->count; lane++, i++) {
			struct value v = make(i, lanes->scalar, fill, seed);
			uint64_t bits = bits_of(lanes->scalar, &v);
			/* Little endian: the low bytes come first. */
			memcpy(to + (at + lane) * size, &bits, size);
		}
}
