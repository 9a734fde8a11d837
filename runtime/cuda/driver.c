#include "cuda/driver.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *symbol;
	size_t offset;
	bool optional;
} symbols[] = {
#define KT_CU_ROW(member, symbol, parameters) {symbol, offsetof(struct kt_cu, member), false},
    KT_CU_SYMBOLS(KT_CU_ROW)
#undef KT_CU_ROW
#define KT_CU_ROW(member, symbol, parameters) {symbol, offsetof(struct kt_cu, member), true},
    KT_CU_OPTIONAL(KT_CU_ROW)
#undef KT_CU_ROW
};

kt_status kt_cu_load(struct kt_cu *out, struct kt_error *err)
{
	memset(out, 0, sizeof *out);
	/*
	 * A kernel that is loaded lazily may need the context to be idle, which
	 * it never is after the gate kernel of a timed batch.
	 */
	(void)setenv("CUDA_MODULE_LOADING", "EAGER", 1);
	/*
	 * One queue, as trainers like it, would have what disturbs a launch wait for the launch; the usual eight make
	 * a driver look at nine channels one after the other before it reports a trap (0.35 s; with one queue 0.07 s).
	 */
	(void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", "2", 1);
	out->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!out->library)
		return kt_fail(err, KT_ERR_MISSING, "no CUDA driver: %s", dlerror());
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *address = dlsym(out->library, symbols[i].symbol);
		if (!address && !symbols[i].optional)
			return kt_fail(err, KT_ERR_MISSING, "the CUDA driver has no %s", symbols[i].symbol);
		/* Object to function pointer: POSIX promises the sizes, C has no cast for it. */
		memcpy((char *)out + symbols[i].offset, &address, sizeof address);
	}
	kt_cu_result result = out->init(0);
	if (result)
		return kt_fail(err, KT_ERR_MISSING, "cuInit: %s", kt_cu_name(out, result));
	int count = 0;
	result = out->device_count(&count);
	if (result || count < 1)
		return kt_fail(err, KT_ERR_MISSING, "no CUDA device");
	return KT_OK;
}

const char *kt_cu_name(const struct kt_cu *cu, kt_cu_result result)
{
	const char *name = NULL;
	if (cu->error_name(result, &name) || !name)
		return "unknown CUDA error";
	return name;
}

kt_status kt_cu_check(const struct kt_cu *cu, kt_cu_result result, const char *what, struct kt_error *err)
{
	if (!result)
		return KT_OK;
	return kt_fail(err, KT_ERR_CHILD, "%s: %s", what, kt_cu_name(cu, result));
}

int kt_cu_sticky(kt_cu_result result)
{
	if (result == KT_CU_ILLEGAL_ADDRESS || result == KT_CU_TIMEOUT)
		return 1;
	return result >= KT_CU_ASSERT && result <= KT_CU_LAUNCH_FAILED;
}
