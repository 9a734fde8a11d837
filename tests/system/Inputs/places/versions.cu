namespace lib
{
inline namespace v2
{
__global__ void fill(float *y, int n)
{
	if (threadIdx.x < n)
		y[threadIdx.x] = n;
}
} // namespace v2
#ifdef BOTH
__global__ void fill(float *y, long n);
#endif
} // namespace lib
#ifdef WHOLE
#pragma ktune kernel(lib::v2::fill) problem(n = 64) out(y[n])
#else
#pragma ktune kernel(lib::fill) problem(n = 64) out(y[n])
#endif
void run(float *y, int n) { lib::fill<<<1, 64>>>(y, n); }
