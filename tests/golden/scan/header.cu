// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// RUN: cd %golden/scan && %scan header.cu -- -std=c++17 -IInputs/headers | %FileCheck --check-prefix=SPELLED %s
// Offsets are into the text with the header in it; positions are the user's.
// CHECK: "name":"outer","kernel":"outer"{{.*}}"file":"{{[^"]*}}Inputs/headers/outer.h","line":3,"column":1,"decline":null
// CHECK-SAME: "launches":[{"file":"{{[^"]*}}Inputs/headers/low/launch.h","line":5,"column":2,"decline":null
// CHECK-SAME: {"file":"{{[^"]*}}header.cu","line":24,"column":2,"decline":null
// CHECK-SAME: "name":"in_main"{{.*}}"file":"{{[^"]*}}header.cu","line":16,"column":1,"decline":null
// CHECK-SAME: "files":["{{[^"]*}}header.cu"
// CHECK-SAME: "text":[{"path":"{{[^"]*}}header.cu","is_system":false,"includes":[{"range":[{{[0-9]+,[0-9]+}}],"file":1,"entered":true},{"range":[{{[0-9]+,[0-9]+}}],"file":2,"entered":true},{"range":[{{[0-9]+,[0-9]+}}],"file":1,"entered":false}]}
// CHECK-SAME: {"path":"{{[^"]*}}Inputs/headers/outer.h","is_system":false,"includes":[]}
// CHECK-SAME: {"path":"{{[^"]*}}Inputs/headers/low/launch.h","is_system":false,"includes":[{"range":[{{[0-9]+,[0-9]+}}],"file":1,"entered":false}]}
// As the compiler spells them.
// SPELLED: "files":["header.cu",{{.*}}"Inputs/headers/outer.h","Inputs/headers/low/launch.h"]
#include "Inputs/headers/outer.h"
#include "Inputs/headers/low/launch.h"
#pragma ktune problem(n = 64) out(y[n])
__global__ void in_main(float *y, int n) { y[threadIdx.x] = n; }
#ifdef NEVER
#include "Inputs/headers/outer.h"
#endif
void run(float *y, int n)
{
	in_main<<<1, 64>>>(y, n);
	outer<<<1, 64>>>(y, n);
}
