/* For routes.c and route_*.c only. */
#ifndef KT_CLANG_ROUTES_INTERNAL_H
#define KT_CLANG_ROUTES_INTERNAL_H

#include "expand.h"
#include "routes.h"

/* An argument of a call: its tokens. */
struct kt_route_part {
	size_t first, end;
};

struct kt_route_parts {
	struct kt_route_part *items;
	size_t count;
};

/* A function that is given the kernel: what its parameters hold, as text at the user's call. */
struct kt_route_frame {
	const char **names, **values;
	CXType *types;
	size_t count;
	const char *pack;  /* the name of its pack; NULL: none */
	const char **rest; /* what the pack holds */
	size_t rest_count;
	size_t body, end; /* tokens of "{" and "}" */
};

struct kt_route_reader {
	struct kt_scan *scan;
	const struct kt_text *text;
	struct kt_route *out;
	struct kt_launch_site *sites;
	size_t site_count;
	bool in_header; /* a function of another file launches it, which no copy is made of */
};

/* route_text.c */
/* Does a template's list begin at "<"? *close: its ">". */
bool kt_route_list(const struct kt_text *text, size_t open, size_t *close);
/* The arguments between "(" at open and its ")", which becomes *close. */
bool kt_route_split(struct kt_route_reader *r, size_t open, struct kt_route_parts *out, size_t *close);
/* Is the argument nothing but what tokens [first, end) name, its address, or a cast of it? */
bool kt_route_is_alone(const struct kt_text *text, const struct kt_route_part *part, size_t first, size_t end);
const char *kt_route_words(struct kt_route_reader *r, size_t first, size_t end);
/* What a text at a place of a function is in names that are visible at the user's call. NULL: not known. */
const char *kt_route_resolve_text(struct kt_route_reader *r, const struct kt_route_frame *f, const char *text,
				  uint32_t at);
const char *kt_route_resolve(struct kt_route_reader *r, const struct kt_route_frame *f, size_t first, size_t end);
bool kt_route_resolve_all(struct kt_route_reader *r, const struct kt_route_frame *f, const struct kt_route_parts *parts,
			  size_t from, const char ***texts, size_t *count);
/* Appends a text; false: it is NULL, or memory is out. */
bool kt_route_add_text(struct kt_route_reader *r, const char ***texts, size_t *count, const char *text);
/* "std::forward<A>(a)" → "a". */
struct kt_route_part kt_route_forwarded(const struct kt_text *text, struct kt_route_part p);

/*
 * route_variable.c: the variable of a function that tokens [first, end), the kernel's name, are given to, and where it may be
 * launched: after the statement, in the variable's scope. False: there is none.
 */
bool kt_route_variable(struct kt_route_reader *r, size_t first, size_t end, struct kt_route_frame *out, const char **variable);

/* The name that is declared, or assigned, with tokens [first, end), the kernel's name, as a value or an element; 0: none. */
size_t kt_route_holder(const struct kt_text *text, size_t first, size_t end);

/*
 * route_value.c: all launches of values that the kernel may be, and the parts of the one that its name at tokens [first, end)
 * leads to. False: there are none.
 */
bool kt_route_values(struct kt_route_reader *r, const struct kt_region *region, size_t first, size_t end);

/* route_launch.c */
/* Is it the name of a function of the runtime that launches a kernel? */
bool kt_route_is_launcher(const struct kt_text *text, size_t i);
/* Arguments of a call that are none of the kernel's. */
bool kt_route_add_ranges(struct kt_route_reader *r, const struct kt_route_parts *parts);
/* A call of a function of the runtime whose argument `index` is the kernel; false: it launches none. */
bool kt_route_launcher(struct kt_route_reader *r, const struct kt_route_frame *f, size_t name,
		       const struct kt_route_parts *parts, size_t index);
/* The "<<<" of a launch of the variable at token i, "kernel<<<" or "kernels[index]<<<"; text->count: it is none. */
size_t kt_route_opens(const struct kt_text *text, size_t i);
/* "kernel<<<…>>>(…)" whose callee begins at token i, and whose "<<<" is token open. */
bool kt_route_launch(struct kt_route_reader *r, const struct kt_route_frame *f, size_t i, size_t open);

#endif
