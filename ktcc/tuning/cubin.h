/*
 * Names of the functions in a cubin (ELF64, little endian): its sections
 * ".text.NAME", with the data about each in the tables beside them (".nv.info",
 * ".nv.shared.NAME"). The file is compiler output, yet every offset is checked.
 */
#ifndef KT_TUNING_CUBIN_H
#define KT_TUNING_CUBIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/image.h"

struct kt_cubin_entry {
	const char *name;
	bool kernel; /* has a parameter bank; else a device function */
	/* What a launch of it takes, −1 where the file does not have it: registers and bytes of local memory a thread. */
	int64_t registers, local_bytes;
	int64_t code_bytes;
	int64_t shared_bytes; /* static, without what the system reserves; 0 where it has none */
};

struct kt_cubin {
	size_t count;
	struct kt_cubin_entry *functions; /* in the order of the file; a damaged one may name a function twice */
};

/* Allocated in arena; data may be freed afterwards. KT_ERR_CORRUPT when it is no such file or a field does not fit. */
kt_status kt_cubin_parse(struct kt_cubin *out, struct kt_arena *arena, const void *data, size_t size,
                         struct kt_error *err) KT_MUST_CHECK;
kt_status kt_cubin_read(struct kt_cubin *out, struct kt_arena *arena, const char *path, struct kt_error *err)
    KT_MUST_CHECK;
/* The function of exactly that name; NULL when there is none. */
const struct kt_cubin_entry *kt_cubin_find(const struct kt_cubin *cubin, const char *name);
/*
 * The function whose name contains part, NULL when none does. Of several:
 * kernels first, then those where part is no tail of a longer mangled name
 * ("4silu" in "14silu…"), then where it appears earliest, then the shortest.
 */
const char *kt_cubin_pick(const struct kt_cubin *cubin, const char *part);

#endif
