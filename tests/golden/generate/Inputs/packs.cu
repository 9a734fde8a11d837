// Rows that are read and written four numbers at once, through pointers of another type.
#pragma ktune problem(rows = 3, 16; width = 64, 256) in(x[rows * width], w[width]) out(y[rows * width])
__global__ void scaled(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int width)
{
	const float4 *from = reinterpret_cast<const float4 *>(x + blockIdx.x * width), *by = (const float4 *)w;
	float4 *to = reinterpret_cast<float4 *>(y + blockIdx.x * width);
	float squares = 0;
	for (int i = threadIdx.x; i < width / 4; i += blockDim.x) {
		const float4 v = from[i];
		squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
	}
	__shared__ float part[64];
	part[threadIdx.x] = squares;
	__syncthreads();
	for (int s = blockDim.x / 2; s > 0; s >>= 1) {
		if (threadIdx.x < s)
			part[threadIdx.x] += part[threadIdx.x + s];
		__syncthreads();
	}
	const float r = rsqrtf(part[0] / width + 1e-5f);
	for (int i = threadIdx.x; i < width / 4; i += blockDim.x) {
		const float4 v = from[i], g = by[i];
		to[i] = make_float4(v.x * r * g.x, v.y * r * g.y, v.z * r * g.z, v.w * r * g.w);
	}
}
// Not disjoint by declaration: guards ask.
#pragma ktune problem(rows = 3, 16; width = 64, 256) inout(x[rows * width]) in(w[width])
__global__ void added(float *x, const float *w, int width)
{
	float2 *to = reinterpret_cast<float2 *>(x + blockIdx.x * width);
	const float2 *by = reinterpret_cast<const float2 *>(w);
	for (int i = threadIdx.x; i < width / 2; i += blockDim.x) {
		to[i].x += by[i].x;
		to[i].y -= by[i].y;
	}
}
void run(float *x, float *w, float *y, int rows, int width)
{
	scaled<<<rows, 64>>>(x, w, y, width);
	added<<<rows, 64>>>(x, w, width);
}
