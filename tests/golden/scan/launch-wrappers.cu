// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | %FileCheck %s
// A kernel that is given to a function: instances, geometry and arguments are read through it. The function's launches
// are the region's sites. What has another form keeps its reason.
#include <cuda_runtime.h>
#define CHECK_ERROR(CALL) do { if ((CALL) != cudaSuccess) __builtin_abort(); } while (0)
template <typename T> T &&pass(T &v) { return static_cast<T &&>(v); }
template <typename T> struct bare { using type = T; };
template <typename T> struct bare<T &> { using type = T; };

template <typename... A> void launch(void (*kernel)(A...), dim3 grid, dim3 block, typename bare<A>::type... args)
{
	kernel<<<grid, block>>>(args...);
}
struct Params {
	dim3 blocks, threads;
	size_t shared;
	cudaStream_t stream;
	Params(dim3 b, dim3 t, size_t s, cudaStream_t on) : blocks(b), threads(t), shared(s), stream(on) {}
};
struct Plain {
	unsigned blocks, threads;
};
template <typename F, typename... A> static inline void launch_with(F kernel, const Params &p, A &&...args)
{
	kernel<<<p.blocks, p.threads, p.shared, p.stream>>>(pass<A>(args)...);
	CHECK_ERROR(cudaGetLastError());
}
template <typename F, typename... A> void outer(Plain p, F *kernel, A... args)
{
	const int half = p.threads / 2;
	launch(kernel, p.blocks, half, args...);
}
template <typename... P, typename... A> void extended(void (*kernel)(P...), int n, A &&...args)
{
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3((n + 255) / 256);
	config.blockDim = dim3(256);
	CHECK_ERROR(cudaLaunchKernelEx(&config, kernel, pass<A>(args)...));
}
void erased(const void *kernel, int n, void **arguments)
{
	CHECK_ERROR(cudaLaunchKernel(kernel, dim3(n / 64), dim3(64), arguments, 0, nullptr));
}
template <typename F> void keep(F kernel);

// CHECK: "kernel":"k",{{.*}}"decline":null
// CHECK: "decline":null,{{.*}}"is_routed":true,"instance":-1,
// CHECK-NEXT: "argument":2,"text":null}],"grid":["(n + 127) / 128"],"block":["128"]
// CHECK: "is_routed":true,"instance":0,
// CHECK-NEXT: "grid":["n / 64"],"block":["64"]
// CHECK: "is_routed":true,"instance":1,
// CHECK-NEXT: "grid":["n / 16","2","1"],"block":["16"]
// CHECK: "is_routed":true,"instance":2,
// CHECK-NEXT: "grid":["n / 32","1","1"],"block":["32","1"]
// CHECK: "is_routed":true,"instance":4,
// CHECK-NEXT: "grid":["n / 8"],"block":["16 / 2"]
// CHECK: "is_routed":true,"instance":5,
// CHECK-NEXT: "grid":["(2 * n + 255) / 256"],"block":["256"]
// CHECK: "is_routed":true,"instance":6,
// CHECK-NEXT: "grid":["n / 64"],"block":["64"]
// CHECK: "is_routed":true,"instance":7,
// CHECK-NEXT: "grid":["n / 4"],"block":["4"]
// CHECK: "is_routed":true,"instance":8,
// CHECK-NEXT: "grid":["n / 2"],"block":["2"]
// What keeps the kernel may give it to any of the launches, none of which tells its geometry.
// CHECK: "decline":null{{.*}}"is_constant":true,"instance":9,
// CHECK-NEXT: "grid":[],"block":[]
// Each site once: three launches, three functions.
// CHECK: "sites":[
// CHECK-COUNT-6: "is_function":
// CHECK-NOT: "is_function":
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
template <typename T, int V> __global__ void k(T *y, const T *x, int n) { y[threadIdx.x] = x[threadIdx.x]; }

template <typename T> void in_template(T *y, const T *x, int n, cudaStream_t s)
{
	const int blocks = (n + 127) / 128;
	const Params p = Params((dim3)blocks, 128, 0, s);
	launch_with(k<T, 2>, p, y, x, n);
}
void run(float *y, const float *x, double *a, const double *b, int n, cudaStream_t s)
{
	Params p(dim3(n / 32, 1, 1), {32, 1}, 0, s);
	dim3 grid;
	grid.x = n / 16;
	grid.y = 2;
	launch(k<float, 1>, n / 64, 64, y, x, n);
	launch(&k<float, 4>, grid, dim3(16), y, x, n);
	launch_with(k<double, 1>, p, a, b, n);
	in_template(y, x, n, s);
	outer(Plain{unsigned(n) / 8, 16}, k<float, 8>, y, x, n);
	extended(k<double, 4>, 2 * n, a, b, 2 * n);
	void *arguments[] = {&y, (void *)&x, &n};
	erased((const void *)k<float, 16>, n, arguments);
	cudaLaunchConfig_t config = {n / 4, 4, 0, s};
	cudaLaunchKernelEx(&config, k<float, 32>, y, x, n);
	cudaLaunchKernel((void *)k<float, 64>, n / 2, 2, arguments, 0, s);
	keep(k<float, 128>);
}

// A problem variable that is no argument is computed at the call, where nothing in it writes.
// CHECK: "kernel":"rows_of",{{.*}}"decline":null
// CHECK: "is_routed":true,"instance":0,
// CHECK: "text":"rows"
// CHECK: "text":"m * 2"
// CHECK: "decline":"launch-order"
// CHECK: "decline":"binding-unknown"
#pragma ktune problem(rows = 64, 128) out(y[rows]) grid(rows) block(32)
__global__ void rows_of(float *y) { y[blockIdx.x] = 0; }
void run_rows(float *y, int rows, cudaStream_t s)
{
	launch_with(rows_of, Params(rows, 32, 0, s), y);
	const int m = rows / 2;
#pragma ktune bind(rows = m * 2)
	CHECK_ERROR((launch_with(rows_of, Params(rows, 32, 0, s), y), cudaSuccess));
	launch_with(rows_of, Params(rows--, 32, 0, s), y);
}
void run_more(float *y, int count, cudaStream_t s)
{
	launch_with(rows_of, Params(count, 32, 0, s), y);
}
