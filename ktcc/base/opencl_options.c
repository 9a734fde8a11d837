#include "base/opencl_options.h"

#include <stddef.h>
#include <string.h>

static const struct row {
	const char *spelling;
	enum kt_opencl_value value;
	enum kt_opencl_bearing bearing;
	bool libclang;
} rows[] = {
#define OPENCL_OPTION(id, spelling, value, bearing, libclang) \
	{spelling, KT_OPENCL_##value, KT_OPENCL_##bearing, libclang},
#include "base/opencl_options.def"
#undef OPENCL_OPTION
};

static bool is_row(const struct row *row, const char *word)
{
	if (row->value == KT_OPENCL_JOINED || row->value == KT_OPENCL_EITHER)
		return strncmp(word, row->spelling, strlen(row->spelling)) == 0;
	return strcmp(word, row->spelling) == 0;
}

struct kt_opencl_option kt_opencl_option(const char *word)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (is_row(&rows[i], word))
			return (struct kt_opencl_option){
			    rows[i].bearing,
			    rows[i].value == KT_OPENCL_ONE ||
			        (rows[i].value == KT_OPENCL_EITHER && strcmp(word, rows[i].spelling) == 0),
			    rows[i].libclang};
	return (struct kt_opencl_option){KT_OPENCL_CODE, false, strncmp(word, "-cl-", 4) != 0};
}
