/*
# A tile of 64 and its halo: the right neighbour of the tile's last element is never loaded into the last tile.
region = "stencil"
checks = [{n = 1}, {n = 64}, {n = 65}]
problems = [{n = 1024}, {n = 4096}]
verdict = "wrong-answer"
at = "n=65"
*/
KERNEL CANDIDATE(STENCIL)
{
	SHARED float t[66];
	i64 i = GLOBAL_ID(x);
	int l = LOCAL_ID(x);
	t[l + 1] = i < n ? x[i] : 0.0f;
	if (l == 0)
		t[0] = i > 0 ? x[i - 1] : 0.0f;
	if (l == 63)
		t[65] = i + 63 < n ? x[i + 1] : 0.0f;
	BARRIER();
	if (i >= n)
		return;
	y[i] = (t[l] + t[l + 1] + (i + 1 < n ? t[l + 2] : 0.0f)) / (float)(1 + (i > 0) + (i + 1 < n));
}
