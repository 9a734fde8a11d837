// A thousand variants, every tenth bad in a way of its own unless FAULTS is 0. Tuned by tests/system/Inputs/faults.py.
#ifndef FAULTS
#define FAULTS 1
#endif
#ifndef CASE
#define CASE 0
#endif

#pragma ktune problem(n = 4097, 65536) in(x[n]) out(y[n]) tune(CASE = 0..999 step +1) grid(ceil_div(n, 128)) block(128) \
    specialize(off)
__global__ void scale(float *__restrict__ y, const float *__restrict__ x, int n)
{
	constexpr int kind = FAULTS && CASE % 10 == 9 ? CASE / 10 % 10 + 1 : 0;
	int i = blockIdx.x * 128 + threadIdx.x;

	// Beyond what a block may have: no binary.
	if constexpr (kind == 10) {
		__shared__ float large[100000];
		large[threadIdx.x] = 0;
		__syncthreads();
		i += int(large[0]);
	}
	if (i >= n)
		return;
	if constexpr (kind == 1) // the tail is skipped
		if (i == n - 1)
			return;
	y[i] = kind == 2 ? 3 * x[i] : 2 * x[i]; // wrong
	if constexpr (kind == 3) // one behind the end
		if (i == 0)
			y[n] = 7;
	if constexpr (kind == 4) // one before the start
		if (i == 0)
			y[-1] = 7;
	if constexpr (kind == 5) // an input is changed
		if (i == 0)
			const_cast<float *>(x)[5] = 1;
	if constexpr (kind == 6) // illegal address
		*reinterpret_cast<float *>(reinterpret_cast<size_t>(y) + (size_t(1) << 46)) = 1;
	if constexpr (kind == 7) // endless: no element is that large
		while (*static_cast<volatile const float *>(x) < 1e30f)
			;
	if constexpr (kind == 8) // trap
		__trap();
	if constexpr (kind == 9) // misaligned address
		*reinterpret_cast<double *>(reinterpret_cast<char *>(y) + 4) = 1;
}

void run(float *y, const float *x, int n)
{
	scale<<<(n + 127) / 128, 128>>>(y, x, n);
}
