/*
 * Launches whose configuration and arguments throw, change and move, in every form that a launch can have. Prints in which
 * order things happen and what each kernel receives, which is the same with variants, without them, and without ktcc.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <utility>
#if __cplusplus >= 202002L && defined(__cpp_impl_coroutine)
#include <coroutine>
#define HAS_COROUTINES 1
#endif

#define BLOCK 128
#define WIDTH 128

static int value_of_default()
{
	printf(" default");
	return 40;
}

#pragma ktune problem(n = 1024) out(y[n]) value(tag = 1) tune(BLOCK = 64, 128)
__global__ void k(float *__restrict__ y, const int n, long tag = value_of_default())
{
	if (blockIdx.x * BLOCK + threadIdx.x < n)
		y[blockIdx.x * BLOCK + threadIdx.x] = tag;
}

#pragma ktune problem(rows = 1024) out(y[rows]) in(x[rows]) value(tag = 1) tune(WIDTH = 64, 128) \
    grid(rows / WIDTH) block(WIDTH)
template <typename T> __global__ void t(T *__restrict__ y, const T *x, long tag)
{
	y[blockIdx.x * WIDTH + threadIdx.x] = tag;
}
template __global__ void t<float>(float *__restrict__, const float *, long);

static float memory[1024];

/* Called by the runtime with what a kernel receives. */
extern "C" void stub_launched(const char *name, void **arguments)
{
	const bool is_template = strstr(name, "_t") != nullptr || strstr(name, "1t") != nullptr;

	if (is_template)
		printf(" [t y+%d x+%d tag=%ld]", (int)(*(float **)arguments[0] - memory),
		       (int)(*(const float **)arguments[1] - memory), *(long *)arguments[2]);
	else
		printf(" [k y+%d n=%d tag=%ld]", (int)(*(float **)arguments[0] - memory), *(int *)arguments[1],
		       *(long *)arguments[2]);
}

/* ---- what expressions are made of */

static int say(const char *what, int value)
{
	printf(" %s", what);
	return value;
}
static int throws(const char *what)
{
	printf(" %s", what);
	throw what;
}
static int prepare(float *&y, int &n)
{
	printf(" prepare");
	y = memory + 8;
	n = 1024;
	return 8;
}

/* Lives until the end of the expression. */
struct Held {
	int number;
	explicit Held(int number_) : number(number_) { printf(" +%d", number); }
	Held(const Held &) = delete;
	~Held() { printf(" -%d", number); }
	operator long() const { return number; }
};

/* Can be moved only, and converts to a pointer when it ends up in one. */
struct Owner {
	float *at;
	explicit Owner(float *at_) : at(at_) { printf(" make"); }
	Owner(Owner &&other) : at(other.at) { other.at = nullptr; printf(" move"); }
	Owner(const Owner &) = delete;
	~Owner() { printf(at != nullptr ? " end" : " end-empty"); }
	operator float *() const { printf(" convert"); return at; }
};
static Owner take(Owner owner)
{
	return owner;
}

struct Stream {
	operator cudaStream_t() const { printf(" stream"); return nullptr; }
};
struct Shape {
	int blocks;
	operator dim3() const { printf(" shape"); return dim3(blocks); }
};

#define LAUNCH_OF(kernel, ...) kernel __VA_ARGS__
#define CHECKED(...) \
	do { \
		__VA_ARGS__; \
		printf(" checked"); \
	} while (0)
#define TWICE(what) (what, what)
#define NEXT(cursor) cursor++

/* ---- forms of launches */

static void statement()
{
	float *y = memory;
	int n = 0;

	k<<<prepare(y, n), 128>>>(y, n, 1);
	printf(" n=%d;", n);
	k<<<8, 128, 0, Stream()>>>(y, say("n", 1024), say("tag", 2));
	k<<<Shape{8}, say("block", 128), 0 * say("shared", 0)>>>(y + say("y", 1), 1024);
}

static void changes()
{
	float *cursor = memory;
	int grid = 7;
	volatile int tag = 3;

	k<<<++grid, 128>>>(cursor++, 1024, tag);
	k<<<grid--, 128>>>(NEXT(cursor), 1024, tag = tag + 1);
	k<<<grid += 1, 128>>>(cursor += 2, 1024, grid);
	printf(" cursor+%d grid=%d tag=%d", (int)(cursor - memory), grid, (int)tag);
}

static void moves()
{
	Owner a(memory + 3), b(memory + 4);

	k<<<8, 128>>>(take(std::move(a)), 1024, Held(5));
	printf(" |");
	k<<<(Held(8), 8), (int)Held(128)>>>(std::move(b), 1024, Held(6));
	printf(" |");
}

static void expressions(bool which)
{
	float *y = memory;

	(void)0, k<<<say("grid", 8), 128>>>(y++, 1024, Held(1)), (void)say("after", 0);
	which ? k<<<say("one", 8), 128>>>(y++, 1024, 1) : k<<<say("other", 8), 128>>>(y--, 1024, 2);
	for (int i = 0; i < 2; i++, k<<<say("step", 8), 128>>>(y++, 1024, i))
		;
	if (which)
		k<<<say("then", 8), 128>>>(y++, 1024, 3);
	else
		k<<<say("else", 8), 128>>>(y++, 1024, 4);
	printf(" y+%d", (int)(y - memory));
}

static void macros()
{
	float *y = memory;
	const int rows = 1024;

	CHECKED(k<<<say("grid", 8), 128>>>(NEXT(y), 1024, say("tag", 5)));
	TWICE((k<<<say("grid", 8), 128>>>(NEXT(y), 1024, say("tag", 6))));
	LAUNCH_OF(k, <<<say("grid", 8), 128>>>(NEXT(y), 1024, say("tag", 7)));
	CHECKED(t<float><<<say("grid", 8), 128>>>(NEXT(y), memory + say("x", 1), say("tag", 8)));
	printf(" y+%d", (int)(y - memory));
}

template <typename T> static void in_template(T *y, T of)
{
	const int rows = 1024;

	k<<<say("grid", (int)of), 128>>>(y++, rows, say("tag", 1));
	t<T><<<say("grid", (int)of), 128>>>(y++, y + say("x", 1), say("tag", 2));
	t<<<say("grid", (int)of), 128>>>(y++, memory, Held(2));
	t<
	    T /* the type */
	    ><<<say("grid", 8),
	       128>>>(y, memory,
	              // the tag
	              say("tag", __LINE__));
}

static void in_lambda()
{
	float *y = memory;
	auto launch = [&](int grid) { k<<<say("grid", grid), 128>>>(y++, 1024, [&] { return say("tag", 9); }()); };

	launch(8);
	[=]() mutable { k<<<say("grid", 8), 128>>>(y++, 1024, 1); }();
	printf(" y+%d", (int)(y - memory));
}

/* A launch while another one's arguments are evaluated. */
static long inner(int tag)
{
	k<<<say("inner", 8), 128>>>(memory + 100, 1024, tag);
	return tag;
}
static void nested()
{
	k<<<say("outer", 8), 128>>>(memory, 1024, inner(1));
	k<<<8 * (int)inner(1), 128>>>(memory, 1024, inner(2));
}

static void block_of_launches()
{
	float *y = memory;
	int n = 1024;

#pragma ktune name(both) problem(n = 1024) out(y[n]) value(tag = 1)
	{
		k<<<(n + 127) / 128, 128>>>(y, n, 1);
		k<<<(n + 127) / 128, 128>>>(NEXT(y), n, 2);
	}
	printf(" y+%d", (int)(y - memory));
}

static void by_function()
{
	float *y = memory;
	int n = 1024;
	long tag = 1;
	void *arguments[] = {&y, &n, &tag};

	(void)cudaLaunchKernel((const void *)k, dim3(say("grid", 8)), dim3(say("block", 128)), arguments, 0, nullptr);
	void (*pointer)(float *, int, long) = k;
	pointer<<<say("grid", 8), 128>>>(y++, 1024, 2);
}

/* What throws leaves the rest undone; the next launch has its own configuration. */
static void throwing()
{
	float *y = memory;

	for (int i = 0; i < 3; i++)
		try {
			k<<<i == 0 ? throws("configuration") : say("grid", 8), 128>>>(
			    y++, i == 1 ? throws("argument") : 1024, Held(i));
		} catch (const char *what) {
			printf(" caught-%s", what);
		}
	printf(" y+%d", (int)(y - memory));
}

static void rows_of(int &rows)
{
	float *y = memory;

	t<<<rows / 128, 128>>>(y, memory, rows);
	t<<<say("grid", 8), 128>>>(y++, memory, say("tag", 1));
	/* What gives a problem variable its value changes in the launch itself. */
	t<<<say("grid", 8), 128>>>(y++, memory, rows--);
	printf(" rows=%d", rows);
}

#ifdef HAS_COROUTINES
struct Task {
	struct promise_type {
		Task get_return_object() { return {}; }
		std::suspend_never initial_suspend() { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
};
struct Ready {
	int number;
	bool await_ready() const { return true; }
	void await_suspend(std::coroutine_handle<>) const {}
	int await_resume() const { return say("awaited", number); }
};
static Task coroutine()
{
	float *y = memory;

	k<<<co_await Ready{8}, say("block", 128)>>>(y++, 1024, co_await Ready{4});
	printf(" y+%d", (int)(y - memory));
}
#else
static void coroutine()
{
}
#endif

int main()
{
	static const struct {
		const char *name;
		void (*run)();
	} rows[] = {{"statement", statement},
	            {"changes", changes},
	            {"moves", moves},
	            {"expressions", [] { expressions(true); expressions(false); }},
	            {"macros", macros},
	            {"template", [] { in_template<float>(memory, 8); }},
	            {"lambda", in_lambda},
	            {"nested", nested},
	            {"block", block_of_launches},
	            {"function", by_function},
	            {"throwing", throwing},
	            {"rows", [] { int rows = 1024; rows_of(rows); }},
	            {"coroutine", [] { (void)coroutine(); }}};

	for (const auto &row : rows) {
		printf("%s:", row.name);
		row.run();
		printf("\n");
	}
	return 0;
}
