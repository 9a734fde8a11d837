// One header in two units with different configurations: static, template and plain inline functions around them.
// with: header_twins_b.cu
// also: -rdc=true
// entry: scale BLOCK=64
// entry: shift BLOCK=32
// expect: scale variant=[1-9][0-9]* original=0
// expect: shift variant=2 original=0
#include "header_twins.cuh"
#include "trap.h"
void other(float *y, int n);
int main()
{
	float *y = filled<float>(1000);
	twins::scale_all(y, 1000);
	twins::scale<<<(1000 + BLOCK - 1) / BLOCK, BLOCK>>>(y, 3.0f, 1000);
	twins::shift_all(y, 1000);
	twins::shift_all(y, 999);
	other(y, 1000);
	std::printf("calls %d\n", twins::calls());
	show("y", y, 1000);
}
