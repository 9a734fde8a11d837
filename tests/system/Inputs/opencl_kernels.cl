// Kernels that are right, wrong and dangerous: y = a * x.
#define ARGUMENTS global float *y, global const float *x, int n, float a
#define INDEX size_t i = get_global_id(0)

kernel void original(ARGUMENTS) { INDEX; if (i < n) y[i] = a * x[i]; }
kernel void right(ARGUMENTS)
{
	size_t i = 4 * get_global_id(0);
	for (int k = 0; k < 4; k++)
		if (i + k < n)
			y[i + k] = a * x[i + k];
}
kernel void wrong(ARGUMENTS) { INDEX; if (i < n) y[i] = i == 777 ? 3.0f : a * x[i]; }
kernel void unwritten(ARGUMENTS) { INDEX; if (i < n - 1) y[i] = a * x[i]; }
kernel void not_a_number(ARGUMENTS) { INDEX; if (i < n) y[i] = i == 0 ? NAN : a * x[i]; }
kernel void behind(ARGUMENTS) { INDEX; if (i <= n) y[i] = i < n ? a * x[i] : 1.0f; }
kernel void before(ARGUMENTS) { INDEX; if (i < n) y[i] = a * x[i]; if (i == 0) y[-1] = 2.0f; }
kernel void illegal(ARGUMENTS) { INDEX; if (i < n) y[i + (1L << 40)] = a * x[i]; }
kernel void hangs(ARGUMENTS)
{
	volatile global float *v = y;
	while (v[0] != 12345.678f) {
	}
}
kernel void input_changed(global float *y, global float *x, int n, float a)
{
	INDEX;
	if (i < n)
		y[i] = a * x[i];
	if (i == 0)
		x[0] += 1.0f;
}
kernel void spare(ARGUMENTS, global int *t) { INDEX; if (i < n) y[i] = a * x[i]; }
/* Reads what nobody wrote: other values in another run. */
kernel void wavers(ARGUMENTS, global const int *t) { INDEX; if (i < n) y[i] = a * x[i] * (1.0f + (t[i] & 3) * 1.2e-7f); }
kernel void with_local(ARGUMENTS, local float *t)
{
	INDEX;
	size_t l = get_local_id(0);
	t[l] = i < n ? x[i] : 0.0f;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < n)
		y[i] = a * t[l];
}
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void fixed_size(ARGUMENTS) { INDEX; if (i < n) y[i] = a * x[i]; }
kernel void add(global float *r, global const float *x, int n) { INDEX; if (i < n) r[i] += x[i]; }
kernel void border(ARGUMENTS) { INDEX; if (i > 0 && i < n - 1) y[i] = a * x[i]; }
/* For checks: wrong for some lengths, where memory is shared, by what stands behind a buffer, by what was there before. */
kernel void odd(ARGUMENTS) { INDEX; if (i < n) y[i] = a * x[i] + (n % 2 && i == n - 1 && n > 1 && n != 4099 ? 1.0f : 0.0f); }
kernel void twice(global volatile float *y, global const volatile float *x, int n, float a)
{
	INDEX;
	if (i < n) {
		y[i] = 0.0f;
		y[i] = a * x[i];
	}
}
kernel void reads_behind(ARGUMENTS) { INDEX; if (i < n) y[i] = a * x[i] + 0.0f * x[i + 1]; }
kernel void accumulates(ARGUMENTS) { INDEX; if (i < n) y[i] = i == 0 ? y[i] : a * x[i]; }
kernel void swallows(ARGUMENTS) { INDEX; if (i < n) y[i] = fmax(a * x[i], -1e30f); }
kernel void fragile(ARGUMENTS) { INDEX; if (i < n) y[i] = a * x[i]; if (n == 13 && i == 0) y[n] = 1.0f; }
kernel void explodes(ARGUMENTS) { INDEX; if (i < n) y[i + (n == 17 ? 1L << 40 : 0)] = a * x[i]; }
