// Choices by numbers that are not int: what a case says is converted.
enum mode { plain, scaled = 7, shifted };
#pragma ktune problem(n = 4096, 65536) in(x[n], kinds[n]: range(0, 8)) out(y[n]) value(kind = 8)
__global__ void chosen(float *y, const float *x, const unsigned char *kinds, int n, mode kind, unsigned long long limit)
{
	__shared__ float own[128];
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned mine = i < n ? kinds[i] : 0;

	own[threadIdx.x] = i < n ? x[i] : 0;
	__syncthreads();
	float v = own[127 - threadIdx.x];
	switch (mine) {
	case 3:
		v *= 2;
		break;
	case 5u:
	case -1u:
		v += 1;
		break;
	default:
		v -= 1;
	}
	switch (limit) {
	case 1ull << 40:
		v = -v;
	}
	switch (kind) {
	case scaled:
		v *= 3;
		break;
	case shifted:
		v += 3;
		break;
	default:
		break;
	}
	if (i < n)
		y[i] = v;
}
void run(float *y, const float *x, const unsigned char *kinds, int n)
{
	chosen<<<(n + 127) / 128, 128>>>(y, x, kinds, n, shifted, 1ull << 40);
}
