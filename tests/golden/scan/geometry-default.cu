// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | %FileCheck %s
// Functions of the host whose parameters have values by default.
// CHECK: "kernel":"k",{{.*}}"decline":null
// CHECK: "grid":["(n + 128 - 1) / 128"],"block":["128"]
// CHECK: "grid":["(n + 64 - 1) / 64"],"block":["64"]
namespace ops
{
constexpr unsigned threads = 128;
template <typename T> constexpr T divided(T value, T by) { return (value + by - 1) / by; }
template <typename T> constexpr unsigned blocks(T n, unsigned by = threads) { return (unsigned)divided<T>(n, by); }
int needed(int n, int by, int more = 0);
int needed(int n, int by, int more) { return n / by + more; }
} // namespace ops
#pragma ktune problem(n = 64) out(y[n])
__global__ void k(float *y, int n) { y[threadIdx.x] = n; }
void run(float *y, int n)
{
	k<<<ops::blocks(n), ops::threads>>>(y, n);
	k<<<ops::blocks(n, 64), 64>>>(y, n);
}
// The value is in another declaration than the body.
// CHECK: "kernel":"elsewhere",{{.*}}"decline":null
// CHECK: "grid":["n / 32 + 0"],"block":["32"]
#pragma ktune problem(n = 64) out(y[n])
__global__ void elsewhere(float *y, int n) { y[threadIdx.x] = n; }
void run_elsewhere(float *y, int n) { elsewhere<<<ops::needed(n, 32), 32>>>(y, n); }
