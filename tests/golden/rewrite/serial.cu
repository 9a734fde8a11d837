// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A thread's own loop is unrolled, and takes several elements at a time where it writes nothing; indices that come from
// where a thread stands go by their names. Registers are a choice.
// CHECK: template of 0
// CHECK: parameter ALONG 1 2 4
// CHECK: parameter INNER 0 4 8 16 32
// CHECK: parameter RESIDENT 0 1024 2048
// CHECK: restriction RESIDENT <= device.max_threads_per_multiprocessor
// CHECK: strategy unroll
// CHECK: strategy bounds
// CHECK: __launch_bounds__(${BLOCK}${if RESIDENT}, ${= max(1, RESIDENT / (BLOCK))}${end}) ${ktune:kernel}
// CHECK: struct alignas(${= ALONG * 4}) along_f32 {
// CHECK: ${if ALONG > 1}
// CHECK: const bool k_wide = reinterpret_cast<unsigned long long>(m + ((long long){{row \* columns|columns \* row}})) % ${= ALONG * 4} == 0 &&
// CHECK: reinterpret_cast<unsigned long long>(v) % ${= ALONG * 4} == 0 &&
// CHECK: const along_f32 m_pack = *reinterpret_cast<const along_f32 *>(m + ((long long){{row \* columns|columns \* row}} + k_group));
// CHECK: sum += m_pack.item[k_lane] * v_pack.item[k_lane];
// CHECK: ${else}
// CHECK-NEXT: ${if INNER}
// CHECK-NEXT: #pragma unroll ${INNER}
// CHECK-NEXT: ${end}
// CHECK-NEXT: for (int k = 0; k < columns; k++)
// CHECK-NEXT: sum += m[row * columns + k] * v[k];
#pragma ktune auto(geometry, vectorize, unroll, bounds) problem((rows, columns) = (4096, 64)) in(m[rows * columns], v[columns]) out(y[rows])
__global__ void rows_times(float *__restrict__ y, const float *__restrict__ m, const float *__restrict__ v, int rows,
                           int columns)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	float sum = 0.0f;
	for (int k = 0; k < columns; k++)
		sum += m[row * columns + k] * v[k];
	y[row] = sum;
}
// What the kernel writes is read one by one; a loop whose turns are counted, or that has a pragma, is left alone.
// CHECK: template of 1
// CHECK-NOT: parameter ALONG
// CHECK: #pragma unroll ${INNER}
// CHECK-NEXT: ${end}
// CHECK-NEXT: for (int k = 0; k < columns; k++)
// CHECK-NOT: ${INNER}
// CHECK: template of 2
#pragma ktune auto(geometry, vectorize, unroll) problem((rows, columns) = (4096, 64)) inout(m[rows * columns])
__global__ void in_place(float *__restrict__ m, int rows, int columns)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	float sum = 0.0f;
	for (int k = 0; k < columns; k++)
		sum += m[row * columns + k];
	for (int k = 0; k < 4; k++)
		sum += (float)k;
#pragma unroll 2
	for (int k = 0; k < columns; k++)
		sum *= 1.5f;
	m[row * columns] = sum;
}
// CHECK-NOT: INNER
#pragma ktune auto(geometry) problem((rows, columns) = (4096, 64)) in(m[rows * columns]) out(y[rows])
__global__ void listed(float *__restrict__ y, const float *__restrict__ m, int rows, int columns)
{
	int row = blockIdx.x * blockDim.x + threadIdx.x;
	if (row >= rows)
		return;
	float sum = 0.0f;
	for (int k = 0; k < columns; k++)
		sum += m[row * columns + k];
	y[row] = sum;
}
void run(float *y, float *m, const float *v, int rows, int columns)
{
	rows_times<<<(rows + 255) / 256, 256>>>(y, m, v, rows, columns);
	in_place<<<(rows + 255) / 256, 256>>>(m, rows, columns);
	listed<<<(rows + 255) / 256, 256>>>(y, m, rows, columns);
}
