// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A narrow quotient that is divided once more stays narrow, where that division has the same value in 32 bits.
// CHECK: template of 0
// CHECK: long q = ${if NARROW}(int)${end}group_row % queries / 1;
// CHECK: long h = (${if NARROW}(long long)${end}group_row - 1) / queries % heads;
#pragma ktune problem((batch, heads, queries, keys) = (2, 3, 5, 8), (1, 2, 9, 16)) inout(s[batch * heads * queries * keys]) \
              in(m[batch * queries * keys])
__global__ void masked(float *s, const float *m, int batch, int heads, unsigned queries, int keys)
{
	long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= (long)batch * heads * queries * keys)
		return;
	int k = i % keys;
	long q = i / keys % queries / 1;
	long h = (i / keys - 1) / queries % heads;
	int b = i / ((long)keys * queries * heads);
	s[i] = m[((long)b * queries + q) * keys + k] > 0 ? s[i] * 2 : (float)(h - 5);
}
void run_masked(float *s, const float *m, int batch, int heads, int queries, int keys)
{
	masked<<<((long)batch * heads * queries * keys + 255) / 256, 256>>>(s, m, batch, heads, queries, keys);
}
// By an int, which may be negative, a quotient without a sign is another one in 64 bits.
// CHECK: template of 1
// CHECK: q = ${if NARROW}(unsigned long long)${end}group_row % heads;
#pragma ktune problem((rows, heads, keys) = (12, 3, 8), (20, 5, 16)) inout(s[rows * keys])
__global__ void without_sign(float *s, int rows, int heads, int keys)
{
	size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= (size_t)rows * keys)
		return;
	const size_t q = i / keys % heads;
	s[i] += (float)q;
}
void run_without_sign(float *s, int rows, int heads, int keys)
{
	without_sign<<<(rows * keys + 255) / 256, 256>>>(s, rows, heads, keys);
}
