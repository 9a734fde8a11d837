/* Launches without a kernel. */
#include <stdio.h>

#include "scale.h"

extern "C" void stub_launched(const char *name, void **arguments)
{
	(void)arguments;
	printf("%s\n", name);
}

template <typename... A> static void launch_any(void (*kernel)(A...), A... of)
{
	kernel<<<32, 128>>>(of...);
}

int main()
{
	float *x = nullptr, *y = nullptr;
	int n = 4096, rows = 64;
	const ops::size of = {1, 256};

	ops::scale<<<(n + 127) / 128, 128>>>(y, x, n);
	/* An argument with an effect comes after the configuration. */
	ops::scale<<<(n + 127) / 128, 128>>>(y++, x, n, 3.0f);
	ops::scale<<<7, 128>>>(y, x, n, 3.0f);
	ops::fill<<<rows, 128>>>(y, of);
	zero<<<1, 64>>>(y);
	launch_any(ops::scale, y, (const float *)x, n, 2.0f);
	return cudaGetLastError() != cudaSuccess;
}
