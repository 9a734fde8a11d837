/* Neither a kernel nor a launch of one. */
#include "scale.h"
int unused;
