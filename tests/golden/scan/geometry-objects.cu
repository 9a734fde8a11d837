// RUN: %scan %s -- -std=c++20 | tr '{' '\n' | %FileCheck %s
// Geometry by objects: structures that functions return, structured bindings, member functions, constructors; and what writes a
// variable without an assignment, after which its first value says nothing.
// CHECK: "kernel":"k",{{.*}}"decline":null
#include <sstream>
#include <tuple>
#include <utility>
#pragma ktune problem(n = 8192) out(y[n])
__global__ void k(float *y, int n)
{
	y[0] = n;
}
constexpr int divide(int a, int b) { return (a + b - 1) / b; }
struct sizes {
	int blocks, threads, shared = 8;
};
static sizes stepwise(int n)
{
	sizes s;
	s.threads = 128;
	s.blocks = divide(n, s.threads);
	if (n > 100000)
		s.blocks = 1024;
	return s;
}
static sizes listed(int n) { return {n / 3, 64}; }
static sizes chosen(int n) { return n > 5 ? sizes{n / 256, 256} : sizes{1, 32}; }
static std::pair<dim3, dim3> both(int n) { return {dim3(n / 7, 2), dim3(96)}; }
struct made {
	dim3 grid, block;
	size_t shared = 4 * sizeof(float);
	made(int n, int t) : grid(divide(n, t)), block(t) {}
	static made of(int n) { return made(n, 160); }
};
struct rewritten {
	int g, b;
	rewritten(int n, int t) : g(n), b(t) { g = n / t; }
};
void by_objects(float *y, int n)
{
	// CHECK: "grid":["n > 100000 ? 1024 : (n + 128 - 1) / 128"],"block":["128"]
	sizes a = stepwise(n);
	k<<<a.blocks, a.threads>>>(y, n);
	// CHECK: "grid":["n / 3"],"block":["64"]
	auto [g, b] = listed(n);
	k<<<g, b>>>(y, n);
	// CHECK: "grid":["n > 5 ? n / 256 : 1"],"block":["n > 5 ? 256 : 32"]
	const auto c = chosen(n);
	k<<<c.blocks, c.threads>>>(y, n);
	// CHECK: "grid":["n / 7","2"],"block":["96"]
	const auto &[grid, block] = both(n);
	k<<<grid, block>>>(y, n);
	// CHECK: "grid":["(n + 160 - 1) / 160"],"block":["160"],"shared_bytes":"4 * 4"
	auto m = made::of(n);
	k<<<m.grid, m.block, m.shared>>>(y, n);
	// CHECK: "grid":["n / 9"],"block":["32"],"shared_bytes":"8"
	sizes named{.blocks = n / 9, .threads = 32};
	k<<<named.blocks, named.threads, named.shared>>>(y, n);
	// CHECK: "grid":[],"block":["17"]
	rewritten r(n, 17);
	k<<<r.g, r.b>>>(y, n);
}
struct op {
	int n_ = 0, block_ = 192;
	float *y = nullptr;
	void set(int n) { n_ = n; }
	int blocks(int n) const { return (n + block_ - 1) / block_; }
	dim3 grid(int n) const { return dim3(blocks(n)); }
	dim3 apart() const;
	// CHECK: "grid":["(n + 192 - 1) / 192"],"block":["192"]
	void run() { k<<<this->grid(n_), this->block_>>>(y, n_); }
	// CHECK: "grid":["3","n / 11","1"],"block":["33"]
	void out() { k<<<apart(), 33>>>(y, n_); }
	// A parameter has the member's name.
	// CHECK: "grid":[],"block":["34"]
	void hidden(int block_, int n) { k<<<this->block_, 34>>>(y, n); }
};
dim3 op::apart() const
{
	dim3 d;
	d.x = 3;
	d.y = n_ / 11;
	return d;
}
constexpr int divisor = 3;
int by_constant(int n) { return n / divisor; }
int open_divisor = 3;
static int closed_divisor = 10, set_divisor = 11;
int by_variable(int n) { return n / open_divisor; }
void set() { set_divisor = 12; }
void by_others(float *y, int n)
{
	// CHECK: "grid":["n / 3"],"block":["51"]
	k<<<by_constant(n), 51>>>(y, n);
	// CHECK: "grid":[],"block":["52"]
	k<<<by_variable(n), 52>>>(y, n);
	// CHECK: "grid":["n / 10"],"block":["53"]
	k<<<n / closed_divisor, 53>>>(y, n);
	// CHECK: "grid":[],"block":["54"]
	k<<<n / set_divisor, 54>>>(y, n);
}
struct captured {
	int divisor = 4, n_;
	float *y;
	int blocks() const { return n_ / divisor; }
	// Another variable has the member's name, or the constant's.
	// CHECK: "grid":[],"block":["50 + 5"]
	void run()
	{
		const int divisor = 5;
		k<<<blocks(), 50 + divisor>>>(y, n_);
		k<<<by_constant(n_), 51 + divisor>>>(y, n_);
	}
};
// CHECK: "grid":[],"block":["51 + 5"]
struct first {
	static int blocks(int n) { return n / 2; }
};
struct second {
	static int blocks(int n) { return n / 4; }
};
int many(int n) { return n / 5; }
int many(long n) { return n / 6; }
int alike(int n) { return n / 8; }
long alike(long n) { return n / 8; }
int unlike(int n) { return n / 8; }
long unlike(long n) { return n / 9; }
void by_name(float *y, int n)
{
	// CHECK: "grid":["n / 8"],"block":["47"]
	k<<<alike((long)n), 47>>>(y, n);
	// CHECK: "grid":[],"block":["48"]
	k<<<unlike((long)n), 48>>>(y, n);
	// CHECK: "grid":["n / 4"],"block":["35"]
	k<<<second::blocks(n), 35>>>(y, n);
	// CHECK: "grid":["n / 6"],"block":["36"]
	k<<<many((long)n), 36>>>(y, n);
}
void by_default(float *y, int n, int threads = 37)
{
	// CHECK: "grid":["n / 37"],"block":["37"]
	k<<<n / threads, threads>>>(y, n);
}
int calls(float *y, int n)
{
	by_default(y, n);
	return alike(n) + unlike(n);
}
static void configure(int n, dim3 &grid, dim3 &block)
{
	block = dim3(256);
	grid = dim3(n / 256);
}
template <typename T> void fix(T &value) { value = 3; }
struct changing {
	int g = 1, b = 1;
	void set(int n) { g = n; }
	int get() const { return g; }
};
#define SET(a, b) ((a) = (b) / 256)
class held {
	dim3 grid_{1};

      public:
	held(int n)
	{
		dim3 unused;
		configure(n, grid_, unused);
	}
	// CHECK: "grid":[],"block":["46"]
	void run(float *y, int n) { k<<<grid_, 46>>>(y, n); }
};
void written(float *y, int n)
{
	dim3 grid, block;
	configure(n, grid, block);
	// CHECK: "grid":["n / 256"],"block":["40"]
	k<<<grid, 40>>>(y, n);
	int f = n / 256;
	fix(f);
	// CHECK: "grid":["3"],"block":["41"]
	k<<<f, 41>>>(y, n);
	int target = 1;
	int &alias = target;
	alias = n;
	// CHECK: "grid":[],"block":["42"]
	k<<<target, 42>>>(y, n);
	changing c{1, 1};
	c.set(n);
	// CHECK: "grid":[],"block":["43"]
	k<<<c.g, 43>>>(y, n);
	changing same{5, 1};
	(void)same.get();
	// CHECK: "grid":["5"],"block":["44"]
	k<<<same.g, 44>>>(y, n);
	auto [g, b] = listed(n);
	g = 4;
	// CHECK: "grid":[],"block":["64"]
	k<<<g, b>>>(y, n);
	int hidden = 6;
	{
		auto [hidden, shown] = listed(n);
		// CHECK: "grid":["n / 3"],"block":["57"]
		k<<<hidden, 57>>>(y, n);
		{
			int shown = 7;
			// CHECK: "grid":["7"],"block":["58"]
			k<<<shown, 58>>>(y, n);
		}
	}
	// CHECK: "grid":["6"],"block":["59"]
	k<<<hidden, 59>>>(y, n);
	int set = 1, read = 1;
	SET(set, n);
	std::stringstream("7") >> read;
	// CHECK: "grid":[],"block":["49"]
	k<<<set, 49>>>(y, n);
	// CHECK: "grid":[],"block":["50"]
	k<<<read, 50>>>(y, n);
	int i = 2, j = n;
	std::swap(i, j);
	// CHECK: "grid":[],"block":["45"]
	k<<<i, 45>>>(y, n);
}
