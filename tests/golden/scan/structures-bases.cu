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
// An accessor whose members are those of a base class of its own arguments.
template <typename T, int N> struct Sizes { T *data; int sizes[N]; };
template <typename T, int N> struct Access : Sizes<T, N> { __device__ T &at(int i) { return this->data[i]; } };
// CHECK: "kernel":"accessed",{{.*}}"decline_detail":"argument 'p' of 'accessed' has type 'Access<float, 2>', which is no number: 'p' has a base class that depends on template arguments, whose members are not known;
#pragma ktune problem(n = 8) out(p.data[n])
__global__ void accessed(Access<float, 2> p, int n) { p.at(n - 1) = n; }
void run_accessed(Access<float, 2> p, int n) { accessed<<<1, 1>>>(p, n); }
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
