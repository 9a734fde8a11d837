// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// RUN: %rewrite %s -- -std=c++17 -Dpolicy=1 -Dwords=2 | python3 %S/Inputs/show.py | %FileCheck --check-prefix=MACROS %s
// MACROS: uint4 &words2 =
// MACROS: "=r"(words2.x)
// MACROS: "l"(policy2)
// MACROS-NOT: declined
// Rows that loops read again from memory stay in the L2 cache till the last loop, which is done with them. What is kept in
// registers is read once, and what is written for a later loop is not sent past the caches.
// CHECK: template of 0
// CHECK: parameter TURNS 0 1 2 4 8
// CHECK: parameter STREAM 0 1 2
// CHECK: restriction STREAM < 2 || TURNS > 0
// CHECK: createpolicy.fractional.L2::evict_last
// CHECK: x_pack = ${if STREAM > 1}${ktune:callee:0}(
// CHECK: const pack_f32 x_pack = ${if STREAM}${ktune:callee:10}(
// CHECK: const pack_f32 x_pack = ${if STREAM}${ktune:callee:10}(
// CHECK: const pack_f32 x_pack = ${if STREAM}${ktune:callee:0}(
// CHECK: {{^ *}}${if STREAM}{{$}}
// CHECK-NEXT: ${ktune:callee:1}(reinterpret_cast<pack_f32 *>(y +
// CHECK: template of 1
// CHECK: parameter STREAM 0 1 2
// Here a row of w is read once, whatever is kept.
// CHECK-NOT: restriction STREAM < 2 || TURNS > 0
// CHECK: ${if STREAM && TURNS}
// CHECK-NEXT: ${ktune:callee:1}(reinterpret_cast<pack_f32 *>(y +
// CHECK: w_pack = ${if STREAM > 1}${ktune:callee:0}(
// CHECK: {{^ *}}${if STREAM}{{$}}
// CHECK-NEXT: ${ktune:callee:1}(reinterpret_cast<pack_f32 *>(y +
#pragma ktune problem(rows = 16, 4096; d = 1024, 50000) in(x[rows * d]) out(y[rows * d])
__global__ void softmax(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float part[256];
	float most = -3.4e38f, total = 0;
	for (int i = threadIdx.x; i < d; i += 256)
		most = fmaxf(most, x[(size_t)blockIdx.x * d + i]);
	part[threadIdx.x] = most;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
		__syncthreads();
	}
	most = part[0];
	__syncthreads();
	for (int i = threadIdx.x; i < d; i += 256)
		total += expf(x[(size_t)blockIdx.x * d + i] - most);
	part[threadIdx.x] = total;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	total = part[0];
	for (int i = threadIdx.x; i < d; i += 256)
		y[(size_t)blockIdx.x * d + i] = expf(x[(size_t)blockIdx.x * d + i] - most) / total;
}
void run0(float *y, const float *x, int rows, int d) { softmax<<<rows, 256>>>(y, x, d); }
#pragma ktune problem(rows = 16, 4096; d = 1024, 50000) in(x[rows * d], w[rows * d]) out(y[rows * d])
__global__ void written(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ w, int d)
{
	__shared__ float part[256];
	float total = 0;
	for (int i = threadIdx.x; i < d; i += 256) {
		const float value = expf(x[(size_t)blockIdx.x * d + i]);
		y[(size_t)blockIdx.x * d + i] = value;
		total += value;
	}
	part[threadIdx.x] = total;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	total = part[0];
	for (int i = threadIdx.x; i < d; i += 256)
		y[(size_t)blockIdx.x * d + i] = y[(size_t)blockIdx.x * d + i] / total * w[(size_t)blockIdx.x * d + i];
}
void run1(float *y, const float *x, const float *w, int rows, int d) { written<<<rows, 256>>>(y, x, w, d); }
