// RUN: %ktcc scan %s -- -std=c++17 -arch=sm_90 > %t 2>&1 || true
// RUN: %FileCheck %s < %t
// Constants of the source in clauses: macros, enumerators, constant variables. What may change, and what names itself, is none.
// CHECK: error: values are constants: unknown name 'changes'
// CHECK: error: unknown name 'LOOP'
// CHECK: error: unknown name 'changes'
// CHECK: error: unknown name 'OPEN'
// CHECK: hint: a macro has a value here where it is one integer operand: write it in brackets
// CHECK: error: unknown name 'NAMED'
// CHECK: error: unknown name 'WRAPS'
// CHECK: filter (kernel filter)
// CHECK: problems 2 over w h
// CHECK-NEXT: buffer src[3 * (w + 2) * h]
// CHECK-NEXT: buffer weights[17]
// CHECK-NEXT: buffer dst[w * h]
// CHECK-NEXT: value k = 4
// CHECK-NEXT: value m = 4 * w
// CHECK: hides (kernel hides)
// CHECK: buffer x[n]
// CHECK: operands (kernel operands)
// CHECK: problems 1 over n
// CHECK-NEXT: buffer x[16]
// CHECK-NEXT: buffer y[n - -3]
#define R 8
#define WIDTH (2 * R + 1)
#define SIZE 4096
#define LOOP LOOP2
#define LOOP2 LOOP + 1
#define OPEN 1 << 4
#define NAMED OPEN
#define CLOSED (NAMED)
#define BELOW -3
#define WRAPS (0u - 1)
constexpr int ROWS = 4;
enum { PLANES = 3 };
static const int PAD = 2;
int changes = 7;
__constant__ float weights[WIDTH];
#pragma ktune problem((w, h) = (SIZE, SIZE / 2), (999, 501)) in(src[PLANES * (w + PAD) * h], weights[WIDTH]) out(dst[w * h]) \
              value(k = ROWS, m = ROWS * w) block(2 * R, 16, 1) guard(w % ROWS != 9)
__global__ void filter(const float *src, float *dst, int w, int h, int k, int m)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	float s = 0;
	for (int j = -R; j <= R; j++)
		s += src[y * w + min(max(x + j, 0), w - 1)] * weights[j + R];
	dst[y * w + x] = s + k + m;
}
// A name of the clauses hides a constant.
constexpr int n = 5;
#pragma ktune problem(n = 10) in(x[n]) out(y[n])
__global__ void hides(const float *x, float *y, int n) { y[threadIdx.x] = x[threadIdx.x]; }
#pragma ktune problem(n = 10) in(x[LOOP * n]) out(y[changes * n])
__global__ void bad(const float *x, float *y, int n) { y[threadIdx.x] = x[threadIdx.x]; }
#pragma ktune problem(n = changes) in(x[n]) out(y[n])
__global__ void varies(const float *x, float *y, int n) { y[threadIdx.x] = x[threadIdx.x]; }
// `OPEN + 1` is 32 in the source, which an expression of values would not show; alone it is 16.
#pragma ktune problem(n = NAMED) in(x[OPEN]) out(y[n - BELOW])
__global__ void operands(const float *x, float *y, int n) { y[threadIdx.x] = x[threadIdx.x]; }
#pragma ktune problem(n = CLOSED * 2) in(x[OPEN + 1]) out(y[2 * NAMED * n + CLOSED]) guard(n > WRAPS / 2)
__global__ void next(const float *x, float *y, int n) { y[threadIdx.x] = x[threadIdx.x]; }
void run(const float *src, float *dst, int w, int h)
{
	dim3 b(16, 16), g((w + b.x - 1) / b.x, (h + b.y - 1) / b.y);
	filter<<<g, b>>>(src, dst, w, h, 4, 4 * w);
	hides<<<1, 32>>>(src, dst, w);
	bad<<<1, 32>>>(src, dst, w);
	varies<<<1, 32>>>(src, dst, w);
	operands<<<1, 32>>>(src, dst, w);
	next<<<1, 32>>>(src, dst, w);
}
