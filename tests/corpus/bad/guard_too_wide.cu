/*
# Right for multiples of eight; its guard lets all even sizes in.
region = "scale"
problems = [{n = 1024}]
checks = [{n = 65}, {n = 66}, {n = 72}]
guard = "n % 2 == 0"
launch.grid = ["n / bx / 8"]
verdict = "wrong-answer"
at = "n=66"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = 8 * GLOBAL_ID(x);
	if (i + 7 < n)
		for (int k = 0; k < 8; k++)
			y[i + k] = a * x[i + k];
}
