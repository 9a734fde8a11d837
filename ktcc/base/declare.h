/* Declarations from a type's text, as libclang or the user spells it, and a name. */
#ifndef KT_BASE_DECLARE_H
#define KT_BASE_DECLARE_H

#include "base/buf.h"

/* Where in the text the name belongs: in the middle of arrays and of pointers to arrays or functions, else at its end. */
const char *kt_declare_at(const char *type);
/*
 * "float *" and "__restrict__ x" are "float *__restrict__ x", "int" and "n" are "int n", "float (*)[24]" and "x" are
 * "float (*x)[24]". NULL is no name.
 */
void kt_declare(struct kt_buf *out, const char *type, const char *declarator);

#endif
