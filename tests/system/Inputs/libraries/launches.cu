#include "scale.h"

extern "C" void RUN(float *y, const float *x, int n)
{
	scale<<<(n + 127) / 128, 128>>>(y, x, n);
}
