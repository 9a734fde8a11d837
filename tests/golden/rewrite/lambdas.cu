// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// A return in a lambda ends a call of the lambda, and its captures are used where it is called.
// CHECK: template of 0 0
// CHECK: auto act = [](float v) { return v > 0 ? v : 0.1f * v; };
// CHECK: y_pack.item[lane] = act(x_pack.item[lane]);
// CHECK: template of 1 0
// CHECK: template of 2 0
// CHECK: if (v < 0.0f) return; y[at] = v; };
// CHECK: template of 3 0
// CHECK: if (x[i] < 0.0f) return; y[i] = x[i] * 2.0f; }();
// CHECK: template of 6 0
// CHECK: template of 7 0
// CHECK: if (v < 0.0f) return 0.0f; return v; };
// CHECK: continue;
// CHECK: template of 10 0
// CHECK-NOT: template of
// CHECK-COUNT-4: declined {{loop-unread|shape}} line {{[0-9]+}}
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void chosen(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		auto act = [](float v) { return v > 0 ? v : 0.1f * v; };
		y[i] = act(x[i]);
	}
}
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void halved(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	const float s = 0.25f;
	auto act = [&](float v) { if (v < 0) return 0.0f; return v * s; };
	if (i < n)
		y[i] = act(x[i]);
}
#pragma ktune problem(n = 4096) in(x[n]) inout(y[n])
__global__ void put_where(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	auto put = [&](int at, float v) { if (v < 0.0f) return; y[at] = v; };
	put(i, x[i]);
}
#pragma ktune problem(n = 4096) in(x[n]) inout(y[n])
__global__ void put_in_place(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		[&] { if (x[i] < 0.0f) return; y[i] = x[i] * 2.0f; }();
		y[i] += 1.0f;
	}
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows])
__global__ void sum_of(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float s = 0.0f;
	auto add = [&](float v) { if (v < 0.0f) return; s += v; };
	for (int i = threadIdx.x; i < d; i += 128)
		add(x[blockIdx.x * d + i]);
	part[threadIdx.x] = s;
	__syncthreads();
	for (int w = 64; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows * d])
__global__ void carried(float *y, const float *x, int d)
{
	float last = 0.0f;
	auto next = [&](float v) { last = last * 0.5f + v; return last; };
	for (int i = threadIdx.x; i < d; i += 128)
		y[blockIdx.x * d + i] = next(x[blockIdx.x * d + i]);
}
#pragma ktune problem(n = 4096) in(x[n]) inout(y[n])
__global__ void first_of(float *y, const float *x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		auto find = [&](float v) { for (int k = 0; k < 4; k++) { if (v < k) return k; if (k == 2) continue; } return 7; };
		y[i] = find(x[i] * 6.0f);
	}
}
#pragma ktune problem(n = 4096) in(x[n]) inout(y[n])
__global__ void zero_or(float *y, const float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	auto f = [](float v) { if (v < 0.0f) return 0.0f; return v; };
	if (x[i] < -0.5f)
		return;
	y[i] = f(x[i]) + 1.0f;
}
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void place_of(float *y, const float *x, int n)
{
	auto place = [] { return blockIdx.x * blockDim.x + threadIdx.x; };
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = x[i] + place() % 3;
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]) out(y[rows * d])
__global__ void counted(float *y, const float *x, int d)
{
	int count = 0;
	auto next = [&count](float v) { count++; return v + count; };
	for (int i = threadIdx.x; i < d; i += 128)
		y[blockIdx.x * d + i] = next(x[blockIdx.x * d + i]);
}
#pragma ktune problem(n = 4096; m = 16) in(x[n * m]) out(y[n])
__global__ void sum_of_row(float *y, const float *x, int n, int m)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float s = 0.0f;
	auto add = [&](float v) { if (v < 0.0f) return; s += v; };
	for (int k = 0; k < m; k++)
		add(x[i * m + k]);
	y[i] = s;
}
void run(float *y, const float *x, int n, int rows, int d, int m)
{
	chosen<<<(n + 255) / 256, 256>>>(y, x, n);
	halved<<<(n + 255) / 256, 256>>>(y, x, n);
	put_where<<<(n + 255) / 256, 256>>>(y, x, n);
	put_in_place<<<(n + 255) / 256, 256>>>(y, x, n);
	sum_of<<<rows, 128>>>(y, x, d);
	carried<<<rows, 128>>>(y, x, d);
	first_of<<<(n + 255) / 256, 256>>>(y, x, n);
	zero_or<<<(n + 255) / 256, 256>>>(y, x, n);
	place_of<<<(n + 255) / 256, 256>>>(y, x, n);
	counted<<<rows, 128>>>(y, x, d);
	sum_of_row<<<(n + 255) / 256, 256>>>(y, x, n, m);
}
