/*
 * Loads and stores with a cache hint, which nvcc declares and clang's headers for CUDA do not (the list:
 * tests/golden/lower/Inputs/declared.cu), as text of C++.
 */
#ifndef KT_CLANG_DECLARED_H
#define KT_CLANG_DECLARED_H

#define KT_DECLARED_ACCESSES \
	"#define KT_D __attribute__((device))\n" \
	"#define KT_LOADS(t) KT_D t __ldca(const t *); KT_D t __ldcg(const t *); KT_D t __ldcs(const t *); " \
	"KT_D t __ldlu(const t *); KT_D t __ldcv(const t *); KT_D void __stwb(t *, t); KT_D void __stcg(t *, t); " \
	"KT_D void __stcs(t *, t); KT_D void __stwt(t *, t);\n" \
	"#define KT_SCALARS(t) KT_LOADS(t) KT_LOADS(unsigned t)\n" \
	"KT_SCALARS(char) KT_SCALARS(short) KT_SCALARS(int) KT_SCALARS(long) KT_SCALARS(long long)\n" \
	"KT_LOADS(signed char) KT_LOADS(float) KT_LOADS(double)\n" \
	"KT_LOADS(char2) KT_LOADS(char4) KT_LOADS(uchar2) KT_LOADS(uchar4) KT_LOADS(short2) KT_LOADS(short4)\n" \
	"KT_LOADS(ushort2) KT_LOADS(ushort4) KT_LOADS(int2) KT_LOADS(int4) KT_LOADS(uint2) KT_LOADS(uint4)\n" \
	"KT_LOADS(longlong2) KT_LOADS(ulonglong2) KT_LOADS(float2) KT_LOADS(float4) KT_LOADS(double2)\n" \
	"#undef KT_SCALARS\n#undef KT_LOADS\n#undef KT_D\n"

#endif
