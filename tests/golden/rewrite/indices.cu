// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Ways to write one index a thread: all of them are a loop over the indices.
#define THREADS 256
#define WIDTH 1024
#define BOUND(size, variable) size
#define END BOUND(WIDTH, width)

// Blocks of a grid in two dimensions that are numbered through.
// CHECK: template of 0 0
// CHECK: guard ((blocks) * (2)) * (256) >= (n)
// CHECK: strategy vectorize
// CHECK: for (int i_group = ((long long)blockIdx.x * ${BLOCK} + threadIdx.x) * ${VEC};
#pragma ktune problem((n, blocks) = (65536, 128)) inout(y[n]) grid(blocks, 2) block(256)
__global__ void numbered(float *y, int n)
{
	int i = (blockIdx.x + blockIdx.y * gridDim.x) * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] += 1.0f;
}
// The index is taken apart in place: each turn of the loop has its own.
// CHECK: template of 1 0
// CHECK: for (int i_all = (long long)blockIdx.x * ${BLOCK} + threadIdx.x; i_all < n * planes;
// CHECK-NEXT: int i = i_all;
// CHECK: i /= n;
#pragma ktune problem((planes, n) = (64, 4096)) inout(y[planes * n]) in(bias[planes])
__global__ void apart(float *y, const float *bias, int planes, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n * planes)
		return;
	int at = i % n;
	i /= n;
	y[i * n + at] += bias[i];
}
// Names for blockIdx and threadIdx; a bound of another type; values that are made ready before the bound is asked.
// CHECK: template of 2 0
// CHECK: strategy geometry
// CHECK: for (int at = (long long)blockIdx.x * ${BLOCK} + threadIdx.x; at < n;
// CHECK: row = at % ${if RECIPROCALS}divisor0${else}rows${end};
// CHECK: if (at < n)
#pragma ktune problem((rows, n) = (64, 4096)) in(x[rows]) inout(y[n])
__global__ void named(float *y, const float *x, int rows, long n)
{
	int bx = blockIdx.x;
	int tx = threadIdx.x;
	int at = bx * THREADS + tx;
	int row;
	row = at % rows;
	if (row == 0)
		row = rows - 1;
	if (at < n)
		y[at] *= x[row];
}
// Nothing asks for a bound: the launch has exactly so many threads.
// CHECK: template of 3 0
// CHECK-NOT: guard {{.*}}>=
// CHECK: grid {{.*}}ceil_div(256 * ((rows * n) / (256)), BLOCK
// CHECK: i_count = 256LL * (((long long)rows * n) / (256))
#pragma ktune problem((rows, n) = (64, 4096)) inout(y[rows * n]) grid(rows * n / 256) block(256)
__global__ void exact(float *y, int rows, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	y[i] += 1.0f;
}
// A plane: what is not its border, with bounds from macros.
// CHECK: template of 4 0
// CHECK: parameter ROWS
// CHECK: y < 1023
// CHECK: if (y > 0 && x >= 1)
#pragma ktune problem(width = 1024) in(from[width * width]) out(to[width * width]) grid(width / 32, width / 8) block(32, 8)
__global__ void border(float *__restrict__ to, const float *__restrict__ from, int width)
{
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	float a, b;
	a = 0.5f;
	b = 0.25f;
	if ((y < (END - 1)) && (x < END - 1) && y > 0 && x >= 1)
		to[y * WIDTH + x] = a * from[y * WIDTH + x] + b * (from[y * WIDTH + x - 1] + from[(y - 1) * WIDTH + x]);
}
// A plane of exactly as many threads in one dimension.
// CHECK: template of 5 0
// CHECK: parameter ROWS
#pragma ktune problem((rows, columns) = (512, 1000)) inout(y[rows * columns]) grid(rows, ceil_div(columns, 32)) block(1, 32)
__global__ void half_bounded(float *y, int rows, int columns)
{
	const int column = blockDim.y * blockIdx.y + threadIdx.y;
	const int row = blockDim.x * blockIdx.x + threadIdx.x;
	if (column >= columns)
		return;
	y[row * columns + column] *= 2.0f;
}
// What the launch has is no expression of the arguments.
// CHECK: declined bound-unknown line [[# @LINE + 4]]
#pragma ktune problem(n = 65536) inout(y[n]) grid(n / 256) block(256) bind(n = count)
__global__ void hidden(float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	y[i] += 1.0f;
}
// Where a reason can be shown on a line, it is.
// CHECK: declined shared-used line [[# @LINE + 4]] threads exchange data in shared memory
#pragma ktune problem(width = 1024) in(from[width * width]) out(to[width * width]) grid(width / 16, width / 16) block(16, 16)
__global__ void tiled(float *to, const float *from, int width)
{
	__shared__ float tile[16][17];
	int bx = blockIdx.x, by = blockIdx.y;
	tile[threadIdx.y][threadIdx.x] = from[(by * 16 + threadIdx.y) * width + bx * 16 + threadIdx.x];
	__syncthreads();
	to[(bx * 16 + threadIdx.y) * width + by * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
// CHECK: declined shape line [[# @LINE + 4]] the launch has more than one thread along y, and all of them do the same: no index uses that dimension
#pragma ktune problem(n = 4096) inout(y[n]) grid(n / 32) block(32, 8)
__global__ void same(float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = 1.0f;
}
// CHECK: declined no-shared-loop line [[# @LINE + 5]] {{.*}}first index and step
#pragma ktune problem(n = 4096) inout(y[n]) grid(16) block(256)
__global__ void strided(float *y, int n)
{
	const int step = __mul24(blockDim.x, gridDim.x);
	for (int i = __mul24(blockDim.x, blockIdx.x) + threadIdx.x; i < n; i += step)
		y[i] += 1.0f;
}
void run(float *y, const float *x, int rows, int n, int count, int blocks)
{
	numbered<<<dim3(blocks, 2), 256>>>(y, n);
	apart<<<(rows * n + 255) / 256, 256>>>(y, x, rows, n);
	named<<<(n + 255) / 256, 256>>>(y, x, rows, n);
	exact<<<rows * n / 256, 256>>>(y, rows, n);
	border<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(y, x, n);
	half_bounded<<<dim3(rows, (n + 31) / 32), dim3(1, 32)>>>(y, rows, n);
	hidden<<<count / 256, 256>>>(y);
	tiled<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(y, x, n);
	same<<<n / 32, dim3(32, 8)>>>(y, n);
	strided<<<16, 256>>>(y, n);
}
// A dimension that the kernel uses in another form is not called unused.
// CHECK: declined shape line [[# @LINE + 5]] 'threadIdx.y' is not part of an index that numbers all threads along y, such as blockIdx.y * blockDim.y + threadIdx.y
#pragma ktune problem(h = 32, 64; w = 64) in(x[h * w]) out(y[h * w])
__global__ void strided_rows(float *y, const float *x, int h, int w)
{
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	for (int r = threadIdx.y; r < h; r += blockDim.y)
		if (c < w)
			y[r * w + c] = x[r * w + c] * 2.0f;
}
void run_rows(float *y, const float *x, int h, int w) { strided_rows<<<dim3((w + 15) / 16), dim3(16, 16)>>>(y, x, h, w); }
