// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | grep '"expression"' | %FileCheck %s
// __restrict__ in one kernel says nothing about an array of the next: x and y may share memory in the first block, where
// no kernel has both. In the second one the kernels leave only t and w, which nobody writes where they meet.
// CHECK: "expression":"t",{{.*}}"is_restrict":true
// CHECK: "expression":"x",{{.*}}"is_restrict":false
// CHECK: "expression":"n",
// CHECK: "expression":"y",{{.*}}"is_restrict":false
// CHECK: "expression":"t",{{.*}}"is_restrict":false
// CHECK: "expression":"x",{{.*}}"is_restrict":true
// CHECK: "expression":"n",
// CHECK: "expression":"y",{{.*}}"is_restrict":true
// CHECK: "expression":"w",{{.*}}"is_restrict":false
__global__ void first(float *__restrict__ t, const float *__restrict__ x, int n) { t[blockIdx.x] = x[blockIdx.x] + n; }
__global__ void second(float *__restrict__ y, const float *__restrict__ t, int n) { y[blockIdx.x] = t[blockIdx.x] + n; }
__global__ void third(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ t,
                      const float *__restrict__ w)
{
	y[blockIdx.x] = x[blockIdx.x] * t[blockIdx.x] * w[0];
}
void run(float *y, float *t, const float *x, const float *w, int n)
{
#pragma ktune problem(n = 8) in(x[n]) out(y[n]) scratch(t[n])
	{
		first<<<n, 1>>>(t, x, n);
		second<<<n, 1>>>(y, t, n);
	}
#pragma ktune problem(n = 8) in(x[n], w[1]) out(y[n]) scratch(t[n])
	{
		first<<<n, 1>>>(t, x, n);
		third<<<n, 1>>>(y, x, t, w);
	}
}
