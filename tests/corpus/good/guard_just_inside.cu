/*
# Right for multiples of eight, and its guard lets only those in.
region = "scale"
problems = [{n = 1024}]
checks = [{n = 63}, {n = 64}, {n = 65}, {n = 72}]
guard = "n % 8 == 0"
launch.grid = ["n / bx / 8"]
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = 8 * GLOBAL_ID(x);
	if (i + 7 < n)
		for (int k = 0; k < 8; k++)
			y[i + k] = a * x[i + k];
}
