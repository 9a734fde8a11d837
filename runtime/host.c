/*
 * A reference that the host computes in double precision. The program is the user's code and may do what it likes
 * wrong: it is a separate process, which shares a file in memory with this one and nothing else.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/proc.h"
#include "engine.h"

#define HOST_BYTES ((size_t)8 << 30)  /* most of the file: all buffers as doubles */
#define HOST_OUTPUT_BYTES 4096        /* of what the program prints before it ends */
#define PAGE 4096

/* One parameter of the function, at the file's start; struct ktune_slot of the program (ktcc/tuning/reference.c). */
struct slot {
	int64_t at;   /* offset of a buffer; 0: a number */
	double value;
};

struct host {
	struct kt_engine *e;
	size_t problem, bytes;
	int file;
	unsigned char *memory;
	double *data[KT_RUN_BUFFERS]; /* NULL: the function does not take it */
};

/* What an output holds that the function has not written: a NaN that no arithmetic makes. */
static double unwritten(void)
{
	const uint64_t bits = UINT64_C(0xfff7a5c3d19e4b60);
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* The buffer by itself: what other arguments share with it is another matter. */
static const struct kt_span *span_of(const struct host *h, size_t b)
{
	const struct kt_place *place = &h->e->places[h->problem];
	return place->apart ? &place->apart->spans[b] : &place->spans[b];
}

static size_t elements_of(const struct host *h, size_t b)
{
	return (size_t)h->e->region->problems[h->problem].data[b].count;
}

/* Numbers: all of an element, in their order. */
static size_t count_of(const struct host *h, size_t b)
{
	return elements_of(h, b) * h->e->region->buffers[b].element->number_count;
}

/* The n-th number of a buffer, and its type. */
static unsigned char *number_at(enum kt_scalar *scalar, const struct kt_element *element, unsigned char *data, size_t n)
{
	const struct kt_number *number = &element->numbers[n % element->number_count];
	*scalar = number->scalar;
	return data + n / element->number_count * element->bytes + number->offset;
}

static double real_at(const struct kt_element *element, unsigned char *data, size_t n)
{
	enum kt_scalar scalar;
	const unsigned char *at = number_at(&scalar, element, data, n);
	uint64_t bits = 0;
	memcpy(&bits, at, kt_scalar_bytes(scalar));
	return kt_data_real(scalar, bits);
}

static bool is_filled(const struct host *h, size_t b)
{
	return kt_is_filled(h->e->region->buffers[b].direction);
}

/* Elements as numbers, made as the device's are. */
static kt_status fill(struct host *h, size_t b, struct kt_error *err)
{
	const struct kt_element *element = h->e->region->buffers[b].element;
	const size_t count = count_of(h, b);
	const struct kt_run_data data = *span_of(h, b)->data;
	unsigned char *elements = is_filled(h, b) ? malloc(elements_of(h, b) * element->bytes + 1) : NULL;
	if (!is_filled(h, b)) {
		for (size_t i = 0; i < count; i++)
			h->data[b][i] = unwritten();
		return KT_OK;
	}
	NEED(elements, kt_no_memory(err));
	for (size_t part = 0; part < element->part_count; part++) {
		const struct kt_lanes lanes = kt_data_lanes(element, part);
		const struct kt_run_data own = kt_parts_data(&data, element, part);
		kt_data_fill(elements, &lanes, &own);
	}
	for (size_t i = 0; i < count; i++)
		h->data[b][i] = real_at(element, elements, i);
	free(elements);
	return KT_OK;
}

/* Where each buffer is in the file; false: it is too large. Pages between buffers stay empty. */
static bool lay_out(struct host *h, size_t at[])
{
	const struct kt_run_region *region = h->e->region;
	h->bytes = (region->host_count * sizeof(struct slot) / PAGE + 1) * PAGE;
	for (size_t i = 0; i < region->host_count; i++) {
		if (region->host_buffers[i] < 0)
			continue;
		const size_t count = count_of(h, (size_t)region->host_buffers[i]);
		if (count > (HOST_BYTES - h->bytes) / sizeof(double))
			return false;
		at[i] = h->bytes;
		h->bytes += (count * sizeof(double) / PAGE + 2) * PAGE;
		if (h->bytes > HOST_BYTES)
			return false;
	}
	return true;
}

/* The limit that keeps kernels' drivers from writing files holds for memory as well; the program gets back the old. */
static bool resize(int file, size_t bytes)
{
	struct rlimit before, open;
	if (getrlimit(RLIMIT_FSIZE, &before))
		return false;
	open = before;
	open.rlim_cur = open.rlim_max;
	const bool done = setrlimit(RLIMIT_FSIZE, &open) == 0 && ftruncate(file, (off_t)bytes) == 0;
	return setrlimit(RLIMIT_FSIZE, &before) == 0 && done;
}

static kt_status open_file(const char **detail, struct host *h, struct kt_error *err)
{
	const struct kt_run_region *region = h->e->region;
	size_t at[KT_RUN_ARGUMENTS] = {0};
	if (!lay_out(h, at)) {
		*detail = "the problem is too large for the host reference";
		return KT_OK;
	}
	h->file = memfd_create("ktune-host-reference", 0);
	if (h->file < 0 || !resize(h->file, h->bytes))
		return kt_fail(err, KT_ERR_IO, "no memory to share with the host reference");
	void *memory = mmap(NULL, h->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, h->file, 0);
	if (memory == MAP_FAILED)
		return kt_no_memory(err);
	h->memory = memory;
	for (size_t i = 0; i < region->host_count; i++) {
		const struct slot slot = {(int64_t)at[i], region->problems[h->problem].host_values[i]};
		memcpy(h->memory + i * sizeof slot, &slot, sizeof slot);
		if (!at[i])
			continue;
		h->data[region->host_buffers[i]] = (double *)(void *)(h->memory + at[i]);
		TRY(fill(h, (size_t)region->host_buffers[i], err));
	}
	return KT_OK;
}

/* The rest of a line that a program wrote. */
static const char *first_line(struct kt_arena *arena, const struct kt_buf *text)
{
	const char *line = kt_buf_text(text);
	return kt_arena_strndup(arena, line, strcspn(line, "\n"));
}

static kt_status run_program(const char **detail, struct host *h, struct kt_arena *arena, double limit_s,
                             struct kt_error *err)
{
	struct kt_buf said = KT_BUF(HOST_OUTPUT_BYTES);
	struct kt_proc_result result;
	char *argv[] = {kt_arena_strdup(arena, h->e->region->host_program), kt_arena_printf(arena, "%d", h->file),
	                kt_arena_printf(arena, "%.0f", ceil(limit_s)), NULL};
	const struct kt_proc_options options = {.timeout_s = limit_s, .directory = "/"};
	if (!argv[0] || !argv[1] || !argv[2])
		return kt_no_memory(err);
	kt_status status = kt_proc_run(&result, argv, &options, &said, &said, err);
	if (status)
		*detail = kt_arena_printf(arena, "the host reference cannot be run: %s", err->message);
	else if (result.timed_out)
		*detail = kt_arena_printf(arena, "the host reference took longer than %.1f s", limit_s);
	else if (result.signalled)
		*detail = kt_arena_printf(arena, "the host reference was ended by signal %d", result.code);
	else if (result.code)
		*detail = kt_arena_printf(arena, "the host reference ended with %d: %s", result.code, first_line(arena, &said));
	kt_buf_free(&said);
	return KT_OK;
}

/* What the function has written of a buffer; how many numbers. */
static size_t put_numbers(unsigned char *out, const struct host *h, size_t b)
{
	const struct kt_element *element = h->e->region->buffers[b].element;
	const double nothing = unwritten();
	size_t written = 0;
	for (size_t i = 0; i < count_of(h, b); i++) {
		enum kt_scalar scalar;
		unsigned char *at = number_at(&scalar, element, out, i);
		const uint64_t bits = kt_data_bits(scalar, h->data[b][i]);
		if (!is_filled(h, b) && memcmp(&h->data[b][i], &nothing, sizeof nothing) == 0)
			continue;
		memcpy(at, &bits, kt_scalar_bytes(scalar));
		written++;
	}
	return written;
}

/* All parts of an output: how many numbers differ, and the first of them. */
static struct kt_result compare(const struct host *h, size_t b, const unsigned char *got, const unsigned char *want)
{
	const struct kt_place *place = &h->e->places[h->problem];
	const struct kt_element *element = h->e->region->buffers[b].element;
	struct kt_result all = {0};
	for (size_t part = 0; part < element->part_count; part++) {
		const struct kt_data_tolerance tolerance = kt_verify_tolerance(
		    h->e, h->problem, place->spans[b].leader, part, place->reference_marks, place->reference_marks, false);
		const struct kt_lanes lanes = kt_data_lanes(element, part);
		struct kt_result own = {0};
		kt_data_compare(&own, got, want, elements_of(h, b) * lanes.width, &lanes, &tolerance);
		all.wrong += own.wrong;
		all.first = own.first > all.first ? own.first : all.first;
	}
	return all;
}

/* Compares one output of the original, and puts the host's in its place. */
static const char *take(struct host *h, struct kt_arena *arena, size_t b)
{
	const struct kt_place *place = &h->e->places[h->problem];
	const struct kt_run_buffer *buffer = &h->e->region->buffers[b];
	const struct kt_element *element = buffer->element;
	const size_t bytes = elements_of(h, b) * element->bytes, leader = place->spans[b].leader;
	unsigned char *original = place->reference + place->spans[leader].kept, *want = malloc(bytes + 1);
	const char *detail = NULL;
	NEED(want, "out of memory");
	memcpy(want, original, bytes);
	const size_t written = put_numbers(want, h, b);
	const struct kt_result result = compare(h, b, original, want);
	if (!written && bytes) {
		detail = kt_arena_printf(arena, "the host reference writes no element of %s", buffer->name);
	} else if (result.wrong) {
		const size_t first = (size_t)~result.first;
		detail = kt_arena_printf(arena, "%s: %llu %s are not what the host reference has, first at %s: "
		                         "%.9g instead of %.9g", buffer->name, (unsigned long long)result.wrong,
		                         element->number_count == 1 ? "elements" : "numbers",
		                         kt_parts_index(element, arena, first), real_at(element, original, first),
		                         real_at(element, want, first));
	} else {
		memcpy(original, want, bytes);
	}
	free(want);
	return detail;
}

/* All outputs are compared before the first is replaced: a check that disagrees keeps the original's. */
static kt_status take_all(const char **detail, struct host *h, struct kt_arena *arena, struct kt_error *err)
{
	struct kt_place *place = &h->e->places[h->problem];
	unsigned char *before;
	NEED(before = malloc(place->kept_bytes + 1), kt_no_memory(err));
	memcpy(before, place->reference, place->kept_bytes);
	for (size_t b = 0; !*detail && b < h->e->region->buffer_count; b++) {
		if (h->data[b] && kt_is_output(h->e->region->buffers[b].direction))
			*detail = take(h, arena, b);
	}
	if (*detail)
		memcpy(place->reference, before, place->kept_bytes);
	free(before);
	return KT_OK;
}

/* Together they must leave the client's patience (kt_child_limit) to the device. */
static double budget(const struct kt_engine *e, bool check)
{
	size_t timed = 0;
	while (timed < e->region->problem_count && !e->region->problems[timed].check)
		timed++;
	return check ? e->limit_s : e->limit_s * (2 + (double)timed / 4);
}

kt_status kt_host_reference(const char **detail, struct kt_engine *e, struct kt_arena *arena, size_t problem,
                            struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	const bool check = e->region->problems[problem].check;
	struct host h = {.e = e, .problem = problem, .file = -1};
	const double start_s = kt_now_s(), limit_s = fmin(e->limit_s, budget(e, check) - e->host_s[check]);
	kt_status status = KT_OK;
	if (!e->region->host_program || !place->kept_bytes)
		return KT_OK;
	if (!place->reference) {
		*detail = "the outputs are too large for the host reference";
		return KT_OK;
	}
	if (limit_s <= 0) {
		*detail = "the host reference has used its time on other problems";
		return KT_OK;
	}
	status = open_file(detail, &h, err);
	if (!status && !*detail)
		status = run_program(detail, &h, arena, limit_s, err);
	if (!status && !*detail)
		status = take_all(detail, &h, arena, err);
	if (h.memory)
		(void)munmap(h.memory, h.bytes);
	if (h.file >= 0)
		(void)close(h.file);
	e->host_s[check] += kt_now_s() - start_s;
	return status;
}
