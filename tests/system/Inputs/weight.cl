// MODE 1 is fastest where a is small, MODE 2 where it is large; neither is slower than 0.
#ifndef MODE
#define MODE 0
#endif
#pragma ktune problem(a = 4096, 8192) out(y[a]) tune(MODE = 0, 1, 2) grid(ceil_div(a, 64)) local(64) specialize(off) WEIGHT
kernel void w(global float *restrict y, int a)
{
	const int i = get_global_id(0);
	const int turns = MODE == 0 ? 4000 : MODE == 1 ? (a < 5000 ? 500 : 3500) : (a < 5000 ? 3500 : 500);
	float sum = i;
	for (int t = 0; t < turns; t++)
		sum = sum * 0.5f + t;
	if (i < a)
		y[i] = sum * 0 + 1;
}
