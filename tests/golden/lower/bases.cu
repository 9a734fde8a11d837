// RUN: %lower %s -- -std=c++17 | diff %S/bases.ir -
// Base classes: members, methods, a base of a base, a template that is given its own derived class.
struct size {
	int rows, cols;
	__device__ int count() const { return rows * cols; }
};
struct scaled_size : size {
	float scale;
};
struct view : scaled_size {
	int first;
	float rows; // hides the base's
	__device__ float at(const float *x, int i) const { return x[first + i * cols + size::rows] * scale + rows; }
};
template <typename D> struct crtp {
	float bias;
	__device__ float operator()(float v) const { return static_cast<const D *>(this)->apply(v) + static_cast<const D &>(*this).bias; }
};
struct twice : crtp<twice> {
	float by;
	__device__ float apply(float v) const { return v * by; }
};
struct point {
	float x, y;
};
struct mass : point {
	float m;
};
__device__ float sum(const point &p)
{
	return p.x + p.y;
}
#pragma ktune problem(n = 100) in(x[n], p[n]) out(y[n]) value(v.rows = 10, v.cols = 10, v.scale = 2.0f, v.first = 0, f.bias = 1.0f, f.by = 3.0f)
template <typename F> __global__ void derived(float *y, const float *x, view v, F f, mass *p, int n)
{
	int i = threadIdx.x;
	mass own = p[i];
	own.x += 1.0f;
	own.m = own.y;
	if (i < n && i < v.count() && i < v.size::rows) {
		y[i] = v.at(x, i) + f(x[i]) + p[i].x * p[i].m + sum(p[i]) + sum(own);
		p[i].y = own.m;
		p[i] = own;
	}
}
void run(float *y, const float *x, view v, twice f, mass *p, int n)
{
	derived<twice><<<1, 100>>>(y, x, v, f, p, n);
}
// A base that depends on the arguments of the class, by value.
template <typename T, int N> class sizes {
public:
	__device__ int size(int i) const { return sizes_[i]; }
protected:
	T *data_;
	int sizes_[N];
};
template <typename T, int N> class access : public sizes<T, N> {
public:
	__device__ T &operator[](int i) { return this->data_[i]; }
};
#pragma ktune problem(n = 100) out(y.data_[n]) in(x.data_[n]) value(y.sizes_ = {n, 1}, x.sizes_ = {n})
__global__ void accessed(access<float, 2> y, access<short, 1> x)
{
	const int i = threadIdx.x;
	if (i < y.size(0))
		y[i] = x[i] + y.size(1);
}
// Made by the constructor of its base, in the place of it.
template <typename T> struct line {
	T *at;
	const int *steps;
	__device__ line(T *at, const int *steps) : at(at), steps(steps) {}
};
template <typename T> struct row : line<T> {
	float by;
	__device__ row(T *at, const int *steps, float by) : line<T>(at, steps), by(by) {}
	__device__ T &operator[](int i) const { return this->at[i * this->steps[0]]; }
};
#pragma ktune problem(n = 100) out(y[n]) in(s[1])
__global__ void made(float *y, const int *s, int n)
{
	const int i = threadIdx.x;
	const row<float> r(y + 1, s, 2.0f);
	if (i < n - 1)
		r[i] = r.by;
}
void run_made(float *y, const int *s, int n) { made<<<1, 100>>>(y, s, n); }
void run_accessed(access<float, 2> y, access<short, 1> x) { accessed<<<1, 100>>>(y, x); }
