// RUN: %scan %s -- -std=c++17 | grep -oP '"line":\d+,"column":1,"decline":.*?"parameters"' | %FileCheck %s
// What may be between the launches of a block: the variant runs where the first launch was, so nothing with an effect. Calls
// are judged by what is declared, after macros are expanded; what only an error leads to may do anything.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>
__global__ void fill(float *y, int n) { y[blockIdx.x] = n; }
__global__ void twice(float *y, float *t, int n) { y[blockIdx.x] = 2 * t[blockIdx.x] + n; }
#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
	if (code != cudaSuccess) {
		fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
		if (abort) exit(code);
	}
}
namespace c10 { namespace cuda { void c10_cuda_check_implementation(int err, const char *file, const char *function, int line, bool assertions); } }
#define C10_CUDA_CHECK(EXPR) do { const cudaError_t __err = EXPR; c10::cuda::c10_cuda_check_implementation(static_cast<int>(__err), __FILE__, __func__, static_cast<unsigned>(__LINE__), true); } while (0)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define C10_OLD_CHECK(EXPR) do { const cudaError_t __err = EXPR; if (__builtin_expect(static_cast<bool>(__err != cudaSuccess), 0)) { auto again [[maybe_unused]] = cudaGetLastError(); throw std::runtime_error(cudaGetErrorString(__err)); } } while (0)
template <typename T> void check(T result, const char *func, const char *file, int line)
{
	if (result) {
		fprintf(stderr, "CUDA error at %s:%d code=%d(%s)\n", file, line, static_cast<unsigned>(result), func);
		exit(EXIT_FAILURE);
	}
}
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)
inline void __getLastCudaError(const char *message, const char *file, int line)
{
	cudaError_t err = cudaGetLastError();
	if (cudaSuccess != err) {
		fprintf(stderr, "%s(%i): %s: %s\n", file, line, message, cudaGetErrorString(err));
		exit(EXIT_FAILURE);
	}
}
#define getLastCudaError(msg) __getLastCudaError(msg, __FILE__, __LINE__)
#define CUDA_SAFE_CALL(call) do { cudaError err = call; if (cudaSuccess != err) { fprintf(stderr, "Cuda error in file '%s'\n", __FILE__); exit(EXIT_FAILURE); } } while (0)
#define CUDA_TRY(x) if ((x) != cudaSuccess) return -1
#define CUDA_ABORT(x) ((x) == cudaSuccess ? (void)0 : abort())
#define SYNC_CHECK() do { cudaError_t e_ = cudaGetLastError(); if (e_ == cudaSuccess) e_ = cudaDeviceSynchronize(); if (e_ != cudaSuccess) abort(); } while (0)
#define TOUCHES(y, n, s) do { cudaGetLastError(); cudaMemsetAsync(y, 0, n, s); } while (0)
#define WAITS(s) (cudaGetLastError(), cudaStreamSynchronize(s))
#define NEXT(p) ((p)++)
struct Zero { Zero(float *y, int n, cudaStream_t s) { cudaMemsetAsync(y, 0, n, s); } };
struct Ends { float *y; ~Ends() { cudaMemset(y, 0, 4); } };
struct Plain { int a; Plain(int a_) : a(a_) {} };
struct Acts { float *y; operator int() const { cudaMemset(y, 0, 4); return 1; } Acts &operator<<(int) { cudaMemset(y, 0, 4); return *this; } };
struct Tensor { float *at; int count; float *data() { return at; } float *advance() { return at++; } int size() const { return count; } operator float *() const { return at; } };
struct Cursor { float *at; float *data() { return at += 8; } };
void opaque(int n);
void look(cudaError_t e);
int counter();
static int seen;
inline int rounded(int n) { int m = n + 3; m /= 4; return m * 4; }
inline int counted(int n) { seen++; return n; }
inline cudaStream_t currentStream() { return 0; }
cudaStream_t getStreamFromPool();
inline cudaStream_t nextStream() { static cudaStream_t all[4]; static int i; return all[i++ % 4]; }
#define HALF half_of
int block_0(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		CHECK(cudaGetLastError());
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_1(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		gpuErrchk(cudaPeekAtLastError());
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_2(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		C10_CUDA_KERNEL_LAUNCH_CHECK();
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_3(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		C10_OLD_CHECK(cudaGetLastError());
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_4(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		checkCudaErrors(cudaGetLastError());
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_5(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		getLastCudaError("fill failed");
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_6(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		CUDA_SAFE_CALL(cudaGetLastError());
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_7(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		CUDA_TRY(cudaGetLastError());
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_8(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		CUDA_ABORT(cudaGetLastError());
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_9(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		assert(cudaGetLastError() == cudaSuccess);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_10(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		if (cudaError_t e = cudaGetLastError(); e != cudaSuccess) return e;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_11(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		if (cudaError_t e = cudaGetLastError()) { opaque(e); throw e; }
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_12(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) printf("%s", cudaGetErrorString(e));
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_13(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		if ((error = cudaGetLastError()) != cudaSuccess) return error;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_14(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		error = cudaPeekAtLastError(); if (error) goto out;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_15(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		(void)n;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_16(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		const int m = n / 2; (void)m;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_17(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		Plain p(n); dim3 g(n, 2); (void)p;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_18(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		using index = long; typedef int other; static_assert(sizeof(index) == 8, "");
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_19(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		;;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_20(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		if (n > 3 && cudaGetLastError() != cudaSuccess) look(cudaSuccess);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_21(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemsetAsync
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		cudaMemsetAsync(y, 0, n, s);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_22(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemsetAsync
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		CUDA_SAFE_CALL(cudaMemsetAsync(t, 0, n, s));
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_23(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaStreamSynchronize
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		CHECK(cudaStreamSynchronize(s));
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_24(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaDeviceSynchronize
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		gpuErrchk(cudaDeviceSynchronize());
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_25(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemcpyAsync
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		C10_CUDA_CHECK(cudaMemcpyAsync(t, y, n, cudaMemcpyDeviceToDevice, s));
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_26(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaEventRecord
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		checkCudaErrors(cudaEventRecord(0, s));
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_27(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemset
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		CUDA_TRY(cudaMemset(t, 0, n));
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_28(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaFree
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		CUDA_ABORT(cudaFree(t));
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_29(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemset
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		assert(cudaMemset(t, 0, n) == cudaSuccess);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_30(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemsetAsync
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		ok && cudaGetLastError() == cudaSuccess && cudaMemsetAsync(t, 0, n, s);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_31(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}opaque
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		if (cudaGetLastError() == cudaSuccess) opaque(n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_32(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}opaque
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		if (cudaGetLastError() != cudaSuccess) ; else opaque(n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_33(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}opaque
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		cudaGetLastError() == cudaSuccess ? opaque(n) : abort();
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_34(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemsetAsync
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		TOUCHES(t, n, s);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_35(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaStreamSynchronize
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		WAITS(s);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_36(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaDeviceSynchronize
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		SYNC_CHECK();
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_37(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}opaque
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		opaque((int)cudaGetLastError());
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_38(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}look
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		look(cudaGetLastError());
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_39(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}seen
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		(void)counted(n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_40(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemset
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		({ int q = n; cudaMemset(t, 0, q); q; });
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_41(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		[&] { cudaMemset(t, 0, n); }();
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_42(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemset
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		acts << n;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_43(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemset
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		if (acts) ;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_44(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		n++;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_45(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		n = n / 2;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_46(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		ok = false;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_47(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		if (n == 3) return 1;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_48(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		if (n == 3) throw 1;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_49(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		if (error != cudaSuccess) return error;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_50(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		for (int i = 0; i < 2; i++) cudaGetLastError();
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_51(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		while (cudaGetLastError() != cudaSuccess) ;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_52(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		again: cudaGetLastError();
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_53(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		asm volatile("");
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_54(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		pointer(n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_55(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}volatile
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		(void)*flag;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_56(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		cudaGetLastError(); delete new int;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_57(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-form","decline_detail":"line [[@LINE+4]]: {{.*}}printf
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		printf("between\n");
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_58(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-order","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemsetAsync
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		Zero zero(t, n, s);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_59(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-order","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemsetAsync
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		Zero zero{t, n, s};
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_60(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-order","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemset
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		Ends ends{t};
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_61(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-order","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemset
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		int a = acts;
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_62(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-order","decline_detail":"line [[@LINE+4]]: {{.*}}counter
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		int got = counter();
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_63(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-order","decline_detail":"line [[@LINE+4]]: {{.*}}cudaMemsetAsync
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		const cudaError_t e = cudaMemsetAsync(t, 0, n, s);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_64(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-order","decline_detail":"line [[@LINE+4]]: {{.*}}counter
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		static int once = counter();
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_65(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-order","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		std::vector<float> v(n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_66(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-order","decline_detail":"line [[@LINE+5]]: {{.*}}half_of
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		const int half_of = n / 2;
		twice<<<half_of, 2, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_67(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-order","decline_detail":"line [[@LINE+5]]: {{.*}}error
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		error = cudaGetLastError();
		twice<<<n, 1, 0, s>>>(y, t, (int)error);
	}
out:
	return 0;
}
int block_68(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-order","decline_detail":"line [[@LINE+5]]: {{.*}}half_of
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		const int half_of = n / 2;
		twice<<<HALF, 2, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_69(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-effects","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, NEXT(t), n);
	}
out:
	return 0;
}
int block_70(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-effects","decline_detail":"line [[@LINE+4]]: {{.*}}advance
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, tensor.advance(), n);
	}
out:
	return 0;
}
int block_71(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-effects","decline_detail":"line [[@LINE+4]]: {{.*}}at
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, cursor.data(), n);
	}
out:
	return 0;
}
int block_72(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-effects","decline_detail":"line [[@LINE+4]]: {{.*}}seen
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, t, counted(n));
	}
out:
	return 0;
}
int block_73(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-effects","decline_detail":"line [[@LINE+4]]: {{.*}}counter
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, t, counter());
	}
out:
	return 0;
}
int block_74(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-effects","decline_detail":"line [[@LINE+4]]: {{.*}}volatile
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, t, *flag);
	}
out:
	return 0;
}
int block_75(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-effects","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, t, n = 3);
	}
out:
	return 0;
}
int block_76(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-effects","decline_detail":"line [[@LINE+3]]: {{.*}}getStreamFromPool
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, getStreamFromPool()>>>(t, n);
		twice<<<n, 1, 0, getStreamFromPool()>>>(y, t, n);
	}
out:
	return 0;
}
int block_77(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-effects","decline_detail":"line [[@LINE+3]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, nextStream()>>>(t, n);
		twice<<<n, 1, 0, nextStream()>>>(y, t, n);
	}
out:
	return 0;
}
int block_78(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":"launch-region-streams","decline_detail":"line [[@LINE+4]]: 
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, other>>>(y, t, n);
	}
out:
	return 0;
}
int block_79(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n]) value(n_2 = 8)
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, t, rounded(n));
	}
out:
	return 0;
}
int block_80(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, currentStream()>>>(t, n);
		twice<<<n, 1, 0, currentStream()>>>(y, t, n);
	}
out:
	return 0;
}
int block_81(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n]) value(n_2 = 8)
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, t, static_cast<int>(sizeof(float)));
	}
out:
	return 0;
}
int block_82(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		cudaMemsetAsync(t, 0, n, s); Zero zero(t, n, s); if (n == 0) return 0;
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, t, n);
	}
out:
	return 0;
}
int block_83(float *y, float *t, int n, cudaStream_t s, cudaStream_t other, bool ok, Acts acts, Tensor &tensor, Cursor &cursor, volatile int *flag, void (*pointer)(int))
{
	cudaError_t error = cudaSuccess;
// CHECK: "line":[[@LINE+1]],"column":1,"decline":null,
#pragma ktune problem(n = 8) inout(y[n], t[n])
	{
		fill<<<n, 1, 0, s>>>(t, n);
		twice<<<n, 1, 0, s>>>(y, t, n);
		cudaMemsetAsync(t, 0, n, s); return cudaGetLastError();
	}
out:
	return 0;
}
