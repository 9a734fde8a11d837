// RUN: %scan %s -- -std=c++17 -include %golden/scan/Inputs/headers/forced.h -I %golden/scan/Inputs/headers/low | %FileCheck %s
// Why a region in a header is left unmodified; another header is not kept from it.
// CHECK-DAG: forced.h","line":1,"column":1,"decline":"header-from-command-line"
// CHECK-DAG: twice.h","line":1,"column":1,"decline":"header-read-twice"
// CHECK-DAG: next.h","line":2,"column":1,"decline":"include-next"
// CHECK-DAG: computed.h","line":1,"column":1,"decline":"computed-include"
// CHECK-DAG: outer.h","line":3,"column":1,"decline":null
// CHECK-DAG: header-declines.cu","line":16,"column":1,"decline":null
#define NAME first
#include "Inputs/headers/twice.h"
#define NAME second
#include "Inputs/headers/twice.h"
#include "Inputs/headers/next.h"
#define COMPUTED "Inputs/headers/computed.h"
#include COMPUTED
#pragma ktune problem(n = 64) out(y[n])
__global__ void in_main(float *y, int n) { y[threadIdx.x] = n; }
#include "Inputs/headers/outer.h"
void run(float *y, int n)
{
	in_main<<<1, 64>>>(y, n);
	outer<<<1, 64>>>(y, n);
	in_computed<<<1, 64>>>(y, n);
	in_next<<<1, 64>>>(y, n);
	first<<<1, 64>>>(y, n);
	in_forced<<<1, 64>>>(y, n);
}
