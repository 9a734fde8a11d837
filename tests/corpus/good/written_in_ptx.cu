/*
# The loads and the stores are assembly.
region = "scale"
backend = "cuda"
*/
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	float v;
	if (i >= n)
		return;
	asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(x + i));
	asm volatile("st.global.wt.f32 [%0], %1;" ::"l"(y + i), "f"(a * v) : "memory");
}
