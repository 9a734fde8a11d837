// Launches of kernel templates that only host code sees: in templates that it alone instantiates, in lambdas, in
// branches of `if constexpr`, with effects and without, with explicit instantiations before and behind.
// flags: -std=c++17 -gencode=arch=compute_90,code=[sm_90,compute_90] -gencode=arch=compute_80,code=sm_80
// entry: t WIDTH=64
// entry: b SPAN=64
// entry: e STEP=64
// expect: t variant=4 original=0
// expect: b variant=2 original=0
// expect: e variant=1 original=0
#include "trap.h"
#define WIDTH 128
#define SPAN 128
#define STEP 128
#ifdef __CUDA_ARCH__
constexpr bool host = false;
#else
constexpr bool host = true;
#endif
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128)
template <typename T> __global__ void t(T *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] = y[i] * 2 + 1;
}
template __global__ void t<float>(float *, int);
template __global__ void t<double>(double *, int);
namespace
{
#pragma ktune problem(n = 1000) inout(y[n]) tune(SPAN = 64, 128)
template <typename T, int ADD> __global__ void b(T *y, int n)
{
	int i = blockIdx.x * SPAN + threadIdx.x;
	if (i < n)
		y[i] += ADD;
}
template __global__ void b<float, 3>(float *, int);
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(STEP = 64, 128)
template <typename T> __global__ void e(T *y, int n)
{
	int i = blockIdx.x * STEP + threadIdx.x;
	if (i < n)
		y[i] -= 1;
}
#ifndef __CUDA_ARCH__
template <typename T> static void run(T *y, int n)
{
	t<T><<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, n);
}
static void branch(float *y, int n)
{
	if (n > 1)
		b<float, 3><<<(n + SPAN - 1) / SPAN, SPAN>>>(y, n);
	auto later = [=](int m) { b<float, 3><<<(m++ + SPAN - 1) / SPAN, SPAN>>>(y, n); };
	later(n);
}
#endif
template <bool SEEN, typename T> static void chosen(T *y, int n)
{
	int m = n;
	if constexpr (SEEN) {
		t<<<(m++ + WIDTH - 1) / WIDTH, WIDTH>>>(y, n);
		e<<<(n + STEP - 1) / STEP, STEP>>>(y, n);
	}
}
template __global__ void e<float>(float *, int);
int main()
{
	int n = 1000;
	float *y = filled<float>(n);
	double *z = filled<double>(n);
#ifndef __CUDA_ARCH__
	run(y, n);
	run(z, n);
	branch(y, n);
	[&] { t<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(z, n); }();
#endif
	chosen<host>(y, n);
	show("y", y, n);
	show("z", z, n);
}
