/*
 * Device code of ktcc-runner, compiled by the user's nvcc to a cubin. The host
 * side (cuda/support.h) calls these kernels by name; their parameters are the
 * contract. C++11, no library beyond the toolkit's half and bfloat16 headers.
 *
 * Everything is a pure function of its arguments: data, poison and canaries
 * come from a counter-based hash, so that any of them can be made again, or
 * recognised, without being stored.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned long long u64;
typedef long long i64;

/* The values of enum kt_scalar and enum kt_fill_kind, asserted on the host side. */
enum { BOOL = 1, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64 };
enum { UNIFORM = 1, NORMAL, IOTA, ZEROS, RANGE, PERMUTATION, UNIQUE, SORTED, OFFSETS, MASK, CHOICE, FROM_FILE, CONSTANT, SPARSE, LARGE, DENORMAL, SPECIAL };
enum { ULP_BINS = 36, ZONES = 128 };

struct result {
	u64 wrong;     /* elements outside the tolerance */
	u64 first;     /* ~index of the first one (so that zero means none) */
	u64 worst;     /* bits of the largest absolute error among finite elements, a double */
	u64 place;     /* the upper 20 bits of that double, then 44 bits of ~index */
	u64 ratio;     /* bits of the largest error over its tolerance, a double */
	u64 odd;       /* elements that are NaN or infinite on one side only, or infinities of different sign */
	u64 zones;     /* bytes of zones that were overwritten */
	u64 zone;      /* ~number of the first damaged zone */
	u64 digest;    /* order-independent sum over position-dependent hashes */
	u64 seen;      /* elements that were compared */
	u64 ulp[ULP_BINS]; /* elements that differ, by the distance's power of two */
};

static __device__ __forceinline__ u64 mix(u64 x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static __device__ __forceinline__ unsigned poison_word(u64 word, u64 seed)
{
	return (unsigned)(mix(word ^ seed) >> 32);
}

/* The poison that element i of SIZE bytes holds. */
template <int SIZE> static __device__ __forceinline__ u64 poison_bits(u64 i, u64 seed)
{
	if (SIZE == 8)
		return (u64)poison_word(2 * i, seed) | (u64)poison_word(2 * i + 1, seed) << 32;
	if (SIZE == 4)
		return poison_word(i, seed);
	const int per_word = 4 / (SIZE < 4 ? SIZE : 4);
	const unsigned word = poison_word(i / per_word, seed);
	return (word >> (8 * SIZE * (i % per_word))) & ((1ull << (8 * SIZE % 64)) - 1);
}

static __device__ __forceinline__ u64 first_index()
{
	return (u64)blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ __forceinline__ u64 index_step()
{
	return (u64)gridDim.x * blockDim.x;
}

/* How one element type is stored, read back and made from a number. */
template <typename T> struct element {
	static __device__ T from_int(i64 v) { return (T)v; }
	static __device__ T from_real(double v) { return (T)v; }
	static __device__ double to_real(T v) { return (double)v; }
	static const u64 iota_period = 0;
	static const bool real = false, wide = false;
	static const u64 denormals = 1;
	static __device__ double unit() { return 0.0; }
};
template <> struct element<bool> {
	static __device__ bool from_int(i64 v) { return (v & 1) != 0; }
	static __device__ bool from_real(double v) { return v > 0.0; }
	static __device__ double to_real(bool v) { return v ? 1.0 : 0.0; }
	static const u64 iota_period = 2;
	static const bool real = false, wide = false;
	static const u64 denormals = 1;
	static __device__ double unit() { return 0.0; }
};
template <> struct element<float> {
	static __device__ float from_int(i64 v) { return (float)v; }
	static __device__ float from_real(double v) { return (float)v; }
	static __device__ double to_real(float v) { return (double)v; }
	static const u64 iota_period = 1ull << 24;
	static const bool real = true, wide = false;
	static const u64 denormals = (1ull << 23) - 1;
	static __device__ double unit() { return 0x1p-149; }
};
template <> struct element<double> {
	static __device__ double from_int(i64 v) { return (double)v; }
	static __device__ double from_real(double v) { return v; }
	static __device__ double to_real(double v) { return v; }
	static const u64 iota_period = 1ull << 53;
	static const bool real = true, wide = true;
	static const u64 denormals = (1ull << 52) - 1;
	static __device__ double unit() { return 0x1p-1074; }
};
template <> struct element<__half> {
	static __device__ __half from_int(i64 v) { return __float2half_rn((float)v); }
	static __device__ __half from_real(double v) { return __float2half_rn((float)v); }
	static __device__ double to_real(__half v) { return (double)__half2float(v); }
	static const u64 iota_period = 2048;
	static const bool real = true, wide = false;
	static const u64 denormals = 1023;
	static __device__ double unit() { return 0x1p-24; }
};
template <> struct element<__nv_bfloat16> {
	static __device__ __nv_bfloat16 from_int(i64 v) { return __float2bfloat16_rn((float)v); }
	static __device__ __nv_bfloat16 from_real(double v) { return __float2bfloat16_rn((float)v); }
	static __device__ double to_real(__nv_bfloat16 v) { return (double)__bfloat162float(v); }
	static const u64 iota_period = 256;
	static const bool real = true, wide = false;
	static const u64 denormals = 127;
	static __device__ double unit() { return 0x1p-133; }
};

template <typename T> static __device__ T uniform(double a, double b, u64 h)
{
	typedef element<T> E;
	if (E::wide || !E::real)
		return E::from_real(a + (b - a) * ((double)(h >> 11) * 0x1p-53));
	return E::from_real((double)((float)a + (float)(b - a) * ((float)(h >> 40) * 0x1p-24f)));
}

/* The fills of checks: the low bits decide what kind of number it is, another number what it is. */
template <typename T> static __device__ T unusual(int kind, double a, double b, u64 h)
{
	typedef element<T> E;
	const u64 other = mix(h);
	const double sign = h & 1 ? -1.0 : 1.0, infinity = __longlong_as_double(0x7ff0000000000000ll);
	if (kind == CONSTANT)
		return E::from_real(a);
	if (kind == SPARSE)
		return h & 7 ? E::from_int(0) : uniform<T>(a, b, other);
	if (kind == LARGE)
		return E::from_real(sign * exp10(4.0 * ((double)(other >> 11) * 0x1p-53)));
	if (kind == DENORMAL)
		return E::from_real(sign * (double)(1 + other % E::denormals) * E::unit());
	if (h & 15)
		return uniform<T>(a, b, other);
	switch (h >> 4 & 3) {
	case 0:
		return E::from_real(infinity - infinity);
	case 1:
		return E::from_real(infinity);
	case 2:
		return E::from_real(-infinity);
	default:
		return E::from_real(-0.0);
	}
}

/* Where i goes in a permutation of 0 … n - 1, as in fill.c. */
static __device__ u64 permuted(u64 i, u64 n, u64 seed)
{
	unsigned half = 1;
	while (half < 31 && (1ull << (2 * half)) < n)
		half++;
	const u64 low = (1ull << half) - 1;
	do {
		u64 left = i >> half, right = i & low;
		for (u64 round = 0; round < 4; round++) {
			const u64 next = left ^ (mix(seed ^ (right << 2 | round)) & low);
			left = right;
			right = next;
		}
		i = left << half | right;
	} while (i >= n);
	return i;
}

/* Fills that promise an order, a range or a structure. No multiplication is fused with an addition: the host has none. */
template <typename T> static __device__ T arranged(u64 i, u64 count, int kind, double a, double b, u64 seed, u64 h)
{
	typedef element<T> E;
	const double u = (double)(h >> 11) * 0x1p-53, place = __dadd_rn((double)i, u) / (double)count;
	const u64 mean = (u64)a, numbers = (u64)((i64)b - (i64)a) + 1;
	if (kind == PERMUTATION)
		return E::from_int((i64)permuted(i, count, seed));
	if (kind == UNIQUE)
		return E::from_int((i64)a + (i64)permuted(i % numbers, numbers, seed));
	if (kind == SORTED && E::real)
		return E::from_real(__dadd_rn(a, __dmul_rn(b - a, place)));
	if (kind == SORTED)
		return E::from_int((i64)fmin(b, floor(__dadd_rn(a, __dmul_rn(b - a + 1, place)))));
	if (kind == OFFSETS)
		return E::from_int((i64)(i * mean + (i == 0 || i + 1 == count ? 0 : h % (mean + 1))));
	return E::from_int(u < a);
}

/* What a choice is between. */
struct choices {
	u64 count;
	double number[16];
};

template <typename T>
static __device__ T make(u64 i, u64 count, int kind, double a, double b, u64 seed, const choices &c)
{
	typedef element<T> E;
	const u64 h = mix(mix(seed) ^ i);
	if (kind == CHOICE)
		return E::from_real(c.number[h % c.count]);
	if (kind == ZEROS)
		return E::from_int(0);
	if (kind == IOTA)
		return E::from_int((i64)(E::iota_period ? i % E::iota_period : i));
	if (kind == RANGE) {
		/* Both bounds included; the bias of the remainder is far below any use. */
		const i64 low = (i64)a, high = (i64)b;
		return E::from_int(low + (i64)(h % (u64)(high - low + 1)));
	}
	if (kind >= PERMUTATION && kind <= MASK)
		return arranged<T>(i, count, kind, a, b, mix(seed), h);
	if (kind == NORMAL) {
		if (E::wide) {
			const double u = ((double)(h >> 11) + 0.5) * 0x1p-53, v = (double)(mix(h) >> 11) * 0x1p-53;
			return E::from_real(a + b * sqrt(-2.0 * log(u)) * cospi(2.0 * v));
		}
		const float u = ((float)(h >> 40) + 0.5f) * 0x1p-24f, v = (float)(h & 0xffffff) * 0x1p-24f;
		return E::from_real((double)((float)a + (float)b * sqrtf(-2.0f * logf(u)) * cospif(2.0f * v)));
	}
	return kind == UNIFORM ? uniform<T>(a, b, h) : unusual<T>(kind, a, b, h);
}

/*
 * Where the numbers of one part of a buffer's elements are, counted in numbers: `width` together in each element, `step`
 * from one element to the next. `numbers` of any type are in an element, this part's from `index` on.
 */
struct lanes {
	u64 first, step, width, index, numbers;
};

/* Most buffers hold numbers, or vectors without gaps: they need no division. */
static __device__ __forceinline__ u64 place_of(u64 i, const lanes &l)
{
	return l.step == l.width ? i : i / l.width * l.step + l.first + i % l.width;
}

static __device__ __forceinline__ u64 index_of(u64 i, const lanes &l)
{
	return l.numbers == l.width ? i : i / l.width * l.numbers + l.index + i % l.width;
}

template <typename T>
static __device__ void fill(T *data, u64 count, int kind, double a, double b, u64 seed, const lanes &l,
                            const choices &c)
{
	for (u64 i = first_index(); i < count; i += index_step())
		data[place_of(i, l)] = make<T>(i, count, kind, a, b, seed, c);
}

/* One row per element type: its code, its C++ type, the unsigned type of its size. */
#define EACH_ELEMENT(X) \
	X(BOOL, bool, unsigned char) X(I8, signed char, unsigned char) X(U8, unsigned char, unsigned char) \
	X(I16, short, unsigned short) X(U16, unsigned short, unsigned short) X(I32, int, unsigned) \
	X(U32, unsigned, unsigned) X(I64, long long, u64) X(U64, u64, u64) X(F16, __half, unsigned short) \
	X(BF16, __nv_bfloat16, unsigned short) X(F32, float, unsigned) X(F64, double, u64)

extern "C" __global__ void ktr_fill(void *data, u64 count, int type, int kind, double a, double b, u64 seed,
                                    const lanes l, const choices c)
{
	switch (type) {
#define FILL_CASE(code, T, BITS) \
	case code: \
		fill<T>((T *)data, count, kind, a, b, seed, l, c); \
		break;
		EACH_ELEMENT(FILL_CASE)
#undef FILL_CASE
	}
}

/* data has any alignment: buffers of checks begin after an aligned address. In every set alike: blockIdx.y is the set. */
extern "C" __global__ void ktr_poison(unsigned char *data, u64 bytes, u64 stride, u64 seed)
{
	data += blockIdx.y * stride;
	unsigned *words = (unsigned *)data;
	unsigned char *single = data;
	if ((u64)data % 4) {
		for (u64 i = first_index(); i < bytes; i += index_step())
			single[i] = (unsigned char)poison_bits<1>(i, seed);
		return;
	}
	for (u64 i = first_index(); i < bytes / 4; i += index_step())
		words[i] = poison_word(i, seed);
	if (first_index() == 0) {
		for (u64 i = bytes & ~3ull; i < bytes; i++)
			single[i] = (unsigned char)poison_bits<1>(i, seed);
	}
}

/* to, from: aligned; after the last byte, up to a whole word, there is memory of the same owner. */
extern "C" __global__ void ktr_mask(unsigned *to, const unsigned *from, u64 bytes, u64 seed)
{
	for (u64 i = first_index(); i < (bytes + 3) / 4; i += index_step())
		to[i] = from[i] ^ poison_word(i, seed);
}

struct zones {
	u64 count;
	struct {
		u64 offset, bytes;
	} zone[ZONES];
};

/*
 * Byte i of a zone: read as a number of any type it is large, 10^29 and beyond or 8192 and beyond in f16, and with odd
 * seeds it is NaN.
 */
static __device__ __forceinline__ unsigned char zone_byte(u64 i, u64 seed)
{
	const unsigned byte = (unsigned)poison_bits<1>(i, seed);
	return (unsigned char)(seed & 1 ? byte | (i % 4 == 3 ? 0x7f : 0xff) : (byte & 0x8b) | 0x70);
}

/* Zones of every set at once: blockIdx.x the zone, blockIdx.y the set, blockIdx.z which of the blocks that share it. */
extern "C" __global__ void ktr_zone_write(unsigned char *base, u64 stride, zones table, u64 seed, result *)
{
	unsigned char *p = base + blockIdx.y * stride + table.zone[blockIdx.x].offset;
	const u64 bytes = table.zone[blockIdx.x].bytes;
	for (u64 i = blockIdx.z * (u64)blockDim.x + threadIdx.x; i < bytes; i += (u64)gridDim.z * blockDim.x)
		p[i] = zone_byte(i, seed + 2 * blockIdx.x);
}

extern "C" __global__ void ktr_zone_check(const unsigned char *base, u64 stride, zones table, u64 seed, result *out)
{
	const unsigned char *p = base + blockIdx.y * stride + table.zone[blockIdx.x].offset;
	const u64 bytes = table.zone[blockIdx.x].bytes;
	u64 damaged = 0;
	for (u64 i = blockIdx.z * (u64)blockDim.x + threadIdx.x; i < bytes; i += (u64)gridDim.z * blockDim.x)
		damaged += p[i] != zone_byte(i, seed + 2 * blockIdx.x);
	if (damaged) {
		atomicAdd(&out->zones, damaged);
		atomicMax(&out->zone, ~(u64)blockIdx.x);
	}
}

struct tolerance {
	double absolute, relative;
	u64 want_seed, got_seed; /* poison patterns that were in the buffers before the runs */
	u64 mask;                /* what is wanted is masked with it; 0: it is not */
	int exact;               /* bit for bit */
};

/*
 * NaN agrees with NaN whatever its payload; infinities agree by sign. An
 * element that the original leaves unwritten still holds the poison of its
 * run; the candidate must then have left it alone as well.
 */
template <typename T, typename BITS> static __device__ unsigned distance_bin(BITS got, BITS want, double g, double w)
{
	u64 distance;
	if (element<T>::real) {
		/* Bits as a number that counts representable values in order. */
		const u64 sign = 1ull << (8 * sizeof(T) - 1);
		const i64 x = got & sign ? -(i64)(got & (sign - 1)) : (i64)got, y = want & sign ? -(i64)(want & (sign - 1)) : (i64)want;
		distance = x > y ? (u64)x - (u64)y : (u64)y - (u64)x;
	} else {
		distance = (u64)fmin(fabs(g - w), 0x1p63);
	}
	const unsigned bin = 64 - __clzll((i64)distance);
	return bin < 1 ? 1 : bin < ULP_BINS - 1 ? bin : ULP_BINS - 1;
}

template <typename T, typename BITS> static __device__ __forceinline__ T number(BITS bits)
{
	union both {
		BITS bits;
		T value;
		__device__ both() {}
	} it;
	it.bits = bits;
	return it.value;
}

template <typename T, typename BITS>
static __device__ void compare(const T *got, const T *want, u64 count, const tolerance t, const lanes &l, result *out)
{
	typedef element<T> E;
	__shared__ unsigned bins[ULP_BINS];
	__shared__ u64 all_seen;
	u64 wrong = 0, first = 0, odd = 0, place = 0, seen = 0;
	double worst = 0, ratio = 0;
	if (threadIdx.x < ULP_BINS)
		bins[threadIdx.x] = 0;
	if (threadIdx.x == 0)
		all_seen = 0;
	__syncthreads();
	for (u64 i = first_index(); i < count; i += index_step()) {
		const u64 at = place_of(i, l), index = index_of(i, l);
		const BITS gb = ((const BITS *)got)[at];
		BITS wb = ((const BITS *)want)[at];
		if (t.mask)
			wb ^= (BITS)poison_bits<sizeof(T)>(at, t.mask);
		seen++;
		if (gb == wb)
			continue;
		if (wb == (BITS)poison_bits<sizeof(T)>(at, t.want_seed) &&
		    gb == (BITS)poison_bits<sizeof(T)>(at, t.got_seed))
			continue;
		const double g = E::to_real(got[at]), w = E::to_real(number<T, BITS>(wb));
		bool good;
		if (isnan(g) && isnan(w)) {
			good = true;
		} else if (isnan(g) || isnan(w) || isinf(g) || isinf(w)) {
			good = g == w;
			odd += !good;
			if (!good)
				atomicAdd(&bins[ULP_BINS - 1], 1u);
		} else {
			const double difference = fabs(g - w), allowed = t.absolute + t.relative * fabs(w);
			good = difference <= allowed;
			worst = fmax(worst, difference);
			if (difference > 0)
				place = max(place, ((u64)__double_as_longlong(difference) >> 44 << 44) | (~index & 0xfffffffffffull));
			if (difference > 0 && allowed > 0)
				ratio = fmax(ratio, difference / allowed);
			atomicAdd(&bins[distance_bin<T, BITS>(gb, wb, g, w)], 1u);
		}
		if (t.exact || !good) {
			wrong++;
			first = max(first, ~index);
		}
	}
	if (worst > 0) {
		atomicMax(&out->worst, (u64)__double_as_longlong(worst));
		atomicMax(&out->place, place);
	}
	if (ratio > 0)
		atomicMax(&out->ratio, (u64)__double_as_longlong(ratio));
	if (odd)
		atomicAdd(&out->odd, odd);
	if (wrong) {
		atomicAdd(&out->wrong, wrong);
		atomicMax(&out->first, first);
	}
	atomicAdd(&all_seen, seen);
	__syncthreads();
	if (threadIdx.x == 0)
		atomicAdd(&out->seen, all_seen);
	if (threadIdx.x < ULP_BINS && bins[threadIdx.x])
		atomicAdd(&out->ulp[threadIdx.x], (u64)bins[threadIdx.x]);
}

extern "C" __global__ void ktr_compare(const void *got, const void *want, u64 count, int type, tolerance t,
                                       const lanes l, result *out)
{
	switch (type) {
#define COMPARE_CASE(code, T, BITS) \
	case code: \
		compare<T, BITS>((const T *)got, (const T *)want, count, t, l, out); \
		break;
		EACH_ELEMENT(COMPARE_CASE)
#undef COMPARE_CASE
	}
}

/*
 * Adds the digest of data (of any alignment) to out->digest, as often as there are sets: blockIdx.y is the set. salt
 * makes it different for different buffers.
 */
extern "C" __global__ void ktr_digest(const unsigned char *data, u64 bytes, u64 stride, u64 salt, result *out)
{
	data += blockIdx.y * stride;
	const ulonglong2 *vectors = (const ulonglong2 *)data;
	const unsigned char *single = data;
	const bool aligned = (u64)data % 16 == 0;
	u64 sum = 0;
	for (u64 i = first_index(); i < bytes / 16; i += index_step()) {
		ulonglong2 v = make_ulonglong2(0, 0);
		if (aligned) {
			v = vectors[i];
		} else {
			for (int k = 0; k < 8; k++) {
				v.x |= (u64)single[16 * i + k] << (8 * k);
				v.y |= (u64)single[16 * i + 8 + k] << (8 * k);
			}
		}
		sum += mix(mix(v.x ^ mix(salt ^ i)) + v.y);
	}
	if (first_index() == 0) {
		for (u64 i = bytes & ~15ull; i < bytes; i++)
			sum += mix(mix(salt ^ ~i) ^ single[i]);
	}
	for (int lane = 16; lane; lane /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, lane);
	if (threadIdx.x % 32 == 0)
		atomicAdd(&out->digest, sum);
}

/* Holds the stream until *flag (host memory) reaches the ticket, at most limit_ns. One thread. */
extern "C" __global__ void ktr_gate(const volatile unsigned *flag, unsigned ticket, u64 limit_ns)
{
	u64 start, now;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do {
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	} while (*flag != ticket && now - start < limit_ns);
}

/*
 * Makes some parts of the device much slower than others until state[2] is the ticket, limit_ns at most; where a block
 * of 512 threads is on every multiprocessor, state[1] becomes the ticket as soon as all of them are there, and state[0]
 * is zero again. On each multiprocessor one of four warp schedulers (a warp's is its number modulo 4) has no issue slot
 * free of arithmetic; on each third the other schedulers ask for bank conflicts besides, after which every access to
 * memory waits. Which ones depends on `number`. The blocks end at different times, so that what needs a multiprocessor
 * for itself does not begin on all of them at once either.
 */
extern "C" __global__ void __launch_bounds__(512)
    ktr_disturb(unsigned *words, unsigned ticket, unsigned number, u64 limit_ns)
{
	__shared__ volatile unsigned banks[32 * 32];
	volatile unsigned *const state = words;
	unsigned sm, told;
	float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
	u64 start, now;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	if (threadIdx.x == 0 && atomicInc(words, gridDim.x - 1) == gridDim.x - 1)
		state[1] = ticket;
	const bool arithmetic = threadIdx.x / 32 % 4 == (sm + number) % 4;
	limit_ns -= limit_ns / 4 * (sm / 3 % 3);
	if (!arithmetic && (sm + number) % 3)
		return;
	do {
		/* Asked for before the work and looked at after it: nothing waits for the answer. */
		told = state[2];
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
		if (arithmetic) {
#pragma unroll 8 /* what a scheduler's own instruction cache holds */
			for (int i = 0; i < 128; i++) {
				a = a * 0.5f + 1;
				b = b * 0.5f + 1;
				c = c * 0.5f + 1;
				d = d * 0.5f + 1;
			}
		} else {
#pragma unroll
			for (int i = 0; i < 8; i++)
				banks[32 * (threadIdx.x % 32)] = 0;
		}
	} while (told != ticket && now - start < limit_ns);
	/* Never: the arithmetic must happen. */
	if (a + b + c + d == -1)
		state[3] = told;
}

/* Reads everything, so that the caches hold nothing else and owe nothing to memory. */
extern "C" __global__ void ktr_sweep(const uint4 *data, u64 vectors, unsigned *sink)
{
	unsigned sum = 0;
	for (u64 i = first_index(); i < vectors; i += index_step()) {
		const uint4 v = data[i];
		sum ^= v.x ^ v.y ^ v.z ^ v.w;
	}
	if (sum == 0x5bd1e995u)
		*sink = sum;
}

static __device__ __forceinline__ uint4 mixed(uint4 a, uint4 b)
{
	return make_uint4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w);
}

template <bool STREAM>
static __device__ __forceinline__ uint4 take(const uint4 *from, u64 reads, u64 i)
{
	if (i >= reads)
		return make_uint4(0, 0, 0, 0);
	return STREAM ? __ldcs(from + i) : from[i];
}

/*
 * Moves a kernel's traffic and nothing else: reads `reads` and writes `writes` vectors of 16 bytes. Each element of the
 * shorter side goes with its share of the longer one, so that reads and writes mix throughout, as they do in a kernel;
 * no share is longer than four, so that a sum, which writes next to nothing, is read by as many threads as anything.
 */
template <int UNROLL, bool STREAM>
static __device__ __forceinline__ void move(uint4 *to, u64 writes, const uint4 *from, u64 reads)
{
	const u64 both = min(reads, writes), most = max(reads, writes);
	const u64 lanes = both > 0 ? max(both, (most + 3) / 4) : most;
	const u64 base = (u64)blockIdx.x * blockDim.x * UNROLL + threadIdx.x;
	uint4 v[UNROLL];
#pragma unroll
	for (int k = 0; k < UNROLL; k++) {
		const u64 i = base + (u64)k * blockDim.x;
		v[k] = make_uint4(1, 2, 3, 4);
		if (i >= lanes)
			continue;
		/* Three independent loads; the rest of a longer part follows in a loop. */
		v[k] = mixed(mixed(take<STREAM>(from, reads, i), take<STREAM>(from, reads, i + lanes)),
			     take<STREAM>(from, reads, i + 2 * lanes));
		for (u64 j = i + 3 * lanes; j < reads; j += lanes)
			v[k] = mixed(v[k], take<STREAM>(from, reads, j));
	}
#pragma unroll
	for (int k = 0; k < UNROLL; k++) {
		const u64 i = base + (u64)k * blockDim.x;
		if (i >= lanes)
			continue;
		for (u64 j = i; j < writes; j += lanes) {
			if (STREAM)
				__stcs(to + j, v[k]);
			else
				to[j] = v[k];
		}
		/* Where nothing is written the reads must still happen: their value decides about a write that never comes. */
		if (writes == 0 && (v[k].x ^ v[k].y ^ v[k].z ^ v[k].w) == 0x5bd1e995u && v[k].x == 77u)
			to[0] = v[k];
	}
}

/* What every launch takes, whatever it launches. */
extern "C" __global__ void ktr_nothing()
{
}

extern "C" __global__ void ktr_copy_1(uint4 *to, u64 writes, const uint4 *from, u64 reads)
{
	move<1, false>(to, writes, from, reads);
}

extern "C" __global__ void ktr_copy_2(uint4 *to, u64 writes, const uint4 *from, u64 reads)
{
	move<2, false>(to, writes, from, reads);
}

extern "C" __global__ void ktr_copy_2_stream(uint4 *to, u64 writes, const uint4 *from, u64 reads)
{
	move<2, true>(to, writes, from, reads);
}

extern "C" __global__ void ktr_copy_4_stream(uint4 *to, u64 writes, const uint4 *from, u64 reads)
{
	move<4, true>(to, writes, from, reads);
}
