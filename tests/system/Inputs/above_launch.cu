// Pragmas above single launches: in a class, of a kernel template in a header, by names of the host.
#include "above_launch.cuh"
#include <vector>
__global__ void add(const float *x, const float *y, float *z, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		z[i] = x[i] + y[i];
}
struct Layer {
	float *input, *output;
	int width;
	void forward(cudaStream_t stream)
	{
		const int blocks = (width + 255) / 256;
#pragma ktune problem(width = 4096, 1000000) in(input[width]) out(output[width])
		add<<<blocks, 256, 0, stream>>>(input, input, output, width);
	}
};
template <typename T> void halve(const std::vector<T> &host, T *result, T *values)
{
	int length = (int)host.size();
	dim3 grid((length + 255) / 256);
#pragma ktune problem(length = 4096, 1 << 20) in(values[length]) out(result[length])
	scale<T><<<grid, 256>>>(result, values, T(0.5), length);
}
int main()
{
	std::vector<float> host(8);
	Layer layer{nullptr, nullptr, 8};
	layer.forward(0);
	halve<float>(host, nullptr, nullptr);
	return 0;
}
