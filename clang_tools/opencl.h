/* What is different in an OpenCL C file (.cl). */
#ifndef KT_CLANG_OPENCL_H
#define KT_CLANG_OPENCL_H

#include "generation/rules/tree.h"
#include "unit.h"

/* libclang's own arguments for OpenCL C; *count of them. The user's follow. */
const char *const *kt_opencl_arguments(size_t *count);
/* The folder of libclang's headers for OpenCL C; NULL: it has to find them itself. */
const char *kt_opencl_resources(struct kt_scan *scan);
/* Marks kernels (is_global) and program-scope variables that a kernel can write (is_device_data). */
void kt_opencl_mark(struct kt_scan *scan);
enum kt_address_space kt_opencl_space(CXType pointee, struct kt_arena *arena);
/* A type's canonical spelling without "__private", which every value is. NULL when out of memory. */
const char *kt_opencl_type(CXType type, struct kt_arena *arena);
/* A type's spelling without the words of its address space. NULL when out of memory. */
const char *kt_opencl_bare(struct kt_arena *arena, const char *type);
/*
 * A call that a rule knows by another name: get_global_id(0) is blockIdx.x * blockDim.x + threadIdx.x, barriers have
 * one name in all languages.
 */
void kt_opencl_call(struct kt_tree *node);
/* Build options that decide what a kernel means. */
void kt_opencl_hash(struct kt_hash *hash, const struct kt_scan *scan);
/* `global(…)` counts work-items: the region's grid becomes groups, ceil_div(global, local). */
kt_status kt_opencl_groups(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
/* Declines what no launch could be built for: local memory without a size, or of more than one pointer. */
void kt_opencl_check_local(struct kt_scan *scan, struct kt_found *found);

#endif
