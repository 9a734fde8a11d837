/*
# One of three outputs is not written where nothing has to be done.
region = "split"
verdict = "wrong-answer"
at = "x=constant"
says = "s:"
*/
KERNEL CANDIDATE(SPLIT)
{
	i64 i = GLOBAL_ID(x);
	if (i >= n)
		return;
	m[i] = x[i] < 0.0f ? -x[i] : x[i];
	if (x[i] != 0.0f)
		s[i] = x[i] > 0.0f ? 1 : -1;
	b[i] = (u16)((x[i] + 100.0f) * 300.0f);
}
