// A sum of products for each element. EVEN spares the test of the end where whole groups make up the size, as those of
// all problems do; LANES helps whatever the size is.
#ifndef LANES
#define LANES 1
#endif
#ifndef LX
#define LX 1
#endif
#ifndef EVEN
#define EVEN 0
#endif
#define TAPS 1024
#pragma ktune problem(n = 512, 2048, 8192) in(x[n], w[1024]) out(y[n]) tune(LANES = 1, 16) tune(LX = 1, 64) \
	tune(EVEN = 0, 1) restriction(EVEN == 0 || n % LX == 0) restriction(EVEN == 0 || LX > 1) \
	grid(ceil_div(n, LX)) local(LX)
kernel void activation(global float *restrict y, global const float *restrict x, global const float *restrict w, int n)
{
	const int i = get_global_id(0);

	if (EVEN || i < n) {
		float sums[LANES], sum = 0;

		for (int l = 0; l < LANES; l++)
			sums[l] = 0;
		for (int k = 0; k < TAPS; k += LANES)
			for (int l = 0; l < LANES; l++)
				sums[l] += w[k + l] * x[i];
		for (int l = 0; l < LANES; l++)
			sum += sums[l];
		y[i] = sum / (1.0f + fabs(sum));
	}
}
