// Keys into the slots of a cache, a block a token; each slot is written at most once.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#pragma ktune problem((tokens, d) = (64, 1024), (32768, 1024)) in(key[tokens * d], slot[tokens] : iota) \
              inout(cache[tokens * d]) bytes(tokens * d * 4)
__global__ void scatter(__half *cache, const __half *key, const long long *slot, int d)
{
	long long to = slot[blockIdx.x];
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		cache[to * d + i] = key[(long long)blockIdx.x * d + i];
}

void run(__half *cache, const __half *key, const long long *slot, int tokens, int d, cudaStream_t stream)
{
	scatter<<<tokens, 128, 0, stream>>>(cache, key, slot, d);
}
