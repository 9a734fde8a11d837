/* Bits of numbers: every value of 16 bits, and many of 64, beside the compiler's own. */
#include <math.h>

#include "generation/ir/number.h"
#include "ir_case.h"

__extension__ typedef _Float16 half;

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed ^ *seed >> 29;
}

static void test_half(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (uint32_t bits = 0; bits < 65536; bits++) {
		const double value = kt_ir_unround(KT_IR_F16, bits);
		const uint16_t word = (uint16_t)bits;
		half own;

		memcpy(&own, &word, sizeof own);
		if (isnan(value)) {
			assert_true(isnan((double)own));
			continue;
		}
		assert_true((double)own == value && signbit((double)own) == signbit(value));
		assert_int_equal(kt_ir_round(KT_IR_F16, value), bits);
	}
	/* In between: around the ties of every binade, subnormal ones and the overflow included. */
	for (int i = 0; i < 300000; i++) {
		const double low = kt_ir_unround(KT_IR_F16, next(&seed) & 0x7fff), part = (double)(next(&seed) % 65) / 64;
		const double unit = ldexp(1, (low > 0 && isfinite(low) ? ilogb(low) : -14) - 10);
		const double value = isfinite(low) ? low + part * unit : 65504 + part * 32;
		const half own = (half)value;
		uint16_t word;

		memcpy(&word, &own, sizeof word);
		assert_int_equal(kt_ir_round(KT_IR_F16, value), word);
		assert_int_equal(kt_ir_round(KT_IR_F16, -value), word | 0x8000);
	}
}

/* bfloat16 is the upper half of a float: rounding to nearest even there, by the usual addition. */
static void test_bfloat16(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < 300000; i++) {
		const uint32_t word = (uint32_t)next(&seed);
		float value;

		memcpy(&value, &word, sizeof value);
		if (isnan(value))
			continue;
		assert_int_equal(kt_ir_round(KT_IR_BF16, (double)value),
				 (word + 0x7fff + (word >> 16 & 1)) >> 16);
		assert_true(kt_ir_unround(KT_IR_BF16, word >> 16) ==
			    kt_ir_unround(KT_IR_F32, word & 0xffff0000) ||
			    isnan(kt_ir_unround(KT_IR_BF16, word >> 16)));
	}
}

static void test_integers(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_module *module = kt_ir_module_new(arena);
	const struct {
		unsigned bits;
		bool is_signed;
		int64_t given, kept;
	} rows[] = {
	    {8, true, 200, -56},	  {8, false, -1, 255},	       {16, true, 0x18000, -32768},
	    {32, false, -1, 4294967295},  {32, true, 1LL << 31, INT32_MIN}, {64, true, INT64_MIN, INT64_MIN},
	};
	int64_t kept;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_true(kt_ir_is_constant(kt_ir_constant(module,
							     kt_ir_integer(module, rows[i].bits, rows[i].is_signed),
							     rows[i].given),
					      &kept));
		assert_int_equal(kept, rows[i].kept);
	}
	assert_true(kt_ir_is_constant(kt_ir_constant(module, kt_ir_bool(module), 7), &kept));
	assert_int_equal(kept, 1);
	assert_ptr_equal(kt_ir_integer(module, 32, true), kt_ir_integer(module, 32, true));
	assert_ptr_not_equal(kt_ir_integer(module, 32, true), kt_ir_integer(module, 32, false));
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_half),
	    cmocka_unit_test(test_bfloat16),
	    cmocka_unit_test(test_integers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
