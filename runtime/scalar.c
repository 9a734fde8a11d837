#include <math.h>
#include <string.h>

#include "messages.h"

uint16_t kt_bfloat16_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	if (isnan(value))
		return 0x7fff;
	bits += 0x7fff + (bits >> 16 & 1);
	return (uint16_t)(bits >> 16);
}

uint16_t kt_half_bits(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
	if (rest > 0x7f800000)
		return 0x7fff;
	if (rest >= 0x47800000) /* 65536 and above, infinity */
		return (uint16_t)(sign | 0x7c00);
	if (rest < 0x38800000) { /* below the least normal half: counted in units of 2^-24, exact in float */
		float magnitude;
		memcpy(&magnitude, &rest, sizeof magnitude);
		return (uint16_t)(sign | (uint32_t)lrintf(magnitude * 0x1p24f));
	}
	rest += 0xfff + (rest >> 13 & 1);
	return (uint16_t)(sign | (rest - 0x38000000) >> 13);
}

static kt_status real_of(double *out, const cJSON *item, struct kt_error *err)
{
	static const struct {
		const char *text;
		double value;
	} special[] = {{"inf", (double)INFINITY}, {"-inf", -(double)INFINITY}, {"nan", (double)NAN}};
	if (cJSON_IsNumber(item)) {
		*out = item->valuedouble;
		return KT_OK;
	}
	for (size_t i = 0; cJSON_IsString(item) && i < sizeof special / sizeof *special; i++) {
		if (strcmp(item->valuestring, special[i].text) == 0) {
			*out = special[i].value;
			return KT_OK;
		}
	}
	return kt_fail(err, KT_ERR_INVALID, "a floating-point argument is no number");
}

kt_status kt_scalar_bits(uint64_t *out, enum kt_scalar element, const cJSON *item, struct kt_error *err)
{
	double real = 0;
	int64_t integer = 0;
	unsigned bytes = kt_scalar_bytes(element);
	if (element == KT_SCALAR_NONE)
		return kt_fail(err, KT_ERR_INVALID, "an argument has no element type");
	if (!kt_scalar_is_float(element)) {
		TRY(kt_json_item_int(&integer, item, err));
		uint64_t bits = element == KT_BOOL ? integer != 0 : (uint64_t)integer;
		/* The driver reads the argument's size only: little endian, so the low bytes come first. */
		*out = bytes < 8 ? bits & ((UINT64_C(1) << (8 * bytes)) - 1) : bits;
		return KT_OK;
	}
	TRY(real_of(&real, item, err));
	float single = (float)real;
	uint32_t word = 0;
	*out = 0;
	memcpy(&word, &single, sizeof word);
	if (element == KT_F64)
		memcpy(out, &real, sizeof real);
	else
		*out = element == KT_F16 ? kt_half_bits(single) : element == KT_BF16 ? kt_bfloat16_bits(single) : word;
	return KT_OK;
}
