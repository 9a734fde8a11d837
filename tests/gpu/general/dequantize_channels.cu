// int8 weights to bfloat16, a scale and an offset for each output channel.
#include "bench.h"

#pragma ktune problem((channels, width) = (512, 2048), (4096, 4096), (11008, 1024)) \
              in(q[channels * width], scale[channels], offset[channels]) out(w[channels * width])
__global__ void dequantize_channels(__nv_bfloat16 *w, const int8_t *q, const float *scale, const float *offset, int channels,
                                    int width)
{
	const int col = blockIdx.x * blockDim.x + threadIdx.x;
	const int channel = blockIdx.y;
	if (col < width) {
		const size_t at = (size_t)channel * width + col;
		w[at] = __float2bfloat16((q[at] - offset[channel]) * scale[channel]);
	}
}

int main(int argc, char **argv)
{
	return bench::main_of(argc, argv, "channels width",
	                      {{"odd", {333, 1001}}, {"prime", {2003, 769}}, {"small", {5, 7}}, {"one", {1, 1}}, {"between", {2000, 3000}},
	                       {"large", {12000, 2000}}, {"flat", {3, 300001}}, {"even", {1002, 514}}, {"misaligned", {2048, 2048}, 1}},
	                      [](bench::run &r, const long long *v) {
		                      const int channels = v[0], width = v[1];
		                      auto q = r.whole<int8_t>((size_t)channels * width, -127, 127);
		                      auto scale = r.input<float>(channels, 0.01, 0.1), offset = r.input<float>(channels, -3, 3);
		                      auto w = r.output<__nv_bfloat16>((size_t)channels * width);
		                      r.launch([&] {
			                      dequantize_channels<<<dim3((width + 255) / 256, channels), 256>>>(
			                          w->device, q->device, scale->device, offset->device, channels, width);
		                      });
		                      r.check(w, 1e-5, 8e-3, [&](size_t i) { return ((*q)[i] - (*offset)[i / width]) * (*scale)[i / width]; });
		                      r.report();
	                      });
}
