// One step of diffusion in three dimensions; the border keeps its values.
#include "bench.h"

#pragma ktune problem((nz, ny, nx) = (32, 128, 128), (128, 256, 256)) in(t[nz * ny * nx]) out(next[nz * ny * nx]) \
              value(k = 0.1f)
__global__ void diffuse3d(float *next, const float *t, int nx, int ny, int nz, float k)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int z = blockIdx.z * blockDim.z + threadIdx.z;
	if (x >= nx || y >= ny || z >= nz)
		return;
	int plane = nx * ny, at = x + y * nx + z * plane;
	if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
		next[at] = t[at];
		return;
	}
	next[at] = t[at] + k * (t[at - 1] + t[at + 1] + t[at - nx] + t[at + nx] + t[at - plane] + t[at + plane] - 6.0f * t[at]);
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "nz ny nx",
	                      {{"odd", {33, 65, 129}}, {"prime", {31, 61, 127}}, {"small", {3, 5, 7}}, {"one", {1, 1, 1}},
	                       {"between", {64, 180, 180}}, {"large", {200, 200, 300}}, {"even", {50, 102, 514}}, {"flat", {2, 1000, 1000}},
	                       {"misaligned", {64, 128, 128}, 1}},
	                      [](bench::run &r, const long long *s) {
		                      const int nz = s[0], ny = s[1], nx = s[2];
		                      const size_t plane = (size_t)nx * ny, all = plane * nz;
		                      auto t = r.input<float>(all, -1, 1);
		                      auto next = r.output<float>(all);
		                      r.launch([&] {
			                      dim3 block(32, 4, 2), grid((nx + 31) / 32, (ny + 3) / 4, (nz + 1) / 2);
			                      diffuse3d<<<grid, block>>>(next->device, t->device, nx, ny, nz, 0.1f);
		                      });
		                      r.check(next, 1e-5, 1e-5, [&](size_t i) {
			                      const size_t x = i % nx, y = i / nx % ny, z = i / plane;
			                      const auto &a = *t;
			                      if (x == 0 || y == 0 || z == 0 || x == (size_t)nx - 1 || y == (size_t)ny - 1 || z == (size_t)nz - 1)
				                      return a[i];
			                      return a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - plane] + a[i + plane] - 6 * a[i]);
		                      });
		                      r.report();
	                      });
}
