// 2 x 2 maximum with stride 2 over planes.
#include "bench.h"

#pragma ktune problem((planes, h, w) = (64, 112, 112), (512, 224, 224)) in(in[planes * h * w]) \
              out(out[planes * (h / 2) * (w / 2)])
__global__ void max_pool(const float *in, float *out, int planes, int h, int w)
{
	int oh = h / 2, ow = w / 2;
	int index = blockIdx.x * blockDim.x + threadIdx.x;
	if (index >= planes * oh * ow)
		return;
	int ox = index % ow;
	int oy = (index / ow) % oh;
	int plane = index / (ow * oh);
	const float *src = in + (size_t)plane * h * w + (2 * oy) * w + 2 * ox;
	float best = src[0];
	best = fmaxf(best, src[1]);
	best = fmaxf(best, src[w]);
	best = fmaxf(best, src[w + 1]);
	out[index] = best;
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "planes h w",
	                      {{"odd", {33, 101, 75}}, {"prime", {31, 127, 61}}, {"small", {2, 4, 6}}, {"one", {1, 2, 2}},
	                       {"between", {200, 160, 160}}, {"large", {1000, 128, 128}}, {"even", {50, 30, 42}}, {"flat", {4, 2, 100000}},
	                       {"misaligned", {64, 112, 112}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int planes = v[0], h = v[1], w = v[2], oh = h / 2, ow = w / 2;
		                      auto x = r.input<float>((size_t)planes * h * w, -1, 1);
		                      auto y = r.output<float>((size_t)planes * oh * ow);
		                      r.launch([&] { max_pool<<<(planes * oh * ow + 255) / 256, 256>>>(x->device, y->device, planes, h, w); });
		                      r.check(y, 0, 1e-7, [&](size_t i) {
			                      const size_t at = i / ((size_t)ow * oh) * h * w + i / ow % oh * 2 * w + i % ow * 2;
			                      return std::max({(*x)[at], (*x)[at + 1], (*x)[at + w], (*x)[at + w + 1]});
		                      });
		                      r.report();
	                      });
}
