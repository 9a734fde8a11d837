// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Launches and uses that device code skips are read from the host's pass; what no pass sees is none.
// CHECK: "name":"k","kernel":"k"
// CHECK-SAME: "decline":null
// CHECK-SAME: {"name":"BLOCK",{{[^}]*}}"fixed":null}
// CHECK-SAME: {"name":"WIDTH",{{[^}]*}}"fixed":"parameter-escapes"}
// CHECK-SAME: "grid":["n / BLOCK"]
// CHECK-SAME: "launches":[{{{[^{]*}}"line":33,{{[^{]*}}"decline":null
// CHECK-SAME: "bindings":[{"argument":-1,"text":"n"}]
// CHECK-NOT: "line":36
// CHECK: "diagnostics":"
// CHECK-SAME: 'WIDTH' keeps its value: it is also used outside the kernel, in line 30
#define BLOCK 128
#define WIDTH 4
#pragma ktune problem(n = 1024) out(y[n]) value(m = 1) tune(BLOCK = 64, 128) tune(WIDTH = 1, 4)
__global__ void k(float *y, int m)
{
	y[blockIdx.x * BLOCK + threadIdx.x] = m * WIDTH;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
	y[0] = 1;
#endif
}
#if 0
int nobody = BLOCK;
#endif
void run(float *y, int m)
{
#ifndef __CUDA_ARCH__
	{
		int scratch = WIDTH * m;
		(void)scratch;
		for (int n = 1024, grid = n / BLOCK, left = 1; left > 0; left = 0)
			k<<<grid, BLOCK>>>(y, m);
	}
#if 0
	k<<<m, BLOCK>>>(y, m);
#endif
#endif
}
