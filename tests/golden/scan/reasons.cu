// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | %FileCheck %s
// RUN: printf '#include "not/there.h"\n' > %t.cu && cat %s >> %t.cu && %scan %t.cu -- -std=c++17 | tr '{' '\n' | %FileCheck --check-prefix=MISSING %s
// Place, cause and fix of what a user meets first; nothing but the cause is named.
// MISSING: "kernel":"instance",{{.*}}"decline":"scan-failed","decline_detail":"line 1: 'not/there.h' file not found"
// MISSING-NOT: address-taken
// MISSING: "decline":"scan-failed","decline_detail":"line 1: 'not/there.h' file not found"
struct Pair { int a; long b; };
#pragma ktune problem(n = 64) out(y[n])
template <typename T> __global__ void instance(T *y, int n) { y[threadIdx.x] = n; }
// CHECK: "kernel":"structure",{{.*}}"decline":"arguments-unknown","decline_detail":"argument 'p' of 'structure' has members in no clause: 'p.a', 'p.b'; write value(p.a = NUMBER) value(p.b = NUMBER)"
#pragma ktune problem(n = 64) out(y[n])
__global__ void structure(float *y, int n, Pair p) { y[0] = p.a; }
// CHECK: "kernel":"vector",{{.*}}"decline":"arguments-unknown","decline_detail":"argument 'p' of 'vector' has members in no clause: 'p.x', 'p.y', 'p.z'; write value(p.x = NUMBER) value(p.y = NUMBER) value(p.z = NUMBER)"
#pragma ktune problem(n = 64) out(y[n])
__global__ void vector(float *y, int n, uint3 p) { y[0] = p.x; }
// CHECK: "kernel":"uncounted",{{.*}}"decline":"arguments-unknown","decline_detail":"argument 'x' of 'uncounted' is in no clause; write in(x[COUNT]) with its element count"
#pragma ktune problem(n = 64) out(y[n])
__global__ void uncounted(float *y, const float *x, int n) { y[0] = x[0]; }
// A name that a launch binds is that problem variable in the launch's geometry, too.
// CHECK: "kernel":"bound",{{.*}}"decline":null
#pragma ktune problem(tokens = 64, 128) out(y[tokens])
__global__ void bound(float *y) { y[threadIdx.x + blockIdx.x * blockDim.x] = 1; }
// CHECK: "kernel":"opaque",{{.*}}"decline":"geometry-unknown","decline_detail":"line [[@LINE+10]]: grid 'blocks(n)' of the launch of 'opaque': what the function 'blocks' returns is no expression over its parameters; write grid(…) over problem variables and parameters"
#pragma ktune problem(n = 64, 128) out(y[n])
__global__ void opaque(float *y, int n) { y[threadIdx.x] = n; }
int blocks(int n);
void run(float *y, const float *x, int n)
{
	instance<float><<<1, 64>>>(y, n);
	structure<<<1, 1>>>(y, n, Pair());
	vector<<<1, 1>>>(y, n, uint3());
	uncounted<<<1, 1>>>(y, x, n);
	opaque<<<blocks(n), 64>>>(y, n);
#pragma ktune bind(tokens = n)
	bound<<<(n + 63) / 64, 64>>>(y);
}
// What is launched in the body of a class has its region and a reason, whether the class is a template or not.
// CHECK: "name":"Plain",{{.*}}"decline":"launch-form","decline_detail":"line [[@LINE+7]]: the launches are in a member function that is defined inside of 'Plain'; define the function outside of its class, or write the pragma above the kernel"
// CHECK: "name":"Generic",{{.*}}"decline":"launch-form","decline_detail":"line [[@LINE+13]]: the launches are in a member function that is defined inside of 'Generic';
template <typename T> __global__ void other(T *y, int n) { y[threadIdx.x] = n; }
struct Plain {
	void go(float *y, int n)
	{
#pragma ktune problem(n = 64) out(y[n])
		other<float><<<n / 32, 32>>>(y, n);
	}
};
template <typename T> struct Generic {
	void go(T *y, int n)
	{
#pragma ktune problem(n = 64) out(y[n])
		other<T><<<n / 32, 32>>>(y, n);
	}
};
// A launch that no variant would run for. One whose geometry a parameter decides is not judged.
// CHECK: warning: block(64) is not what line [[@LINE+8]] launches, which is block(128): no variant runs there
// CHECK-SAME: hint: write block(128), or remove the clause
// CHECK-NOT: warning
#pragma ktune problem(n = 64) out(y[n]) grid(ceil_div(n, 128)) block(64)
__global__ void narrow(float *y, int n) { y[threadIdx.x] = n; }
#define THREADS 128
#pragma ktune problem(n = 64) out(y[n]) grid(ceil_div(n, 64)) block(THREADS) tune(THREADS = 64, 128)
__global__ void judged(float *y, int n) { y[threadIdx.x + THREADS] = n; }
void launch(float *y, int n) { narrow<<<(n + 127) / 128, 128>>>(y, n); }
void launch2(float *y, int n) { judged<<<(n + 63) / 64, 64>>>(y, n); }
