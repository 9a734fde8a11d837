// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// What is called in front of a loop that threads share out would be called by each of them: only what gives a value may be.
// CHECK: template of 0 0
// CHECK-NOT: PARTS
#include <cstdio>

#include <cuda_runtime.h>

__device__ inline float tell(float value)
{
	printf("%f\n", value);
	return value;
}
__device__ inline float twice(float value)
{
	float sum = value;
	sum += fabsf(value);
	return sum;
}
#pragma ktune problem((m, n) = (64, 40), (100, 33)) in(data[m * n]) out(y[m])
__global__ void told(float *y, float *data, int m, int n)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j < m) {
		float sum = tell(0.0f);
		for (int i = 0; i < n; i++)
			sum += data[i * m + j];
		y[j] = sum;
	}
}
// CHECK: template of 1 0
// CHECK: parameter PARTS
#pragma ktune problem((m, n) = (64, 40), (100, 33)) in(data[m * n]) out(y[m])
__global__ void doubled(float *y, float *data, int m, int n)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j < m) {
		float sum = twice(-1.0f);
		for (int i = 0; i < n; i++)
			sum += data[i * m + j];
		y[j] = sum;
	}
}
// CHECK: template of 2 0
// CHECK-NOT: LANES
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c]) out(sum[n])
__global__ void timed(float *sum, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float s = clock64() % 2;
		for (int j = 0; j < c; j++)
			s += x[i * c + j];
		sum[i] = s;
	}
}
// CHECK: template of 3 0
// CHECK: parameter LANES
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c]) out(sum[n])
__global__ void rooted(float *sum, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float s = twice(1.0f);
		for (int j = 0; j < c; j++)
			s += x[i * c + j];
		s = sqrtf(s);
		sum[i] = s;
	}
}
// An object that a method changes is carried on from turn to turn.
// CHECK: template of 4 0
// CHECK-NOT: PARTS
// CHECK: template of 5 0
// CHECK-NOT: LANES
struct total {
	float first, second;
	__device__ void add(float value) { first += value; }
	__device__ float get() const { return first + second; }
};
#pragma ktune problem((m, n) = (64, 40), (100, 33)) in(data[m * n]) out(y[m])
__global__ void down(float *y, float *data, int m, int n)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j < m) {
		float sum = 0.0f;
		total all{0.0f, 1.0f};
		for (int i = 0; i < n; i++) {
			sum += data[i * m + j];
			all.add(data[i * m + j]);
		}
		y[j] = sum + all.get();
	}
}
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c]) out(sum[n])
__global__ void along(float *sum, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		total all{0.0f, 1.0f};
		for (int j = 0; j < c; j++)
			all.add(x[i * c + j]);
		sum[i] = all.get();
	}
}

void run(float *a, float *b, int n, int m, cudaStream_t s)
{
	told<<<(m + 63) / 64, 64, 0, s>>>(a, b, m, n);
	doubled<<<(m + 63) / 64, 64, 0, s>>>(a, b, m, n);
	timed<<<(m + 63) / 64, 64, 0, s>>>(a, b, m, n);
	rooted<<<(m + 63) / 64, 64, 0, s>>>(a, b, m, n);
	down<<<(m + 63) / 64, 64, 0, s>>>(a, b, m, n);
	along<<<(m + 63) / 64, 64, 0, s>>>(a, b, m, n);
}
