// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// RUN: rm -rf %t && mkdir %t && cp -r %s %golden/scan/Inputs %t && touch %t/Inputs/headers/one/never.h
// RUN: %scan %t/header-folders.cu -- -std=c++17 | %FileCheck --check-prefix=NEVER %s
// RUN: touch %t/Inputs/headers/two/never.h && %scan %t/header-folders.cu -- -std=c++17 | %FileCheck --check-prefix=BOTH %s
// The second folder's value.h would be found in the first: it comes in as well. The first one's is found where it was.
// CHECK-DAG: one/same.h","line":6,"column":1,"decline":null
// CHECK-DAG: two/same.h","line":6,"column":1,"decline":null
// CHECK-DAG: {"path":"{{[^"]*}}two/value.h","is_system":false,"includes":[]}
// CHECK-DAG: "absent":[{{.*}}Inputs/headers/one/never.h
// A file that only one of the folders has must not be found from the other: the compiler's other pass may ask for it.
// NEVER-DAG: one/same.h","line":6,"column":1,"decline":"include-ambiguous"
// NEVER-DAG: two/same.h","line":6,"column":1,"decline":"include-ambiguous"
// BOTH-DAG: one/same.h","line":6,"column":1,"decline":"include-ambiguous"
#include "Inputs/headers/one/same.h"
#include "Inputs/headers/two/same.h"
void run(float *y, int n)
{
	in_one<<<1, 64>>>(y, n);
	in_two<<<1, 64>>>(y, n);
}
