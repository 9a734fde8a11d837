// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Memory that a function reaches through a pointer in an object: no argument of the call shows it, so that loops which call
// it keep their order. A function that reads numbers of the object alone is no obstacle.
// CHECK: template of 4 0
// CHECK: guard disjoint(x, n, z, n)
// CHECK: declined loop-unread line 29
// CHECK: declined loop-unread line 35
// CHECK: declined loop-unread line 41
// CHECK: declined loop-unread line 47
template <typename T> class list {
	T *data_;
	int sizes_[2];

      public:
	__device__ int size(int i) const { return sizes_[i]; }
	__device__ T &operator[](int i) { return data_[i]; }
	__device__ void put(int i, T v) { at(i) = v; }
	__device__ T &at(int i) { return this->data_[i]; }
};
struct plain {
	float *p;
	int m;
};
__device__ void put(plain y, int i, float v) { y.p[i] = v; }
#pragma ktune problem(n = 1024, 4096) in(x[n]) out(y.data_[n]) value(y.sizes_ = {n, 1})
__global__ void by_operator(const float *x, list<float> y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] = x[i] + y.size(1);
}
#pragma ktune problem(n = 1024, 4096) in(x[n]) inout(y.data_[n]) value(y.sizes_ = {n, 1})
__global__ void by_sum(const float *x, list<float> y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y[i] += x[i];
}
#pragma ktune problem(n = 1024, 4096) in(x[n]) out(y.data_[n]) value(y.sizes_ = {n, 1})
__global__ void by_method(const float *x, list<float> y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		y.put(i, x[i]);
}
#pragma ktune problem(n = 1024, 4096) in(x[n]) out(y.p[n]) value(y.m = 1)
__global__ void by_function(const float *x, plain y, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		put(y, i, x[i]);
}
#pragma ktune problem(n = 1024, 4096) in(x[n], y.data_[n]) out(z[n]) value(y.sizes_ = {n, 1})
__global__ void numbers_alone(const float *x, list<float> y, float *z, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		z[i] = x[i] + y.size(1);
}
void run(const float *x, list<float> y, plain p, float *z, int n)
{
	by_operator<<<4, 256>>>(x, y, n);
	by_sum<<<4, 256>>>(x, y, n);
	by_method<<<4, 256>>>(x, y, n);
	by_function<<<4, 256>>>(x, p, n);
	numbers_alone<<<4, 256>>>(x, y, z, n);
}
