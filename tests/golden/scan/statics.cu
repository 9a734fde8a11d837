// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Static storage of a kernel or a helper would be cloned by a variant; constants and shared memory would not.
// CHECK: "kernel":"called",{{[^{]*}}"decline":"mutable-global","decline_detail":"a static variable in 'ticket'; pass it as an argument"
// CHECK: "kernel":"own",{{[^{]*}}"decline":"mutable-global","decline_detail":"a static variable in 'own'; pass it as an argument"
// CHECK: "kernel":"pointer",{{[^{]*}}"decline":"mutable-global"
// CHECK: "kernel":"clean",{{[^{]*}}"decline":null
__device__ int ticket(int i) { static int calls; return atomicAdd(&calls, 1) + i; }
#pragma ktune problem(n = 8) out(y[n])
__global__ void called(float *y, int n) { y[0] = ticket(n); }
#pragma ktune problem(n = 8) out(y[n])
__global__ void own(float *y, int n) { static __device__ int count; y[0] = count++; }
#pragma ktune problem(n = 8) out(y[n])
__global__ void pointer(float *y, int n) { static const float *last; last = y; y[0] = last[n]; }
#pragma ktune problem(n = 8) out(y[n])
__global__ void clean(float *y, int n)
{
	static const float t[2] = {1, 2};
	constexpr static int two = 2;
	static __shared__ float s;
	static_assert(sizeof(int) == 4, "");
	y[0] = static_cast<float>(two) + t[n & 1] + (s = 1);
}
void run(float *y, int n) { called<<<1, 1>>>(y, n); own<<<1, 1>>>(y, n); pointer<<<1, 1>>>(y, n); clean<<<1, 1>>>(y, n); }
