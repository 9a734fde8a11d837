// Every argument has to arrive as the clauses give it: where one does not, the kernel writes behind its buffer.
typedef struct { short rows; float scale; int size[2]; } part;
typedef struct { part first; uchar kind; double weight; part rest[2]; long last; } whole;
#pragma ktune problem(n = 1000, 333) in(x[n]) out(y[n]) \
	value(p.first = {n, 0.5f, 3, 2 * n}, p.kind = 7, p.weight = 0.25f, p.rest = {1, 2, 3, 4, 5, 6, 7, 8}, p.last = -9) \
	value(d = {4, 5, n}, f = {0.5f, 1.5f}) tune(STEP = 1, 2) global(ceil_div(n, STEP)) local(64) budget(trials = 4)
#define STEP 1
kernel void members(global float *restrict y, const whole p, int3 d, global const float *restrict x, float2 f)
{
	const int n = p.first.rows;
	const bool same = p.first.scale == 0.5f && p.first.size[0] == 3 && p.first.size[1] == 2 * n && p.kind == 7 &&
	                  p.weight == 0.25 && p.rest[0].rows == 1 && p.rest[0].scale == 2.0f && p.rest[0].size[1] == 4 &&
	                  p.rest[1].rows == 5 && p.rest[1].size[1] == 8 && p.last == -9 && d.x == 4 && d.y == 5 && d.z == n &&
	                  f.x == 0.5f && f.y == 1.5f;

	for (int k = 0; k < STEP; k++) {
		const int i = get_global_id(0) * STEP + k;

		if (i < n)
			y[same ? i : i + n] = x[i] * f.x + d.x;
	}
}
