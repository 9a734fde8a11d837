/* What another library may have. */
#pragma once
#include <cuda_fp16.h>
__device__ inline int library_lane() { return threadIdx.x; }
__device__ float library_elsewhere(float a);
__device__ inline float library_shifted(float a, int by = threadIdx.x) { return a + by; }
__device__ inline float library_twice(float a) { return a + a; }
constexpr int library_square(int a) { return a * a; }
struct library_place {
	int at;
	__device__ library_place() : at(threadIdx.x) {}
};
struct library_first {
	int at = threadIdx.x;
};
struct library_number {
	float value;
	__device__ library_number &operator=(const library_number &other)
	{
		value = other.value + threadIdx.x;
		return *this;
	}
	__device__ library_number operator*(const library_number &other) const
	{
		return library_number{value * other.value + threadIdx.x};
	}
};
template <class T> struct library_box {
	T inner;
	int other;
};
struct library_half {
	__half value;
	library_half() = default;
	__device__ library_half(float from) : value(__float2half(from)) {}
	__device__ operator float() const { return __half2float(value); }
};
__device__ inline library_half operator+(const library_half &a, const library_half &b)
{
	return static_cast<float>(a) + static_cast<float>(b);
}
namespace std {
template <class T> struct library_hash {
	__device__ int operator()(T a) const { return a + threadIdx.x; }
};
}
