#ifndef KT_TUNING_T1_MEMBERS_H
#define KT_TUNING_T1_MEMBERS_H

#include "tuning/t1.h"

/* Prints a warning for each member of ConfigurationSpace that has no effect, with its place and the one that may be meant. */
void kt_t1_check_members(const struct kt_t1 *t1, const cJSON *space);

#endif
