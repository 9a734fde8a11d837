// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "decline":null
// CHECK-SAME: "launches":[{"file":"{{[^"]*}}","line":16,"column":{{[0-9]+}},"decline":"launch-in-macro"
// CHECK-SAME: {"file":"{{[^"]*}}","line":17,"column":{{[0-9]+}},"decline":null
// CHECK-SAME: {"file":"{{[^"]*}}","line":18,"column":{{[0-9]+}},"decline":"launch-form"
// CHECK-SAME: {"file":"{{[^"]*}}","line":19,"column":{{[0-9]+}},"decline":null
// CHECK: "name":"run","kernel":"k","qualified":"k","file":"{{[^"]*}}","line":20,"column":1,"decline":"arguments-unknown"
#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)
#define RUN(...) __VA_ARGS__
#pragma ktune problem(n = 8) out(y[n]) \
	grid(1) block(32)
__global__ void k(float *y, int n) { y[0] = n; }
void run(float *y, int n)
{
	auto lambda = [&] {
		LAUNCH(k, y, n);
		RUN(k<<<1, 32>>>(y, n);)
		(k)<<<1, 32>>>(y, n);
		k<<<1, 32>>>(y, n); };
#pragma ktune problem(n = 8)
	{
		k<<<1, 32>>>(y, n);
	}
	lambda();
}
