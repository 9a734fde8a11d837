// One template kernel in two units with different configurations, linked with and without -rdc.
// with: template_twins_b.cu
// also: -rdc=true
// also: -dlto
// entry: scale BLOCK=64 ITEMS=2
// expect: scale variant=2 original=0
#include "trap.h"
#include "template_twins.h"
#define ITEMS 1
#pragma ktune problem(n = 4096) inout(y[n]) tune(BLOCK = 64, 128, 256) tune(ITEMS = 1, 2, 4) \
    grid(ceil_div(n, BLOCK * ITEMS)) block(BLOCK)
template <typename T, int BLOCK> __global__ void scale(T *y, int n)
{
	for (int i = 0; i < ITEMS; i++) {
		int at = (blockIdx.x * ITEMS + i) * BLOCK + threadIdx.x;
		if (at < n)
			y[at] = step(y[at]);
	}
}
void other(float *y, double *z, int n);
int main()
{
	int n = 5000;
	float *y = filled<float>(n);
	double *z = filled<double>(n);
	scale<float, 128><<<(n + 128 * ITEMS - 1) / (128 * ITEMS), 128>>>(y, n);
	scale<double, 128><<<(n + 128 * ITEMS - 1) / (128 * ITEMS), 128>>>(z, n);
	other(y, z, n);
	show("y", y, n);
	show("z", z, n);
}
