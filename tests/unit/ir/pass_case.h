/* What tests of passes share: an offer for a kernel of IR text, a variant of it, and both run by the interpreter. */
#ifndef KT_TEST_PASS_CASE_H
#define KT_TEST_PASS_CASE_H

#include "interp.h"
#include "generation/ir/pass.h"
#include "ir_case.h"

/* The pass alone, asked about the module; the test fails where the offer does. */
struct kt_ir_offer *pass_offer(struct kt_arena *arena, const char *text, const char *pass, const struct kt_ir_facts *facts);
/* Fails unless the pass refuses the kernel with this text and line. */
void pass_refuses(const char *text, const char *pass, const struct kt_ir_facts *facts, uint32_t line, const char *why);
/* The variant with one value for each tunable, which is verified. */
struct kt_ir_module *pass_variant(struct kt_arena *arena, const struct kt_ir_offer *offer, const int64_t *values);
/*
 * Runs the offered module and the variant with several orders of threads, on a kernel (%y: ptr<global, f32>, %x:
 * ptr<global, f32> or const, %n: i32) with blocks of `block` threads: no fault in either, and all bytes of y alike.
 */
void pass_same(const struct kt_ir_offer *offer, const struct kt_ir_module *variant, uint32_t grid, uint32_t block, int n);

#endif
