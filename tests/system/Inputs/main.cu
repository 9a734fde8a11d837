// Checks saxpy on the device: exit code 0 right, 1 wrong, 77 no device.
#include <cstdio>
#include <cstdlib>
#include <vector>

cudaError_t run_saxpy(float *y, const float *x, float a, int n, cudaStream_t stream);

int main()
{
	int devices = 0, wrong = 0;
	if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
		return 77;
	for (int n : {1, 1000, 4096, 1048576}) {
		std::vector<float> x(n), y(n);
		float *dx, *dy;
		for (int i = 0; i < n; i++)
			x[i] = i % 17, y[i] = i % 5;
		cudaMalloc(&dx, n * sizeof(float));
		cudaMalloc(&dy, n * sizeof(float));
		cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
		cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
		if (run_saxpy(dy, dx, 2, n, 0) != cudaSuccess)
			return 1;
		std::vector<float> out(n);
		cudaMemcpy(out.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost);
		for (int i = 0; i < n; i++)
			wrong += out[i] != 2 * x[i] + y[i];
		cudaFree(dx);
		cudaFree(dy);
	}
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
