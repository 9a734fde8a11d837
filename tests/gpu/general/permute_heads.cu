// [batch, seq, heads, dim] to [batch, heads, seq, dim].
#include "bench.h"

#pragma ktune problem((batch, seq, heads, dim) = (2, 128, 12, 64), (8, 1024, 16, 64)) \
              in(src[batch * seq * heads * dim]) out(dst[batch * seq * heads * dim])
__global__ void permute_heads(__half *dst, const __half *src, int seq, int heads, int dim)
{
	const int s = blockIdx.x, b = blockIdx.y;
	for (int i = threadIdx.x; i < heads * dim; i += blockDim.x) {
		const int h = i / dim, d = i - h * dim;
		dst[((size_t)(b * heads + h) * seq + s) * dim + d] = src[((size_t)(b * seq + s) * heads + h) * dim + d];
	}
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "batch seq heads dim",
	                      {{"odd", {3, 101, 5, 33}}, {"prime", {2, 257, 7, 61}}, {"small", {1, 3, 2, 5}}, {"one", {1, 1, 1, 1}},
	                       {"between", {4, 500, 12, 64}}, {"large", {16, 700, 16, 80}}, {"even", {2, 50, 6, 50}},
	                       {"wide", {1, 2000, 32, 128}}, {"misaligned", {2, 512, 12, 64}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int batch = v[0], seq = v[1], heads = v[2], dim = v[3];
		                      const size_t all = (size_t)batch * seq * heads * dim;
		                      auto x = r.input<__half>(all, -1, 1);
		                      auto y = r.output<__half>(all);
		                      r.launch([&] { permute_heads<<<dim3(seq, batch), 128>>>(y->device, x->device, seq, heads, dim); });
		                      r.check(y, 0, 1e-6, [&](size_t i) {
			                      const size_t d = i % dim, s = i / dim % seq, h = i / dim / seq % heads, b = i / dim / seq / heads;
			                      return (*x)[((b * seq + s) * heads + h) * dim + d];
		                      });
		                      r.report();
	                      });
}
