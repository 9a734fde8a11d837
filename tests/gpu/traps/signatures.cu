// Signatures that are hard to repeat: arrays, references to const pointers, types by alias.
// entry: arrays BLOCK=64
// entry: aliased WIDTH=64
// entry: unnamed SPAN=64
// expect: arrays variant=1 original=0
// expect: aliased variant=1 original=0
// expect: unnamed variant=1 original=0
#include <cstdint>
#include "trap.h"
#define BLOCK 128
#define SPAN 128
#define WIDTH 128
using real = float;
typedef const real *__restrict__ input;
#pragma ktune problem(n = 1000) inout(y[n]) tune(BLOCK = 64, 128)
__global__ void arrays(float y[], const std::int32_t n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] += 1;
}
#pragma ktune problem(n = 1000) inout(y[n]) in(x[n]) tune(WIDTH = 64, 128)
__global__ auto aliased(real *const y, input x, std::size_t const n) -> void
{
	std::size_t i = blockIdx.x * WIDTH + threadIdx.x;
	if (i < n)
		y[i] += x[i];
}
#pragma ktune problem(n = 1000) inout(y[n]) tune(SPAN = 64, 128) grid(ceil_div(n, SPAN)) block(SPAN)
__global__ void unnamed(float *y, long long n)
{
	long long i = blockIdx.x * SPAN + threadIdx.x;
	if (i < n)
		y[i] -= 1;
}
int main()
{
	int n = 1000;
	float *y = filled<float>(n), *x = filled<float>(n);
	arrays<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, n);
	aliased<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(y, x, n);
	unnamed<<<(n + SPAN - 1) / SPAN, SPAN>>>(y, n);
	show("y", y, n);
}
