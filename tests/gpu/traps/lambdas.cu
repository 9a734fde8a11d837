// Lambdas: extended ones as kernel arguments, generic ones that launch, if constexpr around a launch.
// flags: -std=c++17 --extended-lambda
// entry: k<float> BLOCK=64
// expect: k variant=3 original=1
// expect: plain variant=1 original=0
// entry: plain SPAN=64
#include "trap.h"
#include <type_traits>
#define BLOCK 128
#define WIDTH 128
#define SPAN 128
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
template <typename T> __global__ void k(T *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = y[i] * 2 + 1;
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(WIDTH = 64, 128) grid(ceil_div(n, WIDTH)) block(WIDTH)
template <typename F> __global__ void each(float *y, int n, F f)
{
	int i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] = f(y[i]);
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(SPAN = 64, 128)
__global__ void plain(float *y, int n)
{
	int i = blockIdx.x * SPAN + threadIdx.x;
	if (i < n)
		y[i] -= 1;
}
template <typename T> struct Runner {
	T *y;
	void run(int n) const
	{
		if constexpr (std::is_same<T, float>::value)
			k<T><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
		else
			k<T><<<dim3(1), BLOCK>>>(y, n);
	}
};
int main()
{
	int n = 1000;
	float *y = filled<float>(n);
	int *z = filled<int>(n);
	float step = 3;
	auto generic = [&](auto *p, auto... rest) { k<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(p, rest...); };
	auto dispatch = [&](auto &&body) { body(); };
	generic(y, n);
	Runner<float>{y}.run(n);
	Runner<int>{z}.run(100);
	dispatch([&] { k<float><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n); });
	each<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, n, [=] __device__(float a) { return a + step; });
	plain<<<(n + SPAN - 1) / SPAN, SPAN>>>(y, n);
	show("y", y, n);
	show("z", z, n);
}
