/* How many processors this process may use. */
#ifndef KT_BASE_PROCESSORS_H
#define KT_BASE_PROCESSORS_H

#include <stdint.h>

/*
 * Those that this process may run on, and not more than the time that its control groups allow it, rounded up: a
 * container often sees every processor of the machine and gets a fraction of their time. At least 1.
 */
int64_t kt_processors(void);
/*
 * The same for control groups mounted at `mount` ("/sys/fs/cgroup") of a process whose /proc/self/cgroup has this
 * text; `allowed`: processors that it may run on.
 */
int64_t kt_processors_within(const char *mount, const char *groups, int64_t allowed);

#endif
