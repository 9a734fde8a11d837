// y[row][i] = silu(x[row][i]) * x[row][d + i] for x of shape [rows, 2 * d].
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

void silu_and_mul(__half *y, const __half *x, int rows, int d, cudaStream_t stream);
void silu_and_mul(__nv_bfloat16 *y, const __nv_bfloat16 *x, int rows, int d, cudaStream_t stream);

// The same result from launches that a specialised kernel must not take: another
// block size, another grid, and a `rows` in scope that is not what is launched.
enum class silu_break { block, grid, rows };
void silu_and_mul_broken(silu_break what, __half *y, const __half *x, int rows, int d);
