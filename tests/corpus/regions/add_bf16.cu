/*
# r += x in bfloat16.
arguments = ["r", "x", "i32 n"]
buffers = ["inout bf16 r[n] normal 0 1", "in bf16 x[n] uniform -1 1"]
problems = [{n = 1000}, {n = 4099}]
checks = [{n = 1}, {n = 77, r = "offset=2"}]
block = [64]
grid = ["n / bx"]
*/
#define ADD_BF16 GLOBAL u16 *r, GLOBAL const u16 *x, int n

KERNEL ORIGINAL(ADD_BF16)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		r[i] = round_bf16(load_bf16(r[i]) + load_bf16(x[i]));
}
