// Gated GELU: each row of the input holds the gate's half and then the value's.
#include "bench.h"

__device__ inline float gelu(float x)
{
	return 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
}

#pragma ktune problem((tokens, width) = (16, 4096), (512, 11008), (4096, 4096)) in(gate_value[tokens * 2 * width]) \
              out(out[tokens * width])
__global__ void geglu(__half *out, const __half *gate_value, int width)
{
	const __half *gate = gate_value + (size_t)blockIdx.x * 2 * width;
	const __half *value = gate + width;
	__half *to = out + (size_t)blockIdx.x * width;
	for (int i = threadIdx.x; i < width; i += blockDim.x)
		to[i] = __float2half(gelu(__half2float(gate[i])) * __half2float(value[i]));
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "tokens width",
	                      {{"odd", {333, 4097}}, {"prime", {127, 5003}}, {"small", {2, 100}}, {"one", {1, 1}},
	                       {"between", {200, 6400}}, {"large", {9000, 2880}}, {"even", {1000, 2050}}, {"wide", {64, 28672}},
	                       {"misaligned", {512, 4096}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int tokens = v[0], width = v[1];
		                      auto x = r.input<__half>((size_t)tokens * 2 * width, -3, 3);
		                      auto y = r.output<__half>((size_t)tokens * width);
		                      r.launch([&] { geglu<<<tokens, 256>>>(y->device, x->device, width); });
		                      r.check(y, 1e-3, 2e-3, [&](size_t i) {
			                      const size_t row = i / width, col = i % width;
			                      const double g = (*x)[row * 2 * width + col], u = (*x)[(row * 2 + 1) * width + col];
			                      return 0.5 * g * (1 + std::tanh(0.7978845608 * (g + 0.044715 * g * g * g))) * u;
		                      });
		                      r.report();
	                      });
}
