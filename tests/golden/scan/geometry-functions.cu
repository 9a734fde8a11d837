// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Functions of the host that compute a geometry: with variables, branches and assignments, and with a dim3 as the result.
#include <cassert>
#include <cmath>
#define BLOCK 512
dim3 square(size_t n)
{
	size_t k = (n - 1) / BLOCK + 1;
	size_t x = k, y = 1;
	if (x > 65535) {
		x = ceil(sqrt(k));
		y = (n - 1) / (x * BLOCK) + 1;
	}
	dim3 d = {x, y, 1};
	return d;
}
int stepwise(int n)
{
	assert(n > 0);
	int blocks = (n + 255) / 256, most;
	most = 1024;
	if (n > 1 << 20)
		most *= 4;
	else if (n < 1000)
		most = 1;
	if (blocks > most)
		return most;
	return blocks;
}
dim3 either(int n, int m)
{
	if (n < 64)
		return dim3(m);
	else
		return dim3(m, (n + 63) / 64);
}
namespace helper { template <typename T> dim3 made(T n) { dim3 g((n + 31) / 32, 2); return g; } }
inline __host__ __device__ int2 min(int2 a, int2 b) { return a.x < b.x ? a : b; }
inline float4 most(float4 a) { return a; }
inline int most(int n) { return n / 5; }
int with_parameter(int n) { if (n > 4096) n = 4096; return n / 32; }
int looped(int n) { int b = 1; while (b < n) b *= 2; return b; }
int counted(int n) { static int calls = 0; calls += 1; return n * calls; }
int forgotten(int n) { if (n > 5) return 1; if (n < 9) return 2; throw 1; }
int left(int n) { int b; if (n > 5) b = 1; return n; }
int unset(int n) { int b; if (n > 5) return b; return n; }
int comma(int n) { int b = n; b = 1, b = 2; return b; }

int doubled(int n) { return n > 1 ? doubled(n - 1) : doubled(n + 1); }
#pragma ktune problem(n = 65536; m = 2) out(y[n])
__global__ void k(float *y, int n, int m) { y[0] = n; }
void run(float *y, int n, int m)
{
	// Where a branch cannot be told there is no value.
	// CHECK: "grid":["((n - 1) / 512 + 1) / !((n - 1) / 512 + 1 > 65535)","(n - 1) / 512 + 1 > 65535 ? (n - 1) / (((n - 1) / 512 + 1) / !((n - 1) / 512 + 1 > 65535) * 512) + 1 : 1","1"],"block":["512"]
	k<<<square(n), BLOCK>>>(y, n, m);
	// CHECK-SAME: "grid":["(n + 255) / 256 > (!(n > 1 << 20) && n < 1000 ? 1 : n > 1 << 20 ? 1024 * 4 : 1024) ? !(n > 1 << 20) && n < 1000 ? 1 : n > 1 << 20 ? 1024 * 4 : 1024 : (n + 255) / 256"],"block":["32"]
	k<<<stepwise(n), 32>>>(y, n, m);
	// CHECK-SAME: "grid":["n < 64 ? m : m","n < 64 ? 1 : (n + 63) / 64"],"block":["33"]
	k<<<either(n, m), 33>>>(y, n, m);
	// CHECK-SAME: "grid":["(n + 31) / 32","2"],"block":["34"]
	k<<<helper::made<int>(n), 34>>>(y, n, m);
	// Functions of vectors that have the name.
	// CHECK-SAME: "grid":["min(n, 64)"],"block":["49"]
	k<<<min(n, 64), 49>>>(y, n, m);
	// CHECK-SAME: "grid":["n / 5"],"block":["50"]
	k<<<most(n), 50>>>(y, n, m);
	// From the global namespace on.
	// CHECK-SAME: "grid":["(n + 31) / 32","2"],"block":["47"]
	k<<<::helper::made<int>(n), 47>>>(y, n, m);
	// CHECK-SAME: "grid":["(n > 4096 ? 4096 : n) / 32"],"block":["48"]
	const unsigned int parts = static_cast<unsigned int>(::with_parameter(n));
	k<<<parts, 48>>>(y, n, m);
	// CHECK-SAME: "grid":["(n > 4096 ? 4096 : n) / 32"],"block":["35"]
	k<<<with_parameter(n), 35>>>(y, n, m);
	// CHECK-SAME: "grid":["n"],"block":["36"]
	k<<<left(n), 36>>>(y, n, m);
	// CHECK-SAME: "grid":["!(1 < n) ? 1 : !(2 < n) ? 2 : {{[^"]*}}"],"block":["37"]
	k<<<looped(n), 37>>>(y, n, m);
	// CHECK-SAME: "grid":[],"block":["38"]
	k<<<counted(n), 38>>>(y, n, m);
	// CHECK-SAME: "grid":[],"block":["39"]
	k<<<forgotten(n), 39>>>(y, n, m);
	// CHECK-SAME: "grid":[],"block":["40"]
	k<<<unset(n), 40>>>(y, n, m);
	// CHECK-SAME: "grid":[],"block":["41"]
	k<<<comma(n), 41>>>(y, n, m);
	// A branch of the host itself.
	// CHECK-SAME: "grid":["n / !!(n < 1000)"],"block":["42"]
	int blocks = n < 1000 ? n : (int)sqrt((double)n);
	k<<<blocks, 42>>>(y, n, m);
	// CHECK-SAME: "grid":[],"block":["43"]
	k<<<n < 1000 ? counted(n) : counted(m), 43>>>(y, n, m);
	// CHECK-SAME: "grid":[],"block":["44"]
	k<<<doubled(n), 44>>>(y, n, m);
}
