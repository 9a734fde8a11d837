// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | %FileCheck %s
// Parameters of the host for which all calls pass one expression over what else they pass.
#define DIV(a, b) (((a) + (b) - 1) / (b))
int rounded(int n) { return (n + 31) / 32 * 32; }
static int global_blocks;
// CHECK: "kernel":"expressed",{{.*}}"decline":null
// CHECK: "grid":["(n + 256 - 1) / 256"],"block":["256"]
#pragma ktune problem(n = 64) out(y[n])
__global__ void expressed(float *y, int n) { y[threadIdx.x] = n; }
static void host_expressed(float *y, int n, int blocks, int threads) { expressed<<<blocks, threads>>>(y, n); }
void first(float *y, int count) { const int threads = 256; host_expressed(y, count, (count + threads - 1) / threads, threads); }
void second(float *y, int n) { host_expressed(y, n, (n + 256 - 1) / 256, 256); }
// CHECK: "kernel":"through_local",{{.*}}"decline":null
// CHECK: "grid":["(m + 127) / 128","2"],"block":["(n + 31) / 32 * 32"]
#pragma ktune problem(n = 64; m = 2) out(y[n * m])
__global__ void through_local(float *y, int n, int m) { y[threadIdx.x] = n; }
static void host_local(int blocks, float *y, int rows, int m, int threads)
{
	through_local<<<dim3(blocks, 2), threads>>>(y, rows, m);
}
void third(float *y, int a, int b)
{
	int blocks = (b + 127) / 128, threads = rounded(a);
	host_local(blocks, y, a, b, threads);
}
// What callers pass differs, is a variable of theirs alone, or is written before the launch.
// CHECK: "kernel":"differing",{{.*}}"decline":"geometry-unknown"
#pragma ktune problem(n = 64) out(y[n])
__global__ void differing(float *y, int n) { y[threadIdx.x] = n; }
static void host_differing(float *y, int n, int blocks) { differing<<<blocks, 32>>>(y, n); }
void fourth(float *y, int n) { host_differing(y, n, n / 32); }
void fifth(float *y, int n) { host_differing(y, n, n / 64); }
// CHECK: "kernel":"own",{{.*}}"decline":"geometry-unknown"
#pragma ktune problem(n = 64) out(y[n])
__global__ void own(float *y, int n) { y[threadIdx.x] = n; }
static void host_own(float *y, int n, int blocks) { own<<<blocks, 32>>>(y, n); }
void sixth(float *y, int n, int other) { host_own(y, n, n / other); }
// CHECK: "kernel":"written",{{.*}}"decline":"geometry-unknown"
#pragma ktune problem(n = 64) out(y[n])
__global__ void written(float *y, int n) { y[threadIdx.x] = n; }
static void host_written(float *y, int n, int blocks)
{
	if (blocks > 64)
		blocks = 64;
	written<<<blocks, 32>>>(y, n);
}
void seventh(float *y, int n) { host_written(y, n, n / 32); }
// CHECK: "kernel":"swapped",{{.*}}"decline":"geometry-unknown"
#pragma ktune problem(n = 64) out(y[n])
__global__ void swapped(float *y, int n) { y[threadIdx.x] = n; }
static void host_swapped(float *y, int n, int a, int b) { swapped<<<a, b>>>(y, n); if (a > 1) host_swapped(y, n, b - 1, a - 1); }
