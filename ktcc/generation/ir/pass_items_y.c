/* Thread coarsening along y, on the terms of pass_items.c. */
#include "generation/ir/items.h"

enum { DIMENSION = 1 };

static bool applies(struct kt_ir_offer *offer)
{
	return kt_ir_offer_items(offer, DIMENSION);
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	return kt_ir_jam_items(variant, DIMENSION, err);
}

const struct kt_ir_pass kt_ir_pass_items_y = {"items_y", applies, transform};
