// Transposes of many planes through a tile of shared memory.
#include "bench.h"

constexpr int kTile = 32, kRows = 8;

#pragma ktune problem((planes, height, width) = (8, 512, 512), (1, 4096, 4096), (64, 256, 1024)) \
              in(from[planes * height * width]) out(to[planes * height * width])
__global__ void transpose_planes(float *to, const float *from, int height, int width)
{
	__shared__ float tile[kTile][kTile + 1];
	from += (size_t)blockIdx.z * height * width;
	to += (size_t)blockIdx.z * height * width;
	int x = blockIdx.x * kTile + threadIdx.x;
	int y = blockIdx.y * kTile + threadIdx.y;
	for (int j = 0; j < kTile; j += kRows)
		if (x < width && y + j < height)
			tile[threadIdx.y + j][threadIdx.x] = from[(size_t)(y + j) * width + x];
	__syncthreads();
	x = blockIdx.y * kTile + threadIdx.x;
	y = blockIdx.x * kTile + threadIdx.y;
	for (int j = 0; j < kTile; j += kRows)
		if (x < height && y + j < width)
			to[(size_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "planes height width",
	                      {{"odd", {3, 333, 1001}}, {"prime", {5, 509, 769}}, {"small", {2, 5, 7}}, {"one", {1, 1, 1}},
	                       {"between", {16, 700, 300}}, {"large", {2, 5000, 3000}}, {"flat", {8, 3, 100000}}, {"even", {4, 1002, 514}},
	                       {"misaligned", {8, 512, 512}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int planes = v[0], height = v[1], width = v[2];
		                      const size_t plane = (size_t)height * width;
		                      auto x = r.input<float>(planes * plane, -1, 1);
		                      auto y = r.output<float>(planes * plane);
		                      r.launch([&] {
			                      dim3 grid((width + kTile - 1) / kTile, (height + kTile - 1) / kTile, planes);
			                      transpose_planes<<<grid, dim3(kTile, kRows)>>>(y->device, x->device, height, width);
		                      });
		                      r.check(y, 0, 1e-7, [&](size_t i) {
			                      return (*x)[i / plane * plane + i % height * width + i % plane / height];
		                      });
		                      r.report();
	                      });
}
