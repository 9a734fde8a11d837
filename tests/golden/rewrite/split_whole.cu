// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A grid that covers the row: no loop over groups, and as many blocks a row as that takes. With two loops there is none, and
// blocks of a kernel that asks where it stands along y share no row.
// CHECK: template of 0
// CHECK: parameter SPLIT 1 2 4 8 0
// CHECK: parameter BESIDE 0 1
// CHECK: restriction BESIDE == 0 || SPLIT != 1
// CHECK: guard SPLIT != 0 || ceil_div(d, BLOCK * VEC * UNROLL) <= 65535
// CHECK: guard SPLIT != 0 || (d) <= 1073740800
// CHECK: guard BESIDE == 0 || (rows) * max(SPLIT, ceil_div(d, BLOCK * VEC * UNROLL)) <= 4294967295
// CHECK: grid {{.*}} | SPLIT == 0 ? max(1, ceil_div(d, BLOCK * VEC * UNROLL)) : SPLIT | 1
// Blocks start in the order of x: those that stand beside each other have neighbouring parts of a row.
// CHECK: ${if BESIDE}
// CHECK: const unsigned block_row = (blockIdx.y * gridDim.x + blockIdx.x) / ${if SPLIT}${SPLIT}${else}gridDim.y${end};
// CHECK-NEXT: const unsigned block_piece = (blockIdx.y * gridDim.x + blockIdx.x) % ${if SPLIT}${SPLIT}${else}gridDim.y${end};
// CHECK-NEXT: ${else}
// CHECK-NEXT: const unsigned block_row = blockIdx.x;
// CHECK-NEXT: ${if SPLIT != 1}
// CHECK-NEXT: const unsigned block_piece = blockIdx.y;
// CHECK: const int i_end =
// CHECK: ${if SPLIT == 0}
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int turn = 0; turn < ${UNROLL}; turn++) {
// CHECK-NEXT: const int i_group = ((int)(block_piece * ${UNROLL} + turn) * ${BLOCK} + threadIdx.x) * ${VEC};
// CHECK: if (i_group >= i_end)
// CHECK-NEXT: break;
// CHECK-NEXT: ${else}
// CHECK: for (int i = ${if VEC > 1}i_end + ${end}${if SPLIT != 1}block_piece * ${BLOCK} + ${end}threadIdx.x; i < i_count; i += ${if SPLIT == 0}gridDim.y * ${BLOCK}${else}${= SPLIT * BLOCK}${end}) {
// CHECK: template of 1
// CHECK: parameter SPLIT 1 2 4 8{{$}}
// CHECK: template of 2
// CHECK-NOT: SPLIT
#pragma ktune problem(rows = 16; d = 1000) in(x[rows * d]) out(y[rows * d])
__global__ void covered(float *__restrict__ y, const float *__restrict__ x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = 2 * x[blockIdx.x * d + i];
}
void run(float *y, const float *x, int rows, int d) { covered<<<rows, 64>>>(y, x, d); }
#pragma ktune problem(rows = 16; d = 1000) in(x[rows * d]) out(y[rows * d], z[rows * d])
__global__ void twice(float *__restrict__ z, float *__restrict__ y, const float *__restrict__ x, int d)
{
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] = 2 * x[blockIdx.x * d + i];
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		z[blockIdx.x * d + i] = 3 * x[blockIdx.x * d + i];
}
void run2(float *z, float *y, const float *x, int rows, int d) { twice<<<rows, 64>>>(z, y, x, d); }
#pragma ktune problem(rows = 16; d = 1000) in(x[rows * d]) out(y[rows * d])
__global__ void placed(float *__restrict__ y, const float *__restrict__ x, int d)
{
	const int row = blockIdx.y * gridDim.x + blockIdx.x;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		y[row * d + i] = 2 * x[row * d + i];
}
void run3(float *y, const float *x, int rows, int d) { placed<<<rows, 64>>>(y, x, d); }
