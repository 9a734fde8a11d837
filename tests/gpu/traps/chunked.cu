// A chunked launch: the local `rows` is the whole tensor's, the grid is the chunk's.
// entry: k BLOCK=64
// expect: k variant=1 original=2 \(guard=0 geometry=2
#include "trap.h"
#define BLOCK 128
#pragma ktune problem(rows = 4, 64; d = 256) inout(y[rows * d]) tune(BLOCK = 64, 128, 256) grid(rows) block(BLOCK)
__global__ void k(float *y, int d)
{
	for (int i = threadIdx.x; i < d; i += BLOCK)
		y[(long)blockIdx.x * d + i] += blockIdx.x + i;
}
static void all(float *y, int rows, int d) { k<<<rows, BLOCK>>>(y, d); }
static void halves(float *y, int rows, int d)
{
	int chunk = rows / 2;
	for (int at = 0; at < rows; at += chunk)
		k<<<chunk, BLOCK>>>(y + (long)at * d, d);
}
int main()
{
	float *y = filled<float>(64 * 256);
	all(y, 64, 256);
	halves(y, 64, 256);
	show("y", y, 64 * 256);
}
