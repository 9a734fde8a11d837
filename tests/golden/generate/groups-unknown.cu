// RUN: %ktcc-clang lower --toolkit %toolkit --arch 90 --file %s -- -std=c++17 | grep '^; kernel' | %FileCheck %s
// Waiting for all threads of the grid is not understood, and said.
// CHECK: kernel whole {{.*}}: 1 opaque; line [[#@LINE+9]]: a call of 'sync'
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#pragma ktune problem(n = 1024, 8192) inout(x[n])
__global__ void whole(float *x, int n)
{
	cg::grid_group g = cg::this_grid();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		x[i] *= 2;
	g.sync();
}
void run(float *x, int n)
{
	whole<<<8, 128>>>(x, n);
}
