#include "data.h"

#include <math.h>
#include <string.h>

#include "messages.h"

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static uint32_t poison_word(uint64_t word, uint64_t seed)
{
	return (uint32_t)(mix(word ^ seed) >> 32);
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
	for (size_t i = 0; i < bytes; i += 4) {
		uint32_t word = poison_word(i / 4, seed);
		memcpy(to + i, &word, bytes - i < 4 ? bytes - i : 4);
	}
}

size_t kt_data_damage(const void *data, size_t bytes, uint64_t seed)
{
	const unsigned char *from = data;
	size_t damaged = 0;
	for (size_t i = 0; i < bytes; i += 4) {
		uint32_t word = poison_word(i / 4, seed);
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
		sum += mix(mix(v[0] ^ mix(salt ^ i)) + v[1]);
	}
	for (size_t i = whole * 16; i < bytes; i++)
		sum += mix(mix(salt ^ ~(uint64_t)i) ^ from[i]);
	return sum;
}

/* What an element type represents: integers up to this period exactly, and whether it has a fraction. */
static const struct {
	uint64_t iota_period; /* 0: all of them */
	bool real, wide;
} traits[] = {
    [KT_BOOL] = {2, false, false},     [KT_I8] = {0, false, false},    [KT_U8] = {0, false, false},
    [KT_I16] = {0, false, false},      [KT_U16] = {0, false, false},   [KT_I32] = {0, false, false},
    [KT_U32] = {0, false, false},      [KT_I64] = {0, false, false},   [KT_U64] = {0, false, false},
    [KT_F16] = {2048, true, false},    [KT_BF16] = {256, true, false}, [KT_F32] = {1 << 24, true, false},
    [KT_F64] = {UINT64_C(1) << 53, true, true},
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
		double u = ((double)(h >> 11) + 0.5) * 0x1p-53, w = (double)(mix(h) >> 11) * 0x1p-53;
		v.real = fill->a + fill->b * sqrt(-2.0 * log(u)) * cos(2.0 * pi * w);
		return v;
	}
	float u = ((float)(h >> 40) + 0.5f) * 0x1p-24f, w = (float)(h & 0xffffff) * 0x1p-24f;
	v.real = (double)((float)fill->a + (float)fill->b * sqrtf(-2.0f * logf(u)) * cosf(2.0f * (float)pi * w));
	return v;
}

static struct value make(uint64_t i, enum kt_scalar element, const struct kt_run_data *fill, uint64_t seed)
{
	uint64_t period = traits[element].iota_period, h = mix(seed ^ i);
	bool wide = traits[element].wide;
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
	case KT_FILL_NORMAL:
		return normal(fill, wide, h);
	case KT_FILL_DEFAULT:
	case KT_FILL_UNIFORM:
		break;
	}
	v.is_real = true;
	v.real = wide || !traits[element].real
	             ? fill->a + (fill->b - fill->a) * ((double)(h >> 11) * 0x1p-53)
	             : (double)((float)fill->a + (float)(fill->b - fill->a) * ((float)(h >> 40) * 0x1p-24f));
	return v;
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

void kt_data_fill(void *out, enum kt_scalar element, const struct kt_run_data *fill)
{
	unsigned char *to = out;
	size_t size = kt_scalar_bytes(element);
	uint64_t seed = mix(fill->seed);
	for (uint64_t i = 0; i < (uint64_t)fill->count; i++) {
		struct value v = make(i, element, fill, seed);
		uint64_t bits = bits_of(element, &v);
		/* Little endian: the low bytes come first. */
		memcpy(to + i * size, &bits, size);
	}
}
