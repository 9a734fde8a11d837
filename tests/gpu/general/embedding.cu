// Rows of a table by 64-bit index, a padding index gives zeros; grid-stride over all elements.
#include "bench.h"

#pragma ktune problem((count, dim) = (512, 768), (8192, 1024), (32768, 256)) value(padding = 0) \
              in(table[1000 * dim], ids[count] : range(0, 999)) out(out[count * dim])
__global__ void embedding(float *out, const float *table, const long long *ids, long long count, int dim, long long padding)
{
	const long long total = count * dim;
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += (long long)gridDim.x * blockDim.x) {
		const long long row = ids[i / dim];
		out[i] = row == padding ? 0.f : table[row * dim + i % dim];
	}
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "count dim",
	                      {{"odd", {333, 301}}, {"prime", {1021, 769}}, {"small", {3, 10}}, {"one", {1, 1}}, {"between", {2000, 500}},
	                       {"large", {50000, 320}}, {"wide", {64, 12288}}, {"even", {900, 1002}}, {"misaligned", {8192, 768}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const long long count = v[0], total = v[0] * v[1];
		                      const int dim = v[1];
		                      auto table = r.input<float>(1000 * (size_t)dim, -1, 1);
		                      auto ids = r.whole<long long>(count, 0, 999);
		                      auto out = r.output<float>(total);
		                      r.launch([&] {
			                      const int blocks = (int)std::min<long long>((total + 255) / 256, 4096);
			                      embedding<<<blocks, 256>>>(out->device, table->device, ids->device, count, dim, 0);
		                      });
		                      r.check(out, 0, 1e-7, [&](size_t i) {
			                      const double row = (*ids)[i / dim];
			                      return row == 0 ? 0 : (*table)[(size_t)row * dim + i % dim];
		                      });
		                      r.report();
	                      });
}
