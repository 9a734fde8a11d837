// The other side of tests/gpu/serving.py: the three kernels written by hand for speed, copies of the same traffic, and
// what timing needs. Built twice, without and with --use_fast_math. Types: 0 fp32, 1 fp16, 2 bf16.
#include <cstddef>
#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "../../../samples/common/types.cuh"

// 16 bytes in one access.
template <typename T> struct alignas(16) chunk {
	static constexpr int size = 16 / sizeof(T);
	T item[size];
};

template <typename T> __device__ chunk<T> load(const T *from)
{
	return *reinterpret_cast<const chunk<T> *>(from);
}
template <typename T> __device__ void store(T *to, const chunk<T> &value)
{
	*reinterpret_cast<chunk<T> *>(to) = value;
}

template <typename T> __global__ void silu_kernel(T *__restrict__ out, const T *__restrict__ in, int d)
{
	const T *gate = in + static_cast<size_t>(blockIdx.x) * 2 * d;
	const T *up = gate + d;
	T *to = out + static_cast<size_t>(blockIdx.x) * d;
	for (int i = threadIdx.x * chunk<T>::size; i < d; i += blockDim.x * chunk<T>::size) {
		chunk<T> g = load(gate + i), u = load(up + i), result;
#pragma unroll
		for (int j = 0; j < chunk<T>::size; j++) {
			float x = to_float(g.item[j]);
			from_float(result.item[j], x / (1.0f + expf(-x)) * to_float(u.item[j]));
		}
		store(to + i, result);
	}
}

template <typename T>
__global__ void merge_kernel(T *__restrict__ v, float *__restrict__ s, const T *__restrict__ v_a,
                             const float *__restrict__ s_a, const T *__restrict__ v_b, const float *__restrict__ s_b,
                             unsigned chunks, unsigned chunks_of_row)
{
	unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
	if (at >= chunks)
		return;
	unsigned row = at / chunks_of_row;
	float a = s_a[row], b = s_b[row], largest = fmaxf(a, b);
	a = exp2f(a - largest);
	b = exp2f(b - largest);
	float sum = a + b, scale = 1.0f / sum;
	const size_t i = static_cast<size_t>(at) * chunk<T>::size;
	chunk<T> from_a = load(v_a + i), from_b = load(v_b + i), result;
#pragma unroll
	for (int j = 0; j < chunk<T>::size; j++)
		from_float(result.item[j], to_float(from_a.item[j]) * (a * scale) + to_float(from_b.item[j]) * (b * scale));
	store(v + i, result);
	if (at % chunks_of_row == 0)
		s[row] = largest + log2f(sum);
}

// A row stays in shared memory between the sum and the result.
template <typename T>
__global__ void rmsnorm_kernel(T *__restrict__ y, T *__restrict__ residual, const T *__restrict__ x,
                               const T *__restrict__ weight, float eps, int d)
{
	extern __shared__ float4 memory[];
	float *row = reinterpret_cast<float *>(memory);
	__shared__ float partial[32];
	const size_t begin = static_cast<size_t>(blockIdx.x) * d;
	float squares = 0.0f;
	for (int i = threadIdx.x * chunk<T>::size; i < d; i += blockDim.x * chunk<T>::size) {
		chunk<T> a = load(x + begin + i), b = load(residual + begin + i);
#pragma unroll
		for (int j = 0; j < chunk<T>::size; j++) {
			float value = to_float(a.item[j]) + to_float(b.item[j]);
			from_float(b.item[j], value);
			row[i + j] = value;
			squares += value * value;
		}
		store(residual + begin + i, b);
	}
	for (int distance = 16; distance > 0; distance /= 2)
		squares += __shfl_xor_sync(0xffffffffu, squares, distance);
	if (threadIdx.x % 32 == 0)
		partial[threadIdx.x / 32] = squares;
	__syncthreads();
	squares = threadIdx.x % 32 < blockDim.x / 32 ? partial[threadIdx.x % 32] : 0.0f;
	for (int distance = 16; distance > 0; distance /= 2)
		squares += __shfl_xor_sync(0xffffffffu, squares, distance);
	const float scale = rsqrtf(squares / d + eps);
	for (int i = threadIdx.x * chunk<T>::size; i < d; i += blockDim.x * chunk<T>::size) {
		chunk<T> w = load(weight + i), result;
#pragma unroll
		for (int j = 0; j < chunk<T>::size; j++)
			from_float(result.item[j], row[i + j] * scale * to_float(w.item[j]));
		store(y + begin + i, result);
	}
}

// Reads `from` once and writes `to` once, 16 bytes a step; what is read takes part in what is written.
__global__ void copy_kernel(uint4 *__restrict__ to, size_t writes, const uint4 *__restrict__ from, size_t reads)
{
	const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
	size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
	for (; i < writes; i += step) {
		uint4 value = from[i];
		for (size_t j = i + writes; j < reads; j += writes) {
			uint4 more = from[j];
			value.x ^= more.x;
			value.y ^= more.y;
			value.z ^= more.z;
			value.w ^= more.w;
		}
		to[i] = value;
	}
}

__global__ void sweep_kernel(const uint4 *from, size_t count, unsigned *sink)
{
	unsigned sum = 0;
	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
		sum += from[i].x;
	if (sum == 0x5eed5eedu)
		*sink = sum;
}

// Ends when the host says so, or by itself: a program that waits for the device behind a closed gate goes on.
__global__ void gate_kernel(const volatile unsigned *open, unsigned number)
{
	const long long begin = clock64();
	while (*open < number && clock64() - begin < 4000000000ll)
		__nanosleep(200);
}

static int threads_for(int items, int most)
{
	int threads = (items + 31) / 32 * 32;
	return threads < most ? threads : most;
}

template <typename T> static void silu(void *out, const void *in, int rows, int d, cudaStream_t stream)
{
	silu_kernel<T><<<rows, threads_for(d / chunk<T>::size, 1024), 0, stream>>>(static_cast<T *>(out),
	                                                                           static_cast<const T *>(in), d);
}

template <typename T>
static void merge(void *v, float *s, const void *v_a, const float *s_a, const void *v_b, const float *s_b, int tokens,
                  int heads, int head_dim, cudaStream_t stream)
{
	unsigned chunks_of_row = unsigned(head_dim / chunk<T>::size), chunks = unsigned(tokens) * heads * chunks_of_row;
	merge_kernel<T><<<(chunks + 127) / 128, 128, 0, stream>>>(static_cast<T *>(v), s, static_cast<const T *>(v_a), s_a,
	                                                          static_cast<const T *>(v_b), s_b, chunks, chunks_of_row);
}

template <typename T>
static void rmsnorm(void *y, void *residual, const void *x, const void *weight, float eps, int rows, int d,
                    cudaStream_t stream)
{
	rmsnorm_kernel<T><<<rows, threads_for(d / chunk<T>::size, 512), d * sizeof(float), stream>>>(
		static_cast<T *>(y), static_cast<T *>(residual), static_cast<const T *>(x), static_cast<const T *>(weight), eps,
		d);
}

extern "C" void production_silu(int type, void *out, const void *in, int rows, int d, void *stream)
{
	if (type == 1)
		silu<__half>(out, in, rows, d, static_cast<cudaStream_t>(stream));
	else
		silu<__nv_bfloat16>(out, in, rows, d, static_cast<cudaStream_t>(stream));
}

extern "C" void production_merge(int type, void *v, float *s, const void *v_a, const float *s_a, const void *v_b,
                                 const float *s_b, int tokens, int heads, int head_dim, void *stream)
{
	if (type == 1)
		merge<__half>(v, s, v_a, s_a, v_b, s_b, tokens, heads, head_dim, static_cast<cudaStream_t>(stream));
	else
		merge<__nv_bfloat16>(v, s, v_a, s_a, v_b, s_b, tokens, heads, head_dim, static_cast<cudaStream_t>(stream));
}

extern "C" void production_rmsnorm(int type, void *y, void *residual, const void *x, const void *weight, float eps,
                                   int rows, int d, void *stream)
{
	if (type == 0)
		rmsnorm<float>(y, residual, x, weight, eps, rows, d, static_cast<cudaStream_t>(stream));
	else if (type == 1)
		rmsnorm<__half>(y, residual, x, weight, eps, rows, d, static_cast<cudaStream_t>(stream));
	else
		rmsnorm<__nv_bfloat16>(y, residual, x, weight, eps, rows, d, static_cast<cudaStream_t>(stream));
}

// Bytes are rounded up to 16; `blocks` 0: one step a thread.
extern "C" void timing_copy(void *to, size_t write_bytes, const void *from, size_t read_bytes, int blocks, int threads,
                            void *stream)
{
	const size_t writes = (write_bytes + 15) / 16, reads = (read_bytes + 15) / 16;
	const unsigned all = unsigned((writes + threads - 1) / threads);
	const unsigned grid = blocks > 0 && unsigned(blocks) < all ? unsigned(blocks) : all;
	copy_kernel<<<grid, threads, 0, static_cast<cudaStream_t>(stream)>>>(
	    static_cast<uint4 *>(to), writes, static_cast<const uint4 *>(from), reads);
}

extern "C" void timing_sweep(const void *memory, size_t bytes, void *sink, void *stream)
{
	sweep_kernel<<<1024, 256, 0, static_cast<cudaStream_t>(stream)>>>(static_cast<const uint4 *>(memory), bytes / 16,
	                                                                  static_cast<unsigned *>(sink));
}

static volatile unsigned *gate_flag;

// What comes behind it on the stream waits for timing_open with the same number. Numbers ascend from 1.
extern "C" int timing_gate(unsigned number, void *stream)
{
	if (gate_flag == nullptr) {
		void *memory = nullptr;
		if (cudaHostAlloc(&memory, sizeof(unsigned), cudaHostAllocMapped) != cudaSuccess)
			return 1;
		gate_flag = static_cast<volatile unsigned *>(memory);
		*gate_flag = 0;
	}
	gate_kernel<<<1, 1, 0, static_cast<cudaStream_t>(stream)>>>(gate_flag, number);
	return cudaGetLastError() != cudaSuccess;
}

extern "C" void timing_open(unsigned number)
{
	*gate_flag = number;
}

extern "C" int last_error(void)
{
	return static_cast<int>(cudaGetLastError());
}
