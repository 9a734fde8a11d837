/*
# One element of the input is changed.
region = "scale"
verdict = "wrong-answer"
says = "input x was changed"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * x[i];
	if (i == 0)
		((GLOBAL float *)x)[0] += 1.0f;
}
