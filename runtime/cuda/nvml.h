/*
 * The management library of the NVIDIA driver, loaded at run time: clocks,
 * temperature, power, why clocks are low, who computes on the device. Everything is
 * optional: without the library, or where it refuses, nothing is known.
 */
#ifndef KT_RUNTIME_CUDA_NVML_H
#define KT_RUNTIME_CUDA_NVML_H

#include <stdbool.h>

#include "engine.h"

struct kt_nvml_process {
	unsigned pid;
	unsigned long long bytes;
	unsigned instance, compute_instance;
};

/* member, symbol, parameters; the results are 0 for success */
#define KT_NVML_SYMBOLS(X) \
	X(init, "nvmlInit_v2", (void)) \
	X(driver, "nvmlSystemGetDriverVersion", (char *text, unsigned size)) \
	X(max_clock, "nvmlDeviceGetMaxClockInfo", (void *device, int which, unsigned *mhz)) \
	X(by_uuid, "nvmlDeviceGetHandleByUUID", (const char *uuid, void **device)) \
	X(clock, "nvmlDeviceGetClockInfo", (void *device, int which, unsigned *mhz)) \
	X(temperature, "nvmlDeviceGetTemperature", (void *device, int sensor, unsigned *celsius)) \
	X(power, "nvmlDeviceGetPowerUsage", (void *device, unsigned *milliwatts)) \
	X(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons", (void *device, unsigned long long *bits)) \
	X(processes, "nvmlDeviceGetComputeRunningProcesses_v3", \
	  (void *device, unsigned *count, struct kt_nvml_process *processes))

/* What older drivers have not: NULL where it is missing. */
#define KT_NVML_OPTIONAL(X) \
	X(energy, "nvmlDeviceGetTotalEnergyConsumption", (void *device, unsigned long long *millijoules))

enum { KT_NVML_CLOCK_SM = 1, KT_NVML_CLOCK_MEMORY = 2 };

struct kt_nvml {
	void *library, *device; /* NULL: no library, or it does not know the device */
#define KT_NVML_MEMBER(member, symbol, parameters) int(*member) parameters;
	KT_NVML_SYMBOLS(KT_NVML_MEMBER)
	KT_NVML_OPTIONAL(KT_NVML_MEMBER)
#undef KT_NVML_MEMBER
};

/* uuid: as the device record has it. The library stays until the process ends. */
void kt_nvml_open(struct kt_nvml *out, const char *uuid);
bool kt_nvml_health(struct kt_health *out, const struct kt_nvml *nvml);
/* Since the driver was loaded. False: there is no counter. */
bool kt_nvml_energy(uint64_t *millijoules, const struct kt_nvml *nvml);

#endif
