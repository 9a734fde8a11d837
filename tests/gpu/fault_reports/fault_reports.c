/*
 * How long a driver takes to report what a kernel did wrong, and what another process sees of the device meanwhile.
 *
 *   gcc -o fault_reports fault_reports.c -I/usr/local/cuda/include -lcuda    (kernels.cubin in the working folder)
 *   fault_reports illegal|misal|trapk|hang [SECONDS [poll|sync [kill]]]      one fault, after SECONDS
 *   fault_reports watch SECONDS                                              launches without end: begin, host s, device us
 *   fault_reports idle SECONDS                                               a context that does nothing
 *
 * CUDA_DEVICE_MAX_CONNECTIONS says how many queues a context has.
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(call) check(call, #call)

static CUstream stream;
static CUdeviceptr memory;
static int count = 1 << 24;

static void check(CUresult result, const char *what)
{
	if (result != CUDA_SUCCESS) {
		fprintf(stderr, "%s: %d\n", what, result);
		exit(1);
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static CUresult launch(CUfunction function)
{
	void *arguments[] = {&memory, &count};

	return cuLaunchKernel(function, 528, 1, 1, 256, 1, 1, 0, stream, arguments, NULL);
}

static void watch(CUfunction good, double seconds)
{
	const double end = now() + seconds;
	CUevent events[2];

	CHECK(cuEventCreate(&events[0], 0));
	CHECK(cuEventCreate(&events[1], 0));
	while (now() < end) {
		const double begin = now();
		float ms;

		CHECK(cuEventRecord(events[0], stream));
		CHECK(launch(good));
		CHECK(cuEventRecord(events[1], stream));
		while (cuStreamQuery(stream) == CUDA_ERROR_NOT_READY)
			;
		CHECK(cuEventElapsedTime(&ms, events[0], events[1]));
		printf("%.6f %.6f %.2f\n", begin, now() - begin, ms * 1e3);
	}
}

static void fault(CUfunction bad, const char *name, bool polls, double started_s)
{
	const double begin = now(), limit = begin + (strcmp(name, "hang") == 0 ? 0.25 : 3);
	const struct timespec pause = {0, 20000};
	CUresult result = launch(bad);

	if (result == CUDA_SUCCESS && !polls)
		result = cuStreamSynchronize(stream);
	while (polls && (result == CUDA_SUCCESS || result == CUDA_ERROR_NOT_READY) && now() < limit) {
		result = cuStreamQuery(stream);
		nanosleep(&pause, NULL);
	}
	printf("%s start %.3f launch at %.6f report %.4f s error %d until %.6f\n", name, started_s, begin, now() - begin, result,
	       now());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const double begin = now();
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction good, bad;
	double seconds, started_s;

	if (argc < 2)
		return 2;
	seconds = argc > 2 ? atof(argv[2]) : 0;
	CHECK(cuInit(0));
	CHECK(cuDeviceGet(&device, 0));
	CHECK(cuDevicePrimaryCtxRetain(&context, device));
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuModuleLoad(&module, "kernels.cubin"));
	CHECK(cuModuleGetFunction(&good, module, "good"));
	CHECK(cuMemAlloc(&memory, (size_t)count * 4));
	CHECK(cuMemsetD8(memory, 0, (size_t)count * 4));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	for (int i = 0; i < 10; i++)
		CHECK(launch(good));
	CHECK(cuStreamSynchronize(stream));
	started_s = now() - begin;
	if (strcmp(argv[1], "idle") == 0)
		usleep((useconds_t)(seconds * 1e6));
	else if (strcmp(argv[1], "watch") == 0)
		watch(good, seconds);
	if (strcmp(argv[1], "idle") == 0 || strcmp(argv[1], "watch") == 0)
		_exit(0);
	CHECK(cuModuleGetFunction(&bad, module, argv[1]));
	usleep((useconds_t)(seconds * 1e6));
	fault(bad, argv[1], argc < 4 || strcmp(argv[3], "sync") != 0, started_s);
	if (argc > 4)
		kill(getpid(), SIGKILL);
	_exit(0);
}
