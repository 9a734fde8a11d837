#include "ops/launch.cuh"
#include "link.cuh"
#include <shift.cuh>
#if __has_include(<k.cuh>)
#include <k.cuh>
#endif
#ifdef NEVER
#include "ops/launch.cuh"
#endif
const char *other_file();
// The program of one of ktune's tests.
int main(int argc, char **argv)
{
	float *x = nullptr;
	double *y = nullptr;
	if (argc > 1) {
		scale_all(x, 1000);
		scale<double><<<blocks(1000, BLOCK), BLOCK>>>(y, 2.0, 1000);
		sys::shift_all(nullptr, 1000);
	}
	return other_file()[0] == config_file()[0] && argv != nullptr && __LINE__ == 21 ? 0 : 1;
}
