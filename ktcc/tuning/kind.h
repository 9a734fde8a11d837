/*
 * Kinds of parameters: what a parameter decides, whatever its name. Knowledge of one space is used in another one by
 * kind, so that it survives another generator and other names (tuning/prior.h).
 */
#ifndef KT_TUNING_KIND_H
#define KT_TUNING_KIND_H

#include "base/template.h"

/* X(identifier, name); names are in the store (docs/store.md) */
#define KT_KINDS(X) \
	X(OTHER, "other") \
	X(BLOCK_X, "block-x") X(BLOCK_Y, "block-y") X(BLOCK_Z, "block-z") \
	X(ITEMS_X, "items-x") X(ITEMS_Y, "items-y") X(ITEMS_Z, "items-z") \
	X(TILE_X, "tile-x") X(TILE_Y, "tile-y") X(TILE_K, "tile-k") \
	X(VECTOR, "vector") X(UNROLL, "unroll") X(GRID, "grid") X(TEAM, "team") X(RESIDENT, "resident") \
	X(SHARED, "shared") X(PADDING, "padding") X(READ_ONLY, "read-only") X(SPREAD, "spread") X(FAST, "fast-math")

enum kt_kind {
#define KT_KIND_ID(id, name) KT_KIND_##id,
	KT_KINDS(KT_KIND_ID)
#undef KT_KIND_ID
	KT_KIND_COUNT
};

const char *kt_kind_name(enum kt_kind kind);
/* KT_KIND_OTHER for a name that is not known. */
enum kt_kind kt_kind_from_name(const char *name);
/* By the parameter's name alone, in any case of letters; KT_KIND_OTHER where it tells nothing. */
enum kt_kind kt_kind_guess(const char *parameter);
/* By what the template does with it: a dimension of the block that is this parameter alone; else by its name. */
enum kt_kind kt_kind_of(const struct kt_template *template_, size_t parameter);

#endif
