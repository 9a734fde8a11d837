// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A directive has a line of its own, whatever stands in front of the loop.
// CHECK: template of 0 0
// CHECK: parameter LANES
// CHECK: s = s + 0.5f;{{$}}
// CHECK-NEXT: #pragma unroll ${STEPS}
#pragma ktune problem((n, c) = (64, 96), (200, 33)) in(x[n * c]) out(y[n * c])
__global__ void scaled(float *y, const float *x, int n, int c)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float s = 0.0f;
		for (int j = 0; j < c; j++)
			s += x[i * c + j] * x[i * c + j];
		s = s + 0.5f; for (int j = 0; j < c; j++) y[i * c + j] = x[i * c + j] * s;
	}
}

void run(float *y, const float *x, int n, int c) { scaled<<<(n + 63) / 64, 64>>>(y, x, n, c); }
