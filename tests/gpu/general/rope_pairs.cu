// Rotary embedding of neighbouring pairs, sine and cosine computed: a thread a pair.
#include "bench.h"

#pragma ktune problem((tokens, heads) = (16, 32), (1024, 32), (4096, 8)) value(dim = 128, base = 10000.0f) \
              in(q[tokens * heads * 128], positions[tokens] : range(0, 4096)) out(out[tokens * heads * 128])
__global__ void rope_pairs(float *out, const float *q, const int *positions, int tokens, int heads, int dim, float base)
{
	const int pairs = dim / 2;
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= tokens * heads * pairs)
		return;
	const int pair = i % pairs;
	const int token = i / pairs / heads;
	const float angle = positions[token] * powf(base, -2.0f * pair / dim);
	float s, c;
	sincosf(angle, &s, &c);
	const float a = q[2 * i], b = q[2 * i + 1];
	out[2 * i] = a * c - b * s;
	out[2 * i + 1] = a * s + b * c;
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "tokens heads",
	                      {{"odd", {333, 7}}, {"prime", {127, 13}}, {"small", {3, 1}}, {"one", {1, 1}}, {"between", {500, 12}},
	                       {"large", {9000, 16}}, {"even", {1000, 6}}, {"few", {2, 40}}, {"misaligned", {1024, 32}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int tokens = v[0], heads = v[1], dim = 128;
		                      const size_t all = (size_t)tokens * heads * dim;
		                      auto q = r.input<float>(all, -2, 2);
		                      auto positions = r.whole<int>(tokens, 0, 4095);
		                      auto out = r.output<float>(all);
		                      r.launch([&] {
			                      rope_pairs<<<(all / 2 + 127) / 128, 128>>>(out->device, q->device, positions->device, tokens, heads,
			                                                                 dim, 10000.f);
		                      });
		                      r.check(out, 4e-3, 1e-3, [&](size_t i) {
			                      const size_t pair = i % dim / 2, token = i / dim / heads, even = i & ~(size_t)1;
			                      const double angle = (*positions)[token] * std::pow(10000.0, -2.0 * pair / dim);
			                      const double a = (*q)[even], b = (*q)[even + 1];
			                      return i % 2 ? a * std::sin(angle) + b * std::cos(angle) : a * std::cos(angle) - b * std::sin(angle);
		                      });
		                      r.report();
	                      });
}
