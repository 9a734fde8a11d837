/*
# Two warps load what two others work on.
region = "scale"
backend = "cuda"
launch.block = [128]
launch.grid = ["n / 64"]
*/
KERNEL CANDIDATE(SCALE)
{
	__shared__ float t[64];
	int i = 64 * blockIdx.x + threadIdx.x % 64;
	if (threadIdx.x < 64) {
		t[threadIdx.x] = i < n ? x[i] : 0.0f;
		asm volatile("bar.arrive 1, 128;" ::: "memory");
	} else {
		asm volatile("bar.sync 1, 128;" ::: "memory");
		if (i < n)
			y[i] = a * t[threadIdx.x % 64];
	}
}
