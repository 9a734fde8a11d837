/*
# Vectors from an address that is none of a vector.
region = "scale"
backend = "cuda"
launch.grid = ["n / bx / 4"]
verdict = "crashed"
at = "offset=4"
*/
KERNEL CANDIDATE(SCALE)
{
	int i = 4 * GLOBAL_ID(x);
	if (i + 3 < n) {
		float4 v = *(const float4 *)(x + i);
		*(float4 *)(y + i) = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
	} else {
		for (; i < n; i++)
			y[i] = a * x[i];
	}
}
