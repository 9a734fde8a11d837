/*
# The elements before the first aligned address one by one, the rest by fours: any offset.
region = "scale"
backend = "cuda"
launch.grid = ["n / bx / 4 + 1"]
*/
KERNEL CANDIDATE(SCALE)
{
	int head = (int)(16 - (u64)x % 16) % 16 / 4;
	int i = GLOBAL_ID(x), at = head + 4 * i;
	head = head < n ? head : n;
	if (i < head)
		y[i] = a * x[i];
	if (at + 3 < n) {
		float4 v = *(const float4 *)(x + at);
		y[at] = a * v.x;
		y[at + 1] = a * v.y;
		y[at + 2] = a * v.z;
		y[at + 3] = a * v.w;
	} else {
		for (; at < n; at++)
			y[at] = a * x[at];
	}
}
