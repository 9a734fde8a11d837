// Objects of classes that have constructors and no default one, made by operators of others.
template <typename T, int N> struct view {
	T *at;
	const int *steps;
	__host__ __device__ view(T *at, const int *steps) : at(at), steps(steps) {}
	__device__ view<T, N - 1> operator[](int i) const { return view<T, N - 1>(at + steps[0] * i, steps + 1); }
};
template <typename T> struct view<T, 1> {
	T *at;
	const int *steps;
	__host__ __device__ view(T *at, const int *steps) : at(at), steps(steps) {}
	__device__ T &operator[](int i) const { return at[steps[0] * i]; }
};
template <typename T, int N> struct tensor {
	T *at;
	int steps[N];
	__device__ view<T, N - 1> operator[](int i) const { return view<T, N - 1>(at + steps[0] * i, steps + 1); }
};
#pragma ktune problem(n = 64, 256) in(x.at[n * n]) out(y.at[n * n]) value(x.steps = {n, 1}, y.steps = {n, 1})
__global__ void turned(tensor<float, 2> y, tensor<const float, 2> x, int n)
{
	__shared__ float tile[16][17];
	const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
	auto row = x[i];

	if (i < n && j < n)
		tile[threadIdx.y][threadIdx.x] = row[j];
	__syncthreads();
	const int to = blockIdx.x * 16 + threadIdx.y, from = blockIdx.y * 16 + threadIdx.x;
	if (to < n && from < n)
		y[to][from] = tile[threadIdx.x][threadIdx.y];
}
void run(tensor<float, 2> y, tensor<const float, 2> x, int n)
{
	turned<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(y, x, n);
}
