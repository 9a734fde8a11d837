#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#define SILU_BLOCK 256 // threads of a block
#define SILU_VEC 1     // elements of one memory access
#define SILU_SPLIT 1   // blocks that share a row

template <typename T, int N> struct alignas(sizeof(T) * N) pack {
	T item[N];
};

#pragma ktune problem(rows = 1, 64, 4096; d = 4096, 11008) \
              in(x[rows * 2 * d]) out(y[rows * d]) \
              tune(SILU_BLOCK = 64, 128, 256, 512, 1024) \
              tune(SILU_VEC = 1, 2, 4, 8) \
              tune(SILU_SPLIT = 1, 2, 4) \
              restriction(d % SILU_VEC == 0) \
              guard(aligned(x, 2 * SILU_VEC) && aligned(y, 2 * SILU_VEC)) \
              grid(rows, SILU_SPLIT) block(SILU_BLOCK)
template <typename T> __global__ void silu_and_mul_kernel(T *__restrict__ y, const T *__restrict__ x, int d)
{
	using access = pack<T, SILU_VEC>;
	const T *gate = x + size_t(blockIdx.x) * 2 * d;
	const T *up = gate + d;
	T *out = y + size_t(blockIdx.x) * d;
	int first = (blockIdx.y * blockDim.x + threadIdx.x) * SILU_VEC;
	int step = gridDim.y * blockDim.x * SILU_VEC;
	for (int i = first; i < d; i += step) {
		access g = *reinterpret_cast<const access *>(gate + i);
		access u = *reinterpret_cast<const access *>(up + i);
		access result;
#pragma unroll
		for (int j = 0; j < SILU_VEC; j++) {
			float value = static_cast<float>(g.item[j]);
			result.item[j] = static_cast<T>(value / (1.0f + __expf(-value)) * static_cast<float>(u.item[j]));
		}
		*reinterpret_cast<access *>(out + i) = result;
	}
}

// x is [rows, 2 * d]; the result is silu(x[:, :d]) * x[:, d:].
at::Tensor silu_and_mul(const at::Tensor &x)
{
	TORCH_CHECK(x.is_cuda() && x.is_contiguous() && x.dim() == 2 && x.size(1) % 2 == 0,
	            "silu_and_mul: x must be a contiguous CUDA tensor of two dimensions, the second even");
	const c10::cuda::CUDAGuard guard(x.device());
	int rows = static_cast<int>(x.size(0)), d = static_cast<int>(x.size(1) / 2);
	at::Tensor y = at::empty({rows, d}, x.options());
	if (y.numel() == 0)
		return y;
	cudaStream_t stream = at::cuda::getCurrentCUDAStream();
	AT_DISPATCH_REDUCED_FLOATING_TYPES(x.scalar_type(), "silu_and_mul", [&] {
		silu_and_mul_kernel<scalar_t><<<dim3(rows, SILU_SPLIT), SILU_BLOCK, 0, stream>>>(
		    y.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(), d);
	});
	C10_CUDA_KERNEL_LAUNCH_CHECK();
	return y;
}
