/* Macros that lead to one launch in several ways, as lists of types and of kernels have it. Prints which kernels run. */
#include <stdio.h>
extern "C" void stub_launched(const char *name, void **) { printf("%s\n", name); }
#define BLOCK 128
#define CEIL(n, b) (((n) + (b)-1) / (b))

#pragma ktune problem(n = 4096) out(y[n]) in(x[n]) tune(BLOCK = 64, 128)
template <typename T> __global__ void kernel(T *y, const T *x, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}
#pragma ktune problem(n = 4096) out(y[n]) in(x[n]) tune(BLOCK = 64, 128)
template <typename T> __global__ void other(T *y, const T *x, int n)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i < n)
		y[i] = x[i] + 1;
}
template <typename T> __global__ void untuned(T *y, const T *x, int n) { y[0] = x[n - n]; }

/* Lists of types: the macro that launches is given to another one. */
#define FOR_TYPES(X) X(float) X(double)
#define FOR_ALL(X) FOR_TYPES(X) FOR_MORE(X, 3)
#define FOR_MORE(DO, SIZE) DO(int) DO(unsigned)
#define CASE(T)                                                                                                            \
	case sizeof(T) * 8 + (T(-1) < T(0)) * 4 + (T(1.5) == T(1)) * 2:                                                    \
		kernel<T><<<CEIL(n, BLOCK), BLOCK>>>((T *)y, (const T *)x, n);                                             \
		break;
static void types(int which, void *y, const void *x, int n)
{
	switch (which) {
		FOR_ALL(CASE)
	}
}
/* Two uses in one macro, of one kernel and of several. */
#define GO(T) kernel<T><<<CEIL(n, BLOCK), BLOCK>>>((T *)y, (const T *)x, n)
#define EITHER(c, T, U)                                                                                                    \
	do {                                                                                                               \
		if (c)                                                                                                     \
			GO(T);                                                                                             \
		else                                                                                                       \
			GO(U);                                                                                             \
	} while (0)
#define LAUNCH(K, ...) K<<<CEIL(n, BLOCK), BLOCK>>>(__VA_ARGS__)
#define THREE(T) LAUNCH(kernel<T>, (T *)y, (const T *)x, n), LAUNCH(untuned<T>, (T *)y, (const T *)x, n), LAUNCH(other<T>, (T *)y, (const T *)x, n)
#define REPEATED(S) S; S
static void uses(bool c, void *y, const void *x, int n)
{
	EITHER(c, float, double);
	THREE(float);
	REPEATED(GO(float));
	REPEATED(THREE(double));
}
/* One copy cannot launch several kernels, or be a part of a name or a string. */
#define FOR_KERNELS(X) X(kernel) X(other) X(untuned)
#define RUN(K) K<float><<<CEIL(n, BLOCK), BLOCK>>>((float *)y, (const float *)x, n);
#define FOR_INSTANCES(X) X(kernel<float>) X(kernel<double>)
#define PASTED(X) X(float); X##_MORE(double)
#define SHOWN(X) X(float) puts(#X);
#define GO_MORE(T) untuned<T><<<CEIL(n, BLOCK), BLOCK>>>((T *)y, (const T *)x, n);
#define ADDRESS_OF(K) LAUNCH(K, nullptr, nullptr, n);
static void left(void *y, const void *x, int n)
{
	FOR_KERNELS(RUN)
	FOR_INSTANCES(ADDRESS_OF)
	PASTED(GO);
#define CASE_OF_ONE(T) GO(T);
	SHOWN(CASE_OF_ONE)
}

int main()
{
	for (int which : {32 + 4 + 0, 64 + 4, 32 + 4 + 2, 32 + 2})
		types(which, nullptr, nullptr, 4096);
	puts("uses");
	uses(true, nullptr, nullptr, 4096);
	uses(false, nullptr, nullptr, 4096);
	puts("left");
	left(nullptr, nullptr, 4096);
}
