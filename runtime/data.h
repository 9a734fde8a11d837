/*
 * Data of the verification on the host, for backends whose device code cannot
 * be kernels.cu: the same counter-based functions, so fills, poison, zones
 * and digests are made again, or recognised, without being stored.
 * Buffers need no alignment.
 */
#ifndef KT_RUNTIME_DATA_H
#define KT_RUNTIME_DATA_H

#include "backend.h"

/* Results: one per buffer, one for zones, and one for each further part of the elements of buffers. */
#define KT_SLOTS (KT_RUN_BUFFERS + 1 + KT_RUN_PARTS)

/*
 * What looking at one buffer found; struct result of kernels.cu. Members that
 * several threads raise are kept so that zero means nothing.
 */
struct kt_result {
	uint64_t wrong;  /* elements outside the tolerance */
	uint64_t first;  /* ~index of the first one */
	uint64_t worst;  /* bits of the largest absolute error among finite elements, a double */
	uint64_t place;  /* the upper 20 bits of that double, then 44 bits of ~index */
	uint64_t ratio;  /* bits of the largest error over its tolerance, a double, where that is above 0 */
	uint64_t odd;    /* elements that are NaN or infinite on one side only, or infinities of different sign */
	uint64_t zones;  /* bytes of zones that were overwritten */
	uint64_t zone;   /* ~number of the first damaged zone */
	uint64_t digest; /* order-independent sum over position-dependent hashes */
	uint64_t seen;   /* elements that were compared: a comparison that did not take place finds nothing wrong */
	uint64_t ulp[KT_ULP_BINS]; /* elements that differ, by the distance's power of two; [0] is never counted */
};

/*
 * Where the numbers of one part of a buffer's elements are (base/element.h); struct lanes of kernels.cu. Counted in
 * numbers of its type: number k is at (k / width) × step + first + k % width from the buffer's begin, and goes by the index
 * (k / width) × numbers + index + k % width in results.
 */
struct kt_lanes {
	uint64_t first, step, width, index, numbers;
	enum kt_scalar scalar;
};

/* struct tolerance of kernels.cu. */
struct kt_data_tolerance {
	double absolute, relative;
	uint64_t want_seed, got_seed; /* poison that was in the buffers before the runs */
	uint64_t mask;                /* what is wanted is masked with it (kt_data_mask); 0: it is not */
	int exact;                    /* bit for bit */
};

/* ---- fill.c */
/* A part of such elements, padding (after the parts) included. */
struct kt_lanes kt_data_lanes(const struct kt_element *element, size_t part);
/* Do the numbers follow each other, from the buffer's begin on? */
static inline bool kt_data_is_dense(const struct kt_lanes *lanes)
{
	return lanes->step == lanes->width;
}
/* fill->count numbers. */
void kt_data_fill(void *out, const struct kt_lanes *lanes, const struct kt_run_data *fill);
void kt_data_poison(void *out, size_t bytes, uint64_t seed);
/* A number as an element: rounded to the nearest, beyond an integer type's range its end, NaN as an integer 0. */
uint64_t kt_data_bits(enum kt_scalar element, double real);
/* The poison that element i of `bytes` (1, 2, 4 or 8) bytes holds. */
uint64_t kt_data_poison_bits(uint64_t i, unsigned bytes, uint64_t seed);
/*
 * A zone: bytes before and after a buffer. Read as a number of any type it is
 * absurd: large where the seed is even, NaN where it is odd.
 */
void kt_data_zone(void *out, size_t bytes, uint64_t seed);
/* How many bytes are not the zone of this seed. */
size_t kt_data_damage(const void *data, size_t bytes, uint64_t seed);
/*
 * from (of other memory than to), each word with the poison's word added without carry: memory in which the right
 * answer lies masked holds nothing that looks like it. The same again gives it back.
 */
void kt_data_mask(void *to, const void *from, size_t bytes, uint64_t seed);
/* A 64-bit digest; salt makes it different for different buffers. */
uint64_t kt_data_digest(const void *data, size_t bytes, uint64_t salt);
/* A well-mixed number, for seeds. */
uint64_t kt_data_mix(uint64_t x);

/* ---- compare.c */
/* An element's value; a 64-bit integer beyond 53 bits is rounded. */
double kt_data_real(enum kt_scalar element, uint64_t bits);
/*
 * The largest magnitude of `count` numbers that are finite and not this poison; 0 without any. Of many millions a few are looked
 * at, evenly spread.
 */
double kt_data_largest(const void *data, size_t count, const struct kt_lanes *lanes, uint64_t poison_seed);
/*
 * NaN agrees with NaN whatever its payload; infinities agree by sign. An
 * element that the original leaves unwritten still holds the poison of its
 * run; the candidate must then have left it alone as well.
 */
void kt_data_compare(struct kt_result *out, const void *got, const void *want, size_t count,
                     const struct kt_lanes *lanes, const struct kt_data_tolerance *tolerance);

#endif
