// A product of matrices of any size, a thread an element.
#include "bench.h"

#pragma ktune problem((m, n, k) = (512, 512, 512), (1024, 1024, 1024)) in(a[m * k], b[k * n]) out(c[m * n])
__global__ void matmul_plain(const float *a, const float *b, float *c, int m, int n, int k)
{
	int row = blockIdx.y * blockDim.y + threadIdx.y;
	int col = blockIdx.x * blockDim.x + threadIdx.x;
	if (row < m && col < n) {
		float sum = 0;
		for (int i = 0; i < k; i++)
			sum += a[row * k + i] * b[i * n + col];
		c[row * n + col] = sum;
	}
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "m n k",
	                      {{"odd", {333, 1001, 777}}, {"prime", {509, 257, 1021}}, {"small", {5, 7, 3}}, {"one", {1, 1, 1}},
	                       {"between", {700, 700, 700}}, {"large", {1500, 1500, 1500}}, {"even", {202, 1002, 514}}, {"thin", {4, 4096, 4096}},
	                       {"misaligned", {512, 512, 512}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int m = v[0], n = v[1], k = v[2];
		                      auto a = r.input<float>((size_t)m * k, -1, 1), b = r.input<float>((size_t)k * n, -1, 1);
		                      auto c = r.output<float>((size_t)m * n);
		                      r.launch([&] {
			                      matmul_plain<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a->device, b->device, c->device, m, n, k);
		                      });
		                      r.check(c, 1e-3, 1e-4, [&](size_t at) {
			                      double sum = 0;
			                      for (int i = 0; i < k; i++)
				                      sum += (*a)[at / n * k + i] * (*b)[i * (size_t)n + at % n];
			                      return sum;
		                      });
		                      r.report();
	                      });
}
