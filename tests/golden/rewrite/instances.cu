// RUN: %rewrite %s -- -std=c++17 | python3 %S/Inputs/show.py | %FileCheck %s
// Where a thread stands may be asked in a class template, of which libclang does not show what an instance has: in what
// makes, copies, assigns or ends a member, a base, an element or a captured object, in a function that is defined
// outside of its class, in one that only the instance knows. Then nothing is shared out anew.
// CHECK-NOT: template of {{[0-9]|1[0-9]|2[0-3]}} 0
// What gives numbers of a template's arguments is seen.
// CHECK: template of 24 0
// CHECK: parameter VEC
// CHECK: template of 25 0
// CHECK: parameter VEC
// CHECK: template of 26 0
// CHECK: parameter VEC
// CHECK: template of 27 0
// CHECK: parameter BLOCK
// CHECK: template of 28 0
// CHECK: parameter VEC
// CHECK: template of 29 0
// CHECK: parameter VEC
#include <cuda_fp16.h>
#include <cuda_runtime.h>
template <class T> struct lane {
	int at;
	__device__ lane() : at(threadIdx.x) {}
};
struct place {
	int at;
	__device__ place();
};
__device__ place::place() : at(threadIdx.x) {}
template <class T> struct box {
	T inner;
	int other;
};
template <class T> struct first {
	int at = threadIdx.x;
	T other;
};
template <class T> struct on_top : T {
	int other;
};
template <class T> struct above : lane<T> {
	int other;
};
template <class T> struct chosen {
	int at;
};
template <> struct chosen<float> {
	int at;
	__device__ chosen() : at(threadIdx.x) {}
};
template <class T> struct above_chosen : chosen<T> {
	int other;
};
template <class T> struct named {
	using type = lane<T>;
};
template <class T> struct above_named : named<T>::type {
	int other;
};
template <class D> struct curious {
	int at;
	__device__ curious() : at(static_cast<D *>(this)->where()) {}
};
struct derived : curious<derived> {
	__device__ int where() const { return threadIdx.x; }
};
template <class T> struct ending {
	T *to;
	__device__ ~ending();
};
template <class T> __device__ ending<T>::~ending() { *to += threadIdx.x; }
template <class T> struct watched {
	T value;
	watched() = default;
	__device__ watched(const watched &other) : value(other.value + threadIdx.x) {}
	__device__ watched &operator=(const watched &other)
	{
		value = other.value + threadIdx.x;
		return *this;
	}
};
template <class U> struct around {
	template <class T> struct inner {
		int at;
		__device__ inner() : at(threadIdx.x) {}
	};
	inner<U> value;
};
template <class T> struct shuffled {
	T value;
	__device__ shuffled() : value(__shfl_xor_sync(0xffffffffu, T(1), 1)) {}
};
template <class T> struct number {
	T value;
	__device__ number operator+(const number &other) const { return number{value + other.value + threadIdx.x}; }
};
template <class T> struct summed {
	T value;
	__device__ summed()
	{
		number<T> a{1}, b{2};
		value = (a + b).value;
	}
};
struct any {
	int at;
	template <class U> __device__ any(U from) : at(from + threadIdx.x) {}
	template <class U> __device__ any &operator=(U from)
	{
		at = from + threadIdx.x;
		return *this;
	}
};
struct inherits : any {
	using any::any;
};
template <class T> struct given {
	any value;
	__device__ given() : value(T(3)) {}
};
template <class T> struct given_later {
	any value;
	__device__ given_later() : value(*this) { value = T(3); }
	__device__ given_later(const given_later &) = default;
};
template <class P> struct asks_policy {
	int at;
	__device__ asks_policy() : at(P::where()) {}
};
struct policy {
	__device__ static int where() { return threadIdx.x; }
};
struct found {};
template <class P> struct finds {
	int at;
	__device__ finds() : at(where(P())) {}
};
__device__ inline int where(found) { return threadIdx.x; }
template <class... B> struct all_of : B... {
	int other;
};
template <class T> struct undefined {
	T value;
	__device__ undefined();
};

template <class T> struct total {
	T value = T(0), count = 1;
	__device__ total() : value(T(0)) {}
	__device__ total(T from) : value(max(from, T(0)) * from + T(1)) {}
	__device__ total(const total &other) : value(other.value) {}
	template <class U> __device__ total(const total<U> &other) : value(other.value) {}
	__device__ total &operator=(const total &other)
	{
		value = other.value;
		return *this;
	}
	__device__ void add(T other) { value += other; }
};
struct totals {
	total<float> a, b;
};
template <class T, int N> struct values {
	T of[N * 2];
};
template <class T, int N> struct more_values : values<T, N> {
	using values<T, N>::of;
	total<T> all;
	__device__ void set(T to) { of[0] = to; }
};
template <class D> struct plain_base {
	__device__ float get() const { return static_cast<const D *>(this)->value; }
};
template <class T> struct plain : plain_base<plain<T>> {
	T value;
};
template <class F> __device__ float applied(F f, float a) { return f(a); }
struct twice {
	__device__ float operator()(float a) const { return a + a; }
};
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void member(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<lane<float>> a;
		y[i] = x[i] + a.inner.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void plain_member(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<place> a;
		y[i] = x[i] + a.inner.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void initialised(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		first<float> a;
		y[i] = x[i] + a.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void elements(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		lane<float> a[2] = {};
		y[i] = x[i] + a[1].at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void argument_base(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		on_top<place> a;
		y[i] = x[i] + a.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void base(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		above<float> a;
		y[i] = x[i] + a.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void specialised(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		above_chosen<float> a;
		y[i] = x[i] + a.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void base_by_name(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		above_named<float> a;
		y[i] = x[i] + a.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void recurring(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		derived a;
		y[i] = x[i] + a.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void ended(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float t = x[i];
		{
			ending<float> a{&t};
		}
		y[i] = t;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void copied(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<watched<float>> a;
		a.inner.value = x[i];
		box<watched<float>> b = a;
		y[i] = b.inner.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void assigned(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<watched<float>> a, b;
		a.inner.value = x[i];
		b = a;
		y[i] = b.inner.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void captured(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		watched<float> a;
		float t;
		a.value = x[i];
		auto f = [a, &t]() { t = a.value; };
		f();
		y[i] = t;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void member_template(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		around<int> a;
		y[i] = x[i] + a.value.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void meeting(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<shuffled<float>> a;
		y[i] = x[i] + a.inner.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void operators(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<summed<float>> a;
		y[i] = x[i] + a.inner.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void inherited(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		inherits a(3);
		y[i] = x[i] + a.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void given_number(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<given<float>> a;
		y[i] = x[i] + a.inner.value.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void assigned_number(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<given_later<float>> a;
		y[i] = x[i] + a.inner.value.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void by_policy(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<asks_policy<policy>> a;
		y[i] = x[i] + a.inner.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void by_argument(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<finds<found>> a;
		y[i] = x[i] + a.inner.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void packed(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		all_of<place> a;
		y[i] = x[i] + a.at;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void without_definition(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<undefined<float>> a;
		y[i] = x[i] + a.inner.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void ending_member(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float t = x[i];
		{
			box<ending<float>> a{{&t}, 1};
		}
		y[i] = t;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void counted(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		totals a;
		a.a.add(x[i]);
		y[i] = a.a.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void made_of_numbers(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		total<float> a(x[i]), b;
		b = a;
		y[i] = b.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void of_halves(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		box<total<__half>> a;
		a.inner.value = __float2half(x[i]);
		y[i] = __half2float(a.inner.value);
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void counted_base(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		more_values<float, 2> a;
		a.set(x[i]);
		y[i] = a.of[0] + a.all.value;
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void plain_recurring(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		plain<float> a;
		a.value = x[i];
		y[i] = a.get();
	}
}
#pragma ktune problem(n = 100, 640) in(x[n]) out(y[n])
__global__ void applied_to(float *__restrict__ y, const float *__restrict__ x, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		y[i] = applied(twice{}, x[i]);
	}
}

void run(float *y, const float *x, int n)
{
	member<<<(n + 63) / 64, 64>>>(y, x, n);
	plain_member<<<(n + 63) / 64, 64>>>(y, x, n);
	initialised<<<(n + 63) / 64, 64>>>(y, x, n);
	elements<<<(n + 63) / 64, 64>>>(y, x, n);
	argument_base<<<(n + 63) / 64, 64>>>(y, x, n);
	base<<<(n + 63) / 64, 64>>>(y, x, n);
	specialised<<<(n + 63) / 64, 64>>>(y, x, n);
	base_by_name<<<(n + 63) / 64, 64>>>(y, x, n);
	recurring<<<(n + 63) / 64, 64>>>(y, x, n);
	ended<<<(n + 63) / 64, 64>>>(y, x, n);
	copied<<<(n + 63) / 64, 64>>>(y, x, n);
	assigned<<<(n + 63) / 64, 64>>>(y, x, n);
	captured<<<(n + 63) / 64, 64>>>(y, x, n);
	member_template<<<(n + 63) / 64, 64>>>(y, x, n);
	meeting<<<(n + 63) / 64, 64>>>(y, x, n);
	operators<<<(n + 63) / 64, 64>>>(y, x, n);
	inherited<<<(n + 63) / 64, 64>>>(y, x, n);
	given_number<<<(n + 63) / 64, 64>>>(y, x, n);
	assigned_number<<<(n + 63) / 64, 64>>>(y, x, n);
	by_policy<<<(n + 63) / 64, 64>>>(y, x, n);
	by_argument<<<(n + 63) / 64, 64>>>(y, x, n);
	packed<<<(n + 63) / 64, 64>>>(y, x, n);
	without_definition<<<(n + 63) / 64, 64>>>(y, x, n);
	ending_member<<<(n + 63) / 64, 64>>>(y, x, n);
	counted<<<(n + 63) / 64, 64>>>(y, x, n);
	made_of_numbers<<<(n + 63) / 64, 64>>>(y, x, n);
	of_halves<<<(n + 63) / 64, 64>>>(y, x, n);
	counted_base<<<(n + 63) / 64, 64>>>(y, x, n);
	plain_recurring<<<(n + 63) / 64, 64>>>(y, x, n);
	applied_to<<<(n + 63) / 64, 64>>>(y, x, n);
}
