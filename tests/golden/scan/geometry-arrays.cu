// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Elements of the host's arrays, whose indices are numbers. What another function, a loop or an index that is no number may
// write is not known.
// CHECK: "name":"k","kernel":"k"
// CHECK-SAME: "grid":["(w + 127) / 128","h"],"block":["128","1"]
// CHECK-SAME: "grid":["(w + 63) / 64","h"],"block":["64"]
// CHECK-SAME: "grid":["h > 7 ? h + 1 : h"],"block":["65"]
// CHECK-SAME: "grid":["0"],"block":["66"]
// CHECK-SAME: "grid":[],"block":["67"]
// CHECK-SAME: "grid":[],"block":["68"]
// CHECK-SAME: "grid":[],"block":["69"]
// CHECK-SAME: "grid":[],"block":["70"]
#pragma ktune problem(w = 1024; h = 512) out(y[w * h])
__global__ void k(float *y, unsigned w, unsigned h) { y[blockIdx.x] = w + h; }
void written(float *y, unsigned w, unsigned h)
{
	size_t b[2], g[2];
	b[0] = 128;
	b[1] = 1;
	g[0] = (w + 127) / 128;
	g[1] = h;
	dim3 grid(g[0], g[1]), block(b[0], b[1]);
	k<<<grid, block>>>(y, w, h);
}
void initialised(float *y, unsigned w, unsigned h)
{
	const int b[] = {64};
	unsigned g[3] = {(w + 63) / 64, h};
	k<<<dim3(g[0], g[1]), b[0]>>>(y, w, h);
}
void conditional(float *y, unsigned w, unsigned h)
{
	unsigned g[2] = {w, h};
	if (h > 7)
		g[1] = h + 1;
	k<<<g[1], 65>>>(y, w, h);
}
void zero(float *y, unsigned w, unsigned h)
{
	unsigned g[2] = {w};
	k<<<g[1], 66>>>(y, w, h);
}
void loop(float *y, unsigned w, unsigned h)
{
	unsigned g[2] = {w, h};
	for (int i = 0; i < 2; i++)
		g[i]++;
	k<<<g[0], 67>>>(y, w, h);
}
void fill(unsigned *g);
void function(float *y, unsigned w, unsigned h)
{
	unsigned g[2] = {w, h};
	fill(g);
	k<<<g[0], 68>>>(y, w, h);
}
void pointer(float *y, unsigned w, unsigned h)
{
	unsigned g[2] = {w, h}, *p = &g[0];
	*p = 7;
	k<<<g[0], 69>>>(y, w, h);
}
void again(float *y, unsigned w, unsigned h)
{
	unsigned g[2] = {w, h};
	for (int i = 0; i < 3; i++) {
		k<<<g[0], 70>>>(y, w, h);
		g[0] /= 2;
	}
}
