/* Instances of a kernel template, and the launches' parts that name them. */
#ifndef KT_CLANG_INSTANCES_H
#define KT_CLANG_INSTANCES_H

#include "unit.h"

/* The name that libclang mangles for a kernel or an instance of one, in arena; NULL: none. */
const char *kt_scan_symbol(struct kt_scan *scan, CXCursor kernel);
/* The instance that this specialisation is, added when new; −1 when its arguments cannot be written. */
int64_t kt_instance_from_cursor(struct kt_scan *scan, struct kt_found *found, CXCursor specialisation);
/* The same, where functions are among its arguments: their texts in the order of the template's parameters. */
int64_t kt_instance_with_functions(struct kt_scan *scan, struct kt_found *found, CXCursor specialisation,
                                   const char *const *functions, size_t function_count);
/* instances_walk.c: the same, where this expression names it: functions among the arguments are those that it names. */
int64_t kt_instance_named(struct kt_scan *scan, struct kt_found *found, CXCursor name, CXCursor specialisation);
/* instances_walk.c: adds the instances that the bodies launch which the compiler makes of the host's templates. */
void kt_instances_walk(struct kt_scan *scan, struct kt_found *found);
/* instances_walk.c: the same from one function on. */
void kt_instances_walk_body(struct kt_scan *scan, struct kt_found *found, CXCursor function);
/*
 * instances_referenced.c: the same from the host functions on that the main file instantiates explicitly, for which the file is
 * parsed once more. Any launch inside a host template may be reached so.
 */
kt_status kt_instances_referenced(struct kt_scan *scan, struct kt_found *found, struct kt_error *err) KT_MUST_CHECK;
/* instances_walk.c: does the compiler make code of a place in a function? Of a template, or a member of one, only where it is used. */
bool kt_instances_host_is_made(struct kt_scan *scan, const struct kt_found *found, const struct kt_item *host, uint32_t at);
/* instances_text.c: the explicit instantiations that macros of the main file write, expanded; NULL: none. */
const struct kt_text *kt_instantiations(struct kt_scan *scan);
/* A type as code at file scope writes it; NULL for one that has no name. */
const char *kt_instance_type(struct kt_scan *scan, CXType type);
/* The instance with these template arguments as text (the `count` ones that the source writes); −1 when they do not fit. */
int64_t kt_instance_from_text(struct kt_scan *scan, struct kt_found *found, const char *const *arguments,
                              size_t count);
/*
 * Adds what a launch inside a host template, at an offset, can mean: its arguments with the template's parameters replaced, by explicit
 * instantiations of the host, and where `called` by its calls as well.
 */
void kt_instances_of_host(struct kt_scan *scan, struct kt_found *found, const struct kt_item *host, uint32_t at,
                          const char *const *arguments, size_t count, bool called);
/* Is a host template, or the class template that it is a member of, instantiated explicitly? */
bool kt_instances_host_is_explicit(struct kt_scan *scan, const struct kt_item *host);
/* Explicit instantiations of the kernel in the main file. */
void kt_instances_explicit(struct kt_scan *scan, struct kt_found *found);
/* A template argument that the user has written, as instances have it; NULL: it is none for this parameter. */
const char *kt_instance_argument(struct kt_scan *scan, const struct kt_template_parameter *parameter, const char *text);
/* text with each of `names` replaced by its argument. NULL: out of memory, or no text that can be read. */
const char *kt_substitute(struct kt_scan *scan, const char *text, const char *const *names,
                          const char *const *arguments, size_t count);
/* The number that a non-type template argument of an instance is: "64", "true", "(ops::mode)2". */
bool kt_instance_number(int64_t *value, const char *argument);
/*
 * constant.c: the value of an integer macro or constant; kt_expr_lookup whose context is the scan. A macro that is `8 + 5` has one where
 * its name is alone; next to operators its text means something else.
 */
bool kt_scan_constant(int64_t *value, const char *name, void *scan);
bool kt_scan_constant_alone(int64_t *value, const char *name, void *scan);
/* The value of an expression of such names. */
bool kt_scan_number(int64_t *value, const struct kt_expr *expr, struct kt_scan *scan);
/* Texts between "<" at the token and its ">", split at commas. *end: token of the ">". False when open. */
bool kt_split_angle(struct kt_scan *scan, const struct kt_text *text, size_t open, const char ***out, size_t *count,
                    size_t *end);

/* The type that this name, qualified or not, declares; false: none, or a template. */
bool kt_scan_type_named(CXType *out, const struct kt_scan *scan, const char *text);

#endif
