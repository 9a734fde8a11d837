/* For launches.c and launch_*.c only. */
#ifndef KT_CLANG_LAUNCHES_INTERNAL_H
#define KT_CLANG_LAUNCHES_INTERNAL_H

#include "launches.h"

/* launches.c: the kernel, or a specialisation of it? */
bool kt_launch_is_kernel(const struct kt_scan *scan, CXCursor target, CXCursor pattern);
/* launch_bind.c: the bind pragma above the launch; its names must be the region's problem variables. */
const struct kt_bind_pragma *kt_launch_pragma(struct kt_scan *scan, const struct kt_found *found,
					      const struct kt_call *call);
bool kt_launch_is_integer(CXType type);
/* value(p.rows = rows): where nothing else at a launch has rows, p.rows is it. */
void kt_launch_bind_by_values(struct kt_found *found, struct kt_launch *l);
struct kt_route;
/*
 * launch_instance.c: fills l->instance. angle: token of "<" of template arguments, or the number of tokens; route: of a
 * launch in a macro's body, else empty.
 */
void kt_launch_instance(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call,
			const struct kt_callee_of *callee, struct kt_launch *l, size_t angle,
			const struct kt_route *route);
/*
 * launch_macro.c: fills the parts of a launch that the body of a macro writes, and *route. False: it is none, or cannot be
 * written in a copy of the macro.
 */
bool kt_launch_read_macro(struct kt_scan *scan, struct kt_found *found, const struct kt_call *call, struct kt_launch *l,
			  struct kt_route *route);
/* Has a name of its bindings another meaning in the macro's body? */
bool kt_launch_macro_captures(struct kt_scan *scan, const struct kt_launch *l, const struct kt_route *route,
			      size_t variable_count);
/* launch_mentions.c: other ways to launch the kernel; those that cannot be read are left unmodified. */
kt_status kt_launch_mentions(struct kt_scan *scan, struct kt_found *found, struct kt_error *err);
/* What the program sets or asks holds for the kernel itself: none of its launches may run another one. */
void kt_launch_keep_original(struct kt_scan *scan, struct kt_found *found);

#endif
