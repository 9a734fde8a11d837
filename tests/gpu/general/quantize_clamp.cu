// float to int8 by a scale and a zero point.
#include "bench.h"

#pragma ktune problem(n = 100352, 3211264, 25690112) in(x[n]) out(q[n]) value(scale = 0.05f, zero = 3)
__global__ void quantize_clamp(const float *x, signed char *q, float scale, int zero, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int v = __float2int_rn(x[i] / scale) + zero;
		v = v < -128 ? -128 : v > 127 ? 127 : v;
		q[i] = (signed char)v;
	}
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "n",
	                      {{"odd", {300007}}, {"prime", {1299709}}, {"small", {37}}, {"one", {1}}, {"between", {1000000}},
	                       {"large", {30000000}}, {"even", {3000002}}, {"below", {8191}}, {"misaligned", {3211264}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int n = v[0];
		                      auto x = r.input<float>(n, -10, 10);
		                      auto q = r.output<signed char>(n);
		                      r.launch([&] { quantize_clamp<<<(n + 511) / 512, 512>>>(x->device, q->device, 0.05f, 3, n); });
		                      r.check(q, 1, 0, [&](size_t i) {
			                      return std::min(std::max(std::nearbyint((*x)[i] / 0.05f) + 3, -128.0), 127.0);
		                      });
		                      r.report();
	                      });
}
