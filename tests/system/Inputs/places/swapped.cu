/* A declaration that calls its arguments by each other's names, and a definition. */
#include <stdio.h>

#pragma ktune problem((rows, cols) = (64, 256)) in(x[rows * cols]) out(y[rows * cols]) tune(BLOCK = 128, 64) \
	grid(64) block(BLOCK)
__global__ void turn(float *y, const float *x, int rows, int cols);

#ifdef KERNEL
#define BLOCK 128
__global__ void turn(float *y, const float *x, int cols, int rows)
{
	for (int r = blockIdx.x; r < rows; r += gridDim.x)
		for (int i = threadIdx.x; i < cols; i += BLOCK)
			y[r * cols + i] = x[r * cols + i];
}
#else
extern "C" void stub_launched(const char *name, void **arguments)
{
	(void)arguments;
	printf("%s\n", name);
}

int main()
{
	turn<<<64, 128>>>(nullptr, nullptr, 256, 64);
	turn<<<64, 128>>>(nullptr, nullptr, 64, 64);
	return 0;
}
#endif
