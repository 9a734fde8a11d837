// What these kernels share: conversions, and a pack of elements
// that moves in one memory access.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ inline float to_float(__half value) { return __half2float(value); }
__device__ inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }

template <typename T> __device__ T from_float(float value);
template <> __device__ inline __half from_float<__half>(float value) { return __float2half(value); }
template <> __device__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float value) { return __float2bfloat16(value); }

// N elements, aligned so that one access moves them all; N is a power of two.
template <typename T, int N> struct alignas(sizeof(T) * N) pack {
	T item[N];
};
