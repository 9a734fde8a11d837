/*
 * Members of scan's JSON as they are printed: the other side of region_members.h. A failed allocation leaves one out.
 */
#ifndef KT_BASE_REGION_PRINT_H
#define KT_BASE_REGION_PRINT_H

#include "base/region_members.h"

void kt_print_text(cJSON *object, const char *name, const char *text); /* NULL: null */
void kt_print_texts(cJSON *object, const char *name, const char *const *texts, size_t count);
void kt_print_range(cJSON *object, const char *name, struct kt_range range);
/* What a table describes: the members of an object, in its order, and a list of such objects or of single values. */
void kt_print_members(cJSON *object, const void *record, const struct kt_members *members, const struct kt_region *region);
void kt_print_list(cJSON *object, const char *name, const void *items, size_t count, const struct kt_members *item,
                   const struct kt_region *region);
/* A region as scan prints it. */
void kt_region_print(cJSON *regions, const struct kt_region *region);
/* Its member "text": the files of a flat text. */
void kt_flat_print(cJSON *json, const struct kt_flat *flat);

#endif
