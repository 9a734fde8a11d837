// Runs kernels on the processor: a block is an OS thread, its threads are fibres in it, scheduled in random order.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define __CUDA_ARCH__ 900
#undef __shared__
#define __shared__ static thread_local
#undef __cluster_dims__
#define __cluster_dims__(...)
#undef __launch_bounds__
#define __launch_bounds__(...)
#undef __forceinline__
#define __forceinline__ inline
#define __global__
#undef __device__
#define __device__
#define __ldcs(p) (*(p))
#define __stcs(p, v) ((void)(*(p) = (v)))
#define __stwb(p, v) ((void)(*(p) = (v)))
static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;
static const int warpSize = 32;

/* What the executor calls where it is watched (tests/fuzz/kernels/races.h). */
#ifndef EMU_WATCHED
#define EMU_PLAIN
static inline void race_atomic(void *, size_t)
{
}
static inline void race_launch()
{
}
static inline void race_block()
{
}
#endif

enum { RUNS, AT_WARP, AT_BLOCK, AT_CLUSTER, ENDED };
enum { STACK = 1 << 15, MOST_THREADS = 1024 };
/* A fibre lives as long as its OS thread and runs one thread of a block after another: no system call a thread. */
struct fibre {
	void *at[5];
	ucontext_t context; /* for its first run */
	bool begun;
	uint3 index;
	int state;
	unsigned lanes; /* that it waits for at AT_WARP */
};
struct cluster {
	pthread_barrier_t barrier;
};
/* What a launch runs, as long as the launch takes. */
struct emu_body {
	void (*call)(const void *);
	const void *context;
	template <typename F> emu_body(const F &f) : call([](const void *at) { (*(const F *)at)(); }), context(&f)
	{
	}
};
static thread_local void *home[5]; /* jumps change no signal mask and keep no registers */
static thread_local fibre *fibres;
static thread_local size_t current, thread_count;
static thread_local const emu_body *work;
static thread_local unsigned long long slots[MOST_THREADS];
static thread_local cluster *in_cluster;
static thread_local char *stacks;
static thread_local unsigned emu_barriers, emu_warp_barriers[MOST_THREADS / 32]; /* that have released threads */
#ifdef EMU_WATCHED
#include "races.h"
#endif
static unsigned long long emu_state = 1;
/* How blocks and threads take turns. A kernel that gives the same in both directions has no two threads that race. */
enum emu_orders { EMU_RANDOM, EMU_ASCENDING, EMU_DESCENDING };
static emu_orders emu_order = EMU_RANDOM;

#pragma GCC push_options
#pragma GCC optimize("O2")

/* SplitMix64. */
static unsigned long long emu_next(unsigned long long &state)
{
	unsigned long long z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}
/* The numbers below `count` in the order of the launch. */
template <typename T> static void emu_arrange(T *items, size_t count, unsigned long long &state)
{
	for (size_t i = 0; i < count; i++)
		items[i] = (T)(emu_order == EMU_DESCENDING ? count - 1 - i : i);
	if (emu_order != EMU_RANDOM)
		return;
	for (size_t i = count; i > 1; i--) {
		const size_t other = (emu_next(state) >> 32) * i >> 32;
		const T item = items[i - 1];

		items[i - 1] = items[other];
		items[other] = item;
	}
}

/* No function jumps to a place of its own. */
static __attribute__((noinline)) void go_home()
{
	__builtin_longjmp(home, 1);
}

static __attribute__((noinline)) void wait_at(int state)
{
	fibres[current].state = state;
	if (__builtin_setjmp(fibres[current].at) == 0)
		go_home();
	threadIdx = fibres[current].index;
}

#pragma GCC pop_options

static inline void __syncthreads()
{
	wait_at(AT_BLOCK);
}
static thread_local int emu_votes[MOST_THREADS];
static int __syncthreads_and(int vote)
{
	int all = 1;

	emu_votes[current] = vote;
	wait_at(AT_BLOCK);
	for (size_t i = 0; i < thread_count; i++)
		all = all && emu_votes[i];
	wait_at(AT_BLOCK);
	return all;
}
static inline void __syncwarp(unsigned mask = ~0u)
{
	fibres[current].lanes = mask;
	wait_at(AT_WARP);
}

template <typename V> static V exchange(unsigned mask, V value, int lane, int width = 32)
{
	static_assert(sizeof(V) <= 8, "a shuffle of more than eight bytes");
	size_t self = current;
	V out = value;

	memcpy(&slots[self], &value, sizeof value);
	__syncwarp(mask);
	int own = (int)(self % 32), first = own & ~(width - 1);
	if (lane >= first && lane < first + width && self - own + lane < thread_count)
		memcpy(&out, &slots[self - own + lane], sizeof out);
	__syncwarp(mask);
	return out;
}
template <typename V> static V __shfl_xor_sync(unsigned mask, V v, int by, int width = 32)
{
	return exchange(mask, v, (int)(current % 32) ^ by, width);
}
template <typename V> static V __shfl_down_sync(unsigned mask, V v, int by, int width = 32)
{
	return exchange(mask, v, (int)(current % 32) + by, width);
}
template <typename V> static V __shfl_up_sync(unsigned mask, V v, int by, int width = 32)
{
	return exchange(mask, v, (int)(current % 32) - by, width);
}
template <typename V> static V __shfl_sync(unsigned mask, V v, int from, int width = 32)
{
	return exchange(mask, v, ((int)(current % 32) & ~(width - 1)) + (from & (width - 1)), width);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate)
{
	unsigned out = 0;

	for (int lane = 0; lane < 32; lane++)
		out |= (unsigned)(exchange(mask, predicate != 0, lane) ? 1 : 0) << lane;
	return out & mask;
}
/* Atomic operations: what a place holds, and afterwards. */
template <typename V, typename F> EMU_PLAIN static V emu_atomic(V *to, F next)
{
	race_atomic(to, sizeof *to);
	V old = *to;
	*to = next(old);
	return old;
}
template <typename V, typename W> static V atomicAdd(V *to, W by)
{
	return emu_atomic(to, [=](V old) { return (V)(old + (V)by); });
}
template <typename V, typename W> static V atomicSub(V *to, W by)
{
	return emu_atomic(to, [=](V old) { return (V)(old - (V)by); });
}
template <typename V, typename W> static V atomicMax(V *to, W by)
{
	return emu_atomic(to, [=](V old) { return std::max(old, (V)by); });
}
template <typename V, typename W> static V atomicMin(V *to, W by)
{
	return emu_atomic(to, [=](V old) { return std::min(old, (V)by); });
}
template <typename V, typename W> static V atomicOr(V *to, W by)
{
	return emu_atomic(to, [=](V old) { return (V)(old | (V)by); });
}
template <typename V, typename W> static V atomicAnd(V *to, W by)
{
	return emu_atomic(to, [=](V old) { return (V)(old & (V)by); });
}
template <typename V, typename W> static V atomicXor(V *to, W by)
{
	return emu_atomic(to, [=](V old) { return (V)(old ^ (V)by); });
}
template <typename V, typename W> static V atomicExch(V *to, W by)
{
	return emu_atomic(to, [=](V) { return (V)by; });
}
template <typename V, typename W, typename X> static V atomicCAS(V *to, W expected, X by)
{
	return emu_atomic(to, [=](V old) { return old == (V)expected ? (V)by : old; });
}
using std::isfinite;
using std::isinf;
using std::isnan;
using std::max;
using std::min;
/* A number beside one that is none, as on the device. */
static inline float max(float a, float b)
{
	return fmaxf(a, b);
}
static inline float min(float a, float b)
{
	return fminf(a, b);
}
static inline double max(double a, double b)
{
	return fmax(a, b);
}
static inline double min(double a, double b)
{
	return fmin(a, b);
}
static inline unsigned max(int a, unsigned b)
{
	return max((unsigned)a, b);
}
static inline float rsqrtf(float x)
{
	return 1.0f / sqrtf(x);
}
static inline int __float2int_rn(float x)
{
	return (int)lrintf(x);
}
static inline float __fdividef(float x, float y)
{
	return x / y;
}
#define __log2f log2f
#define __log10f log10f
#define __exp10f exp10f
static inline float __logf(float x)
{
	return logf(x);
}
static inline float __powf(float x, float y)
{
	return powf(x, y);
}
static inline float __sinf(float x)
{
	return sinf(x);
}
static inline float __cosf(float x)
{
	return cosf(x);
}
static inline unsigned __umulhi(unsigned a, unsigned b)
{
	return (unsigned)((unsigned long long)a * b >> 32);
}
static inline int __clz(int x)
{
	return x == 0 ? 32 : __builtin_clz((unsigned)x);
}
static inline unsigned __float_as_uint(float x)
{
	unsigned bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}
static inline long long __double_as_longlong(double x)
{
	long long bits;

	memcpy(&bits, &x, sizeof bits);
	return bits;
}
static inline float __int_as_float(int x)
{
	float y;
	memcpy(&y, &x, sizeof y);
	return y;
}
static inline float __frcp_rn(float x)
{
	return 1 / x;
}
static inline float __expf(float x)
{
	return expf(x);
}

static thread_local char emu_base; /* the block's shared memory lies at fixed distances of it */
static char *bases[16];
static void __cluster_barrier_arrive()
{
}
static void __cluster_barrier_arrive_relaxed()
{
}
static thread_local unsigned emu_rank;
static void __cluster_barrier_wait()
{
	wait_at(AT_CLUSTER);
}
static void *__cluster_map_shared_rank(const void *at, unsigned rank)
{
	return bases[rank] + ((const char *)at - bases[emu_rank]);
}

/*
 * The read-only cache: a kernel sees there what a buffer held at its launch. CUDA defines such a load only for memory that
 * is read-only for the whole kernel (CUDA C++ Programming Guide, "Read-Only Data Cache Load Function"): emu_undefined is
 * the number of launches after which a byte that was loaded this way differs.
 */
struct emu_buffer {
	const char *begin;
	size_t bytes;
	std::vector<char> launched, cached; /* of each byte: what it held, whether a cached load has read it */
};
static std::vector<emu_buffer> emu_launched;
static size_t emu_undefined;
template <typename T> static T __ldg(const T *from)
{
	const char *at = (const char *)from;
	T value = *from;

	for (emu_buffer &b : emu_launched)
		if (at >= b.begin && at + sizeof value <= b.begin + b.bytes) {
			memcpy(&value, b.launched.data() + (at - b.begin), sizeof value);
			memset(b.cached.data() + (at - b.begin), 1, sizeof value);
		}
	return value;
}

#pragma GCC push_options
#pragma GCC optimize("O2")

static void enter()
{
	for (;;) {
		threadIdx = fibres[current].index;
		work->call(work->context);
		fibres[current].state = ENDED;
		if (__builtin_setjmp(fibres[current].at) == 0)
			go_home();
	}
}

static void release(size_t first, size_t end, int at)
{
	for (size_t i = first; i < end; i++)
		if (fibres[i].state == at)
			fibres[i].state = RUNS;
	emu_barriers++;
}

/* Lanes of a warp that wait go on where all that they wait for do so, or have ended. */
static bool release_lanes(size_t first, size_t end)
{
	unsigned waiting = 0, gone = 0, ready = 0;

	for (size_t i = first; i < end; i++) {
		waiting |= (fibres[i].state == AT_WARP ? 1u : 0) << (i - first);
		gone |= (fibres[i].state == ENDED ? 1u : 0) << (i - first);
	}
	if (end - first < 32)
		gone |= ~0u << (end - first);
	for (size_t i = first; i < end; i++)
		if (fibres[i].state == AT_WARP && (fibres[i].lanes & ~(waiting | gone)) == 0)
			ready |= 1u << (i - first);
	for (size_t i = first; i < end; i++)
		if ((ready >> (i - first) & 1) != 0)
			fibres[i].state = RUNS;
	emu_warp_barriers[first / 32] += ready != 0;
	return ready != 0;
}

static bool all_at(size_t first, size_t end, int at)
{
	bool any = false;

	for (size_t i = first; i < end; i++) {
		if (fibres[i].state != at && fibres[i].state != ENDED)
			return false;
		any = any || fibres[i].state == at;
	}
	return any;
}

static __attribute__((noinline)) void go_to(fibre &f)
{
	if (f.begun)
		__builtin_longjmp(f.at, 1);
	f.begun = true;
	setcontext(&f.context);
}

static __attribute__((noinline)) void resume(size_t which)
{
	current = which;
	if (__builtin_setjmp(home) == 0)
		go_to(fibres[which]);
}

/* A byte that a cached load has read is not what it was at the launch. */
static bool emu_changed(const emu_buffer &b)
{
	for (size_t i = 0; i < b.bytes; i++)
		if (b.cached[i] && b.begin[i] != b.launched[i])
			return true;
	return false;
}

static void make_fibres()
{
	const int prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;

	stacks = (char *)mmap(nullptr, (size_t)MOST_THREADS * STACK, prot, flags, -1, 0);
	fibres = (fibre *)mmap(nullptr, MOST_THREADS * sizeof *fibres, prot, flags, -1, 0);
}

static void free_fibres()
{
	munmap(stacks, (size_t)MOST_THREADS * STACK);
	munmap(fibres, MOST_THREADS * sizeof *fibres);
}

static void run_block(const emu_body &body, unsigned long long random)
{
	unsigned short order[MOST_THREADS];

	thread_count = (size_t)blockDim.x * blockDim.y * blockDim.z;
	if (stacks == nullptr)
		make_fibres();
	work = &body;
	for (size_t i = 0; i < thread_count; i++) {
		fibre &f = fibres[i];

		f.index = make_uint3(i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y);
		f.state = RUNS;
		if (f.begun)
			continue;
		getcontext(&f.context);
		f.context.uc_stack.ss_sp = stacks + i * STACK;
		f.context.uc_stack.ss_size = STACK;
		makecontext(&f.context, enter, 0);
	}
	for (;;) {
		bool any = false;

		emu_arrange(order, thread_count, random);
		for (size_t i = 0; i < thread_count; i++)
			if (fibres[order[i]].state == RUNS) {
				any = true;
				resume(order[i]);
			}
		for (size_t w = 0; w < thread_count; w += 32) {
			const size_t end = w + 32 < thread_count ? w + 32 : thread_count;

			any |= release_lanes(w, end);
		}
		if (all_at(0, thread_count, AT_BLOCK)) {
			any = true;
			release(0, thread_count, AT_BLOCK);
		}
		if (all_at(0, thread_count, AT_CLUSTER)) {
			any = true;
			pthread_barrier_wait(&in_cluster->barrier);
			release(0, thread_count, AT_CLUSTER);
		}
		if (all_at(0, thread_count, ENDED))
			return;
		if (!any) {
			printf("DEADLOCK: threads wait at different places\n");
			fflush(stdout);
			_exit(3);
		}
	}
}

struct emu_job {
	dim3 grid, block;
	uint3 at;
	unsigned long long seed;
	const emu_body *body;
	cluster *together;
	unsigned rank;
};

static void *run_job(void *context)
{
	emu_job *job = (emu_job *)context;

	gridDim = job->grid;
	blockDim = job->block;
	blockIdx = job->at;
	in_cluster = job->together;
	emu_rank = job->rank;
	bases[emu_rank] = &emu_base;
	race_block();
	run_block(*job->body, job->seed);
	if (job->together != nullptr)
		free_fibres();
	return nullptr;
}

/* Blocks in random order; `clustered` of them, along y, at the same time. */
static void launch(dim3 grid, dim3 block, unsigned clustered, const emu_body &body)
{
	const size_t count = (size_t)grid.x * (grid.y / clustered) * grid.z;
	unsigned *order = (unsigned *)malloc(count * sizeof *order);
	emu_job jobs[16];
	pthread_t threads[16];
	cluster together;

	for (emu_buffer &b : emu_launched) {
		b.launched.assign(b.begin, b.begin + b.bytes);
		b.cached.assign(b.bytes, 0);
	}
	race_launch();
	emu_arrange(order, count, emu_state);
	if (clustered > 1)
		pthread_barrier_init(&together.barrier, nullptr, clustered);
	for (size_t i = 0; i < count; i++) {
		const unsigned x = order[i] % grid.x, y = order[i] / grid.x % (grid.y / clustered) * clustered;
		const unsigned z = order[i] / grid.x / (grid.y / clustered);

		for (unsigned c = 0; c < clustered; c++)
			jobs[c] = {grid,  block, make_uint3(x, y + c, z),
				   emu_next(emu_state),
				   &body, clustered > 1 ? &together : nullptr,
				   c};
		if (clustered == 1) {
			run_job(&jobs[0]);
			continue;
		}
		for (unsigned c = 0; c < clustered; c++)
			pthread_create(&threads[c], nullptr, run_job, &jobs[c]);
		for (unsigned c = 0; c < clustered; c++)
			pthread_join(threads[c], nullptr);
	}
	emu_undefined += std::any_of(emu_launched.begin(), emu_launched.end(), emu_changed);
	free(order);
}

#pragma GCC pop_options

/* Memory that ends at a page nobody may touch; `shift` bytes in front of that. */
static char *guarded(size_t bytes, size_t shift)
{
	const size_t page = 4096, whole = (bytes + shift + page - 1) / page * page;
	char *base = (char *)mmap(nullptr, whole + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(base + page, whole, PROT_READ | PROT_WRITE);
	memset(base + page, 0x7f, whole);
	return base + page + whole - bytes - shift;
}

template <typename T> static double emu_real(T x)
{
	return (double)x;
}
static double emu_real(__half x)
{
	return __half2float(x);
}
static double emu_real(__nv_bfloat16 x)
{
	return __bfloat162float(x);
}
template <typename T> static void emu_set(T &to, double x)
{
	to = (T)x;
}
static void emu_set(__half &to, double x)
{
	to = __float2half((float)x);
}
static void emu_set(__nv_bfloat16 &to, double x)
{
	to = __float2bfloat16((float)x);
}
static double from_real(double low, double high)
{
	return low + (high - low) * ((double)(emu_next(emu_state) >> 11) / (double)(1ull << 53));
}
static double from_int(double low, double high)
{
	return (double)((long)low + (long)(emu_next(emu_state) % (unsigned long long)((long)high - (long)low + 1)));
}

/* The same in three buffers, which begin at a page or end at one. */
template <typename T, typename F> static void emu_buffers(size_t count, bool at_end, T *&a, T *&b, T *&c, F next)
{
	const size_t bytes = count * sizeof(T), shift = at_end ? 0 : (4096 - bytes % 4096) % 4096;

	a = (T *)guarded(bytes, shift);
	b = (T *)guarded(bytes, shift);
	c = (T *)guarded(bytes, shift);
	for (size_t i = 0; i < count; i++)
		emu_set(a[i], next());
	memcpy(b, a, bytes);
	memcpy(c, a, bytes);
	emu_launched.push_back({(const char *)a, bytes, {}, {}});
	emu_launched.push_back({(const char *)b, bytes, {}, {}});
}

/* A device symbol, whose address a launch is given: the kernel and its variant find the same there. */
struct emu_meeting {
	char *begin = nullptr;
	size_t bytes = 0, offset = 0;
	std::vector<char> before, after;
};
template <typename T, size_t N> static emu_meeting emu_meet(T (&symbol)[N], size_t count, size_t offset, T *&a, T *&b)
{
	emu_meeting met;

	for (size_t i = 0; i < N; i++)
		emu_set(symbol[i], from_int(0, 8));
	if (count + offset > N)
		return met;
	memcpy(symbol + offset, a, count * sizeof(T));
	a = b = symbol + offset;
	met.begin = (char *)symbol;
	met.bytes = sizeof symbol;
	met.offset = offset * sizeof(T);
	met.before.assign(met.begin, met.begin + met.bytes);
	return met;
}
template <typename S, typename T> static emu_meeting emu_meet(S &, size_t, size_t, T *&, T *&)
{
	return emu_meeting();
}
static void emu_ran(emu_meeting &met)
{
	met.after.assign(met.begin, met.begin + met.bytes);
	memcpy(met.begin, met.before.data(), met.bytes);
}
template <typename T> static void emu_show(emu_meeting &met, T *&a)
{
	if (met.bytes > 0)
		a = (T *)(met.after.data() + met.offset);
}

template <typename T>
static int emu_compare(size_t count, const T *a, const T *b, double absolute, double relative, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		const double x = emu_real(a[i]), y = emu_real(b[i]);

		if (!(fabs(x - y) <= absolute + relative * fabs(x)) && memcmp(&a[i], &b[i], sizeof(T)) != 0 &&
		    !(std::isnan(x) && std::isnan(y))) {
			printf("%s[%zu]: %g as written, %g\n", name, i, x, y);
			return 1;
		}
	}
	return 0;
}
