#include "cuda/nvml.h"

#include <dlfcn.h>
#include <string.h>

#define PROCESSES 64

static const struct {
	const char *symbol;
	size_t offset;
	bool optional;
} symbols[] = {
#define KT_NVML_ROW(member, symbol, parameters) {symbol, offsetof(struct kt_nvml, member), false},
    KT_NVML_SYMBOLS(KT_NVML_ROW)
#undef KT_NVML_ROW
#define KT_NVML_ROW(member, symbol, parameters) {symbol, offsetof(struct kt_nvml, member), true},
    KT_NVML_OPTIONAL(KT_NVML_ROW)
#undef KT_NVML_ROW
};

static bool load(struct kt_nvml *out)
{
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *address = dlsym(out->library, symbols[i].symbol);
		if (!address && symbols[i].optional)
			continue;
		if (!address)
			return false;
		/* Object to function pointer: POSIX promises the sizes, C has no cast for it. */
		memcpy((char *)out + symbols[i].offset, &address, sizeof address);
	}
	return out->init() == 0;
}

void kt_nvml_open(struct kt_nvml *out, const char *uuid)
{
	*out = (struct kt_nvml){0};
	out->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (out->library && !load(out)) {
		(void)dlclose(out->library);
		out->library = NULL;
	}
	if (out->library && out->by_uuid(uuid, &out->device))
		out->device = NULL;
}

bool kt_nvml_health(struct kt_health *out, const struct kt_nvml *nvml)
{
	struct kt_nvml_process processes[PROCESSES];
	unsigned long long reasons = 0;
	unsigned count = PROCESSES, milliwatts = 0;
	*out = (struct kt_health){0};
	if (!nvml->device || nvml->clock(nvml->device, KT_NVML_CLOCK_SM, &out->sm_mhz) ||
	    nvml->clock(nvml->device, KT_NVML_CLOCK_MEMORY, &out->memory_mhz) || nvml->reasons(nvml->device, &reasons))
		return false;
	out->reasons = reasons;
	(void)nvml->temperature(nvml->device, 0, &out->celsius);
	if (nvml->power(nvml->device, &milliwatts) == 0)
		out->watts = (milliwatts + 500) / 1000;
	/* Process numbers may be those of another namespace: how many there are is what counts. */
	if (nvml->processes(nvml->device, &count, processes) == 0)
		out->processes = count;
	return true;
}

bool kt_nvml_energy(uint64_t *millijoules, const struct kt_nvml *nvml)
{
	unsigned long long used = 0;
	if (!nvml->device || !nvml->energy || nvml->energy(nvml->device, &used))
		return false;
	*millijoules = used;
	return true;
}
