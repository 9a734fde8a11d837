// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Where one access moves with the items and another with their rows, neighbouring threads take squares of items.
// CHECK: template of 0
// CHECK: parameter TILE 0 4 8 16 32
// CHECK: restriction TILE == 0 || VEC == 1
// CHECK: guard TILE == 0 || (columns) > 0 && (columns) % TILE == 0 && (rows * columns) <= 1073740800 && (rows * columns) % ((columns) * TILE) == 0
// CHECK: strategy tile
// CHECK: for (int ${if TILE}i_item${else}i${end} =
// CHECK: {{^ *}}${if TILE}{{$}}
// CHECK-NEXT: const unsigned square = (unsigned)i_item / ${= TILE * TILE}, across = (unsigned)(columns) / ${TILE};
// CHECK-NEXT: const int i = (square / across * ${TILE} + (unsigned)i_item / ${TILE} % ${TILE}) * (unsigned)(columns) +
// CHECK-NEXT: square % across * ${TILE} + (unsigned)i_item % ${TILE};
// CHECK: template of 1
// CHECK: parameter TILE
// CHECK: guard TILE == 0 || (h * w) > 0
// CHECK: template of 2
// CHECK: parameter TILE
// CHECK: guard TILE == 0 || (c) > 0
// A bias of each row, and what moves with the items on both sides: nothing to gain.
// CHECK: template of 3
// CHECK-NOT: parameter TILE
// CHECK: template of 4
// CHECK-NOT: parameter TILE
#pragma ktune problem((rows, columns) = (512, 1024), (1000, 40)) in(x[rows * columns]) out(y[rows * columns])
__global__ void turned(float *__restrict__ y, const float *__restrict__ x, int rows, int columns)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < rows * columns)
		y[(i % columns) * rows + i / columns] = 2 * x[i];
}
void run0(float *y, const float *x, int rows, int columns)
{
	turned<<<(rows * columns + 255) / 256, 256>>>(y, x, rows, columns);
}
// Channels last, and back.
#pragma ktune problem(n = 2; c = 64; h = 28; w = 32) in(x[n * c * h * w]) out(y[n * c * h * w])
__global__ void channels_last(short *__restrict__ y, const short *__restrict__ x, int n, int c, int h, int w)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * c * h * w; i += gridDim.x * blockDim.x) {
		int at = i % (h * w), channel = i / (h * w) % c, image = i / (h * w) / c;
		y[(image * h * w + at) * c + channel] = x[i];
	}
}
void run1(short *y, const short *x, int n, int c, int h, int w) { channels_last<<<64, 256>>>(y, x, n, c, h, w); }
#pragma ktune problem(n = 2; c = 64; hw = 896) in(x[n * c * hw]) out(y[n * c * hw])
__global__ void channels_first(short *__restrict__ y, const short *__restrict__ x, int n, int c, int hw)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n * c * hw)
		return;
	int channel = i % c, at = i / c % hw, image = i / (c * hw);
	y[(image * c + channel) * hw + at] = x[i];
}
void run2(short *y, const short *x, int n, int c, int hw)
{
	channels_first<<<(n * c * hw + 127) / 128, 128>>>(y, x, n, c, hw);
}
#pragma ktune problem(rows = 512; d = 1024) in(x[rows * d], bias[rows]) out(y[rows * d])
__global__ void biased(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ bias, int rows, int d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < rows * d)
		y[i] = x[i] + bias[i / d];
}
void run3(float *y, const float *x, const float *bias, int rows, int d)
{
	biased<<<(rows * d + 255) / 256, 256>>>(y, x, bias, rows, d);
}
#pragma ktune problem(rows = 512; d = 1024) in(x[rows * d]) out(y[rows * 2 * d])
__global__ void apart(float *__restrict__ y, const float *__restrict__ x, int rows, int d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < rows * d)
		y[i / d * 2 * d + i % d] = x[i];
}
void run4(float *y, const float *x, int rows, int d) { apart<<<(rows * d + 255) / 256, 256>>>(y, x, rows, d); }
