// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Launches of values, cooperative ones, from device code: each with its reason; questions about a kernel are none.
// A region with nothing else is declined for the first one's.
// CHECK: "name":"k","kernel":"k"
// CHECK-SAME: "decline":null
// CHECK-SAME: "launches":[{{{[^{]*}}"line":41,{{[^{]*}}"decline":null
// CHECK-SAME: {{{[^{]*}}"line":39,{{[^{]*}}"decline":null,{{[^{]*}}"is_routed":true,"is_constant":true
// CHECK-SAME: {{{[^{]*}}"line":39,{{[^{]*}}"decline":null,{{[^{]*}}"is_routed":true
// CHECK-SAME: {{{[^{]*}}"line":34,{{[^{]*}}"decline":null,{{[^{]*}}"is_routed":true
// CHECK-SAME: {{{[^{]*}}"line":35,{{[^{]*}}"decline":"launch-in-macro"
// CHECK-NOT: "line":37
// CHECK: "name":"only","kernel":"only"
// CHECK-SAME: "decline":"launch-by-function","decline_detail":"line 42"
// CHECK: "name":"inside","kernel":"inside"
// CHECK-SAME: "decline":"launch-from-device"
#include <cuda_runtime.h>
#define ADDRESS reinterpret_cast<const void *>(&k<float>)
#pragma ktune problem(n = 8) out(y[n]) grid(1) block(32)
template <typename T> __global__ void k(T *y, int n) { y[0] = n; }
#pragma ktune problem(n = 8) out(y[n]) grid(1) block(32)
__global__ void only(float *y, int n) { y[0] = n; }
#pragma ktune problem(n = 8) out(y[n]) grid(1) block(32)
__global__ void inside(float *y, int n) { y[0] = n; }
__global__ void parent(float *y, int n)
{
	inside<<<1, 32>>>(y, n);
	y[n] = 0;
}
using pointer = void (*)(float *, int); static pointer kept = k<float>;
void run(float *y, int n, void **arguments)
{
	cudaFuncAttributes attributes;
	pointer p = k<float>;
	cudaLaunchKernel(reinterpret_cast<const void *>(&k<float>), dim3(1), dim3(32), arguments, 0, nullptr);
	(void)ADDRESS;
	int blocks = 0;
	cudaFuncGetAttributes(&attributes, k<float>), (void)blocks;
	{
		p<<<1, 32>>>(y, n);
	}
	k<<<1, 32>>>(y, n);
	cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(only), dim3(1), dim3(32), arguments);
}
