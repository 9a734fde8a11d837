/* The include graph of a parsed unit: files that were entered, and the directives that lead to them. */
#ifndef KT_CLANG_GRAPH_H
#define KT_CLANG_GRAPH_H

#include "includes.h"

/* A file that the compiler reads. The main file is the first. */
struct kt_node {
	CXFile file;
	const char *path;      /* libclang's */
	const char *data;
	size_t size;
	struct kt_text text;   /* with the directives: once kt_graph_read was asked */
	struct kt_directive *directives;
	size_t directive_count;
	size_t entries;        /* how often it is read */
	size_t includer;       /* where first: node and offset; SIZE_MAX: the command line */
	uint32_t at;
	struct kt_identity identity;
	const char *spelled;   /* members: the path as the compiler spells it */
	bool is_system, is_read, wanted, member;
	size_t index;          /* members: among the files of the flat text */
};

/* An active directive, whether the file was read there or not. */
struct kt_edge {
	size_t from, to;
	uint32_t at;
};

struct kt_graph {
	struct kt_scan *scan;
	struct kt_node *nodes;
	size_t node_count;
	struct kt_edge *edges;
	size_t edge_count;
	const char **kernels;  /* names of kernels with a pragma */
	size_t kernel_count;
	bool names_kernels;    /* some by the clause kernel(…), which may be in other files */
};

kt_status kt_graph_open(struct kt_graph *graph, struct kt_scan *scan, struct kt_error *err) KT_MUST_CHECK;
kt_status kt_graph_edges(struct kt_graph *graph, struct kt_error *err) KT_MUST_CHECK;
/* Tokens and directives of a node; false when out of memory (scan->failed) or its text is unreadable. */
bool kt_graph_read(struct kt_graph *graph, size_t node);
/*
 * Makes the node a member, with every file that leads to it. NULL, or the name
 * of the reason why one of them cannot be; then nothing has changed.
 */
const char *kt_graph_add(struct kt_graph *graph, size_t node);
/* The node that a directive of a member leads to; SIZE_MAX: none of the graph's. */
size_t kt_graph_target(struct kt_graph *graph, size_t from, const struct kt_directive *directive);
/*
 * Copies of members are elsewhere and search the members' folders for quoted
 * includes: a file that would be found otherwise then becomes a member as well.
 * Spells the members' paths, and notes in scan->absent what must not appear.
 * False: some include would change its meaning and cannot be helped.
 */
bool kt_graph_settle(struct kt_graph *graph);

#endif
