/*
 * Why the rules, or the kernel IR, have no template for a kernel: every such reason is a row here. A message names place,
 * cause and fix in this order; the cause is found with the place, by what declines, and the row has the fix.
 */
#ifndef KT_BASE_DECLINE_H
#define KT_BASE_DECLINE_H

/* X(identifier, name, fix): the fix is true of CUDA and of OpenCL, whatever rule declines. */
#define KT_DECLINES(X) \
	X(BAD_TEMPLATE, "bad-template", "report the kernel with this line") \
	X(BODY_UNREAD, "body-unread", "write the whole definition of the kernel in one file, outside of macros") \
	X(BOUND_UNKNOWN, "bound-unknown", \
	  "compare the index with an argument (`if (i < n)`), and write grid(…) and block(…) over arguments") \
	X(CARRIED, "carried", "compute what an iteration needs from its own index") \
	X(GEOMETRY_DIFFERS, "geometry-differs", "launch the kernel with one grid and one block, or write grid(…) and block(…)") \
	X(GEOMETRY_USED, "geometry-used", "use the loop's index in place of the thread's") \
	X(HIDDEN_NAME, "hidden-name", "rename the declaration") \
	X(IN_MACRO, "in-macro", "write the loop and its memory accesses outside of macros and of #if") \
	X(INSTANCE_UNKNOWN, "instance-unknown", "write each kernel as a separate function, with macros that are defined once") \
	X(KERNELS_MIX, "kernels-mix", "launch the kernels outside of one block") \
	X(LAUNCH_REGION, "launch-region", "launch each kernel outside of the block, or write tune(NAME = …)") \
	X(LOOP_LEFT, "loop-left", "put what follows into an if, without leaving the loop") \
	X(LOOP_UNREAD, "loop-unread", "access the kernel's pointers by an index (`x[i]`), and set each pointer once") \
	X(LOWERING_DIFFERS, "lowering-differs", \
	  "report the kernel with this line; tune(NAME = …) tunes parameters of your own") \
	X(NO_GEOMETRY, "no-geometry", "write grid(…) and block(…) over arguments") \
	X(NO_SHARED_LOOP, "no-shared-loop", \
	  "start a loop at the thread's index and step by the number of threads; tune(NAME = …) tunes parameters of your own") \
	X(NOT_PRINTABLE, "not-printable", \
	  "report the kernel with this line; tune(NAME = …) tunes parameters of your own") \
	X(NOTHING_APPLIES, "nothing-applies", "allow more strategies in auto(…), or write tune(NAME = …)") \
	X(OPAQUE_STATEMENT, "opaque-statement", \
	  "write the statement with plain variables, loops and arrays, or write tune(NAME = …)") \
	X(OTHER_NAMESPACE, "other-namespace", "declare the name in the namespace of the kernel") \
	X(PARTIAL_USED, "partial-used", "start each thread's part at 0, or at the lowest value, and combine all parts before they are used") \
	X(ROWS_MIX, "rows-mix", "let block i of each kernel use row i alone, or launch the kernels outside of one block") \
	X(SHAPE, "shape", "distribute all work by loops over the threads of one dimension, or write tune(NAME = …)") \
	X(SHARED_USED, "shared-used", "write tune(NAME = …) for parameters of your own: the rules keep such a kernel") \
	X(STRUCTURE_TYPE, "structure-type", "give the class a name outside of unnamed namespaces") \
	X(THREADS_WAIT, "threads-wait", "write tune(NAME = …) for parameters of your own: the rules keep such a kernel") \
	X(TIES, "ties", "take the lower index of equal values wherever two are compared") \
	X(TOO_LARGE, "too-large", "split the kernel, or write tune(NAME = …)")

enum kt_decline {
	KT_DECLINE_NONE,
#define KT_DECLINE_ROW(id, name, fix) KT_DECLINE_##id,
	KT_DECLINES(KT_DECLINE_ROW)
#undef KT_DECLINE_ROW
	KT_DECLINE_COUNT
};

const char *kt_decline_name(enum kt_decline decline);
/* KT_DECLINE_NONE for an unknown name. */
enum kt_decline kt_decline_from_name(const char *name);
/*
 * The fix for a reason by this name: "" where the name is no row, and where the detail, what was found at the place,
 * has its fix after "; ".
 */
const char *kt_decline_fix(const char *name, const char *detail);

#endif
