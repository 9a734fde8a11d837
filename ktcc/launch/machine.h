/* What GPUs the machine has, read without a driver call. */
#ifndef KT_LAUNCH_MACHINE_H
#define KT_LAUNCH_MACHINE_H

#include "base/hash.h"

#include <stdbool.h>

/* Hash over GPU device nodes, the driver's version file, CUDA_VISIBLE_DEVICES and the boot id. */
void kt_machine_fingerprint(char out[KT_HASH_TEXT]);
/* Is there at least one GPU device node? */
bool kt_machine_has_gpu(void);

#endif
