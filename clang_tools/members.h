/*
 * Structures and vectors: the numbers and pointers that arguments by value are made of, the numbers that elements of
 * buffers are.
 */
#ifndef KT_CLANG_MEMBERS_H
#define KT_CLANG_MEMBERS_H

#include "unit.h"

/*
 * Reads the layout of each argument of `instance` whose element is none and which is no pointer; `types` has one a
 * parameter. The region's members are those of its first instance, and another one with other members declines it. A
 * type without a layout leaves the element of its argument as it is, with a reason that kt_scan_members_check gives. Gives the
 * instance `layouts` as well: of each pointer, own or member, to anything but a number. kernel: what the instance is made of.
 */
void kt_scan_members(struct kt_scan *scan, struct kt_found *found, struct kt_instance *instance, const CXType *types,
                     CXCursor kernel);
/* All instances have been read: one without members where others have some declines the region. */
void kt_scan_members_check(struct kt_scan *scan, struct kt_found *found);
/* What a pointer, or an array, is of, canonically: of all dimensions of an array of arrays; is it const? */
CXType kt_scan_pointee(bool *is_const, CXType pointer);
/*
 * The element of this type, for void a byte; `name` is what contains it, for the reason. NULL: it cannot be built, or memory is
 * out; *reason has the cause and names the member ("'y.next' is a pointer, which no clause fills").
 */
const struct kt_element *kt_scan_element(const char **reason, struct kt_scan *scan, const char *name, CXType type);
/*
 * The element with the numbers of these members in separate groups, the later member's where two hold a number;
 * used[m]: the m-th holds any. NULL: there are too many parts.
 */
const struct kt_element *kt_scan_groups(bool used[], struct kt_scan *scan, const struct kt_element *element,
                                        const struct kt_member_fill *members, size_t count);
/*
 * base_type.c: the class that a base specifier of a class means. Of a class that is made of a template it is found in the
 * functions that the kernel calls, where it depends on the arguments; no record: it is not known. kernel: with its body, or null.
 */
CXType kt_base_type(CXCursor class_, CXCursor specifier, CXCursor kernel);
/* Calls `visit` with each base class in order, as kt_base_type has it. */
void kt_members_visit_bases(CXCursor class_, CXCursor kernel,
                            void (*visit)(CXType type, bool is_private, bool is_virtual, void *context), void *context);
/* The first member of an argument and how many it has; 0: none. */
size_t kt_members_of(const struct kt_region *region, size_t argument, size_t *first);
/*
 * Of a value of a list: the member that it gives, -1: none. The members are those below the name: of "p.size" those that
 * begin with "p.size[" or "p.size."; *count of them.
 */
int64_t kt_members_at(const struct kt_region *region, const struct kt_pragma_value *value, size_t *count);
/* The argument or member that a value of the pragma is for; -1: none. */
int64_t kt_members_given(const struct kt_region *region, const struct kt_pragma_value *value);

#endif
