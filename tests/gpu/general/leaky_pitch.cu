// Leaky ReLU of a matrix whose rows are further apart than they are long.
#include "bench.h"

#pragma ktune problem((rows, cols, ld) = (64, 1024, 1024), (4096, 2048, 2048), (2048, 1024, 4096)) \
              in(x[rows * ld]) out(y[rows * cols]) value(slope = 0.01f)
__global__ void leaky_pitch(float *__restrict__ y, const float *__restrict__ x, int rows, int cols, int ld, float slope)
{
	const int col = blockIdx.x * blockDim.x + threadIdx.x;
	const int row = blockIdx.y * blockDim.y + threadIdx.y;
	if (col >= cols || row >= rows)
		return;
	const float v = x[row * ld + col];
	y[row * cols + col] = v > 0.f ? v : v * slope;
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "rows cols ld",
	                      {{"odd", {333, 1001, 1001}}, {"prime", {509, 1021, 1031}}, {"small", {3, 5, 7}}, {"one", {1, 1, 1}},
	                       {"between", {1000, 1400, 1400}}, {"large", {8192, 3000, 3000}}, {"strided", {2048, 999, 2049}},
	                       {"multiple-of-4", {500, 1004, 2012}}, {"misaligned", {2048, 1024, 1024}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int rows = v[0], cols = v[1], ld = v[2];
		                      auto x = r.input<float>((size_t)rows * ld, -4, 4);
		                      auto y = r.output<float>((size_t)rows * cols);
		                      r.launch([&] {
			                      dim3 block(32, 8), grid((cols + 31) / 32, (rows + 7) / 8);
			                      leaky_pitch<<<grid, block>>>(y->device, x->device, rows, cols, ld, 0.01f);
		                      });
		                      r.check(y, 1e-6, 1e-6, [&](size_t i) {
			                      const double a = (*x)[i / cols * ld + i % cols];
			                      return a > 0 ? a : a * 0.01f;
		                      });
		                      r.report();
	                      });
}
