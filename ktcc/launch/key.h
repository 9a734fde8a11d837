/* The manifest key: everything but file contents that a compilation depends on. */
#ifndef KT_LAUNCH_KEY_H
#define KT_LAUNCH_KEY_H

#include "base/config.h"
#include "base/hash.h"
#include "launch/command.h"

kt_status kt_command_key(char out[KT_HASH_TEXT], struct kt_arena *arena, const struct kt_command *command,
                         const struct kt_config *config, struct kt_error *err) KT_MUST_CHECK;

#endif
