/* Work items of a thread along any dimension: what the passes items, items_y and items_z share. */
#ifndef KT_IR_ITEMS_H
#define KT_IR_ITEMS_H

#include "generation/ir/pass.h"

/* `applies` and `transform` (pass.h) for the items of this dimension (0 to 2), whose parameter is ITEMS, ITEMS_Y or ITEMS_Z. */
bool kt_ir_offer_items(struct kt_ir_offer *offer, unsigned dimension);
kt_status kt_ir_jam_items(struct kt_ir_variant *variant, unsigned dimension, struct kt_error *err);

#endif
