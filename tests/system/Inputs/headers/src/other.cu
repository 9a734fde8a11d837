#include <shift.cuh>
#include "ops/launch.cuh"
void other(float *y, int *z, int n)
{
	scale_all(y, n);
	sys::shift_all(z, n);
}
const char *other_file() { return config_file(); }
