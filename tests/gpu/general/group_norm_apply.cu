// Group normalisation where mean and inverse deviation of each group are known: one thread an element of N x C x HW.
#include "bench.h"

#pragma ktune problem((n, c, hw) = (2, 64, 1024), (8, 256, 1024), (4, 512, 4096)) value(groups = 32) \
              in(x[n * c * hw], mean[n * 32], inv_std[n * 32], weight[c], bias[c]) out(y[n * c * hw])
__global__ void group_norm_apply(float *y, const float *x, const float *mean, const float *inv_std, const float *weight,
                                 const float *bias, int n, int c, int hw, int groups)
{
	int idx = blockIdx.x * blockDim.x + threadIdx.x;
	if (idx < n * c * hw) {
		int channel = idx / hw % c;
		int group = idx / hw / c * groups + channel / (c / groups);
		y[idx] = (x[idx] - mean[group]) * inv_std[group] * weight[channel] + bias[channel];
	}
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "n c hw",
	                      {{"odd", {3, 96, 1001}}, {"prime", {5, 160, 3137}}, {"small", {1, 32, 9}}, {"one", {1, 32, 1}},
	                       {"between", {4, 128, 1600}}, {"large", {16, 320, 4096}}, {"even", {2, 192, 50}}, {"planes", {7, 64, 784}},
	                       {"misaligned", {4, 256, 1024}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int n = v[0], c = v[1], hw = v[2], groups = 32;
		                      const size_t all = (size_t)n * c * hw;
		                      auto x = r.input<float>(all, -2, 2);
		                      auto mean = r.input<float>(n * groups, -1, 1), inverse = r.input<float>(n * groups, 0.5, 2);
		                      auto weight = r.input<float>(c, -1, 1), bias = r.input<float>(c, -1, 1);
		                      auto y = r.output<float>(all);
		                      r.launch([&] {
			                      group_norm_apply<<<(all + 255) / 256, 256>>>(y->device, x->device, mean->device, inverse->device,
			                                                                   weight->device, bias->device, n, c, hw, groups);
		                      });
		                      r.check(y, 1e-5, 1e-5, [&](size_t i) {
			                      const size_t channel = i / hw % c, group = i / hw / c * groups + channel / (c / groups);
			                      return ((*x)[i] - (*mean)[group]) * (*inverse)[group] * (*weight)[channel] + (*bias)[channel];
		                      });
		                      r.report();
	                      });
}
