#pragma once
namespace ops
{
struct size {
	int rows, width;
};
#pragma ktune problem(n = 4096) in(x[n]) out(y[n]) value(by = 2) tune(BLOCK = 128, 64) \
	grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void scale(float *__restrict__ y, const float *x, int n, float by = 2);
/* Nothing that is launched has the rows: the launch tells them, the member of a structure the width. */
#pragma ktune problem((rows, d) = (64, 256)) out(y[rows * d]) value(of.width = d, of.rows = 1) tune(THREADS = 128, 64) \
	grid(rows) block(THREADS)
__global__ void fill(float *y, size of);
} // namespace ops
extern "C" {
#pragma ktune problem(n = 64) bind(n = 64) out(y[n]) tune(SPAN = 64, 32) grid(1) block(SPAN)
__global__ void zero(float *y);
}
