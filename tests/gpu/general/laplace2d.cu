// Five-point Laplacian with zero flux at the border.
#include "bench.h"

#define IDX(r, c) ((r) * nx + (c))

#pragma ktune problem((ny, nx) = (512, 512), (2048, 4096)) in(u[ny * nx]) out(v[ny * nx]) value(h2 = 0.25f)
__global__ void laplace2d(const float *__restrict__ u, float *__restrict__ v, int ny, int nx, float h2)
{
	int c = threadIdx.x + blockIdx.x * blockDim.x, r = threadIdx.y + blockIdx.y * blockDim.y;
	if (r < ny && c < nx) {
		float here = u[IDX(r, c)];
		float up = r > 0 ? u[IDX(r - 1, c)] : here;
		float down = r < ny - 1 ? u[IDX(r + 1, c)] : here;
		float left = c > 0 ? u[IDX(r, c - 1)] : here;
		float right = c < nx - 1 ? u[IDX(r, c + 1)] : here;
		v[IDX(r, c)] = (up + down + left + right - 4.0f * here) / h2;
	}
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "ny nx",
	                      {{"odd", {333, 1001}}, {"prime", {2003, 769}}, {"small", {5, 7}}, {"one", {1, 1}}, {"between", {1000, 1500}},
	                       {"large", {5000, 3000}}, {"flat", {3, 300001}}, {"even", {1002, 514}}, {"misaligned", {2048, 1024}, 1}},
	                      [](bench::run &r, const long long *s) {
		                      const int ny = s[0], nx = s[1];
		                      auto u = r.input<float>((size_t)ny * nx, -1, 1);
		                      auto v = r.output<float>((size_t)ny * nx);
		                      r.launch([&] {
			                      laplace2d<<<dim3((nx + 15) / 16, (ny + 15) / 16), dim3(16, 16)>>>(u->device, v->device, ny, nx, 0.25f);
		                      });
		                      r.check(v, 1e-4, 1e-5, [&](size_t i) {
			                      const int row = i / nx, col = i % nx;
			                      auto at = [&](int y, int x) {
				                      return (*u)[(size_t)std::min(std::max(y, 0), ny - 1) * nx + std::min(std::max(x, 0), nx - 1)];
			                      };
			                      return (at(row - 1, col) + at(row + 1, col) + at(row, col - 1) + at(row, col + 1) - 4 * at(row, col)) /
			                             0.25;
		                      });
		                      r.report();
	                      });
}
