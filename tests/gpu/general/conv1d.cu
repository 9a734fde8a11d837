// A short filter along each row, zeros outside.
#include "bench.h"

#define TAPS 7

#pragma ktune problem((rows, n) = (16, 16384), (512, 8192)) in(x[rows * n], taps[7]) out(y[rows * n])
__global__ void conv1d(const float *x, const float *taps, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int row = blockIdx.y;
	if (i >= n)
		return;
	float sum = 0.0f;
#pragma unroll
	for (int k = 0; k < TAPS; k++) {
		int at = i + k - TAPS / 2;
		if (at >= 0 && at < n)
			sum += taps[k] * x[row * n + at];
	}
	y[row * n + i] = sum;
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "rows n",
	                      {{"odd", {33, 10001}}, {"prime", {31, 7919}}, {"small", {2, 5}}, {"one", {1, 1}}, {"between", {100, 12000}},
	                       {"large", {1000, 20000}}, {"even", {50, 3002}}, {"long", {2, 3000000}}, {"misaligned", {256, 8192}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int rows = v[0], n = v[1];
		                      auto x = r.input<float>((size_t)rows * n, -1, 1), taps = r.input<float>(TAPS, -1, 1);
		                      auto y = r.output<float>((size_t)rows * n);
		                      r.launch([&] { conv1d<<<dim3((n + 255) / 256, rows), 256>>>(x->device, taps->device, y->device, n); });
		                      r.check(y, 1e-5, 1e-5, [&](size_t i) {
			                      double sum = 0;
			                      for (int k = 0; k < TAPS; k++) {
				                      const int at = (int)(i % n) + k - TAPS / 2;
				                      if (at >= 0 && at < n)
					                      sum += (*taps)[k] * (*x)[i / n * n + at];
			                      }
			                      return sum;
		                      });
		                      r.report();
	                      });
}
