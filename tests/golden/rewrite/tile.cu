// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Loads along one index and stores along the other go through a tile. Whole tiles are moved in packs where the rows are at
// even distances; what is loaded twice has one tile, and a store that does not happen in every item is left where it is.
// CHECK: template of 0 0
// CHECK: parameter TILE 64 32 0
// CHECK: restriction TILE == 0 || VEC * 4 <= 16
// CHECK: strategy tile
// CHECK: __shared__ float from_tile[${TILE}][${= TILE + 1}];
// CHECK: const bool whole = tile_x + ${TILE} <= width && tile_y + ${TILE} <= height &&
// CHECK: reinterpret_cast<unsigned long long>(from + ((long long)width * (tile_y + 1) + tile_x)) % ${= VEC * 4} == 0 &&
// CHECK: reinterpret_cast<unsigned long long>(to + ((long long)height * (tile_x + 1) + tile_y)) % ${= VEC * 4} == 0;
// CHECK: for (int step = 0; step < ${= TILE * TILE / (BLOCK_X * BLOCK_Y * VEC)}; step++) {
// CHECK: from_held[step] = {{.*}}reinterpret_cast<const from_line *>(from + ((long long)width * y + x))
// CHECK: from_tile[row][column + lane] = from_held[step].item[lane];
// CHECK: __syncthreads();
// CHECK: to_packed.item[lane] = from_tile[column + lane][row];
// CHECK: reinterpret_cast<to_line *>(to + ((long long)height * x + y)){{.*}}to_packed
// CHECK: if (x >= width || y >= height)
// CHECK: to[x * height + y] = from_tile[column + lane][row];
// CHECK: template of 1 0
// CHECK: __shared__ unsigned char from_tile[${TILE}][${= TILE + 4}];
// CHECK-NOT: to_packed
// CHECK: unsigned char value = from_tile[column + lane][row];
// CHECK: to[x * height + y] = from_tile[column + lane][row];
#pragma ktune problem((width, height) = (512, 512)) in(from[width * height]) out(to[width * height])
__global__ void all(float *__restrict__ to, const float *__restrict__ from, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < width && y < height)
		to[x * height + y] = from[y * width + x];
}
#pragma ktune problem((width, height) = (512, 512)) in(from[width * height]) inout(to[width * height])
__global__ void some(unsigned char *__restrict__ to, const unsigned char *__restrict__ from, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= width || y >= height)
		return;
	unsigned char value = from[y * width + x];
	if (value > 3)
		to[x * height + y] = from[y * width + x];
}
void run(float *to, const float *from, unsigned char *bytes, const unsigned char *more, int width, int height)
{
	dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
	all<<<grid, block>>>(to, from, width, height);
	some<<<grid, block>>>(bytes, more, width, height);
}
