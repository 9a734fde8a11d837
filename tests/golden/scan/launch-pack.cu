// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A parameter pack in the configuration of a launch: the reason names it. One in the arguments, and a macro's `__VA_ARGS__` for several
// parts of a launch, are read.
// CHECK: "name":"packed",{{.*}}"decline":"launch-form","decline_detail":"line 27: the configuration of the launch of 'packed' is a parameter pack; write its parts, as in packed<<<grid, block>>>"
// CHECK: "name":"several","kernel":"several"
// CHECK-SAME: "decline":null
// CHECK-SAME: "grid":["n / 64"],"block":["64"],"shared_bytes":"16"
// CHECK: "name":"passed","kernel":"passed"
// CHECK-SAME: "decline":null
// CHECK-SAME: "grid":["n / 32"],"block":["32"]
#pragma ktune problem(n = 64) out(y[n])
__global__ void packed(float *y, int n)
{
	y[0] = n;
}
#pragma ktune problem(n = 64) out(y[n])
__global__ void several(float *y, int n)
{
	y[0] = n;
}
#pragma ktune problem(n = 64) out(y[n])
__global__ void passed(float *y, int n)
{
	y[0] = n;
}
#define LAUNCH(K, ...) K<<<__VA_ARGS__>>>(y, n)
template <typename... C> void by_pack(float *y, int n, C... c) { packed<<<c...>>>(y, n); }
template <typename... A> void arguments(int n, A... a) { passed<<<n / 32, 32>>>(a..., n); }
void run(float *y, int n)
{
	by_pack(y, n, n / 64, 64);
	LAUNCH(several, n / 64, 64, 16);
	arguments(n, y);
}
