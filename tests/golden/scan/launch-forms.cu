// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "decline":null
// CHECK-SAME: "launches":[{"file":"{{[^"]*}}","line":19,"column":{{[0-9]+}},"decline":null,{{.*}}"levels":[{"text":"LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)","use":[0,0],"callee":[20,26],"open":[26,29],"close":[34,38],"end":[49,50],"list":""}]
// CHECK-SAME: {"file":"{{[^"]*}}","line":20,"column":{{[0-9]+}},"decline":null
// CHECK-SAME: {"file":"{{[^"]*}}","line":21,"column":{{[0-9]+}},"decline":"launch-form"
// CHECK-SAME: {"file":"{{[^"]*}}","line":22,"column":{{[0-9]+}},"decline":null
// CHECK: "name":"run","kernel":"k","qualified":"k","file":"{{[^"]*}}","line":23,"column":1,"decline":"arguments-unknown"
// Which of the overloads a name in a template means is not known before it has an instance, whichever is declared first.
// CHECK: "kernel":"first",{{.*}}"launches":[{"file":"{{[^"]*}}","line":37,{{[^{]*}}"decline":"launch-form"
// CHECK: "kernel":"second",{{.*}}"launches":[{"file":"{{[^"]*}}","line":38,{{[^{]*}}"decline":"launch-form"
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
#pragma ktune problem(n = 8) out(y[n])
template <typename T> __global__ void first(T *y, int n) { y[0] = n; }
template <typename T> __global__ void first(T *y, const T *x, int n) { y[0] = x[n]; }
template <typename T> __global__ void second(T *y, const T *x, int n) { y[0] = x[n]; }
#pragma ktune problem(n = 8) out(y[n])
template <typename T> __global__ void second(T *y, int n) { y[0] = n; }
template <typename T> void both(T *y, int n)
{
	first<T><<<1, 32>>>(y, n);
	second<T><<<1, 32>>>(y, n);
}
template void both<float>(float *, int);
