/*
 * Two offers as one template: that of the kernel, and that of the kernel without shared memory (pass_unstage.c). A parameter
 * tells which of the two a configuration is of; the parameters that the other one has alone keep their originals.
 */
#ifndef KT_IR_PASS_JOIN_H
#define KT_IR_PASS_JOIN_H

#include "generation/ir/pass.h"

/* The parameter: 1: of the other offer. */
#define KT_IR_UNSTAGE "UNSTAGE"

/* Adds to the offer what its other one has. Where that is more than an offer holds, there is no other one. */
void kt_ir_offer_join(struct kt_ir_offer *offer);
/* Bytes of dynamic shared memory of a launch, where the kernel takes these: the other one takes none. NULL: out of memory. */
const char *kt_ir_offer_shared_bytes(struct kt_arena *arena, const struct kt_ir_offer *offer, const char *bytes);
/* Is the configuration one of the other offer? Then these are its values. */
bool kt_ir_offer_other(int64_t *other_values, const struct kt_ir_offer *offer, const int64_t *values);

#endif
