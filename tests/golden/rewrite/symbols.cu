// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A launch may be given the address of a device symbol: the kernel asks whether an array leads there. What is constant
// nobody writes, and a number in memory is read where the kernel reads it.
// CHECK: template of 0 0
// CHECK: (reinterpret_cast<const char *>(y + (long)n) <= reinterpret_cast<const char *>(table) || reinterpret_cast<const char *>(table) + sizeof(table) <= reinterpret_cast<const char *>(y)) &&
// CHECK: template of 1 0
// CHECK: template of 2 0
// CHECK: parameter VEC
// CHECK-NOT: reinterpret_cast<const char *>
// CHECK: template of 3 0
// CHECK: parameter VEC
// CHECK-NOT: reinterpret_cast<const char *>
// CHECK: template of 4 0
// CHECK-NOT: parameter VEC
// CHECK: template of 5 0
// CHECK-NOT: parameter VEC
__device__ float table[65536];
__constant__ float weights[16];
__device__ const float fixed[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ float factor;
__device__ float listed(int i)
{
	return table[i];
}
__device__ float scaled(float v)
{
	return v * factor;
}
#pragma ktune problem(n = 2048) in(table[n]) in(x[n]) inout(y[n])
__global__ void halved(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = table[i] * 0.5f + x[i];
}
#pragma ktune problem(n = 64; m = 64) in(table[n * m]) in(x[n * m]) inout(y[n])
__global__ void summed(float *y, const float *x, int n, int m)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		for (int k = 0; k < m; k++)
			y[i] += table[i] * x[i + k * n];
	}
}
#pragma ktune problem(n = 64; m = 16) in(x[n * m], weights[16]) inout(y[n])
__global__ void weighted(float *y, const float *x, int n, int m)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float s = 0.0f;
	for (int k = 0; k < m; k++)
		s += weights[k % 16] * fixed[k % 8] * x[i * m + k];
	y[i] = s;
}
#pragma ktune problem(n = 2048) in(x[n], weights[16]) inout(y[n])
__global__ void shifted(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] * weights[3] + fixed[2];
}
#pragma ktune problem(n = 2048) in(factor[1]) in(x[n]) inout(y[n])
__global__ void multiplied(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = scaled(x[i]) + factor;
}
#pragma ktune problem(n = 2048) in(table[n]) in(x[n]) inout(y[n])
__global__ void looked_up(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = listed(i) + x[i];
}
void run(float *y, const float *x, int n, int m)
{
	halved<<<(n + 255) / 256, 256>>>(y, x, n);
	summed<<<(n + 255) / 256, 256>>>(y, x, n, m);
	weighted<<<(n + 255) / 256, 256>>>(y, x, n, m);
	shifted<<<(n + 255) / 256, 256>>>(y, x, n);
	multiplied<<<(n + 255) / 256, 256>>>(y, x, n);
	looked_up<<<(n + 255) / 256, 256>>>(y, x, n);
}
