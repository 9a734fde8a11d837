// RUN: python3 %S/Inputs/serve.py %ktcc-clang %toolkit %s generate -- -std=c++17 > %t
// RUN: %FileCheck %s < %t
// RUN: python3 %golden/rewrite/Inputs/emulate.py --by ir --configs 8 --shapes 4 %ktcc-clang %toolkit %s | %FileCheck --check-prefix=RAN %s
// RAN: launched-blocks.cu {{[1-9][0-9]*}} same
// A block that is an expression with one value on all problems: passes know it, and a launch of another one runs the original.
// CHECK: template of 0/0 by ir: read_only, stride
// CHECK: guard (!(32 < cols && 32 < 256) ? 32 : {{.*}}) == 256
// CHECK: template of 1/0 by ir
// CHECK-NOT: guard {{.*}} == 64
// CHECK: line {{[0-9]+}}: stride does not apply: threads exchange values, and the block is not known to be whole warps
#pragma ktune problem((rows, cols) = (5, 300), (2, 1000)) in(x[rows * cols]) out(y[rows])
__global__ void row_sums(const float *x, float *y, int rows, int cols)
{
	extern __shared__ float parts[];
	const int t = threadIdx.x, row = blockIdx.x;
	float sum = 0.0;
	for (int c = t; c < cols; c += blockDim.x)
		sum += x[row * cols + c];
	parts[t] = sum;
	__syncthreads();
	for (int s = blockDim.x >> 1; s > 0; s >>= 1) {
		if (t < s)
			parts[t] += parts[t + s];
		__syncthreads();
	}
	if (t == 0)
		y[row] = parts[0];
}
#pragma ktune problem((rows, cols) = (5, 40), (2, 100)) in(x[rows * cols]) out(y[rows])
__global__ void other_sums(const float *x, float *y, int rows, int cols)
{
	extern __shared__ float parts[];
	const int t = threadIdx.x, row = blockIdx.x;
	float sum = 0;
	for (int c = t; c < cols; c += blockDim.x)
		sum += x[row * cols + c];
	parts[t] = sum;
	__syncthreads();
	for (int s = blockDim.x >> 1; s > 0; s >>= 1) {
		if (t < s)
			parts[t] += parts[t + s];
		__syncthreads();
	}
	if (t == 0)
		y[row] = parts[0];
}
void run0(const float *x, float *y, int rows, int cols)
{
	int threads = 32;
	while (threads < cols && threads < 256)
		threads *= 2;
	row_sums<<<rows, threads, threads * sizeof(float)>>>(x, y, rows, cols);
	other_sums<<<rows, threads, threads * sizeof(float)>>>(x, y, rows, cols);
}
