// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Template parameters of the host's function, by what the unit's calls, addresses and explicit instantiations give them; arrays of cudaDeviceProp.
// CHECK: "name":"instantiated"
// CHECK-SAME: "decline":null
// CHECK-SAME: "grid":["(n + 256 * 2 - 1) / (256 * 2)"],"block":["256"]
// CHECK-SAME: "name":"defaulted"
// CHECK-SAME: "decline":null
// CHECK-SAME: "grid":["(n + 64 - 1) / 64"],"block":["64"]
// CHECK-SAME: "name":"several"
// CHECK-SAME: "decline":"geometry-unknown","decline_detail":"line 44: grid {{.*}}'Threads' is a template parameter of 'run_several', for which this file has no call or several numbers; write grid(
// CHECK-SAME: "name":"behind_pack"
// CHECK-SAME: "decline":"geometry-unknown"
// CHECK-SAME: "name":"routed"
// CHECK-SAME: "decline":null
// CHECK-SAME: "grid":["(n + 128 * 4 - 1) / (128 * 4)"],"block":["128"]
// CHECK-SAME: "name":"capped"
// CHECK-SAME: "decline":null
// CHECK-SAME: "grid":["min((n + 255) / 256, 2147483647)"],"block":["256"]
#include <algorithm>
#include <cuda_runtime.h>

#define THREADS 128
#define COPY int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i]

#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void instantiated(const float *x, float *y, int n) { COPY; }
template <unsigned X, int Items = 2> void run_instantiated(const float *x, float *y, int n)
{
	instantiated<<<(n + X * Items - 1) / (X * Items), X>>>(x, y, n);
}
template void run_instantiated<256>(const float *, float *, int);

#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void defaulted(const float *x, float *y, int n) { COPY; }
template <typename T, int Threads = 64> void run_defaulted(T *x, T *y, int n)
{
	defaulted<<<(n + Threads - 1) / Threads, Threads>>>(x, y, n);
}

#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void several(const float *x, float *y, int n) { COPY; }
template <int Threads> void run_several(const float *x, float *y, int n)
{
	several<<<(n + Threads - 1) / Threads, Threads>>>(x, y, n);
}

#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void behind_pack(const float *x, float *y, int n) { COPY; }
template <typename... T> struct holder {};
template <typename... T, int Threads = 32> void run_behind_pack(const float *x, float *y, int n, holder<T...>)
{
	behind_pack<<<(n + Threads - 1) / Threads, Threads>>>(x, y, n);
}

#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void routed(const float *x, float *y, int n) { COPY; }
template <int Threads = 32, int Items = 1, typename K> void launch(K kernel, const float *x, float *y, int n)
{
	kernel<<<(n + Threads * Items - 1) / (Threads * Items), Threads>>>(x, y, n);
}

#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void capped(const float *x, float *y, int n) { COPY; }

void all(float *x, float *y, int n)
{
	constexpr unsigned wide = 256;
	auto chosen = n > 3 ? run_instantiated<wide> : run_instantiated<256>;
	cudaDeviceProp p;

	chosen(x, y, n);
	run_defaulted(x, y, n);
	run_defaulted<float>(x, y, n);
	run_several<64>(x, y, n);
	run_several<128>(x, y, n);
	run_behind_pack(x, y, n, holder<int>());
	launch<THREADS, 4>(routed, x, y, n);
	cudaGetDeviceProperties(&p, 0);
	capped<<<std::min((n + 255) / 256, p.maxGridSize[0]), 256>>>(x, y, n);
}
