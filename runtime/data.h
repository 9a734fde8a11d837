/*
 * Data of the verification on the host, for backends whose device code cannot
 * be kernels.cu: the same counter-based functions, so fills, poison, canaries
 * and digests are made again, or recognised, without being stored.
 * Buffers need no alignment.
 */
#ifndef KT_RUNTIME_DATA_H
#define KT_RUNTIME_DATA_H

#include "backend.h"

/* Poison of the first and of the second run of everything, and the canaries. */
#define KT_DATA_POISON_FIRST 0x1c3a5e7f9b2d4f68u
#define KT_DATA_POISON_SECOND 0x7d41b09e63a85c17u
#define KT_DATA_CANARY_SEED 0x4b1d0c7e25f3a986u

/* ---- fill.c */
/* fill->count elements of a type other than KT_SCALAR_NONE. */
void kt_data_fill(void *out, enum kt_scalar element, const struct kt_run_data *fill);
void kt_data_poison(void *out, size_t bytes, uint64_t seed);
/* The poison as it stands in element i of `bytes` (1, 2, 4 or 8) bytes. */
uint64_t kt_data_poison_bits(uint64_t i, unsigned bytes, uint64_t seed);
/* How many bytes are not the poison of this seed. */
size_t kt_data_damage(const void *data, size_t bytes, uint64_t seed);
/* A 64-bit digest; salt tells buffers apart. */
uint64_t kt_data_digest(const void *data, size_t bytes, uint64_t salt);

/* ---- compare.c */
struct kt_data_tolerance {
	double absolute, relative;
	uint64_t want_seed, got_seed; /* poison that stood in the buffers before the runs */
	bool exact;                   /* bit for bit */
};

struct kt_data_result {
	uint64_t wrong;  /* elements outside the tolerance */
	uint64_t first;  /* index of the first one */
	double worst;    /* largest absolute error among finite elements */
};

/*
 * NaN agrees with NaN whatever its payload; infinities agree by sign. An
 * element that the original leaves unwritten still holds the poison of its
 * run; the candidate must then have left it alone as well.
 */
void kt_data_compare(struct kt_data_result *out, const void *got, const void *want, size_t count,
                     enum kt_scalar element, const struct kt_data_tolerance *tolerance);

#endif
