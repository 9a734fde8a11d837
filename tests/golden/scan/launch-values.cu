// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// RUN: %ktcc scan %s -- -std=c++17 -arch=sm_90 | %FileCheck --check-prefix=TEXT %s
// Scalars that no clause gives have the values that a launch passes: numbers by whatever name, expressions over problem variables.
// CHECK: "name":"all"
// CHECK-SAME: "values":[{"name":"total","argument":2,"text":"rows * d","number":0,"integral":true,"integer":0,"expression":"rows * d"},{"name":"s","argument":3,"text":"0.125","number":0.125,"integral":false,"integer":0}
// CHECK-SAME: {"name":"m","argument":7,"text":"4","number":4,"integral":true,"integer":4}
// TEXT: all (kernel all)
// TEXT: value total = rows * d
// TEXT-NEXT: value s = 0.125
// TEXT-NEXT: value eps = 1e-05
// TEXT-NEXT: value h = 0.5
// TEXT-NEXT: value flag = true
// TEXT-NEXT: value m = 4
// TEXT-NEXT: value stride = d * 4
// TEXT-NEXT: value neg = -1
// TEXT-NEXT: value q = -2.5
#define EPS 1e-5f
constexpr float kScale = 0.125f;
enum mode { MODE_A = 3, MODE_B };
namespace n {
const double half = 0.5;
}
#pragma ktune problem((rows, d) = (128, 512), (512, 512)) inout(x[rows * d])
__global__ void all(float *x, int rows, long total, float s, float eps, double h, bool flag, int m, unsigned stride, int neg, float q)
{
	long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < total)
		x[i] = x[i] * s + eps + h * flag + m + stride + neg + q;
}
void call_all(float *x, int rows, int d)
{
	float local = -2.5f;
	const auto q = local;
	all<<<(rows * d + 255) / 256, 256>>>(x, rows, (long)rows * d, kScale, EPS, n::half, true, MODE_B, d * sizeof(float), -1, q);
}

// A clause counts before what a launch passes, and the geometry may follow from either.
// TEXT: clause (kernel clause)
// TEXT: value scale = 3.0f
// TEXT-NEXT: value total = 2 * n
#pragma ktune problem(n = 1024, 4096) inout(x[2 * n]) value(scale = 3.0f)
__global__ void clause(float *x, int total, float scale)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < total)
		x[i] *= scale;
}
void call_clause(float *x, int n)
{
	int total = 2 * n;
	auto run = [&] { clause<<<(total + 127) / 128, 128>>>(x, total, 1.0f); };
	run();
}

// Of several launches the one that tells most.
// TEXT: several (kernel several)
// TEXT: value shift = 5
// TEXT-NEXT: value scale = 2
#pragma ktune problem(n = 1024, 4096) inout(x[n])
__global__ void several(float *x, int n, int shift, float scale)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = x[i] * scale + shift;
}
void call_several(float *x, int n, int shift, float scale)
{
	several<<<(n + 127) / 128, 128>>>(x, n, shift, scale);
	several<<<(n + 127) / 128, 128>>>(x, n, 7, scale);
	several<<<(n + 127) / 128, 128>>>(x, n, 5, 2.f);
}

// A fraction that no launch tells is assumed, and named as such; the others are known.
// TEXT: unknown (kernel unknown)
// TEXT-NOT: declined
// TEXT: value shift = 7
// TEXT-NEXT: value scale = 0.5, which no clause and no launch tells
#pragma ktune problem(n = 1024, 4096) inout(x[n])
__global__ void unknown(float *x, int n, int shift, float scale)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = x[i] * scale + shift;
}
void call_unknown(float *x, int n, const float *scales)
{
	for (float scale = scales[0]; scale < 2; scale *= 1.5f)
		unknown<<<(n + 127) / 128, 128>>>(x, n, 7, scale);
}

// One that changes before the launch has no single value.
// TEXT: changed (kernel changed)
// TEXT-NEXT: declined: arguments-unknown: {{.*}}line [[#@LINE+12]] passes 'shift'
#pragma ktune problem(n = 1024, 4096) inout(x[n])
__global__ void changed(float *x, int n, int shift)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] += shift;
}
void call_changed(float *x, int n)
{
	int shift = 1;
	for (int step = 0; step < 4; step++) {
		changed<<<(n + 127) / 128, 128>>>(x, n, shift);
		shift++;
		changed<<<(n + 127) / 128, 128>>>(x, n, shift);
	}
}

// A parameter of the host that calls pass: a kernel has any of them. Recursion has an end.
// TEXT: passed (kernel passed)
// TEXT: value by = 2.5
// TEXT-NEXT: value plus = -1
// TEXT-NEXT: value again = 0.5, which no clause and no launch tells
#pragma ktune problem(n = 1024, 4096) inout(x[n])
__global__ void passed(float *x, float by, double plus, float again, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = x[i] * by + plus * again;
}
void pass(float *x, float by, double plus, float again, int n)
{
	pass(x, by, plus, again, n);
	pass(x, by, plus, again, n);
	passed<<<(n + 127) / 128, 128>>>(x, by, plus, again * n, n);
}
void call_passed(float *x, int n) { pass(x, 2.5f, -1, 3, n); }
