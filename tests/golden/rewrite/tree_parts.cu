// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// What a loop leaves in a thread is converted to the type of the array: other parts must not give another whole.
// CHECK-COUNT-7: template of
// CHECK-NOT: template of
// CHECK-COUNT-9: declined partial-used line {{[0-9]+}} each thread's part is converted to '{{[a-z ]+}}' here
// CHECK: declined carried line
// CHECK-NOT: declined
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: uniform(-1, 1)) out(y[rows])
__global__ void floats(float *y, const float *x, int d)
{
	__shared__ float part[128];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: uniform(-1, 1)) out(y[rows])
__global__ void doubles(double *y, const float *x, int d)
{
	__shared__ double part[128];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(-100, 100)) out(y[rows])
__global__ void ints(int *y, const int *x, int d)
{
	__shared__ int part[128];
	int sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(-100, 100)) out(y[rows])
__global__ void wide_ints(long long *y, const int *x, int d)
{
	__shared__ long long part[128];
	int sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(0, 100)) out(y[rows])
__global__ void low_bits(unsigned char *y, const int *x, int d)
{
	__shared__ unsigned char part[128];
	int sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(-128, 127)) out(y[rows])
__global__ void most_of_bytes(int *y, const signed char *x, int d)
{
	__shared__ int part[128];
	signed char sum = -128;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum = max(sum, (signed char)x[(size_t)blockIdx.x * d + i]);
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] = max(part[threadIdx.x], part[threadIdx.x + w]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(-100, 100)) out(y[rows])
__global__ void most_of_ints(float *y, const int *x, int d)
{
	__shared__ float part[128];
	int sum = -1000;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum = max(sum, (int)x[(size_t)blockIdx.x * d + i]);
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] = max(part[threadIdx.x], part[threadIdx.x + w]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: uniform(0, 1)) out(y[rows])
__global__ void cut_floats(int *y, const float *x, int d)
{
	__shared__ int part[128];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: uniform(0, 1)) out(y[rows])
__global__ void cut_bytes(signed char *y, const float *x, int d)
{
	__shared__ signed char part[128];
	float sum = 0.0f;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(-300, 300)) out(y[rows])
__global__ void wrapped_most(signed char *y, const int *x, int d)
{
	__shared__ signed char part[128];
	int sum = -1000;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum = max(sum, (int)x[(size_t)blockIdx.x * d + i]);
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] = max(part[threadIdx.x], part[threadIdx.x + w]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(-300, 300)) out(y[rows])
__global__ void wrapped_least(unsigned char *y, const int *x, int d)
{
	__shared__ unsigned char part[128];
	int sum = 1000;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum = min(sum, (int)x[(size_t)blockIdx.x * d + i]);
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] = min(part[threadIdx.x], part[threadIdx.x + w]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(-300, 300)) out(y[rows])
__global__ void unsigned_most(unsigned *y, const int *x, int d)
{
	__shared__ unsigned part[128];
	int sum = -1000;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum = max(sum, (int)x[(size_t)blockIdx.x * d + i]);
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] = max(part[threadIdx.x], part[threadIdx.x + w]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(0, 300)) out(y[rows])
__global__ void any(bool *y, const int *x, int d)
{
	__shared__ bool part[128];
	int sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum = max(sum, (int)x[(size_t)blockIdx.x * d + i]);
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] = max(part[threadIdx.x], part[threadIdx.x + w]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(0, 4000000000)) out(y[rows])
__global__ void wrapped_sum(unsigned long long *y, const unsigned *x, int d)
{
	__shared__ unsigned long long part[128];
	unsigned sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(0, 255)) out(y[rows])
__global__ void wrapped_bytes(int *y, const unsigned char *x, int d)
{
	__shared__ int part[128];
	unsigned char sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(0, 100000000)) out(y[rows])
__global__ void rounded_ints(float *y, const int *x, int d)
{
	__shared__ float part[128];
	int sum = 0;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum += x[(size_t)blockIdx.x * d + i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] += part[threadIdx.x + w];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
#pragma ktune problem(rows = 16; d = 256) in(x[rows * d]: range(-2000000000, 2000000000)) out(y[rows])
__global__ void through_float(int *y, const int *x, int d)
{
	__shared__ int part[128];
	int sum = -1000;
	for (int i = threadIdx.x; i < d; i += blockDim.x)
		sum = fmaxf(sum, x[(size_t)blockIdx.x * d + i]);
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int w = blockDim.x / 2; w > 0; w /= 2) {
		if (threadIdx.x < w)
			part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + w]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		y[blockIdx.x] = part[0];
}
void run(bool *y_0, const int *x_0, double *y_1, const float *x_1, float *y_2, const float *x_2, float *y_3, const int *x_3, int *y_4, const float *x_4, int *y_5, const int *x_5, int *y_6, const signed char *x_6, int *y_7, const unsigned char *x_7, long long *y_8, const int *x_8, signed char *y_9, const float *x_9, signed char *y_10, const int *x_10, unsigned *y_11, const int *x_11, unsigned char *y_12, const int *x_12, unsigned long long *y_13, const unsigned *x_13, int rows, int d)
{
	floats<<<rows, 128>>>(y_2, x_2, d);
	doubles<<<rows, 128>>>(y_1, x_1, d);
	ints<<<rows, 128>>>(y_5, x_5, d);
	wide_ints<<<rows, 128>>>(y_8, x_8, d);
	low_bits<<<rows, 128>>>(y_12, x_12, d);
	most_of_bytes<<<rows, 128>>>(y_6, x_6, d);
	most_of_ints<<<rows, 128>>>(y_3, x_3, d);
	cut_floats<<<rows, 128>>>(y_4, x_4, d);
	cut_bytes<<<rows, 128>>>(y_9, x_9, d);
	wrapped_most<<<rows, 128>>>(y_10, x_10, d);
	wrapped_least<<<rows, 128>>>(y_12, x_12, d);
	unsigned_most<<<rows, 128>>>(y_11, x_11, d);
	any<<<rows, 128>>>(y_0, x_0, d);
	wrapped_sum<<<rows, 128>>>(y_13, x_13, d);
	wrapped_bytes<<<rows, 128>>>(y_7, x_7, d);
	rounded_ints<<<rows, 128>>>(y_3, x_3, d);
	through_float<<<rows, 128>>>(y_5, x_5, d);
}
