// Plain kernels of OpenCL C: one pragma each, nothing in them is prepared for tuning.
#pragma ktune problem(n = 10003) in(x[n]) inout(y[n]) value(a = 2.5f) global(n) local(64) budget(trials = 2)
kernel void axpy(global float *restrict y, global const float *restrict x, float a, int n)
{
	int i = get_global_id(0);

	if (i < n)
		y[i] = a * x[i] + y[i]; // nothing else
}

// The two buffers may overlap.
#pragma ktune problem(n = 10003) in(x[n]) out(y[n]) value(a = 2.5f) global(n) local(64) budget(trials = 2)
__kernel void may_overlap(__global float *y, __global const float *x, float a, int n)
{
	const size_t i = get_global_id(0);

	if (i >= n)
		return;
	y[i] = a * x[i] + 1.0f;
}

float gelu(float v)
{
	return 0.5f * v * (1.0f + tanh(0.79788456f * (v + 0.044715f * v * v * v)));
}

#pragma ktune problem(rows = 8; d = 250) in(x[rows * d], bias[d]) out(y[rows * d]) global(rows * d) local(128) budget(trials = 2)
__kernel void bias_gelu(__global float *restrict y, __global const float *restrict x, __global const float *restrict bias,
                        int rows, int d)
{
	for (int i = get_global_id(0); i < rows * d; i += get_global_size(0))
		y[i] = gelu(x[i] + bias[i % d]);
}

#pragma ktune problem(rows = 8; d = 250) in(x[rows * d]) out(y[rows * d]) grid(rows) local(128) budget(trials = 2)
__kernel void row_softmax(__global float *restrict y, __global const float *restrict x, int rows, int d)
{
	__local float part[128];
	const int t = get_local_id(0);

	for (int row = get_group_id(0); row < rows; row += get_num_groups(0)) {
		float most = -INFINITY, sum = 0.0f;

		for (int i = t; i < d; i += get_local_size(0))
			most = fmax(most, x[row * d + i]);
		part[t] = most;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
			if (t < s)
				part[t] = fmax(part[t], part[t + s]);
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		most = part[0];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = t; i < d; i += get_local_size(0))
			sum += exp(x[row * d + i] - most);
		part[t] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
			if (t < s)
				part[t] += part[t + s];
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		sum = part[0];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = t; i < d; i += get_local_size(0))
			y[row * d + i] = exp(x[row * d + i] - most) / sum;
	}
}

// One loop over everything, in which what belongs to a pair is computed for each of its elements.
#pragma ktune problem(tokens = 16; heads = 8; size = 64) \
	in(a[tokens * heads * size], b[tokens * heads * size], sa[tokens * heads], sb[tokens * heads]) \
	out(y[tokens * heads * size]) global(tokens * heads * size) local(128) budget(trials = 2)
__kernel void merge(__global float *restrict y, __global const float *restrict a, __global const float *restrict b,
                    __global const float *restrict sa, __global const float *restrict sb, int tokens, int heads, int size)
{
	const long total = (long)tokens * heads * size;

	for (long idx = get_global_id(0); idx < total; idx += get_global_size(0)) {
		const long pair = idx / size;
		const int column = idx % size;
		const float most = fmax(sa[pair], sb[pair]);
		const float wa = exp2(sa[pair] - most), wb = exp2(sb[pair] - most);

		y[idx] = (wa * a[pair * size + column] + wb * b[pair * size + column]) / (wa + wb);
	}
}

#pragma ktune problem(m = 16; n = 250) in(a[m * n], x[n]) out(y[m]) grid(m) local(64) tolerance(abs = 1e-3, rel = 1e-4) \
	budget(trials = 2)
__kernel void matvec(__global float *restrict y, __global const float *restrict a, __global const float *restrict x, int n)
{
	__local float part[64];
	const int row = get_group_id(0), t = get_local_id(0);
	float sum = 0.0f;

	for (int i = t; i < n; i += 64)
		sum += a[row * n + i] * x[i];
	part[t] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int s = 32; s > 0; s /= 2) {
		if (t < s)
			part[t] += part[t + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t == 0)
		y[row] = part[0];
}

// The room of the sum is an argument.
#pragma ktune problem(rows = 16; d = 250) in(x[rows * d]) out(y[rows]) grid(rows) local(64) smem(64 * 4) \
	tolerance(abs = 1e-3, rel = 1e-4) budget(trials = 2)
__kernel void row_sum(__global float *y, __global const float *x, __local float *part, int d)
{
	const size_t t = get_local_id(0);
	float sum = 0;

	for (size_t i = t; i < d; i += get_local_size(0))
		sum += x[get_group_id(0) * d + i];
	part[t] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
		if (t < s)
			part[t] += part[t + s];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (t == 0)
		y[get_group_id(0)] = part[0];
}

#pragma ktune problem((w, h) = (129, 50)) in(x[w * h]) out(y[w * h]) global(w, h) local(16, 8) budget(trials = 2)
__kernel void transpose(__global float *restrict y, __global const float *restrict x, int w, int h)
{
	const int column = get_global_id(0), row = get_global_id(1);

	if (column < w && row < h)
		y[column * h + row] = x[row * w + column];
}

#pragma ktune problem((w, h) = (129, 50)) in(x[w * h]) out(y[w * h]) global(w, h) local(16, 8) budget(trials = 2)
__kernel void stencil(__global float *restrict y, __global const float *restrict x, int w, int h)
{
	const int column = get_global_id(0), row = get_global_id(1);

	if (column >= w || row >= h)
		return;
	float sum = x[row * w + column];
	if (column > 0 && column < w - 1 && row > 0 && row < h - 1)
		sum = 0.25f * (x[row * w + column - 1] + x[row * w + column + 1] + x[(row - 1) * w + column] + x[(row + 1) * w + column]);
	y[row * w + column] = sum;
}

// Where a work-item stands is all that this kernel is about: it stays.
#pragma ktune problem(n = 1000) out(y[n]) global(n) local(8)
__kernel void places(__global int *restrict y, int n)
{
	if (get_global_id(0) < n)
		y[get_global_id(0)] = get_local_id(0);
}
