/*
# Inputs are cut to bfloat16 on the way.
region = "scale"
verdict = "wrong-answer"
*/
KERNEL CANDIDATE(SCALE)
{
	i64 i = GLOBAL_ID(x);
	if (i < n)
		y[i] = a * load_bf16(round_bf16(x[i]));
}
