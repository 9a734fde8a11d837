/*
 * Compiler output split into diagnostics, and which candidate each of them is
 * about. Candidates are recognised by the names of unit.h, which appear in file
 * names, in instantiation traces and in mangled names.
 */
#ifndef KT_TUNING_BLAME_H
#define KT_TUNING_BLAME_H

#include <stdbool.h>
#include <stddef.h>

struct kt_diagnostic {
	const char *text; /* its lines, with what follows indented */
	size_t size;
	bool error;
	bool has_ticket; /* it names a candidate */
	size_t ticket;
	bool common;     /* it names no candidate and is about the common text or the command itself */
};

/* The next diagnostic from *at on, which moves past it; false at the end. Text before the first is skipped. */
bool kt_diagnostic_next(struct kt_diagnostic *out, const char **at, const char *end);

#endif
