/*
# Weights from a table in constant memory.
arguments = ["y", "x", "i32 n"]
buffers = ["out f32 y[n]", "in u8 x[n] range 0 7"]
problems = [{n = 1000}]
checks = [{n = 1}, {n = 77, x = "offset=7"}]
block = [64]
grid = ["n / bx"]
*/
TABLE float constant_table_weights[8] = {0.0f, 0.5f, 1.5f, -2.0f, 3.0f, 7.25f, -1.0f, 100.0f};

KERNEL ORIGINAL(GLOBAL float *y, GLOBAL const u8 *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = x[i] == 0   ? 0.0f
		       : x[i] == 1 ? 0.5f
		       : x[i] == 2 ? 1.5f
		       : x[i] == 3 ? -2.0f
		       : x[i] == 4 ? 3.0f
		       : x[i] == 5 ? 7.25f
		       : x[i] == 6 ? -1.0f
		                   : 100.0f;
}

KERNEL CANDIDATE(GLOBAL float *y, GLOBAL const u8 *x, int n)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = constant_table_weights[x[i]];
}
