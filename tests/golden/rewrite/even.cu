// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// What vector loops ask in front of themselves guards ask before the launch, where it holds on every problem: no test,
// no rest, no loop over rows where each block has one.
// CHECK: template of 0 0
// CHECK: parameter EVEN 0 1
// CHECK: restriction EVEN == 0 || VEC > 1
// CHECK: guard EVEN == 0 || (d) % VEC == 0
// CHECK: guard EVEN == 0 || (d) > 0 && (d) <= 2147221504
// CHECK: guard EVEN == 0 || aligned(y, VEC * 4)
// CHECK: guard EVEN == 0 || (rows * d) <= 4294967295
// CHECK: guard EVEN == 0 || aligned(x, VEC * 4)
// CHECK: guard EVEN == 0 || (pitch) % VEC == 0
// CHECK: guard EVEN == 0 || (rows * pitch) <= 4294967295
// CHECK: guard EVEN == 0 || (rows) > 0
// CHECK: strategy constants
// CHECK: ${if EVEN && WAVES == 0}
// CHECK-NEXT: {
// CHECK-NEXT: long long row = block_row;
// CHECK: ${else}
// CHECK-NEXT: for (long long row = block_row; row < rows; row += gridDim.x) {
// CHECK: ${if EVEN}
// CHECK-NEXT: const unsigned i_end = i_count;
// CHECK-NEXT: ${else}
// CHECK-NEXT: const bool wide =
// CHECK: for (${if EVEN}unsigned${else}long long${end} i_group =
// CHECK: reinterpret_cast<const pack_f32 *>(x + ${if EVEN}(unsigned)${end}((long long)row * pitch + i_group))
// CHECK: ${if !EVEN}
// CHECK-NEXT: ${if VEC > 1}
// CHECK-NEXT: const long long i_step =
// CHECK: for (long long i_rest = i_end +
// CHECK-NEXT: i_rest < (long long)i_count;
// CHECK-NEXT: i_rest += i_step * ${= min(VEC, 4)}) {
// CHECK: const long long i_at = i_rest + lane * i_step < (long long)i_count ? i_rest + lane * i_step : (long long)i_count - 1;
// CHECK-NEXT: const long long i_group = i_at;
// CHECK-NEXT: x_pack.item[lane] = *(x +
// CHECK: y_pack.item[lane] = x_pack.item[lane] *
// CHECK: if (i_at < (long long)i_count) {
// CHECK-NEXT: const long long i_group = i_at;
// CHECK-NEXT: *(y +
// CHECK: ${else}
// CHECK-NEXT: for (long long i = ${if VEC > 1}i_end +
#pragma ktune problem(rows = 4, 64; (d, pitch) = (64, 128), (96, 256)) in(x[rows * pitch]) out(y[rows * d]) \
              restriction(2 * d <= pitch)
__global__ void gated(float *__restrict__ y, const float *__restrict__ x, long long rows, long long d, long long pitch)
{
	for (long long row = blockIdx.x; row < rows; row += gridDim.x)
		for (long long i = threadIdx.x; i < d; i += blockDim.x)
			y[row * d + i] = x[row * pitch + i] * x[row * pitch + d + i];
}
// One loop over everything: a block for each part of it, a shift where the divisor is a power of two on every problem,
// and arrays that are kept apart. A row and a column of one index are that index.
// CHECK: template of 1 0
// CHECK: guard disjoint(scale, rows, sum, rows)
// CHECK: guard EVEN == 0 || is_pow2(d)
// CHECK: float *__restrict__ y
// CHECK: ${if EVEN && WAVES == 0 && UNROLL == 1}
// CHECK-NEXT: const unsigned i_group = ((long long)blockIdx.x * ${BLOCK} + threadIdx.x) * ${VEC};
// CHECK: if (i_group < i_end) {
// CHECK: const unsigned group_row = i_group >> (31 - __clz((int)(d)));
// CHECK-NEXT: const unsigned group_column = i_group & ((unsigned)(d) - 1);
// CHECK-NEXT: ${else}
// CHECK-NEXT: const ${if NARROW}int${else}long long${end} group_row = i_group /
// CHECK: const pack_f32 x_pack = {{.*}}(x + i_group)
#pragma ktune problem(rows = 4, 64; d = 32, 128) in(x[rows * d], scale[rows]) out(y[rows * d], sum[rows])
__global__ void scaled(float *y, float *sum, const float *x, const float *scale, long long rows, long long d)
{
	const long long count = rows * d;
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (long long)gridDim.x * blockDim.x) {
		const long long row = i / d, column = i % d;
		if (column == 0)
			sum[row] = scale[row] + 1.0f;
		y[row * d + column] = x[row * d + column] * scale[row];
	}
}
// Rows whose elements are kept; one over a power of two is a number.
// CHECK: template of 2 0
// CHECK: parameter EVEN
// CHECK: parameter TURNS
// CHECK: guard EVEN == 0 || is_pow2(d) && (d) <= 1073741824
// CHECK: float ${ktune:callee:9}(int n)
// CHECK: return __int_as_float((96 + __clz(n)) << 23);
// CHECK: ${if VEC > 1 && !EVEN}
// CHECK: const bool wide =
// CHECK: const float mean = {{.*}} ${if EVEN}* ${ktune:callee:9}(${else}/ ${end}d${if EVEN})${end};
#pragma ktune problem(rows = 4, 16; d = 256, 512) in(x[rows * d]) out(y[rows * d])
__global__ void centre(float *__restrict__ y, const float *__restrict__ x, int rows, int d)
{
	__shared__ float part[64];
	const int row = blockIdx.x;
	float sum = 0;
	for (int i = threadIdx.x; i < d; i += 64)
		sum += x[row * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int width = 32; width > 0; width /= 2) {
		if (threadIdx.x < width)
			part[threadIdx.x] += part[threadIdx.x + width];
		__syncthreads();
	}
	const float mean = part[0] / d;
	for (int i = threadIdx.x; i < d; i += 64)
		y[row * d + i] = x[row * d + i] - mean;
}
// A divisor that is no power of two on every problem.
// CHECK: template of 3 0
// CHECK: parameter EVEN
// CHECK: restriction EVEN == 0 || NARROW == 1
// CHECK-NOT: is_pow2
// CHECK: const ${if EVEN}unsigned${else}${if NARROW}int${else}long long${end}${end} group_row = i_group /
#pragma ktune problem(rows = 4, 64; d = 32, 96) in(x[rows * d], bias[d]) out(y[rows * d])
__global__ void biased(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ bias, long long rows,
                       long long d)
{
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < rows * d; i += (long long)gridDim.x * blockDim.x)
		y[i] = x[i] + bias[i % d];
}
// Problems that allow two elements an access and no more.
// CHECK: template of 4 0
// CHECK: parameter EVEN
// CHECK: restriction EVEN == 0 || VEC <= 2
#pragma ktune problem(n = 4096, 4098) in(x[n]) out(y[n])
__global__ void halves(float *__restrict__ y, const float *__restrict__ x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = 0.5f * x[i];
}
// One that allows none, elements that are never aligned, and one problem alone, which says nothing about other sizes.
// CHECK: template of 5 0
// CHECK-NOT: EVEN
#pragma ktune problem(n = 4096, 4097) in(x[n]) out(y[n])
__global__ void odd(float *__restrict__ y, const float *__restrict__ x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = 0.5f * x[i];
}
#pragma ktune problem(n = 1024, 4096) in(x[n + 1]) out(y[n])
__global__ void shifted(float *__restrict__ y, const float *__restrict__ x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i + 1];
}
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void single(float *__restrict__ y, const float *__restrict__ x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = 0.5f * x[i];
}
// A divisor that 32 bits do not hold is asked about in front of the loop.
// CHECK: template of 8 0
// CHECK: (int)(h) == (long long)(h)
#pragma ktune problem(n = 64, 128) value(h = 4294967360) in(x[n], bias[n]) out(y[n])
__global__ void far(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ bias, long long n,
                    long long h)
{
	for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x)
		y[i] = x[i] + bias[i / h];
}
// What a quotient becomes has the type that it had: sums around it may be negative.
// CHECK: template of 9 0
// CHECK: const float shade = ${if EVEN}(int)${end}group_row - 3;
// CHECK: const auto column = ${if EVEN}(int)${end}(group_column + lane);
// CHECK: const int row = group_row;
// CHECK: ${if EVEN}(int)${end}(group_column + lane) - d / 2 + (column - 5)
#pragma ktune problem(rows = 4, 64; d = 32, 128) in(x[rows * d]) out(y[rows * d])
__global__ void shaded(float *__restrict__ y, const float *__restrict__ x, int rows, int d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= rows * d)
		return;
	const float shade = i / d - 3;
	const auto column = i % d;
	const int row = i / d;
	y[i] = x[i] * shade + (i % d - d / 2 + (column - 5)) + row;
}
void run(float *y, float *s, const float *x, const float *b, int rows, int d, int pitch, int n)
{
	gated<<<rows < 256 ? rows : 256, 64>>>(y, x, rows, d, pitch);
	scaled<<<64, 64>>>(y, s, x, b, rows, d);
	centre<<<rows, 64>>>(y, x, rows, d);
	biased<<<64, 64>>>(y, x, b, rows, d);
	halves<<<(n + 63) / 64, 64>>>(y, x, n);
	odd<<<(n + 63) / 64, 64>>>(y, x, n);
	shifted<<<(n + 63) / 64, 64>>>(y, x, n);
	single<<<(n + 63) / 64, 64>>>(y, x, n);
	far<<<64, 64>>>(y, x, b, n, 4294967360);
	shaded<<<(rows * d + 63) / 64, 64>>>(y, x, rows, d);
}
