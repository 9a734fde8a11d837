/* Parts of a certificate, for the certificate*.c files only. */
#ifndef KT_TUNING_CERTIFICATE_PARTS_H
#define KT_TUNING_CERTIFICATE_PARTS_H

#include "tuning/batch.h"

/* Appends the original and the configuration to a slice, and what ends the unit. */
kt_status kt_certificate_unit(struct kt_buf *unit, const struct kt_template *template_, const struct kt_instance *instance,
			      const int64_t *configuration, struct kt_error *err) KT_MUST_CHECK;

/*
 * Appends the normal form of the PTX of that unit by NVRTC (compile->screening), in a process that ends with it. KT_ERR_CHILD: it
 * does not compile it, or must not.
 */
kt_status kt_certificate_screened(struct kt_buf *ptx, const struct kt_compile *compile, const struct kt_template *template_,
				  const struct kt_instance *instance, const int64_t *configuration, const char *source,
				  size_t source_size, struct kt_error *err) KT_MUST_CHECK;

#endif
