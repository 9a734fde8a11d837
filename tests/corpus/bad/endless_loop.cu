/*
# Waits for a value that never comes.
region = "scale"
limit_s = 2
problems = [{n = 256}]
checks = []
verdict = "timed-out"
*/
KERNEL CANDIDATE(SCALE)
{
	volatile GLOBAL float *v = y;
	while (v[0] != 12345.678f) {
	}
}
