// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Iterations of one thread that touch one element keep their order: their loop is distributed in no other way. Those of two threads would race.
// CHECK: template of 0 0
// CHECK: template of 1 0
// CHECK: template of 2 0
// CHECK: template of 3 0
// CHECK: template of 4 0
// CHECK-NOT: template of
// CHECK-COUNT-10: declined carried line
// CHECK-NOT: declined
#pragma ktune problem(n = 4096; c = 8, 64) in(x[n * c]) out(y[n * c])
__global__ void turned(float *__restrict__ y, const float *__restrict__ x, int n, int c)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * c; i += blockDim.x * gridDim.x)
		y[(i % c) * n + i / c] = x[i];
}
#pragma ktune problem(n = 4096; a = 8; b = 4) in(x[n * a * b]) out(y[n * a * b])
__global__ void permuted(float *__restrict__ y, const float *__restrict__ x, int n, int a, int b)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * a * b; i += blockDim.x * gridDim.x) {
		int rest = i;
		int k = rest / (a * b);
		rest %= a * b;
		y[rest * n + k] = x[i];
	}
}
#pragma ktune problem(n = 4096) in(x[n], to[n] : range(0, 4095)) inout(y[n])
__global__ void scattered(float *__restrict__ y, const float *__restrict__ x, const int *__restrict__ to, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		y[to[i]] = x[i];
}
#pragma ktune problem(n = 4096) inout(y[2 * n])
__global__ void halves(float *__restrict__ y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		float low = y[2 * i], high = y[2 * i + 1];
		y[2 * i] = low + high;
		y[2 * i + 1] = low - high;
	}
}
#pragma ktune problem(n = 4096) in(x[n]) inout(counts[16])
__global__ void counted(int *__restrict__ counts, const int *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		atomicAdd(&counts[i % 16], x[i]);
}
#pragma ktune problem(n = 4096) in(x[n]) out(y[64])
__global__ void last_by_remainder(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		y[i % 64] = x[i];
}
#pragma ktune problem(n = 4096) in(x[n]) out(y[64])
__global__ void last_by_mask(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		y[(i + 3) & 63] = x[i];
}
#pragma ktune problem(n = 4096) in(x[n]) out(y[256])
__global__ void last_by_type(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		y[(unsigned char)i] = x[i];
}
#pragma ktune problem(n = 4096) in(x[n]) out(y[256])
__global__ void last_by_name(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		unsigned char at = i;
		y[at] = x[i];
	}
}
#pragma ktune problem(n = 4096) in(x[n]) out(y[64])
__global__ void last_by_change(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		int at = i;
		at %= 64;
		y[at] = x[i];
	}
}
#pragma ktune problem(n = 4096) in(x[n]) inout(y[64])
__global__ void summed(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
		y[i % (64 * 4)] += x[i];
}
#pragma ktune problem(n = 4096) inout(y[n])
__global__ void chained(float *__restrict__ y, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		if (i >= 64)
			y[i] += y[i - 64];
}
#pragma ktune problem(n = 4096) inout(y[n])
__global__ void first_again(float *__restrict__ y, int n)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		if (i >= 64)
			y[i] += y[i % 64];
}
#pragma ktune problem(rows = 16; d = 512) in(x[rows * d]) out(y[rows * 64])
__global__ void last_of_row(float *__restrict__ y, const float *__restrict__ x, int d)
{
	for (int i = threadIdx.x; i < d; i += 64)
		y[blockIdx.x * 64 + i % 64] = x[blockIdx.x * d + i];
}
#pragma ktune problem(rows = 16; d = 512) inout(y[rows * d])
__global__ void chained_row(float *__restrict__ y, int d)
{
	for (int i = threadIdx.x; i < d; i += 64)
		if (i >= 64)
			y[blockIdx.x * d + i] += y[blockIdx.x * d + i - 64];
}
void run(float *y, const float *x, const int *to, int *counts, const int *z, int n, int a, int b, int c, int rows, int d)
{
	turned<<<4, 256>>>(y, x, n, c);
	permuted<<<4, 256>>>(y, x, n, a, b);
	scattered<<<4, 256>>>(y, x, to, n);
	halves<<<4, 256>>>(y, n);
	counted<<<4, 256>>>(counts, z, n);
	last_by_remainder<<<1, 64>>>(y, x, n);
	last_by_mask<<<1, 64>>>(y, x, n);
	last_by_type<<<1, 64>>>(y, x, n);
	last_by_name<<<1, 64>>>(y, x, n);
	last_by_change<<<1, 64>>>(y, x, n);
	summed<<<4, 64>>>(y, x, n);
	chained<<<1, 64>>>(y, n);
	first_again<<<1, 64>>>(y, n);
	last_of_row<<<rows, 64>>>(y, x, d);
	chained_row<<<rows, 64>>>(y, d);
}
