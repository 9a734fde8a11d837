/* What GPUs this machine shows, without a call of the driver. */
#ifndef KT_LAUNCH_MACHINE_H
#define KT_LAUNCH_MACHINE_H

#include <stdbool.h>

#include "base/hash.h"

/*
 * Hash of the GPU device nodes, the kernel driver's version, CUDA_VISIBLE_DEVICES
 * and the boot: equal prints mean the same GPUs as far as a build can tell.
 */
void kt_machine_fingerprint(char out[KT_HASH_TEXT]);
/* Is there a device node of an NVIDIA GPU? */
bool kt_machine_has_gpu(void);

#endif
