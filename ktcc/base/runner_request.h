/*
 * Requests to ktcc-runner as records, each with a table: testing/request.c fills them and prints them by it,
 * runtime/messages.c reads them by it. What a record has besides the members of its table is derived by messages.c, which
 * checks what must hold between members. docs/protocol-runner.md explains each member.
 */
#ifndef KT_BASE_RUNNER_REQUEST_H
#define KT_BASE_RUNNER_REQUEST_H

#include "base/member.h"
#include "base/template.h"

#define KT_RUN_ARGUMENTS 256 /* most kernel arguments */
#define KT_RUN_BUFFERS 64    /* most buffers of a region */
#define KT_RUN_PROBLEMS (KT_PROBLEMS + 256) /* tuning problems and checks */

/* A number or a pointer in an argument that is a structure or a vector. */
struct kt_run_member {
	size_t offset;
	size_t buffer; /* its index; KT_NO_BUFFER: it is a number of this type */
	enum kt_scalar element;
	bool is_buffer; /* derived */
};
#define KT_NO_BUFFER SIZE_MAX

/*
 * A kernel argument: a buffer by index, local memory of the launch's
 * shared_bytes (OpenCL), a scalar's bits, as wide as its element, or a structure, zero outside its members.
 */
struct kt_run_argument {
	size_t buffer; /* KT_NO_BUFFER: it is none */
	enum kt_scalar element;
	bool is_local;
	size_t bytes; /* of a structure; 0: it is none */
	size_t member_count;
	struct kt_run_member *members;
	/* Derived: where in kt_run_problem.values those of the members begin. */
	bool is_buffer;
	size_t first_value;
};

struct kt_limits {
	double absolute, relative;
};

struct kt_run_buffer {
	const char *name;
	const struct kt_element *element;
	enum kt_direction direction;
	size_t limit_count; /* 1 for all parts of the element, or one per part */
	const struct kt_limits *limits; /* derived: always one per part */
	/* A device symbol, as libclang mangles it (kt_symbol_variable), and all of it; NULL: memory of the launch. */
	const char *symbol;
	int64_t symbol_elements;
	/* Derived. The result of the element's second part, if it has one, is this one of KT_RUN_PARTS. */
	size_t symbol_bytes, further;
};

struct kt_run_data {
	int64_t count; /* elements */
	size_t fill_count; /* 1 for all parts of the element, or one per part */
	const struct kt_fill *fills; /* one per part; derived: NULL where one is for all, which is `whole`, with kind, a and b */
	const char *path, *hash; /* of a file that fills it */
	uint64_t seed;
	size_t offset; /* bytes after an address aligned to 256; 0 of a device symbol */
	size_t alias;  /* the earlier buffer, or the device symbol, whose memory this is; KT_NO_BUFFER */
	/* Derived. */
	enum kt_fill_kind kind;
	double a, b;
	const struct kt_fill *whole;
	const unsigned char *contents; /* of a file: the numbers, one after the other (contents.c); else NULL */
};

struct kt_run_problem {
	const char *text;          /* "rows=16 d=4096" */
	bool check;                /* verified, never timed; after all that are timed */
	size_t geometry_count;     /* 0: it is missing */
	struct kt_geometry geometry;
	struct kt_geometry *further; /* of the steps after the first, one each; NULL: there are no steps */
	/* Arrays of JSON. One that is read belongs to the message, one that is printed to what it is printed into. */
	cJSON *json_values, *json_host_values;
	size_t buffer_count;
	struct kt_run_data *data;  /* one per buffer */
	int64_t read_bytes, write_bytes; /* what one call has to move */
	/* Derived: one per argument (a scalar's bits, 0 for buffers), then those of members. */
	uint64_t *values;
	double *host_values;       /* one per parameter of the host reference; 0 for buffers; NULL without one */
};

/* One of the kernels of an original that runs several in sequence. */
struct kt_run_step {
	const char *function; /* NULL for a recording */
	size_t argument_count;
	size_t *arguments;    /* of the region's, in the kernel's order; NULL: all */
};

struct kt_run_region {
	const char *name, *instance;
	const char *cubin, *function; /* the original; may be NULL for a recording */
	const char *options;          /* of the compiler where cubin is source text (OpenCL); "" */
	double limit_s;               /* longest wait for one step on the device */
	size_t argument_count, buffer_count, problem_count;
	struct kt_run_argument *arguments;
	struct kt_run_buffer *buffers;
	struct kt_run_problem *problems;
	/* The original of a launch region; 0: it is `function` with all arguments. */
	size_t step_count;
	struct kt_run_step *steps;
	/* Variables in device memory that no kernel may change, as kt_run_buffer.symbol; programs need not have them. */
	size_t constant_count;
	const char *const *constants;
	/* A program that computes the outputs in double precision (docs/protocol-runner.md, "Host reference"), or NULL. */
	const char *host_program;
	size_t host_count;
	int64_t *host_buffers;        /* one per parameter of its function: a buffer, -1 for a number */
	/* Derived: of arguments and members together; run by a tool: see "--once" in docs/protocol-runner.md. */
	size_t value_count;
	bool once;
};

/* Private memory of a candidate: its kernels get the address after the region's arguments. */
struct kt_run_temporary {
	const char *name;
	enum kt_scalar element;
};

/* A candidate on one problem. */
struct kt_run_row {
	bool skip; /* not to be run; else it has a geometry */
	struct kt_geometry *geometry;
	size_t further_count, temporary_count;
	struct kt_geometry *further; /* of its kernels after the first */
	int64_t *temporaries;        /* elements of each */
	double give_up_ns, lost_ns;  /* 0: never */
};

/* A candidate as it is asked about. */
struct kt_run_request {
	const char *configuration, *cubin, *function, *options;
	size_t further_count, temporary_count, row_count, order_count;
	const char *const *further;
	struct kt_run_temporary *temporaries;
	struct kt_run_row *rows;
	size_t *order;
};

struct kt_run_effort {
	int64_t warmups, repetitions;
	bool hot;      /* one set of buffers, no sweep */
	uint64_t seed; /* of the order in a comparison */
	int64_t companions; /* processes of the client that use the device beside this one */
	bool screen;   /* a first look: one run on one row, then a few launches of each problem (screen.c) */
};

extern const struct kt_members kt_run_region, kt_run_request, kt_run_effort;

#endif
