// How often each label occurs, by additions in global memory.
#include "bench.h"

#pragma ktune problem(n = 100000, 4000000) value(classes = 64) in(labels[n] : range(0, 63)) inout(counts[64] : zeros)
__global__ void count_votes(const int *labels, int *counts, int n, int classes)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && labels[i] < classes)
		atomicAdd(&counts[labels[i]], 1);
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "n",
	                      {{"odd", {300007}}, {"prime", {1299709}}, {"small", {37}}, {"one", {1}}, {"between", {1000000}},
	                       {"large", {20000000}}, {"even", {3000002}}, {"below", {8191}}, {"misaligned", {2000000}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int n = v[0];
		                      auto labels = r.whole<int>(n, 0, 63);
		                      auto counts = r.output<int>(64);
		                      r.launch([&] { count_votes<<<(n + 255) / 256, 256>>>(labels->device, counts->device, n, 64); });
		                      std::vector<double> expected(64);
		                      for (int i = 0; i < n; i++)
			                      expected[(size_t)(*labels)[i]]++;
		                      r.check(counts, 0.5, 0, [&](size_t label) { return expected[label]; });
		                      r.report();
	                      });
}
