/* What a text needs, by the names in it: declarations and macros of the project, transitively. */
#ifndef KT_CLANG_CLOSURE_H
#define KT_CLANG_CLOSURE_H

#include "unit.h"

struct kt_walk {
	struct kt_scan *scan;
	bool *items, *macros;     /* per item, per macro: needed */
	size_t *order;            /* the items in the order they were found */
	size_t order_count;
	size_t *macro_order;
	size_t macro_order_count;
	size_t done, macros_done; /* how far the texts of these have been read */
};

kt_status kt_walk_open(struct kt_walk *walk, struct kt_scan *scan, struct kt_error *err) KT_MUST_CHECK;
void kt_walk_item(struct kt_walk *walk, size_t item);
/* Adds what the names in the tokens of a file's range need. */
void kt_walk_range(struct kt_walk *walk, size_t file, uint32_t begin, uint32_t end);
void kt_walk_text(struct kt_walk *walk, const char *text);
/* Reads on until nothing new turns up. */
void kt_walk_finish(struct kt_walk *walk);
/* The item's text: from the first token of its declaration to its last. */
struct kt_range kt_item_range(struct kt_scan *scan, const struct kt_item *item);

#endif
