/*
 * Tools that watch a kernel run: compute-sanitizer on CUDA, oclgrind on
 * OpenCL. The runner is started below the tool with --once, so that every
 * buffer is a separate allocation, and runs one problem once.
 */
#ifndef KT_TESTING_SANITIZE_H
#define KT_TESTING_SANITIZE_H

#include "testing/testing.h"

/* In the order in which they are worth their time. */
enum kt_sanitizer { KT_MEMCHECK, KT_RACECHECK, KT_INITCHECK, KT_SYNCCHECK, KT_OCLGRIND, KT_SANITIZERS };
const char *kt_sanitizer_name(enum kt_sanitizer sanitizer);

struct kt_report {
	bool ran;             /* false: not installed, for other devices, or it came to no end; detail names which */
	bool found;           /* it had something to report */
	enum kt_verdict verdict; /* what that makes of a candidate; KT_VERDICT_OK without */
	const char *detail;   /* its first lines, with address, thread and block where it reports them */
};

/* Tools at work, all at a time, each on all of the candidates, one after the other. */
struct kt_watch;
#define KT_ALL_SANITIZERS ((1u << KT_SANITIZERS) - 1)
/*
 * Each candidate on the smallest tuning problem that it may run on; with none, the original on the smallest, or on the
 * one that the last failed kt_tester_region blames. tools: bits 1 << kt_sanitizer. The tester may be used meanwhile.
 * Fails only for want of memory, of a place for logs, or of a region.
 */
kt_status kt_watch_begin(struct kt_watch **out, struct kt_arena *arena, struct kt_tester *tester,
                         const struct kt_config *config, unsigned tools, const struct kt_candidate *candidates,
                         size_t count, struct kt_error *err) KT_MUST_CHECK;
/* Waits at most limit_s and fills KT_SANITIZERS reports. A finding may be of any of the candidates. Accepts NULL. */
void kt_watch_end(struct kt_report *reports, struct kt_arena *arena, struct kt_watch *watch, double limit_s);

/*
 * The lines of a tool's log that state what is wrong, on one line, at most KT_REPORT_LINES of them; NULL: it found
 * nothing. For tests as well.
 */
#define KT_REPORT_LINES 4
char *kt_sanitizer_report(struct kt_arena *arena, enum kt_sanitizer sanitizer, const char *log);

#endif
