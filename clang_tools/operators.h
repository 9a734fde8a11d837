/* Which operator an expression has: the same answer with every version of libclang. */
#ifndef KT_CLANG_OPERATORS_H
#define KT_CLANG_OPERATORS_H

#include <stdbool.h>

#include "libclang.h"

/*
 * The operator of a built-in expression as C++ spells it, also where a macro contains it: "+", "&&", "=", "+=", ",",
 * "__extension__". "++" and "--" for both positions. Never NULL, a constant; "" where the cursor is none of
 * CXCursor_UnaryOperator, CXCursor_BinaryOperator and CXCursor_CompoundAssignOperator, or the operator is not known.
 */
const char *kt_operator(CXCursor expression);
/* Is it `x++` or `x--`, which give the value before? */
bool kt_operator_is_postfix(CXCursor expression);

#endif
