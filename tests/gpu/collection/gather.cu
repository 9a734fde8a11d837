// Rows of an embedding table by token, an element a thread.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#pragma ktune problem((tokens, d) = (64, 4096), (16384, 4096)) in(table[32000 * d], token[tokens] : range(0, 31999)) \
              out(out[tokens * d]) bytes(tokens * d * 4)
__global__ void gather(__half *out, const __half *table, const int *token, int tokens, int d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < tokens * d) {
		int row = i / d;
		int column = i % d;
		out[i] = table[token[row] * d + column];
	}
}

void run(__half *out, const __half *table, const int *token, int tokens, int d, cudaStream_t stream)
{
	gather<<<(tokens * d + 255) / 256, 256, 0, stream>>>(out, table, token, tokens, d);
}
