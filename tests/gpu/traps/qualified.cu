// Kernels that are defined outside of their namespaces, by qualified names.
// entry: k BLOCK=64
// entry: t WIDTH=64
// entry: deep SPAN=64
// expect: k variant=2 original=0
// expect: t variant=1 original=0
// expect: deep variant=1 original=0
#include "trap.h"
#define BLOCK 128
#define WIDTH 128
#define SPAN 128
namespace ops
{
constexpr int step = 3;
__device__ float own(float a) { return a * step; }
__global__ void k(float *y, int n = 1000);
template <typename T> __global__ void t(T *y, int n);
namespace inner
{
inline namespace v1
{
__global__ void deep(float *y, int n);
}
} // namespace inner
} // namespace ops
__device__ float own(float a) { return a - 1; }
constexpr int step = 7;
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128)
__global__ void ops::k(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = own(y[i]) + step;
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128)
template <typename T> __global__ void ops::t(T *y, int n)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] = own(y[i]) + step;
}
namespace ops
{
#pragma ktune problem(n = 1000) inout(y[n]) tune(SPAN = 64, 128)
__global__ void inner::deep(float *y, int n)
{
	int i = blockIdx.x * SPAN + threadIdx.x;
	if (i < n)
		y[i] = own(y[i]) * step;
}
} // namespace ops
int main()
{
	int n = 1000;
	float *y = filled<float>(n);
	ops::k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	ops::k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y);
	ops::t<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, n);
	ops::inner::deep<<<(n + SPAN - 1) / SPAN, SPAN>>>(y, n);
	show("y", y, n);
}
