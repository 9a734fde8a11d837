/*
 * ktune/ktune.h: what emitted code calls at run time. Header only, C++11 and
 * later, CUDA 11 and later; no library.
 *
 * A dispatcher (docs/emission.md) asks here: which device is current, may this
 * variant run on it, is its geometry legal. Everything is answered once per
 * device and variant and then read with one atomic load. Nothing that is asked leaves a
 * trace in the CUDA last-error state. Several threads may ask the same for the
 * first time at once: they find the same answer and store it twice.
 */
#ifndef KTUNE_KTUNE_H
#define KTUNE_KTUNE_H

#if defined(__GNUC__)
#pragma GCC system_header
#endif

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max

#define KTUNE_DEVICES 64 /* ordinals from here on run the original */

/* What is generated is no line of the user's: coverage counts nothing in it. */
#if defined(__has_attribute)
#if __has_attribute(no_profile_instrument_function)
#define KTUNE_GENERATED __attribute__((no_profile_instrument_function))
#endif
#endif
#if !defined(KTUNE_GENERATED)
#define KTUNE_GENERATED
#endif

/*
 * A launch takes microseconds, in which the processor forgets what a dispatcher
 * is made of: its cost is the lines of code and data that come back. What a
 * later launch does not need is kept out of line, what it needs is one straight
 * piece of code: a compiler that has many dispatchers to compile would stop to inline.
 */
#if defined(__GNUC__)
#define KTUNE_RARE __attribute__((__noinline__, __cold__))
/* Without optimisation inlined code is five times as long, to run and to compile. */
#if defined(__OPTIMIZE__)
#define KTUNE_INLINE KTUNE_GENERATED inline __attribute__((__always_inline__))
#else
#define KTUNE_INLINE KTUNE_GENERATED inline
#endif
#define KTUNE_EXPECT(condition) __builtin_expect(!!(condition), 1)
#else
#define KTUNE_RARE
#define KTUNE_INLINE inline
#define KTUNE_EXPECT(condition) (condition)
#endif

namespace ktune
{
inline namespace v4
{

/* The four expressions between <<< and >>>, converted as a launch converts them. */
struct launch {
	dim3 grid, block;
	size_t shared;
	cudaStream_t stream;

	KTUNE_INLINE launch(dim3 grid_, dim3 block_, size_t shared_ = 0, cudaStream_t stream_ = 0)
	    : grid(grid_), block(block_), shared(shared_), stream(stream_)
	{
	}
};

#if defined(__CUDACC__)
extern "C" cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

/*
 * A launch evaluates its configuration, then its arguments. The compiler writes `push(configuration) ? void() :
 * kernel(arguments)` for it, and so does an emission where the order matters: the runtime keeps the configuration while
 * the arguments are evaluated, which may throw, or launch something else.
 */
KTUNE_INLINE unsigned push(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0)
{
	return __cudaPushCallConfiguration(grid, block, shared, stream);
}

/* False: there is none, and nothing is launched. */
KTUNE_INLINE bool pop(launch &at)
{
	return __cudaPopCallConfiguration(&at.grid, &at.block, &at.shared, &at.stream) == cudaSuccess;
}
#endif

/*
 * Arithmetic of pragma expressions: 64-bit; what is undefined raises `fault` and gives 0. All that an
 * expression may call takes it first. It is a variable of the dispatcher's own: a thread's would be a call in
 * a shared library.
 */
KTUNE_INLINE long long no_value(bool &fault)
{
	fault = true;
	return 0;
}

KTUNE_INLINE long long add(bool &fault, long long a, long long b)
{
	long long r = 0;
	return KTUNE_EXPECT(!__builtin_add_overflow(a, b, &r)) ? r : no_value(fault);
}

KTUNE_INLINE long long sub(bool &fault, long long a, long long b)
{
	long long r = 0;
	return KTUNE_EXPECT(!__builtin_sub_overflow(a, b, &r)) ? r : no_value(fault);
}

KTUNE_INLINE long long mul(bool &fault, long long a, long long b)
{
	long long r = 0;
	return KTUNE_EXPECT(!__builtin_mul_overflow(a, b, &r)) ? r : no_value(fault);
}

KTUNE_INLINE long long neg(bool &fault, long long a)
{
	return sub(fault, 0, a);
}

KTUNE_INLINE bool divides(long long a, long long b)
{
	return KTUNE_EXPECT(b != 0 && !(b == -1 && a == -0x7fffffffffffffffLL - 1));
}

KTUNE_INLINE long long div(bool &fault, long long a, long long b)
{
	return divides(a, b) ? a / b : no_value(fault);
}

KTUNE_INLINE long long rem(bool &fault, long long a, long long b)
{
	return divides(a, b) ? a % b : no_value(fault);
}

/* Rounds towards positive infinity. */
KTUNE_INLINE long long ceil_div(bool &fault, long long a, long long b)
{
	return divides(a, b) ? a / b + (a % b != 0 && (a < 0) == (b < 0)) : no_value(fault);
}

KTUNE_INLINE long long shl(bool &fault, long long a, long long b)
{
	if (b < 0 || b > 63)
		return no_value(fault);
	const long long r = static_cast<long long>(static_cast<unsigned long long>(a) << b);
	return r >> b == a ? r : no_value(fault);
}

KTUNE_INLINE long long shr(bool &fault, long long a, long long b)
{
	return b < 0 || b > 63 ? no_value(fault) : a >> b;
}

KTUNE_INLINE long long min(bool &, long long a, long long b)
{
	return b < a ? b : a;
}

KTUNE_INLINE long long max(bool &, long long a, long long b)
{
	return a < b ? b : a;
}

KTUNE_INLINE long long is_pow2(bool &, long long a)
{
	return a > 0 && (a & (a - 1)) == 0;
}

KTUNE_INLINE long long aligned(bool &, const volatile void *p, long long bytes)
{
	return bytes > 0 && reinterpret_cast<uintptr_t>(p) % static_cast<uintptr_t>(bytes) == 0;
}

template <typename T_> struct element {
	static constexpr size_t bytes()
	{
		return sizeof(T_);
	}
};
template <> struct element<void> {
	static constexpr size_t bytes()
	{
		return 1;
	}
};
template <> struct element<const void> : element<void> {
};
/* What a pointer to arrays points to is counted in numbers. */
template <typename T_, size_t N_> struct element<T_[N_]> : element<T_> {
};

/* Do n elements at p and m elements at q share no byte? */
template <typename P_, typename Q_> KTUNE_INLINE long long disjoint(bool &, P_ *p, long long n, Q_ *q, long long m)
{
	const uintptr_t a = reinterpret_cast<uintptr_t>(p), b = reinterpret_cast<uintptr_t>(q);
	long long an = 0, bn = 0;

	if (n < 0 || m < 0 || __builtin_mul_overflow(n, static_cast<long long>(element<P_>::bytes()), &an) ||
	    __builtin_mul_overflow(m, static_cast<long long>(element<Q_>::bytes()), &bn))
		return 0;
	return a <= b ? b - a >= static_cast<uintptr_t>(an) || bn == 0 : a - b >= static_cast<uintptr_t>(bn) || an == 0;
}

/* A 64-bit number, or none: a fraction, or an unsigned number past the range. */
struct number {
	long long held;
	bool known;

	template <typename T_>
	KTUNE_INLINE explicit number(T_ v)
	    : held(static_cast<long long>(v)), known(static_cast<T_>(held) == v && (v < static_cast<T_>(1)) == (held < 1))
	{
	}
	KTUNE_INLINE long long get(bool &fault) const
	{
		return KTUNE_EXPECT(known) ? held : no_value(fault);
	}
};

/* A kernel argument as expressions see it. */
template <typename T_> KTUNE_INLINE long long value(bool &fault, T_ v)
{
	return number(v).get(fault);
}

/* A problem variable at a launch: a number, or "the kernel's argument carries it". */
struct carried {
};
struct binding {
	bool is_carried;
	number own;

	KTUNE_INLINE explicit binding(carried) : is_carried(true), own(0)
	{
	}
	template <typename T_> KTUNE_INLINE explicit binding(T_ v) : is_carried(false), own(v)
	{
	}
	template <typename T_> KTUNE_INLINE long long get(bool &fault, T_ argument) const
	{
		return is_carried ? value(fault, argument) : own.get(fault);
	}
	KTUNE_INLINE long long get(bool &fault) const
	{
		return own.get(fault);
	}
};

/* Has the argument the value of the problem variable that is called like it? What is no number is no variable. */
template <typename T_>
inline auto agrees(const binding &b, const T_ &argument, int) -> decltype(static_cast<long long>(argument) == 0)
{
	bool fault = false;

	return b.get(fault, argument) == value(fault, argument) && !fault;
}
template <typename T_> inline bool agrees(const binding &, const T_ &, long)
{
	return true;
}

/* A kernel's address as the runtime takes it. */
template <typename... A_> KTUNE_INLINE const void *address(void (*kernel)(A_...))
{
	return reinterpret_cast<const void *>(kernel);
}

/* Why the original ran. The order is how far a variant came. */
enum outcome {
	outcome_absent,       /* no variant for this instance; counted as problem */
	outcome_device,       /* no variant for this device */
	outcome_architecture, /* the code that is loaded was compiled for another architecture */
	outcome_error,        /* the runtime failed, or an error was pending */
	outcome_guard,
	outcome_geometry, /* not the launch geometry that was tuned */
	outcome_problem,  /* the expressions have no value, or no legal geometry, for this problem */
	outcome_variant,
	outcome_turn, /* a variant could have run, and the original did, to be timed beside it (KTUNE_TRACE=time) */
	outcome_count,
	outcome_uncounted = outcome_count /* the variant ran, and launches are not counted */
};

/* 0: not asked yet. */
struct process_state {
	int visible; /* devices; cannot change once the runtime has returned it */
	int tracing; /* 1: off, 2: on, 3: on, and launches are timed */
};

inline process_state &process()
{
	static process_state state;
	return state;
}

/* 0 when the runtime does not report it. */
KTUNE_RARE inline int ask_visible()
{
	int count = 0;

	if (cudaGetDeviceCount(&count) != cudaSuccess) {
		(void)cudaGetLastError();
		return 0;
	}
	__atomic_store_n(&process().visible, count, __ATOMIC_RELAXED);
	return count;
}

KTUNE_RARE inline int ask_current()
{
	int ordinal = -1;

	if (cudaGetDevice(&ordinal) != cudaSuccess) {
		(void)cudaGetLastError();
		return -1;
	}
	return ordinal >= 0 && ordinal < KTUNE_DEVICES ? ordinal : -1;
}

/*
 * The current device's ordinal, −1 when there is none or it is out of range.
 * Where several are visible this asks the runtime at every launch. Where that
 * fails, the original launch fails after it and leaves its own error.
 */
inline int current_device()
{
	int visible = __atomic_load_n(&process().visible, __ATOMIC_RELAXED);

	if (KTUNE_EXPECT(visible == 1))
		return 0;
	if (visible == 0)
		visible = ask_visible();
	return visible <= 1 ? visible - 1 : ask_current();
}

/* What the current process knows of one ordinal; never freed, so that late launches still find it. */
struct device_record {
	cudaDeviceProp properties;
};

inline device_record **devices()
{
	static device_record *table[KTUNE_DEVICES];
	return table;
}

/* NULL when the runtime does not report it. */
inline const device_record *device_of(int ordinal)
{
	device_record **table = devices();
	device_record *known = __atomic_load_n(&table[ordinal], __ATOMIC_ACQUIRE), *made;

	if (known != nullptr)
		return known;
	made = static_cast<device_record *>(calloc(1, sizeof *made));
	if (made == nullptr)
		return nullptr;
	if (cudaGetDeviceProperties(&made->properties, ordinal) != cudaSuccess) {
		free(made);
		return nullptr;
	}
	if (!__atomic_compare_exchange_n(&table[ordinal], &known, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		free(made);
		return known;
	}
	return made;
}

/* Counters of one region, printed at exit where KTUNE_TRACE is 1 or time: a row for each device, the last for none. */
struct counters {
	const char *region;
	unsigned long long count[KTUNE_DEVICES + 1][outcome_count];
};

KTUNE_RARE inline int ask_tracing()
{
	const char *text = getenv("KTUNE_TRACE");
	const int now = text == nullptr ? 1 : strcmp(text, "1") == 0 ? 2 : strcmp(text, "time") == 0 ? 3 : 1;

	__atomic_store_n(&process().tracing, now, __ATOMIC_RELAXED);
	return now;
}

inline int trace_mode()
{
	const int now = __atomic_load_n(&process().tracing, __ATOMIC_RELAXED);

	return now != 0 ? now : ask_tracing();
}

inline bool tracing()
{
	return trace_mode() >= 2;
}

inline bool timing()
{
	return trace_mode() == 3;
}

inline unsigned long long counted(const counters &c, int row, outcome what)
{
	return __atomic_load_n(&c.count[row][what], __ATOMIC_RELAXED);
}

inline void print_row(const counters &c, int row)
{
	const device_record *device =
	    row < KTUNE_DEVICES ? __atomic_load_n(&devices()[row], __ATOMIC_ACQUIRE) : nullptr;
	const unsigned long long problem = counted(c, row, outcome_absent) + counted(c, row, outcome_problem);
	const unsigned long long variant = counted(c, row, outcome_variant);
	const unsigned long long turns = counted(c, row, outcome_turn);
	unsigned long long original = 0;

	for (int i = 0; i < outcome_variant; i++)
		original += counted(c, row, static_cast<outcome>(i));
	if (variant + original + turns == 0)
		return;
	fprintf(stderr,
		"ktune: %s variant=%llu original=%llu (guard=%llu geometry=%llu device=%llu architecture=%llu "
		"problem=%llu error=%llu)",
		c.region, variant, original, counted(c, row, outcome_guard), counted(c, row, outcome_geometry),
		counted(c, row, outcome_device), counted(c, row, outcome_architecture), problem,
		counted(c, row, outcome_error));
	if (turns > 0)
		fprintf(stderr, " timed-original=%llu", turns);
	if (row == KTUNE_DEVICES)
		fprintf(stderr, " on no device\n");
	else if (device == nullptr)
		fprintf(stderr, " on device %d\n", row);
	else
		fprintf(stderr, " on device %d: %s\n", row, device->properties.name);
}

/* Prints when it dies: at exit, or when the library that holds the region is unloaded. Asks the runtime nothing. */
struct report {
	const counters &c;

	explicit report(const counters &c_) : c(c_)
	{
	}
	report(const report &) = delete;
	report &operator=(const report &) = delete;
	~report()
	{
		for (int row = 0; row <= KTUNE_DEVICES; row++)
			print_row(c, row);
	}
};

KTUNE_RARE inline void count(counters &c, outcome what)
{
	const int device = current_device();

	__atomic_fetch_add(&c.count[device >= 0 ? device : KTUNE_DEVICES][what], 1ULL, __ATOMIC_RELAXED);
}

/* Does it? `failed` is the number of the last guard that did not. */
KTUNE_INLINE bool holds(bool guard, int &failed, int number)
{
	if (!KTUNE_EXPECT(guard))
		failed = number;
	return guard;
}

/* What holds a lock that rare functions alone take. */
struct locked {
	int &busy;

	explicit locked(int &busy_) : busy(busy_)
	{
		while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE) != 0)
			;
	}
	locked(const locked &) = delete;
	locked &operator=(const locked &) = delete;
	~locked()
	{
		__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	}
};

enum { sizes_most = 64, sizes_named = 16, variables_most = 16 };

/* Launches of one size that ran the original for one reason. */
struct missed {
	long long values[variables_most];
	outcome why;
	int guard; /* -1: none failed */
	unsigned long long launches;
};

/* What a variant asks of a launch. */
struct condition {
	const char *text;
	bool of_size; /* it names no pointer */
};

/* Sizes of one region at which the original ran, under KTUNE_TRACE: what its report prints after the counters. */
struct sizes {
	const char *region;
	int variables;
	const char *const *names; /* of the variables */
	const condition *guards;  /* by number */
	int busy, count;
	unsigned long long others; /* launches of further sizes */
	missed *rows;              /* nullptr: none yet */
};

inline missed *find_size(sizes &s, outcome why, int guard, const long long *values)
{
	const size_t bytes = static_cast<size_t>(s.variables) * sizeof *values;

	if (s.rows == nullptr)
		s.rows = static_cast<missed *>(calloc(sizes_most, sizeof *s.rows));
	if (s.rows == nullptr)
		return nullptr;
	for (int i = 0; i < s.count; i++)
		if (s.rows[i].why == why && s.rows[i].guard == guard && memcmp(s.rows[i].values, values, bytes) == 0)
			return &s.rows[i];
	if (s.count == sizes_most)
		return nullptr;
	memcpy(s.rows[s.count].values, values, bytes);
	s.rows[s.count].why = why;
	s.rows[s.count].guard = guard;
	return &s.rows[s.count++];
}

/* A launch at which the original runs, under KTUNE_TRACE alone; `values` has one for each variable. */
KTUNE_RARE inline void note(sizes &s, outcome why, int guard, const long long *values)
{
	const locked lock(s.busy);

	if (missed *const row = find_size(s, why, why == outcome_guard ? guard : -1, values))
		row->launches++;
	else
		s.others++;
}

inline const char *reason_text(const sizes &s, const missed &row)
{
	static const char *const texts[] = {"no variant is for it",
	                                    "no variant is for this device",
	                                    "the variant was compiled for another architecture",
	                                    "there was an error, no device or no memory",
	                                    "a guard does not hold",
	                                    "the launch has another geometry than the one that was tuned",
	                                    "an expression has no value, or the variant no legal geometry"};

	return row.guard >= 0 ? s.guards[row.guard].text : texts[row.why];
}

/* Would a tuning with this size as a problem help? */
inline bool is_size(const sizes &s, const missed &row)
{
	return row.guard >= 0 ? s.guards[row.guard].of_size
			      : row.why == outcome_absent || row.why == outcome_problem;
}

/* `ktcc tune --sizes` reads the line. */
inline void print_size(const sizes &s, const missed &row)
{
	fprintf(stderr, "ktune: %s", s.region);
	for (int v = 0; v < s.variables; v++)
		fprintf(stderr, " %s=%lld", s.names[v], row.values[v]);
	fprintf(stderr, ": the original ran %llu time%s: %s%s\n", row.launches, row.launches == 1 ? "" : "s",
		row.guard >= 0 ? "this guard does not hold: " : "", reason_text(s, row));
}

inline bool is_repeated(const sizes &s, int row)
{
	for (int i = 0; i < row; i++)
		if (is_size(s, s.rows[i]) && memcmp(s.rows[i].values, s.rows[row].values, sizeof s.rows[i].values) == 0)
			return true;
	return false;
}

/* "problem((rows, d) = (37, 1003), (1, 77))": sizes of `s`, in the order of their first launches. */
inline void print_clause(const sizes &s)
{
	int named = 0;

	for (int i = 0; i < s.count && named < sizes_named; i++) {
		if (!is_size(s, s.rows[i]) || is_repeated(s, i))
			continue;
		if (named == 0)
			fprintf(stderr, "ktune: %s: to tune for %s, add to its pragma: problem(%s", s.region,
				s.count == 1 ? "this size" : "these sizes", s.variables > 1 ? "(" : "");
		for (int v = 0; v < s.variables && named == 0; v++)
			fprintf(stderr, "%s%s", v > 0 ? ", " : "", s.names[v]);
		fprintf(stderr, "%s%s", named > 0 ? ", " : s.variables > 1 ? ") = " : " = ", s.variables > 1 ? "(" : "");
		for (int v = 0; v < s.variables; v++)
			fprintf(stderr, "%s%lld", v > 0 ? ", " : "", s.rows[i].values[v]);
		fprintf(stderr, "%s", s.variables > 1 ? ")" : "");
		named++;
	}
	if (named > 0)
		fprintf(stderr, ")\n");
}

/* Prints when it dies, as `report` does. */
struct sizes_report {
	sizes &s;

	explicit sizes_report(sizes &s_) : s(s_)
	{
	}
	sizes_report(const sizes_report &) = delete;
	sizes_report &operator=(const sizes_report &) = delete;
	~sizes_report()
	{
		for (int i = 0; i < s.count; i++)
			print_size(s, s.rows[i]);
		if (s.others > 0)
			fprintf(stderr, "ktune: %s: the original ran %llu times more, for further sizes\n", s.region, s.others);
		if (s.variables > 0)
			print_clause(s);
	}
};

/*
 * KTUNE_TRACE=time: the first launches of each size at which a variant can run execute the variant and the original alternately,
 * each launch exactly one of the two, between two events on the launch's own stream. Events are read at later launches of the
 * region, when they have happened; nothing waits for them, and nothing of the runtime is called at exit. The first launch of
 * each is not counted: it loads code.
 */
enum { timed_sizes = 64, turns_most = 18, turns_skipped = 2, turns_needed = 3 };

struct turn {
	cudaEvent_t begin, end;
	bool pending; /* both events were recorded and not read */
};

/* Launches of one size that one variant serves. */
struct timed {
	long long values[variables_most];
	int variant; /* by its place in the dispatcher */
	unsigned long long launches;
	int taken; /* turns: the variant has those with even numbers, the original the others */
	turn turns[turns_most];
	float times[2][turns_most / 2]; /* in milliseconds, of the variant and of the original */
	int counts[2];
};

struct timings {
	const char *region;
	int variables;
	const char *const *names;    /* of the variables */
	const char *const *variants; /* their configurations, by place in the dispatcher */
	int busy, count;
	timed *rows; /* nullptr: none yet */
};

inline timed *find_timed(timings &t, int variant, const long long *values)
{
	const size_t bytes = static_cast<size_t>(t.variables) * sizeof *values;

	if (t.rows == nullptr)
		t.rows = static_cast<timed *>(calloc(timed_sizes, sizeof *t.rows));
	if (t.rows == nullptr)
		return nullptr;
	for (int i = 0; i < t.count; i++)
		if (t.rows[i].variant == variant && memcmp(t.rows[i].values, values, bytes) == 0)
			return &t.rows[i];
	if (t.count == timed_sizes)
		return nullptr;
	memcpy(t.rows[t.count].values, values, bytes);
	t.rows[t.count].variant = variant;
	return &t.rows[t.count++];
}

/* Reads what has happened since: no error is pending before, and none is left. */
inline void read_turns(timed &row)
{
	for (int i = 0; i < row.taken; i++) {
		turn &now = row.turns[i];
		float took = 0;

		if (!now.pending)
			continue;
		const cudaError_t state = cudaEventQuery(now.end);

		if (state == cudaErrorNotReady)
			continue;
		now.pending = false;
		if (state == cudaSuccess && cudaEventElapsedTime(&took, now.begin, now.end) == cudaSuccess && i >= turns_skipped)
			row.times[i % 2][row.counts[i % 2]++] = took;
		(void)cudaEventDestroy(now.begin);
		(void)cudaEventDestroy(now.end);
	}
	(void)cudaGetLastError();
}

/* Two events, of which the first is recorded. False: no error is left, and the launch is not timed. */
template <typename S_> KTUNE_RARE static bool begin_turn(turn &now, S_ stream)
{
	cudaEvent_t begin = nullptr, end = nullptr;

	if (cudaEventCreate(&begin) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess &&
	    cudaEventRecord(begin, stream) == cudaSuccess) {
		now.begin = begin;
		now.end = end;
		return true;
	}
	if (begin != nullptr)
		(void)cudaEventDestroy(begin);
	if (end != nullptr)
		(void)cudaEventDestroy(end);
	(void)cudaGetLastError();
	return false;
}

/*
 * A launch that a variant can serve. True: the original has this turn. `mine` is its turn, or NULL where the launch is not
 * timed: then the variant runs. Never while a stream is captured, or with an error pending. Static and templates, as borrow.
 */
template <typename S_> KTUNE_RARE static bool take_turn(turn *&mine, timings &t, int variant, S_ stream, const long long *values)
{
	cudaStreamCaptureStatus captured = cudaStreamCaptureStatusActive;
	cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	bool original = false;

	mine = nullptr;
	if (cudaPeekAtLastError() != cudaSuccess)
		return false;
	if (cudaStreamIsCapturing(stream, &captured) != cudaSuccess || captured != cudaStreamCaptureStatusNone ||
	    cudaThreadExchangeStreamCaptureMode(&mode) != cudaSuccess) {
		(void)cudaGetLastError();
		return false;
	}
	const locked lock(t.busy);
	timed *const row = find_timed(t, variant, values);

	for (int i = 0; i < t.count; i++)
		read_turns(t.rows[i]);
	if (row != nullptr) {
		row->launches++;
		if (row->taken < turns_most && begin_turn(row->turns[row->taken], stream)) {
			mine = &row->turns[row->taken];
			original = row->taken++ % 2 != 0;
		}
	}
	(void)cudaThreadExchangeStreamCaptureMode(&mode);
	return original;
}

/* The same of a dispatcher, which has the variables one by one. */
template <typename S_, typename... V_>
KTUNE_RARE static bool has_turn(turn *&mine, timings &t, int variant, S_ stream, V_... variables)
{
	const long long values[] = {variables..., 0};

	return take_turn(mine, t, variant, stream, static_cast<const long long *>(values));
}

/* After the launch. */
template <typename S_> KTUNE_RARE static void end_turn(turn *mine, timings &t, S_ stream)
{
	if (mine == nullptr || cudaPeekAtLastError() != cudaSuccess)
		return;
	const locked lock(t.busy);

	if (cudaEventRecord(mine->end, stream) == cudaSuccess)
		mine->pending = true;
	else
		(void)cudaGetLastError();
}

inline float median(float *times, int count)
{
	for (int i = 1; i < count; i++)
		for (int k = i; k > 0 && times[k - 1] > times[k]; k--) {
			const float one = times[k];

			times[k] = times[k - 1];
			times[k - 1] = one;
		}
	return count % 2 != 0 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
}

inline bool is_timed(const timed &row)
{
	return row.counts[0] >= turns_needed && row.counts[1] >= turns_needed;
}

/* Of a row that is timed: how many times as long the original takes. */
inline float gain_of(timed &row)
{
	const float variant = median(row.times[0], row.counts[0]);

	return variant > 0 ? median(row.times[1], row.counts[1]) / variant : 1;
}

/* `ktcc tune --sizes` reads the line. */
inline void print_timed(const timings &t, timed &row)
{
	fprintf(stderr, "ktune: %s", t.region);
	for (int v = 0; v < t.variables; v++)
		fprintf(stderr, " %s=%lld", t.names[v], row.values[v]);
	fprintf(stderr, ": launched %llu time%s, ", row.launches, row.launches == 1 ? "" : "s");
	if (!is_timed(row)) {
		fprintf(stderr, "%d and %d of them timed: too few to compare\n", row.counts[0], row.counts[1]);
		return;
	}
	const float gain = gain_of(row), slower = 0.97f; /* less is noise */

	fprintf(stderr, "gain %.2f: variant %.2f us, original %.2f us (medians of %d and %d; %s)%s\n", static_cast<double>(gain),
		1e3 * static_cast<double>(median(row.times[0], row.counts[0])),
		1e3 * static_cast<double>(median(row.times[1], row.counts[1])), row.counts[0], row.counts[1],
		t.variants[row.variant], gain < slower ? ": the variant is slower" : "");
}

/* Prints when it dies, as `report` does. */
struct timings_report {
	timings &t;

	explicit timings_report(timings &t_) : t(t_)
	{
	}
	timings_report(const timings_report &) = delete;
	timings_report &operator=(const timings_report &) = delete;
	~timings_report()
	{
		for (int i = 0; i < t.count; i++)
			print_timed(t, t.rows[i]);
	}
};

/* What an entry was tuned on. */
struct identity {
	const char *name;
	int cc, multiprocessors, memory_bus_bits;
	long long l2_bytes;
};

inline bool is_device(const cudaDeviceProp &p, const identity &i)
{
	return p.major * 10 + p.minor == i.cc && p.multiProcessorCount == i.multiprocessors &&
	       p.memoryBusWidth == i.memory_bus_bits && static_cast<long long>(p.l2CacheSize) == i.l2_bytes &&
	       strcmp(p.name, i.name) == 0;
}

/*
 * A variant's answers, one word per device: 0 not asked; else the outcome + 1 in
 * the low 7 bits (outcome_variant: it may run), the most threads of a block from
 * bit 8 in 24 bits, the most dynamic shared memory in the high 32 bits.
 * `quick` is the word of the only visible device where nothing is counted, with
 * KTUNE_QUIET: all that a launch needs to know, in one line of the cache.
 */
struct
#if defined(__GNUC__)
    __attribute__((__aligned__(64)))
#endif
    answers {
	unsigned long long quick;
	unsigned long long word[KTUNE_DEVICES];
};

#define KTUNE_QUIET 0x80ULL

KTUNE_INLINE outcome outcome_of(unsigned long long word)
{
	return static_cast<outcome>(static_cast<int>(word & 0x7f) - 1);
}

/* Of a variant that was launched. */
KTUNE_INLINE outcome launched(unsigned long long word)
{
	return KTUNE_EXPECT((word & KTUNE_QUIET) != 0) ? outcome_uncounted : outcome_variant;
}

inline unsigned long long answer(outcome what, unsigned long long threads = 0, unsigned long long shared = 0)
{
	return static_cast<unsigned long long>(what + 1) | threads << 8 | shared << 32;
}

inline unsigned long long examine(int ordinal, const identity &tuned, const void *function, bool dynamic)
{
	const device_record *device = device_of(ordinal);
	cudaFuncAttributes a;

	if (device == nullptr)
		return answer(outcome_error);
	if (!is_device(device->properties, tuned))
		return answer(outcome_device);
	if (cudaFuncGetAttributes(&a, function) != cudaSuccess)
		return answer(outcome_error);
	/* Elsewhere the body is a trap. */
	if (a.ptxVersion != tuned.cc || a.binaryVersion != tuned.cc)
		return answer(outcome_architecture);
	if (dynamic) {
		const size_t most = device->properties.sharedMemPerBlockOptin;

		/* A refusal leaves the old limit, which the geometry is then held against. */
		if (most > a.sharedSizeBytes &&
		    cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
					 static_cast<int>(most - a.sharedSizeBytes)) == cudaSuccess)
			a.maxDynamicSharedSizeBytes = static_cast<int>(most - a.sharedSizeBytes);
	}
	return answer(outcome_variant, static_cast<unsigned>(a.maxThreadsPerBlock),
		      static_cast<unsigned>(a.maxDynamicSharedSizeBytes));
}

/* Legal while any thread captures a stream: nothing asked here enters a stream. */
inline unsigned long long settle(answers &known, int ordinal, const identity &tuned, const void *function, bool dynamic)
{
	cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	unsigned long long word;

	/* Afterwards its origin would be unknown: leave it to the program, ask again next time. */
	if (cudaPeekAtLastError() != cudaSuccess)
		return answer(outcome_error);
	if (cudaThreadExchangeStreamCaptureMode(&mode) != cudaSuccess) {
		(void)cudaGetLastError();
		return answer(outcome_error);
	}
	word = examine(ordinal, tuned, function, dynamic);
	(void)cudaThreadExchangeStreamCaptureMode(&mode);
	(void)cudaGetLastError();
	__atomic_store_n(&known.word[ordinal], word, __ATOMIC_RELEASE);
	return word;
}

/* `ordinal` is KTUNE_UNASKED until a launch needs it: one question serves all variants that are tried. */
#define KTUNE_UNASKED (-2)

KTUNE_RARE inline unsigned long long ask_device(answers &known, int &ordinal, const identity &tuned,
                                                const void *function, bool dynamic)
{
	unsigned long long word;

	if (ordinal == KTUNE_UNASKED)
		ordinal = current_device();
	if (ordinal < 0)
		return answer(outcome_error);
	word = __atomic_load_n(&known.word[ordinal], __ATOMIC_ACQUIRE);
	if (word == 0)
		word = settle(known, ordinal, tuned, function, dynamic);
	/* What was not kept is asked again. */
	if (__atomic_load_n(&known.word[ordinal], __ATOMIC_ACQUIRE) == word && !tracing() &&
	    __atomic_load_n(&process().visible, __ATOMIC_RELAXED) == 1)
		__atomic_store_n(&known.quick, word | KTUNE_QUIET, __ATOMIC_RELEASE);
	return word;
}

KTUNE_INLINE unsigned long long ask(answers &known, int &ordinal, const identity &tuned, const void *function,
                                    bool dynamic)
{
	const unsigned long long word = __atomic_load_n(&known.quick, __ATOMIC_ACQUIRE);

	return KTUNE_EXPECT(word != 0) ? word : ask_device(known, ordinal, tuned, function, dynamic);
}

/* Launch geometry as numbers, before it is known to be legal. */
struct geometry {
	long long grid[3], block[3], shared;

	KTUNE_INLINE geometry(long long gx, long long gy, long long gz, long long bx, long long by, long long bz,
			      long long shared_)
	    : grid{gx, gy, gz}, block{bx, by, bz}, shared(shared_)
	{
	}
	/* Without branches: a processor that has not seen them lately guesses. */
	KTUNE_INLINE bool is(const launch &at) const
	{
		return KTUNE_EXPECT((grid[0] == at.grid.x) & (grid[1] == at.grid.y) & (grid[2] == at.grid.z) &
				    (block[0] == at.block.x) & (block[1] == at.block.y) & (block[2] == at.block.z) &
				    (shared >= 0) & (static_cast<unsigned long long>(shared) == at.shared));
	}
	KTUNE_INLINE static bool within(long long value, long long most)
	{
		return static_cast<unsigned long long>(value) - 1 < static_cast<unsigned long long>(most);
	}
	KTUNE_INLINE bool legal(unsigned long long word) const
	{
		const bool one_by_one = within(grid[0], 0x7fffffff) & within(grid[1], 65535) & within(grid[2], 65535) &
					within(block[0], 1024) & within(block[1], 1024) & within(block[2], 64) &
					(shared >= 0) & (shared <= static_cast<long long>(word >> 32));

		return KTUNE_EXPECT(one_by_one) &&
		       block[0] * block[1] * block[2] <= static_cast<long long>(word >> 8 & 0xffffff);
	}
	/*
	 * Passing a dim3 reads its first two numbers as one word. Written separately they would still be on their way to
	 * the cache, after what the launch before wrote to the device.
	 */
	KTUNE_INLINE static dim3 numbers(const long long *n)
	{
		dim3 made(static_cast<unsigned>(n[0]), static_cast<unsigned>(n[1]), static_cast<unsigned>(n[2]));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		const unsigned long long both = static_cast<unsigned>(n[0]) |
						static_cast<unsigned long long>(static_cast<unsigned>(n[1])) << 32;

		static_assert(offsetof(dim3, y) == 4, "two numbers in a word");
		memcpy(static_cast<void *>(&made), &both, sizeof both);
#endif
		return made;
	}
};

/* A kernel receives the bytes of the object itself, as from the compiler's stub. */
template <typename T_> KTUNE_INLINE void *argument(T_ &of)
{
	return (void *)&(char &)of; /* by no named cast: T may be __restrict__ */
}

/*
 * What <<<>>> comes to, without the two calls of the runtime that carry a
 * configuration from there into the kernel's stub. Static: it is another
 * function where --default-stream is another.
 */
template <typename... A_>
KTUNE_INLINE static void enqueue(const void *kernel, const geometry &g, cudaStream_t stream, A_ &...of)
{
	void *arguments[] = {argument(of)..., nullptr};

	(void)cudaLaunchKernel(kernel, geometry::numbers(g.grid), geometry::numbers(g.block), arguments,
			       static_cast<size_t>(g.shared), stream);
}

/* Launches the original kernel with the dispatcher's own arguments: none of them is copied or moved another time. */
template <typename... A_> KTUNE_INLINE static void enqueue_original(const void *kernel, const launch &at, A_ &...of)
{
	void *arguments[] = {argument(of)..., nullptr};

	(void)cudaLaunchKernel(kernel, at.grid, at.block, arguments, at.shared, at.stream);
}

#if defined(__CUDACC__)
/*
 * A kernel with variants that is given to a function which launches it (docs/emission.md). Its address stays what it
 * is; a site that launches a kernel by its address asks here. A route is put on the list where the kernel is given
 * away, and never taken off. The list is one of each library: what a library holds is gone with it.
 */
struct route {
	const void *kernel;
	bool (*run)(const launch &at, void **arguments); /* did a variant run? */
	route *next;
	int enrolled;
};

#if defined(__GNUC__)
#define KTUNE_HIDDEN __attribute__((__visibility__("hidden")))
#else
#define KTUNE_HIDDEN
#endif

/* A function of one source that others call where it was linked: its address is null where it was not. */
#define KTUNE_LINKED __attribute__((__weak__))

KTUNE_HIDDEN inline route *&routes()
{
	static route *first;
	return first;
}

/*
 * What problem variables are at a launch whose kernel is given away there: it lives as long as the expression, and
 * serves one launch of this thread.
 */
template <size_t N_> struct held {
	binding values[N_];
	const binding *&place;
	const binding *before;

	template <typename... B_>
	KTUNE_INLINE explicit held(const binding *&place_, const B_ &...b) : values{b...}, place(place_), before(place_)
	{
		place = values;
	}
	held(const held &) = delete;
	held &operator=(const held &) = delete;
	KTUNE_GENERATED ~held()
	{
		place = before;
	}
};

KTUNE_RARE inline void enrol_first(route &r)
{
	int before = 0;

	if (!__atomic_compare_exchange_n(&r.enrolled, &before, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	r.next = __atomic_load_n(&routes(), __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&routes(), &r.next, &r, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

KTUNE_INLINE void enrol(route &r)
{
	if (!KTUNE_EXPECT(__atomic_load_n(&r.enrolled, __ATOMIC_ACQUIRE) != 0))
		enrol_first(r);
}

/* Did a variant of the kernel run? */
inline bool run_variant(const void *kernel, const launch &at, void **arguments)
{
	for (const route *r = __atomic_load_n(&routes(), __ATOMIC_ACQUIRE); r != nullptr; r = r->next)
		if (r->kernel == kernel)
			return r->run(at, arguments);
	return false;
}

template <size_t... I_> struct indices {
};
template <size_t N_, size_t... I_> struct count_to : count_to<N_ - 1, N_ - 1, I_...> {
};
template <size_t... I_> struct count_to<0, I_...> {
	typedef indices<I_...> type;
};

/* A kernel's arguments as the runtime takes them → those of R::run. */
template <typename F_> struct unpacked;
template <typename... P_> struct unpacked<void (*)(P_...)> {
	template <typename R_, size_t... I_> KTUNE_INLINE static bool pass(const launch &at, void **arguments, indices<I_...>)
	{
		(void)arguments;
		return R_::run(at, *static_cast<P_ *>(arguments[I_])...);
	}
	template <typename R_> static bool run(const launch &at, void **arguments)
	{
		return pass<R_>(at, arguments, typename count_to<sizeof...(P_)>::type());
	}
};

/* What `kernel<<<…>>>` is where the kernel is a variable: called with the arguments, after the configuration. */
template <typename... P_> struct bound_kernel {
	void (*kernel)(P_...);

	KTUNE_GENERATED void operator()(P_... of) const
	{
		void *arguments[] = {argument(of)..., nullptr};
		launch at(1, 1);

		/* By the kernel's stub: the kernel's source determines the default stream. */
		if (pop(at) && !run_variant(address(kernel), at, arguments))
			kernel<<<at.grid, at.block, at.shared, at.stream>>>(static_cast<P_ &&>(of)...);
	}
};

template <typename... P_> KTUNE_INLINE static bound_kernel<P_...> bound(void (*kernel)(P_...))
{
	return bound_kernel<P_...>{kernel};
}

/* The runtime's functions of these names. An error that is pending would be taken for one of the variant's. */
inline bool run_by_function(const void *kernel, const launch &at, void **arguments)
{
	return cudaPeekAtLastError() == cudaSuccess && run_variant(kernel, at, arguments);
}

template <typename T_>
static inline cudaError_t cudaLaunchKernel(T_ *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
					   cudaStream_t stream = 0)
{
	const void *const address_of = (const void *)kernel;

	if (run_by_function(address_of, launch(grid, block, shared, stream), arguments))
		return cudaPeekAtLastError();
	return ::cudaLaunchKernel(address_of, grid, block, arguments, shared, stream);
}

#if CUDART_VERSION >= 11080
/* What the attributes ask for, a variant does not have: with any the original runs. */
inline bool is_plain(const cudaLaunchConfig_t *config)
{
	return config != nullptr && config->numAttrs == 0;
}

inline launch of_config(const cudaLaunchConfig_t &c)
{
	return launch(c.gridDim, c.blockDim, c.dynamicSmemBytes, c.stream);
}

template <typename T_>
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, T_ *kernel, void **arguments)
{
	const void *const address_of = (const void *)kernel;

	if (is_plain(config) && run_by_function(address_of, of_config(*config), arguments))
		return cudaPeekAtLastError();
	return ::cudaLaunchKernelExC(config, address_of, arguments);
}

template <typename... P_> struct configured {
	static cudaError_t run(const cudaLaunchConfig_t *config, const void *kernel, P_... of)
	{
		void *arguments[] = {argument(of)..., nullptr};

		if (is_plain(config) && run_by_function(kernel, of_config(*config), arguments))
			return cudaPeekAtLastError();
		return ::cudaLaunchKernelExC(config, kernel, arguments);
	}
};

template <typename... P_, typename... A_>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P_...), A_ &&...given)
{
	return configured<P_...>::run(config, address(kernel), static_cast<A_ &&>(given)...);
}
#endif
#endif

#define KTUNE_UNASKED_SHARED (48 * 1024) /* bytes of dynamic shared memory that need no permission */

/* May the variant be launched, so that refused() can tell its error from an older one? */
KTUNE_INLINE bool launchable(const geometry &g)
{
	return KTUNE_EXPECT(g.shared <= KTUNE_UNASKED_SHARED) || cudaPeekAtLastError() == cudaSuccess;
}

/* Has an earlier call left an error that was not taken yet? */
KTUNE_INLINE bool error_pending()
{
	return !KTUNE_EXPECT(cudaPeekAtLastError() == cudaSuccess);
}

KTUNE_RARE inline bool take_back(answers &known)
{
	const cudaError_t now = cudaPeekAtLastError();
	int ordinal;

	if (now != cudaErrorInvalidValue && now != cudaErrorInvalidConfiguration &&
	    now != cudaErrorLaunchOutOfResources)
		return false;
	(void)cudaGetLastError();
	ordinal = current_device();
	if (ordinal >= 0)
		__atomic_store_n(&known.word[ordinal], 0ULL, __ATOMIC_RELEASE);
	__atomic_store_n(&known.quick, 0ULL, __ATOMIC_RELEASE);
	return true;
}

/*
 * After a variant was launched with more dynamic shared memory than any kernel
 * may use unasked: the permission belongs to a context and is gone after
 * cudaDeviceReset. True: the launch was refused, nothing ran, the error is taken
 * back and the answer forgotten.
 */
KTUNE_INLINE bool refused(answers &known, const geometry &g)
{
	return !KTUNE_EXPECT(g.shared <= KTUNE_UNASKED_SHARED) && take_back(known);
}

/* Where memory ends that holds `count` elements after `end` bytes of it; it begins at a multiple of 256. */
KTUNE_INLINE long long extend(bool &fault, long long end, long long count, long long element)
{
	const long long bytes = mul(fault, count < 0 ? no_value(fault) : count, element);

	return add(fault, end, add(fault, bytes > 0 ? bytes : 1, 255) / 256 * 256);
}

#define KTUNE_MEMORY_SHARE 16 /* a variant gets at most this part of a device's memory */

#if CUDART_VERSION >= 11020
/*
 * Where variants have private memory for one run, it comes from a separate pool of ktcc, one per device: the program's
 * pools are left unmodified. A pool keeps what it has, so that most launches cost no call of the system; the driver takes
 * unused memory back where the process needs it otherwise. It makes no stream wait for another one: that could stop a
 * program whose streams wait for the host. A pool is the driver's and no context's: it outlives cudaDeviceReset and
 * serves each copy of the runtime in a process. Never destroyed, so that late launches still find it, and nothing of
 * the runtime is called at exit.
 */
inline cudaMemPool_t *pools()
{
	static cudaMemPool_t table[KTUNE_DEVICES];
	return table;
}

/* NULL: the driver or the device has none. */
KTUNE_RARE inline cudaMemPool_t make_pool(int ordinal)
{
	cudaMemPool_t made = nullptr, known = nullptr;
	unsigned long long kept = ~0ULL;
	int supported = 0, waits = 0;
	cudaMemPoolProps p;

	if (cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, ordinal) != cudaSuccess || supported == 0)
		return nullptr;
	memset(static_cast<void *>(&p), 0, sizeof p);
	p.allocType = cudaMemAllocationTypePinned;
	p.location.type = cudaMemLocationTypeDevice;
	p.location.id = ordinal;
	if (cudaMemPoolCreate(&made, &p) != cudaSuccess)
		return nullptr;
	if (cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &kept) == cudaSuccess &&
	    cudaMemPoolSetAttribute(made, cudaMemPoolReuseAllowInternalDependencies, &waits) == cudaSuccess &&
	    __atomic_compare_exchange_n(&pools()[ordinal], &known, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made;
	(void)cudaMemPoolDestroy(made);
	return known;
}
#endif

/*
 * Memory for what is queued on a stream until give_back, or NULL: then nothing happened, and the original runs. While
 * the stream is captured there is none: a graph with allocations has one instance and cannot be cloned, which the
 * original's can. Static, as enqueue is; templates, because they may be unused.
 */
template <typename S_> KTUNE_RARE static char *borrow(long long bytes, S_ stream)
{
	void *made = nullptr;

#if CUDART_VERSION >= 11020
	cudaStreamCaptureStatus captured = cudaStreamCaptureStatusActive;
	cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	const device_record *device;
	int ordinal;

	/* Afterwards the origin of the error would be unknown. */
	if (cudaPeekAtLastError() != cudaSuccess || (ordinal = current_device()) < 0)
		return nullptr;
	device = device_of(ordinal);
	/* Another thread may be capturing: relaxed, for nothing here enters its stream. */
	if (device != nullptr &&
	    static_cast<unsigned long long>(bytes) <= device->properties.totalGlobalMem / KTUNE_MEMORY_SHARE &&
	    cudaStreamIsCapturing(stream, &captured) == cudaSuccess && captured == cudaStreamCaptureStatusNone &&
	    cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess) {
		cudaMemPool_t pool = __atomic_load_n(&pools()[ordinal], __ATOMIC_ACQUIRE);

		if (pool == nullptr)
			pool = make_pool(ordinal);
		if (pool != nullptr &&
		    cudaMallocFromPoolAsync(&made, static_cast<size_t>(bytes), pool, stream) != cudaSuccess)
			made = nullptr;
		(void)cudaThreadExchangeStreamCaptureMode(&mode);
	}
	if (made == nullptr)
		(void)cudaGetLastError();
#else
	static_cast<void>(bytes);
	static_cast<void>(stream);
#endif
	return static_cast<char *>(made);
}

/* After everything that was queued there. */
template <typename S_> KTUNE_RARE static void give_back(char *memory, S_ stream)
{
#if CUDART_VERSION >= 11020
	cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	const bool relaxed = cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess;

	(void)cudaFreeAsync(memory, stream);
	if (relaxed)
		(void)cudaThreadExchangeStreamCaptureMode(&mode);
#else
	static_cast<void>(memory);
	static_cast<void>(stream);
#endif
}

KTUNE_INLINE outcome further(outcome a, outcome b)
{
	return a < b ? b : a;
}

} // namespace v4
} // namespace ktune

#pragma pop_macro("max")
#pragma pop_macro("min")

#endif
