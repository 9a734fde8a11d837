// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | %FileCheck %s
// Quotients of floating-point numbers that the host rounds.
// CHECK: "kernel":"up",{{.*}}"decline":null
// CHECK: "grid":["ceil_div(n, 256)"],"block":["256"]
// CHECK: "grid":["ceil_div(n, 256)"],"block":["256"]
// CHECK: "grid":["ceil_div(n * m, 512)"],"block":["512"]
// CHECK: "grid":["ceil_div(n, 8 - 2)","ceil_div(m, 8 - 2)","ceil_div(1 * n, 64)"],"block":["8"]
// CHECK: "grid":["ceil_div(n / 4, 128)","n / 3"],"block":["8"]
// CHECK: "grid":["ceil_div(n, 128)"],"block":["128"]
// CHECK: "grid":["ceil_div(n, 64)"],"block":["64"]
// By macros, of which one becomes an extent.
// CHECK: "grid":["ceil_div(n, 1024)"],"block":["1024"]
// CHECK: "grid":["ceil_div(n, 1024)","ceil_div(1 * m, 8)"],"block":["8"]
#include <cmath>
#define TILE 8
#define WIDTH 1024.0
#define HALF 0.5
#define OUT_TILE (TILE - 2)
typedef double real;
using single = float;
long blocks(long count) { return ceil(count / static_cast<real>(128)); }
#pragma ktune problem(n = 64; m = 32) out(y[n * m])
__global__ void up(float *y, int n, int m) { y[threadIdx.x] = n * m; }
void run(float *y, int n, int m)
{
	const int threads = 256;
	up<<<ceil(n / 256.0), 256>>>(y, n, m);
	up<<<(int)ceil((float)n / threads), threads>>>(y, n, m);
	dim3 grid((int)(std::ceil(n * m / 512.)));
	up<<<grid, 512>>>(y, n, m);
	dim3 tiles(ceil(n / (float)(OUT_TILE)), ceilf(static_cast<float>(m) / OUT_TILE), ceil((1.0f * n / 64)));
	up<<<tiles, TILE>>>(y, n, m);
	up<<<dim3(ceil(n / 4 / 128.f), floor(double(n) / 3)), 8>>>(y, n, m);
	up<<<blocks(n), 128>>>(y, n, m);
	up<<<ceil((single)n / 64), 64>>>(y, n, m);
	up<<<ceil(n / WIDTH), WIDTH>>>(y, n, m);
	up<<<dim3(ceil(n / WIDTH), ceil(1.0 * m / TILE)), TILE>>>(y, n, m);
}
// An integer quotient, a sum, a fraction, a quotient of a quotient: no form is known.
// CHECK: "kernel":"other",{{.*}}"decline":"geometry-unknown"
#pragma ktune problem(n = 64) out(y[n])
__global__ void other(float *y, int n) { y[threadIdx.x] = n; }
void run(float *y, int n) { other<<<ceil(n / 256), 256>>>(y, n); }
// CHECK: "kernel":"sum",{{.*}}"decline":"geometry-unknown"
#pragma ktune problem(n = 64) out(y[n])
__global__ void sum(float *y, int n) { y[threadIdx.x] = n; }
void run_sum(float *y, int n) { sum<<<ceil(1 + n / 256.), 256>>>(y, n); }
// CHECK: "kernel":"fraction",{{.*}}"decline":"geometry-unknown"
#pragma ktune problem(n = 64) out(y[n])
__global__ void fraction(float *y, int n) { y[threadIdx.x] = n; }
void run_fraction(float *y, int n) { fraction<<<ceil(n / 2.5), 256>>>(y, n); }
// CHECK: "kernel":"nested",{{.*}}"decline":"geometry-unknown"
#pragma ktune problem(n = 64) out(y[n])
__global__ void nested(float *y, int n) { y[threadIdx.x] = n; }
void run_nested(float *y, int n) { nested<<<ceil(n / 2. / 3), 256>>>(y, n); }
// CHECK: "kernel":"half",{{.*}}"decline":"geometry-unknown"
#pragma ktune problem(n = 64) out(y[n])
__global__ void half(float *y, int n) { y[threadIdx.x] = n; }
void run_half(float *y, int n) { half<<<ceil(n / HALF), 256>>>(y, n); }
// CHECK: "kernel":"quotient",{{.*}}"decline":"geometry-unknown"
#pragma ktune problem(n = 64) out(y[n])
__global__ void quotient(float *y, int n) { y[threadIdx.x] = n; }
void run_quotient(float *y, int n) { quotient<<<n / WIDTH, 256>>>(y, n); }
