// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | %FileCheck %s
// Functions of the host that ask for limits of the device.
// CHECK: "kernel":"k",{{.*}}"decline":null
#include <algorithm>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECKED(call) do { if ((call) != cudaSuccess) abort(); } while (0)
void other(int *p);
inline int capped(const int n)
{
	int device, count, threads = 0;
	CHECKED(cudaGetDevice(&device));
	CHECKED(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
	cudaDeviceGetAttribute(
	    &threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
	const auto blocks = (n + 255) / 256;
	const auto most = count * threads / 256 * 32;
	return std::max(1, std::min(blocks, most));
}
static int by_properties(int n)
{
	int device = 0;
	cudaDeviceProp properties;
	cudaGetDevice(&device);
	cudaGetDeviceProperties(&properties, device);
	if (n > properties.multiProcessorCount * 1024)
		return properties.multiProcessorCount * (properties.maxThreadsPerMultiProcessor / 256);
	return properties.multiProcessorCount;
}
static int unknown(int n)
{
	int bytes;
	cudaDeviceGetAttribute(&bytes, cudaDevAttrTotalConstantMemory, 0);
	return n / bytes;
}
static int device_itself(int n)
{
	int device = 1;
	cudaGetDevice(&device);
	return n * device;
}
static int sometimes(int n)
{
	int count = 1;
	if (n > 5)
		cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
	return count;
}
static int clock_of(int n)
{
	cudaDeviceProp properties;
	cudaGetDeviceProperties(&properties, 0);
	return n / properties.major;
}
static int passed_on(int n)
{
	int count;
	cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
	other(&count);
	return count;
}
#pragma ktune problem(n = 65536) out(y[n])
__global__ void k(float *y, int n) { y[0] = n; }
void run(float *y, int n)
{
	// CHECK: "grid":["max(1, min((n + 255) / 256, device.multiprocessors * device.max_threads_per_multiprocessor / 256 * 32))"],"block":["32"]
	k<<<capped(n), 32>>>(y, n);
	// CHECK: "grid":["n > device.multiprocessors * 1024 ? device.multiprocessors * (device.max_threads_per_multiprocessor / 256) : device.multiprocessors"],"block":["33"]
	k<<<by_properties(n), 33>>>(y, n);
	// CHECK: "grid":[],"block":["34"]
	k<<<unknown(n), 34>>>(y, n);
	// CHECK: "grid":[],"block":["35"]
	k<<<device_itself(n), 35>>>(y, n);
	// CHECK: "grid":[],"block":["36"]
	k<<<sometimes(n), 36>>>(y, n);
	// CHECK: "grid":[],"block":["37"]
	k<<<clock_of(n), 37>>>(y, n);
	// CHECK: "grid":[],"block":["38"]
	k<<<passed_on(n), 38>>>(y, n);
}
