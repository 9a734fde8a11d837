/*
 * T4 files: what each configuration of a space came to, in the JSON format that
 * Kernel Tuner, KTT and others share; plain, or compressed by gzip or Zstandard.
 */
#ifndef KT_TUNING_T4_H
#define KT_TUNING_T4_H

#include "tuning/search.h"
#include "tuning/t1.h"

#define KT_T4_BYTES ((size_t)1 << 30) /* largest file that is read, uncompressed */

/* The results of one space, by the index of the configuration. */
struct kt_recording {
	size_t count;    /* configurations of the space */
	double *ms;      /* INFINITY where there is no time */
	uint8_t *verdict; /* enum kt_tell; KT_TELL_RUNTIME where the file has none */
	size_t valid;    /* with a time */
	size_t missing;  /* configurations of the space that the file does not have */
	size_t outside;  /* results of configurations that are not in the space */
	double best_ms, worst_ms; /* of the valid ones */
};

/*
 * Reads the results that belong to a space. A time is the measurement that the result
 * names first among its objectives, else the one called "time", else the first; its unit
 * (ns, us, ms, s) when it has one, else milliseconds. Not valid: any "invalidity" but
 * "correct", or a value that is no number. Of two results for a configuration the
 * first holds. KT_ERR_SYNTAX for text that is no T4 file, KT_ERR_INVALID when no configuration
 * of the space has a time. Lives in arena.
 */
kt_status kt_t4_read(struct kt_recording **out, struct kt_arena *arena, const char *path, const struct kt_t1 *t1,
                     const struct kt_space *space, struct kt_error *err) KT_MUST_CHECK;

/* Reads a file and uncompresses it, by the format that its first bytes show. */
kt_status kt_t4_load(struct kt_buf *out, const char *path, struct kt_error *err) KT_MUST_CHECK;

#endif
