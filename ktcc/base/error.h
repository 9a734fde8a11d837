/*
 * Status codes and error messages.
 *
 * A function that can fail returns kt_status, takes `struct kt_error *err` as
 * its last argument (never NULL) and fills it before it returns anything but
 * KT_OK. Out-parameters come first and are written only on success, unless a
 * header documents something else.
 */
#ifndef KT_BASE_ERROR_H
#define KT_BASE_ERROR_H

#include <stdarg.h>

typedef enum {
	KT_OK = 0,
	KT_ERR_MEMORY,   /* an allocation failed or a named ceiling was reached */
	KT_ERR_IO,       /* a system call failed; the message holds strerror */
	KT_ERR_SYNTAX,   /* text that does not follow its grammar */
	KT_ERR_INVALID,  /* well formed, but not allowed here */
	KT_ERR_MISSING,  /* a file, program, library or row that is not there */
	KT_ERR_LIMIT,    /* a time limit, budget or size limit was reached */
	KT_ERR_CHILD,    /* a child process failed, crashed or broke its protocol */
	KT_ERR_BUSY,     /* somebody else holds it */
	KT_ERR_CORRUPT,  /* stored data that fails its own check */
} kt_status;

struct kt_error {
	kt_status code;
	/* For KT_ERR_SYNTAX: byte offset into the text that was read; else 0. */
	unsigned offset;
	char message[1024];
};

#define KT_MUST_CHECK __attribute__((warn_unused_result))
#define KT_PRINTF(position, first) __attribute__((format(printf, position, first)))

/* Fills *err and returns code, so that `return kt_fail(err, …)` reads well. */
kt_status kt_fail(struct kt_error *err, kt_status code, const char *format, ...) KT_PRINTF(3, 4);

/* "out of memory" */
kt_status kt_no_memory(struct kt_error *err);

/* As kt_fail, with the byte offset of a syntax error. */
kt_status kt_fail_at(struct kt_error *err, kt_status code, unsigned offset, const char *format, ...)
    KT_PRINTF(4, 5);

/* As kt_fail, with ": strerror(errno)" after the message. Keeps errno. */
kt_status kt_fail_errno(struct kt_error *err, const char *format, ...) KT_PRINTF(2, 3);

/* Puts "text: " in front of the message that err already holds; returns err->code. */
kt_status kt_fail_prefix(struct kt_error *err, const char *format, ...) KT_PRINTF(2, 3);

/* Of functions that return a status and have nothing to free: ends them with the first that is not KT_OK. */
#define TRY(...) \
	do { \
		kt_status try_status = (__VA_ARGS__); \
		if (try_status != KT_OK) \
			return try_status; \
	} while (0)

/* The next step of several, where something has to be freed after them: not done once one has failed. */
#define THEN(status, ...) \
	do { \
		if ((status) == KT_OK) \
			(status) = (__VA_ARGS__); \
	} while (0)

/* Of functions that have nothing to free: ends them with `failure` where `pointer`, which may be assigned here, is
 * NULL. */
#define NEED(pointer, failure)                                                                                         \
	do {                                                                                                           \
		if ((pointer) == NULL)                                                                                 \
			return failure;                                                                                \
	} while (0)

#endif
