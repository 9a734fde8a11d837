/*
 * What host code does besides giving a value, judged by what is declared, macros expanded:
 *   quiet.c        statements and expressions
 *   quiet_error.c  which branches only an error leads to
 *   quiet_call.c   functions, constructors, conversions
 *
 * A launch region's variant runs where the first of its launches was, and its arguments are evaluated there and once
 * more where no variant fits. So nothing between the launches and nothing in their arguments may have an effect that
 * a launch, or the next evaluation, could see. Anything that is not known to have none has one.
 */
#ifndef KT_CLANG_QUIET_H
#define KT_CLANG_QUIET_H

#include "unit.h"

#define KT_QUIET_DEPTH 8   /* of functions that call others */
#define KT_QUIET_ERRORS 32 /* variables that hold an error, at a time */

struct kt_quiet {
	struct kt_scan *scan;
	bool asks;                         /* may the last error be asked for? */
	const char *why;                   /* what has an effect, after kt_quiet_* has returned false */
	/* What the functions below keep. */
	bool in_callee, in_do;
	CXCursor object;                   /* the class whose constructor is read */
	size_t depth;
	size_t error_count;
	CXCursor errors[KT_QUIET_ERRORS];  /* hold what was asked for after the first launch */
	size_t changed_count;
	CXCursor changed[KT_QUIET_ERRORS]; /* variables of the host function that it was assigned to */
};

/* Has the statement no effect but on what it declares? Remembers variables that hold the last error from then on. */
bool kt_quiet_statement(struct kt_quiet *q, CXCursor statement);
/* The same of an expression. */
bool kt_quiet_value(struct kt_quiet *q, CXCursor expression);
/*
 * The same of a launch's stream, which may also be asked for: a function without arguments whose name ends in
 * "stream".
 */
bool kt_quiet_stream(struct kt_quiet *q, CXCursor expression);
/* The same of the function that a call leads to, defaults included. */
bool kt_quiet_callee(struct kt_quiet *q, CXCursor call);
/* The same of what a call of the function does not give and takes the default of. */
bool kt_quiet_defaults(struct kt_quiet *q, CXCursor function, CXCursor call);
/* Can an object of the type end, and be copied, without effect? */
bool kt_quiet_type(struct kt_quiet *q, CXType type);

/* Which value of a condition is only possible where an error was asked for and there was one. */
enum kt_error_if { KT_ERROR_NEVER = 0, KT_ERROR_IF_TRUE = 1, KT_ERROR_IF_FALSE = 2 };
unsigned kt_error_if(const struct kt_quiet *q, CXCursor condition);
/* Is the value what was asked for as the last error? */
bool kt_is_error(const struct kt_quiet *q, CXCursor expression);
/* Does the cursor name a function of the runtime that gives the last error? */
bool kt_asks_for_error(CXCursor function);

/* An expression without the conversions, parentheses and casts around it. */
CXCursor kt_quiet_inner(CXCursor expression);
/* Its direct parts that are expressions; as many as there are, at most `most` of them in out. */
size_t kt_quiet_operands(CXCursor out[], size_t most, CXCursor cursor);
/* Keeps why, with printf's arguments, and returns false. */
bool kt_quiet_not(struct kt_quiet *q, const char *why, ...) KT_PRINTF(2, 3);
/* The name of what a cursor stands for. */
const char *kt_quiet_name(struct kt_quiet *q, CXCursor cursor);

#endif
