// Read along rows, written along columns: a thread an element, no tile.
#include <cuda_runtime.h>

#pragma ktune problem((width, height) = (512, 512), (8192, 4096)) in(from[width * height]) out(to[width * height])
__global__ void transpose(float *to, const float *from, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < width && y < height)
		to[x * height + y] = from[y * width + x];
}

void run(float *to, const float *from, int width, int height, cudaStream_t stream)
{
	dim3 block(16, 16);
	dim3 grid((width + 15) / 16, (height + 15) / 16);
	transpose<<<grid, block, 0, stream>>>(to, from, width, height);
}
