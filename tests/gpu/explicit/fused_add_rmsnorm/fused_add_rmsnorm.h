// For each row: residual += x, and y = residual / rms(residual) * weight.
// x, residual and y have shape [rows, d], weight has shape [d].
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

void fused_add_rmsnorm(__half *y, __half *residual, const __half *x, const __half *weight, float eps, int rows, int d,
                       cudaStream_t stream);
void fused_add_rmsnorm(__nv_bfloat16 *y, __nv_bfloat16 *residual, const __nv_bfloat16 *x, const __nv_bfloat16 *weight,
                       float eps, int rows, int d, cudaStream_t stream);

// The same result from a launch that a specialised kernel must not take: more
// dynamic shared memory than the kernel was tuned with.
void fused_add_rmsnorm_broken(__half *y, __half *residual, const __half *x, const __half *weight, float eps, int rows,
                              int d);
