/*
# The block's size is part of the kernel.
region = "scale"
launch.block = [96]
launch.grid = ["n / 96"]
*/
KERNEL_OF(96) CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
}
