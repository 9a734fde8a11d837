/*
 * The expression language of pragma clauses (docs/pragma.md): C integer
 * expressions over named variables, in 64-bit two's complement.
 *
 *   + - * / % << >> & | ^ ~ ! && || ?: < <= > >= == !=
 *   min(a, b, …) max(a, b, …) ceil_div(a, b) is_pow2(a)
 *   aligned(p, bytes) disjoint(p, n, q, m)          (pointers; run time only)
 *
 * Names are identifiers with dots ("device.warp_size"). Expressions live in an
 * arena and never change.
 */
#ifndef KT_BASE_EXPR_H
#define KT_BASE_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

struct kt_expr;

#define KT_EXPR_DEPTH 200 /* deepest nesting that is accepted */

/* Parses all of text[0, length). A syntax error sets err->offset. */
kt_status kt_expr_parse(struct kt_expr **out, struct kt_arena *arena, const char *text, size_t length,
                        struct kt_error *err) KT_MUST_CHECK;

/*
 * Is the name a word of the language: of a function, "true", "false" or "device"? A variable of such a name is written
 * arg(NAME), and the canonical spelling has it.
 */
bool kt_expr_is_word(const char *name, size_t length);
/* A letter, a digit or an underscore. */
bool kt_is_name_part(char c);

/* Looks a name up: true and *value, or false when there is none. */
typedef bool (*kt_expr_lookup)(int64_t *value, const char *name, void *context);

/*
 * Evaluates. KT_ERR_MISSING for an unknown name, KT_ERR_INVALID for a division
 * by zero, an overflow or a shift out of range; err->offset points at the
 * operator or name. `aligned` and `disjoint` evaluate to 1: the tuner
 * allocates aligned, disjoint buffers.
 */
kt_status kt_expr_eval(int64_t *out, const struct kt_expr *expr, kt_expr_lookup lookup, void *context,
                       struct kt_error *err) KT_MUST_CHECK;

/* Where a pointer points, and the bytes of one element there (1 for void); false: no such pointer. */
typedef bool (*kt_expr_point)(uint64_t *address, int64_t *element_bytes, const char *name, void *context);
/*
 * As kt_expr_eval, with `aligned` and `disjoint` as a launch with these pointers would have them: the same answers as
 * the functions of <ktune/ktune.h> that kt_expr_print calls. `context` is passed to both callbacks.
 */
kt_status kt_expr_eval_at(int64_t *out, const struct kt_expr *expr, kt_expr_lookup lookup, kt_expr_point point,
                          void *context, struct kt_error *err) KT_MUST_CHECK;

/* Calls visit once per occurrence of a name; `pointer`: the name is a pointer argument of aligned or disjoint.
 * Stops on false. */
typedef bool (*kt_expr_visit)(const char *name, unsigned offset, bool pointer, void *context);
bool kt_expr_names(const struct kt_expr *expr, kt_expr_visit visit, void *context);
/* Does it name nothing? Then it has one value, or none. */
bool kt_expr_is_constant(const struct kt_expr *expr);
bool kt_expr_uses(const struct kt_expr *expr, const char *name);
/*
 * Calls visit with each number that something is divided by (/ % ceil_div), alone or as a factor: 64 in n / (64 * V).
 */
void kt_expr_divisors(const struct kt_expr *expr, void (*visit)(int64_t number, void *context), void *context);

/*
 * The expression with the names that `lookup` knows replaced by numbers, and what is constant then worked out: the same
 * value for all values of the other names, and without one for the same. In arena, parts of `expr` in it; NULL: out of memory.
 */
const struct kt_expr *kt_expr_fold(struct kt_arena *arena, const struct kt_expr *expr, kt_expr_lookup lookup,
                                   void *context);
/*
 * "!condition || expr". Offsets in `condition`, which are moved by `shift`, then count from where those of `expr` do. In arena,
 * both are parts of it; NULL: out of memory, or nested too deep.
 */
struct kt_expr *kt_expr_unless(struct kt_arena *arena, struct kt_expr *condition, unsigned shift, struct kt_expr *expr);
/* True and *out where the expression is one number. */
bool kt_expr_number(int64_t *out, const struct kt_expr *expr);
/* The name that the expression is and nothing else; NULL: it is none. */
const char *kt_expr_name(const struct kt_expr *expr);

/*
 * Appends the expression as C++ over `long long`, fully parenthesised, calling
 * ::ktune::div_(FAULT, …), ::ktune::rem_, ::ktune::min_, … of <ktune/ktune.h> where C++ alone
 * would be undefined; FAULT is `fault`, the text of a bool that they set where the value does not exist. `rename` maps
 * a name to C++ text (NULL result: unknown, which fails with KT_ERR_MISSING); pointer names are mapped as well.
 */
typedef const char *(*kt_expr_rename)(const char *name, bool pointer, void *context);
kt_status kt_expr_print(struct kt_buf *out, const struct kt_expr *expr, const char *fault, kt_expr_rename rename,
                        void *context, struct kt_error *err) KT_MUST_CHECK;

/*
 * The same as C99: ktunex_div(FAULT, …) in place of ktune::div_(…), where
 * FAULT is `fault`, the text of an int * that a helper sets where the value does not
 * exist. Pointers have no address in C: kt_expr_print_c99 fails with
 * KT_ERR_MISSING where `rename` gives NULL for one.
 */
kt_status kt_expr_print_c99(struct kt_buf *out, const struct kt_expr *expr, const char *fault, kt_expr_rename rename,
                            void *context, struct kt_error *err) KT_MUST_CHECK;

/* Appends the canonical spelling (single blanks, minimal parentheses): equal trees print equal text. */
void kt_expr_canonical(struct kt_buf *out, const struct kt_expr *expr);

#endif
