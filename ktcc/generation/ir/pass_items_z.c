/* Thread coarsening along z, on the terms of pass_items.c. */
#include "generation/ir/items.h"

enum { DIMENSION = 2 };

static bool applies(struct kt_ir_offer *offer)
{
	return kt_ir_offer_items(offer, DIMENSION);
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	return kt_ir_jam_items(variant, DIMENSION, err);
}

const struct kt_ir_pass kt_ir_pass_items_z = {"items_z", applies, transform};
