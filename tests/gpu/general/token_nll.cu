// Negative log-likelihood of each token's label, a thread a row.
#include "bench.h"

#pragma ktune problem((tokens, vocab) = (1024, 256), (8192, 1000)) in(logits[tokens * vocab], labels[tokens] : range(0, vocab - 1)) \
              out(nll[tokens])
__global__ void token_nll(const float *logits, const int *labels, float *nll, int tokens, int vocab)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= tokens)
		return;
	const float *row = logits + (size_t)t * vocab;
	float top = row[0];
	for (int i = 1; i < vocab; i++)
		if (row[i] > top)
			top = row[i];
	float sum = 0;
	for (int i = 0; i < vocab; i++)
		sum += expf(row[i] - top);
	nll[t] = logf(sum) + top - row[labels[t]];
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "tokens vocab",
	                      {{"odd", {333, 301}}, {"prime", {1021, 769}}, {"small", {3, 10}}, {"one", {1, 1}}, {"between", {3000, 500}},
	                       {"large", {20000, 700}}, {"wide", {64, 50257}}, {"even", {900, 1002}}, {"misaligned", {4096, 256}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int tokens = v[0], vocab = v[1];
		                      auto logits = r.input<float>((size_t)tokens * vocab, -5, 5);
		                      auto labels = r.whole<int>(tokens, 0, vocab - 1);
		                      auto nll = r.output<float>(tokens);
		                      r.launch([&] {
			                      token_nll<<<(tokens + 127) / 128, 128>>>(logits->device, labels->device, nll->device, tokens, vocab);
		                      });
		                      r.check(nll, 1e-3, 1e-4, [&](size_t t) {
			                      double sum = 0;
			                      for (int i = 0; i < vocab; i++)
				                      sum += std::exp((*logits)[t * vocab + i]);
			                      return std::log(sum) - (*logits)[t * vocab + (size_t)(*labels)[t]];
		                      });
		                      r.report();
	                      });
}
