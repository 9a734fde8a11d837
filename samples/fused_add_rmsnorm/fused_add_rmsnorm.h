// residual += x and y = residual / sqrt(mean(residual^2) + eps) * weight, row by row of [rows, d].
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// `scale` is memory for one number a row; what it holds afterwards is of no use.
void fused_add_rmsnorm(float *y, float *residual, const float *x, const float *weight, float *scale, float eps, int rows,
                       int d, cudaStream_t stream);
void fused_add_rmsnorm(__half *y, __half *residual, const __half *x, const __half *weight, float *scale, float eps,
                       int rows, int d, cudaStream_t stream);
void fused_add_rmsnorm(__nv_bfloat16 *y, __nv_bfloat16 *residual, const __nv_bfloat16 *x, const __nv_bfloat16 *weight,
                       float *scale, float eps, int rows, int d, cudaStream_t stream);
