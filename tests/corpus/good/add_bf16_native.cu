/*
# bfloat16 by the device's own type.
region = "add_bf16"
backend = "cuda"
*/
KERNEL CANDIDATE(ADD_BF16)
{
	int i = GLOBAL_ID(x);
	const __nv_bfloat16 *from = (const __nv_bfloat16 *)x;
	__nv_bfloat16 *to = (__nv_bfloat16 *)r;
	if (i < n)
		to[i] = __hadd(to[i], from[i]);
}
