/* A second processor for the compiler, where one is idle. */
#ifndef KT_LAUNCH_SPARE_H
#define KT_LAUNCH_SPARE_H

#include "base/jobserver.h"
#include "launch/command.h"
#include "store/store.h"

struct kt_spare {
	struct kt_jobserver server; /* of what is held */
};

/*
 * Where the compiler had to wait for ktcc, its steps for host and device may run side by side: nvcc of toolkit 11.2 or
 * newer gets the option `--threads=2`, unless the command itself sets their number. Only on an idle processor: under
 * make one of the jobserver's jobs is taken until kt_spare_close, else the machine's load must leave one. What is
 * compiled is the same. `argv`: what is to be run in place of the command's own words. Returns it where nothing is added;
 * NULL: out of memory.
 */
char **kt_spare_open(struct kt_spare *out, struct kt_arena *arena, const struct kt_command *command,
                     struct kt_store *store, char **argv);
void kt_spare_close(struct kt_spare *spare);

#endif
