// Default arguments: on a declaration, on the definition, of a template, of a template parameter.
// entry: later BLOCK=64
// entry: here WIDTH=64
// entry: t SPAN=64
// expect: later variant=2 original=0
// expect: here variant=2 original=0
// expect: t variant=2 original=0
#include "trap.h"
#define BLOCK 128
#define SPAN 128
#define WIDTH 128
__device__ __host__ constexpr int pick(int a, int b) { return a > b ? a : b; }
__global__ void later(float *y, int n = pick(7, 1000), float a = 2.0f);
#pragma ktune problem(n = 1000) inout(y[n]) value(a = 2.0f) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void later(float *y, int n, float a)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] *= a;
}
#pragma ktune problem(n = 1000) inout(y[n]) value(a = 2.0f) tune(WIDTH = 64, 128) grid(ceil_div(n, WIDTH)) block(WIDTH)
__global__ void here(float *y, int n = 1000, float a = 1.0f / 2.0f)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] *= a;
}
#pragma ktune problem(n = 1000) inout(y[n]) value(a = 2.0f) tune(SPAN = 64, 128) grid(ceil_div(n, SPAN)) block(SPAN)
template <typename T = float, int N = 3> __global__ void t(T *y, int n = 1000, T a = T{3})
{
	int i = blockIdx.x * SPAN + threadIdx.x;
	if (i < n)
		y[i] += a + N;
}
int main()
{
	float *y = filled<float>(1000);
	later<<<8, BLOCK>>>(y);
	later<<<8, BLOCK>>>(y, 1000, 4.0f);
	here<<<8, WIDTH>>>(y);
	here<<<8, WIDTH>>>(y, 1000, 4.0f);
	t<<<8, SPAN>>>(y);
	t<<<8, SPAN>>>(y, 1000, 4.0f);
	show("y", y, 1000);
}
