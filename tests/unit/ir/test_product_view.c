/* Products whose threads have two indices in other ways than a block of two dimensions: seen so, variants compute the same. */
#include <stdio.h>
#include <stdlib.h>

#include "pass_case.h"

#define HEAD "module\nkernel @k(%c: ptr<global, f32>, %a: ptr<global, const f32>, %b: ptr<global, const f32>, %m: i32, %n: i32, %k: i32) {\n"
#define INSIDE "  if both(lt(%row, %m), lt(%col, %n)) {\n"
#define ZERO "  local %s: f32\n  set %s = 0x0p+0:f32\n"
#define LOAD(to, from, at) "  let " to " = load *" from "[" at "]\n"
#define BODY                                                                                                                   \
	INSIDE ZERO "  for %i = 0:i32, %k, 1:i32 {\n" LOAD("%u", "%a", "convert(add.nw(mul.nw(%row, %k), %i)):i64")                   \
	    LOAD("%v", "%b", "convert(add.nw(mul.nw(%i, %n), %col)):i64") "  set %s = add(%s, mul(%u, %v))\n  }\n"                  \
	    "  store *%c[convert(add.nw(mul.nw(%row, %n), %col)):i64] = %s\n  }\n}\n"
/* An index of a dimension: that of blocks of a size, and that of the thread. */
#define INDEX(name, block, size, thread) "  let " name " = convert(add(mul(" block ", " size ":u32), " thread ")):i32\n"
#define BOTH(row, column) HEAD row column BODY
/* Pointers that are moved to the block's begin, by products of words, and indices from there. */
#define WORD(argument) "convert(" argument "):u32"
#define MOVED(more, a, row, column)                                                                                            \
	HEAD more "  let %a0 = convert(" a "):i64\n  let %b0 = convert(mul(block.x, 4:u32)):i64\n  let %c0 = convert(add(mul(mul(block.y, 4:u32), " WORD("%n") "), mul(block.x, 4:u32))):i64\n" \
	ZERO "  for %i = 0:i32, %k, 1:i32 {\n" LOAD("%u", "%a", "add.nw(%a0, convert(" row "):i64)")                            \
	    LOAD("%v", "%b", "add.nw(%b0, convert(" column "):i64)") "  set %s = add(%s, mul(%u, %v))\n  }\n"                        \
	    "  store *%c[add.nw(%c0, convert(add(mul(thread.y, " WORD("%n") "), thread.x)):i64)] = %s\n}\n"
/* A thread for each result: rows and columns by division. */
#define FLAT(before, end, row, col, after)                                                                                     \
	HEAD "  let %t = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n" before "  if lt(%t, " end ") {\n  let %row = " row "\n  let %col = " col "\n" ZERO \
	     "  for %i = 0:i32, %k, 1:i32 {\n" LOAD("%u", "%a", "convert(add.nw(mul.nw(%row, %k), %i)):i64")                          \
	    LOAD("%v", "%b", "convert(add.nw(mul.nw(%i, %n), %col)):i64") "  set %s = add(%s, mul(%u, %v))\n  }\n"                  \
	    "  store *%c[convert(%t):i64] = %s\n  }" after "\n}\n"
/* Two by two results of a thread, in an array: what comes before the sums, in their loop, in their innermost one, and after them. */
#define TWO(name, in) "  for " name " = 0:i32, 2:i32, 1:i32 {\n" in "  }\n"
#define LINE(name, block, thread, number) "  let " name " = add.nw(mul.nw(convert(" block "):i32, 8:i32), add.nw(mul.nw(convert(" thread "):i32, 2:i32), " number "))\n"
#define FAR(name, block, thread, number) "  let " name " = add.nw(mul.nw(convert(" block "):i32, 8:i32), add.nw(convert(" thread "):i32, mul.nw(" number ", 4:i32)))\n"
#define ELEMENT(array, p, q) array "[convert(add.nw(mul.nw(" p ", 2:i32), " q ")):i64]"
#define OF_A(to, row) LOAD(to, "%a", "convert(add.nw(mul.nw(" row ", %k), %i)):i64")
#define OF_B(to, col) LOAD(to, "%b", "convert(add.nw(mul.nw(%i, %n), " col ")):i64")
#define AT_C(row, col) "*%c[convert(add.nw(mul.nw(" row ", %n), " col ")):i64]"
#define CLEAR "  local %s: [f32 x 4]\n  store %s[0:i64] = 0x0p+0:f32\n  store %s[1:i64] = 0x0p+0:f32\n  store %s[2:i64] = 0x0p+0:f32\n  store %s[3:i64] = 0x0p+0:f32\n"
#define FOUR(name) "  local " name ": [f32 x 4]\n" TWO("%a0", TWO("%a1", "  store " ELEMENT(name, "%a0", "%a1") " = 0x0p+0:f32\n"))
#define ADD(u, v) "  let %t = load " ELEMENT("%s", "%p", "%q") "\n  store " ELEMENT("%s", "%p", "%q") " = add(%t, mul(" u ", " v "))\n"
#define SUMS(line, y, x) "  for %i = 0:i32, %k, 1:i32 {\n" TWO("%p", line("%row", "block.y", y, "%p") OF_A("%u", "%row") TWO("%q", line("%col", "block.x", x, "%q") OF_B("%v", "%col") ADD("%u", "%v"))) "  }\n"
#define STORES(line, y, x, more) TWO("%p.1", line("%row.1", "block.y", y, "%p.1") TWO("%q.1", line("%col.1", "block.x", x, "%q.1") \
	"  let %r = load " ELEMENT("%s", "%p.1", "%q.1") "\n" more "  store " AT_C("%row.1", "%col.1") " = %r\n"))
#define RESULTS(line, y, x) HEAD CLEAR SUMS(line, y, x) STORES(line, y, x, "") "}\n"
/* The same, of which one part is another. */
#define WITH(clear, sums, stores) HEAD clear sums stores "}\n"
#define AND_D(clear, sums, stores) "module\nkernel @k(%c: ptr<global, f32>, %a: ptr<global, const f32>, %b: ptr<global, const f32>, %m: i32, %n: i32, %k: i32, %d: ptr<global, f32>) {\n" clear sums stores "}\n"
#define NEAR_SUMS SUMS(LINE, "thread.y", "thread.x")
#define NEAR_STORES(more) STORES(LINE, "thread.y", "thread.x", more)
#define FILL(array, counter, in) "  local " array ": [f32 x 2]\n  for " counter " = 0:i32, 2:i32, 1:i32 {\n" in "  store " array "[convert(" counter "):i64] = %e\n  }\n"
/* Loops over all indices of a dimension, by the number of threads; sums that are in memory. */
#define STRIDES(y, x, more) HEAD "  for %row = convert(add(mul(block.y, blockdim.y), thread.y)):i32, %m, " y " {\n  for %col = convert(add(mul(block.x, blockdim.x), thread.x)):i32, %n, " x " {\n" \
	ZERO "  for %i = 0:i32, %k, 1:i32 {\n" OF_A("%u", "%row") OF_B("%v", "%col") "  set %s = add(%s, mul(%u, %v))\n  }\n  store " AT_C("%row", "%col") " = %s\n" more "  }\n  }\n}\n"
#define THREADS(d, block) "convert(mul(griddim." d ", " block ")):i32"
#define OWN_C AT_C("%row", "%col")
#define IN_MEMORY(before, in, after) HEAD INDEX("%row", "block.y", "4", "thread.y") INDEX("%col", "block.x", "4", "thread.x") INSIDE before \
	"  for %i = 0:i32, %k, 1:i32 {\n" OF_A("%u", "%row") OF_B("%v", "%col") in "  }\n" after "  }\n}\n"
#define SCALE "  let %o = load " OWN_C "\n  store " OWN_C " = mul(%o, 0x1p+1:f32)\n"
#define MORE "  let %t = load " OWN_C "\n  store " OWN_C " = add(%t, mul(%u, %v))\n"
#define A_ROWS "mul(mul(block.y, 4:u32), " WORD("%k") ")"
#define A_AT "add(mul(thread.y, " WORD("%k") "), " WORD("%i") ")"
#define B_AT "add(mul(" WORD("%i") ", " WORD("%n") "), thread.x)"

static const struct kt_ir_argument_facts arguments[] = {{"c", "m * n", false}, {"a", "m * k", true}, {"b", "k * n", true},
							 {"m", NULL, false},     {"n", NULL, false},    {"k", NULL, false},    {"d", "m * n", false}};
static const struct kt_ir_facts square = {.block = {4, 4, 1}, .arguments = arguments, .grid = {"gx", "gy"}, .blocks = {"4", "4"}},
				line = {.block = {16, 1, 1}, .arguments = arguments, .grid = {"gx", "gy"}, .blocks = {"16"}},
				warps = {.block = {64, 1, 1}, .arguments = arguments, .grid = {"gx", "gy"}, .blocks = {"64"}},
				odd = {.block = {18, 1, 1}, .arguments = arguments, .grid = {"gx", "gy"}, .blocks = {"18"}},
				deep = {.block = {8, 1, 2}, .arguments = arguments, .grid = {"gx", "gy"}, .blocks = {"8", "1", "2"}};

static const char one_side[] = "iterations do not combine what depends on one index with what depends on the other one",
		  inner_loop[] = "the loop in the loop has no constant number of iterations, or is not all of it",
		  tangled_why[] = "results of a thread need each other, or no loops over an array number them",
		  unplaced_why[] = "results of a thread are not at rows and columns of what is stored",
		  more_than_index[] = "threads of a block differ by more than their global index";

static const struct {
	const char *text;
	const struct kt_ir_facts *facts;
	uint32_t rows, columns;    /* of a block */
	bool exchanges, is_flat;   /* the grid's x counts rows; it counts all results */
	const char *grid, *guard; /* of the template's x; a guard that it has; NULL: not asked */
} seen[] = {
    /* Quotient and remainder, by shift and mask, of a word or a signed number. */
    {BOTH(INDEX("%row", "block.y", "4", "div(thread.x, 4:u32)"), INDEX("%col", "block.x", "4", "rem(thread.x, 4:u32)")), &line, 4, 4, false, false,
     "TM == 0 ? (gx) : (ceil_div((gx) * (4), BX * TN))", "TM == 0 || (gy) * (4) % (BY * TM) == 0 || m <= (gy) * (4)"},
    {BOTH(INDEX("%row", "block.y", "2", "shr(thread.x, 3:u32)"), INDEX("%col", "block.x", "8", "and(thread.x, 7:u32)")), &line, 2, 8, false, false, NULL, NULL},
    {BOTH("  let %t = convert(thread.x):i32\n  let %row = add.nw(mul.nw(convert(block.y):i32, 2:i32), div(%t, 8:i32))\n",
	  "  let %col = add.nw(mul.nw(convert(block.x):i32, 8:i32), rem(%t, 8:i32))\n"), &line, 2, 8, false, false, NULL, NULL},
    /* The columns of a block are warps. */
    {BOTH(INDEX("%row", "block.x", "2", "div(thread.x, 32:u32)"), INDEX("%col", "block.y", "32", "rem(thread.x, 32:u32)")), &warps, 2, 32, true, false,
     "TM == 0 ? (gx) : (ceil_div((gy) * (32), BX * TN))", NULL},
    /* Blocks exchanged, of either form; rows in the other index of the thread. */
    {BOTH(INDEX("%row", "block.x", "4", "thread.y"), INDEX("%col", "block.y", "4", "thread.x")), &square, 4, 4, true, false,
     "TM == 0 ? (gx) : (ceil_div((gy) * (4), BX * TN))", "TM == 0 || (gx) * (4) % (BY * TM) == 0 || m <= (gx) * (4)"},
    {BOTH(INDEX("%row", "block.x", "4", "div(thread.x, 4:u32)"), INDEX("%col", "block.y", "4", "rem(thread.x, 4:u32)")), &line, 4, 4, true, false, NULL, NULL},
    /* Words that are 64 bits before they are added. */
    {MOVED("", A_ROWS, A_AT, B_AT), &square, 4, 4, false, false, NULL, "TM == 0 || (((4 * (gy)) * k) <= 4294967295)"},
    /* A loop that counts down from an argument. */
    {HEAD INDEX("%row", "block.y", "4", "thread.y") INDEX("%col", "block.x", "4", "thread.x") INSIDE ZERO "  for %i = %k, 0:i32, -1:i32 {\n"
     LOAD("%u", "%a", "convert(add.nw(mul.nw(%row, %k), sub.nw(%k, %i))):i64") LOAD("%v", "%b", "convert(add.nw(mul.nw(sub.nw(%k, %i), %n), %col)):i64")
     "  set %s = add(%s, mul(%u, %v))\n  }\n  store *%c[convert(add.nw(mul.nw(%row, %n), %col)):i64] = %s\n  }\n}\n", &square, 4, 4, false, false, NULL, NULL},
    /* Results in one dimension, in words and in 64 bits. */
    {FLAT("", "mul.nw(%m, %n)", "div(%t, %n)", "rem(%t, %n)", ""), &line, 16, 1, false, true, "TM == 0 ? (gx) : (ceil_div((n) * (1), BX * TN))",
     "TM == 0 || ((m * n) <= ((gx) * 16))"},
    /* Loops over all indices. */
    {STRIDES(THREADS("y", "blockdim.y"), THREADS("x", "4:u32"), ""), &square, 4, 4, false, false, NULL, "TM == 0 || (m <= ((gy) * 4))"},
    /* Sums in memory: from what is there, after it was scaled, and cleared; scaled after them. */
    {IN_MEMORY("", MORE, ""), &square, 4, 4, false, false, NULL, "TM == 0 || disjoint(b, k * n, c, m * n)"},
    {IN_MEMORY(SCALE, MORE, ""), &square, 4, 4, false, false, NULL, NULL},
    {IN_MEMORY("  store " OWN_C " = 0x1p+0:f32\n", MORE, ""), &square, 4, 4, false, false, NULL, NULL},
    {IN_MEMORY("", MORE, SCALE), &square, 4, 4, false, false, NULL, NULL},
    /* Results of a thread: neighbours and far ones, of threads in rows and in one dimension, with blocks exchanged. */
    {RESULTS(LINE, "thread.y", "thread.x"), &square, 8, 8, false, false, "TM == 0 ? (gx) : (ceil_div((gx) * (8), BX * TN))", "TM == 0 || (8 <= n)"},
    {RESULTS(FAR, "thread.y", "thread.x"), &square, 8, 8, false, false, NULL, "TM == 0 || disjoint(a, m * k, c, m * n)"},
    {RESULTS(FAR, "div(thread.x, 4:u32)", "and(thread.x, 3:u32)"), &line, 8, 8, false, false, NULL, NULL},
    {HEAD CLEAR "  for %i = 0:i32, %k, 1:i32 {\n" TWO("%p", LINE("%row", "block.x", "thread.y", "%p") OF_A("%u", "%row") TWO("%q", LINE("%col", "block.y", "thread.x", "%q") OF_B("%v", "%col") ADD("%u", "%v"))) "  }\n"
     TWO("%p.1", LINE("%row.1", "block.x", "thread.y", "%p.1") TWO("%q.1", LINE("%col.1", "block.y", "thread.x", "%q.1") "  let %r = load " ELEMENT("%s", "%p.1", "%q.1") "\n  store " AT_C("%row.1", "%col.1") " = %r\n")) "}\n",
     &square, 8, 8, true, false, NULL, NULL},
    /* Begun by a loop; the place that is stored to is loaded from; several loops of one digit after each other. */
    {WITH("  local %s: [f32 x 4]\n" TWO("%p.2", TWO("%q.2", "  store " ELEMENT("%s", "%p.2", "%q.2") " = 0x0p+0:f32\n")), NEAR_SUMS, NEAR_STORES("")), &square, 8, 8, false, false, NULL, NULL},
    {HEAD CLEAR NEAR_SUMS TWO("%p.1", LINE("%row.1", "block.y", "thread.y", "%p.1") TWO("%q.1", LINE("%col.1", "block.x", "thread.x", "%q.1") "  let %r = load " ELEMENT("%s", "%p.1", "%q.1") "\n  let %old = load " AT_C("%row.1", "%col.1")
     "\n  store " AT_C("%row.1", "%col.1") " = add(%r, %old)\n")) "}\n", &square, 8, 8, false, false, NULL, NULL},
    {WITH(CLEAR, NEAR_SUMS "  for %z = 0:i32, 4:i32, 1:i32 {\n  let %f = load %s[convert(%z):i64]\n  store %s[convert(%z):i64] = mul(%f, 0x1p+1:f32)\n  }\n", NEAR_STORES("")), &square, 8, 8, false, false, NULL, NULL},
    /* Rows and columns that are loaded first. */
    {WITH(CLEAR, "  for %i = 0:i32, %k, 1:i32 {\n" FILL("%x", "%g", LINE("%row", "block.y", "thread.y", "%g") OF_A("%e", "%row")) "  local %w: [f32 x 2]\n" TWO("%h", LINE("%col", "block.x", "thread.x", "%h") OF_B("%o", "%col") "  store %w[convert(%h):i64] = %o\n")
	  TWO("%p", TWO("%q", "  let %u = load %x[convert(%p):i64]\n  let %v = load %w[convert(%q):i64]\n" ADD("%u", "%v"))) "  }\n", NEAR_STORES("")), &square, 8, 8, false, false, NULL, NULL},
    /* What a loop that fills an array stores elsewhere, it stores once. */
    {WITH(CLEAR FOUR("%o"), "  for %i = 0:i32, %k, 1:i32 {\n  local %x: [f32 x 4]\n" TWO("%g", TWO("%h", LINE("%row", "block.y", "thread.y", "%g") OF_A("%e", "%row") "  if eq(rem(%i, 2:i32), 0:i32) {\n  store " ELEMENT("%o", "%g", "%h") " = 0x1p+0:f32\n  }\n  store " ELEMENT("%x", "%g", "%h") " = %e\n"))
	  TWO("%y", TWO("%z", "  store " ELEMENT("%o", "%y", "%z") " = 0x1p+3:f32\n")) TWO("%p", TWO("%q", LINE("%col", "block.x", "thread.x", "%q") OF_B("%v", "%col") "  let %u = load " ELEMENT("%x", "%p", "%q") "\n" ADD("%u", "%v")
	  "  let %l = load " ELEMENT("%o", "%p", "%q") "\n  let %f = load " ELEMENT("%s", "%p", "%q") "\n  store " ELEMENT("%s", "%p", "%q") " = add(%f, %l)\n")) "  }\n", NEAR_STORES("")), &square, 8, 8, false, false, NULL, NULL},
    {FLAT("", "mul.nw(%n, %m)", "convert(div(convert(%t):i64, convert(%n):i64)):i32", "convert(rem(convert(%t):i64, convert(%n):i64)):i32", ""), &line, 16, 1, false, true, NULL, NULL},
};

static const struct {
	const char *text;
	const struct kt_ir_facts *facts;
} refused[] = {
    /* Two divisors, one that the block is no multiple of, a block of two dimensions, one divisor of something else. */
    {BOTH(INDEX("%row", "block.y", "4", "div(thread.x, 4:u32)"), INDEX("%col", "block.x", "4", "rem(thread.x, 8:u32)")), &line},
    {BOTH(INDEX("%row", "block.y", "4", "div(thread.x, 4:u32)"), INDEX("%col", "block.x", "4", "rem(thread.x, 4:u32)")), &odd},
    {BOTH(INDEX("%row", "block.y", "2", "add(mul(thread.y, 2:u32), div(thread.x, 2:u32))"), INDEX("%col", "block.x", "4", "rem(thread.x, 2:u32)")), &square},
    {BOTH(INDEX("%row", "block.y", "4", "div(add(thread.x, 1:u32), 4:u32)"), INDEX("%col", "block.x", "4", "rem(thread.x, 4:u32)")), &line},
    {BOTH(INDEX("%row", "block.y", "4", "mul(thread.x, 4:u32)"), INDEX("%col", "block.x", "4", "rem(thread.x, 4:u32)")), &line},
    {BOTH(INDEX("%row", "block.y", "4", "div(thread.x, 4:u32)"), INDEX("%col", "block.x", "4", "rem(block.x, 4:u32)")), &line},
    {BOTH(INDEX("%row", "block.y", "3", "and(thread.x, 5:u32)"), INDEX("%col", "block.x", "4", "rem(thread.x, 4:u32)")), &line},
    /* Blocks of another size than the thread's index counts. */
    {BOTH(INDEX("%row", "block.x", "8", "thread.y"), INDEX("%col", "block.y", "4", "thread.x")), &square},
    /* What a word is at most is not known: an index that was loaded, too many arguments, what may be below zero. */
    {MOVED("  let %z = load *%a[0:i64].as(u32, align 4)\n", "add(" A_ROWS ", %z)", A_AT, B_AT), &square},
    {MOVED("", "mul(" A_ROWS ", mul(" WORD("%m") ", " WORD("%n") "))", A_AT, B_AT), &square},
    {MOVED("", "sub(" A_ROWS ", " WORD("%m") ")", A_AT, B_AT), &square},
    {MOVED("", "add(mul(mul(block.y, 4:u32), " WORD("%k") "), 40000:u32)", A_AT, B_AT), &square},
    {MOVED("", "mul(mul(block.y, 40000:u32), " WORD("%k") ")", A_AT, B_AT), &square},
};

/* Results of a thread, each with a condition that is not as it has to be. */
/* One that is stored at a place of several. */
static const char unplaced[] =
    AND_D(CLEAR, NEAR_SUMS, NEAR_STORES("  store *%d[convert(%row.1):i64] = %r\n"));

static const char *const tangled[] = {
    /* Results that need each other: by a local, by memory of one thread, by what is loaded from where others are stored. */
    AND_D(CLEAR "  local %z: f32\n  set %z = 0x0p+0:f32\n", NEAR_SUMS, NEAR_STORES("  set %z = add(%z, %r)\n  store *%d[0:i64] = %z\n")),
    WITH(CLEAR, NEAR_SUMS TWO("%z", "  let %f = load " ELEMENT("%s", "%z", "0:i32") "\n  store " ELEMENT("%s", "%z", "1:i32") " = %f\n"), NEAR_STORES("")),
    WITH(CLEAR, NEAR_SUMS, NEAR_STORES("  let %l = load *%c[convert(%n):i64]\n  store *%c[convert(%m):i64] = %l\n")),
    /* The place is another one when it is stored to. */
    WITH(CLEAR, NEAR_SUMS, TWO("%p.1", LINE("%row.1", "block.y", "thread.y", "%p.1") TWO("%q.1", LINE("%col.1", "block.x", "thread.x", "%q.1") "  let %r = load " ELEMENT("%s", "%p.1", "%q.1") "\n  local %w: i32\n  set %w = 0:i32\n  if lt(%k, 5:i32) {\n  set %w = %m\n  }\n"
	 "  let %old = load " AT_C("%row.1", "add.nw(%col.1, %w)") "\n  if lt(%k, 6:i32) {\n  set %w = add.nw(%w, %n)\n  }\n  store " AT_C("%row.1", "add.nw(%col.1, %w)") " = add(%r, %old)\n"))),
    /* Results that are longer than the distance of their places. */
    WITH(CLEAR, NEAR_SUMS, TWO("%p.1", LINE("%row.1", "block.y", "thread.y", "%p.1") TWO("%q.1", LINE("%col.1", "block.x", "thread.x", "%q.1") "  let %r = load " ELEMENT("%s", "%p.1", "%q.1") "\n  store " AT_C("%row.1", "%col.1") ".as(f64, align 4) = convert(%r):f64\n"))),
    /* Places that overlap: by what was loaded, by the counter of another loop. */
    WITH(CLEAR, NEAR_SUMS, TWO("%p.1", LINE("%row.1", "block.y", "thread.y", "%p.1") TWO("%q.1", LINE("%col.1", "block.x", "thread.x", "%q.1") "  let %r = load " ELEMENT("%s", "%p.1", "%q.1") "\n  let %o = load *%b[convert(%col.1):i64].as(i32, align 4)\n  store " AT_C("%row.1", "add.nw(%col.1, %o)") " = %r\n"))),
    WITH(CLEAR, NEAR_SUMS, TWO("%p.1", LINE("%row.1", "block.y", "thread.y", "%p.1") TWO("%q.1", LINE("%col.1", "block.x", "thread.x", "%q.1") "  let %r = load " ELEMENT("%s", "%p.1", "%q.1") "\n  for %o = 0:i32, 3:i32, 1:i32 {\n  store " AT_C("%row.1", "add.nw(%col.1, %o)") " = %r\n  }\n"))),
    /* What is stored for some of them, twice to one buffer, by an atomic. */
    AND_D(CLEAR, NEAR_SUMS TWO("%z", "  store *%d[convert(%z):i64] = 0x1p+0:f32\n"), NEAR_STORES("")),
    AND_D(CLEAR, NEAR_SUMS, NEAR_STORES("  store *%d[convert(%row.1):i64] = %r\n")),
    AND_D(CLEAR, NEAR_SUMS, NEAR_STORES("  store *%d[convert(add.nw(mul.nw(%row.1, %n), mul.nw(%col.1, 2:i32))):i64] = %r\n")),
    AND_D(CLEAR, NEAR_SUMS, NEAR_STORES("  store *%d[convert(add.nw(mul.nw(%row.1, %m), %col.1)):i64] = %r\n")),
    WITH(CLEAR, NEAR_SUMS, NEAR_STORES("  store " AT_C("%row.1", "add.nw(%col.1, 2:i32)") " = %r\n")),
    WITH(CLEAR, NEAR_SUMS, NEAR_STORES("  atomic.add *%c[0:i64] (%r) relaxed grid\n")),
    /* Elements that begin differently, not all of them, in a loop over others; loops over one digit in one another. */
    WITH("  local %s: [f32 x 4]\n  store %s[0:i64] = 0x1p+0:f32\n  store %s[1:i64] = 0x0p+0:f32\n  store %s[2:i64] = 0x0p+0:f32\n  store %s[3:i64] = 0x0p+0:f32\n", NEAR_SUMS, NEAR_STORES("")),
    WITH("  local %s: [f32 x 4]\n  store %s[0:i64] = 0x0p+0:f32\n  store %s[1:i64] = 0x0p+0:f32\n", NEAR_SUMS, NEAR_STORES("")),
    WITH(CLEAR, NEAR_SUMS TWO("%z", "  store %s[convert(%z):i64] = 0x1p+0:f32\n"), NEAR_STORES("")),
    WITH(CLEAR, NEAR_SUMS TWO("%z", TWO("%y", "  let %f = load " ELEMENT("%s", "%z", "%z") "\n  store " ELEMENT("%s", "%z", "%y") " = %f\n")), NEAR_STORES("")),
    /* An array of other results. */
    AND_D(CLEAR "  local %o: [f32 x 2]\n", NEAR_SUMS "  if gt(%n, 3:i32) {\n" TWO("%z", "  store %o[convert(%z):i64] = 0x1p+0:f32\n") "  }\n  let %l = load %o[convert(rem(%n, 2:i32)):i64]\n",
	  NEAR_STORES("  store *%d[convert(add.nw(mul.nw(%row.1, %n), %col.1)):i64] = %l\n")),
};

/* Loops that may run several times: their step is another one, their end is no argument. */
static const struct {
	const char *text, *why;
} several[] = {
    {STRIDES(THREADS("y", "4:u32"), THREADS("x", "8:u32"), ""), more_than_index},
    {STRIDES(THREADS("y", "4:u32"), THREADS("y", "4:u32"), ""), more_than_index},
    {STRIDES(THREADS("y", "4:u32"), "4:i32", ""), inner_loop},
    {HEAD "  let %e = load *%a[0:i64]\n  let %end = convert(%e):i32\n  for %row = convert(add(mul(block.y, blockdim.y), thread.y)):i32, %end, " THREADS("y", "blockdim.y") " {\n"
	INDEX("%col", "block.x", "4", "thread.x") "  if lt(%col, %n) {\n" ZERO "  for %i = 0:i32, %k, 1:i32 {\n" OF_A("%u", "%row") OF_B("%v", "%col") "  set %s = add(%s, mul(%u, %v))\n  }\n"
	"  store " OWN_C " = %s\n  }\n  }\n}\n", more_than_index},
};

/* Sums in memory that stay there: stored for some iterations, loaded from elsewhere in their buffer, beside another store, at a place of the iteration, stored under a condition
 * before, loaded before where the loop alone stores. */
static const char *const in_memory[] = {
    IN_MEMORY("", "  let %t = load " OWN_C "\n  if gt(%i, 2:i32) {\n  store " OWN_C " = add(%t, mul(%u, %v))\n  }\n", ""),
    IN_MEMORY("", MORE "  let %l = load *%c[convert(%i):i64]\n  store " OWN_C " = %l\n", ""),
    IN_MEMORY("", MORE "  store *%c[0:i64] = %t\n", ""),
    IN_MEMORY("", "  let %t = load *%c[convert(%i):i64]\n  store *%c[convert(%i):i64] = add(%t, mul(%u, %v))\n", ""),
    IN_MEMORY("  if gt(%k, 5:i32) {\n" SCALE "  }\n", MORE, ""),
    IN_MEMORY("  let %l = load " OWN_C "\n", "  let %t = load " OWN_C "\n  store " OWN_C " = add(%t, mul(%l, mul(%u, %v)))\n", ""),
};

/* Results in one dimension, each with a condition that is not as it has to be. */
static const struct {
	const char *text, *why;
} uneven[] = {
    {FLAT("", "mul.nw(%m, %n)", "div(%t, %n)", "rem(%t, %k)", ""), one_side},
    {FLAT("", "mul.nw(%m, %n)", "div(%t, 24:i32)", "rem(%t, 24:i32)", ""), one_side},
    {FLAT("", "mul.nw(%m, %k)", "div(%t, %n)", "rem(%t, %n)", ""), one_side},
    {FLAT("", "mul(%m, %n)", "div(%t, %n)", "rem(%t, %n)", ""), one_side},
    {FLAT("", "add.nw(mul.nw(%m, %n), 1:i32)", "div(%t, %n)", "rem(%t, %n)", ""), one_side},
    {FLAT("", "mul.nw(mul.nw(%m, %n), 2:i32)", "div(%t, %n)", "rem(%t, %n)", ""), one_side},
    {FLAT("", "add.nw(mul.nw(%m, %n), %k)", "div(%t, %n)", "rem(%t, %n)", ""), one_side},
    {FLAT("", "mul.nw(mul.nw(%m, %n), %k)", "div(%t, %n)", "rem(%t, %n)", ""), one_side},
    {FLAT("", "%m", "div(%t, %n)", "rem(%t, %n)", ""), one_side},
    {FLAT("  store *%c[0:i64] = 0x1p+0:f32\n", "mul.nw(%m, %n)", "div(%t, %n)", "rem(%t, %n)", ""), "before its loop or in it, a thread does more than compute and load"},
    {FLAT("", "mul.nw(%m, %n)", "div(%t, %n)", "rem(%t, %n)", " else {\n  store *%c[0:i64] = 0x1p+0:f32\n  }"), "the kernel has no loop that all of its threads run"},
    {FLAT("", "mul.nw(%m, %n)", "div(%t, %n)", "add.nw(rem(%t, %n), convert(block.x):i32)", ""), more_than_index},
    {FLAT("", "mul.nw(%m, %n)", "div(%t, %n)", "add.nw(rem(%t, %n), convert(block.y):i32)", ""), "an iteration loads what depends on both indices"},
};

/* The pass refuses the kernel since its results cannot be one of a thread each. */
static void refuses_results(const char *text)
{
	struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);
	const struct kt_ir_answer *answer = &pass_offer(arena, text, "product", &square)->answers[0];

	if (answer->applies || (strcmp(answer->text, tangled_why) != 0 && strcmp(answer->text, unplaced_why) != 0))
		fail_msg("%s\n%s", answer->text, text);
	kt_arena_free(arena);
}

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof uneven / sizeof *uneven; i++)
		pass_refuses(uneven[i].text, "product", &line, 0, uneven[i].why);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		pass_refuses(refused[i].text, "product", refused[i].facts, 0, more_than_index);
	for (size_t i = 0; i < sizeof tangled / sizeof *tangled; i++)
		refuses_results(tangled[i]);
	for (size_t i = 0; i < sizeof several / sizeof *several; i++)
		pass_refuses(several[i].text, "product", &square, 0, several[i].why);
	for (size_t i = 0; i < sizeof in_memory / sizeof *in_memory; i++)
		pass_refuses(in_memory[i], "product", &square, 0, "before its loop or in it, a thread does more than compute and load");
	refuses_results(unplaced);
	pass_refuses(seen[1].text, "product", &deep, 0, "the block of the launches is not known, or has more than two dimensions");
}

/* Rows of what is in %x. */
#define FILLS_ROW LINE("%row", "block.y", "thread.y", "%g") OF_A("%e", "%row") "  store %x[convert(%g):i64] = %e\n"
#define FILLED(fill) WITH(CLEAR, "  for %i = 0:i32, %k, 1:i32 {\n  local %x: [f32 x 3]\n" fill TWO("%p", TWO("%q", LINE("%col", "block.x", "thread.x", "%q") OF_B("%v", "%col") "  let %u = load %x[convert(%p):i64]\n" ADD("%u", "%v"))) "  }\n", NEAR_STORES(""))
static const char *const not_filled[] = {
    /* Arrays that are not filled by their loop alone: from the second element on, every other one. */
    FILLED("  store %x[0:i64] = 0x1p-1:f32\n  for %g = 1:i32, 3:i32, 1:i32 {\n" FILLS_ROW "  }\n"),
    FILLED("  store %x[1:i64] = 0x1p-1:f32\n  for %g = 0:i32, 3:i32, 2:i32 {\n" FILLS_ROW "  }\n"),
};

/* An element whose number has no digits that are the counters with which the array is filled. */
static const char no_digits[] =
    WITH(CLEAR, "  for %i = 0:i32, %k, 1:i32 {\n  local %x: [f32 x 6]\n  for %g = 0:i32, 3:i32, 1:i32 {\n" TWO("%h", LINE("%row", "block.y", "thread.y", "%h") OF_A("%e", "%row") "  store " ELEMENT("%x", "%g", "%h") " = %e\n") "  }\n"
	 TWO("%p", TWO("%q", LINE("%col", "block.x", "thread.x", "%q") OF_B("%v", "%col") "  let %u = load %x[convert(add.nw(mul.nw(%q, 3:i32), %p)):i64]\n" ADD("%u", "%v"))) "  }\n", NEAR_STORES(""));

/* Arrays each of which is filled from two elements of the one before: written out, the last one would be 2^24 copies. */
static void test_filled(void **state)
{
	static char text[32768];
	size_t used = 0;

	(void)state;
	refuses_results(no_digits);
	for (size_t i = 0; i < sizeof not_filled / sizeof *not_filled; i++)
		refuses_results(not_filled[i]);
	used += (size_t)snprintf(text, sizeof text, "%s", HEAD CLEAR "  for %i = 0:i32, %k, 1:i32 {\n" FILL("%x0", "%g0", LINE("%row", "block.y", "thread.y", "%g0") OF_A("%e", "%row")));
	for (int i = 1; i <= 24; i++)
		used += (size_t)snprintf(text + used, sizeof text - used,
					 "  local %%x%d: [f32 x 2]\n  for %%g%d = 0:i32, 2:i32, 1:i32 {\n  let %%u%d = load %%x%d[convert(%%g%d):i64]\n"
					 "  let %%v%d = load %%x%d[convert(sub.nw(1:i32, %%g%d)):i64]\n  store %%x%d[convert(%%g%d):i64] = sub(%%u%d, %%v%d)\n  }\n",
					 i, i, i, i - 1, i, i, i - 1, i, i, i, i, i);
	(void)snprintf(text + used, sizeof text - used, "%s",
		       TWO("%p", TWO("%q", LINE("%col", "block.x", "thread.x", "%q") OF_B("%v", "%col") "  let %u = load %x24[convert(%p):i64]\n" ADD("%u", "%v"))) "  }\n" NEAR_STORES("") "}\n");
	refuses_results(text);
}

/* ---- Variants ---- */

enum { ELEMENTS = 2048, M = 24, N = 64, K = 11 };

static void run(float *c, const struct kt_ir_module *module, const uint32_t *grid, const uint32_t *block, uint64_t seed)
{
	static float a[ELEMENTS], b[ELEMENTS];
	static const int m = M, n = N, k = K;
	const struct kt_ir_buffer buffers[] = {{c, sizeof *c * M * N, false, false}, {a, sizeof *a * M * K, false, false}, {b, sizeof *b * K * N, false, false}};
	const struct kt_ir_actual actual[] = {{&buffers[0], 0, NULL}, {&buffers[1], 0, NULL}, {&buffers[2], 0, NULL}, {NULL, 0, &m}, {NULL, 0, &n}, {NULL, 0, &k}};
	const struct kt_ir_launch launch = {.grid = {grid[0], grid[1], 1}, .block = {block[0], block[1], 1}, .seed = seed,
					    .step_limit = 100000000, .argument_count = 6, .arguments = actual};
	struct kt_ir_result result;
	struct kt_error err = {0};

	for (int i = 0; i < ELEMENTS; i++) {
		a[i] = (float)(i * 37 % 101) / 7 - 5;
		b[i] = (float)(i * 53 % 89) / 3 - 9;
		c[i] = 0;
	}
	if (kt_ir_run(&result, module, module->last_function, &launch, &err) != KT_OK)
		fail_msg("%s", err.message);
	if (result.fault != KT_IR_NO_FAULT)
		fail_msg("%s: %s\n%s", kt_ir_fault_texts[result.fault], result.message, ir_text(module));
}

static bool has_guard(const struct kt_ir_offer *offer, const char *text)
{
	for (size_t i = 0; text != NULL && i < offer->guard_count; i++)
		if (strcmp(offer->guards[i].text, text) == 0)
			return true;
	return text == NULL;
}

static void test_seen(void **state)
{
	static const int64_t values[] = {2, 4, 8, 4, 8, 0};
	static float before[ELEMENTS], after[ELEMENTS];

	(void)state;
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
		struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer = pass_offer(arena, seen[i].text, "product", seen[i].facts);
		const uint32_t across = N / seen[i].columns, down = M / seen[i].rows, tiles[] = {2, 3}, threads[] = {8, 4},
			       grid[] = {seen[i].is_flat ? M * N / 16 : seen[i].exchanges ? down : across, seen[i].is_flat ? 1 : seen[i].exchanges ? across : down},
			       block[] = {(uint32_t)seen[i].facts->block[0], (uint32_t)seen[i].facts->block[1]};

		if (!offer->answers[0].applies)
			fail_msg("%s\n%s", offer->answers[0].text, seen[i].text);
		if (seen[i].grid != NULL)
			assert_string_equal(offer->grid[0], seen[i].grid);
		assert_string_equal(offer->blocks[1], seen[i].facts->block[1] == 1 ? "TM == 0 ? (1) : (BY)" : "TM == 0 ? (4) : (BY)");
		if (!has_guard(offer, seen[i].guard))
			fail_msg("no guard %s, but %s\n%s", seen[i].guard, offer->guards[offer->guard_count - 1].text, seen[i].text);
		run(before, offer->module, grid, block, 1);
		run(after, pass_variant(arena, offer, values), tiles, threads, 2);
		if (memcmp(before, after, sizeof after) != 0)
			fail_msg("other results: %s", seen[i].text);
		kt_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_filled), cmocka_unit_test(test_seen)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
