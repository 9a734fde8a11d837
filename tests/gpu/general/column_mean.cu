// The mean of each column, a thread a column.
#include "bench.h"

#pragma ktune problem((m, n) = (256, 4096), (4096, 1024), (2048, 8192)) in(a[m * n]) out(mean[n])
__global__ void column_mean(const float *a, float *mean, int m, int n)
{
	int col = blockDim.x * blockIdx.x + threadIdx.x;
	if (col < n) {
		float acc = 0.0f;
		for (int row = 0; row < m; ++row)
			acc += a[row * n + col];
		mean[col] = acc / m;
	}
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "m n",
	                      {{"odd", {333, 1001}}, {"prime", {2003, 769}}, {"small", {5, 7}}, {"one", {1, 1}}, {"between", {1000, 3000}},
	                       {"large", {5000, 3000}}, {"narrow", {100000, 12}}, {"even", {1002, 514}}, {"misaligned", {2048, 1024}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int m = v[0], n = v[1];
		                      auto a = r.input<float>((size_t)m * n, -1, 1);
		                      auto mean = r.output<float>(n);
		                      r.launch([&] { column_mean<<<(n + 127) / 128, 128>>>(a->device, mean->device, m, n); });
		                      r.check(mean, 2e-5, 1e-4, [&](size_t i) {
			                      double sum = 0;
			                      for (int row = 0; row < m; row++)
				                      sum += (*a)[(size_t)row * n + i];
			                      return sum / m;
		                      });
		                      r.report();
	                      });
}
