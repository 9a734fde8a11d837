/* For the files of entries only: the members of an entry that have functions of their own. */
#ifndef KT_STORE_ENTRY_RECORD_H
#define KT_STORE_ENTRY_RECORD_H

#include <stddef.h>

#include "base/shape.h"
#include "store/internal.h"

#define KT_SPECIALS_MOST 64

/* entry_figures.c: "problems". */
extern const struct kt_shape_own kt_entry_problems;
/* entry_unlisted.c: "unlisted". */
extern const struct kt_shape_own kt_entry_unlisted;
/* entry_aligned.c: "aligned", of an entry with its specialised variants */
extern const struct kt_shape_own kt_entry_aligned;
/* entry_energy.c: "energy", of an entry with an objective */
extern const struct kt_shape_own kt_entry_energy;

#endif
