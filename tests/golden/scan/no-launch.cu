// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | %FileCheck %s
// Launches of which nothing is made: a macro drops its argument, a directive leaves the text out.
#define DISPATCH(type, name, ...) switch (type) { default: { __VA_ARGS__; } }
#define NAMED(name, ...) (void)#name
// CHECK: "kernel":"dropped",{{.*}}"decline":"no-launch","decline_detail":"line [[@LINE+3]]: the launch of 'dropped' is in text that a directive or a macro leaves out; build with the macros that keep it"
#pragma ktune problem(n = 64) out(y[n])
template <typename T> __global__ void dropped(T *y, int n) { y[threadIdx.x] = n; }
void host(float *y, int n) { DISPATCH(n, "a" NAMED(b, dropped<float><<<n / 32, 32>>>(y, n))) }
// CHECK: "kernel":"excluded",{{.*}}"decline":"no-launch","decline_detail":"line [[@LINE+4]]: the launch of 'excluded'
#pragma ktune problem(n = 64) out(y[n])
__global__ void excluded(float *y, int n) { y[threadIdx.x] = n; }
#ifdef WITH_LAUNCH
void other(float *y, int n) { excluded<<<n / 32, 32>>>(y, n); }
#endif
// The name alone is no launch.
// CHECK: "kernel":"declared",{{.*}}"decline":"no-launch","decline_detail":"'declared'"
#pragma ktune problem(n = 64) out(y[n])
__global__ void declared(float *y, int n) { y[threadIdx.x] = n; }
#define UNUSED(k) k
