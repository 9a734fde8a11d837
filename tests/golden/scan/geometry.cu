// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// Locals, casts, dim3 in its spellings, one-line functions, shared memory, and a local that is written to before.
// CHECK: "launches":[{{.*}}"grid":["(n + 127) / 128","2"],"block":["32","4"],"shared_bytes":"4 * 32"}
// CHECK-SAME: "grid":["(n + 128 - 1) / 128"],"block":["128"],"shared_bytes":null}
// CHECK-SAME: "grid":["n * 2"],"block":["128"],"shared_bytes":null}
// CHECK-SAME: "grid":["min(n, 65535)"],"block":["128"],"shared_bytes":"0"}
#include <algorithm>
#pragma ktune problem(n = 8) out(y[n])
__global__ void k(float *y, int n) { y[0] = n; }
static int up(int a, int b) { return (a + b - 1) / b; }
void run(float *y, long count, int changing, cudaStream_t s)
{
	const int n = static_cast<int>(count);
	unsigned blocks = (unsigned)(n + 127) / 128u;
	const dim3 block = dim3(32, 4);
	k<<<dim3{blocks, 2}, block, sizeof(float) * 32>>>(y, n);
	dim3 grid(up(n, 128));
	k<<<grid.x, 128>>>(y, n);
	int twice = n;
	twice *= 2;
	k<<<twice, 128>>>(y, n);
	k<<<std::min(n, 65535), 128, 0, s>>>(y, n);
}
