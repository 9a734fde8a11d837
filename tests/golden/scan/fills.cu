// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Fills that choose between numbers, and buffers that have the elements of another one.
// CHECK: "kernel":"chosen",{{[^{]*}}"decline":null
// CHECK-SAME: "name":"x",{{[^}]*}}"fill":{"kind":"choice","a":0,"b":0,"numbers":[0,0,8],"upper":"n - 1"}
// CHECK-SAME: "name":"y",{{[^}]*}}"like":"x","fill":{"kind":"choice","a":0,"b":0,"numbers":[0,0,8],"upper":"n - 1"}
#pragma ktune problem(n = 64) in(x[n]: choice(0, n - 1, 8), y[n]: like(x)) out(z[n])
__global__ void chosen(const int *x, const int *y, float *z, int n) { z[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x] + n; }
// CHECK: "kernel":"limited",{{[^{]*}}"decline":null
// CHECK-SAME: "fill":{"kind":"permutation","a":0,"b":0},"when":"n == 64","otherwise":{"fill":{"kind":"range","a":0,"b":0,"upper":"n - 1"}}
// CHECK-SAME: "restrictions":["!(n > 64) || B <= n"]
// CHECK-SAME: "kernel":"unnamed",{{[^{]*}}"decline":"pragma-error"
// CHECK-SAME: fills.cu:[[#@LINE+4]]:52: error: 'y' and 'x' have elements of different types
// CHECK-SAME: hint: write a fill for each of them
// CHECK-SAME: fills.cu:[[#@LINE+4]]:47: error: unknown name 'q'
// CHECK-SAME: fills.cu:[[#@LINE+7]]:63: error: unknown name 'q'
#pragma ktune problem(n = 64) in(x[n], y[n]:  like(x)) out(z[n])
__global__ void types(const int *x, const float *y, float *z, int n) { z[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x] + n; }
#pragma ktune problem(n = 64) in(x[n]: choice(q), y[n]: like(x)) out(z[n])
__global__ void unknown(const int *x, const int *y, float *z, int n) { z[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x] + n; }
#pragma ktune problem(n = 64, 128) in(x[n]: permutation) when(n == 64) in(x[n]: range(0, n - 1)) out(z[n]) tune(B = 32, 64) restriction(B <= n) when(n > 64)
template <int B> __global__ void limited(const int *x, float *z, int n) { z[threadIdx.x] = x[threadIdx.x] + B; }
#pragma ktune problem(n = 64) in(x[n]: permutation) when(n == q) in(x[n]: range(0, 3)) out(z[n])
__global__ void unnamed(const int *x, float *z, int n) { z[threadIdx.x] = x[threadIdx.x] + n; }
void run(const int *x, const float *f, float *z, int n)
{
	chosen<<<1, 8>>>(x, x, z, n);
	limited<32><<<1, 8>>>(x, z, n);
	unnamed<<<1, 8>>>(x, z, n);
	types<<<1, 8>>>(x, f, z, n);
	unknown<<<1, 8>>>(x, x, z, n);
}
