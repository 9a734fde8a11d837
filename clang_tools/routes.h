/* Launches of a kernel that is given to a function, which launches what it is given. */
#ifndef KT_CLANG_ROUTES_H
#define KT_CLANG_ROUTES_H

#include "unit.h"

struct kt_macro_level;

/* A name in the body of a macro that leads to a launch. */
struct kt_macro_name {
	const struct kt_macro *macro;
	size_t token;
	const char *name;
	bool is_configuration; /* of the launch, and nothing else; or the use of the next macro on the way to it */
};

/* What such a launch, or one in the body of a macro, consists of, as text in names that are visible at the user's call. */
struct kt_route {
	size_t launch;     /* index among the region's launches */
	bool is_variable;  /* a variable holds the kernel, which is launched later */
	bool is_constant;  /* a value holds it that is launched wherever it goes; parts are those of the launch at `at` */
	uint32_t at;       /* where the parts' names are visible; 0: at the kernel's name */
	size_t part_count; /* of the configuration; 0: it cannot be read */
	const char *parts[4];
	size_t argument_count;
	const char **arguments; /* of the kernel; NULL: not known */
	size_t range_count;
	struct kt_range *ranges; /* where the configuration is written: in calls, and at the sites */
	struct kt_macro_level *macro; /* that writes the launch; NULL: none does */
	const char *list;             /* of such a launch: "<T, 4>", the kernel's template arguments; NULL: not known */
	size_t name_count;
	struct kt_macro_name *names;  /* in its macros */
};

/*
 * Reads the kernel's name at an offset as an argument of a call: of a function of the runtime that launches it, or of
 * one of the project whose text launches its parameter, in one of the region's files. Or as what a variable of a function
 * holds that is launched, or is such an argument, later. Fills the ranges of *l and *out, and adds the sites to the region.
 * False: it is none, and nothing is added. *call: where the call, or the launch of the variable, begins.
 */
bool kt_route_read(struct kt_scan *scan, struct kt_found *found, uint32_t at, struct kt_launch *l, struct kt_route *out,
		   uint32_t *call);

/*
 * The same of a name that is none of these: a part of a constant, a table of the file, a structure or a template argument. The
 * sites are all launches of such values in the text. False: there are none.
 */
bool kt_route_read_value(struct kt_scan *scan, struct kt_found *found, uint32_t at, struct kt_launch *l, struct kt_route *out,
			 uint32_t *call);

/*
 * The "(" of the call that has token i among its arguments, casts of it left out; text->count: none. *name: what is
 * called.
 */
size_t kt_call_around(const struct kt_text *text, size_t i, size_t *name);
/* The template whose argument tokens [first, end) are a part of: "launch" of `launch<256, &k<T>>(…)`; 0: there is none. */
size_t kt_template_around(const struct kt_text *text, size_t first, size_t end);

#endif
