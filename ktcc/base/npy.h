/*
 * NumPy files (.npy, formats 1.0 to 3.0) of numbers in C order. A file is the user's, and may be damaged or made by
 * somebody else: every length is checked before it is used, and nothing of it is executed (an array of objects, which
 * holds a program, is refused).
 */
#ifndef KT_BASE_NPY_H
#define KT_BASE_NPY_H

#include "base/buf.h"
#include "base/element.h"

#define KT_NPY_HEADER_BYTES ((size_t)64 << 10) /* most bytes before the numbers */
#define KT_NPY_FILE_BYTES ((size_t)1 << 30)    /* most bytes of a file */
#define KT_NPY_DIMENSIONS 32

struct kt_npy {
	enum kt_scalar scalar;
	int64_t count;   /* of all numbers, in all dimensions */
	size_t offset;   /* bytes before the first one */
};

/*
 * The header at the begin of a file that has `file_bytes` bytes; `size` of them are at `data`, KT_NPY_HEADER_BYTES or all.
 * KT_ERR_INVALID: what is wrong, without the file's name; the numbers are all there otherwise, and nothing after them.
 */
kt_status kt_npy_header(struct kt_npy *out, const void *data, size_t size, uint64_t file_bytes, struct kt_error *err)
    KT_MUST_CHECK;
/* The same of a file. KT_ERR_IO: it cannot be read, KT_ERR_LIMIT: it is too large. */
kt_status kt_npy_file(struct kt_npy *out, const char *path, struct kt_error *err) KT_MUST_CHECK;
/* As numpy names the type: "float32"; bfloat16 is that of ml_dtypes. */
const char *kt_npy_type(enum kt_scalar scalar);

#endif
