/*
 * Prints a kernel's text with some nodes replaced. What is not replaced is printed as the user wrote it. Dollar signs come out
 * doubled: the text is a template's.
 */
#ifndef KT_RULES_WRITE_H
#define KT_RULES_WRITE_H

#include "generation/rules/tree.h"

struct kt_replacement {
	const struct kt_tree *node;
	const char *text;  /* template text: its dollar signs begin placeholders; NULL: the node stays, with these around it: */
	const char *before, *between, *after; /* between: for the operator of a node with one or two children; NULL: it stays */
};

struct kt_write {
	const struct kt_kernel *kernel;
	size_t count;
	struct kt_replacement *items; /* later ones win */
	bool failed;       /* out of memory, or a node that comes out of a macro was to be replaced */
};

void kt_write_set(struct kt_write *write, const struct kt_tree *node, const char *text);
/* Keeps the node with text before it and after it and another operator: `f(a, b)` for `a / b`. Its children may be set. */
void kt_write_wrap(struct kt_write *write, const struct kt_tree *node, const char *before, const char *between,
                   const char *after);
/* Takes back everything set since count was `mark`. */
void kt_write_back(struct kt_write *write, size_t mark);
/* Appends the node, replaced itself where it is set. */
void kt_write_node(struct kt_buf *out, struct kt_write *write, const struct kt_tree *node);
/* Appends a statement, and a comment that ends its line. */
void kt_write_statement(struct kt_buf *out, struct kt_write *write, const struct kt_tree *node);
/* Appends the statements [first, end) of a block with the comments before each. */
void kt_write_statements(struct kt_buf *out, struct kt_write *write, const struct kt_tree *block, size_t first,
                         size_t end);
/* A range of the kernel's text, without changes. */
void kt_write_text(struct kt_buf *out, const struct kt_write *write, uint32_t begin, uint32_t end);
/* As kt_write_node without looking at the node itself: what is set below it is replaced. */
void kt_write_inside(struct kt_buf *out, struct kt_write *write, const struct kt_tree *node);
/*
 * The text without the branches of an #if that was left open: of `for (…) #ifdef A … #else STATEMENT #endif` the loop goes up
 * to the statement that is compiled, and what follows is no part of it. NULL: an #if is open at the end, or no memory.
 */
char *kt_write_close(struct kt_arena *arena, const char *text);
/* Formats template text: a tab a level of braces, no blank at the end of a line, one empty line at most. */
char *kt_write_indent(struct kt_arena *arena, const char *text);

#endif
