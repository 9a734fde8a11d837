/* What a text needs, by the names in it: declarations and macros of the project, transitively. */
#ifndef KT_CLANG_CLOSURE_H
#define KT_CLANG_CLOSURE_H

#include "unit.h"

/* A piece of text whose names were looked up: of a project file, or a separate text. */
struct kt_read {
	size_t file;
	uint32_t begin, end;
	const char *text; /* NULL: the file's */
};

struct kt_walk {
	struct kt_scan *scan;
	bool *items, *macros;     /* per item, per macro: needed */
	bool *undefs;             /* per #undef: of a name that is needed; NULL: not looked for */
	bool *item_names, *macro_names; /* per place of the index: this name was looked up */
	size_t *order;            /* the items in the order they were found */
	size_t order_count;
	size_t *macro_order;
	size_t macro_order_count;
	size_t done, macros_done; /* how far the texts of these have been read */
	struct kt_read *read;
	size_t read_count;
	const bool *leaves;       /* per item: never needed; NULL: any item can be */
	/* Reads the text of an item in place of kt_walk_range; NULL: nothing does. */
	void (*read_item)(struct kt_walk *walk, size_t item, void *context);
	void *context;
	bool operators;           /* operators are called without their names: look for those that can be meant */
	bool pastes;              /* a macro that is needed makes names by ## */
	struct kt_name_index *pieces; /* of names, from what was read */
	size_t read_split;        /* how far it has been taken to pieces */
	bool pieces_lost;
};

kt_status kt_walk_open(struct kt_walk *walk, struct kt_scan *scan, struct kt_error *err) KT_MUST_CHECK;
/* The same with the memory of a walk that is over. Nothing that it found is kept. */
kt_status kt_walk_again(struct kt_walk *walk, struct kt_error *err) KT_MUST_CHECK;
void kt_walk_item(struct kt_walk *walk, size_t item);
/* The kernels of the region and the template arguments that their instances name. */
void kt_walk_region(struct kt_walk *walk, const struct kt_found *found);
/* Adds what the names in the tokens of a file's range need. A walk's texts live as long as the scan. */
void kt_walk_range(struct kt_walk *walk, size_t file, uint32_t begin, uint32_t end);
void kt_walk_text(struct kt_walk *walk, const char *text);
/* Reads on until nothing new turns up. */
void kt_walk_finish(struct kt_walk *walk);
/*
 * What of the main file a text that needs these items (one flag an item) leaves out; ascending.
 */
kt_status kt_walk_slice(struct kt_range **drops, size_t *count, struct kt_scan *scan, const bool *needed,
                        struct kt_error *err) KT_MUST_CHECK;

/*
 * Declarations of a file that overlap form one chunk: it is left out as a whole or kept. first and last are places in
 * the list of the file's items, which is sorted by their beginnings.
 */
struct kt_chunk {
	struct kt_range range;
	size_t first, last;
	bool keep;
};
/* How a slice divides a file. */
struct kt_chunks {
	size_t file, count, item_count;
	struct kt_chunk *list;
	size_t *items;
};
/*
 * Divides the file; droppable decides which items may be left out. Whatever has other text around it is kept; with
 * `macros` what comes out of a macro is its whole invocation.
 */
kt_status kt_chunks_find(struct kt_chunks *out, struct kt_scan *scan, size_t file,
                         bool (*droppable)(const struct kt_item *item), bool macros, struct kt_error *err) KT_MUST_CHECK;
/* Adds the explicit instantiations outside of the chunks. */
void kt_chunks_instantiations(struct kt_range **ranges, size_t *count, struct kt_scan *scan,
                              const struct kt_chunks *chunks);

/* Adds the tokens of all that the walk needs: comments, blanks, paths and places do not take part. */
void kt_walk_hash(struct kt_hash *hash, const struct kt_walk *walk);
/* Adds a macro's definition. */
void kt_walk_hash_macro(struct kt_hash *hash, const struct kt_walk *walk, size_t macro);
/* closure_order.c: adds where needed macros are defined again or taken back, before and after what is needed. */
void kt_walk_hash_order(struct kt_hash *hash, const struct kt_walk *walk);
/* Fills scan->undefs and their index, once. False: out of memory. */
bool kt_scan_undefs(struct kt_scan *scan);
/* The item's text: from the first token of its declaration to its last. */
struct kt_range kt_item_range(struct kt_scan *scan, const struct kt_item *item);

#endif
