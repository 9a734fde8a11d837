// Attention scores: scaled, and minus infinity where a mask of each batch says so; the mask is shared by the heads.
#include "bench.h"

#pragma ktune problem((batch, heads, queries, keys) = (2, 16, 128, 512), (4, 32, 512, 512)) value(scale = 0.125f) \
              inout(scores[batch * heads * queries * keys]) in(mask[batch * queries * keys] : range(0, 1))
__global__ void masked_scores(float *scores, const unsigned char *mask, int heads, int queries, int keys, float scale,
                              long total)
{
	long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= total)
		return;
	int k = i % keys;
	int q = i / keys % queries;
	int b = i / ((long)keys * queries * heads);
	bool keep = mask[((long)b * queries + q) * keys + k];
	scores[i] = keep ? scores[i] * scale : -10000.0f;
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "batch heads queries keys",
	                      {{"odd", {3, 5, 33, 101}}, {"prime", {2, 7, 127, 257}}, {"small", {1, 2, 3, 5}}, {"one", {1, 1, 1, 1}},
	                       {"between", {2, 12, 200, 600}}, {"large", {8, 16, 384, 384}}, {"even", {2, 6, 50, 202}},
	                       {"decode", {32, 32, 1, 2000}}, {"misaligned", {2, 16, 128, 512}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int batch = v[0], heads = v[1], queries = v[2], keys = v[3];
		                      const long total = (long)batch * heads * queries * keys;
		                      auto scores = r.input<float>(total, -10, 10);
		                      auto mask = r.whole<unsigned char>((size_t)batch * queries * keys, 0, 1);
		                      r.launch([&] {
			                      masked_scores<<<(unsigned)((total + 255) / 256), 256>>>(scores->device, mask->device, heads, queries, keys,
			                                                                            0.125f, total);
		                      });
		                      r.check(scores, 1e-6, 1e-6, [&](size_t i) {
			                      const size_t m = (i / ((size_t)keys * queries * heads) * queries + i / keys % queries) * keys + i % keys;
			                      return (*mask)[m] != 0 ? (*scores)[i] * 0.125 : -10000.0;
		                      });
		                      r.report();
	                      });
}
