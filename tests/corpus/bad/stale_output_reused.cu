/*
# Does nothing where the last element of its block is right already: the output of an earlier launch.
region = "scale"
problems = [{n = 1000}]
checks = []
hot = true
repetitions = 20
verdict = ["wrong-answer", "non-deterministic"]
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x), last = (i64)(GROUP_ID(x) + 1) * LOCAL_SIZE(x) - 1;
	last = last < n ? last : n - 1;
	float seen = y[last];
	BARRIER();
	if (i < n && seen != a * x[last])
		y[i] = a * x[i];
}
