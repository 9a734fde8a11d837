// A gated unit in half precision over problems from four microseconds to seventy, whose best configurations differ. Tuned
// again and again by repeat.py.
#include <cuda_fp16.h>

#define BLOCK 256 // threads of a block
#define VEC 1     // elements of one memory access
#define SPLIT 1   // blocks that share a row

template <int N> struct alignas(2 * N) pack {
	__half item[N];
};

#pragma ktune problem((rows, d) = (1, 4096), (1, 11008), (64, 11008), (4096, 4096), (4096, 11008)) \
              in(x[rows * 2 * d]) out(y[rows * d]) \
              tune(BLOCK = 64, 128, 256, 512, 1024) \
              tune(VEC = 1, 2, 4, 8) \
              tune(SPLIT = 1, 2, 4) \
              restriction(d % VEC == 0) \
              guard(aligned(x, 2 * VEC) && aligned(y, 2 * VEC)) \
              grid(rows, SPLIT) block(BLOCK) \
              bytes(rows * d * 6)
__global__ void gated(__half *__restrict__ y, const __half *__restrict__ x, int d)
{
	const __half *gate = x + size_t(blockIdx.x) * 2 * d;
	const __half *up = gate + d;
	__half *out = y + size_t(blockIdx.x) * d;
	for (int i = (blockIdx.y * blockDim.x + threadIdx.x) * VEC; i < d; i += gridDim.y * blockDim.x * VEC) {
		pack<VEC> g = *reinterpret_cast<const pack<VEC> *>(gate + i);
		pack<VEC> u = *reinterpret_cast<const pack<VEC> *>(up + i);
		pack<VEC> result;
#pragma unroll
		for (int j = 0; j < VEC; j++) {
			float value = __half2float(g.item[j]);
			result.item[j] = __float2half(value / (1.0f + __expf(-value)) * __half2float(u.item[j]));
		}
		*reinterpret_cast<pack<VEC> *>(out + i) = result;
	}
}

void run(__half *y, const __half *x, int rows, int d)
{
	gated<<<dim3(rows, SPLIT), BLOCK>>>(y, x, d);
}
