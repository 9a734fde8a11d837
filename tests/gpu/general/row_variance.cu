// Variance of each row from sums of values and squares, reduced by a shared tree.
#include "bench.h"

#pragma ktune problem((rows, cols) = (64, 4096), (4096, 1024), (1024, 16384)) in(x[rows * cols]) out(variance[rows])
__global__ void row_variance(const float *x, float *variance, int cols)
{
	__shared__ float s1[256], s2[256];
	float a = 0, b = 0;
	const float *row = x + (size_t)blockIdx.x * cols;
	for (int i = threadIdx.x; i < cols; i += 256) {
		a += row[i];
		b += row[i] * row[i];
	}
	s1[threadIdx.x] = a;
	s2[threadIdx.x] = b;
	__syncthreads();
	for (int half = 128; half >= 1; half /= 2) {
		if (threadIdx.x < half) {
			s1[threadIdx.x] += s1[threadIdx.x + half];
			s2[threadIdx.x] += s2[threadIdx.x + half];
		}
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		float m = s1[0] / cols;
		variance[blockIdx.x] = s2[0] / cols - m * m;
	}
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "rows cols",
	                      {{"odd", {333, 1001}}, {"prime", {2003, 769}}, {"small", {5, 7}}, {"one", {1, 2}}, {"between", {1000, 3000}},
	                       {"large", {5000, 3000}}, {"wide", {8, 300001}}, {"even", {1002, 514}}, {"misaligned", {2048, 1024}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int rows = v[0], cols = v[1];
		                      auto x = r.input<float>((size_t)rows * cols, -1, 1);
		                      auto out = r.output<float>(rows);
		                      r.launch([&] { row_variance<<<rows, 256>>>(x->device, out->device, cols); });
		                      r.check(out, 1e-4, 1e-4, [&](size_t i) {
			                      double a = 0, b = 0;
			                      for (int c = 0; c < cols; c++)
				                      a += (*x)[i * cols + c], b += (*x)[i * cols + c] * (*x)[i * cols + c];
			                      return b / cols - a / cols * (a / cols);
		                      });
		                      r.report();
	                      });
}
