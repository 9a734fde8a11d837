/*
# Asks the cache to keep what it reads and to drop what it writes.
region = "scale"
backend = "cuda"
*/
KERNEL CANDIDATE(SCALE)
{
	int i = GLOBAL_ID(x);
	float v;
	if (i >= n)
		return;
	asm volatile("ld.global.L1::no_allocate.L2::cache_hint.f32 %0, [%1], %2;"
	             : "=f"(v)
	             : "l"(x + i), "l"(0x14f0000000000000ull));
	asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(y + i), "f"(a * v), "l"(0x12f0000000000000ull)
	             : "memory");
}
