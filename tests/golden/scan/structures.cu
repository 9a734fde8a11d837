// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Arguments that are structures by value or vectors: their members are in the record, with places from the compiler's
// layout; values and buffers are members'. A variable that is the value of a member is bound to it.
namespace ops { struct Size { int dims[2]; }; enum Kind : unsigned char { NONE, ALL }; }
struct Base { const float *__restrict__ x; char tag; };
struct P { Base from; float *y[2]; short rows; ops::Size size; ops::Kind kind; double scale; };
// CHECK: "kernel":"scale",{{[^{]*}}"decline":null
// CHECK-SAME: "values":[{"name":"p.from.tag","argument":2,
// CHECK-SAME: {"name":"p.rows","argument":5,{{[^{]*}}"expression":"rows"
// CHECK-SAME: {"name":"p.size.dims[0]","argument":6,{{[^{]*}}"expression":"cols"
// CHECK-SAME: {"name":"p.size.dims[1]","argument":7,
// CHECK-SAME: {"name":"p.kind","argument":8,
// CHECK-SAME: "buffers":[{"name":"p.from.x","argument":1,"direction":"in",
// CHECK-SAME: {"name":"p.y[0]","argument":3,"direction":"out",
// CHECK-SAME: {"name":"p.y[1]","argument":4,"direction":"out","scratch":false,"count":"p.rows",
// CHECK-SAME: "grid":["p.rows"]
// CHECK-SAME: "members":[{"name":"p.from.x","type":"const float *__restrict","argument":0,"is_pointer":true,"is_const":true,"is_private":false},{"name":"p.from.tag","type":"char","argument":0,
// CHECK-SAME: "elements":["none","f32","i8","f32","f32","i16","i32","i32","u8","f64"]
// CHECK-SAME: "bytes":[56],"offsets":[0,8,16,24,32,36,40,44,48]
// CHECK-SAME: "bindings":[{"argument":5,"text":null},{"argument":6,"text":null}]
#pragma ktune problem(rows = 8; cols = 4, 6) in(p.from.x[rows * cols]) out(p.y[0][rows * cols], p.y[1][p.rows]) \
	value(p.from.tag = 3, p.rows = rows, p.size.dims = {cols, 1}, p.kind = 1, p.scale = 0.5) tolerance(p.y[1]: abs = 1) \
	grid(p.rows) block(64) restriction(p.rows <= 64)
__global__ void scale(P p) { p.y[0][blockIdx.x] = p.scale * p.from.x[threadIdx.x]; p.y[1][0] = p.size.dims[0]; }
// CHECK: "kernel":"vector",{{[^{]*}}"decline":null
// CHECK-SAME: "elements":["f32","none","none","i32","i32","i32","f32","f32"]
// CHECK-SAME: "bytes":[0,12,8],"offsets":[0,4,8,0,4]
#pragma ktune problem(n = 64) out(y[n]) value(d = {n, 5, 6}, f.x = 1, f.y = 0.25f)
__global__ void vector(float *y, int3 d, float2 f) { y[threadIdx.x] = d.x * f.y + d.z; }
// The rest of an array is zero; one list is enough for all that a class with a copy constructor has.
// CHECK: "kernel":"filled",{{[^{]*}}"decline":null
// CHECK-SAME: "values":[{"name":"o.size[0]","argument":1,{{[^{]*}}{"name":"o.size[1]","argument":2,"text":"7",{{[^{]*}}{"name":"o.size[2]","argument":3,"text":"0",{{[^{]*}}{"name":"o.size[3]","argument":4,"text":"0",
struct Own { int size[4]; float *y; Own(const Own &other); };
#pragma ktune problem(n = 64) out(o.y[n]) value(o.size = {n, 7})
__global__ void filled(Own o) { o.y[threadIdx.x] = o.size[3]; }
// Of a template: the instances have the members of their own types.
// CHECK: "kernel":"copy",{{[^{]*}}"decline":null
// CHECK-SAME: "name":"copy<float>",{{[^{]*}}"elements":["none","none","f32","i64","i32","f32","i64","i32"]{{[^{]*}}"bytes":[24,24],"offsets":[0,8,16,0,8,16]
// CHECK-SAME: "name":"copy<double>",{{[^{]*}}"elements":["none","none","f64","i64","i32","f64","i64","i32"]
template <typename T, int D> class Tensor {
public:
	__host__ __device__ Tensor(T *p, long n) : data(p), size{n}, kind(0) {}
	T *data;
	long size[D];
private:
	int kind;
};
#pragma ktune problem(n = 64) in(from.data[n]) out(to.data[n]) value(from.size = {n}, to.size = {n}, from.kind = 0, to.kind = 0)
template <typename T> __global__ void copy(Tensor<T, 1> to, Tensor<const T, 1> from) { to.data[threadIdx.x] = from.data[threadIdx.x]; }
void run(P p, float *y, int3 d, double *z, const Own &o)
{
	filled<<<1, 64>>>(o);
	scale<<<p.rows, 64>>>(p);
	vector<<<1, 64>>>(y, d, make_float2(1, 0.25f));
	copy<float><<<1, 64>>>(Tensor<float, 1>(y, 64), Tensor<const float, 1>(y, 64));
	copy<double><<<1, 64>>>(Tensor<double, 1>(z, 64), Tensor<const double, 1>(z, 64));
}
