// float to half with a scale, saturating; a grid that is capped.
#include "bench.h"

#pragma ktune problem(n = 65536, 4194304, 16777216) in(src[n], scale[1]) out(dst[n])
__global__ void to_half_scaled(__half *dst, const float *src, const float *scale, size_t n)
{
	const float s = *scale;
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x) {
		float v = src[i] * s;
		v = fminf(fmaxf(v, -65504.f), 65504.f);
		dst[i] = __float2half_rn(v);
	}
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "n",
	                      {{"odd", {300007}}, {"prime", {1299709}}, {"small", {37}}, {"one", {1}}, {"between", {1000000}},
	                       {"large", {30000000}}, {"even", {3000002}}, {"below", {8191}}, {"misaligned", {4194304}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const size_t n = v[0];
		                      auto src = r.input<float>(n, -100, 100);
		                      auto scale = r.input<float>(1, 3.5, 3.5);
		                      auto dst = r.output<__half>(n);
		                      r.launch([&] {
			                      const int blocks = (int)std::min<size_t>((n + 255) / 256, 1024);
			                      to_half_scaled<<<blocks, 256>>>(dst->device, src->device, scale->device, n);
		                      });
		                      r.check(dst, 1e-3, 1e-3, [&](size_t i) { return (*src)[i] * 3.5; });
		                      r.report();
	                      });
}
