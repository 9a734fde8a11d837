// A header of a library found by -isystem, with warnings that only a system header may have; -Werror.
// flags: -isystem header_system -Xcompiler=-Wall,-Werror -Werror=all-warnings
// entry: mix BLOCK=64
// expect: mix variant=2 original=0
#include <mix.cuh>
#include "trap.h"
int main()
{
	float *y = filled<float>(1000);
	lib::mix_all(y, 1000);
	lib::mix_all(y, 1001 - 1);
	show("y", y, 1000);
}
