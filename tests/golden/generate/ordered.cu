// RUN: python3 %S/Inputs/serve.py %ktcc-clang %toolkit %s generate 0,0,2,0,0,256,0 -- -std=c++17 > %t
// RUN: %FileCheck %s < %t

// A launch that may begin before the one in front of it has ended: each thread waits for its items. Loads stay behind that.
// CHECK: template of 0/0 by ir: items, block_size, launch_bounds
// CHECK: guard ((n + 255) / 256) % ITEMS == 0 || n <= ((n + 255) / 256) * (256)
// CHECK: line [[# @LINE + 12]]: read_only does not apply: a function is called that may write to memory
// CHECK: cudaTriggerProgrammaticLaunchCompletion();
// CHECK: if (i < n && i_2 < n) {
// CHECK-NEXT: cudaGridDependencySynchronize();
// CHECK-NEXT: cudaGridDependencySynchronize();
// CHECK-NEXT: const float t = x[i_2] * 2.0f;
// CHECK-NEXT: y[i] = x[i] * 2.0f;
__device__ float twice(float v) { return v * 2; }

#pragma ktune problem(n = 65536) in(x[n]) out(y[n])
template <float (*op)(float)> __global__ void each(float *y, const float *x, int n)
{
	cudaTriggerProgrammaticLaunchCompletion();
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	cudaGridDependencySynchronize();
	y[i] = op(x[i]);
}

void run(float *y, const float *x, int n)
{
	each<twice><<<(n + 255) / 256, 256>>>(y, x, n);
}
