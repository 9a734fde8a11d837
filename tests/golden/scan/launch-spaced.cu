// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Brackets of a launch that a formatter has taken apart, which nvcc takes and libclang does not.
// CHECK: "decline":null
// CHECK-SAME: "grid":["(n + 255) / 256"],"block":["256"]
// CHECK-SAME: "grid":["(n + 127) / 128"],"block":["128"]
// CHECK-SAME: "grid":["n"],"block":["64"]
// CHECK-SAME: "grid":["n"],"block":["32","1","1"]
#include <iostream>
template <typename T> struct list;
template <typename T> std::ostream &operator<< <>(std::ostream &, list<T> *);
template <typename T> struct list {
	list<list<T> > *next;
	friend std::ostream &operator<< <>(std::ostream &, list<T> *);
};
#pragma ktune problem(n = 8) out(y[n])
__global__ void k(float *y, int n) { y[0] = n; }
void run(float *y, int n, list<list<int> > *l)
{
	k << <(n + 255) / 256, 256 >> > (y, n);
	k<< <(n + 127) / 128, 128>>>(y, n);
	k<<<n, 64>>	>(y, n);
	k <<  < n, {32, 1, 1}>> > (y, n);
	std::cout << "k << <1, 2>> >(3)" << l << 1;
}
