// RUN: %lower %s -- -std=c++17 | diff %S/asserts.ir -
// Assertions, traps and what prints: with the texts that nvcc gives them, and where they are.
#include <cassert>
#include <cstdint>
#include <cstdio>
namespace lib
{
template <typename T> struct part {
	T v;
	__device__ T get(T const &low, const part &other) const
	{
		assert(v > low);
		return v + other.v;
	}
};
}
template <typename T, int N, unsigned U, bool B>
static __device__ __forceinline__ T checked(const T *__restrict__ x, const size_t i, int64_t n, const T &least)
{
	assert(x[i] > least * N && "what it means");
	return x[i % (n + U)];
}
__device__ bool is_named(bool b, uint8_t *const p, int16_t *q)
{
	assert(p[1] < *q &&
	       b);
	return *p > 1;
}
namespace
{
#define REFUSE(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, static_cast<unsigned int>(__LINE__), __func__))
#pragma ktune problem(n = 100) inout(y[n])
__global__ void asserted(float *__restrict__ y, lib::part<float> p, bool *b, unsigned long long *l, int16_t *q, int64_t n)
{
	int i = threadIdx.x;
	REFUSE(n > 0 && *"$");
	assert(*l < 7);
	if (i < n)
		y[i] = p.get(y[i], p) + checked<float, 3, 7u, true>(y, i, n, y[0]) + is_named(*b, reinterpret_cast<uint8_t *>(b), q) + __LINE__;
	if (y[i] > 3.0f) {
		printf("bad %d of %s\n", i, __func__);
		__trap();
	}
}
}
void run(float *y, bool *b, unsigned long long *l, int16_t *q, int n)
{
	asserted<<<1, 100>>>(y, lib::part<float>{3.0f}, b, l, q, n);
}
