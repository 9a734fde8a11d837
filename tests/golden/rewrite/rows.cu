// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Rows among blocks, elements among threads; a stride that is 1 on every problem is 1, and a guard says so.
// CHECK: parameter SPLIT 1 2 4 8
// CHECK: guard stride == 1
// CHECK: strategy constants
// CHECK: int /* stride */
// CHECK: const int stride = 1;
// CHECK: for (int row = block_row; row < rows; row += gridDim.x)
// CHECK: x + (2LL * d * row)
// CHECK: x + (2LL * d * row + d)
// CHECK: // the gate
// CHECK: float gate = x_pack.item[lane];
#pragma ktune problem(rows = 64; d = 1024) value(stride = 1) in(x[rows * 2 * d]) out(y[rows * d])
__global__ void gated(float *__restrict__ y, const float *__restrict__ x, int rows, int d, int stride)
{
	for (int row = blockIdx.x; row < rows; row += gridDim.x)
		for (int i = threadIdx.x; i < d; i += blockDim.x) {
			// the gate
			float gate = x[row * 2 * d + i * stride];
			y[row * d + i] = gate * x[row * 2 * d + d + i * stride];
		}
}
void run(float *y, const float *x, int rows, int d) { gated<<<rows < 256 ? rows : 256, 128>>>(y, x, rows, d, 1); }
