// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Extents that a lambda of the function computes: over its parameters and what it captures, by several statements.
// CHECK: "launches":[{
// CHECK-SAME: "grid":["(n + 64 - 1) / 64"],"block":["64"]
// CHECK-SAME: "grid":["(n + 96 - 1) / 96"],"block":["96"]
// CHECK-SAME: "grid":["(n + 127) / 128 > 1024 ? 1024 : (n + 127) / 128"],"block":["128"]
// Set again, with a default argument, of another function, recursive.
// CHECK-SAME: "grid":[],"block":["160"]
// CHECK-SAME: "grid":[],"block":["192"]
// CHECK-SAME: "grid":[],"block":["224"]
#pragma ktune problem(n = 8) out(y[n])
__global__ void k(float *y, int n)
{
	y[0] = n;
}
void run(float *y, int n, int (*given)(int))
{
	auto blocks = [](int m, int b) { return (m + b - 1) / b; };
	k<<<blocks(n, 64), 64>>>(y, n);
	const int threads = 96;
	auto captured = [&](int m) -> int { return (m + threads - 1) / threads; };
	k<<<captured(n), threads>>>(y, n);
	const auto capped = [=] {
		int all = (n + 127) / 128;
		if (all > 1024)
			return 1024;
		return all;
	};
	k<<<capped(), 128>>>(y, n);
	int (*again)(int) = [](int m) { return m / 2; };
	again = given;
	k<<<again(n), 160>>>(y, n);
	auto by_default = [](int m, int b = 192) { return m / b; };
	k<<<by_default(n), 192>>>(y, n);
	auto looped = [](int m) {
		while (m > 9)
			m /= 2;
		return m;
	};
	k<<<looped(n), 224>>>(y, n);
}
