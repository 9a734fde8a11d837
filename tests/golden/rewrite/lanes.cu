// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Where an item goes along what lies together the threads of a warp share its loops out; what stands between them each
// does, and the first one writes.
// CHECK: template of 0 0
// CHECK: parameter LANES 32 1
// CHECK: parameter STEPS 4 1 8
// CHECK: restriction LANES > 1 || STEPS == 4
// CHECK: restriction LANES == 1 || VEC == 1
// CHECK: strategy parts
// CHECK: grid WAVES == 0 ? (max(1, ceil_div(n, BLOCK * VEC * UNROLL / LANES)))
// CHECK: ${if LANES > 1}
// CHECK-NEXT: const int lane_of = threadIdx.x % ${LANES};
// CHECK: for (int i = ((long long)blockIdx.x * ${BLOCK} + threadIdx.x) / ${LANES}; i < n; i += ((long long)gridDim.x * ${BLOCK}) / ${LANES}) {
// CHECK: float m = bias[i];
// CHECK-NEXT: if (lane_of != 0)
// CHECK-NEXT: m = 0;
// CHECK-NEXT: #pragma unroll ${STEPS}
// CHECK-NEXT: for (long long turn = lane_of; turn < (long long)(c); turn += ${LANES}) {
// CHECK-NEXT: const int j = (int)turn;
// CHECK: m += row[j];
// CHECK: for (int apart = ${= LANES / 2}; apart > 0; apart /= 2) {
// CHECK-NEXT: m += __shfl_xor_sync(0xffffffffu, m, apart);
// CHECK: out[i * c + j] = row[j] - m;
// CHECK: if (lane_of == 0)
// CHECK-NEXT: mean[i] = m;
// CHECK: ${else}
// CHECK: out[i * c + j] = row[j] - m;
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c], bias[n]) out(out[n * c], mean[n])
__global__ void centre(float *out, float *mean, const float *x, const float *bias, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		const float *row = x + i * c;
		float m = bias[i];
		for (int j = 0; j < c; j++)
			m += row[j];
		m = m / c;
		for (int j = 0; j < c; j++)
			out[i * c + j] = row[j] - m;
		mean[i] = m;
	}
}
// A maximum of what all begin with; an element that a turn writes is read in the turn of the same number.
// CHECK: template of 1 0
// CHECK: ${if LANES > 1}
// CHECK: largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, apart));
// CHECK: out[i * c + j] = x[i * c + j] - largest;
// CHECK-NEXT: sum += out[i * c + j];
// CHECK: sum += __shfl_xor_sync(0xffffffffu, sum, apart);
// CHECK: out[i * c + j] /= 1.0f + fabsf(sum);
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c]) out(out[n * c])
__global__ void soft(float *out, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float largest = -1e30f, sum = 0.0f;
	for (int j = 0; j < c; ++j)
		largest = fmaxf(largest, x[i * c + j]);
	for (int j = 0; j < c; ++j) {
		out[i * c + j] = x[i * c + j] - largest;
		sum += out[i * c + j];
	}
	for (int j = 0; j < c; ++j)
		out[i * c + j] /= 1.0f + fabsf(sum);
}
// An element that all turns add to; a counter that is declared in front.
// CHECK: template of 2 0
// CHECK: if (lane_of == 0)
// CHECK-NEXT: y[i] = 1;
// CHECK: float y_sum = 0;
// CHECK: for (long long turn = 1LL + lane_of; turn <= (long long)(c); turn += ${LANES}) {
// CHECK: y_sum += a[i * (c + 1) + j] * x[j];
// CHECK: y_sum += __shfl_xor_sync(0xffffffffu, y_sum, apart);
// CHECK: if (lane_of == 0 && 1LL <= (long long)(c))
// CHECK-NEXT: y[i] += y_sum;
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(a[n * (c + 1)], x[c + 1]) out(y[n])
__global__ void product(float *y, float *a, float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int j;
		y[i] = 1;
		for (j = 1; j <= c; j++)
			y[i] += a[i * (c + 1) + j] * x[j];
	}
}
// Whole numbers: sums and counts, exactly. An atomic is done once.
// CHECK: template of 3 0
// CHECK: count += __shfl_xor_sync(0xffffffffu, count, apart);
// CHECK: if (lane_of == 0)
// CHECK-NEXT: atomicAdd(total, count);
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c] : range(0, 3)) out(least[n]) inout(total[1] : zeros)
__global__ void count(int *total, int *least, const int *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int count = 0, lowest = 9;
		for (int j = 0; j < c; j++) {
			if (x[i * c + j] > 1)
				count++;
			lowest = min(lowest, x[i * c + j]);
		}
		atomicAdd(total, count);
		least[i] = lowest;
	}
}
// Another thread of the warp would have written the element before.
// CHECK: template of 4 0
// CHECK-NOT: LANES
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c]) out(out[n * c], sum[n])
__global__ void shifted(float *out, float *sum, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float s = 0.0f;
		for (int j = 0; j < c; j++)
			out[i * c + j] = 2.0f * x[i * c + j];
		for (int j = 1; j < c; j++)
			s += out[i * c + j - 1];
		sum[i] = s;
	}
}
// CHECK: template of 5 0
// CHECK-NOT: LANES
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c]) out(sum[n], more[n])
__global__ void reread(float *more, float *sum, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float s = 0.0f;
		for (int j = 0; j < c; j++)
			s += x[i * c + j];
		sum[i] = s;
		float again = sum[i] * 2.0f;
		more[i] = again;
	}
}
// The bound changes, a turn needs the one before it, or it is left: such a loop each thread does for itself.
// CHECK: template of 6 0
// CHECK-NOT: LANES
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c]) out(sum[n])
__global__ void serial(float *sum, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float s = 0.0f;
		int m = c;
		for (int j = 0; j < m; j++) {
			s += x[i * c + j];
			if (s > 100.0f)
				m--;
		}
		for (int j = 0; j < c; j++) {
			if (x[i * c + j] > 3.0f)
				break;
			s += x[i * c + j];
		}
		for (int j = 0; j < c; j++)
			s = 0.5f * s + x[i * c + j];
		sum[i] = s;
	}
}

void run(float *a, float *b, float *c, float *d, int *e, int *f, int n, int m, cudaStream_t s)
{
	centre<<<(n + 127) / 128, 128, 0, s>>>(a, b, c, d, n, m);
	soft<<<(n + 127) / 128, 128, 0, s>>>(a, b, n, m);
	product<<<(n + 127) / 128, 128, 0, s>>>(a, b, c, n, m);
	count<<<(n + 127) / 128, 128, 0, s>>>(e, f, e, n, m);
	shifted<<<(n + 127) / 128, 128, 0, s>>>(a, b, c, n, m);
	reread<<<(n + 127) / 128, 128, 0, s>>>(a, b, c, n, m);
	serial<<<(n + 127) / 128, 128, 0, s>>>(a, b, n, m);
}
