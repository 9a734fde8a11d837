/*
 * What a dispatcher costs: launches of an empty kernel, plain and through the
 * dispatcher, in short chunks that alternate and fit into the launch queue; the
 * device is waited for outside of the timed part. One JSON line on standard
 * output, every round to a file.
 *
 *   dispatch_cost [--rounds N] [--raw FILE.csv]
 *
 * "simple" has one problem variable that an argument carries; "loaded" has
 * three, a grid of two dimensions, a restriction and a guard on two pointers.
 * Launches of two equal kernels differ by some 20 ns for good, as the runtime
 * finds one faster than the other: so each stands there 32 times, and "null"
 * is what one half of the plain ones costs more than the other half.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include <cuda_runtime.h>

#define UNROLL 1
#define DEPTH 1

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

template <int COPY> __global__ void plain_simple(float *y, int n)
{
	if (n < 0)
		y[COPY] = 1;
}

template <int COPY> __global__ void plain_loaded(const float *x, float *y, int rows, int cols, int stride)
{
	if (rows < 0)
		y[stride + COPY] = x[cols];
}

enum { CHUNK = 250, COPIES = 32 };
enum kind { PLAIN_SIMPLE, SIMPLE, PLAIN_LOADED, LOADED, KINDS };
static float *x, *y;
static int n = 1024, rows = 4, cols = 256, stride = 256;

template <int COPY> static void run_copy(int kind)
{
	for (int i = 0; i < CHUNK; i++)
		switch (kind) {
		case PLAIN_SIMPLE:
			plain_simple<COPY><<<(n + 127) / 128, 128>>>(y, n);
			break;
		case SIMPLE:
			simple<COPY><<<(n + 127) / 128, 128>>>(y, n);
			break;
		case PLAIN_LOADED:
			plain_loaded<COPY><<<dim3((cols + 127) / 128, rows), 128>>>(x, y, rows, cols, stride);
			break;
		default:
			loaded<COPY><<<dim3((cols + 127) / 128, rows), 128>>>(x, y, rows, cols, stride);
		}
}

static void run(int kind, int copy)
{
	switch (copy) {
#define COPY(i) case i: return run_copy<i>(kind);
#define COPIES_OF_8(i) COPY(i) COPY(i + 1) COPY(i + 2) COPY(i + 3) COPY(i + 4) COPY(i + 5) COPY(i + 6) COPY(i + 7)
	COPIES_OF_8(0)
	COPIES_OF_8(8)
	COPIES_OF_8(16)
	COPIES_OF_8(24)
	}
}

static double now_ns()
{
	timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

static void check(cudaError_t error)
{
	if (error != cudaSuccess) {
		std::fprintf(stderr, "error %s\n", cudaGetErrorName(error));
		std::exit(2);
	}
}

static double median(std::vector<double> v)
{
	std::sort(v.begin(), v.end());
	return v.empty() ? 0 : v[v.size() / 2];
}

/* Of a round: nanoseconds a launch by kind, the mean of the copies; of the plain ones also by halves of the copies. */
struct round_ns {
	double mean[KINDS], half[2];
};

static double difference(const std::vector<round_ns> &all, int kind, int from)
{
	std::vector<double> d;

	for (const round_ns &r : all)
		d.push_back(r.mean[kind] - r.mean[from]);
	return median(d);
}

static round_ns measure(int round)
{
	round_ns r = {};

	for (int i = 0; i < KINDS * COPIES; i++) {
		const int at = (i * 37 + round) % (KINDS * COPIES), kind = at % KINDS, copy = at / KINDS;
		const double begin = now_ns();

		run(kind, copy);

		const double ns = (now_ns() - begin) / CHUNK;

		check(cudaDeviceSynchronize());
		r.mean[kind] += ns / COPIES;
		if (kind == PLAIN_SIMPLE)
			r.half[copy % 2] += ns / (COPIES / 2);
	}
	return r;
}

static bool write_raw(const char *path, const std::vector<round_ns> &all)
{
	FILE *out = std::fopen(path, "w");

	if (out == nullptr)
		return false;
	std::fprintf(out, "plain_simple_ns,simple_ns,plain_loaded_ns,loaded_ns,plain_even_ns,plain_odd_ns\n");
	for (const round_ns &r : all)
		std::fprintf(out, "%.1f,%.1f,%.1f,%.1f,%.1f,%.1f\n", r.mean[PLAIN_SIMPLE], r.mean[SIMPLE],
			     r.mean[PLAIN_LOADED], r.mean[LOADED], r.half[0], r.half[1]);
	return std::fclose(out) == 0;
}

int main(int argc, char **argv)
{
	int rounds = 500, device = 0, driver = 0, devices = 0;
	const char *raw = nullptr;
	std::vector<round_ns> all;
	std::vector<double> plain, null;
	cudaDeviceProp properties;

	for (int i = 1; i + 1 < argc; i += 2) {
		if (std::strcmp(argv[i], "--rounds") == 0)
			rounds = std::atoi(argv[i + 1]);
		else if (std::strcmp(argv[i], "--raw") == 0)
			raw = argv[i + 1];
	}
	check(cudaGetDevice(&device));
	check(cudaGetDeviceCount(&devices));
	check(cudaGetDeviceProperties(&properties, device));
	check(cudaDriverGetVersion(&driver));
	check(cudaMalloc(&x, sizeof(float) * 4096));
	check(cudaMalloc(&y, sizeof(float) * 4096));
	(void)measure(0); /* loads the modules, asks the first questions */
	for (int round = 0; round < rounds; round++) {
		all.push_back(measure(round));
		plain.push_back(all.back().mean[PLAIN_SIMPLE]);
		null.push_back(all.back().half[1] - all.back().half[0]);
	}
	check(cudaGetLastError());
	if (raw != nullptr && !write_raw(raw, all))
		return 2;

	const double simple_ns = difference(all, SIMPLE, PLAIN_SIMPLE), loaded_ns = difference(all, LOADED, PLAIN_LOADED);

	std::printf("{\"device\":\"%s\",\"devices\":%d,\"driver\":%d,\"rounds\":%d,\"copies\":%d,\"chunk\":%d,"
		    "\"plain_ns\":%.1f,\"null_ns\":%.1f,\"simple_ns\":%.1f,\"loaded_ns\":%.1f}\n",
		    properties.name, devices, driver, rounds, static_cast<int>(COPIES), static_cast<int>(CHUNK),
		    median(plain), median(null), simple_ns, loaded_ns);
	return 0;
}
