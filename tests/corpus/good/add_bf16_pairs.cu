/*
# bfloat16 in place, both halves of a word.
region = "add_bf16"
launch.grid = ["n / bx / 2"]
guard = "offset == 0"
*/
KERNEL CANDIDATE(ADD_BF16)
{
	i64 i = GLOBAL_ID(x);
	if (2 * i + 1 < n) {
		u32 left = ((GLOBAL u32 *)r)[i], right = ((GLOBAL const u32 *)x)[i];
		u32 low = round_bf16(FLOAT_OF((int)(left << 16)) + FLOAT_OF((int)(right << 16)));
		u32 high = round_bf16(FLOAT_OF((int)(left & 0xffff0000u)) + FLOAT_OF((int)(right & 0xffff0000u)));
		((GLOBAL u32 *)r)[i] = low | high << 16;
	} else if (2 * i < n) {
		r[2 * i] = round_bf16(load_bf16(r[2 * i]) + load_bf16(x[2 * i]));
	}
}
