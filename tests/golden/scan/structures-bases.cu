// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Members of a base class are members of the class, with the base at the beginning: of arguments by value and of elements.
struct Size { int rows, cols; };
struct View : Size { double scale; };
// The base's member is where padding of the class's own would be.
struct Small { int first; };
struct Padded : Small { int second; double third; };
template <typename D> struct Crtp { float bias; };
struct Twice : Crtp<Twice> { float by; };
template <typename T> struct Empty {};
template <typename T> struct Tagged : Empty<Tagged<T>> { T v; };
struct Point { float x, y; };
struct Mass : Point { float m; };
class Owner : Point { public: float m; };
struct Hiding : Size { int rows; };
struct Virtual : virtual Small { int second; };
struct Table { virtual int of() const; };
struct Shown : Small, Table { int third; };
// CHECK: "kernel":"view",{{[^{]*}}"decline":null
// CHECK-SAME: "members":[{"name":"v.rows","type":"int","argument":1,{{[^{]*}}{"name":"v.cols",{{[^{]*}}{"name":"v.scale","type":"double"
// CHECK-SAME: "bytes":[0,16],"offsets":[0,4,8]
#pragma ktune problem(rows = 8; cols = 4) out(y[rows * cols]) value(v.rows = rows, v.cols = cols, v.scale = 0.5)
__global__ void view(double *y, View v) { y[threadIdx.x] = v.scale; }
// CHECK: "kernel":"padded",{{[^{]*}}"decline":null
// CHECK-SAME: "bytes":[0,16],"offsets":[0,4,8]
#pragma ktune problem(n = 8) out(y[n]) value(p.first = 1, p.second = 2, p.third = 0.5)
__global__ void padded(double *y, Padded p) { y[threadIdx.x] = p.third + p.first; }
// CHECK: "kernel":"twice",{{[^{]*}}"decline":null
// CHECK-SAME: "bytes":[0,8],"offsets":[0,4]
#pragma ktune problem(n = 8) out(y[n]) value(f.bias = 1, f.by = 2)
__global__ void twice(float *y, Twice f) { y[threadIdx.x] = f.by; }
// CHECK: "kernel":"tagged",{{[^{]*}}"decline":null
// CHECK-SAME: "offsets":[0]
#pragma ktune problem(n = 8) out(y[n]) value(f.v = 1)
template <typename T> __global__ void tagged(T *y, Tagged<T> f) { y[threadIdx.x] = f.v; }
// CHECK: "kernel":"element",{{[^{]*}}"decline":null
// CHECK-SAME: "name":"x"{{.*}}"name":"m"
#pragma ktune problem(n = 8) in(p[n]) out(y[n])
__global__ void element(float *y, const Mass *p) { y[threadIdx.x] = p[threadIdx.x].m; }
// CHECK: "kernel":"owner",{{[^{]*}}"decline":null
// CHECK-SAME: "members":[{"name":"o.x",{{[^}]*}}"is_private":true},{"name":"o.y",{{[^}]*}}"is_private":true},{"name":"o.m",{{[^}]*}}"is_private":false}
#pragma ktune problem(n = 8) out(y[n]) value(o.x = 1, o.y = 2, o.m = 3)
__global__ void owner(float *y, Owner o) { y[threadIdx.x] = o.m; }
// CHECK: "kernel":"hiding",{{.*}}"decline_detail":"argument 'p' of 'hiding' has type 'Hiding', which is no number: 'p.rows' is a member of a base class, too;
#pragma ktune problem(n = 8) out(y[n])
__global__ void hiding(float *y, Hiding p) { y[threadIdx.x] = p.rows; }
// CHECK: "kernel":"virtually",{{.*}}"decline_detail":"argument 'p' of 'virtually' has type 'Virtual', which is no number: 'p' has a virtual base class;
#pragma ktune problem(n = 8) out(y[n])
__global__ void virtually(float *y, Virtual p) { y[threadIdx.x] = p.second; }
// CHECK: "kernel":"shown",{{.*}}"decline_detail":"argument 'p' of 'shown' has type 'Shown', which is no number: 'p' has virtual functions;
#pragma ktune problem(n = 8) out(y[n])
__global__ void shown(float *y, Shown p) { y[threadIdx.x] = p.third; }
// Accessors whose members are those of a base class of their own arguments: what their functions access tells which it is.
template <typename T> struct Plain { typedef T *Pointer; };
template <typename T, int N, template <typename U> class Traits> class Sizes {
public:
	__host__ __device__ int size(int i) const { return sizes_[i]; }
protected:
	typename Traits<T>::Pointer data_;
	int sizes_[N];
};
template <typename T, int N, template <typename U> class Traits = Plain> class Access : public Sizes<T, N, Traits> {
public:
	__device__ T &operator[](int i) { return this->data_[i]; }
	__device__ const T &operator[](int i) const { return this->data_[i]; }
};
template <typename T, template <typename U> class Traits> class Access<T, 1, Traits> : public Sizes<T, 1, Traits> {
public:
	__device__ T *at(int i) { return i < this->size(0) ? this->data_ + i : nullptr; }
	int own;
};
template <typename T> struct Silent : Sizes<T, 3, Plain> {};
// CHECK: "kernel":"accessed",{{[^{]*}}"decline":null
// CHECK-SAME: "members":[{"name":"p.data_",{{[^}]*}}"is_private":true},{"name":"p.sizes_[0]",{{[^}]*}}},{"name":"p.sizes_[1]",{{[^}]*}}},{"name":"q.data_",{{[^}]*}}},{"name":"q.sizes_[0]",{{[^}]*}}},{"name":"q.own",
// CHECK-SAME: "offsets":[0,8,12,0,8,12]
#pragma ktune problem(n = 8) out(p.data_[n]) in(q.data_[n]) value(p.sizes_ = {n, 1}, q.sizes_ = {n}, q.own = 2)
__global__ void accessed(Access<float, 2> p, Access<double, 1> q, int n) { p[n - 1] = *q.at(0) + p.size(1) + q.own; }
// CHECK: "kernel":"each",{{[^{]*}}"decline":null
// CHECK-SAME: "name":"each<float>"{{[^{]*}}"elements":["none","i32","f32","i32","i32"]
// CHECK-SAME: "name":"each<short>"{{[^{]*}}"elements":["none","i32","i16","i32","i32"]
#pragma ktune problem(n = 8) out(p.data_[n]) value(p.sizes_ = {n, 1})
template <typename T> __global__ void each(Access<T, 2> p, int n) { p[n - 1] = p.size(1); }
// Nothing is accessed of it.
// CHECK: "kernel":"silent",{{.*}}"decline_detail":"argument 'p' of 'silent' has type 'Silent<float>', which is no number: 'p' has a base class that depends on template arguments, whose members are not known;
#pragma ktune problem(n = 8) out(y[n])
__global__ void silent(float *y, Silent<float> p, int n) { y[n - 1] = sizeof p; }
void run_accessed(Access<float, 2> p, Access<double, 1> q, Access<short, 2> s, float *y, Silent<float> u, int n)
{
	accessed<<<1, 1>>>(p, q, n);
	each<<<1, 1>>>(p, n);
	each<short><<<1, 1>>>(s, n);
	silent<<<1, 1>>>(y, u, n);
}
void run(double *y, float *x, View v, Padded p, Twice t, Tagged<float> g, Mass *m, const Owner &o, Hiding h, const Virtual &u, const Shown &s, int n)
{
	view<<<1, 32>>>(y, v);
	padded<<<1, 8>>>(y, p);
	twice<<<1, 8>>>(x, t);
	tagged<float><<<1, 8>>>(x, g);
	element<<<1, 8>>>(x, m);
	owner<<<1, 8>>>(x, o);
	hiding<<<1, 8>>>(x, h);
	virtually<<<1, 8>>>(x, u);
	shown<<<1, 8>>>(x, s);
}
