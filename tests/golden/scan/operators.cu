// RUN: %scan %s -- -std=c++17 > %t && python3 -c "import json,sys; [print(l['line'], 'quiet' if l['is_quiet'] else 'ordered') for l in json.load(open(sys.argv[1]))['regions'][0]['launches']]" %t | %FileCheck %s
// Operators that macros spell, as an argument, by pasting, around other macros: each is known, and those that assign are told from
// those that do not. libclang.test compares the answers of all versions of libclang.
#define PASS(...) __VA_ARGS__
#define APPLY(operator, a, b) PASS(PASS(a) operator PASS(b))
#define PASTE(a, x, y, b) PASS(a x##y b)
#define PREFIX(operator, a) PASS(operator a)
#define POSTFIX(a, operator) PASS(a) operator
#define EMPTY
#define SAME ==
struct Shape {
	int n, m;
};
#pragma ktune problem(rows = 1; d = 8) out(y[rows * d]) in(x[rows * d]) grid(rows) block(32)
__global__ void k(float *y, const float *x, int d)
{
	const int row = PASS(blockIdx.x);
	for (int i = APPLY(+, threadIdx.x, 0); APPLY(<, i, d); APPLY(+=, i, blockDim.x)) {
		float a = APPLY(*, x[APPLY(+, row * d, i)], 2.0f);
		a = APPLY(-, a, PREFIX(-, 1.0f));
		PASTE(a, *, =, 3.0f);
		if (APPLY(&&, APPLY(>=, a, 0.0f), PREFIX(!, PASTE(i, =, =, d))))
			APPLY(/=, a, 2.0f);
		APPLY(=, y[APPLY(+, APPLY(*, row, d), i)], a);
	}
}
int bits, *place;
void run(float *y, const float *x, int d, int rows, Shape s, Shape *p, int Shape::*member, bool yes)
{
	// CHECK: 31 quiet
	k<<<APPLY(/, APPLY(+, rows, 255), APPLY(<<, 1, 8)), APPLY(-, 64, 32)>>>(y, x, d);
	// CHECK-NEXT: 33 quiet
	k<<<APPLY(>>, rows, 1), 32>>>(y, x, APPLY(%, d, 7) + APPLY(&, d, 7) + APPLY(^, d, 7) + APPLY(|, d, 7));
	// CHECK-NEXT: 35 quiet
	k<<<rows, 32>>>(y, x, APPLY(<, d, 1) + APPLY(>, d, 1) + APPLY(<=, d, 1) + APPLY(>=, d, 1) + APPLY(!=, d, 1) + (d SAME 1));
	// CHECK-NEXT: 37 quiet
	k<<<rows, 32>>>(y, x, APPLY(&&, yes, d > 1) + APPLY(||, yes, d > 1) + PASTE(d, &, &, yes) + PASTE(d, |, |, yes) + (yes and not d));
	// CHECK-NEXT: 39 quiet
	k<<<rows, 32>>>(y, x, PREFIX(+, d) + PREFIX(-, d) + PREFIX(~, d) + PREFIX(!, d) + PREFIX(*, PREFIX(&, d)) + PREFIX(__extension__, d));
	// CHECK-NEXT: 41 quiet
	k<<<rows, 32>>>(y, x, APPLY(.*, s, member) + APPLY(->*, p, member) + PASTE(d, =, =, EMPTY bits) + (APPLY(EMPTY ==, d, bits)));
	// CHECK-NEXT: 43 quiet
	k<<<rows, 32>>>(y, x, (APPLY(PASS(,), bits, d)));
	// CHECK-NEXT: 45 ordered
	k<<<rows, 32>>>(y, x, APPLY(=, bits, d));
	// CHECK-NEXT: 47 ordered
	k<<<rows, 32>>>(y, x, APPLY(+=, bits, d));
	// CHECK-NEXT: 49 ordered
	k<<<rows, 32>>>(y, x, PASTE(bits, <, <=, d));
	// CHECK-NEXT: 51 ordered
	k<<<rows, 32>>>(y, x, PASTE(bits, EMPTY |, =, d));
	// CHECK-NEXT: 53 ordered
	k<<<rows, 32>>>(y, x, PREFIX(++, bits));
	// CHECK-NEXT: 55 ordered
	k<<<rows, 32>>>(y, x, POSTFIX(bits, --));
	// CHECK-NEXT: 57 ordered
	k<<<rows, 32>>>(y, x, (APPLY(PASS(,), APPLY(=, bits, 1), d)));
	// CHECK-NEXT: 59 ordered
	k<<<rows, 32>>>(y, x, APPLY(&&, yes, (APPLY(=, *place, 1))));
}
