// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// An index that each thread takes apart again and again: what quotients are products with is computed once a thread.
// CHECK: template of 0
// CHECK: parameter WAVES
// CHECK: parameter RECIPROCALS 0 1
// CHECK: restriction RECIPROCALS == 0 || WAVES > 0
// CHECK: guard RECIPROCALS == 0 || (c * d) > 0
// CHECK: guard RECIPROCALS == 0 || (d) > 0
// CHECK: strategy divide
// CHECK: ${if RECIPROCALS}
// CHECK: struct ${ktune:callee:23} {
// CHECK: return (int)(__umulhi(2u * (unsigned)dividend, divisor.factor) >> divisor.shift);
// CHECK: const ${ktune:callee:23} divisor0(c * d);
// CHECK: int k = i / ${if RECIPROCALS}divisor0${else}(c * d)${end};
// CHECK: int j = (i / ${if RECIPROCALS}divisor2${else}d${end}) % ${if RECIPROCALS}divisor1${else}c${end};
#pragma ktune problem((b, c, d) = (8, 40, 64), (3, 5, 7)) in(x[b * c * d]) out(y[b * c * d])
__global__ void swapped(float *__restrict__ y, const float *__restrict__ x, int b, int c, int d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= b * c * d)
		return;
	int k = i / (c * d);
	int j = (i / d) % c;
	y[k * c * d + (i % d) * c + j] = x[i];
}
// A group of elements has one quotient: that is computed once for all of them anyway.
// CHECK: template of 1
// CHECK-NOT: RECIPROCALS
#pragma ktune problem((b, d) = (8, 64)) in(x[b * d], scale[b]) out(y[b * d])
__global__ void scaled(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ scale, int b, int d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < b * d)
		y[i] = x[i] * scale[i / d % b];
}
// The dividend may be below zero, or has more bits; the divisor may be anything.
// CHECK: template of 2
// CHECK-NOT: RECIPROCALS
#pragma ktune problem((n, d) = (256, 64)) in(x[n], at[n] : range(1, 8)) out(y[n])
__global__ void others(float *__restrict__ y, const float *__restrict__ x, const int *__restrict__ at, int n, int d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[(unsigned)((i - 1) / d + (int)((long long)i / d) + i / at[i]) % (unsigned)n];
}
void run(float *y, const float *x, const int *at, int b, int c, int d, int n)
{
	swapped<<<(b * c * d + 255) / 256, 256>>>(y, x, b, c, d);
	scaled<<<(b * d + 255) / 256, 256>>>(y, x, x, b, d);
	others<<<(n + 255) / 256, 256>>>(y, x, at, n, d);
}
