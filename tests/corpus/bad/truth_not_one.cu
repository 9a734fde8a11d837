/*
# True is stored as 255.
region = "choose"
verdict = "wrong-answer"
says = "no:"
*/
KERNEL CANDIDATE(CHOOSE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n) {
		y[i] = mask[i] ? x[i] : 0;
		no[i] = mask[i] ? 0 : 255;
	}
}
