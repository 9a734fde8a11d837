// What every trap shares: device memory with known content, and a digest of a result on standard output.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

static inline void check(cudaError_t error)
{
	if (error != cudaSuccess) {
		std::printf("error %s\n", cudaGetErrorName(error));
		std::exit(1);
	}
}

template <typename T> static T *filled(int n)
{
	std::vector<T> host(static_cast<size_t>(n));
	T *device = nullptr;

	for (int i = 0; i < n; i++)
		host[static_cast<size_t>(i)] = static_cast<T>(i % 17 + 1);
	check(cudaMalloc(&device, sizeof(T) * static_cast<size_t>(n)));
	check(cudaMemcpy(device, host.data(), sizeof(T) * static_cast<size_t>(n), cudaMemcpyHostToDevice));
	return device;
}

template <typename T> static void show(const char *what, const T *device, int n)
{
	std::vector<T> host(static_cast<size_t>(n));
	unsigned long long hash = 1469598103934665603ull;
	std::vector<unsigned char> bytes(sizeof(T) * static_cast<size_t>(n));

	check(cudaGetLastError());
	check(cudaDeviceSynchronize());
	check(cudaMemcpy(host.data(), device, sizeof(T) * static_cast<size_t>(n), cudaMemcpyDeviceToHost));
	std::memcpy(bytes.data(), host.data(), bytes.size());
	for (unsigned char b : bytes)
		hash = (hash ^ b) * 1099511628211ull;
	std::printf("%s %016llx\n", what, hash);
}
