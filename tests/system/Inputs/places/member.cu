template <typename T> struct box {
#pragma ktune problem(n = 4096) out(y[n])
	static __global__ void fill(T *y, int n) { y[n - 1] = 0; }
};
