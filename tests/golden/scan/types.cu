// RUN: %scan %s -- -std=c++17 | %FileCheck %s
// CHECK: "decline":null
// CHECK-SAME: "elements":["f16","bf16","f32","f64","i8","u8","i16","u16","i32","u32","i64","u64","bool"]
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#pragma ktune problem(n = 1) out(a[n], b[n], c[n], d[n], e[n], f[n], g[n], h[n], i[n], j[n], k[n], l[n]) value(m = true)
__global__ void all(half *a, __nv_bfloat16 *b, float *c, double *d, int8_t *e, uint8_t *f, short *g, uint16_t *h,
                    int *i, unsigned *j, long long *k, size_t *l, bool m) {}
void run(int n) { all<<<1, 1>>>(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, true); }
