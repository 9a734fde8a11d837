#include "nvrtc/library.h"

#include <dlfcn.h>
#include <string.h>

static kt_status find(void *function, size_t size, void *library, const char *name, struct kt_error *err)
{
	void *symbol = dlsym(library, name);

	if (symbol == NULL)
		return kt_fail(err, KT_ERR_MISSING, "the library has no %s", name);
	/* ISO C has no conversion from an object pointer to a function pointer. */
	memcpy(function, &symbol, size);
	return KT_OK;
}

kt_status kt_nvrtc_load(struct kt_nvrtc *out, const char *path, struct kt_error *err)
{
	kt_status status = KT_OK;

	memset(out, 0, sizeof *out);
	NEED(out->library = dlopen(path, RTLD_NOW | RTLD_LOCAL), kt_fail(err, KT_ERR_MISSING, "%s", dlerror()));
#define KT_NVRTC_FIND(type, name, parameters)                                                                          \
	if (status == KT_OK)                                                                                           \
		status = find(&out->name, sizeof out->name, out->library, "nvrtc" #name, err);
	KT_NVRTC_FUNCTIONS(KT_NVRTC_FIND)
#undef KT_NVRTC_FIND
	if (status == KT_OK && out->Version(&out->major, &out->minor) != NVRTC_SUCCESS)
		status = kt_fail(err, KT_ERR_MISSING, "the library does not state its version");
	return status;
}
