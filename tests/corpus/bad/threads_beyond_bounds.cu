/*
# More threads than the kernel was compiled for.
region = "scale"
launch.block = [128]
verdict = "over-limit"
*/
KERNEL_OF(64) CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
}
