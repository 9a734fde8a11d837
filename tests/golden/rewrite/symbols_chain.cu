// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Where the array begins behind the symbol's begin, each turn needs what the one before stored.
// CHECK-COUNT-3: template of
// CHECK-NOT: strategy parts
// CHECK-NOT: strategy vectorize
__device__ float table[65536];
__device__ float listed(int i)
{
	return table[i];
}
#pragma ktune problem(n = 64; m = 64) in(table[n * m]) in(x[n * m]) inout(y[n * m])
__global__ void to_end(float *y, const float *x, int n, int m)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	const int end = m - 1;
	for (int k = 0; k < end; k++)
		y[i * m + k] = table[i * m + k] * 0.5f + x[i * m + k];
}
#pragma ktune problem(n = 64; m = 64) in(table[n * m]) in(x[n * m]) inout(y[n * m])
__global__ void to_last(float *y, const float *x, int n, int m)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	for (int k = 0; k < m - 1; k++)
		y[i * m + k] = table[i * m + k] * 0.5f + x[i * m + k];
}
#pragma ktune problem(n = 64; m = 32) in(table[n * m]) in(x[n * m]) inout(y[n * m])
__global__ void by_call(float *y, const float *x, int n, int m)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	for (int k = 0; k + 1 < m; k++)
		y[i * m + k] = listed(i * m + k) * 0.5f + x[i * m + k];
}
void run(float *y, const float *x, int n, int m)
{
	to_end<<<(n + 255) / 256, 256>>>(y, x, n, m);
	to_last<<<(n + 255) / 256, 256>>>(y, x, n, m);
	by_call<<<(n + 255) / 256, 256>>>(y, x, n, m);
}
