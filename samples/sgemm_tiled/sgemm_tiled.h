// c = a * b in single precision, row-major: a is [m, k], b is [k, n], c is [m, n].
#pragma once

#include <cuda_runtime.h>

void sgemm_tiled(float *c, const float *a, const float *b, int m, int n, int k, cudaStream_t stream);

// The same result from launches that a specialised kernel must not take: a grid
// with a spare column of blocks, and more dynamic shared memory than asked for.
void sgemm_tiled_broken(float *c, const float *a, const float *b, int m, int n, int k);
