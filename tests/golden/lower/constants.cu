// RUN: %lower %s --all -- -std=c++17 | diff %S/constants.ir -
// Constants that are no literals: variables of templates, and variables of functions that all threads have alike.
template <typename T, typename... Ts> constexpr bool is_one_of = (__is_same(T, Ts) || ...);
template <int N> inline constexpr float weight_of = 1.0f / N;

template <typename T> __device__ T doubled(T v)
{
	if constexpr (is_one_of<T, float, double>)
		return v + v;
	else
		return v << 1;
}

template <typename T, int N> __global__ void parts(T *y, const T *x, int n)
{
	static constexpr int count = N / 32;
	static const float scale = weight_of<N> * 2;
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	T kept[count];
	for (int k = 0; k < count; k++)
		kept[k] = doubled(x[i * count + k]);
	for (int k = 0; k < count; k++)
		y[i * count + k] = kept[k] * scale;
}

// What a thread may change, or where it is.
__global__ void changing(int *y, int n)
{
	static int calls = 0;
	static const int first = 7;
	const int *at = &first;
	y[threadIdx.x] = ++calls + *at;
}

void run(float *y, const float *x, int *z, const int *v, int n)
{
	parts<float, 64><<<n / 128, 128>>>(y, x, n);
	parts<int, 96><<<n / 128, 128>>>(z, v, n);
	changing<<<1, 128>>>(z, n);
}
