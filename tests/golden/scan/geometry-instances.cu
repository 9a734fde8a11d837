// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// A geometry that differs from instance to instance: by a template argument, by the size of a type, by launches that name an
// instance each. The region has the first one's.
template <int T> struct tag {};
// CHECK: "kernel":"by_number"
// CHECK-SAME: "name":"by_number<128>"
// CHECK-NOT: "geometry"
// CHECK-SAME: "name":"by_number<256>",{{[^{]*}}"geometry":{"grid":["n / (256 * 4)"],"block":["256"],"shared_bytes":null}
// CHECK-SAME: "grid":["n / (128 * 4)"],"block":["128"]
#pragma ktune problem(n = 65536) out(y[n])
template <int THREADS> __global__ void by_number(float *y, int n) { y[threadIdx.x] = n; }
template <int T> void host_number(float *y, int n)
{
	const int each = T * 4;
	by_number<T><<<n / each, T>>>(y, n);
}
void all_numbers(float *y, int n) { host_number<128>(y, n); host_number<256>(y, n); }

// The host calls the type by another name than the kernel, and has one for another type that is called as the kernel's.
// CHECK: "kernel":"by_size"
// CHECK-SAME: "name":"by_size<float, true>"
// CHECK-NOT: "geometry"
// CHECK-SAME: "name":"by_size<double, true>",{{[^{]*}}"geometry":{"grid":["(n + 16 / 8 - 1) / (16 / 8)"],"block":["128"],"shared_bytes":"128 * 8"}
// CHECK-SAME: "grid":["(n + 16 / 4 - 1) / (16 / 4)"],"block":["128"]
// CHECK-SAME: "shared_bytes":"128 * 4"
#pragma ktune problem(n = 65536) out(y[n])
template <typename T, bool B> __global__ void by_size(T *y, int n) { extern __shared__ char s[]; s[0] = 1; y[threadIdx.x] = n + s[0]; }
template <typename A, int B> struct vec { static const int width = 16 / sizeof(A); };
#define DIV(a, b) (((a) + (b) - 1) / (b))
template <typename E, typename T> void host_size(E *y, int n)
{
	constexpr int width = 16 / sizeof(E);
	dim3 block(128), grid(DIV(n, width));
	by_size<E, true><<<grid, block, 128 * sizeof(E)>>>(y, n);
}
void all_sizes(float *f, double *d, int n) { host_size<float, char>(f, n); host_size<double, char>(d, n); }

// CHECK: "kernel":"by_launch"
// CHECK-SAME: "name":"by_launch<32>"
// CHECK-NOT: "geometry"
// CHECK-SAME: "name":"by_launch<64>",{{[^{]*}}"geometry":{"grid":["n / 64"],"block":["64"],"shared_bytes":null}
// CHECK-SAME: "grid":["n / 32"],"block":["32"]
#pragma ktune problem(n = 65536) out(y[n])
template <int T> __global__ void by_launch(float *y, int n) { y[threadIdx.x] = n; }
void named(float *y, int n, int threads)
{
	switch (threads) {
	case 32: by_launch<32><<<n / 32, 32>>>(y, n); break;
	case 64: by_launch<64><<<n / 64, 64>>>(y, n); break;
	}
}

// A part that a clause gives is the same in all; with every part in a clause nothing differs.
// CHECK: "kernel":"with_clauses"
// CHECK-NOT: "geometry"
// CHECK-SAME: "grid":["n / 64"],"block":["64"]
#pragma ktune problem(n = 65536) out(y[n]) grid(n / 64) block(64)
template <int T> __global__ void with_clauses(float *y, int n) { y[threadIdx.x] = n; }
template <int T> void host_clauses(float *y, int n) { with_clauses<T><<<n / T, T>>>(y, n); }
void all_clauses(float *y, int n) { host_clauses<64>(y, n); host_clauses<128>(y, n); }

// What no instance tells stays unknown, and the reason is not that instances differ.
// CHECK: "kernel":"unknown",{{.*}}"decline":"geometry-unknown","decline_detail":"line [[@LINE+3]]: grid 'n / T * blocks' of the launch of 'unknown': 'blocks' is a parameter of 'host_unknown'
#pragma ktune problem(n = 65536) out(y[n])
template <int T> __global__ void unknown(float *y, int n) { y[threadIdx.x] = n; }
template <int T> void host_unknown(float *y, int n, int blocks) { unknown<T><<<n / T * blocks, T>>>(y, n); }
void all_unknown(float *y, int n, int b) { host_unknown<64>(y, n, b); host_unknown<128>(y, n, b); }
