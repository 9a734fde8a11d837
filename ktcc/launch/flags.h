/* What of a command bears on device code, as text for the keys of a region. */
#ifndef KT_LAUNCH_FLAGS_H
#define KT_LAUNCH_FLAGS_H

#include "base/buf.h"
#include "launch/command.h"

/*
 * Appends to `code` what can change PTX and to `assembler` what changes what ptxas makes of it: a line an option,
 * and a blank between two. No option of options.def that bears on either is left out (tests/system/options.test);
 * those that name places are replaced by what is found there, which the scan knows, so that two checkouts of one
 * project get the same text. With nvcc's options come the environment's, and the variables that lead nvcc to other
 * programs.
 */
void kt_flags_add(struct kt_buf *code, struct kt_buf *assembler, const struct kt_command *command);
/* The same of the driver's build options of OpenCL. Macros count by their use, folders by what is found in them. */
void kt_flags_add_opencl(struct kt_buf *code, int count, char *const *words);

#endif
