/*
 * Substitutes for headers of the host: NVRTC knows neither the C library nor the
 * C++ library, and a slice names them all the same, mostly for host code that
 * the slice leaves out. Those that device code uses as well (fixed-width
 * integers, limits, constants and functions of mathematics) have a text; the
 * others are empty. What would need more does not compile and goes to nvcc.
 */
#ifndef KT_NVRTC_HEADERS_H
#define KT_NVRTC_HEADERS_H

#include <stddef.h>

/* Read before the first line of each unit, as nvcc reads cuda_runtime.h, which includes these. */
#define KT_NVRTC_FIRST "ktune_device_host.h"

struct kt_nvrtc_header {
	const char *name, *text;
};

/* The table; *count rows. */
const struct kt_nvrtc_header *kt_nvrtc_headers(size_t *count);

#endif
