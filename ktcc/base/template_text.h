/* For the files of base/template.h only: text with placeholders and sections. */
#ifndef KT_BASE_TEMPLATE_TEXT_H
#define KT_BASE_TEMPLATE_TEXT_H

#include "base/template.h"

/* As C++ text: with a suffix only where int would not hold it, in parentheses where a sign could join an operator. */
void kt_template_value(struct kt_buf *out, int64_t value);
/* The condition that code is compiled for this architecture (cc × 10); 0: any. */
void kt_template_arch(struct kt_buf *out, int64_t arch);

/* Appends text[0, size) with its placeholders filled and its sections decided. err->offset: where in the text. */
kt_status kt_template_expand(struct kt_buf *out, const struct kt_render *render, const char *text, size_t size,
                             struct kt_error *err) KT_MUST_CHECK;
/* Would it expand for any configuration, as far as form and names go? */
kt_status kt_template_check_text(const struct kt_template *template_, const char *text, struct kt_error *err)
    KT_MUST_CHECK;

#endif
