/*
 * What a dispatcher costs: launches of empty kernels in short chunks that fit
 * into the launch queue, in another order every round; the device is waited for
 * outside of the timed part. One JSON line on standard output, every chunk to a file.
 *
 *   dispatch_cost --seed N --rounds N --raw FILE.csv
 *
 * The runtime looks a kernel up by its address at every launch, and finds one
 * faster than another; so each stands there 32 times. Compared are, for one kernel,
 *
 *   original      as written, by <<<>>>
 *   variant       what the dispatcher launches, by <<<>>> as well
 *   call          the same function by cudaLaunchKernel
 *   handle        the same by cudaLaunchKernel with what cudaGetKernel gives
 *   dispatched    the user's launch: the variant runs
 *   refused       the user's launch: the original runs
 *
 * "simple" has one problem variable that an argument carries; "loaded" has
 * three, a grid of two dimensions, a restriction and a guard on two pointers.
 * ktcc compiles this file; what it emits is compiled again with -DDIRECT and
 * "names.h", which holds VARIANT(region, copy, kernel) for every variant.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <vector>

#include <cuda_runtime.h>

#define UNROLL 1
#define DEPTH 1
#define COPIES_OF_8(X, i) X(i) X(i + 1) X(i + 2) X(i + 3) X(i + 4) X(i + 5) X(i + 6) X(i + 7)
#define ALL_COPIES(X) COPIES_OF_8(X, 0) COPIES_OF_8(X, 8) COPIES_OF_8(X, 16) COPIES_OF_8(X, 24)

#ifdef EARLY /* kernels are registered in the opposite order of their first use: otherwise originals come first */
template <int COPY> __global__ void simple(float *y, int n);
template <int COPY> __global__ void loaded(const float *x, float *y, int rows, int cols, int stride);
#define EARLY_SIMPLE(i) simple<i>,
#define EARLY_LOADED(i) loaded<i>,
void (*early_simple[])(float *, int) = {ALL_COPIES(EARLY_SIMPLE)};
void (*early_loaded[])(const float *, float *, int, int, int) = {ALL_COPIES(EARLY_LOADED)};
#endif

#pragma ktune problem(n = 1024) inout(y[n]) tune(UNROLL = 1, 2) grid(ceil_div(n, 128)) block(128)
template <int COPY> __global__ void simple(float *y, int n)
{
	if (n < 0)
		y[COPY] = UNROLL;
}

#pragma ktune problem(rows = 4, 8; cols = 256; stride = 256) in(x[rows*stride]) inout(y[rows*stride]) \
    tune(DEPTH = 1, 2) grid(ceil_div(cols, 128), rows) block(128) \
    restriction(stride % 4 == 0) guard(aligned(x, 16) && aligned(y, 16))
template <int COPY> __global__ void loaded(const float *x, float *y, int rows, int cols, int stride)
{
	if (rows < 0)
		y[stride + COPY] = x[cols] * DEPTH;
}

enum { CHUNK = 250, COPIES = 32 };
float *x, *y;
int n = 1024, rows = 4, cols = 256, stride = 256;

/* `more` blocks: not the geometry that was tuned; `off`: not the alignment. */
template <int COPY> __attribute__((noinline)) void dispatch_simple(int more)
{
	for (int i = 0; i < CHUNK; i++)
		simple<COPY><<<(n + 127) / 128 + more, 128>>>(y, n);
}

template <int COPY> __attribute__((noinline)) void dispatch_loaded(int off)
{
	for (int i = 0; i < CHUNK; i++)
		loaded<COPY><<<dim3((cols + 127) / 128, rows), 128>>>(x + off, y, rows, cols, stride);
}

void dispatch(int region, int copy, int refused)
{
	switch (copy) {
#define DISPATCH(i) case i: return region == 0 ? dispatch_simple<i>(refused) : dispatch_loaded<i>(refused);
		ALL_COPIES(DISPATCH)
	}
}

#ifdef DIRECT

template <int COPY> struct variant_of_simple;
template <int COPY> struct variant_of_loaded;
#define VARIANT(region, copy, kernel_) \
	template <> struct variant_of_##region<copy> { \
		static constexpr auto kernel = &kernel_; \
	};
#include "names.h"

enum kind { ORIGINAL, VARIANT_, CALL, HANDLE, DISPATCHED, REFUSED, KINDS };
static const char *const kind_names[] = {"original", "variant", "call", "handle", "dispatched", "refused"};
static const char *const region_names[] = {"simple", "loaded"};

static void check(cudaError_t error)
{
	if (error != cudaSuccess) {
		std::fprintf(stderr, "error %s\n", cudaGetErrorName(error));
		std::exit(2);
	}
}

template <typename T> static cudaKernel_t handle_of(T *function)
{
	cudaKernel_t handle;

	check(cudaGetKernel(&handle, reinterpret_cast<const void *>(function)));
	return handle;
}

template <int COPY> __attribute__((noinline)) static void original_simple()
{
	for (int i = 0; i < CHUNK; i++)
		simple<COPY><<<(n + 127) / 128, 128>>>(y, n);
}

template <int COPY> __attribute__((noinline)) static void variant_simple()
{
	for (int i = 0; i < CHUNK; i++)
		variant_of_simple<COPY>::kernel<<<(n + 127) / 128, 128>>>(y, n);
}

template <int COPY> __attribute__((noinline)) static void call_simple(const void *function)
{
	for (int i = 0; i < CHUNK; i++) {
		float *y_ = y;
		int n_ = n;
		void *arguments[] = {&y_, &n_};

		cudaLaunchKernel(function, dim3((n_ + 127) / 128), dim3(128), arguments, 0, 0);
	}
}

template <int COPY> __attribute__((noinline)) static void original_loaded()
{
	for (int i = 0; i < CHUNK; i++)
		loaded<COPY><<<dim3((cols + 127) / 128, rows), 128>>>(x, y, rows, cols, stride);
}

template <int COPY> __attribute__((noinline)) static void variant_loaded()
{
	for (int i = 0; i < CHUNK; i++)
		variant_of_loaded<COPY>::kernel<<<dim3((cols + 127) / 128, rows), 128>>>(x, y, rows, cols, stride);
}

template <int COPY> __attribute__((noinline)) static void call_loaded(const void *function)
{
	for (int i = 0; i < CHUNK; i++) {
		float *x_ = x, *y_ = y;
		int rows_ = rows, cols_ = cols, stride_ = stride;
		void *arguments[] = {&x_, &y_, &rows_, &cols_, &stride_};

		cudaLaunchKernel(function, dim3((cols_ + 127) / 128, rows_), dim3(128), arguments, 0, 0);
	}
}

template <int COPY> static void run_simple(int kind)
{
	switch (kind) {
	case ORIGINAL:
		return original_simple<COPY>();
	case VARIANT_:
		return variant_simple<COPY>();
	case CALL:
		return call_simple<COPY>(reinterpret_cast<const void *>(variant_of_simple<COPY>::kernel));
	case HANDLE: {
		static const cudaKernel_t handle = handle_of(variant_of_simple<COPY>::kernel);

		return call_simple<COPY>(handle);
	}
	default:
		return dispatch(0, COPY, kind == REFUSED);
	}
}

template <int COPY> static void run_loaded(int kind)
{
	switch (kind) {
	case ORIGINAL:
		return original_loaded<COPY>();
	case VARIANT_:
		return variant_loaded<COPY>();
	case CALL:
		return call_loaded<COPY>(reinterpret_cast<const void *>(variant_of_loaded<COPY>::kernel));
	case HANDLE: {
		static const cudaKernel_t handle = handle_of(variant_of_loaded<COPY>::kernel);

		return call_loaded<COPY>(handle);
	}
	default:
		return dispatch(1, COPY, kind == REFUSED);
	}
}

static void (*const run[2][COPIES])(int kind) = {
#define RUN_SIMPLE(i) run_simple<i>,
#define RUN_LOADED(i) run_loaded<i>,
    {ALL_COPIES(RUN_SIMPLE)}, {ALL_COPIES(RUN_LOADED)}};

static double now_ns()
{
	timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

/* One launch of one chunk, by round, region, kind and copy. */
typedef float round_ns[2][KINDS][COPIES];

static void measure(round_ns &ns, std::mt19937 &random)
{
	std::vector<int> order(2 * KINDS * COPIES);

	for (size_t i = 0; i < order.size(); i++)
		order[i] = static_cast<int>(i);
	std::shuffle(order.begin(), order.end(), random);
	for (int at : order) {
		const int region = at % 2, kind = at / 2 % KINDS, copy = at / 2 / KINDS;
		const double begin = now_ns();

		run[region][copy](kind);
		ns[region][kind][copy] = static_cast<float>((now_ns() - begin) / CHUNK);
		check(cudaDeviceSynchronize());
	}
}

static void write_raw(const char *path, const round_ns *all, int rounds)
{
	FILE *out = std::fopen(path, "w");

	if (out == nullptr)
		std::exit(2);
	std::fprintf(out, "region,kind,copy,ns by round\n");
	for (int i = 0; i < 2 * KINDS * COPIES; i++) {
		const int region = i / KINDS / COPIES, kind = i / COPIES % KINDS, copy = i % COPIES;

		std::fprintf(out, "%s,%s,%d,", region_names[region], kind_names[kind], copy);
		for (int r = 0; r < rounds; r++)
			std::fprintf(out, "%s%.0f", r > 0 ? " " : "", static_cast<double>(all[r][region][kind][copy]));
		std::fprintf(out, "\n");
	}
	if (std::fclose(out) != 0)
		std::exit(2);
}

int main(int argc, char **argv)
{
	int rounds = 1, seed = 0, devices = 0, driver = 0;
	const char *raw = nullptr;
	cudaDeviceProp properties;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (std::strcmp(argv[i], "--rounds") == 0)
			rounds = std::atoi(argv[i + 1]);
		else if (std::strcmp(argv[i], "--seed") == 0)
			seed = std::atoi(argv[i + 1]);
		else if (std::strcmp(argv[i], "--raw") == 0)
			raw = argv[i + 1];
	}
	check(cudaGetDeviceCount(&devices));
	check(cudaGetDeviceProperties(&properties, 0));
	check(cudaDriverGetVersion(&driver));
	check(cudaMalloc(&x, sizeof(float) * 4096));
	check(cudaMalloc(&y, sizeof(float) * 4096));

	std::mt19937 random(static_cast<unsigned>(seed));
	std::vector<float> memory(sizeof(round_ns) / sizeof(float) * static_cast<size_t>(rounds + 1));
	round_ns *all = reinterpret_cast<round_ns *>(memory.data());

	measure(all[rounds], random); /* loads the modules, asks the first questions */
	for (int round = 0; round < rounds; round++)
		measure(all[round], random);
	check(cudaGetLastError());
	if (raw != nullptr)
		write_raw(raw, all, rounds);
	std::printf("{\"device\":\"%s\",\"devices\":%d,\"cuda\":%d,\"rounds\":%d,\"copies\":%d,\"chunk\":%d}\n",
		    properties.name, devices, driver, rounds, static_cast<int>(COPIES), static_cast<int>(CHUNK));
	return 0;
}

#endif
