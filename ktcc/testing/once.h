/*
 * The runner below a tool that watches it (docs/protocol-runner.md, "--once"):
 * all that it is asked is a file, which is its input. The result is what the
 * tool writes; the runner's replies are dropped.
 */
#ifndef KT_TESTING_ONCE_H
#define KT_TESTING_ONCE_H

#include "base/proc.h"
#include "testing/testing.h"

/* One launch, or one of each kernel of a region of several. */
struct kt_once_run {
	const struct kt_candidate *candidate; /* NULL: the original */
	size_t problem;                       /* of the tuning problems */
};

/* Writes the requests for these runs, in their order, to a file. KT_ERR_INVALID: no region was prepared. */
kt_status kt_once_write(const char *path, struct kt_tester *tester, const struct kt_once_run *runs, size_t count,
                        struct kt_error *err) KT_MUST_CHECK;
/* Starts `front` (the tool and its words, NULL-terminated), which runs the runner; `requests`: that file. */
kt_status kt_once_start(struct kt_proc **out, struct kt_arena *arena, struct kt_tester *tester,
                        const struct kt_config *config, const char *const *front, const char *requests,
                        struct kt_error *err) KT_MUST_CHECK;
/*
 * Waits for its end until then, and frees it. KT_OK: it ended by itself; *how has the way it ended and the end of its
 * output. KT_ERR_LIMIT: it had to be killed.
 */
kt_status kt_once_end(struct kt_error *how, struct kt_tester *tester, struct kt_proc *proc, double until_s);

#endif
