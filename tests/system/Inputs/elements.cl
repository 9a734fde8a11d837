// Buffers whose elements are vectors and structures: filled, compared and named number by number.
// A variant goes through the buffers STEP elements at a time. WRONG is what a test makes the one of four do to element k.
#define STEP 1
#define WRONG

struct edge {
	int from;
	float weight;
	uchar kind; /* a byte behind it belongs to nothing */
	short2 at;
	double exact[2];
};

#pragma ktune problem(n = 1000) in(x[n], v[n], bytes[n]) inout(edges[n]: {from = range(0, n - 1), at = range(-2, 2)}) out(y[n], z[n], sums[n], raw[n * 8]: as(float2)) \
	tune(STEP = 1, 4) grid(16) block(32)
kernel void elements(global float4 *y, global const float4 *x, global const float3 *v, global float3 *z,
                     global const uchar4 *bytes, global struct edge *edges, global long2 *sums, global void *raw, int n)
{
	const int first = (int)get_global_id(0) * STEP, stride = (int)get_global_size(0) * STEP;
	for (int i = first; i < n; i += stride)
		for (int k = i; k < i + STEP && k < n; k++) {
			float4 value = x[k] * 2.0f;
			value.w += (float)bytes[k].y;
			y[k] = value;
			z[k] = v[k].zyx;
			/* Another number than its clause says leads out of the buffer. */
			z[k].x += x[edges[k].from].x + x[edges[k].at.x < -2 || edges[k].at.x > 2 ? n << 10 : 0].y;
			edges[k].from += bytes[k].x;
			edges[k].weight = value.x;
			edges[k].kind ^= 1;
			edges[k].at = edges[k].at.yx;
			edges[k].exact[1] = edges[k].exact[0] + edges[k].from;
			sums[k] = (long2)(bytes[k].z, edges[k].kind);
			((global float2 *)raw)[k] = value.xw;
			if (STEP == 4 && k == 7) {
				WRONG;
			}
		}
}
