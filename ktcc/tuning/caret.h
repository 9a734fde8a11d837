/* Diagnostics of expressions, in the form compilers use. */
#ifndef KT_TUNING_CARET_H
#define KT_TUNING_CARET_H

#include "base/error.h"

/*
 * Appends the line of `text` that holds byte `offset` to the message that err already holds, and
 * a caret below the byte; long lines are shortened around it. Returns err->code.
 */
kt_status kt_fail_caret(struct kt_error *err, const char *text, unsigned offset);

#endif
