// Names of the user that meet names of the dispatcher: macros and locals called min, launch, binding, geometry, ktune.
// entry: k BLOCK=64
// expect: k variant=1 original=0
#include "trap.h"
#define BLOCK 128
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
namespace user
{
namespace ktune
{
struct launch {
};
} // namespace ktune
struct geometry {
};
#pragma ktune problem(rows = 8; d = 100) inout(y[rows * d]) tune(BLOCK = 64, 128) grid(min(rows, max(8, d))) block(BLOCK)
__global__ void k(float *y, int rows, int d)
{
	for (int i = threadIdx.x; i < d; i += BLOCK)
		y[blockIdx.x * d + i] += 1;
}
void run(float *y, int rows, int d)
{
	int launch = rows, binding = d;
	k<<<min(rows, max(8, d)), BLOCK>>>(y, launch, binding);
}
} // namespace user
int main()
{
	float *y = filled<float>(800);
	user::run(y, 8, 100);
	show("y", y, 800);
}
