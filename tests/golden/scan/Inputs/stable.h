#pragma once
#define HEADER_UNUSED 1
__device__ inline float header_deep(float a) { return a * 11; }
__device__ inline float from_header(float a) { return header_deep(a) + 7; }
__device__ inline float header_unused(float a) { return a * 13; }
struct Pair {
	float a, b;
	__device__ float sum() const;
};
__device__ inline float Pair::sum() const { return a + b + 17; }
__device__ inline Pair operator+(Pair l, Pair r) { return {l.a + r.a, l.b + r.b + 23}; }
struct Other {
	float width;
	__device__ float sum() const;
};
__device__ inline float Other::sum() const { return width * 29; }
__device__ inline Other operator+(Other l, Other r) { return {l.width + r.width * 31}; }
