// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Items that walk through the same loop do it together, in patches: what neighbours read and write is moved in packs.
// CHECK: template of 0 0
// CHECK: parameter VEC 1 2 4 8
// CHECK: parameter STEPS
// CHECK: parameter ALONG 1 4
// CHECK: restriction ALONG == 1 || STEPS % ALONG == 0
// CHECK: restriction VEC * ROWS * STEPS <= 64
// CHECK: guard disjoint(b, n * n, c, n * n)
// CHECK: strategy patch
// CHECK: bool whole = x_patch + ${VEC} <= n && y_patch + ${ROWS} <= n &&
// CHECK: reinterpret_cast<unsigned long long>(b + ((long long)n * 1LL + x_patch)) % ${= VEC * 4} == 0 &&
// CHECK: reinterpret_cast<unsigned long long>(c + ((long long)n * (y_patch + 1) + x_patch)) % ${= VEC * 4} == 0${if ALONG > 1} && (n) % ${ALONG} == 0 &&
// CHECK: reinterpret_cast<unsigned long long>(a + ((long long)n * (y_patch + 1))) % ${= ALONG * 4} == 0${end};
// CHECK: float sum[${ROWS}][${VEC}];
// CHECK: sum[row_of][lane] = 0.0f;
// CHECK: #pragma unroll ${= STEPS / ALONG}
// CHECK-NEXT: for (int k_group = 0; k_group < n; k_group += ${= ALONG}) {
// CHECK: const a_line pack = *reinterpret_cast<const a_line *>(a + ((long long)n * y + k_group));
// CHECK: for (int k = k_group; k < k_group + ${ALONG}; k++) {
// CHECK: const b_group pack = *reinterpret_cast<const b_group *>(b + ((long long)n * k + x_patch));
// CHECK: sum[row_of][lane] += ${if ALONG > 1}a_run0[row_of][k - k_group]${else}a[y * n + k]${end} * b_near0[lane + 0 - (0)];
// CHECK: c_new0[row_of][lane] = sum[row_of][lane];
// CHECK: reinterpret_cast<c_group *>(c + ((long long)n * y + x_patch))
// Patches at the edge, and of rows that are not aligned, go together as well, without packs.
// CHECK: const int lanes = x_patch + ${VEC} <= n ? ${VEC} : (int)(n - x_patch);
// CHECK: const int rows = y_patch + ${ROWS} <= n ? ${ROWS} : (int)(n - y_patch);
// CHECK: #pragma unroll ${STEPS}
// CHECK: b_near0[place - (0)] = b[(long long)n * k + x_patch + (place < lanes ? place : lanes - 1)];
// CHECK: const int y = (int)y_patch + (row_of < rows ? row_of : rows - 1);
// CHECK: const int x = (int)x_patch + (lane < lanes ? lane : lanes - 1);
// CHECK: sum[row_of][lane] += a[y * n + k] * b_near0[lane + 0 - (0)];
// CHECK: if (place < lanes && row_of < rows)
// CHECK-NEXT: c[(long long)n * y + x_patch + place] = c_new0[row_of][place];
// CHECK-NOT: sum += a[y * n + k] * b[k * n + x];
#pragma ktune problem(n = 512) in(a[n * n], b[n * n]) out(c[n * n])
__global__ void product(float *c, const float *a, const float *b, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < n && y < n) {
		float sum = 0.0f;
		for (int k = 0; k < n; k++)
			sum += a[y * n + k] * b[k * n + x];
		c[y * n + x] = sum;
	}
}
// A border is asked for once a patch; neighbours outside of the pack are loaded one by one. Nine turns are no groups of four.
// CHECK: template of 1 0
// CHECK-NOT: ALONG
// CHECK: whole = whole && !(i < 1);
// CHECK: whole = whole && !(i >= n - 1);
// CHECK: float u_near0[${= VEC + 2}];
// CHECK: for (int place = -1; place < 0; place++)
// CHECK: v_new0[lane] = u_near0[lane + -1 - (-1)] + u_near0[lane + 1 - (-1)] - 2 * u_near0[lane + 0 - (-1)] + total[lane];
// CHECK: bool together = true;
// CHECK: together = together && !(i >= n - 1);
// CHECK: for (int place = -1; place < ${VEC} + (1); place++)
// CHECK-NEXT: u_near0[place - (-1)] = u[i_patch + (place < (lanes + (1)) ? place : (lanes + (1)) - 1)];
#pragma ktune problem(n = 65536) in(u[n], w[9]) out(v[n])
__global__ void second(float *__restrict__ v, const float *__restrict__ u, const float *__restrict__ w, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	if (i < 1 || i >= n - 1) {
		v[i] = u[i];
		return;
	}
	float total = 0;
	for (int k = 0; k < 9; k++)
		total += w[k];
	v[i] = u[i - 1] + u[i + 1] - 2 * u[i] + total;
}
// A loop that only adds up is distributed over threads.
// CHECK: template of 2 0
// CHECK: parameter PARTS 1 8 16 32 4
// CHECK: restriction BLOCK * PARTS <= 1024
// CHECK: strategy parts
// CHECK: __shared__ float total_parts[${PARTS}][${VEC}][${BLOCK}];
// CHECK: const bool idle = own >= 
// CHECK: whole = __syncthreads_and(whole);
// CHECK: for (int row = 0${if PARTS > 1} + threadIdx.y${end}; row < rows; row += ${PARTS}) {
// CHECK: if (threadIdx.y == 0 && !idle) {
// CHECK: total[lane] += total_parts[part][lane][threadIdx.x];
// CHECK: } else${if PARTS > 1} if (threadIdx.y == 0 && !idle)${end} {
#pragma ktune problem((rows, columns) = (512, 512)) in(x[rows * columns]) out(sums[columns])
__global__ void sum(float *sums, const float *x, int rows, int columns)
{
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	if (column >= columns)
		return;
	float total = 0.0f;
	for (int row = 0; row < rows; row++)
		total += x[row * columns + column];
	sums[column] = total;
}
// A short loop over neighbours stays every item's own, unrolled, inside of a shared one.
// CHECK: template of 3 0
// CHECK: for (int b = -1; b <= 1; b++) {
// CHECK: float u_near0[${ROWS}][${= VEC + 4}];
// CHECK: #pragma unroll
// CHECK: for (int a = -2; a <= 2; a++)
// CHECK: total[row_of][lane] += u_near0[row_of][lane + a - (-2)];
#pragma ktune problem((w, h) = (512, 512)) in(u[w * h]) out(v[w * h])
__global__ void blur(float *__restrict__ v, const float *__restrict__ u, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < 2 || y < 1 || x >= w - 2 || y >= h - 1)
		return;
	if (x >= w || y >= h)
		return;
	float total = 0;
	for (int b = -1; b <= 1; b++)
		for (int a = -2; a <= 2; a++)
			total += u[(y + b) * w + x + a];
	v[y * w + x] = total / 15;
}
// What is read in place, in a loop of the item's own length, or in rows of the item's own, is left alone.
// CHECK: template of 4 0
// CHECK-NOT: _patch
// CHECK: template of 5 0
// CHECK-NOT: _patch
#pragma ktune problem(n = 4096) in(q[n]) out(v[n])
__global__ void own(float *__restrict__ v, const float *__restrict__ q, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float total = 0;
	for (int k = 0; k < i; k++)
		total += q[k];
	v[i] = total;
}
#pragma ktune problem((rows, n) = (4096, 64)) in(q[rows * n]) out(v[rows])
__global__ void far(float *__restrict__ v, const float *__restrict__ q, int rows, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= rows)
		return;
	float total = 0;
	for (int k = 0; k < n; k++)
		total += q[i * n + k];
	v[i] = total;
}
void run(float *c, const float *a, const float *b, int rows, int n)
{
	dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16), rest((n + 15) / 16, (rows + 15) / 16);
	product<<<grid, block>>>(c, a, b, n);
	second<<<(n + 255) / 256, 256>>>(c, a, b, n);
	sum<<<(n + 255) / 256, 256>>>(c, a, rows, n);
	blur<<<rest, block>>>(c, a, n, rows);
	own<<<(n + 255) / 256, 256>>>(c, a, n);
	far<<<(rows + 255) / 256, 256>>>(c, a, rows, n);
}
