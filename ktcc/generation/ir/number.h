/* Bits of numbers: integers cut and extended, floats rounded to their format. */
#ifndef KT_IR_NUMBER_H
#define KT_IR_NUMBER_H

#include "generation/ir/ir.h"

/* 128 bits hold every integer type. */
__extension__ typedef __int128 kt_ir_wide;
__extension__ typedef unsigned __int128 kt_ir_uwide;

/* The value cut to the type's width and extended by its signedness; a bool is 0 or 1. */
kt_ir_wide kt_ir_cut(const struct kt_ir_type *type, kt_ir_wide value);
/* The integer that a constant's bits are. */
kt_ir_wide kt_ir_wide_of(const struct kt_ir_type *type, const uint64_t bits[2]);
/* The bits of an integer of that type: cut, the rest zero. */
void kt_ir_wide_bits(const struct kt_ir_type *type, kt_ir_wide value, uint64_t bits[2]);
/* The format's bits of the value, rounded to nearest even; a NaN is the canonical one. */
uint64_t kt_ir_round(enum kt_ir_format format, double value);
/* The exact value of these bits. */
double kt_ir_unround(enum kt_ir_format format, uint64_t bits);

#endif
