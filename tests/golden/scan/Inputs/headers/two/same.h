#pragma once
#include "value.h"
#ifdef NEVER
#include "never.h"
#endif
#pragma ktune problem(n = 64) out(y[n])
__global__ void in_two(float *y, int n) { y[threadIdx.x] = VALUE_two; }
