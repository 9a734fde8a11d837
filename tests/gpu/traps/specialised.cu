// Explicit specialisations of a helper and of the kernel.
// entry: k<float, 128> BLOCK=64
// entry: k<int, 128> BLOCK=256
// expect: k variant=2 original=1
#include "trap.h"
template <typename T> __device__ T twist(T a) { return a + T(1); }
template <> __device__ float twist<float>(float a) { return a * 0.5f; }
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128, 256) grid(ceil_div(n, BLOCK)) block(BLOCK)
template <typename T, int BLOCK> __global__ void k(T *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = twist(y[i]);
}
template <> __global__ void k<double, 128>(double *y, int n)
{
	int i = blockIdx.x * 128 + threadIdx.x;
	if (i < n)
		y[i] = -y[i];
}
int main()
{
	float *y = filled<float>(1000);
	int *z = filled<int>(1000);
	double *w = filled<double>(1000);
	k<float, 128><<<8, 128>>>(y, 1000);
	k<int, 128><<<8, 128>>>(z, 1000);
	k<double, 128><<<8, 128>>>(w, 1000);
	show("y", y, 1000);
	show("z", z, 1000);
	show("w", w, 1000);
}
