// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// What is 1 on every problem is 1 in the text. A size that all problems share is a choice where the kernel divides by it.
// CHECK: template of 0
// CHECK: parameter FIX 0 1
// CHECK-DAG: guard step == 1
// CHECK-DAG: guard FIX == 0 || d == 128
// CHECK: strategy constants
// CHECK: int ${if FIX}/* ${end}d${if FIX} */${end},
// CHECK: int /* step */)
// CHECK: ${if FIX}
// CHECK-NEXT: const int d = 128;
// CHECK-NEXT: ${end}
// CHECK-NEXT: const int step = 1;
// CHECK: x_pack.item[lane] * scale[
#pragma ktune problem(rows = 64, 4096; d = 128; step = 1) in(x[rows * d], scale[rows]) out(y[rows * d])
__global__ void scaled(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ scale, int rows, int d,
                       int step)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * d; i += gridDim.x * blockDim.x)
		y[i * step] = x[i * step] * scale[i / d];
}
// Nothing is divided by this one; and one problem alone names no sizes.
// CHECK: template of 1
// CHECK-NOT: FIX
#pragma ktune problem(rows = 64, 4096; d = 128) in(x[rows * d]) out(y[rows * d])
__global__ void doubled(float *__restrict__ y, const float *__restrict__ x, int rows, int d)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * d; i += gridDim.x * blockDim.x)
		y[i] = x[i] * 2.0f;
}
// CHECK: template of 2
#pragma ktune problem(rows = 64; d = 128) in(x[rows * d], scale[rows]) out(y[rows * d])
__global__ void once(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ scale, int rows, int d)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * d; i += gridDim.x * blockDim.x)
		y[i] = x[i] * scale[i / d];
}
// No number becomes an enumerator without a cast.
// CHECK: template of 3
// CHECK: const Mode mode = (Mode)1;
// CHECK: template of 4
// CHECK: const lib::Kind kind = (lib::Kind)1;
enum Mode { KEEP, NEGATE };
namespace lib {
enum class Kind : unsigned char { PLAIN, OTHER };
}
#pragma ktune problem(n = 4096, 65536) in(x[n]) out(y[n]) value(mode = 1)
__global__ void moded(float *__restrict__ y, const float *__restrict__ x, int n, Mode mode)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = mode == NEGATE ? -x[i] : x[i];
}
#pragma ktune problem(n = 4096, 65536) in(x[n]) out(y[n]) value(kind = 1)
__global__ void kinds(float *__restrict__ y, const float *__restrict__ x, int n, lib::Kind kind)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = kind == lib::Kind::OTHER ? -x[i] : x[i];
}
void run(float *y, const float *x, const float *scale, int rows, int d)
{
	moded<<<1024, 256>>>(y, x, d, NEGATE);
	kinds<<<1024, 256>>>(y, x, d, lib::Kind::OTHER);
	scaled<<<1024, 256>>>(y, x, scale, rows, d, 1);
	doubled<<<1024, 256>>>(y, x, rows, d);
	once<<<1024, 256>>>(y, x, scale, rows, d);
}
