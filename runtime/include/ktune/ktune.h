/*
 * ktune/ktune.h: what emitted code calls at run time. Header only, C++11 and
 * later, CUDA 11 and later; no library.
 *
 * A dispatcher (docs/emission.md) asks here: which device is current, may this
 * variant run on it, is its geometry legal. Everything is answered once per
 * device and variant and then read with one atomic load. Nothing that is asked leaves a
 * trace in the CUDA last-error state. Several threads may ask the same for the
 * first time at once: they find the same answer and store it twice.
 *
 * Every name that this file declares ends in "_", or begins with KTUNE_: macros of the user, which may come from the
 * command line or be defined before a launch, have other names (block, launch, value).
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
#undef min_
#undef max_

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
#define KTUNE_EXPECT(condition_) __builtin_expect(!!(condition_), 1)
#else
#define KTUNE_RARE
#define KTUNE_INLINE inline
#define KTUNE_EXPECT(condition_) (condition_)
#endif

namespace ktune
{
inline namespace v5_
{

/* The four expressions between <<< and >>>, converted as a launch converts them. */
struct launch_ {
	dim3 grid_, block_;
	size_t shared_;
	cudaStream_t stream_;

	KTUNE_INLINE launch_(dim3 grid_, dim3 block_, size_t shared_ = 0, cudaStream_t stream_ = 0)
	    : grid_(grid_), block_(block_), shared_(shared_), stream_(stream_)
	{
	}
};

#if defined(__CUDACC__)
extern "C" cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3 *grid_, dim3 *block_, size_t *shared_, void *stream_);

/*
 * A launch evaluates its configuration, then its arguments. The compiler writes `push(configuration) ? void() :
 * kernel(arguments)` for it, and so does an emission where the order matters: the runtime keeps the configuration while
 * the arguments are evaluated, which may throw, or launch something else.
 */
KTUNE_INLINE unsigned push_(dim3 grid_, dim3 block_, size_t shared_ = 0, cudaStream_t stream_ = 0)
{
	return __cudaPushCallConfiguration(grid_, block_, shared_, stream_);
}

/* False: there is none, and nothing is launched. */
KTUNE_INLINE bool pop_(launch_ &at_)
{
	return __cudaPopCallConfiguration(&at_.grid_, &at_.block_, &at_.shared_, &at_.stream_) == cudaSuccess;
}
#endif

/*
 * Arithmetic of pragma expressions: 64-bit; what is undefined raises `fault` and gives 0. All that an
 * expression may call takes it first. It is a variable of the dispatcher's own: a thread's would be a call in
 * a shared library.
 */
KTUNE_INLINE long long no_value_(bool &fault_)
{
	fault_ = true;
	return 0;
}

KTUNE_INLINE long long add_(bool &fault_, long long a_, long long b_)
{
	long long r_ = 0;
	return KTUNE_EXPECT(!__builtin_add_overflow(a_, b_, &r_)) ? r_ : no_value_(fault_);
}

KTUNE_INLINE long long sub_(bool &fault_, long long a_, long long b_)
{
	long long r_ = 0;
	return KTUNE_EXPECT(!__builtin_sub_overflow(a_, b_, &r_)) ? r_ : no_value_(fault_);
}

KTUNE_INLINE long long mul_(bool &fault_, long long a_, long long b_)
{
	long long r_ = 0;
	return KTUNE_EXPECT(!__builtin_mul_overflow(a_, b_, &r_)) ? r_ : no_value_(fault_);
}

KTUNE_INLINE long long neg_(bool &fault_, long long a_)
{
	return sub_(fault_, 0, a_);
}

KTUNE_INLINE bool divides_(long long a_, long long b_)
{
	return KTUNE_EXPECT(b_ != 0 && !(b_ == -1 && a_ == -0x7fffffffffffffffLL - 1));
}

KTUNE_INLINE long long div_(bool &fault_, long long a_, long long b_)
{
	return divides_(a_, b_) ? a_ / b_ : no_value_(fault_);
}

KTUNE_INLINE long long rem_(bool &fault_, long long a_, long long b_)
{
	return divides_(a_, b_) ? a_ % b_ : no_value_(fault_);
}

/* Rounds towards positive infinity. */
KTUNE_INLINE long long ceil_div_(bool &fault_, long long a_, long long b_)
{
	return divides_(a_, b_) ? a_ / b_ + (a_ % b_ != 0 && (a_ < 0) == (b_ < 0)) : no_value_(fault_);
}

KTUNE_INLINE long long shl_(bool &fault_, long long a_, long long b_)
{
	if (b_ < 0 || b_ > 63)
		return no_value_(fault_);
	const long long r_ = static_cast<long long>(static_cast<unsigned long long>(a_) << b_);
	return r_ >> b_ == a_ ? r_ : no_value_(fault_);
}

KTUNE_INLINE long long shr_(bool &fault_, long long a_, long long b_)
{
	return b_ < 0 || b_ > 63 ? no_value_(fault_) : a_ >> b_;
}

KTUNE_INLINE long long min_(bool &, long long a_, long long b_)
{
	return b_ < a_ ? b_ : a_;
}

KTUNE_INLINE long long max_(bool &, long long a_, long long b_)
{
	return a_ < b_ ? b_ : a_;
}

KTUNE_INLINE long long is_pow2_(bool &, long long a_)
{
	return a_ > 0 && (a_ & (a_ - 1)) == 0;
}

KTUNE_INLINE long long aligned_(bool &, const volatile void *p_, long long bytes_)
{
	return bytes_ > 0 && reinterpret_cast<uintptr_t>(p_) % static_cast<uintptr_t>(bytes_) == 0;
}

template <typename T_> struct element_ {
	static constexpr size_t bytes_()
	{
		return sizeof(T_);
	}
};
template <> struct element_<void> {
	static constexpr size_t bytes_()
	{
		return 1;
	}
};
template <> struct element_<const void> : element_<void> {
};
/* What a pointer to arrays points to is counted in numbers. */
template <typename T_, size_t N_> struct element_<T_[N_]> : element_<T_> {
};

/* Do n elements at p and m elements at q share no byte? */
template <typename P_, typename Q_> KTUNE_INLINE long long disjoint_(bool &, P_ *p_, long long n_, Q_ *q_, long long m_)
{
	const uintptr_t a_ = reinterpret_cast<uintptr_t>(p_), b_ = reinterpret_cast<uintptr_t>(q_);
	long long an_ = 0, bn_ = 0;

	if (n_ < 0 || m_ < 0 || __builtin_mul_overflow(n_, static_cast<long long>(element_<P_>::bytes_()), &an_) ||
	    __builtin_mul_overflow(m_, static_cast<long long>(element_<Q_>::bytes_()), &bn_))
		return 0;
	return a_ <= b_ ? b_ - a_ >= static_cast<uintptr_t>(an_) || bn_ == 0
			: a_ - b_ >= static_cast<uintptr_t>(bn_) || an_ == 0;
}

/* A 64-bit number, or none: a fraction, or an unsigned number past the range. */
struct number_ {
	long long held_;
	bool known_;

	template <typename T_>
	KTUNE_INLINE explicit number_(T_ v_)
	    : held_(static_cast<long long>(v_)),
	      known_(static_cast<T_>(held_) == v_ && (v_ < static_cast<T_>(1)) == (held_ < 1))
	{
	}
	KTUNE_INLINE long long get_(bool &fault_) const
	{
		return KTUNE_EXPECT(known_) ? held_ : no_value_(fault_);
	}
};

/* A kernel argument as expressions see it. */
template <typename T_> KTUNE_INLINE long long value_(bool &fault_, T_ v_)
{
	return number_(v_).get_(fault_);
}

/* A problem variable at a launch: a number, or "the kernel's argument carries it". */
struct carried_ {
};
struct binding_ {
	bool is_carried_;
	number_ own_;

	KTUNE_INLINE explicit binding_(carried_) : is_carried_(true), own_(0)
	{
	}
	template <typename T_> KTUNE_INLINE explicit binding_(T_ v_) : is_carried_(false), own_(v_)
	{
	}
	template <typename T_> KTUNE_INLINE long long get_(bool &fault_, T_ argument_) const
	{
		return is_carried_ ? value_(fault_, argument_) : own_.get_(fault_);
	}
	KTUNE_INLINE long long get_(bool &fault_) const
	{
		return own_.get_(fault_);
	}
};

/* Has the argument the value of the problem variable that is called like it? What is no number is no variable. */
template <typename T_>
inline auto agrees_(const binding_ &b_, const T_ &argument_, int) -> decltype(static_cast<long long>(argument_) == 0)
{
	bool fault_ = false;

	return b_.get_(fault_, argument_) == value_(fault_, argument_) && !fault_;
}
template <typename T_> inline bool agrees_(const binding_ &, const T_ &, long)
{
	return true;
}

/* A kernel's address as the runtime takes it. */
template <typename... A_> KTUNE_INLINE const void *address_(void (*kernel_)(A_...))
{
	return reinterpret_cast<const void *>(kernel_);
}

/* Why the original ran. The order is how far a variant came. */
enum outcome_ {
	outcome_absent_,       /* no variant for this instance; counted as problem */
	outcome_device_,       /* no variant for this device */
	outcome_architecture_, /* the code that is loaded was compiled for another architecture */
	outcome_error_,        /* the runtime failed, or an error was pending */
	outcome_guard_,
	outcome_geometry_, /* not the launch geometry that was tuned */
	outcome_problem_,  /* the expressions have no value, or no legal geometry, for this problem */
	outcome_variant_,
	outcome_turn_, /* a variant could have run, and the original did, to be timed beside it (KTUNE_TRACE=time) */
	outcome_count_,
	outcome_uncounted_ = outcome_count_ /* the variant ran, and launches are not counted */
};

/* 0: not asked yet. */
struct process_state_ {
	int visible_; /* devices; cannot change once the runtime has returned it */
	int tracing_; /* 1: off, 2: on, 3: on, and launches are timed */
};

inline process_state_ &process_()
{
	static process_state_ state_;
	return state_;
}

/* 0 when the runtime does not report it. */
KTUNE_RARE inline int ask_visible_()
{
	int count_ = 0;

	if (cudaGetDeviceCount(&count_) != cudaSuccess) {
		(void)cudaGetLastError();
		return 0;
	}
	__atomic_store_n(&process_().visible_, count_, __ATOMIC_RELAXED);
	return count_;
}

KTUNE_RARE inline int ask_current_()
{
	int ordinal_ = -1;

	if (cudaGetDevice(&ordinal_) != cudaSuccess) {
		(void)cudaGetLastError();
		return -1;
	}
	return ordinal_ >= 0 && ordinal_ < KTUNE_DEVICES ? ordinal_ : -1;
}

/*
 * The current device's ordinal, −1 when there is none or it is out of range.
 * Where several are visible this asks the runtime at every launch. Where that
 * fails, the original launch fails after it and leaves its own error.
 */
inline int current_device_()
{
	int visible_ = __atomic_load_n(&process_().visible_, __ATOMIC_RELAXED);

	if (KTUNE_EXPECT(visible_ == 1))
		return 0;
	if (visible_ == 0)
		visible_ = ask_visible_();
	return visible_ <= 1 ? visible_ - 1 : ask_current_();
}

/* What the current process knows of one ordinal; never freed, so that late launches still find it. */
struct device_record_ {
	cudaDeviceProp properties_;
};

inline device_record_ **devices_()
{
	static device_record_ *table_[KTUNE_DEVICES];
	return table_;
}

/* NULL when the runtime does not report it. */
inline const device_record_ *device_of_(int ordinal_)
{
	device_record_ **table_ = devices_();
	device_record_ *known_ = __atomic_load_n(&table_[ordinal_], __ATOMIC_ACQUIRE), *made_;

	if (known_ != nullptr)
		return known_;
	made_ = static_cast<device_record_ *>(calloc(1, sizeof *made_));
	if (made_ == nullptr)
		return nullptr;
	if (cudaGetDeviceProperties(&made_->properties_, ordinal_) != cudaSuccess) {
		free(made_);
		return nullptr;
	}
	if (!__atomic_compare_exchange_n(&table_[ordinal_], &known_, made_, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		free(made_);
		return known_;
	}
	return made_;
}

/* Counters of one region, printed at exit where KTUNE_TRACE is 1 or time: a row for each device, the last for none. */
struct counters_ {
	const char *region_;
	unsigned long long count_[KTUNE_DEVICES + 1][outcome_count_];
};

KTUNE_RARE inline int ask_tracing_()
{
	const char *text_ = getenv("KTUNE_TRACE");
	const int now_ = text_ == nullptr ? 1 : strcmp(text_, "1") == 0 ? 2 : strcmp(text_, "time") == 0 ? 3 : 1;

	__atomic_store_n(&process_().tracing_, now_, __ATOMIC_RELAXED);
	return now_;
}

inline int trace_mode_()
{
	const int now_ = __atomic_load_n(&process_().tracing_, __ATOMIC_RELAXED);

	return now_ != 0 ? now_ : ask_tracing_();
}

inline bool tracing_()
{
	return trace_mode_() >= 2;
}

inline bool timing_()
{
	return trace_mode_() == 3;
}

inline unsigned long long counted_(const counters_ &c_, int row_, outcome_ what_)
{
	return __atomic_load_n(&c_.count_[row_][what_], __ATOMIC_RELAXED);
}

inline void print_row_(const counters_ &c_, int row_)
{
	const device_record_ *device_ =
	    row_ < KTUNE_DEVICES ? __atomic_load_n(&devices_()[row_], __ATOMIC_ACQUIRE) : nullptr;
	const unsigned long long problem_ = counted_(c_, row_, outcome_absent_) + counted_(c_, row_, outcome_problem_);
	const unsigned long long variant_ = counted_(c_, row_, outcome_variant_);
	const unsigned long long turns_ = counted_(c_, row_, outcome_turn_);
	unsigned long long original_ = 0;

	for (int i_ = 0; i_ < outcome_variant_; i_++)
		original_ += counted_(c_, row_, static_cast<outcome_>(i_));
	if (variant_ + original_ + turns_ == 0)
		return;
	fprintf(stderr,
		"ktune: %s variant=%llu original=%llu (guard=%llu geometry=%llu device=%llu architecture=%llu "
		"problem=%llu error=%llu)",
		c_.region_, variant_, original_, counted_(c_, row_, outcome_guard_), counted_(c_, row_, outcome_geometry_),
		counted_(c_, row_, outcome_device_), counted_(c_, row_, outcome_architecture_), problem_,
		counted_(c_, row_, outcome_error_));
	if (turns_ > 0)
		fprintf(stderr, " timed-original=%llu", turns_);
	if (row_ == KTUNE_DEVICES)
		fprintf(stderr, " on no device\n");
	else if (device_ == nullptr)
		fprintf(stderr, " on device %d\n", row_);
	else
		fprintf(stderr, " on device %d: %s\n", row_, device_->properties_.name);
}

/* Prints when it dies: at exit, or when the library that holds the region is unloaded. Asks the runtime nothing. */
struct report_ {
	const counters_ &c_;

	explicit report_(const counters_ &c_) : c_(c_)
	{
	}
	report_(const report_ &) = delete;
	report_ &operator=(const report_ &) = delete;
	~report_()
	{
		for (int row_ = 0; row_ <= KTUNE_DEVICES; row_++)
			print_row_(c_, row_);
	}
};

KTUNE_RARE inline void count_(counters_ &c_, outcome_ what_)
{
	const int device_ = current_device_();

	__atomic_fetch_add(&c_.count_[device_ >= 0 ? device_ : KTUNE_DEVICES][what_], 1ULL, __ATOMIC_RELAXED);
}

/* Does it? `failed` is the number of the last guard that did not. */
KTUNE_INLINE bool holds_(bool guard_, int &failed_, int number_)
{
	if (!KTUNE_EXPECT(guard_))
		failed_ = number_;
	return guard_;
}

/* What holds a lock that rare functions alone take. */
struct locked_ {
	int &busy_;

	explicit locked_(int &busy_) : busy_(busy_)
	{
		while (__atomic_exchange_n(&busy_, 1, __ATOMIC_ACQUIRE) != 0)
			;
	}
	locked_(const locked_ &) = delete;
	locked_ &operator=(const locked_ &) = delete;
	~locked_()
	{
		__atomic_store_n(&busy_, 0, __ATOMIC_RELEASE);
	}
};

enum { sizes_most_ = 64, sizes_named_ = 16, variables_most_ = 16 };

/* Launches of one size that ran the original for one reason. */
struct missed_ {
	long long values_[variables_most_];
	outcome_ why_;
	int guard_; /* -1: none failed */
	unsigned long long launches_;
};

/* What a variant asks of a launch. */
struct condition_ {
	const char *text_;
	bool of_size_; /* it names no pointer */
};

/* Sizes of one region at which the original ran, under KTUNE_TRACE: what its report prints after the counters. */
struct sizes_ {
	const char *region_;
	int variables_;
	const char *const *names_; /* of the variables */
	const condition_ *guards_;  /* by number */
	int busy_, count_;
	unsigned long long others_; /* launches of further sizes */
	missed_ *rows_;              /* nullptr: none yet */
};

inline missed_ *find_size_(sizes_ &s_, outcome_ why_, int guard_, const long long *values_)
{
	const size_t bytes_ = static_cast<size_t>(s_.variables_) * sizeof *values_;

	if (s_.rows_ == nullptr)
		s_.rows_ = static_cast<missed_ *>(calloc(sizes_most_, sizeof *s_.rows_));
	if (s_.rows_ == nullptr)
		return nullptr;
	for (int i_ = 0; i_ < s_.count_; i_++)
		if (s_.rows_[i_].why_ == why_ && s_.rows_[i_].guard_ == guard_ &&
		    memcmp(s_.rows_[i_].values_, values_, bytes_) == 0)
			return &s_.rows_[i_];
	if (s_.count_ == sizes_most_)
		return nullptr;
	memcpy(s_.rows_[s_.count_].values_, values_, bytes_);
	s_.rows_[s_.count_].why_ = why_;
	s_.rows_[s_.count_].guard_ = guard_;
	return &s_.rows_[s_.count_++];
}

/* A launch at which the original runs, under KTUNE_TRACE alone; `values` has one for each variable. */
KTUNE_RARE inline void note_(sizes_ &s_, outcome_ why_, int guard_, const long long *values_)
{
	const locked_ lock_(s_.busy_);

	if (missed_ *const row_ = find_size_(s_, why_, why_ == outcome_guard_ ? guard_ : -1, values_))
		row_->launches_++;
	else
		s_.others_++;
}

inline const char *reason_text_(const sizes_ &s_, const missed_ &row_)
{
	static const char *const texts_[] = {"no variant is for it",
	                                    "no variant is for this device",
	                                    "the variant was compiled for another architecture",
	                                    "there was an error, no device or no memory",
	                                    "a guard does not hold",
	                                    "the launch has another geometry than the one that was tuned",
	                                    "an expression has no value, or the variant no legal geometry"};

	return row_.guard_ >= 0 ? s_.guards_[row_.guard_].text_ : texts_[row_.why_];
}

/* Would a tuning with this size as a problem help? */
inline bool is_size_(const sizes_ &s_, const missed_ &row_)
{
	return row_.guard_ >= 0 ? s_.guards_[row_.guard_].of_size_
			      : row_.why_ == outcome_absent_ || row_.why_ == outcome_problem_;
}

/* `ktcc tune --sizes` reads the line. */
inline void print_size_(const sizes_ &s_, const missed_ &row_)
{
	fprintf(stderr, "ktune: %s", s_.region_);
	for (int v_ = 0; v_ < s_.variables_; v_++)
		fprintf(stderr, " %s=%lld", s_.names_[v_], row_.values_[v_]);
	fprintf(stderr, ": the original ran %llu time%s: %s%s\n", row_.launches_, row_.launches_ == 1 ? "" : "s",
		row_.guard_ >= 0 ? "this guard does not hold: " : "", reason_text_(s_, row_));
}

inline bool is_repeated_(const sizes_ &s_, int row_)
{
	for (int i_ = 0; i_ < row_; i_++)
		if (is_size_(s_, s_.rows_[i_]) &&
		    memcmp(s_.rows_[i_].values_, s_.rows_[row_].values_, sizeof s_.rows_[i_].values_) == 0)
			return true;
	return false;
}

/* "problem((rows, d) = (37, 1003), (1, 77))": sizes of `s`, in the order of their first launches. */
inline void print_clause_(const sizes_ &s_)
{
	int named_ = 0;

	for (int i_ = 0; i_ < s_.count_ && named_ < sizes_named_; i_++) {
		if (!is_size_(s_, s_.rows_[i_]) || is_repeated_(s_, i_))
			continue;
		if (named_ == 0)
			fprintf(stderr, "ktune: %s: to tune for %s, add to its pragma: problem(%s", s_.region_,
				s_.count_ == 1 ? "this size" : "these sizes", s_.variables_ > 1 ? "(" : "");
		for (int v_ = 0; v_ < s_.variables_ && named_ == 0; v_++)
			fprintf(stderr, "%s%s", v_ > 0 ? ", " : "", s_.names_[v_]);
		fprintf(stderr, "%s%s", named_ > 0 ? ", " : s_.variables_ > 1 ? ") = " : " = ", s_.variables_ > 1 ? "(" : "");
		for (int v_ = 0; v_ < s_.variables_; v_++)
			fprintf(stderr, "%s%lld", v_ > 0 ? ", " : "", s_.rows_[i_].values_[v_]);
		fprintf(stderr, "%s", s_.variables_ > 1 ? ")" : "");
		named_++;
	}
	if (named_ > 0)
		fprintf(stderr, ")\n");
}

/* Prints when it dies, as `report` does. */
struct sizes_report_ {
	sizes_ &s_;

	explicit sizes_report_(sizes_ &s_) : s_(s_)
	{
	}
	sizes_report_(const sizes_report_ &) = delete;
	sizes_report_ &operator=(const sizes_report_ &) = delete;
	~sizes_report_()
	{
		for (int i_ = 0; i_ < s_.count_; i_++)
			print_size_(s_, s_.rows_[i_]);
		if (s_.others_ > 0)
			fprintf(stderr, "ktune: %s: the original ran %llu times more, for further sizes\n", s_.region_, s_.others_);
		if (s_.variables_ > 0)
			print_clause_(s_);
	}
};

/*
 * KTUNE_TRACE=time: the first launches of each size at which a variant can run execute the variant and the original alternately,
 * each launch exactly one of the two, between two events on the launch's own stream. Events are read at later launches of the
 * region, when they have happened; nothing waits for them, and nothing of the runtime is called at exit. The first launch of
 * each is not counted: it loads code.
 */
enum { timed_sizes_ = 64, turns_most_ = 18, turns_skipped_ = 2, turns_needed_ = 3 };

struct turn_ {
	cudaEvent_t begin_, end_;
	bool pending_; /* both events were recorded and not read */
};

/* Launches of one size that one variant serves. */
struct timed_ {
	long long values_[variables_most_];
	int variant_; /* by its place in the dispatcher */
	unsigned long long launches_;
	int taken_; /* turns: the variant has those with even numbers, the original the others */
	turn_ turns_[turns_most_];
	float times_[2][turns_most_ / 2]; /* in milliseconds, of the variant and of the original */
	int counts_[2];
};

struct timings_ {
	const char *region_;
	int variables_;
	const char *const *names_;    /* of the variables */
	const char *const *variants_; /* their configurations, by place in the dispatcher */
	int busy_, count_;
	timed_ *rows_; /* nullptr: none yet */
};

inline timed_ *find_timed_(timings_ &t_, int variant_, const long long *values_)
{
	const size_t bytes_ = static_cast<size_t>(t_.variables_) * sizeof *values_;

	if (t_.rows_ == nullptr)
		t_.rows_ = static_cast<timed_ *>(calloc(timed_sizes_, sizeof *t_.rows_));
	if (t_.rows_ == nullptr)
		return nullptr;
	for (int i_ = 0; i_ < t_.count_; i_++)
		if (t_.rows_[i_].variant_ == variant_ && memcmp(t_.rows_[i_].values_, values_, bytes_) == 0)
			return &t_.rows_[i_];
	if (t_.count_ == timed_sizes_)
		return nullptr;
	memcpy(t_.rows_[t_.count_].values_, values_, bytes_);
	t_.rows_[t_.count_].variant_ = variant_;
	return &t_.rows_[t_.count_++];
}

/* Reads what has happened since: no error is pending before, and none is left. */
inline void read_turns_(timed_ &row_)
{
	for (int i_ = 0; i_ < row_.taken_; i_++) {
		turn_ &now_ = row_.turns_[i_];
		float took_ = 0;

		if (!now_.pending_)
			continue;
		const cudaError_t state_ = cudaEventQuery(now_.end_);

		if (state_ == cudaErrorNotReady)
			continue;
		now_.pending_ = false;
		if (state_ == cudaSuccess && cudaEventElapsedTime(&took_, now_.begin_, now_.end_) == cudaSuccess &&
		    i_ >= turns_skipped_)
			row_.times_[i_ % 2][row_.counts_[i_ % 2]++] = took_;
		(void)cudaEventDestroy(now_.begin_);
		(void)cudaEventDestroy(now_.end_);
	}
	(void)cudaGetLastError();
}

/* Two events, of which the first is recorded. False: no error is left, and the launch is not timed. */
template <typename S_> KTUNE_RARE static bool begin_turn_(turn_ &now_, S_ stream_)
{
	cudaEvent_t begin_ = nullptr, end_ = nullptr;

	if (cudaEventCreate(&begin_) == cudaSuccess && cudaEventCreate(&end_) == cudaSuccess &&
	    cudaEventRecord(begin_, stream_) == cudaSuccess) {
		now_.begin_ = begin_;
		now_.end_ = end_;
		return true;
	}
	if (begin_ != nullptr)
		(void)cudaEventDestroy(begin_);
	if (end_ != nullptr)
		(void)cudaEventDestroy(end_);
	(void)cudaGetLastError();
	return false;
}

/*
 * A launch that a variant can serve. True: the original has this turn. `mine` is its turn, or NULL where the launch is
 * not timed: then the variant runs. Never while a stream is captured, or with an error pending. Static and templates,
 * as borrow.
 */
template <typename S_>
KTUNE_RARE static bool take_turn_(turn_ *&mine_, timings_ &t_, int variant_, S_ stream_, const long long *values_)
{
	cudaStreamCaptureStatus captured_ = cudaStreamCaptureStatusActive;
	cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
	bool original_ = false;

	mine_ = nullptr;
	if (cudaPeekAtLastError() != cudaSuccess)
		return false;
	if (cudaStreamIsCapturing(stream_, &captured_) != cudaSuccess || captured_ != cudaStreamCaptureStatusNone ||
	    cudaThreadExchangeStreamCaptureMode(&mode_) != cudaSuccess) {
		(void)cudaGetLastError();
		return false;
	}
	const locked_ lock_(t_.busy_);
	timed_ *const row_ = find_timed_(t_, variant_, values_);

	for (int i_ = 0; i_ < t_.count_; i_++)
		read_turns_(t_.rows_[i_]);
	if (row_ != nullptr) {
		row_->launches_++;
		if (row_->taken_ < turns_most_ && begin_turn_(row_->turns_[row_->taken_], stream_)) {
			mine_ = &row_->turns_[row_->taken_];
			original_ = row_->taken_++ % 2 != 0;
		}
	}
	(void)cudaThreadExchangeStreamCaptureMode(&mode_);
	return original_;
}

/* The same of a dispatcher, which has the variables one by one. */
template <typename S_, typename... V_>
KTUNE_RARE static bool has_turn_(turn_ *&mine_, timings_ &t_, int variant_, S_ stream_, V_... variables_)
{
	const long long values_[] = {variables_..., 0};

	return take_turn_(mine_, t_, variant_, stream_, static_cast<const long long *>(values_));
}

/* After the launch. */
template <typename S_> KTUNE_RARE static void end_turn_(turn_ *mine_, timings_ &t_, S_ stream_)
{
	if (mine_ == nullptr || cudaPeekAtLastError() != cudaSuccess)
		return;
	const locked_ lock_(t_.busy_);

	if (cudaEventRecord(mine_->end_, stream_) == cudaSuccess)
		mine_->pending_ = true;
	else
		(void)cudaGetLastError();
}

inline float median_(float *times_, int count_)
{
	for (int i_ = 1; i_ < count_; i_++)
		for (int k_ = i_; k_ > 0 && times_[k_ - 1] > times_[k_]; k_--) {
			const float one_ = times_[k_];

			times_[k_] = times_[k_ - 1];
			times_[k_ - 1] = one_;
		}
	return count_ % 2 != 0 ? times_[count_ / 2] : (times_[count_ / 2 - 1] + times_[count_ / 2]) / 2;
}

inline bool is_timed_(const timed_ &row_)
{
	return row_.counts_[0] >= turns_needed_ && row_.counts_[1] >= turns_needed_;
}

/* Of a row that is timed: how many times as long the original takes. */
inline float gain_of_(timed_ &row_)
{
	const float variant_ = median_(row_.times_[0], row_.counts_[0]);

	return variant_ > 0 ? median_(row_.times_[1], row_.counts_[1]) / variant_ : 1;
}

/* `ktcc tune --sizes` reads the line. */
inline void print_timed_(const timings_ &t_, timed_ &row_)
{
	fprintf(stderr, "ktune: %s", t_.region_);
	for (int v_ = 0; v_ < t_.variables_; v_++)
		fprintf(stderr, " %s=%lld", t_.names_[v_], row_.values_[v_]);
	fprintf(stderr, ": launched %llu time%s, ", row_.launches_, row_.launches_ == 1 ? "" : "s");
	if (!is_timed_(row_)) {
		fprintf(stderr, "%d and %d of them timed: too few to compare\n", row_.counts_[0], row_.counts_[1]);
		return;
	}
	const float gain_ = gain_of_(row_), slower_ = 0.97f; /* less is noise */

	fprintf(stderr, "gain %.2f: variant %.2f us, original %.2f us (medians of %d and %d; %s)%s\n",
		static_cast<double>(gain_), 1e3 * static_cast<double>(median_(row_.times_[0], row_.counts_[0])),
		1e3 * static_cast<double>(median_(row_.times_[1], row_.counts_[1])), row_.counts_[0], row_.counts_[1],
		t_.variants_[row_.variant_], gain_ < slower_ ? ": the variant is slower" : "");
}

/* Prints when it dies, as `report` does. */
struct timings_report_ {
	timings_ &t_;

	explicit timings_report_(timings_ &t_) : t_(t_)
	{
	}
	timings_report_(const timings_report_ &) = delete;
	timings_report_ &operator=(const timings_report_ &) = delete;
	~timings_report_()
	{
		for (int i_ = 0; i_ < t_.count_; i_++)
			print_timed_(t_, t_.rows_[i_]);
	}
};

/* What an entry was tuned on. */
struct identity_ {
	const char *name_;
	int cc_, multiprocessors_, memory_bus_bits_;
	long long l2_bytes_;
};

inline bool is_device_(const cudaDeviceProp &p_, const identity_ &i_)
{
	return p_.major * 10 + p_.minor == i_.cc_ && p_.multiProcessorCount == i_.multiprocessors_ &&
	       p_.memoryBusWidth == i_.memory_bus_bits_ && static_cast<long long>(p_.l2CacheSize) == i_.l2_bytes_ &&
	       strcmp(p_.name, i_.name_) == 0;
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
    answers_ {
	unsigned long long quick_;
	unsigned long long word_[KTUNE_DEVICES];
};

#define KTUNE_QUIET 0x80ULL

KTUNE_INLINE outcome_ outcome_of_(unsigned long long word_)
{
	return static_cast<outcome_>(static_cast<int>(word_ & 0x7f) - 1);
}

/* Of a variant that was launched. */
KTUNE_INLINE outcome_ launched_(unsigned long long word_)
{
	return KTUNE_EXPECT((word_ & KTUNE_QUIET) != 0) ? outcome_uncounted_ : outcome_variant_;
}

inline unsigned long long answer_(outcome_ what_, unsigned long long threads_ = 0, unsigned long long shared_ = 0)
{
	return static_cast<unsigned long long>(what_ + 1) | threads_ << 8 | shared_ << 32;
}

inline unsigned long long examine_(int ordinal_, const identity_ &tuned_, const void *function_, bool dynamic_)
{
	const device_record_ *device_ = device_of_(ordinal_);
	cudaFuncAttributes a_;

	if (device_ == nullptr)
		return answer_(outcome_error_);
	if (!is_device_(device_->properties_, tuned_))
		return answer_(outcome_device_);
	if (cudaFuncGetAttributes(&a_, function_) != cudaSuccess)
		return answer_(outcome_error_);
	/* Elsewhere the body is a trap. */
	if (a_.ptxVersion != tuned_.cc_ || a_.binaryVersion != tuned_.cc_)
		return answer_(outcome_architecture_);
	if (dynamic_) {
		const size_t most_ = device_->properties_.sharedMemPerBlockOptin;

		/* A refusal leaves the old limit, which the geometry is then held against. */
		if (most_ > a_.sharedSizeBytes &&
		    cudaFuncSetAttribute(function_, cudaFuncAttributeMaxDynamicSharedMemorySize,
					 static_cast<int>(most_ - a_.sharedSizeBytes)) == cudaSuccess)
			a_.maxDynamicSharedSizeBytes = static_cast<int>(most_ - a_.sharedSizeBytes);
	}
	return answer_(outcome_variant_, static_cast<unsigned>(a_.maxThreadsPerBlock),
		      static_cast<unsigned>(a_.maxDynamicSharedSizeBytes));
}

/* Legal while any thread captures a stream: nothing asked here enters a stream. */
inline unsigned long long settle_(answers_ &known_, int ordinal_, const identity_ &tuned_, const void *function_,
				  bool dynamic_)
{
	cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
	unsigned long long word_;

	/* Afterwards its origin would be unknown: leave it to the program, ask again next time. */
	if (cudaPeekAtLastError() != cudaSuccess)
		return answer_(outcome_error_);
	if (cudaThreadExchangeStreamCaptureMode(&mode_) != cudaSuccess) {
		(void)cudaGetLastError();
		return answer_(outcome_error_);
	}
	word_ = examine_(ordinal_, tuned_, function_, dynamic_);
	(void)cudaThreadExchangeStreamCaptureMode(&mode_);
	(void)cudaGetLastError();
	__atomic_store_n(&known_.word_[ordinal_], word_, __ATOMIC_RELEASE);
	return word_;
}

/* `ordinal` is KTUNE_UNASKED until a launch needs it: one question serves all variants that are tried. */
#define KTUNE_UNASKED (-2)

KTUNE_RARE inline unsigned long long ask_device_(answers_ &known_, int &ordinal_, const identity_ &tuned_,
                                                const void *function_, bool dynamic_)
{
	unsigned long long word_;

	if (ordinal_ == KTUNE_UNASKED)
		ordinal_ = current_device_();
	if (ordinal_ < 0)
		return answer_(outcome_error_);
	word_ = __atomic_load_n(&known_.word_[ordinal_], __ATOMIC_ACQUIRE);
	if (word_ == 0)
		word_ = settle_(known_, ordinal_, tuned_, function_, dynamic_);
	/* What was not kept is asked again. */
	if (__atomic_load_n(&known_.word_[ordinal_], __ATOMIC_ACQUIRE) == word_ && !tracing_() &&
	    __atomic_load_n(&process_().visible_, __ATOMIC_RELAXED) == 1)
		__atomic_store_n(&known_.quick_, word_ | KTUNE_QUIET, __ATOMIC_RELEASE);
	return word_;
}

KTUNE_INLINE unsigned long long ask_(answers_ &known_, int &ordinal_, const identity_ &tuned_, const void *function_,
                                    bool dynamic_)
{
	const unsigned long long word_ = __atomic_load_n(&known_.quick_, __ATOMIC_ACQUIRE);

	return KTUNE_EXPECT(word_ != 0) ? word_ : ask_device_(known_, ordinal_, tuned_, function_, dynamic_);
}

/* Launch geometry as numbers, before it is known to be legal. */
struct geometry_ {
	long long grid_[3], block_[3], shared_;

	KTUNE_INLINE geometry_(long long gx_, long long gy_, long long gz_, long long bx_, long long by_, long long bz_,
			      long long shared_)
	    : grid_{gx_, gy_, gz_}, block_{bx_, by_, bz_}, shared_(shared_)
	{
	}
	KTUNE_INLINE static bool within_(long long value_, long long most_)
	{
		return static_cast<unsigned long long>(value_) - 1 < static_cast<unsigned long long>(most_);
	}
	KTUNE_INLINE bool has_extents_(long long threads_) const
	{
		return within_(grid_[0], 0x7fffffff) & within_(grid_[1], 65535) & within_(grid_[2], 65535) &
		       within_(block_[0], 1024) & within_(block_[1], 1024) & within_(block_[2], 64) &
		       (static_cast<unsigned>(block_[0]) * static_cast<unsigned>(block_[1]) * static_cast<unsigned>(block_[2]) <= threads_);
	}
	/*
	 * Is it the host's? A launch that every device refuses, as of no block, is none: its error is the program's.
	 * Without branches: a processor that has not seen them lately guesses.
	 */
	KTUNE_INLINE bool is_(const launch_ &at_) const
	{
		return KTUNE_EXPECT((grid_[0] == at_.grid_.x) & (grid_[1] == at_.grid_.y) & (grid_[2] == at_.grid_.z) &
				    (block_[0] == at_.block_.x) & (block_[1] == at_.block_.y) & (block_[2] == at_.block_.z) &
				    (shared_ >= 0) & (static_cast<unsigned long long>(shared_) == at_.shared_) &
				    has_extents_(1024));
	}
	KTUNE_INLINE bool legal_(unsigned long long word_) const
	{
		return KTUNE_EXPECT(has_extents_(static_cast<long long>(word_ >> 8 & 0xffffff)) & (shared_ >= 0) &
				    (shared_ <= static_cast<long long>(word_ >> 32)));
	}
	/*
	 * Passing a dim3 reads its first two numbers as one word. Written separately they would still be on their way to
	 * the cache, after what the launch before wrote to the device.
	 */
	KTUNE_INLINE static dim3 numbers_(const long long *n_)
	{
		dim3 made_(static_cast<unsigned>(n_[0]), static_cast<unsigned>(n_[1]), static_cast<unsigned>(n_[2]));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		const unsigned long long both_ = static_cast<unsigned>(n_[0]) |
						static_cast<unsigned long long>(static_cast<unsigned>(n_[1])) << 32;

		static_assert(offsetof(dim3, y) == 4, "two numbers in a word");
		memcpy(static_cast<void *>(&made_), &both_, sizeof both_);
#endif
		return made_;
	}
};

/* A kernel receives the bytes of the object itself, as from the compiler's stub. */
template <typename T_> KTUNE_INLINE void *argument_(T_ &of_)
{
	return (void *)&(char &)of_; /* by no named cast: T may be __restrict__ */
}

/*
 * What <<<>>> comes to, without the two calls of the runtime that carry a
 * configuration from there into the kernel's stub. Static: it is another
 * function where --default-stream is another.
 */
template <typename... A_>
KTUNE_INLINE static void enqueue_(const void *kernel_, const geometry_ &g_, cudaStream_t stream_, A_ &...of_)
{
	void *arguments_[] = {argument_(of_)..., nullptr};

	(void)cudaLaunchKernel(kernel_, geometry_::numbers_(g_.grid_), geometry_::numbers_(g_.block_), arguments_,
			       static_cast<size_t>(g_.shared_), stream_);
}

/* Launches the original kernel with the dispatcher's own arguments: none of them is copied or moved another time. */
template <typename... A_>
KTUNE_INLINE static void enqueue_original_(const void *kernel_, const launch_ &at_, A_ &...of_)
{
	void *arguments_[] = {argument_(of_)..., nullptr};

	(void)cudaLaunchKernel(kernel_, at_.grid_, at_.block_, arguments_, at_.shared_, at_.stream_);
}

#if defined(__CUDACC__)
/*
 * A kernel with variants that is given to a function which launches it (docs/emission.md). Its address stays what it
 * is; a site that launches a kernel by its address asks here. A route is put on the list where the kernel is given
 * away, and never taken off. The list is one of each library: what a library holds is gone with it.
 */
struct route_ {
	const void *kernel_;
	bool (*run_)(const launch_ &at_, void **arguments_); /* did a variant run? */
	route_ *next_;
	int enrolled_;
};

#if defined(__GNUC__)
#define KTUNE_HIDDEN __attribute__((__visibility__("hidden")))
#else
#define KTUNE_HIDDEN
#endif

/* A function of one source that others call where it was linked: its address is null where it was not. */
#define KTUNE_LINKED __attribute__((__weak__))

KTUNE_HIDDEN inline route_ *&routes_()
{
	static route_ *first_;
	return first_;
}

/*
 * What problem variables are at a launch whose kernel is given away there: it lives as long as the expression, and
 * serves one launch of this thread.
 */
template <size_t N_> struct held_ {
	binding_ values_[N_];
	const binding_ *&place_;
	const binding_ *before_;

	template <typename... B_>
	KTUNE_INLINE explicit held_(const binding_ *&place_, const B_ &...b_)
	    : values_{b_...}, place_(place_), before_(place_)
	{
		place_ = values_;
	}
	held_(const held_ &) = delete;
	held_ &operator=(const held_ &) = delete;
	KTUNE_GENERATED ~held_()
	{
		place_ = before_;
	}
};

KTUNE_RARE inline void enrol_first_(route_ &r_)
{
	int before_ = 0;

	if (!__atomic_compare_exchange_n(&r_.enrolled_, &before_, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	r_.next_ = __atomic_load_n(&routes_(), __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&routes_(), &r_.next_, &r_, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		;
}

KTUNE_INLINE void enrol_(route_ &r_)
{
	if (!KTUNE_EXPECT(__atomic_load_n(&r_.enrolled_, __ATOMIC_ACQUIRE) != 0))
		enrol_first_(r_);
}

/* Did a variant of the kernel run? */
inline bool run_variant_(const void *kernel_, const launch_ &at_, void **arguments_)
{
	for (const route_ *r_ = __atomic_load_n(&routes_(), __ATOMIC_ACQUIRE); r_ != nullptr; r_ = r_->next_)
		if (r_->kernel_ == kernel_)
			return r_->run_(at_, arguments_);
	return false;
}

template <size_t... I_> struct indices_ {
};
template <size_t N_, size_t... I_> struct count_to_ : count_to_<N_ - 1, N_ - 1, I_...> {
};
template <size_t... I_> struct count_to_<0, I_...> {
	typedef indices_<I_...> type_;
};

/* A kernel's arguments as the runtime takes them → those of R::run. */
template <typename F_> struct unpacked_;
template <typename... P_> struct unpacked_<void (*)(P_...)> {
	template <typename R_, size_t... I_>
	KTUNE_INLINE static bool pass_(const launch_ &at_, void **arguments_, indices_<I_...>)
	{
		(void)arguments_;
		return R_::run_(at_, *static_cast<P_ *>(arguments_[I_])...);
	}
	template <typename R_> static bool run_(const launch_ &at_, void **arguments_)
	{
		return pass_<R_>(at_, arguments_, typename count_to_<sizeof...(P_)>::type_());
	}
};

/* What `kernel<<<…>>>` is where the kernel is a variable: called with the arguments, after the configuration. */
template <typename... P_> struct bound_kernel_ {
	void (*kernel_)(P_...);

	KTUNE_GENERATED void operator()(P_... of_) const
	{
		void *arguments_[] = {argument_(of_)..., nullptr};
		launch_ at_(1, 1);

		/* By the kernel's stub: the kernel's source determines the default stream. */
		if (pop_(at_) && !run_variant_(address_(kernel_), at_, arguments_))
			kernel_<<<at_.grid_, at_.block_, at_.shared_, at_.stream_>>>(static_cast<P_ &&>(of_)...);
	}
};

template <typename... P_> KTUNE_INLINE static bound_kernel_<P_...> bound_(void (*kernel_)(P_...))
{
	return bound_kernel_<P_...>{kernel_};
}

template <typename T_> struct object_ {
	typedef T_ type_;
};
template <typename T_> struct object_<T_ &> {
	typedef T_ type_;
};

/* An object that converts to a kernel is called as in the original: the kernel's stub takes the configuration. */
template <typename K_> KTUNE_INLINE static K_ &&bound_(K_ &&kernel_, int object_<K_>::type_::* = nullptr)
{
	return static_cast<K_ &&>(kernel_);
}

/* The runtime's functions of these names. An error that is pending would be taken for one of the variant's. */
inline bool run_by_function_(const void *kernel_, const launch_ &at_, void **arguments_)
{
	return cudaPeekAtLastError() == cudaSuccess && run_variant_(kernel_, at_, arguments_);
}

template <typename T_>
static inline cudaError_t cudaLaunchKernel(T_ *kernel_, dim3 grid_, dim3 block_, void **arguments_, size_t shared_ = 0,
					   cudaStream_t stream_ = 0)
{
	const void *const address_of_ = (const void *)kernel_;

	if (run_by_function_(address_of_, launch_(grid_, block_, shared_, stream_), arguments_))
		return cudaPeekAtLastError();
	return ::cudaLaunchKernel(address_of_, grid_, block_, arguments_, shared_, stream_);
}

#if CUDART_VERSION >= 11080
/* What the attributes ask for, a variant does not have: with any the original runs. */
inline bool is_plain_(const cudaLaunchConfig_t *config_)
{
	return config_ != nullptr && config_->numAttrs == 0;
}

inline launch_ of_config_(const cudaLaunchConfig_t &c_)
{
	return launch_(c_.gridDim, c_.blockDim, c_.dynamicSmemBytes, c_.stream);
}

template <typename T_>
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config_, T_ *kernel_, void **arguments_)
{
	const void *const address_of_ = (const void *)kernel_;

	if (is_plain_(config_) && run_by_function_(address_of_, of_config_(*config_), arguments_))
		return cudaPeekAtLastError();
	return ::cudaLaunchKernelExC(config_, address_of_, arguments_);
}

template <typename... P_> struct configured_ {
	static cudaError_t run_(const cudaLaunchConfig_t *config_, const void *kernel_, P_... of_)
	{
		void *arguments_[] = {argument_(of_)..., nullptr};

		if (is_plain_(config_) && run_by_function_(kernel_, of_config_(*config_), arguments_))
			return cudaPeekAtLastError();
		return ::cudaLaunchKernelExC(config_, kernel_, arguments_);
	}
};

template <typename... P_, typename... A_>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config_, void (*kernel_)(P_...), A_ &&...given_)
{
	return configured_<P_...>::run_(config_, address_(kernel_), static_cast<A_ &&>(given_)...);
}
#endif
#endif

#define KTUNE_UNASKED_SHARED (48 * 1024) /* bytes of dynamic shared memory that need no permission */

/* May the variant be launched, so that refused() can tell its error from an older one? */
KTUNE_INLINE bool launchable_(const geometry_ &g_)
{
	return KTUNE_EXPECT(g_.shared_ <= KTUNE_UNASKED_SHARED) || cudaPeekAtLastError() == cudaSuccess;
}

/* Has an earlier call left an error that was not taken yet? */
KTUNE_INLINE bool error_pending_()
{
	return !KTUNE_EXPECT(cudaPeekAtLastError() == cudaSuccess);
}

KTUNE_RARE inline bool take_back_(answers_ &known_)
{
	const cudaError_t now_ = cudaPeekAtLastError();
	int ordinal_;

	if (now_ != cudaErrorInvalidValue && now_ != cudaErrorInvalidConfiguration &&
	    now_ != cudaErrorLaunchOutOfResources)
		return false;
	(void)cudaGetLastError();
	ordinal_ = current_device_();
	if (ordinal_ >= 0)
		__atomic_store_n(&known_.word_[ordinal_], 0ULL, __ATOMIC_RELEASE);
	__atomic_store_n(&known_.quick_, 0ULL, __ATOMIC_RELEASE);
	return true;
}

/*
 * After a variant was launched with more dynamic shared memory than any kernel
 * may use unasked: the permission belongs to a context and is gone after
 * cudaDeviceReset. True: the launch was refused, nothing ran, the error is taken
 * back and the answer forgotten.
 */
KTUNE_INLINE bool refused_(answers_ &known_, const geometry_ &g_)
{
	return !KTUNE_EXPECT(g_.shared_ <= KTUNE_UNASKED_SHARED) && take_back_(known_);
}

/* Where memory ends that holds `count` elements after `end` bytes of it; it begins at a multiple of 256. */
KTUNE_INLINE long long extend_(bool &fault_, long long end_, long long count_, long long element_)
{
	const long long bytes_ = mul_(fault_, count_ < 0 ? no_value_(fault_) : count_, element_);

	return add_(fault_, end_, add_(fault_, bytes_ > 0 ? bytes_ : 1, 255) / 256 * 256);
}

#define KTUNE_MEMORY_SHARE 16 /* a variant gets at most this part of a device's memory */

#if CUDART_VERSION >= 11020
/*
 * Where variants have private memory for one run, it comes from a separate pool of ktcc, one per device: the program's
 * pools are left unmodified. A pool keeps what it has, so that most launches cost no call of the system; the driver
 * takes unused memory back where the process needs it otherwise. It makes no stream wait for another one: that could
 * stop a program whose streams wait for the host. A pool is the driver's and no context's: it outlives cudaDeviceReset
 * and serves each copy of the runtime in a process. Never destroyed, so that late launches still find it, and nothing
 * of the runtime is called at exit.
 */
inline cudaMemPool_t *pools_()
{
	static cudaMemPool_t table_[KTUNE_DEVICES];
	return table_;
}

/* NULL: the driver or the device has none. */
KTUNE_RARE inline cudaMemPool_t make_pool_(int ordinal_)
{
	cudaMemPool_t made_ = nullptr, known_ = nullptr;
	unsigned long long kept_ = ~0ULL;
	int supported_ = 0, waits_ = 0;
	cudaMemPoolProps p_;

	if (cudaDeviceGetAttribute(&supported_, cudaDevAttrMemoryPoolsSupported, ordinal_) != cudaSuccess || supported_ == 0)
		return nullptr;
	memset(static_cast<void *>(&p_), 0, sizeof p_);
	p_.allocType = cudaMemAllocationTypePinned;
	p_.location.type = cudaMemLocationTypeDevice;
	p_.location.id = ordinal_;
	if (cudaMemPoolCreate(&made_, &p_) != cudaSuccess)
		return nullptr;
	if (cudaMemPoolSetAttribute(made_, cudaMemPoolAttrReleaseThreshold, &kept_) == cudaSuccess &&
	    cudaMemPoolSetAttribute(made_, cudaMemPoolReuseAllowInternalDependencies, &waits_) == cudaSuccess &&
	    __atomic_compare_exchange_n(&pools_()[ordinal_], &known_, made_, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return made_;
	(void)cudaMemPoolDestroy(made_);
	return known_;
}
#endif

/*
 * Memory for what is queued on a stream until give_back, or NULL: then nothing happened, and the original runs. While
 * the stream is captured there is none: a graph with allocations has one instance and cannot be cloned, which the
 * original's can. Static, as enqueue is; templates, because they may be unused.
 */
template <typename S_> KTUNE_RARE static char *borrow_(long long bytes_, S_ stream_)
{
	void *made_ = nullptr;

#if CUDART_VERSION >= 11020
	cudaStreamCaptureStatus captured_ = cudaStreamCaptureStatusActive;
	cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
	const device_record_ *device_;
	int ordinal_;

	/* Afterwards the origin of the error would be unknown. */
	if (cudaPeekAtLastError() != cudaSuccess || (ordinal_ = current_device_()) < 0)
		return nullptr;
	device_ = device_of_(ordinal_);
	/* Another thread may be capturing: relaxed, for nothing here enters its stream. */
	if (device_ != nullptr &&
	    static_cast<unsigned long long>(bytes_) <= device_->properties_.totalGlobalMem / KTUNE_MEMORY_SHARE &&
	    cudaStreamIsCapturing(stream_, &captured_) == cudaSuccess && captured_ == cudaStreamCaptureStatusNone &&
	    cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess) {
		cudaMemPool_t pool_ = __atomic_load_n(&pools_()[ordinal_], __ATOMIC_ACQUIRE);

		if (pool_ == nullptr)
			pool_ = make_pool_(ordinal_);
		if (pool_ != nullptr &&
		    cudaMallocFromPoolAsync(&made_, static_cast<size_t>(bytes_), pool_, stream_) != cudaSuccess)
			made_ = nullptr;
		(void)cudaThreadExchangeStreamCaptureMode(&mode_);
	}
	if (made_ == nullptr)
		(void)cudaGetLastError();
#else
	static_cast<void>(bytes_);
	static_cast<void>(stream_);
#endif
	return static_cast<char *>(made_);
}

/* After everything that was queued there. */
template <typename S_> KTUNE_RARE static void give_back_(char *memory_, S_ stream_)
{
#if CUDART_VERSION >= 11020
	cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
	const bool relaxed_ = cudaThreadExchangeStreamCaptureMode(&mode_) == cudaSuccess;

	(void)cudaFreeAsync(memory_, stream_);
	if (relaxed_)
		(void)cudaThreadExchangeStreamCaptureMode(&mode_);
#else
	static_cast<void>(memory_);
	static_cast<void>(stream_);
#endif
}

KTUNE_INLINE outcome_ further_(outcome_ a_, outcome_ b_)
{
	return a_ < b_ ? b_ : a_;
}

} // namespace v5_
} // namespace ktune

#endif
