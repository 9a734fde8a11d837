#include "stencil2d.h"

#define TILE_X 16      // columns of the tile that a block computes
#define TILE_Y 16      // rows of it
#define ROWS 1         // rows of it that a thread computes
constexpr int STAGED = 1; // 1: the tile and its rim go through shared memory; 0: the cache serves them

__device__ static int clamped(int at, int count)
{
	return at < 0 ? 0 : at >= count ? count - 1 : at;
}

__device__ static float weigh(const float *up, const float *middle, const float *down, int left, int right)
{
	float corners = up[left] + up[right] + down[left] + down[right];
	float edges = up[0] + down[0] + middle[left] + middle[right];
	return 0.25f * middle[0] + 0.125f * edges + 0.0625f * corners;
}

#pragma ktune problem((width, height) = (1024, 1024), (4096, 4096), (8192, 8192)) \
              in(field[width * height]) out(next[width * height]) \
              tune(TILE_X = 16, 32, 64, 128) \
              tune(TILE_Y = 4, 8, 16, 32) \
              tune(ROWS = 1, 2, 4, 8) \
              tune(STAGED = 0, 1) \
              restriction(TILE_Y % ROWS == 0) \
              restriction(TILE_X * (TILE_Y / ROWS) >= 64 && TILE_X * (TILE_Y / ROWS) <= 1024) \
              grid(ceil_div(width, TILE_X), ceil_div(height, TILE_Y)) block(TILE_X, TILE_Y / ROWS) \
              bytes(width * height * 8) flops(width * height * 11)
__global__ void stencil2d_kernel(float *__restrict__ next, const float *__restrict__ field, int width, int height)
{
	constexpr int step = TILE_Y / ROWS;
	__shared__ float tile[STAGED ? TILE_Y + 2 : 1][STAGED ? TILE_X + 2 : 1];
	int left = int(blockIdx.x) * TILE_X, top = int(blockIdx.y) * TILE_Y;
	int x = left + int(threadIdx.x);

	if (STAGED) {
		for (int i = int(threadIdx.y); i < TILE_Y + 2; i += step) {
			const float *row = field + size_t(clamped(top + i - 1, height)) * width;
			for (int j = int(threadIdx.x); j < TILE_X + 2; j += TILE_X)
				tile[STAGED ? i : 0][STAGED ? j : 0] = row[clamped(left + j - 1, width)];
		}
		__syncthreads();
	}
	if (x >= width)
		return;
#pragma unroll
	for (int i = 0; i < ROWS; i++) {
		int row = int(threadIdx.y) + i * step, y = top + row;
		if (y >= height)
			break;
		float value;
		if (STAGED) {
			const float *middle = &tile[STAGED ? row + 1 : 0][STAGED ? threadIdx.x + 1 : 0];
			value = weigh(middle - (TILE_X + 2), middle, middle + (TILE_X + 2), -1, 1);
		} else {
			const float *up = field + size_t(clamped(y - 1, height)) * width + x;
			const float *middle = field + size_t(y) * width + x;
			const float *down = field + size_t(clamped(y + 1, height)) * width + x;
			value = weigh(up, middle, down, x > 0 ? -1 : 0, x + 1 < width ? 1 : 0);
		}
		next[size_t(y) * width + x] = value;
	}
}

void stencil2d(float *next, const float *field, int width, int height, cudaStream_t stream)
{
	stencil2d_kernel<<<dim3((width + TILE_X - 1) / TILE_X, (height + TILE_Y - 1) / TILE_Y), dim3(TILE_X, TILE_Y / ROWS), 0,
	                   stream>>>(next, field, width, height);
}

void stencil2d_broken(float *next, const float *field, int width, int height)
{
	unsigned across = unsigned(width) / 16 + 3, down = unsigned(height) / 16 + 2;
	stencil2d_kernel<<<dim3(across, down), dim3(16, 16)>>>(next, field, width, height);
}
