/* What the passes of the IR know of the launches of a region (specialise.c). */
#ifndef KT_CLANG_SPECIALISE_FACTS_H
#define KT_CLANG_SPECIALISE_FACTS_H

#include "generation/ir/pass.h"
#include "unit.h"

/* Of an instance; an extent of the block that is an expression has the number that it is on all problems. NULL: out of memory. */
struct kt_ir_facts *kt_specialise_facts(struct kt_scan *scan, size_t region, size_t instance);
/* Launches whose block is another one than on all problems run the original. */
void kt_specialise_guard_block(struct kt_ir_offer *offer, const struct kt_region *region);

#endif
