/*
 * Is the code of two cubins the same? Hashes of machine code, without what
 * differs from compilation to compilation: names, file names, line tables,
 * notes about the tools.
 */
#ifndef KT_TUNING_CODE_H
#define KT_TUNING_CODE_H

#include "base/buf.h"
#include "base/hash.h"

/*
 * Of the machine code alone: the instructions of `functions` (a blank between two; NULL: all, device functions as well)
 * in the order of the file, whatever they are called. Two compilers agree when this is the same.
 */
kt_status kt_code_hash(char out[KT_HASH_TEXT], const char *path, const char *functions,
		       struct kt_error *err) KT_MUST_CHECK;
/* How two compilations of one kernel differ. */
enum kt_likeness {
	KT_CODE_EQUAL, /* the same instructions */
	KT_CODE_ALIKE, /* what a launch takes and the size of the code are nearly the same: times will be, too */
	KT_CODE_OTHER
};
/* Compares these functions (blanks between them, as many in both) of two cubins. */
kt_status kt_code_compare(enum kt_likeness *out, const char *path, const char *functions, const char *other_path,
			  const char *other_functions, struct kt_error *err) KT_MUST_CHECK;
/*
 * Of all that a launch depends on: instructions, relocations, constants, initialised data, shared memory, registers and
 * the other attributes of the functions. `name`, where it occurs in names of sections, is left out of them; modules
 * that differ in the name of their kernel alone have the same hash.
 */
kt_status kt_module_hash(char out[KT_HASH_TEXT], const char *path, const char *name,
			 struct kt_error *err) KT_MUST_CHECK;

#endif
