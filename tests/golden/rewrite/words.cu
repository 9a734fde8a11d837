// RUN: %rewrite %s -- -std=c++17 -Dx_pack=0 | python3 %S/Inputs/show.py > %t && %FileCheck %s < %t
// RUN: grep -v "^line" %t > %t.text && not grep -qE "\b(P|V|PLACE|value|item|mask|parts|lane|i_end|i_group|x_pack)\b" %t.text
// RUN: %rewrite %s -- -std=c++17 -DOWN_STORE | python3 %S/Inputs/show.py | %FileCheck --check-prefix=OWN %s
// OWN: template of 4 0
// OWN: declined in-macro line [[# @LINE + 36]] a macro is called '__stcs', a word that the rules need
// Macros of the file, of what it includes or of the command line, however they are called, leave our words alone; what a
// macro's body names is no name of ours either.
// CHECK: template of 0 0
// CHECK: parameter STREAM
// CHECK: template <typename P2> __device__ __forceinline__ P2 ${ktune:callee:0}(const P2 *from)
// CHECK: int item2[${VEC}];
// CHECK: for (int lane2 = 0; lane2 < ${VEC}; lane2++) {
// CHECK: y_pack.item2[lane2] = SHIFTED(x_pack2.item2[lane2]);
// CHECK: template of 1 0
// CHECK: template <int PLACE2, typename V2> __device__ __forceinline__ V2 ${ktune:callee:2}(V2 value2)
// CHECK: const V2 other = __shfl_xor_sync(0xffffffffu, value2, mask2);
// CHECK: template of 2 0
// CHECK: const pack_group pack2 = *reinterpret_cast<const pack_group *>(pack + ((long long)w * y + x_patch));
// CHECK: template of 3 0
// CHECK: const auto add_to_to = [&](int *to2, int value2) {
// CHECK-NEXT: const long long cell = to2 - to;
#define P 1
#  define V x
#define T
#define PLACE "place"
#define value @
#define item item item
#define mask() 0
#define parts /
#define i_end 7
#define i_group(x) x
#undef mask
#define mask 0
#ifdef OWN_STORE
#define __stcs(to, what) (*(to) = (what))
#endif
__device__ int lane(int i) { return i + 3; }
#define SHIFTED(v) lane(v)
#pragma ktune problem(n = 4096) in(x[n]) out(y[n])
__global__ void shifts(int *__restrict__ y, const int *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = SHIFTED(x[i]);
}
void run(int *y, const int *x, int n) { shifts<<<4, 64>>>(y, x, n); }
#pragma ktune problem(rows = 64; d = 1024) in(x[rows * d]) out(y[rows])
__global__ void sums(float *__restrict__ y, const float *__restrict__ x, int d)
{
	__shared__ float all[256];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	all[threadIdx.x] = sum;
	__syncthreads();
	for (int s = blockDim.x / 2; s > 0; s /= 2) {
		if (threadIdx.x < s)
			all[threadIdx.x] += all[threadIdx.x + s];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = all[0];
}
void run2(float *y, const float *x, int rows, int d) { sums<<<rows, 256>>>(y, x, d); }
#pragma ktune problem((w, h) = (512, 512)) in(pack[w * h]) out(to[w * h])
__global__ void blur(float *__restrict__ to, const float *__restrict__ pack, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x >= w || y >= h)
		return;
	float sum = pack[y * w + x];
	if (x > 0 && x < w - 1)
		sum += 0.5f * (pack[y * w + x - 1] + pack[y * w + x + 1]);
	to[y * w + x] = sum;
}
void run3(float *to, const float *pack, int w, int h)
{
	dim3 b(16, 16), g((w + 15) / 16, (h + 15) / 16);
	blur<<<g, b>>>(to, pack, w, h);
}
#pragma ktune problem(n = 4096) inout(to[64]) in(x[n] : range(0, 63))
__global__ void bins(int *to, const int *x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&to[x[i]], 1);
}
void run4(int *to, const int *x, int n) { bins<<<4, 64>>>(to, x, n); }
// Nothing of it can be moved in packs.
#pragma ktune problem(n = 4096) in(x[n * 3]) out(y[n * 5])
__global__ void strides(int *__restrict__ y, const int *__restrict__ x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		y[5 * i] = x[3 * i];
}
void run5(int *y, const int *x, int n) { strides<<<16, 256>>>(y, x, n); }
