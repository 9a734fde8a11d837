// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | %FileCheck %s
// Why a configuration is not known: which part, which name, what it is, and the clause that says it. A part that is known
// needs no clause.
#include <cuda_runtime.h>
int elsewhere(int n);
cudaDeviceProp *current();
struct Tensor { int size(int d) const; int rows; };

// CHECK: "kernel":"by_parameter",{{.*}}"decline_detail":"line [[@LINE+3]]: block 'threads' of the launch of 'by_parameter': 'threads' is a parameter of 'host_parameter', which is not called with one number or expression in this file; write block(…) over problem variables and parameters"
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_parameter(float *y, int n) { y[threadIdx.x] = n; }
void host_parameter(float *y, int n, int threads) { by_parameter<<<n / 64, threads>>>(y, n); }

// CHECK: "kernel":"by_dim3",{{.*}}"decline_detail":"line [[@LINE+3]]: grid 'g' of the launch of 'by_dim3': 'g' is a parameter of 'host_dim3'; write grid(…) over
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_dim3(float *y, int n) { y[threadIdx.x] = n; }
void host_dim3(dim3 g, dim3 b, float *y, int n) { by_dim3<<<g, b>>>(y, n); }

// CHECK: "kernel":"by_reference",{{.*}}"decline_detail":"line [[@LINE+3]]: grid 'g' of the launch of 'by_reference': 'g' is a parameter of 'host_reference'; write grid(…) over
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_reference(float *y, int n) { y[threadIdx.x] = n; }
void host_reference(const dim3 &g, const dim3 &b, float *y, int n) { by_reference<<<g, b>>>(y, n); }

// CHECK: "kernel":"by_loop",{{.*}}"decline_detail":"line [[@LINE+8]]: grid 'blocks' of the launch of 'by_loop': what 'blocks' holds is not known: a loop, a switch, a function or several branches write it; write grid(…) over
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_loop(float *y, int n) { y[threadIdx.x] = n; }
void host_loop(float *y, int n)
{
	int blocks = n;
	for (int i = 0; i < 4; i++)
		blocks /= 2;
	by_loop<<<blocks, 32>>>(y, n);
}

// CHECK: "kernel":"by_function",{{.*}}"decline_detail":"line [[@LINE+3]]: grid 'elsewhere(n)' of the launch of 'by_function': what the function 'elsewhere' returns is no expression over its parameters; write grid(…) over
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_function(float *y, int n) { y[threadIdx.x] = n; }
void host_function(float *y, int n) { by_function<<<elsewhere(n), 32>>>(y, n); }

// CHECK: "kernel":"by_object",{{.*}}"decline_detail":"line [[@LINE+3]]: grid 't.size(0)' of the launch of 'by_object': 'size' is a member of 't', which nothing is known of; write grid(…) over
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_object(float *y, int n) { y[threadIdx.x] = n; }
void host_object(const Tensor &t, float *y, int n) { by_object<<<t.size(0), 32>>>(y, n); }

// CHECK: "kernel":"by_shared",{{.*}}"decline_detail":"line [[@LINE+3]]: smem 'bytes' of the launch of 'by_shared': 'bytes' is a parameter of 'host_shared', which is not called with one number or expression in this file; write smem(…) over
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_shared(float *y, int n) { y[threadIdx.x] = n; }
void host_shared(float *y, int n, size_t bytes) { by_shared<<<n / 32, 32, bytes>>>(y, n); }

// CHECK: "kernel":"by_global",{{.*}}"decline_detail":"line [[@LINE+4]]: grid 'n / per_block' of the launch of 'by_global': 'per_block' is a variable outside of functions, which any of them may write; write grid(…) over
extern int per_block;
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_global(float *y, int n) { y[threadIdx.x] = n; }
void host_global(float *y, int n) { by_global<<<n / per_block, 32>>>(y, n); }

// With clauses for the others, too.
// CHECK: "kernel":"shared_alone",{{.*}}"decline_detail":"line [[@LINE+3]]: smem 'bytes' of the launch of 'shared_alone': 'bytes' is a parameter of 'host_alone', which is not called with one number or expression in this file; write smem(…) over
#pragma ktune problem(n = 64) out(y[n]) grid(n / 32) block(32)
__global__ void shared_alone(float *y, int n) { y[threadIdx.x] = n; }
void host_alone(float *y, int n, size_t bytes) { shared_alone<<<n / 32, 32, bytes>>>(y, n); }

// A clause for what is not known is enough.
// CHECK: "kernel":"with_clause",{{.*}}"decline":null,
// CHECK: "grid":["n / 64"],"block":["128"]
#pragma ktune problem(n = 64) out(y[n]) block(128)
__global__ void with_clause(float *y, int n) { y[threadIdx.x] = n; }
void host_clause(float *y, int n, int threads) { with_clause<<<n / 64, threads>>>(y, n); }

// What the branch or all calls tell of a parameter.
// CHECK: "kernel":"by_case",{{.*}}"decline":null
// CHECK: "grid":["n / 256"],"block":["256"]
// CHECK: "grid":["n / 64"],"block":["64"]
// CHECK: "grid":[],"block":[]
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_case(float *y, int n) { y[threadIdx.x] = n; }
void host_case(float *y, int n, int threads)
{
	switch (threads) {
	case 256: {
		by_case<<<n / threads, threads>>>(y, n);
		break;
	}
	default:
		if (threads == 64)
			by_case<<<n / threads, threads>>>(y, n);
		else
			by_case<<<n / threads, threads>>>(y, n);
	}
}
// CHECK: "kernel":"by_calls",{{.*}}"decline":null
// CHECK: "grid":["(n + 128 - 1) / 128"],"block":["128"]
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_calls(float *y, int n) { y[threadIdx.x] = n; }
enum { width = 32 };
static void host_calls(float *y, int n, int threads) { by_calls<<<(n + threads - 1) / threads, threads>>>(y, n); }
void first_call(float *y, int n) { const int wide = 4 * width; host_calls(y, n, wide); }
void second_call(float *y, int n) { host_calls(y, n, 128); }
// CHECK: "kernel":"by_varying",{{.*}}"decline_detail":"line [[@LINE+3]]: grid 'count' of the launch of 'by_varying': 'count' is a parameter of 'host_varying'
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_varying(float *y, int n) { y[threadIdx.x] = n; }
static void host_varying(float *y, int count) { by_varying<<<count, 32>>>(y, 32 * count); }
void fourth_call(float *y) { host_varying(y, 16); }
// CHECK: "kernel":"by_itself",{{.*}}"decline_detail":"line [[@LINE+3]]: grid 'depth' of the launch of 'by_itself': 'depth' is a parameter of 'host_itself', which
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_itself(float *y, int n) { y[threadIdx.x] = n; }
static void host_itself(float *y, int n, int depth) { by_itself<<<depth, 32>>>(y, n); if (depth > 0) host_itself(y, n, depth); }
// CHECK: "kernel":"by_other_calls",{{.*}}"decline_detail":"line [[@LINE+3]]: block 'threads' of the launch of 'by_other_calls': 'threads' is a parameter of 'host_other', which is not called with one number or expression in this file; write block(…) over
#pragma ktune problem(n = 64) out(y[n])
__global__ void by_other_calls(float *y, int n) { y[threadIdx.x] = n; }
static void host_other(float *y, int n, int threads) { by_other_calls<<<n / 32, threads>>>(y, n); }
void third_call(float *y, int n) { host_other(y, n, 128); host_other(y, n, 64); }

// One number for all instances, and limits of the device by its properties.
// CHECK: "kernel":"agreed",{{.*}}"decline":null,
// CHECK: "grid":["min(n, 4 * device.multiprocessors)"],"block":["min(256, device.max_threads_per_block)"]
#pragma ktune problem(n = 64) out(y[n])
template <typename T, int THREADS> __global__ void agreed(T *y, int n) { y[threadIdx.x] = n; }
template <typename T, int W> void host_agreed(T *y, int n)
{
	cudaDeviceProp properties;
	cudaGetDeviceProperties(&properties, 0);
	const int most = current()->maxThreadsPerBlock;
	agreed<T, W><<<min(n, 4 * properties.multiProcessorCount), min(W, most)>>>(y, n);
}
void host_agreed_all(float *y, double *z, int n) { host_agreed<float, 256>(y, n); host_agreed<double, 256>(z, n); }
