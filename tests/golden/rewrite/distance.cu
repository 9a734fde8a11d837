// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Two places of one array move together where they are further apart than a group is wide, which the kernel asks.
// CHECK: template of 0
// CHECK: ((half) >= ${VEC} || (half) <= -${VEC}) &&
// CHECK-NOT: <= -${VEC})
// CHECK: pack_f32 x_pack = {{.*}}reinterpret_cast<const pack_f32 *>(x + ((long long)block_row * stride + i_group))
// CHECK: pack_f32 x_pack_b = {{.*}}reinterpret_cast<const pack_f32 *>(x + ((long long)block_row * stride + half + i_group))
// CHECK: x_pack.item[lane] = a - b;
// CHECK: x_pack_b.item[lane] = a + b;
#pragma ktune restriction(2 * half <= stride) problem(rows = 64; (half, stride) = (512, 1024)) inout(x[rows * stride])
__global__ void butterfly(float *x, int half, int stride)
{
	float *row = x + (size_t)blockIdx.x * stride;
	for (int i = threadIdx.x; i < half; i += blockDim.x) {
		float a = row[i];
		float b = row[i + half];
		row[i] = a - b;
		row[i + half] = a + b;
	}
}
// One element apart is too near for any group.
// CHECK: template of 1
// CHECK-NOT: x_pack
// CHECK: 'x' may overlap with what the loop writes
#pragma ktune problem(n = 65536) inout(x[n + 1])
__global__ void shifted(float *x, int n)
{
	for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x)
		x[i] = x[i + 1];
}
void run(float *x, int rows, int n)
{
	butterfly<<<rows, 256>>>(x, 512, 1024);
	shifted<<<1024, 256>>>(x, n);
}
