// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// An element that an item changes step by step stays in a register; a counter that is declared in front is the loop's own.
// CHECK: template of 0 0
// CHECK: guard disjoint(a, n * n, c, n * n)
// CHECK: strategy patch
// CHECK: float c_new0[${ROWS}][${VEC}];
// CHECK: const c_group pack = *reinterpret_cast<const c_group *>(c + ((long long)n * i + j_patch));
// CHECK: c_new0[row_of][place] = pack.item[place];
// CHECK: c_new0[row_of][lane] *= beta;
// CHECK: #pragma unroll ${= STEPS / ALONG}
// CHECK-NEXT: for (int k_group = 0; k_group < n; k_group += ${= ALONG}) {
// CHECK: c_new0[row_of][lane] += ${if ALONG > 1}a_run0[row_of][k - k_group]${else}a[i * n + k]${end} * b_near0[lane + 0 - (0)];
// CHECK: pack.item[place] = c_new0[row_of][place];
// CHECK: c_new0[row_of][place - (0)] = c[(long long)n * i + j_patch + (place < lanes ? place : lanes - 1)];
// CHECK: c_new0[row_of][lane] *= beta;
// CHECK: if (place < lanes && row_of < rows)
// CHECK-NOT: c[i * n + j] *= beta;
#pragma ktune problem(n = 24, 32) in(a[n * n], b[n * n]) inout(c[n * n]) value(beta = 0.5f)
__global__ void product(float *c, float *a, float *b, float beta, int n)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < n && j < n) {
		c[i * n + j] *= beta;
		int k;
		for (k = 0; k < n; k++)
			c[i * n + j] += a[i * n + k] * b[k * n + j];
	}
}
// Nothing of it is read before it is set: nothing is loaded. It is a sum that threads can share out.
// CHECK: template of 1 0
// CHECK: parameter PARTS
// CHECK: __shared__ float dev_new0_parts[${PARTS}][${VEC}][${BLOCK}];
// CHECK: float dev_new0[${VEC}];
// CHECK-NEXT: float mean_near1[${= VEC + 0}];
// CHECK: dev_new0[lane] = 0.0;
// CHECK: if (threadIdx.y > 0) {
// CHECK: dev_new0[lane] = 0;
// CHECK: dev_new0[lane] += (data_near0[lane + 0 - (0)] - mean_near1[lane + 0 - (0)]) *
// CHECK: dev_new0[lane] += dev_new0_parts[part][lane][threadIdx.x];
// CHECK: dev_new0[lane] /= n;
// CHECK: if (dev_new0[lane] <= 0.1f)
#pragma ktune problem((m, n) = (64, 40), (100, 33)) in(mean[m], data[m * n]) out(dev[m])
__global__ void deviation(float *mean, float *dev, float *data, int m, int n)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j < m) {
		int i;
		dev[j] = 0.0;
		for (i = 0; i < n; i++)
			dev[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
		dev[j] /= n;
		if (dev[j] <= 0.1f)
			dev[j] = 1.0;
	}
}
// Rows whose length is a number: the one above is no neighbour 64 elements away.
// CHECK: template of 2 0
// CHECK: float a_near0[${ROWS}][${= VEC + 2}];
// CHECK: (a + (64LL * y - 64 + x_patch))
// CHECK: float a_near1[${ROWS}][${= VEC + 2}];
// CHECK: (a + (64LL * y + x_patch))
// CHECK: float a_near2[${ROWS}][${= VEC + 2}];
// CHECK: (a + (64LL * y + 64 + x_patch))
// CHECK: a_near0[row_of][lane + -1 - (-1)]
#pragma ktune problem(h = 20, 33) in(a[h * 64]) inout(b[h * 64])
__global__ void around(float *a, float *b, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (y < h - 1 && x < 64 - 1 && y > 0 && x > 0)
		b[y * 64 + x] = a[(y - 1) * 64 + (x - 1)] + a[(y - 1) * 64 + x] - a[(y - 1) * 64 + (x + 1)] + a[y * 64 + (x - 1)] +
		                a[y * 64 + x] - a[y * 64 + (x + 1)] + a[(y + 1) * 64 + (x - 1)] + a[(y + 1) * 64 + x] +
		                a[(y + 1) * 64 + (x + 1)];
}
// The neighbour's element is another item's, and an element that is not always written stays where it is.
// CHECK: template of 3 0
// CHECK-NOT: c_new
// CHECK: template of 4 0
// CHECK-NOT: c_new
#pragma ktune problem(n = 24, 32) in(b[n * n]) inout(c[2 * n + 1])
__global__ void beside(float *c, float *b, int n)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j < n) {
		float next = c[n + j + 1];
		for (int k = 0; k < n; k++)
			c[j] += b[k * n + j];
		c[j] += next;
	}
}
#pragma ktune problem(n = 24, 32) in(b[n * n]) inout(c[n])
__global__ void sometimes(float *c, float *b, int n)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j < n) {
		float s = 0.0f;
		for (int k = 0; k < n; k++)
			s += b[k * n + j];
		if (s > 0.0f)
			c[j] += s;
	}
}
// Variables that are declared in front and set anew in every turn are nobody else's; an element is changed once, behind.
// CHECK: template of 5 0
// CHECK: parameter PARTS
// CHECK: n < 0x7fffffffLL - ${= PARTS * ALONG}${end}
// CHECK: (n) % ${ALONG} == 0 &&
// CHECK: float y_new0[${VEC}];
// CHECK-NEXT: {
// CHECK-NEXT: const y_group pack = *reinterpret_cast<const y_group *>(y + (j_patch));
// CHECK: float d[${VEC}];
// CHECK: for (int k_group = 0${if PARTS > 1} + threadIdx.y${if ALONG > 1} * ${ALONG}${end}${end}; k_group < n; k_group += ${= ALONG * PARTS}) {
// CHECK: d[lane] = ${if ALONG > 1}x_run0[k - k_group]${else}x[k]${end} -
// CHECK: square[lane] = d[lane] * d[lane];
// CHECK: y_new0[lane] += sum[lane] * 0.5f;
#pragma ktune problem((m, n) = (64, 40), (100, 33)) in(x[n], at[m]) inout(y[m])
__global__ void pulled(float *y, const float *x, const float *at, int m, int n)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j >= m)
		return;
	float d, square, sum;
	sum = 0.0f;
	float own = at[j];
	for (int k = 0; k < n; k++) {
		d = x[k] - own;
		square = d * d;
		if (square > 0.25f)
			square = 0.25f;
		sum = sum + square * d;
	}
	y[j] += sum * 0.5f;
}
// One of them is read before it is set, the other behind the loop.
// CHECK: template of 6 0
// CHECK-NOT: PARTS
#pragma ktune problem((m, n) = (64, 40), (100, 33)) in(x[n], at[m]) inout(y[m])
__global__ void kept(float *y, const float *x, const float *at, int m, int n)
{
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j >= m)
		return;
	float d = 0.0f, last = 0.0f, sum = 0.0f;
	for (int k = 0; k < n; k++) {
		sum += d * x[k];
		d = x[k] - at[j];
		last = d;
	}
	y[j] += sum + last;
}
// The same in a loop that all threads share.
// CHECK: template of 7 0
// CHECK: strategy vectorize
// CHECK: float t, u = 1.0f;
// CHECK: t = x_pack.item[lane] * 2.0f;
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void doubled(float *y, const float *x, int n)
{
	float t, u = 1.0f;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		t = x[i] * 2.0f;
		u = 0.5f;
		y[i] = t * t + u;
	}
}

void run(float *a, float *b, float *c, int n, int m, cudaStream_t s)
{
	product<<<dim3((n + 7) / 8, (n + 7) / 8), dim3(8, 8), 0, s>>>(c, a, b, 0.5f, n);
	deviation<<<(m + 63) / 64, 64, 0, s>>>(a, b, c, m, n);
	around<<<dim3(8, (n + 7) / 8), dim3(8, 8), 0, s>>>(a, b, n);
	beside<<<(n + 63) / 64, 64, 0, s>>>(c, b, n);
	sometimes<<<(n + 63) / 64, 64, 0, s>>>(c, b, n);
	pulled<<<(m + 63) / 64, 64, 0, s>>>(a, b, c, m, n);
	kept<<<(m + 63) / 64, 64, 0, s>>>(a, b, c, m, n);
	doubled<<<4, 64, 0, s>>>(a, b, n);
}
