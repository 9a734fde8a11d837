// Arithmetic is done in float whatever the elements are: one overload a type and direction.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(__half value) { return __half2float(value); }
__device__ inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }

__device__ inline void from_float(float &to, float value) { to = value; }
__device__ inline void from_float(__half &to, float value) { to = __float2half(value); }
__device__ inline void from_float(__nv_bfloat16 &to, float value) { to = __float2bfloat16(value); }
