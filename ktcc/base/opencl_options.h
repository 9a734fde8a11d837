/* Build options of OpenCL: what each bears on (opencl_options.def). */
#ifndef KT_BASE_OPENCL_OPTIONS_H
#define KT_BASE_OPENCL_OPTIONS_H

#include <stdbool.h>

enum kt_opencl_value { KT_OPENCL_NONE, KT_OPENCL_JOINED, KT_OPENCL_EITHER, KT_OPENCL_ONE };
enum kt_opencl_bearing { KT_OPENCL_NOTHING, KT_OPENCL_CODE, KT_OPENCL_MACRO, KT_OPENCL_PLACE };

/* One option of a command: its row, or that of an unknown one. */
struct kt_opencl_option {
	enum kt_opencl_bearing bearing;
	bool takes_next; /* its value is the next word */
	bool libclang;   /* libclang takes it */
};

struct kt_opencl_option kt_opencl_option(const char *word);

#endif
