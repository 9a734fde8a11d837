/*
 * The client of ktcc-nvrtc (docs/protocol.md): one process that compiles unit
 * after unit. It is asked without waiting and polled; a second question may be
 * under way while the first is answered, so that the process never idles until
 * its client looks. Whatever becomes of the process is an answer.
 */
#ifndef KT_TUNING_WORKER_H
#define KT_TUNING_WORKER_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

#define KT_WORKER_AHEAD 2                  /* most questions under way at a process */
#define KT_WORKER_BYTES (INT64_C(8) << 30) /* address space of a process */

/* NVRTC of the toolkit that the user's nvcc belongs to, and what it is to be told; lives as long as its users. */
struct kt_screening {
	const char *program;  /* ktcc-nvrtc */
	const char *library;  /* libnvrtc.so */
	const char *release;  /* of nvcc, "13.0": another NVRTC is not used; NULL: not known */
	char *const *options; /* NULL-terminated; without the architecture */
	double most_s;        /* that one unit may take; 0: KT_WORKER_SECONDS */
	int64_t most_bytes;   /* address space of the process; 0: KT_WORKER_BYTES */
};
#define KT_WORKER_SECONDS 60.0

enum kt_worker_end {
	KT_WORKER_BUSY,    /* nothing yet */
	KT_WORKER_OK,      /* there is a cubin */
	KT_WORKER_REFUSED, /* the compiler reports why not */
	KT_WORKER_MEMORY,  /* it ran out of memory */
	KT_WORKER_HUNG,    /* it took too long and was ended */
	KT_WORKER_CRASHED, /* it ended by itself */
	KT_WORKER_KILLED,  /* by SIGKILL, and not by us: the machine is to blame */
	KT_WORKER_UNUSABLE /* no process, no library, another release: no unit can be compiled */
};

struct kt_worker;

/* KT_ERR_MISSING: the program cannot be started. */
kt_status kt_worker_start(struct kt_worker **out, const struct kt_screening *screening,
			  struct kt_error *err) KT_MUST_CHECK;
/*
 * Asks for one unit: `members` are the members of the request besides source and cubin, as JSON text beginning with a
 * comma or empty. At most KT_WORKER_AHEAD questions may be under way. KT_ERR_CHILD: the process is gone; kt_worker_poll
 * reports how.
 */
kt_status kt_worker_ask(struct kt_worker *worker, const char *source, const char *cubin, const char *members,
			struct kt_error *err) KT_MUST_CHECK;
/*
 * What became of the oldest question, without waiting. *reply: the answer's line for OK and REFUSED, else what is known
 * about the end as text. From MEMORY on the process is of no use any more, and the other questions have no answer.
 */
enum kt_worker_end kt_worker_poll(struct kt_buf *reply, struct kt_worker *worker);
size_t kt_worker_asked(const struct kt_worker *worker); /* questions without an answer; 0 for NULL */
int kt_worker_fd(const struct kt_worker *worker);       /* to wait for an answer; negative: nowhere (also of NULL) */
void kt_worker_close(struct kt_worker *worker);         /* kills what is at work; accepts NULL */

#endif
