#pragma once
__device__ inline float third(float x) { return x / 3.0f; }
