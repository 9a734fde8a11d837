#pragma once
#include "common.h"

constexpr int kTaps = 5;
__constant__ float taps[kTaps];
__constant__ const int order[4] = {2, 0, 3, 1};

inline void upload_taps(const float *values)
{
	CUDA_CHECK(cudaMemcpyToSymbol(taps, values, sizeof taps));
}
