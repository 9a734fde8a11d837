/*
# Vectors of four with a tail, on aligned buffers.
region = "scale"
launch.grid = ["n / bx / 4"]
guard = "offset == 0"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = 4 * GLOBAL_ID(x);
	if (i + 3 < n) {
		float4 v = *(GLOBAL const float4 *)(x + i);
		*(GLOBAL float4 *)(y + i) = MAKE_FLOAT4(a * v.x, a * v.y, a * v.z, a * v.w);
	} else {
		for (; i < n; i++)
			y[i] = a * x[i];
	}
}
