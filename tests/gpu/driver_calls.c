/*
 * A libcuda.so.1 that is put in front of the driver's (LD_LIBRARY_PATH) and counts what ktcc-runner asks of it:
 *
 *   cc -O2 -shared -fPIC -o FOLDER/libcuda.so.1 -Wl,-soname,libcuda.so.1 tests/gpu/driver_calls.c -Iruntime -Iktcc -ldl
 *   LD_LIBRARY_PATH=FOLDER DRIVER_CALLS=OUT ktcc tune …
 *
 * OUT.PID gets a line of JSON whenever a module is loaded, and one at the end: the calls so far of each function and
 * the microseconds in them. A runner loads a module for each candidate, so that the difference of two lines is what one
 * candidate takes. On x86-64 alone: every function is called with as many words as the longest of them has.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cuda/driver.h"

#define ROWS(X) KT_CU_SYMBOLS(X) KT_CU_OPTIONAL(X)

typedef int function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                     uintptr_t, uintptr_t);

enum {
#define ROW(member, symbol, parameters) call_##member,
	ROWS(ROW)
#undef ROW
	CALLS
};

static const char *const names[CALLS] = {
#define ROW(member, symbol, parameters) symbol,
    ROWS(ROW)
#undef ROW
};

static function *real[CALLS];
static uint64_t calls[CALLS];
static double us[CALLS];
static FILE *out;

static double now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* The driver itself: by its path, for by name this library would be found again. */
static void *driver(void)
{
	static const char *const paths[] = {"/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
	                                    "/usr/lib64/libcuda.so.1", "/usr/lib/libcuda.so.1"};
	const char *given = getenv("DRIVER_CALLS_OF");
	void *library = given ? dlopen(given, RTLD_NOW | RTLD_LOCAL) : NULL;
	for (size_t i = 0; !library && i < sizeof paths / sizeof *paths; i++)
		library = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fprintf(stderr, "driver_calls: no driver: name it in DRIVER_CALLS_OF\n");
	return library;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("DRIVER_CALLS");
	void *library = driver();
	char name[4096];
	for (int i = 0; library && i < CALLS; i++) {
		void *address = dlsym(library, names[i]);
		memcpy(&real[i], &address, sizeof address);
	}
	snprintf(name, sizeof name, "%s.%d", path ? path : "/tmp/driver_calls", (int)getpid());
	out = path ? fopen(name, "we") : NULL;
}

static void tell(void)
{
	if (!out)
		return;
	fprintf(out, "{\"at_us\":%.1f", now_us());
	for (int i = 0; i < CALLS; i++)
		if (calls[i])
			fprintf(out, ",\"%s\":[%llu,%.1f]", names[i], (unsigned long long)calls[i], us[i]);
	fputs("}\n", out);
	fflush(out);
}

__attribute__((destructor)) static void end(void)
{
	tell();
}

static int count(int which, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g,
                 uintptr_t h, uintptr_t i, uintptr_t j, uintptr_t k)
{
	if (which == call_module_load)
		tell();
	const double start_us = now_us();
	const int result = real[which] ? real[which](a, b, c, d, e, f, g, h, i, j, k) : KT_CU_NOT_FOUND;
	us[which] += now_us() - start_us;
	calls[which]++;
	return result;
}

/* Under the names of the driver's functions. */
#define ROW(member, symbol, parameters) \
	__attribute__((visibility("default"))) int wrapped_##member( \
	    uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g, uintptr_t h, \
	    uintptr_t i, uintptr_t j, uintptr_t k) __asm__(symbol); \
	int wrapped_##member(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g, \
	                     uintptr_t h, uintptr_t i, uintptr_t j, uintptr_t k) \
	{ \
		return count(call_##member, a, b, c, d, e, f, g, h, i, j, k); \
	}
ROWS(ROW)
