// RUN: python3 %S/Inputs/serve.py %ktcc-clang %toolkit %s generate -- -std=c++17 > %t
// RUN: %FileCheck %s < %t

// A product of matrices by tiles. One template has the parameters of both kernels, with and without shared memory.
// CHECK: template of 0/0 by ir: unstage, read_only, blocks, loop_unroll, launch_bounds, product
// CHECK: UNSTAGE [0, 1] original 0: 1: what is kept in shared memory is loaded again
// CHECK: restriction UNSTAGE == 0 || (TM == 0 || TM * TN >= 4)
// CHECK: restriction UNSTAGE == 0 || (TM != 0)
// CHECK: restriction UNSTAGE == 0 || BLOCKS == 1
// CHECK: restriction UNSTAGE == 1 || TM == 0
// CHECK: restriction UNSTAGE == 1 || BX == 16
// CHECK: guard UNSTAGE == 0 || (TM == 0 || (n / 16) * (16) % (BY * TM) == 0)
// CHECK: guard UNSTAGE == 0 || (disjoint(a, n * n, c, n * n))
// CHECK: ['UNSTAGE == 1 ? (TM == 0 ? (16) : (BX)) : (16)', 'UNSTAGE == 1 ? (TM == 0 ? (16) : (BY)) : (16)', '1']
#pragma ktune problem(n = 256, 1024) in(a[n * n], b[n * n]) out(c[n * n])
__global__ void product(float *c, const float *a, const float *b, int n)
{
	__shared__ float rows[16][16], columns[16][17];
	const int y = blockIdx.y * 16 + threadIdx.y, x = blockIdx.x * 16 + threadIdx.x;
	float sum = 0;

	for (int k = 0; k < n; k += 16) {
		rows[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
		columns[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
		__syncthreads();
		for (int i = 0; i < 16; i++)
			sum += rows[threadIdx.y][i] * columns[i][threadIdx.x];
		__syncthreads();
	}
	c[y * n + x] = sum;
}

void multiply(float *c, const float *a, const float *b, int n)
{
	product<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(c, a, b, n);
}

// CHECK: template of 1/0 by ir: unstage, items, block_size, blocks, loop_vector, loop_unroll, team, launch_bounds
// CHECK: UNSTAGE == 1 ? 0 : (256 * 4)>>>
// Pieces of an input, of which the last one is not whole, in shared memory whose size the launch gives.
#pragma ktune problem(n = 1000, 16384) in(p[n]: uniform(0, 1)) out(f[n])
__global__ void forces(float *__restrict__ f, const float *__restrict__ p, int n)
{
	extern __shared__ float piece[];
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	const float own = i < n ? p[i] : 0;
	float force = 0;

	for (int first = 0; first < n; first += 256) {
		if (first + threadIdx.x < n)
			piece[threadIdx.x] = p[first + threadIdx.x];
		__syncthreads();
		for (int j = 0; j < min(256, n - first); j++)
			force += 1 / (1 + (piece[j] - own) * (piece[j] - own));
		__syncthreads();
	}
	if (i < n)
		f[i] = force;
}

void attract(float *f, const float *p, int n)
{
	forces<<<(n + 255) / 256, 256, 256 * sizeof(float)>>>(f, p, n);
}

// A line with neighbours on both sides.
// CHECK: template of 2/0 by ir: unstage, read_only, items, block_size,
// CHECK: 'UNSTAGE == 1 ? (ceil_div((ceil_div((n + 127) / 128, ITEMS)) * 128, BLOCK)) : (ceil_div((n + 127) / 128, BLOCKS))'
#pragma ktune problem(n = 65536, 1000000) in(x[n]) out(y[n])
__global__ void neighbours(int *y, const int *x, int n)
{
	__shared__ int line[128 + 6];
	const int i = blockIdx.x * 128 + threadIdx.x;
	int sum = 0;

	for (int j = threadIdx.x; j < 128 + 6; j += 128) {
		const int at = blockIdx.x * 128 + j - 3;
		line[j] = at >= 0 && at < n ? x[at] : 0;
	}
	__syncthreads();
	for (int k = 0; k < 7; k++)
		sum += line[threadIdx.x + k] * k;
	if (i < n)
		y[i] = sum;
}

void smooth(int *y, const int *x, int n)
{
	neighbours<<<(n + 127) / 128, 128>>>(y, x, n);
}

// One value for the block.
// CHECK: template of 3/0 by ir: unstage, read_only, items, blocks, launch_bounds
// CHECK: line {{[0-9]+}}: block_size does not apply: the kernel has shared memory; without shared memory: line {{[0-9]+}}: threads of a block differ by more than their global index
#pragma ktune problem(blocks = 64, 4096) inout(v[blocks * 512]) in(u[blocks])
__global__ void add_of_block(float *v, const float *u)
{
	__shared__ float of_block;

	if (threadIdx.x == 0)
		of_block = u[blockIdx.x];
	__syncthreads();
	v[blockIdx.x * 512 + threadIdx.x] += of_block;
	v[blockIdx.x * 512 + threadIdx.x + 256] += of_block;
}

void add(float *v, const float *u, int blocks)
{
	add_of_block<<<blocks, 256>>>(v, u);
}
