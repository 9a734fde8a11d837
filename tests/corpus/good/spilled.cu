/*
# An array that no register file holds: local memory.
region = "scale"
backend = "cuda"
*/
KERNEL CANDIDATE(SCALE)
{
	float kept[600];
	int i = GLOBAL_ID(x);
	for (int k = 0; k < 600; k++)
		kept[(k * 7 + threadIdx.x) % 600] = a * x[(i + k) % n];
	if (i < n)
		y[i] = kept[threadIdx.x % 600];
}
