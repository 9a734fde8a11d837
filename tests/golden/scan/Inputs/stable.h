#pragma once
#define HEADER_UNUSED 1
__device__ inline float header_deep(float a) { return a * 11; }
__device__ inline float from_header(float a) { return header_deep(a) + 7; }
__device__ inline float header_unused(float a) { return a * 13; }
