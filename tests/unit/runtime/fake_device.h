/*
 * A device that is host memory, and its kernels: y = 2x, in all sorts of ways, right and wrong. They are C functions
 * that are found by name and share the state below, so that a test can say which launch goes wrong.
 */
#ifndef KT_TEST_RUNTIME_FAKE_DEVICE_H
#define KT_TEST_RUNTIME_FAKE_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "engine.h"

/* fake_kernels.c */
struct fake_kernel;
/* NULL: none of that name. */
const struct fake_kernel *fake_kernel_find(const char *name);
void fake_kernel_run(const struct fake_kernel *k, float *y, float *x, size_t n);
/* Before the launches that are counted and remembered. */
void fake_kernels_forget(void);

#define N 1000     /* elements of every problem but the odd one; on those alone "wavers_there" wavers */
enum { LATE = 3 }; /* most launches that "defers" leaves its work to */

extern void (*side_effect)(unsigned call);  /* of "strays", beside what is right; NULL: none */
extern unsigned calls;                      /* launches since fake_kernels_forget of kernels that count them */
extern bool disturbed;                      /* during a launch: what "races" and "wavers_disturbed" go by */
extern float fake_constant[2]; /* of the program: what "changes_constant" writes to */
extern unsigned wrong_call;                 /* the one that "wrong_once" gets wrong */
extern unsigned deferred_from, deferred_by; /* the first that "defers" leaves undone, to the launch so many behind */

/* fake_device.c. What its clocks tell is set by the test. */
struct fake {
	struct kt_engine engine;
	struct kt_fault fault;
	unsigned char *field, *host, *held;
	size_t held_bytes;
	float constant[2];   /* what it was when it was remembered */
	unsigned restored;   /* so often it was another one */
	float *symbols[2];   /* of the one program there is; NULL: the buffer is none, or the program has none */
	bool holds_nothing;  /* there is no room for what is held */
	unsigned copies;     /* from one place to another */
	unsigned waits;      /* for all that is queued */
	double wait_limit_s; /* of the newest */
	int kept_byte;       /* what a test keeps in the place of results */
	struct kt_result results[KT_SLOTS], pages[KT_PAGES][KT_SLOTS];
	double sample_ns, host_ns;
	double empty_ns;           /* of a copy of nothing; 0: as all else */
	const void *timed_input;   /* what a kernel that is timed must find in its second buffer; NULL: nobody looks */
	unsigned empties[3];       /* timed ones, by shape */
	unsigned throttled, processes, settled, looks; /* throttled: so many looks */
	uint64_t reasons; /* why its clocks are low when they are */
	bool tells;       /* its health is known */
	bool disturbed;   /* what is launched next; a batch then fails the test */
	unsigned disturbances;
	uint64_t disturbance[2]; /* numbers of the two newest */
	double disturbed_ns;     /* what the newest asked for */
	double disturbed_limit_s; /* of the newest launch beside one */
	bool searching;   /* before a candidate is launched: does the right output lie about already? The test fails then */
};

/* The state of a device with these operations is a struct fake. */
extern const struct kt_ops fake_ops;

#endif
