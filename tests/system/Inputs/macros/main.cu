/* Launches that bodies of macros write, in the forms that real projects have. Prints what each kernel receives. */
#include <stdio.h>
#include "launch.h"

#define BLOCK 128
/* Before the kernels that they launch. */
#define CASE(T)                                                                                                            \
	case sizeof(T):                                                                                                    \
		kernel<T><<<CEIL(n, BLOCK), BLOCK>>>((T *)out, (const T *)in, n); /* a comment */                          \
		break;
#define PASTE(name, n)                                                                                                     \
	do {                                                                                                               \
		const int threads = BLOCK;                                                                                 \
		dim3 grid(CEIL(n, threads));                                                                               \
		name##_kernel<<<grid, threads>>>(y, n);                                                                    \
	} while (0)
#define OUTER(...) LAUNCH(plain_kernel, CEIL(n, BLOCK), BLOCK, ##__VA_ARGS__)
#define DISPATCH(TYPE, ...)                                                                                                \
	[&] {                                                                                                              \
		using scalar_t = TYPE;                                                                                     \
		__VA_ARGS__                                                                                                \
	}()

#pragma ktune problem(n = 4096) out(y[n]) tune(BLOCK = 64, 128)
__global__ void plain_kernel(float *y, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = i;
}
#pragma ktune problem(n = 4096) out(y[n]) in(x[n]) tune(BLOCK = 64, 128)
template <typename T> __global__ void kernel(T *y, const T *x, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
/* Its launches tell the rows by the name of a variable. */
#pragma ktune problem(rows = 64) out(y[rows * 256]) grid(rows) block(WIDTH) tune(WIDTH = 64, 128)
#define WIDTH 128
__global__ void row_kernel(float *y)
{
	for (int i = threadIdx.x; i < 256; i += WIDTH)
		y[blockIdx.x * 256 + i] = i;
}
__global__ void other_kernel(float *y, int n) { y[0] = n; }

extern "C" void stub_launched(const char *name, void **arguments)
{
	printf("%s\n", name);
	(void)arguments;
}

static int calls;
static int next(int n)
{
	printf("[next %d] ", ++calls);
	return n;
}

static void plain(float *y, int n, cudaStream_t stream)
{
	LAUNCH(plain_kernel, CEIL(n, BLOCK), BLOCK, y, n);
	LAUNCH(other_kernel, 1, 1, y, n);
	LAUNCH(plain_kernel, CEIL(next(n), BLOCK), BLOCK,
	       y, next(n));
	printf("line %d count %d\n", __LINE__, __COUNTER__);
	PASTE(plain, n);
	OUTER(y, n);
	LAUNCH(::plain_kernel, CEIL(n, BLOCK), BLOCK, y, n);
	SHOW(LAUNCH(plain_kernel, 32, 128, y, n));
	SHOWN(plain_kernel, 32, 128);
	LAUNCH_CHECKED(plain_kernel, <<<32, 128>>>(y, n));
}

template <typename T> static void pairs(T *y, const T *x, int n, cudaStream_t stream)
{
	LAUNCH(kernel<T>, CEIL(n, BLOCK), BLOCK, y, x, n);
	LAUNCH(kernel, CEIL(n, BLOCK), BLOCK, y, x, n);
}

static void typed(void *out, const void *in, int n, int size)
{
	switch (size) {
		CASE(float)
		CASE(double)
	}
	DISPATCH(float, switch (size) { CASE(scalar_t) });
}

/* Its lines are joined as the preprocessor joins them, in a string and between template arguments. */
#define SAID(T, y)                                                                                                         \
	(printf("%s", "one \
word "),                                                                                                                    \
	 kernel<                                                                                                           \
	     T>                                                                                                            \
	     <<<CEIL(next(n), BLOCK), BLOCK>>>(y, y, n))
static void said(float *y, int n)
{
	SAID(float, y);
	printf("line %d\n", __LINE__);
}

/* One name, two definitions. */
static void again(float *y, int n)
{
#define RUN(n) plain_kernel<<<CEIL(n, BLOCK), BLOCK>>>(y, n)
	RUN(n);
#undef RUN
#define RUN(n) plain_kernel<<<CEIL(n, BLOCK) + 1, BLOCK>>>(y, n)
	RUN(n);
#undef RUN
}

static void by_name(float *y, int rows, int other)
{
#define ROWS(...) row_kernel<<<rows, WIDTH>>>(y)
	ROWS();
#undef ROWS
/* Its variable is not the one that a launch there would have. */
#define ROWS(count)                                                                                                        \
	do {                                                                                                               \
		int rows = count;                                                                                          \
		row_kernel<<<rows, WIDTH>>>(y);                                                                            \
	} while (0)
	ROWS(other);
#pragma ktune bind(rows = other)
	LAUNCH_ROWS(row_kernel, other, y);
}

int main()
{
	static float y[4096];
	static double x[4096];
	plain(y, 4096, 0);
	pairs(y, y, 4096, 0);
	pairs(x, x, 4096, 0);
	typed(y, y, 4096, 4);
	typed(x, x, 4096, 8);
	said(y, 4096);
	again(y, 4096);
	by_name(y, 64, 32);
	printf("%d %d\n", calls, __COUNTER__);
	return 0;
}
