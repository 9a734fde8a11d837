// Launches just inside and just outside of the guards of a vectorised variant: sizes around multiples of the width, and
// addresses that are one element, half a vector and a vector off.
#include <cstdio>

#ifndef VEC
#define VEC 1
#endif

#pragma ktune problem(n = 4096) in(x[n]) out(y[n]) tune(VEC = 1, 2, 4) restriction(n % VEC == 0) \
    guard(aligned(x, 4 * VEC) && aligned(y, 4 * VEC)) guard(disjoint(x, n, y, n)) grid(ceil_div(n, 64 * VEC)) block(64)
__global__ void twice(float *y, const float *x, int n)
{
	int first = (blockIdx.x * 64 + threadIdx.x) * VEC;
	for (int i = first; i < first + VEC && i < n; i++)
		y[i] = 2 * x[i];
}

int main()
{
	static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 4093, 4094, 4095, 4096, 4097, 4098, 4099, 4100};
	alignas(256) static float memory[3 * 8192];
	float *x = memory, *y = memory + 8192;

	for (int n : sizes)
		for (int move = 0; move < 5; move++)
			for (int both = 0; both < 2; both++) {
				std::printf("n=%d x+%d y+%d\n", n, move, both ? move : 0);
				twice<<<(n + 64 * VEC - 1) / (64 * VEC), 64>>>(y + (both ? move : 0), x + move, n);
			}
	// In place, overlapping by one element, and touching.
	std::printf("n=4096 x=y\n");
	twice<<<(4096 + 64 * VEC - 1) / (64 * VEC), 64>>>(x, x, 4096);
	std::printf("n=4096 y=x+4092\n");
	twice<<<(4096 + 64 * VEC - 1) / (64 * VEC), 64>>>(x + 4092, x, 4096);
	std::printf("n=4096 y=x+4096\n");
	twice<<<(4096 + 64 * VEC - 1) / (64 * VEC), 64>>>(x + 4096, x, 4096);
	return 0;
}
