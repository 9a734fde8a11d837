// RUN: %scan %s -- -std=c++17 -I%S/Inputs | %FileCheck %s
// What a grid is at the launch: set again, under conditions, by functions of headers, by questions to the device.
// CHECK: "launches":[{
// Set again: the last one that every way to the launch passes.
// CHECK-SAME: "grid":["(n + 63) / 64"],"block":["64"]
// CHECK-SAME: "grid":["(n + 255) / 256 > 1024 ? 1024 : (n + 255) / 256"],"block":["256"]
// CHECK-SAME: "grid":["!(n < 1000) ? 1000 : n"],"block":["128"]
// CHECK-SAME: "grid":["!(n < 1000) ? 2 * n : n < 1000 ? n : 0"],"block":["128"]
// CHECK-SAME: "grid":["(n + 255) / 256 * 2"],"block":["128"]
// CHECK-SAME: "grid":["min((n + 128 - 1) / 128, 4096)"],"block":["128"]
// CHECK-SAME: "grid":["n < 1 ? 1 : n"],"block":["192"]
// CHECK-SAME: "grid":["(n + 128 - 1) / 128"],"block":["128"]
// CHECK-SAME: "grid":["device.multiprocessors"],"block":["128"]
// CHECK-SAME: "grid":["2 * device.multiprocessors"],"block":["128"]
// CHECK-SAME: "grid":["(n + 31) / 32"],"block":["32"]
// What an argument was made from is called like the argument.
// CHECK-SAME: "grid":["(n * 3 + 127) / 128"],"block":["128"]
// CHECK-SAME: "grid":["(n + 63) / 64"],"block":["64"]
// CHECK-SAME: "grid":["1 ? n / 2 : n"],"block":["128"]
// What a loop, another function or a later turn of a loop writes is not read.
// CHECK-SAME: "grid":[],"block":["128"]
// CHECK-SAME: "grid":[],"block":["128"]
// CHECK-SAME: "grid":[],"block":["128"]
// CHECK-SAME: "grid":[],"block":["128"]
// An argument that is written after it was made is something else.
// CHECK-SAME: "grid":[],"block":["96"]
#include "geometry.h"
void other(int *p);
#define CHECKED(call) do { if ((call) != cudaSuccess) return; } while (0)
#pragma ktune problem(n = 8) out(y[n])
__global__ void k(float *y, int n) { y[0] = n; }

void run(float *y, int n, int device, cudaStream_t s)
{
	int blocks = (n + 31) / 32;
	int threads = 32;
	blocks = (n + 63) / 64;
	threads = 64;
	k<<<blocks, threads>>>(y, n);
}
void capped(float *y, int n)
{
	int blocks = (n + 255) / 256;
	if (blocks > 1024)
		blocks = 1024;
	k<<<blocks, 256>>>(y, n);
}
void branches(float *y, int n)
{
	int blocks, other_blocks = 0;
	if (n < 1000) {
		blocks = n;
	} else {
		blocks = 1000;
	}
	k<<<blocks, 128>>>(y, n);
	if (n < 1000)
		other_blocks = n;
	else
		other_blocks = 2 * n;
	k<<<other_blocks, 128>>>(y, n);
}
void compound(float *y, int n)
{
	int blocks = (n + 255) / 256;
	blocks *= 2;
	k<<<blocks, 128>>>(y, n);
}
void helpers(float *y, int n)
{
	dim3 grid(helper::capped(n, 128));
	k<<<grid, 128>>>(y, n);
	k<<<helper::at_least_one(n), helper::threads>>>(y, n);
	k<<<(index_type)helper::round_up<index_type>(n, 128), 128>>>(y, n);
}
void device_limits(float *y, int n, int device)
{
	int count = 0, checked;
	cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
	k<<<count, 128>>>(y, n);
	CHECKED(cudaDeviceGetAttribute(&checked, cudaDevAttrMultiProcessorCount, device));
	k<<<2 * checked, 128>>>(y, n);
}
void dims(float *y, int n)
{
	dim3 grid, block;
	grid = dim3((n + 31) / 32);
	block = dim3(32);
	k<<<grid, block>>>(y, n);
}
struct shape {
	long at(int i) const;
};
void made_from(float *y, const long long *v, const shape &s)
{
	const long long size = v[0], total = v[0] * 3;
	const int blocks = (int)((total + 127) / 128);
	k<<<blocks, 128>>>(y, size);
	const int rows = (int)s.at(1);
	k<<<(s.at(1) + 63) / 64, 64>>>(y, rows);
}
void flags(float *y, int n)
{
	bool halved = true;
	int blocks = n;
	if (halved)
		blocks = n / 2;
	k<<<blocks, 128>>>(y, n);
}
void no(float *y, int n)
{
	int blocks = n;
	for (int i = 0; i < 3; i++)
		blocks = n / 2;
	k<<<blocks, 128>>>(y, n);
	int passed = n;
	other(&passed);
	k<<<passed, 128>>>(y, n);
	int turns = n;
	for (int i = 0; i < 3; i++) {
		k<<<turns, 128>>>(y, n);
		turns = 5;
	}
	int nested = n;
	if (n > 2) {
		if (n > 5)
			nested = 5;
	}
	k<<<nested, 128>>>(y, n);
}
void made_and_written(float *y, const long long *v)
{
	long long size = v[0];
	if (y != nullptr)
		size++;
	k<<<v[0], 96>>>(y, size);
}
