// Softmax with a warp a row, by shuffles; four rows a block.
#include "bench.h"

#pragma ktune problem((rows, cols) = (1024, 128), (16384, 512), (4096, 1024)) in(x[rows * cols]) out(y[rows * cols])
__global__ void softmax_warp(const float *x, float *y, int rows, int cols)
{
	int row = blockIdx.x * blockDim.y + threadIdx.y;
	if (row >= rows)
		return;
	const float *in = x + (long)row * cols;
	float *out = y + (long)row * cols;

	float peak = -1e30f;
	for (int c = threadIdx.x; c < cols; c += 32)
		peak = max(peak, in[c]);
	for (int offset = 16; offset > 0; offset >>= 1)
		peak = max(peak, __shfl_xor_sync(0xffffffff, peak, offset));

	float sum = 0;
	for (int c = threadIdx.x; c < cols; c += 32)
		sum += expf(in[c] - peak);
	for (int offset = 16; offset > 0; offset >>= 1)
		sum += __shfl_xor_sync(0xffffffff, sum, offset);

	for (int c = threadIdx.x; c < cols; c += 32)
		out[c] = expf(in[c] - peak) / sum;
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "rows cols",
	                      {{"odd", {3333, 201}}, {"prime", {1021, 769}}, {"small", {5, 17}}, {"one", {1, 1}},
	                       {"between", {8000, 300}}, {"large", {40000, 256}}, {"wide", {1000, 2500}}, {"even", {5000, 130}},
	                       {"misaligned", {4096, 512}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int rows = v[0], cols = v[1];
		                      auto x = r.input<float>((size_t)rows * cols, -8, 8);
		                      auto y = r.output<float>((size_t)rows * cols);
		                      r.launch([&] { softmax_warp<<<(rows + 3) / 4, dim3(32, 4)>>>(x->device, y->device, rows, cols); });
		                      r.check(y, 1e-6, 2e-4, [&](size_t i) {
			                      const size_t base = i / cols * cols;
			                      double peak = -1e300, sum = 0;
			                      for (int c = 0; c < cols; c++)
				                      peak = std::max(peak, (*x)[base + c]);
			                      for (int c = 0; c < cols; c++)
				                      sum += std::exp((*x)[base + c] - peak);
			                      return std::exp((*x)[i] - peak) / sum;
		                      });
		                      r.report();
	                      });
}
