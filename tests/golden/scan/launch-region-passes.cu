// RUN: %scan %s -- -std=c++17 | grep -oP '"line":\d+,"column":1,"decline":.*?"parameters"' | %FileCheck %s
// What is between the launches is read as the host's compiler sees it, where device code sees something else.
__global__ void fill(float *y, int n) { y[blockIdx.x] = n; }
__global__ void twice(float *y, float *t, int n) { y[blockIdx.x] = 2 * t[blockIdx.x] + n; }
#ifdef __CUDA_ARCH__
#define CLEAR(y, n, s) (void)(n)
#define LATER(n) (n)
#else
#define CLEAR(y, n, s) cudaMemsetAsync(y, 0, n, s)
#define LATER(n) ((n)++)
#endif
inline void settle(float *y, cudaStream_t s)
{
#ifndef __CUDA_ARCH__
	cudaMemsetAsync(y, 0, 4, s);
#endif
}
void run(float *y, float *t, int n, cudaStream_t s)
{
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 'CLEAR(t, n, s)'
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		CLEAR(t, n, s);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 'settle(t, s)' {{.*}} in 'settle': the effect of 'cudaMemsetAsync'
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		settle(t, s);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-effects","decline_detail":"line [[@LINE+4]]: an argument may have an effect: 'n' is assigned
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, t, LATER(n));
	}
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
}
