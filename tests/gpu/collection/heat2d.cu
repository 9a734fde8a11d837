// One step of the heat equation on a grid of points: five of them make one.
#include <cuda_runtime.h>

#pragma ktune problem((nx, ny) = (512, 512), (8192, 8192)) in(u[nx * ny]) out(next[nx * ny]) value(alpha = 0.1f)
__global__ void heat2d(float *__restrict__ next, const float *__restrict__ u, int nx, int ny, float alpha)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int j = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= nx || j >= ny)
		return;
	int at = j * nx + i;
	if (i == 0 || j == 0 || i == nx - 1 || j == ny - 1)
		next[at] = u[at];
	else
		next[at] = u[at] + alpha * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] - 4.0f * u[at]);
}

void run(float *next, const float *u, int nx, int ny, float alpha, cudaStream_t stream)
{
	heat2d<<<dim3((nx + 15) / 16, (ny + 15) / 16), dim3(16, 16), 0, stream>>>(next, u, nx, ny, alpha);
}
