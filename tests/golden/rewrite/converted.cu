// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A whole number drops a part of what is added to it at every step: with other steps it is another one.
// CHECK: template of 0 0
// CHECK-NOT: LANES
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c] : uniform(-3, 3)) out(out[n])
__global__ void row_sum(int *out, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int s = 0;
		for (int j = 0; j < c; j++)
			s += x[i * c + j] * 0.7f;
		out[i] = s;
	}
}
// CHECK: template of 1 0
// CHECK-NOT: LANES
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c] : uniform(-3, 3)) inout(out[n])
__global__ void row_element(int *out, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		for (int j = 0; j < c; j++)
			out[i] += x[i * c + j] * 0.7f;
}
// CHECK: template of 2 0
// CHECK-NOT: PARTS
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c] : uniform(-3, 3)) out(out[n])
__global__ void column_sum(int *out, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int s = 0;
		for (int j = 0; j < c; j++)
			s = s + x[j * n + i] * 0.7f;
		out[i] = s;
	}
}
// CHECK: template of 3 0
// CHECK-NOT: PARTS
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c] : uniform(-3, 3)) inout(out[n])
__global__ void column_element(int *out, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		for (int j = 0; j < c; j++)
			out[i] += x[j * n + i] * 0.7f;
		out[i] += 1;
	}
}
// The greatest of what is compared as something else than what the variable keeps: -1 here.
// CHECK: template of 4 0
// CHECK-NOT: LANES
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c] : range(-3, 3)) out(out[n])
__global__ void as_unsigned(int *out, const int *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int m = 1;
		for (int j = 0; j < c; j++)
			m = max(m, (unsigned)x[i * c + j]);
		out[i] = m;
	}
}
// A turn rounds what the variable began with; without a turn it keeps it.
// CHECK: template of 5 0
// CHECK-NOT: LANES
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c] : range(-3, 3)) out(out[n])
__global__ void as_float(int *out, const int *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int m = 16777217;
		for (int j = 0; j < c; j++)
			m = fmaxf(m, x[i * c + j]);
		out[i] = m;
	}
}
// Whole numbers of other types are added up as before.
// CHECK: template of 6 0
// CHECK: parameter LANES
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c] : range(0, 60000)) out(out[n])
__global__ void short_rows(unsigned *out, const unsigned short *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		unsigned s = 0, m = 0;
		for (int j = 0; j < c; j++) {
			s += x[i * c + j] * 77777u;
			m = max(m, (unsigned)x[i * c + j]);
		}
		out[i] = s ^ m;
	}
}
// A counter of eight bytes that begins below zero takes a signed place of the thread.
// CHECK: template of 7 0
// CHECK: for (long j = -r${if PARTS > 1} + (long long)threadIdx.y${end}; j <= r; j += ${PARTS}) {
#pragma ktune problem((n, r) = (64, 20), (200, 12)) in(x[(2 * r + 1) * n] : uniform(-3, 3)) out(out[n])
__global__ void around(float *out, const float *x, int n, int r)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float s = 0;
		for (long j = -r; j <= r; j++)
			s += x[(j + r) * n + i];
		out[i] = s;
	}
}
// A small counter comes back where it runs past its type.
// CHECK: template of 8 0
// CHECK-NOT: PARTS
#pragma ktune problem((n, c) = (64, 250), (3, 200)) in(x[c * n] : uniform(-3, 3)) out(out[n]) restriction(c < 256)
__global__ void small(float *out, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float s = 0;
		for (unsigned char j = 0; j < c; j++)
			s += x[j * n + i];
		out[i] = s;
	}
}
void run(float *a, float *b, int *d, unsigned *e, unsigned short *f, int n, int m, cudaStream_t s)
{
	row_sum<<<(n + 63) / 64, 64, 0, s>>>(d, a, n, m);
	row_element<<<(n + 63) / 64, 64, 0, s>>>(d, a, n, m);
	column_sum<<<(n + 63) / 64, 64, 0, s>>>(d, a, n, m);
	column_element<<<(n + 63) / 64, 64, 0, s>>>(d, a, n, m);
	as_unsigned<<<(n + 63) / 64, 64, 0, s>>>(d, d, n, m);
	as_float<<<(n + 63) / 64, 64, 0, s>>>(d, d, n, m);
	short_rows<<<(n + 63) / 64, 64, 0, s>>>(e, f, n, m);
	around<<<(n + 63) / 64, 64, 0, s>>>(b, a, n, m);
	small<<<(n + 63) / 64, 64, 0, s>>>(b, a, n, m);
}
