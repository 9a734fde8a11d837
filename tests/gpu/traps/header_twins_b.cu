// Part of header_twins.
// entry: scale BLOCK=256
// entry: shift BLOCK=128
// expect: scale variant=[1-9][0-9]* original=0
// expect: shift variant=1 original=0
#include "header_twins.cuh"
void other(float *y, int n)
{
	twins::scale_all(y, n);
	twins::scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, 5.0f, n);
	twins::shift_all(y, n);
}
