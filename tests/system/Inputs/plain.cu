// No region.
__global__ void plain(int *y)
{
	y[threadIdx.x] = 1;
}
