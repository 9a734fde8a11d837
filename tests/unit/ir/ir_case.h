/* What tests of the IR share: a module from text, and its text again. */
#ifndef KT_TEST_IR_CASE_H
#define KT_TEST_IR_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include "text_parse.h"


/* The module; the test fails where the text is refused. */
struct kt_ir_module *ir_read(struct kt_arena *arena, const char *text);
/* Its text, for free(). */
char *ir_text(const struct kt_ir_module *module);

#endif
