// exact
// libclang's extent of the outermost statement leaves out the semicolon of the innermost.
#pragma ktune problem(h = 9; w = 20) in(x[h * w]) out(y[h * w])
__global__ void k0(const float *x, float *y, int w, int h)
{
	int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y;
	if (i < w)
		if (j < h)
			for (int t = 0; t < 3; t++)
				if (float v = x[j * w + i] * t)
					y[j * w + i] = v;
				else
					y[j * w + i] = -1;
}
void run0(const float *x, float *y, int w, int h) { k0<<<dim3((w + 31) / 32, (h + 3) / 4), dim3(32, 4)>>>(x, y, w, h); }
