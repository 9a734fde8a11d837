/*
# One thread an output, in the order of the output.
region = "transpose"
launch.block = [96]
launch.grid = ["rows * columns / 96"]
*/
KERNEL CANDIDATE(TRANSPOSE)
{
	i64 i = GLOBAL_ID(x);
	if (i < (i64)rows * columns)
		y[i] = x[i % rows * columns + i / rows];
}
