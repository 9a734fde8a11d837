/*
 * What the host programs of the OpenCL samples share: a device, a program from
 * source, buffers, the time of a launch, comparison with a reference.
 *
 *   --check-only   check results, measure nothing
 *   --simulate     for a simulator such as oclgrind: small sizes, nothing measured, and the tuned kernels whatever
 *                  the device is called
 *
 * Exit codes: 0 all right, 1 a wrong result or an OpenCL error, 77 no device.
 *
 * A program is built plain, or from what `ktcc emit` wrote: then KTUNE_TUNED is
 * defined, SAMPLE_SOURCE names the emitted .cl, and NAME_tuned.h, included
 * before this file, has struct ktune_opencl_launch and ktune_NAME().
 */
#ifndef SAMPLES_OPENCL_HOST_H
#define SAMPLES_OPENCL_HOST_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef KTUNE_TUNED
#define SAMPLE_FORM "tuned"
#else
#define SAMPLE_FORM "plain"
struct ktune_opencl_launch {
	const char *kernel;
	size_t dimensions;
	size_t global[3], local[3];
	size_t local_bytes;
};
#endif

#define SAMPLE_NO_DEVICE 77
#define SAMPLE_WARM_UPS 3
#define SAMPLE_REPETITIONS 15

struct sample {
	bool check_only, simulate, passed;
	cl_device_id device;
	char device_name[256];
	cl_context context;
	cl_command_queue queue;
	cl_program program;
};

static inline void require(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	fprintf(stderr, "%s: OpenCL error %d\n", what, (int)status);
	exit(1);
}

static inline void *sample_memory(size_t bytes)
{
	void *memory = malloc(bytes);
	if (!memory) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return memory;
}

/* The first GPU of any platform, else the first device of another kind. */
static inline bool find_device(cl_device_id *out)
{
	static const cl_device_type kinds[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL};
	cl_platform_id platforms[16];
	cl_uint count = 0;
	if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
		return false;
	for (size_t k = 0; k < 2; k++) {
		for (cl_uint p = 0; p < count && p < 16; p++) {
			if (clGetDeviceIDs(platforms[p], kinds[k], 1, out, NULL) == CL_SUCCESS)
				return true;
		}
	}
	return false;
}

static inline char *read_source(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	long length = -1;
	if (file && fseek(file, 0, SEEK_END) == 0)
		length = ftell(file);
	if (length < 0 || fseek(file, 0, SEEK_SET) != 0) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(1);
	}
	char *text = sample_memory((size_t)length + 1);
	*size = fread(text, 1, (size_t)length, file);
	fclose(file);
	return text;
}

static inline void sample_build(struct sample *s, const char *path)
{
	cl_int status;
	size_t size = 0;
	char *text = read_source(path, &size);
	const char *texts[] = {text};
	s->program = clCreateProgramWithSource(s->context, 1, texts, &size, &status);
	require(status, "clCreateProgramWithSource");
	free(text);
	if (clBuildProgram(s->program, 1, &s->device, "", NULL, NULL) == CL_SUCCESS)
		return;
	static char log[16384];
	(void)clGetProgramBuildInfo(s->program, s->device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
	fprintf(stderr, "%s does not build:\n%s\n", path, log);
	exit(1);
}

/* Reads the command line, takes a device and builds the program; ends where there is nothing to run on. */
static inline struct sample sample_start(int argc, char **argv, const char *source)
{
	struct sample s = {.passed = true};
	cl_int status;
	for (int i = 1; i < argc; i++) {
		s.simulate = s.simulate || strcmp(argv[i], "--simulate") == 0;
		s.check_only = s.simulate || strcmp(argv[i], "--check-only") == 0;
		if (!s.check_only) {
			fprintf(stderr, "usage: %s [--check-only] [--simulate]\n", argv[0]);
			exit(2);
		}
	}
	if (!find_device(&s.device)) {
		printf("no OpenCL device\n");
		exit(SAMPLE_NO_DEVICE);
	}
	require(clGetDeviceInfo(s.device, CL_DEVICE_NAME, sizeof s.device_name, s.device_name, NULL), "clGetDeviceInfo");
	s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, &status);
	require(status, "clCreateContext");
	s.queue = clCreateCommandQueue(s.context, s.device, CL_QUEUE_PROFILING_ENABLE, &status);
	require(status, "clCreateCommandQueue");
	sample_build(&s, source);
	return s;
}

/* A device buffer with a copy of `data`, or of nothing in particular for NULL. */
static inline cl_mem sample_buffer(const struct sample *s, const void *data, size_t bytes)
{
	cl_int status;
	cl_mem buffer = clCreateBuffer(s->context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), bytes,
	                               (void *)(uintptr_t)data, &status);
	require(status, "clCreateBuffer");
	return buffer;
}

/* Numbers in [-1, 1), the same on every machine for the same seed. */
static inline float *sample_uniform(size_t count, uint64_t seed)
{
	float *values = sample_memory(count * sizeof *values);
	uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
	for (size_t i = 0; i < count; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		values[i] = (float)(state >> 40) / (float)(1 << 23) - 1.0f;
	}
	return values;
}

static inline cl_kernel sample_kernel(const struct sample *s, const struct ktune_opencl_launch *launch)
{
	cl_int status;
	cl_kernel kernel = clCreateKernel(s->program, launch->kernel, &status);
	require(status, launch->kernel);
	return kernel;
}

static inline void sample_argument(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
	require(clSetKernelArg(kernel, index, bytes, value), "clSetKernelArg");
}

/* Launches once and waits; the device's time in milliseconds. */
static inline double sample_launch(const struct sample *s, cl_kernel kernel, const struct ktune_opencl_launch *launch)
{
	cl_event event;
	cl_ulong begin = 0, end = 0;
	require(clEnqueueNDRangeKernel(s->queue, kernel, (cl_uint)launch->dimensions, NULL, launch->global, launch->local,
	                               0, NULL, &event),
	        "clEnqueueNDRangeKernel");
	require(clWaitForEvents(1, &event), launch->kernel);
	require(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL), "profiling");
	require(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), "profiling");
	clReleaseEvent(event);
	return (double)(end - begin) * 1e-6;
}

static inline int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Launches, compares `got` with the reference, and prints the median time. work: flops or bytes of a launch. */
static inline void sample_run(struct sample *s, cl_kernel kernel, const struct ktune_opencl_launch *launch, cl_mem got,
                              const double *want, size_t count, double tolerance, const char *problem, double work,
                              const char *unit)
{
	double times[SAMPLE_REPETITIONS];
	float *values = sample_memory(count * sizeof *values);
	sample_launch(s, kernel, launch);
	require(clEnqueueReadBuffer(s->queue, got, CL_TRUE, 0, count * sizeof *values, values, 0, NULL, NULL), "reading");
	bool good = true;
	for (size_t i = 0; i < count && good; i++) {
		good = fabs((double)values[i] - want[i]) <= tolerance + tolerance * fabs(want[i]);
		if (!good)
			fprintf(stderr, "%s %s: element %zu is %g, should be %g\n", launch->kernel, problem, i,
			        (double)values[i], want[i]);
	}
	free(values);
	s->passed = s->passed && good;
	if (s->check_only || !good)
		return;
	for (int i = 0; i < SAMPLE_WARM_UPS; i++)
		sample_launch(s, kernel, launch);
	for (int i = 0; i < SAMPLE_REPETITIONS; i++)
		times[i] = sample_launch(s, kernel, launch);
	qsort(times, SAMPLE_REPETITIONS, sizeof *times, ascending);
	const double median = times[SAMPLE_REPETITIONS / 2];
	printf(SAMPLE_FORM " %s: %.4f ms, %.1f %s\n", problem, median, work / median * 1e-6, unit);
}

static inline int sample_finish(struct sample *s, const char *name)
{
	clReleaseProgram(s->program);
	clReleaseCommandQueue(s->queue);
	clReleaseContext(s->context);
	printf("%s: %s\n", name, s->passed ? "ok" : "FAILED");
	return s->passed ? 0 : 1;
}

/* For which device the launch is asked; NULL: for any. */
static inline const char *sample_device(const struct sample *s)
{
	return s->simulate ? NULL : s->device_name;
}

#endif
