/* Bits of numbers. */
#include <math.h>
#include <string.h>

#include "generation/ir/number.h"

kt_ir_wide kt_ir_cut(const struct kt_ir_type *type, kt_ir_wide value)
{
	unsigned spare;

	if (type->kind == KT_IR_BOOL)
		return value != 0;
	if (type->bits >= 128)
		return value;
	spare = 128 - type->bits;
	if (type->is_signed)
		return (kt_ir_wide)((kt_ir_uwide)value << spare) >> spare;
	return (kt_ir_wide)((kt_ir_uwide)value << spare >> spare);
}

kt_ir_wide kt_ir_wide_of(const struct kt_ir_type *type, const uint64_t bits[2])
{
	return kt_ir_cut(type, (kt_ir_wide)((kt_ir_uwide)bits[1] << 64 | bits[0]));
}

void kt_ir_wide_bits(const struct kt_ir_type *type, kt_ir_wide value, uint64_t bits[2])
{
	kt_ir_uwide cut = (kt_ir_uwide)kt_ir_cut(type, value);

	if (type->kind == KT_IR_INTEGER && type->bits < 128)
		cut &= ((kt_ir_uwide)1 << type->bits) - 1;
	bits[0] = (uint64_t)cut;
	bits[1] = (uint64_t)(cut >> 64);
}

/* Of the two formats of 16 bits: their bits of exponent and of fraction. */
static const struct {
	int exponent, fraction;
} narrow[] = {[KT_IR_F16] = {5, 10}, [KT_IR_BF16] = {8, 7}};

/* Rounds by hand, since not every compiler converts to these. */
static uint64_t round_narrow(enum kt_ir_format format, double value)
{
	const int fraction = narrow[format].fraction, width = narrow[format].exponent;
	const int bias = (1 << (width - 1)) - 1;
	const uint64_t sign = signbit(value) ? (uint64_t)1 << 15 : 0, infinite = (uint64_t)((1 << width) - 1) << fraction;
	double scaled;
	int exponent;
	uint64_t magnitude;

	if (isnan(value))
		return 0x7fff;
	if (isinf(value) || value == 0)
		return sign | (value == 0 ? 0 : infinite);
	frexp(value, &exponent);
	exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
	/* One unit of the last place is 1: nearbyint rounds to even in the default mode. */
	scaled = nearbyint(ldexp(fabs(value), fraction - exponent));
	magnitude = (uint64_t)scaled + ((uint64_t)(exponent + bias - 1) << fraction);
	return sign | (magnitude >= infinite ? infinite : magnitude);
}

uint64_t kt_ir_round(enum kt_ir_format format, double value)
{
	uint64_t bits = 0;
	float single = (float)value;

	switch (format) {
	case KT_IR_F16:
	case KT_IR_BF16:
		return round_narrow(format, value);
	case KT_IR_F32:
		if (isnan(value))
			return 0x7fffffff;
		memcpy(&bits, &single, sizeof single);
		return bits;
	case KT_IR_F64:
		if (isnan(value))
			return 0x7fffffffffffffff;
		memcpy(&bits, &value, sizeof value);
		return bits;
	}
	return 0;
}

static double unround_narrow(enum kt_ir_format format, uint64_t bits)
{
	const int fraction = narrow[format].fraction, width = narrow[format].exponent;
	const int bias = (1 << (width - 1)) - 1, exponent = (int)(bits >> fraction & ((1U << width) - 1));
	const uint64_t low = bits & ((1U << fraction) - 1);
	double value;

	if (exponent == (1 << width) - 1)
		value = low != 0 ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		value = ldexp((double)low, 1 - bias - fraction);
	else
		value = ldexp((double)(low | (uint64_t)1 << fraction), exponent - bias - fraction);
	return bits >> 15 & 1 ? -value : value;
}

double kt_ir_unround(enum kt_ir_format format, uint64_t bits)
{
	uint32_t word = (uint32_t)bits;
	float single;
	double value;

	switch (format) {
	case KT_IR_F16:
	case KT_IR_BF16:
		return unround_narrow(format, bits);
	case KT_IR_F32:
		memcpy(&single, &word, sizeof single);
		return (double)single;
	case KT_IR_F64:
		memcpy(&value, &bits, sizeof value);
		return value;
	}
	return 0;
}
