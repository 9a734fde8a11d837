// Launches in lambdas, in macro arguments and bodies, in host templates, in conditional expressions.
// entry: k BLOCK=64
// expect: k variant=5 original=0
#include "trap.h"
#define BLOCK 128
#define TRY(...) do { __VA_ARGS__; check(cudaGetLastError()); } while (0)
#define RUN(y, n) k<<<((n) + 127) / 128, 128>>>(y, n)
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
template <typename T> __global__ void k(T *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = y[i] * 2 + 1;
}
template <typename T> void host(T *y, int n) { k<T><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n); }
struct Runner {
	template <typename U> void run(U *y, int n) const { k<<<(n + BLOCK - 1) / BLOCK, dim3(BLOCK)>>>(y, n); }
};
int main()
{
	int n = 1000;
	float *y = filled<float>(n);
	auto lambda = [&](int m) { k<<<(m + BLOCK - 1) / BLOCK, BLOCK>>>(y, m); };
	auto generic = [](auto *p, int m) { k<<<(m + BLOCK - 1) / BLOCK, BLOCK>>>(p, m); };
	lambda(n);
	TRY(k<float><<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n));
	RUN(y, n);
	host(y, n);
	Runner().run(y, n);
	generic(y, n);
	show("y", y, n);
}
