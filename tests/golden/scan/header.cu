// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "file":"{{[^"]*}}Inputs/region.h","line":1,"column":1,"decline":"region-in-header"
// CHECK: "files":["{{[^"]*}}header.cu","{{[^"]*}}Inputs/region.h"]
#include "Inputs/region.h"
