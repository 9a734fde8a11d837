// A region's header that reads another one several times, with macros that end before the source goes on.
// entry: table BLOCK=64
// expect: table variant=1 original=1 \(guard=0 geometry=1
#include "header_repeated.cuh"
#include "trap.h"
int main()
{
	float *y = filled<float>(1000);
	table_all(y, 1000);
	table<<<1000, 1>>>(y, 1000);
	show("y", y, 1000);
}
