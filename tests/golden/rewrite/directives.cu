// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py > %t && %FileCheck %s < %t
// RUN: not grep -E '^[[:blank:]]*#[[:blank:]]*(el|if|endif)' %t
// Of a statement with alternatives the one that is compiled is taken, and nothing of the others is left behind.
// CHECK: template of 0 0
// CHECK: z[i] = a[i] + 1;
// CHECK: template of 1 0
// CHECK: z[i] = a[i] * 3;
// CHECK: declined in-macro
#pragma ktune problem(n = 1048576) in(a[n]) out(z[n])
__global__ void fill(const float *__restrict__ a, float *__restrict__ z, int n)
{
	for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x)
#ifdef GAIN
		z[i] = a[i] * GAIN;
#else
		z[i] = a[i] + 1;
#endif
}
#define USED 1
#pragma ktune problem(n = 1048576) in(a[n]) out(z[n])
__global__ void nested(const float *__restrict__ a, float *__restrict__ z, int n)
{
	for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x)
#if defined(GAIN)
		z[i] = a[i] * GAIN;
#elif USED
		z[i] = a[i] * 3;
#else
#ifdef OTHER
		z[i] = 0;
#else
		z[i] = a[i] + 1;
#endif
#endif
}
#pragma ktune problem(n = 1048576) in(a[n]) out(z[n])
__global__ void two_loops(const float *__restrict__ a, float *__restrict__ z, int n)
{
#ifdef USED
	for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x)
#else
	for (int i = threadIdx.x; i < n; i += blockDim.x)
#endif
		z[i] = a[i] + 1;
}
void run(const float *a, float *z, int n)
{
	fill<<<(n + 255) / 256, 256>>>(a, z, n);
	nested<<<(n + 255) / 256, 256>>>(a, z, n);
	two_loops<<<(n + 255) / 256, 256>>>(a, z, n);
}
