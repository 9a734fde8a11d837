/*
# In place, where its own earlier output is read for the neighbour's input.
region = "add"
verdict = ["wrong-answer", "non-deterministic"]
*/
KERNEL CANDIDATE(ADD)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		r[i] += x[i] + (i > 0 && i % 1000 == 999 ? 0.001f * r[i - 1] : 0.0f);
}
