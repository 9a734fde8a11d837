// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Numbers of threads that are powers of two: found by loops, by shifts, by a logarithm.
// CHECK: "launches":[{
// CHECK-SAME: "block":["!(1 < n && 1 < 512) ? 1 : !(2 < n && 2 < 512) ? 2 : {{.*}} : 4096 / !(4096 < n && 4096 < 512)"]
// CHECK-SAME: "block":["!(32 < n) ? 32 : !(64 < n) ? 64 : !(128 < n) ? 128 :
// CHECK-SAME: "block":["min(1024, !(1 < n) ? 1 : !(2 < n) ? 2 :
// CHECK-SAME: "block":["!(96 < n) ? 96 : !(128 < n) ? 128 :
// CHECK-SAME: "block":["min((n - 1 | n - 1 >> 1 | (n - 1 | n - 1 >> 1) >> 2) + 1, 256)"]
// CHECK-SAME: "block":["max(min(1 << (n >= 2) + (n >= 4) + (n >= 8) +{{.*}} + (n >= 1073741824), 512), 1)"]
// The last value is the last one for which the condition may hold.
// CHECK-SAME: "block":["!(32 < n && 32 < 256) ? 32 : !(64 < n && 64 < 256) ? 64 : !(128 < n && 128 < 256) ? 128 : 256"]
// What two variables become, what begins as no number, what a branch may skip, what is stepped by something else.
// CHECK-SAME: "block":[]
// CHECK-SAME: "block":[]
// CHECK-SAME: "block":[]
// CHECK-SAME: "block":[]
// CHECK-SAME: "block":[]
#include <algorithm>
#include <cmath>
#pragma ktune problem(n = 8) out(y[n])
__global__ void k(float *y, int n) { y[0] = n; }

static const int most = 512;
static int power_of_two(int n)
{
	int t = 1;
	while (t < n) {
		t <<= 1;
	}
	return t;
}
static unsigned upwards(unsigned v)
{
	v--;
	v |= v >> 1;
	v |= v >> 2;
	++v;
	return v;
}
inline int threads_for(int size)
{
	const int bits = std::log2(static_cast<double>(size));
	return std::max(std::min(1 << bits, 512), 1);
}
void run(float *y, int n)
{
	int threads = 1;
	while (threads < n && threads < most) threads *= 2;
	k<<<n, threads>>>(y, n);
	int warps = 32;
	while (warps < n) {
		warps = warps * 2;
	}
	k<<<n, warps>>>(y, n);
	k<<<n, std::min(1024, power_of_two(n))>>>(y, n);
	int steps = 96;
	while (steps < n)
		steps += 32;
	k<<<n, steps>>>(y, n);
	k<<<n, std::min(upwards(n), 256u)>>>(y, n);
	k<<<n, threads_for(n)>>>(y, n);
}
void bounded(float *y, int n)
{
	int threads = 32;
	while (threads < n && threads < 256)
		threads *= 2;
	k<<<n, threads>>>(y, n);
}
void no(float *y, int n)
{
	int a = 1, b = 1;
	while (a < n) {
		a *= 2;
		b *= 2;
	}
	k<<<n, a>>>(y, n);
	int c = n;
	while (c > 1024)
		c /= 2;
	k<<<n, c>>>(y, n);
	int d = 1;
	if (n > 5)
		while (d < n)
			d *= 2;
	k<<<n, d>>>(y, n);
	int e = 1;
	while (e < n)
		e += n;
	k<<<n, e>>>(y, n);
	int f = 1;
	do
		f *= 2;
	while (f < n);
	k<<<n, f>>>(y, n);
}
