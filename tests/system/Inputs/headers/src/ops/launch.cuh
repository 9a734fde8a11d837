#ifndef OPS_LAUNCH_CUH
#define OPS_LAUNCH_CUH
#include "local.h"
#include \
    <k.cuh> // with a comment behind
#warning look here
inline const char *launch_file() { return __FILE__; }
inline int launch_line() { return __LINE__; }
inline void scale_all(float *y, int n)
{
	scale<<<blocks(n, BLOCK), BLOCK>>>(y, 2.0f, n);
}
#endif
