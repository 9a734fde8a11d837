// Launches at a few sizes, as often as the arguments say: by a launch, and by a wrapper that is given the kernel.
#include <cstdio>
#include <cstdlib>

#ifndef BLOCK
#define BLOCK 128
#endif

#pragma ktune problem(n = 4096) in(x[n]) out(y[n]) tune(BLOCK = 64, 128, 256) restriction(n % 2 == 0) grid(ceil_div(n, BLOCK)) \
    block(BLOCK)
template <typename T> __global__ void twice(T *y, const T *x, int n)
{
	const int i = blockIdx.x * BLOCK + threadIdx.x;

	if (i < n)
		y[i] = 2 * x[i];
}
template __global__ void twice<float>(float *, const float *, int);

template <typename Kernel, typename... Arguments> static void launch(Kernel kernel, int grid, int block, Arguments... of)
{
	kernel<<<grid, block>>>(of...);
}

int main(int, char **argv)
{
	static float memory[8192];
	float *x = memory, *y = memory + 4096;

	for (int i = 0; i < std::atoi(argv[1]); i++)
		twice<float><<<(4096 + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, 4096);
	for (int i = 0; i < std::atoi(argv[2]); i++)
		launch(twice<float>, (100 + BLOCK - 1) / BLOCK, BLOCK, y, static_cast<const float *>(x), 100);
	for (int i = 0; i < std::atoi(argv[3]); i++)
		twice<float><<<(77 + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, 77);
	std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
	return 0;
}
