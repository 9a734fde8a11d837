// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A value that a narrow type holds is another one behind its range: no index that grows by one, so no vector access to `t`.
// CHECK: template of 0 0
// CHECK-NOT: t_pack
// CHECK: t[(unsigned char)(i + 250)]
// CHECK: template of 1 0
// CHECK-NOT: t_pack
// CHECK: t[at]
// CHECK: template of 2 0
// CHECK-NOT: t_pack
// CHECK: t[bool(i)]
// What a wider type holds is the same.
// CHECK: template of 3 0
// CHECK: t_pack
// A counter of 8 or 16 bits never gets past some bounds: no loop is made of it.
// CHECK-NOT: template of {{[45]}}
// CHECK: declined {{.*}}
// CHECK: declined {{.*}}
#pragma ktune problem(n = 4096) in(t[256]) out(y[n])
__global__ void cast(float *__restrict__ y, const float *__restrict__ t, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = t[(unsigned char)(i + 250)];
}
#pragma ktune problem(n = 4096) in(t[256]) out(y[n])
__global__ void local(float *__restrict__ y, const float *__restrict__ t, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		const unsigned char at = i + 250;
		y[i] = t[at];
	}
}
#pragma ktune problem(n = 4096) in(t[2]) out(y[n])
__global__ void truth(float *__restrict__ y, const float *__restrict__ t, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = t[bool(i)];
}
#pragma ktune problem(n = 4096) in(t[n]) out(y[n])
__global__ void wider(float *__restrict__ y, const float *__restrict__ t, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		const long long at = (long long)i;
		y[i] = t[(size_t)at];
	}
}
#pragma ktune problem(n = 100) inout(y[256])
__global__ void byte(int *y, int n)
{
	unsigned char i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicAdd(&y[i], 1);
}
#pragma ktune problem(rows = 30; d = 100) inout(y[rows * d])
__global__ void half_word(float *y, int d)
{
	for (unsigned short i = threadIdx.x; i < d; i += blockDim.x)
		y[blockIdx.x * d + i] += 5;
}
void count(int *y, float *z, int rows, int n)
{
	byte<<<(n + 63) / 64, 64>>>(y, n);
	half_word<<<rows, 64>>>(z, n);
}
void run(float *y, const float *t, int n)
{
	cast<<<(n + 255) / 256, 256>>>(y, t, n);
	local<<<(n + 255) / 256, 256>>>(y, t, n);
	truth<<<(n + 255) / 256, 256>>>(y, t, n);
	wider<<<(n + 255) / 256, 256>>>(y, t, n);
}
