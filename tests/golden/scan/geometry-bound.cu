// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// An extent that is word for word what bind gives to a problem variable is that variable, though its parts have no value.
// CHECK: "launches":[{
// CHECK-SAME: "grid":["rows"],"block":["256"]
// CHECK-SAME: "grid":["rows * 2"],"block":["256"]
// CHECK-SAME: "grid":[],"block":["256"]
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(y[rows * d])
__global__ void bound(float *y, const float *x, int d) { y[blockIdx.x * d + threadIdx.x] = x[blockIdx.x * d + threadIdx.x]; }
void run(float *y, const float *x, int total, int d)
{
#pragma ktune bind(rows = total / d)
	bound<<<total / d, 256>>>(y, x, d);
#pragma ktune bind(rows = total / d)
	bound<<<(total / d) * 2, 256>>>(y, x, d);
// Other words may have another value: total / d of this is not what is bound.
#pragma ktune bind(rows = total / d)
	bound<<<2 * total / d, 256>>>(y, x, d);
}
