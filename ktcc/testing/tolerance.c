#include "testing/testing.h"

/* docs/verification.md explains where the figures come from. */
static const struct {
	enum kt_scalar scalar;
	double absolute, relative;
} tolerances[] = {
    {KT_F64, 1e-12, 1e-12},
    {KT_F32, 1e-5, 1e-4},
    {KT_F16, 1e-3, 4e-3},
    {KT_BF16, 1e-2, 1.6e-2},
};

void kt_tolerance_default(double *absolute, double *relative, enum kt_scalar scalar)
{
	*absolute = *relative = 0;
	for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
		if (tolerances[i].scalar == scalar) {
			*absolute = tolerances[i].absolute;
			*relative = tolerances[i].relative;
		}
	}
}
