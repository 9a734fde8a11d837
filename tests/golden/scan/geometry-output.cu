// RUN: %scan %s -- -std=c++17 | tr '{' '\n' | %FileCheck %s
// Geometry that functions write to variables of their caller, by pointers and references, or that functions of objects compute. What
// a path of the function leaves out, or writes by a pointer that goes elsewhere, is not known. Nor is what a function writes to a
// member or an element that it is given, or a value of what changes before the launch.
// CHECK: "kernel":"k",{{.*}}"decline":null
#include <cuda_runtime.h>
#define OK(e) do { if (!(e)) return; } while (0)
#pragma ktune problem(n = 8192) out(y[n])
__global__ void k(float *y, int n)
{
	y[0] = n;
}
static void configure(int n, dim3 *grid, dim3 *block)
{
	block->x = 128;
	grid->x = (n + block->x - 1) / block->x;
}
static void squares(int m, dim3 &grid, dim3 &block)
{
	block = dim3(16, 8);
	grid = dim3((m + block.x - 1) / block.x, block.y);
}
static bool blocks_of(int m, int per, int &blocks)
{
	int all = m / per;
	if (all > 4096)
		all = 4096;
	blocks = all;
	return true;
}
static void at_most(int &blocks, const int *most)
{
	if (blocks > *most)
		blocks = *most;
}
template <typename T> static void threads_of(T n, T *threads) { *threads = n < 512 ? 128 : 512; }
struct plan {
	dim3 grid, block;
};
static cudaError_t make(plan *p, int n)
{
	p->block = dim3(64);
	p->grid = dim3(n / 64, 3);
	return cudaSuccess;
}
struct sizer {
	int n, per = 32;
	int blocks() const { return (n + per - 1) / per; }
	dim3 block(int rows) const { return dim3(per, rows); }
	void fill(dim3 &g) const { g = dim3(n / per); }
	void halve(int &out) const { out = n / 2; }
	virtual int other() const { return n / 5; }
};
static void early(int n, int *blocks)
{
	if (n == 0)
		return;
	*blocks = n / 64;
}
static void remember(int *p);
static void passes(int n, int *blocks)
{
	remember(blocks);
	*blocks = n / 64;
}
const int width = 64;
static void by_width(int m, int &blocks) { blocks = m / width; }
void run(float *y, int n)
{
	dim3 g, b;
	configure(n, &g, &b);
	// CHECK: "grid":["(n + 128 - 1) / 128","1","1"],"block":["128","1","1"]
	k<<<g, b>>>(y, n);
	dim3 g2(1, 7);
	configure(n, &g2, &b);
	// CHECK: "grid":["(n + 128 - 1) / 128","7","1"],"block":["1"]
	k<<<g2, 1>>>(y, n);
	dim3 g3, b3;
	squares(n, g3, b3);
	// CHECK: "grid":["(n + 16 - 1) / 16","8"],"block":["16","8"]
	k<<<g3, b3>>>(y, n);
	int blocks = 0, most = 99;
	if (!blocks_of(n, 4, blocks))
		return;
	// CHECK: "grid":["n / 4 > 4096 ? 4096 : n / 4"],"block":["2"]
	k<<<blocks, 2>>>(y, n);
	OK(blocks_of(n, 3, blocks));
	// CHECK: "grid":["n / 3 > 4096 ? 4096 : n / 3"],"block":["3"]
	k<<<blocks, 3>>>(y, n);
	int some = n / 9;
	at_most(some, &most);
	// CHECK: "grid":["n / 9 > 99 ? 99 : n / 9"],"block":["4"]
	k<<<some, 4>>>(y, n);
	int threads = 0;
	threads_of(n, &threads);
	// CHECK: "grid":["6"],"block":["n < 512 ? 128 : 512"]
	k<<<6, threads>>>(y, n);
	if (n > 70)
		threads_of(n, &some);
	// CHECK: "grid":["n > 70 ? n < 512 ? 128 : 512 : n / 9 > 99 ? 99 : n / 9"],"block":["7"]
	k<<<some, 7>>>(y, n);
	plan p;
	cudaError_t e = make(&p, n);
	// CHECK: "grid":["n / 64","3"],"block":["64"]
	k<<<p.grid, p.block>>>(y, n);
	sizer s{2 * n};
	// CHECK: "grid":["(2 * n + 32 - 1) / 32"],"block":["32","4"]
	k<<<s.blocks(), s.block(4)>>>(y, n);
	s.per = 8;
	s.fill(g);
	// CHECK: "grid":["2 * n / 8","1","1"],"block":["8"]
	k<<<g, 8>>>(y, n);
	// CHECK: "grid":[],"block":["9"]
	k<<<s.other(), 9>>>(y, n);
	int left = 1;
	early(n, &left);
	// CHECK: "grid":[],"block":["10"]
	k<<<left, 10>>>(y, n);
	int given = 1;
	passes(n, &given);
	// CHECK: "grid":[],"block":["11"]
	k<<<given, 11>>>(y, n);
	int last = 1, ready = 1;
	for (int i = 0; i < 3; i++)
		by_width(n, last);
	// CHECK: "grid":[],"block":["12"]
	k<<<last, 12>>>(y, n);
	if (n > 5 && blocks_of(n, 2, ready))
		y = nullptr;
	// CHECK: "grid":[],"block":["13"]
	k<<<ready, 13>>>(y, n);
	int by_lambda = 1;
	auto f = [](int m, int &out) { out = m / 64; };
	f(n, by_lambda);
	// CHECK: "grid":[],"block":["14"]
	k<<<by_lambda, 14>>>(y, n);
	int hidden = 1, width = 32;
	by_width(n, hidden);
	// CHECK: "grid":[],"block":["15"]
	k<<<hidden, 15>>>(y, n + width + e);
	sizer of{n}, beside{n, n / 3};
	int elements[2] = {7, 8};
	by_width(n, of.n);
	by_width(n, elements[0]);
	by_width(n, beside.per);
	// CHECK: "grid":[],"block":["16"]
	k<<<of.blocks(), 16>>>(y, n);
	// CHECK: "grid":[],"block":["17"]
	k<<<elements[0], 17>>>(y, n);
	// CHECK: "grid":["n"],"block":["18"]
	k<<<beside.n, 18>>>(y, n);
	int size = n, before = size / 8 + 1, ahead = 1;
	blocks_of(size, 5, ahead);
	// CHECK: "grid":["n / 8 + 1"],"block":["n / 5 > 4096 ? 4096 : n / 5"]
	k<<<before, ahead>>>(y, n);
	size = 2;
	// CHECK: "grid":[],"block":["19"]
	k<<<before, 19>>>(y, n);
	// CHECK: "grid":[],"block":["20"]
	k<<<ahead, 20>>>(y, n);
	int left_hand = n, right_hand = n + 1, third = left_hand / 3;
	sizer one{right_hand}, two{left_hand};
	one.halve(left_hand);
	two.halve(right_hand);
	// CHECK: "grid":[],"block":["21"]
	k<<<third, 21>>>(y, n);
}
