// RUN: %lower %s -- -std=c++17 | diff %S/memory.ir -
// Places: arrays, structures, vectors, references, shared memory; functions of the toolkit; called functions.
#include <cuda_fp16.h>
#include <stdio.h>
struct point {
	float at[2];
	int id;
	__device__ float sum(float scale) const { return (at[0] + at[1]) * scale; }
};
struct pair {
	float a;
	int b = 4;
	__device__ pair(float from) : a(from) {}
};
__constant__ float weights[4];
__device__ int counter;
template <typename T> __device__ __forceinline__ T twice(const T &a, int by = 2) { return a * by; }
__device__ void swap(float &a, float &b)
{
	float t = a;
	a = b;
	b = t;
}
#pragma ktune problem(n = 100) inout(y[n])
__global__ void __launch_bounds__(256, 2) places(float4 *__restrict__ v, float *y, const point *points, point p, int n)
{
	__shared__ float tile[2][33];
	extern __shared__ __align__(16) float more[];
	float own[3] = {1.0f, y[1]};
	float4 q = v[n];
	q.x += own[n];
	v[1] = q;
	v[2] = make_float4(q.y, 0, 0, 1);
	const float4 *w = reinterpret_cast<const float4 *>(y) + n;
	y[0] = w->y + (*w).z + w[1].w;
	tile[n][threadIdx.y] = more[3] + weights[2] + p.at[1] + points[n].at[n];
	float &r = tile[1][n];
	r = p.id;
	swap(y[1], r);
	const float *at = &y[n];
	at++;
	y[2] = *at + at[-1] + *(at - 2) + (at - y);
	pair z(3.0f);
	point other = {{1.0f}, 2};
	y[3] = twice(y[4]) + twice(n, 3) + p.sum(2.0f) + z.a + z.b + other.at[0];
	for (float e : own)
		y[5] += e;
	((volatile float *)y)[6] = 1.0f;
}
#pragma ktune problem(n = 100) inout(y[n])
__global__ void tools(float *y, const float *x, int *found, int n)
{
	const unsigned mask = __ballot_sync(0xffffffff, x[threadIdx.x] > 0.0f);
	float s = __ldg(&x[n]) + fmaxf(x[0], 0) + max(n, 3) + __expf(x[1]) + sqrt(x[2]);
	for (int o = warpSize / 2; o > 0; o /= 2)
		s += __shfl_down_sync(mask, s, o);
	s += __shfl_xor_sync(mask, s, 1, 16);
	if (__any_sync(mask, n) && __clz(n) > 3)
		atomicAdd(&y[0], s);
	found[0] = atomicCAS(&found[1], 0, n) + atomicMax_block(&counter, 2);
	__stcs(&y[1], s);
	__threadfence();
	__syncwarp();
	__syncthreads();
	y[2] = __int_as_float(n) + __float2int_rn(s);
	if (n > 100)
		printf("%d $\n", n);
	__nanosleep(20u);
}
void run(float *y, int *found, point p, int n)
{
	places<<<1, 32>>>((float4 *)y, y, nullptr, p, n);
	tools<<<1, 32>>>(y, y, found, n);
}
