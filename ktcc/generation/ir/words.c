/* Words of the text form. */
#include "generation/ir/text.h"

const char *const kt_ir_space_texts[] = {"generic", "global", "shared", "constant", "local"};
const char *const kt_ir_axis_texts[KT_IR_AXES] = {"thread", "block", "blockdim", "griddim", "lane", "warpsize"};
const char *const kt_ir_mode_texts[KT_IR_MODES] = {"", "bits", "rn", "rz", "ru", "rd"};
const char *const kt_ir_cache_texts[KT_IR_CACHES] = {"", "ca", "cg", "cs", "lu", "cv", "nc", "wb", "wt"};
const char *const kt_ir_scope_texts[KT_IR_SCOPES] = {"warp", "block", "cluster", "grid", "system"};
const char *const kt_ir_order_texts[KT_IR_ORDERS] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
const char *const kt_ir_atomic_texts[KT_IR_ATOMICS] = {"add", "sub", "exchange", "min", "max", "increment",
						       "decrement", "cas", "and", "or", "xor"};
const char *const kt_ir_collective_texts[KT_IR_COLLECTIVES] = {
    "shuffle",   "shuffle_up", "shuffle_down", "shuffle_xor", "vote_all",   "vote_any",  "ballot",     "match_any",
    "reduce_add", "reduce_min", "reduce_max",   "reduce_and",  "reduce_or", "reduce_xor", "active_mask",
    "total_add", "total_min",  "total_max",     "total_and",   "total_or",   "total_xor",
};
const char *const kt_ir_format_texts[] = {"f16", "bf16", "f32", "f64"};
const char *const kt_ir_effect_texts[] = {"reads", "writes", "synchronises", "volatile", "thread", "diverts", "prints"};
