#include "stable.h"
struct Shape {
	int width; // field
};
enum Mode { SLOW = 1, FAST = 2 };
using real = float;
constexpr int PAD = 3;
#define SCALE(a) ((a) * FACTOR)
#define FACTOR 2
#define UNUSED 1
__constant__ float table[2] = {1, 2};
template <typename T> __device__ T helper(T a) { return a * 2; }
__device__ real deep(real a) { return helper(a) + table[0]; }
__device__ float unused(float a) { return a; }
template <typename T> struct Op {
	__device__ T operator()(T a) const { return a + 5; }
};
#pragma ktune problem(n = 8) out(y[n])
__global__ void k(float *y, int n)
{
	Shape s = {PAD};
	y[0] = deep(n) * SCALE(s.width) + FAST + Op<float>()(n) + from_header(n) +
	       (Pair{1, 2} + Pair{3, 4}).sum();
}
void run(float *y, int n) { k<<<1, 1>>>(y, n); }
