// RUN: %ktcc-clang lower --toolkit %toolkit --arch 90 --file %s -- -std=c++17 | grep '^; kernel' | %FileCheck %s
// Kernels with cooperative groups are understood as those with thread indices and shuffles.
// CHECK: kernel rows {{.*}}: 0 opaque
// CHECK: kernel parts {{.*}}: 0 opaque
// CHECK: kernel block {{.*}}: 0 opaque
// CHECK: kernel all {{.*}}: 0 opaque
// CHECK: kernel planes {{.*}}: 0 opaque
// A rank in the grid is an index along x where the launch has one dimension.
// RUN: python3 %S/Inputs/serve.py %ktcc-clang %toolkit %s generate -- -std=c++17 | %FileCheck --check-prefix=OFFER %s
// OFFER: template of 3/0 by ir: read_only, items, block_size, launch_bounds
// What the toolkit accepts these headers accept, and the reverse.
// RUN: nvcc -arch=sm_90 -std=c++17 -ptx -o /dev/null %s
// RUN: nvcc -arch=sm_90 -std=c++17 -ptx -o /dev/null -I %prefix/share/ktcc/groups %s
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

#pragma ktune problem((n, c) = (64, 96), (256, 512)) in(x[n * c], w[c]) out(y[n * c])
__global__ void rows(float *y, const float *x, const float *w, int n, int c)
{
	cg::thread_block b = cg::this_thread_block();
	cg::thread_block_tile<32> t = cg::tiled_partition<32>(b);
	int r = blockIdx.x * t.meta_group_size() + t.meta_group_rank();
	if (r >= n)
		return;
	float sum = 0;
	for (int i = t.thread_rank(); i < c; i += t.size())
		sum += x[r * c + i] * x[r * c + i];
	sum = cg::reduce(t, sum, cg::plus<float>{});
	for (int i = t.thread_rank(); i < c; i += t.num_threads())
		y[r * c + i] = x[r * c + i] * rsqrtf(sum / c + 1e-5f) * w[i];
}
#pragma ktune problem(n = 1024, 8192) in(x[n]) out(y[n / 8])
__global__ void parts(int *y, const int *x, int n)
{
	auto t = cg::tiled_partition<8>(cg::this_thread_block());
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	int v = i < n ? x[i] : 0;
	v = cg::reduce(t, v, cg::greater<int>());
	v += t.shfl(v, 0) + t.shfl_up(v, 1) + t.shfl_down(v, 2);
	v += t.ballot(v > 3) + t.any(v > 100) + t.all(v > 0);
	t.sync();
	if (t.thread_rank() == 7 && i < n)
		y[i / 8] = v;
}
#pragma ktune problem(n = 16, 300) in(x[n * 128]) out(y[n])
__global__ void block(float *y, const float *x, int n)
{
	__shared__ float part[4];
	const auto b = cg::this_thread_block();
	const auto t = cg::tiled_partition<32>(b);
	const auto u = cg::tiled_partition<4>(t);
	float v = x[b.group_index().x * b.size() + b.thread_rank()];
	v = cg::reduce(t, v, cg::plus<float>());
	if (t.thread_rank() == 0)
		part[t.meta_group_rank()] = v + u.meta_group_rank() + u.meta_group_size();
	b.sync();
	if (b.thread_index().x == 0)
		y[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
#pragma ktune problem(n = 1000, 8192) in(x[n]) out(y[n])
__global__ void all(int *y, const int *x, int n)
{
	auto i = cg::this_grid().thread_rank();
	if (i >= n)
		return;
	y[i] = 2 * x[i];
}
#pragma ktune problem((n, m) = (100, 3), (4096, 5)) in(x[n * m]) out(y[n * m])
__global__ void planes(float *y, const float *x, int n, int m)
{
	cg::grid_group g = cg::this_grid();
	for (auto i = g.thread_rank(); i < (unsigned long long)n * m; i += g.size())
		y[i] = x[i] + g.group_dim().x + g.block_rank() % 2;
}
void run(float *y, const float *x, const float *w, int *a, const int *b, int n, int c)
{
	all<<<(n + 255) / 256, 256>>>(a, b, n);
	planes<<<dim3((n + 31) / 32, c), dim3(8, 4)>>>(y, x, n, c);
	rows<<<(n * 32 + 127) / 128, 128>>>(y, x, w, n, c);
	parts<<<(n + 127) / 128, 128>>>(a, b, n);
	block<<<n, 128>>>(y, x, n);
}
