#pragma once
#include "config.h"
#include "logging.h"
#if USE_FAST_MATH
__device__ inline float exponential(float x) { return __expf(x); }
#else
__device__ inline float exponential(float x) { return expf(x); }
#endif
