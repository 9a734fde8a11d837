/* Thin functions that launch the kernel which they are given. */
#ifndef LAUNCH_H
#define LAUNCH_H
#include <cuda_runtime.h>
#include <utility>

struct params {
	dim3 blocks, threads;
	size_t shared;
	cudaStream_t stream;
	params(const dim3 &b, const dim3 &t, size_t s, cudaStream_t on) : blocks(b), threads(t), shared(s), stream(on) {}
};

/* External linkage: one of the units' is linked. */
template <typename F, typename... A> void launch(F kernel, const params &p, A &&...args)
{
	cudaFuncAttributes attributes;
	(void)cudaFuncGetAttributes(&attributes, kernel);
	kernel<<<p.blocks, p.threads, p.shared, p.stream>>>(std::forward<A>(args)...);
}

template <typename... P, typename... A> static void extended(void (*kernel)(P...), int n, bool attribute, A &&...args)
{
	cudaLaunchAttribute attributes[1] = {};
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3((n + 127) / 128);
	config.blockDim = dim3(128);
	attributes[0].id = cudaLaunchAttributePriority;
	config.attrs = attributes;
	config.numAttrs = attribute ? 1 : 0;
	if (cudaLaunchKernelEx(&config, kernel, std::forward<A>(args)...) != cudaSuccess)
		__builtin_abort();
}

#define CHECKED(CALL) do { if ((CALL) != cudaSuccess) __builtin_abort(); } while (0)
void erased(const void *kernel, int n, void **arguments);
void more(float *y, int n);
#endif
