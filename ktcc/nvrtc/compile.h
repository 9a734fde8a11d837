/* One unit: from a request to a cubin, or to NVRTC's errors. */
#ifndef KT_NVRTC_COMPILE_H
#define KT_NVRTC_COMPILE_H

#include "base/json.h"
#include "nvrtc/library.h"

/*
 * Answers the request "compile" of docs/protocol.md: appends one JSON object. KT_ERR_INVALID: the request is none.
 * An error of the compiler in the unit is an answer, not a failure.
 */
kt_status kt_nvrtc_compile(struct kt_buf *out, const struct kt_nvrtc *nvrtc, const cJSON *request,
			   struct kt_error *err) KT_MUST_CHECK;

#endif
