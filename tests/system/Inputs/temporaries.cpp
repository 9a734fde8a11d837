/* ROWS D TIMES: calls run() so often, on one device after the other; -1: once, behind an error of the program's own. */
#include <cuda_runtime_api.h>
#include <cstdio>
#include <cstdlib>

void run(float *y, const float *x, int rows, int d, cudaStream_t s);

int main(int count, char **words)
{
	const int rows = atoi(words[1]), d = atoi(words[2]), times = atoi(words[3]);
	int devices = 1;
	float *y = nullptr, *x = nullptr;

	if (count != 4 || cudaGetDeviceCount(&devices) != cudaSuccess)
		return 1;
	if (times < 0)
		(void)cudaSetDevice(99);
	for (int i = 0; i < abs(times); i++) {
		if (times > 0 && cudaSetDevice(i % devices) != cudaSuccess)
			return 1;
		run(y, x, rows, d, nullptr);
		printf("%s\n", cudaGetLastError() == cudaSuccess ? "no error" : "an error");
	}
	return 0;
}
