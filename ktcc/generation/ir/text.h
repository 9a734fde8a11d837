/*
 * The text form of the IR (docs/ir.md): for tests, for people, and for logs. Only tests read it: tests/unit/ir/text_parse.h.
 */
#ifndef KT_IR_TEXT_H
#define KT_IR_TEXT_H

#include "base/buf.h"
#include "generation/ir/ir.h"

/* Appends the module's text; the buffer's own `failed` tells whether all of it fitted. */
void kt_ir_print(struct kt_buf *out, const struct kt_ir_module *module);
/* A type, for messages. */
void kt_ir_print_type(struct kt_buf *out, const struct kt_ir_type *type);

/* Words of the text form, by the enumerations of ir.h. */
extern const char *const kt_ir_space_texts[], *const kt_ir_axis_texts[KT_IR_AXES], *const kt_ir_mode_texts[KT_IR_MODES],
    *const kt_ir_cache_texts[KT_IR_CACHES], *const kt_ir_scope_texts[KT_IR_SCOPES],
    *const kt_ir_order_texts[KT_IR_ORDERS], *const kt_ir_atomic_texts[KT_IR_ATOMICS],
    *const kt_ir_collective_texts[KT_IR_COLLECTIVES], *const kt_ir_format_texts[], *const kt_ir_effect_texts[];
enum { KT_IR_SPACES = KT_IR_SPACE_LOCAL + 1, KT_IR_FORMATS = KT_IR_F64 + 1, KT_IR_EFFECT_BITS = 7 };

#endif
