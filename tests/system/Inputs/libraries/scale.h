#pragma once
#pragma ktune problem(n = 4096) in(x[n]) out(y[n]) tune(BLOCK = 128, 64) grid(ceil_div(n, BLOCK)) block(BLOCK)
__global__ void scale(float *y, const float *x, int n);
