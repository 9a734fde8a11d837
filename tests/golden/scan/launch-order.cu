// RUN: %scan %s -- -std=c++17 > %t && python3 -c "import json,sys; [print(l['line'], l['decline'] or '-', 'quiet' if l['is_quiet'] else 'ordered') for l in json.load(open(sys.argv[1]))['regions'][0]['launches']]" %t | %FileCheck %s
// Whether the order matters in which a launch's expressions are evaluated, after macro expansion; and launches that change a
// variable which gives a problem variable its value.
#define NEXT(cursor) (cursor)++
#define SIZE 1024
struct Shape {
	int n;
	__host__ __device__ int size() const { return n; }
	int grow() { return ++n; }
};
#pragma ktune problem(rows = 1; d = 8) out(y[rows * d]) grid(rows) block(32)
__global__ void k(float *y, int d) { y[blockIdx.x * d] = 1; }
int opaque(int);
int by_reference(int &);
int by_constant(const int &);
int by_pointer(int *);
static int twice(int n) { return 2 * n; }
int effects;
static int counts(int n) { return n + effects++; }
cudaStream_t current_stream();
void run(float *y, int d, int rows, Shape shape, volatile int *seen)
{
	const int fixed = d;
	// CHECK: 25 - quiet
	k<<<rows, 32>>>(y + 1, d);
	// CHECK-NEXT: 27 - quiet
	k<<<dim3(rows, twice(1)), SIZE / 32, sizeof(opaque(1))>>>(y, shape.size() == 1 ? d : -d);
	// CHECK-NEXT: 29 - quiet
	k<<<rows, 32, 0, current_stream()>>>(y, static_cast<int>(1.5f));
	// CHECK-NEXT: 31 - ordered
	k<<<opaque(rows), 32>>>(y, d);
	// CHECK-NEXT: 33 - ordered
	k<<<rows, counts(32)>>>(y, d);
	// CHECK-NEXT: 35 - ordered
	k<<<rows, 32>>>(NEXT(y), d);
	// CHECK-NEXT: 37 - ordered
	k<<<rows, 32>>>(y, d = 1);
	// CHECK-NEXT: 39 - ordered
	k<<<rows, 32>>>(y, *seen);
	// CHECK-NEXT: 41 - ordered
	k<<<rows, 32>>>(y, [&] { return effects++; }());
	// CHECK-NEXT: 43 - ordered
	k<<<opaque((rows)), by_constant(rows)>>>(y, shape.grow());
	// CHECK-NEXT: 45 launch-order ordered
	k<<<rows++, 32>>>(y, d);
	// CHECK-NEXT: 47 launch-order ordered
	k<<<rows, 32>>>(y, NEXT(rows));
	// CHECK-NEXT: 49 launch-order ordered
	k<<<rows, 32>>>(y, by_reference(rows));
	// CHECK-NEXT: 51 launch-order ordered
	k<<<rows, by_pointer(&rows)>>>(y, d);
	// CHECK-NEXT: 53 launch-order ordered
	k<<<rows, 32>>>(y, [&] { rows = 2; return d; }());
#pragma ktune bind(rows = shape.n)
	// CHECK-NEXT: 56 launch-order ordered
	k<<<rows, 32>>>(y, shape.grow());
#pragma ktune bind(rows = shape.size())
	// CHECK-NEXT: 59 - ordered
	k<<<rows, 32>>>(y, opaque(shape.size()));
#pragma ktune bind(rows = fixed)
	// CHECK-NEXT: 62 - ordered
	k<<<rows, 32>>>(y, rows++ + by_constant(fixed));
	// CHECK-NEXT: 64 launch-form
	k<<<rows, 32>>>(y,
#if SIZE > 1
	                d
#else
	                1
#endif
	);
}
template <typename T> void in_template(T *y, T n, int rows)
{
	// CHECK-NEXT: 75 - quiet
	k<<<rows, 32>>>(y, 1);
	// CHECK-NEXT: 77 - ordered
	k<<<rows, 32>>>(y, opaque(n));
	// CHECK-NEXT: 79 launch-order ordered
	k<<<rows, 32>>>(y, unknown(n, rows));
	// CHECK-NEXT: 81 - ordered
	k<<<rows, 32>>>(y, unknown(n, rows + 1));
}
struct Array {
	int n;
	int numel() const;
	bool defined() const;
};
struct Passed {
	Passed(Array &a) : n(a.defined() ? a.numel() : 0) {}
	int n;
};
struct Grown {
	Grown(Array &a) : n(a.n++) {}
	int n;
};
int read_by_reference(Array &a) { return a.n + 1; }
int written_by_reference(Array &a) { return ++a.n; }
void by_references(float *y, Array shape)
{
#pragma ktune bind(rows = shape.n)
	// CHECK-NEXT: 102 - quiet
	k<<<4, 32>>>(y, Passed(shape).n);
#pragma ktune bind(rows = shape.n)
	// CHECK-NEXT: 105 launch-order ordered
	k<<<4, 32>>>(y, Grown(shape).n);
#pragma ktune bind(rows = shape.n)
	// CHECK-NEXT: 108 - quiet
	k<<<4, 32>>>(y, read_by_reference(shape));
#pragma ktune bind(rows = shape.n)
	// CHECK-NEXT: 111 launch-order ordered
	k<<<4, 32>>>(y, written_by_reference(shape));
}
