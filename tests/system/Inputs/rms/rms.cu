// One normalisation as two kernels with an array of row scales between them.
#include <cuda_fp16.h>

template <typename T> __device__ float to_float(T v) { return static_cast<float>(v); }

template <typename T> __global__ void row_scales(float *scales, const T *x, int d, float eps)
{
	__shared__ float part[256];
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x) {
		float v = to_float(x[(size_t)blockIdx.x * d + i]);
		sum += v * v;
	}
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int s = blockDim.x / 2; s > 0; s /= 2) {
		if (threadIdx.x < s)
			part[threadIdx.x] += part[threadIdx.x + s];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		scales[blockIdx.x] = rsqrtf(part[0] / d + eps);
}

template <typename T> __global__ void scale_rows(T *y, const T *x, const T *weight, const float *scales, int width)
{
	for (int i = threadIdx.x; i < width; i += blockDim.x) {
		size_t at = (size_t)blockIdx.x * width + i;
		y[at] = T(to_float(x[at]) * scales[blockIdx.x] * to_float(weight[i]));
	}
}

template <typename T>
cudaError_t rms_norm(T *y, const T *x, const T *weight, float *scales, int rows, int d, cudaStream_t stream)
{
#pragma ktune problem(rows = 1, 16; d = 256, 4096) in(x[rows * d], weight[d]) out(y[rows * d]) scratch(scales[rows]) \
    value(eps = 1e-6f)
	{
		const int threads = 256;
		dim3 grid(rows);
		row_scales<T><<<grid, threads, 0, stream>>>(scales, x, d, 1e-6f);
		scale_rows<T><<<grid, threads, 0, stream>>>(y, x, weight, scales, d);
	}
	return cudaGetLastError();
}

template cudaError_t rms_norm<__half>(__half *, const __half *, const __half *, float *, int, int, cudaStream_t);
template cudaError_t rms_norm<float>(float *, const float *, const float *, float *, int, int, cudaStream_t);

int main()
{
	alignas(256) static float memory[4 * 8192];

	rms_norm(memory, memory, memory, memory, 16, 256, 0);
	rms_norm(memory, memory, memory, memory, 3, 4096, 0);
	rms_norm(memory, memory, memory, memory, 3, 8192, 0);
	rms_norm(reinterpret_cast<__half *>(memory), reinterpret_cast<const __half *>(memory),
	         reinterpret_cast<const __half *>(memory), memory, 1, 256, 0);
	return 0;
}
