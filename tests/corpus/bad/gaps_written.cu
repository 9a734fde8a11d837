/*
# A dense copy where only every third element is the kernel's.
region = "strided"
launch.grid = ["3 * n / bx"]
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(STRIDED)
{
	i64 i = GLOBAL_ID(x);
	if (i < 3 * (i64)n)
		y[i] = x[i];
}
