// One step of a 9-point stencil: each output is a weighted mean of its 3x3
// neighbourhood; cells outside the field count as the nearest cell inside.
#pragma once

#include <cuda_runtime.h>

void stencil2d(float *next, const float *field, int width, int height, cudaStream_t stream);

// The same result from a launch that a specialised kernel must not take: spare blocks around the field.
void stencil2d_broken(float *next, const float *field, int width, int height);
