// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "kernel":"unlaunched",{{[^{]*}}"decline":"no-launch","decline_detail":"'unlaunched'"
// CHECK: "kernel":"missing",{{[^{]*}}"decline":"arguments-unknown","decline_detail":"argument 'k' of 'missing' is in no clause, and line 27 passes 'y != nullptr', which is no expression over problem variables; write value(k = NUMBER), or name it as a variable in problem(…)"
// CHECK: "kernel":"record",{{[^{]*}}"decline":"argument-type","decline_detail":"argument 'p' of 'record' has type 'P', which is no number: 'p.a' is a bit-field; pass what the kernel reads of it as separate arguments"
// CHECK: "kernel":"global",{{[^{]*}}"decline":"mutable-global","decline_detail":"'counter'; write in, out or inout(counter[COUNT]), or make it const"
// CHECK: "kernel":"clause",{{[^{]*}}"decline":null
// CHECK: "kernel":"broken",{{[^{]*}}"decline":"scan-failed"
struct P {
	int a : 4;
};
__device__ int counter;
__constant__ float table[4];
#pragma ktune problem(n = 8) out(y[n])
__global__ void unlaunched(float *y, int n) { y[0] = n; }
#pragma ktune problem(n = 8) out(y[n])
__global__ void missing(float *y, int n, int k) { y[0] = k; }
#pragma ktune problem(n = 8) out(y[n]) value(p = 1)
__global__ void record(float *y, int n, P p) { y[0] = p.a; }
#pragma ktune problem(n = 8) out(y[n])
__global__ void global(float *y, int n) { y[0] = counter++; }
#pragma ktune problem(n = 8) out(y[n]) in(table[4])
__global__ void clause(float *y, int n) { y[0] = table[n]; }
#pragma ktune problem(n = 8) out(y[n])
__global__ void broken(float *y, int n) { y[0] = undefined_name; }
void run(float *y, int n)
{
	missing<<<1, 1>>>(y, n, y != nullptr);
	record<<<1, 1>>>(y, n, P());
	global<<<1, 1>>>(y, n);
	clause<<<1, 1>>>(y, n);
	broken<<<1, 1>>>(y, n);
}
