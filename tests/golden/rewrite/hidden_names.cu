// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A variable that hides another one could be meant where the rules write the other's name. What the rules make up
// themselves is no name of the kernel.
// CHECK: template of 0 0
// CHECK: const bool wide2 =
// CHECK: out[i] = in[i] + wide + lane;
// CHECK: template of 1 0
// CHECK: settings::offset
// CHECK-NOT: template of {{[2345]}} 0
// CHECK: declined hidden-name line [[#@LINE+28]] 'i' hides another variable of that name; rename one of them
// CHECK: declined hidden-name line [[#@LINE+40]] 'i' hides
// CHECK: declined hidden-name line [[#@LINE+48]] 'n' hides
// CHECK: declined hidden-name line [[#@LINE+57]] 'scale' hides
__constant__ int scale;
namespace settings {
__constant__ int offset;
}
#pragma ktune problem(n = 4096) in(in[n]) out(out[n])
__global__ void made_up(float *__restrict__ out, const float *__restrict__ in, int n)
{
	const int wide = 3, lane = 4;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = in[i] + wide + lane;
}
#pragma ktune problem(n = 4096) in(in[n + 8], offset[1]) out(out[n])
__global__ void outside(float *__restrict__ out, const float *__restrict__ in, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = in[i + settings::offset];
}
#pragma ktune problem(n = 4096) in(in[n * 4]) out(out[n])
__global__ void in_loop(float *__restrict__ out, const float *__restrict__ in, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float sum = 0;
		const int base = i;
		for (int i = 0; i < 4; i++)
			sum += in[i * n + base] * i;
		out[i] = sum;
	}
}
#pragma ktune problem((h, n) = (32, 4096)) in(in[n * h]) out(out[n * h])
__global__ void in_branch(float *__restrict__ out, const float *__restrict__ in, int n, int h)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= n || j >= h)
		return;
	float sum = in[j * n + i];
	if (sum > 0.5f)
		for (int i = 0; i < 2; i++)
			sum += in[j * n + i];
	out[j * n + i] = sum;
}
#pragma ktune problem(n = 4096) in(in[n]) out(out[n])
__global__ void parameter(float *__restrict__ out, const float *__restrict__ in, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float sum = 0;
		for (int n = 0; n < 3; n++)
			sum += in[i] * n;
		out[i] = sum;
	}
}
#pragma ktune problem(n = 4096) in(in[n], scale[1]) out(out[n])
__global__ void global(float *__restrict__ out, const float *__restrict__ in, int n)
{
	const int shift = scale;
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		const float scale = in[i];
		out[i] = scale + shift;
	}
}
void run(float *y, const float *x, int n)
{
	made_up<<<4, 64>>>(y, x, n);
	outside<<<4, 64>>>(y, x, n);
	in_loop<<<(n + 63) / 64, 64>>>(y, x, n);
	in_branch<<<dim3((n + 31) / 32, 8), dim3(32, 4)>>>(y, x, n, 32);
	parameter<<<4, 64>>>(y, x, n);
	global<<<4, 64>>>(y, x, n);
}
