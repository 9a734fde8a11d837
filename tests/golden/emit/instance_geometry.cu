// REQUIRES: nvcc
// RUN: rm -rf %t && python3 %system/Inputs/make_entry.py --ktcc %ktcc --lock %t %s "fill<64, float>" ITEMS=2 "fill<128, double>" ITEMS=4 -- -arch=sm_90 -std=c++17
// RUN: env KTUNE_LOCK_DIR=%t %ktcc emit -o %t.cu %s -- -arch=sm_90 -std=c++17 && grep -v CHECK %t.cu | %FileCheck %s
// RUN: %nvcc -arch=sm_90 -std=c++17 -I%S/../../../runtime/include -c %t.cu -o %t.o
// Each instance's variant runs where the launch has that instance's geometry.
#define ITEMS 1
#pragma ktune problem(n = 65536) out(y[n]) tune(ITEMS = 1, 2, 4) grid(n / 4096)
template <int THREADS, typename T> __global__ void fill(T *y, int n)
{
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
		y[i] = ITEMS;
}
template <int T, typename E> void host(E *y, int n) { fill<T, E><<<n / 4096, T, T * sizeof(E)>>>(y, n); }
void all(float *f, double *d, int n) { host<64>(f, n); host<128>(d, n); }
// CHECK: !::ktune::geometry_(::ktune::div_(ktune_f, static_cast<long long>(ktune_v0), 4096LL), 1LL, 1LL, 64LL, 1LL, 1LL, 256LL).is_(ktune_at)
// CHECK: !::ktune::geometry_(::ktune::div_(ktune_f, static_cast<long long>(ktune_v0), 4096LL), 1LL, 1LL, 128LL, 1LL, 1LL, 1024LL).is_(ktune_at)
