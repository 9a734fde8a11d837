// Runs a kernel as written, twice, and its variants, in a process of its own: what faults or waits for ever ends no other.
#define EMU_WATCHED
#include "emulate.h"

#include <sys/resource.h>
#include <sys/wait.h>

#undef __constant__
#define __constant__

/* Where a process is: shared with the one that waits for it. */
struct fuzz_progress {
	int variant; /* −2: as written, −1: once more */
};
static fuzz_progress *fuzz_at;
enum { FUZZ_SECONDS = 10, FUZZ_SAME = 0, FUZZ_WRONG = 1, FUZZ_DROPPED = 2, FUZZ_RACED = 3 };

/* What is asked of elements: one table a type, so that a buffer needs no code of its own. */
struct fuzz_element {
	size_t size;
	void (*set)(void *, double);
	double (*real)(const void *);
};
template <typename T> struct fuzz_of {
	static void set(void *to, double x)
	{
		emu_set(*(T *)to, x);
	}
	static double real(const void *from)
	{
		return emu_real(*(const T *)from);
	}
	static constexpr fuzz_element is = {sizeof(T), set, real};
};

enum fuzz_fill { FUZZ_REAL, FUZZ_SPECIAL, FUZZ_INT, FUZZ_IOTA, FUZZ_ZEROS };
/*
 * Values that no fill declares, where a fill of fractions is a sample and no promise. The finite ones are no larger than
 * what the tolerance of sums allows for.
 */
static const double fuzz_specials[] = {NAN, INFINITY, -INFINITY, -0.0, 0, 1, -1, 1e-40, -1e-40, 1e-45, 4, -4};
static double fuzz_next(fuzz_fill fill, double low, double high, size_t i)
{
	if (fill == FUZZ_SPECIAL && emu_next(emu_state) % 6 == 0)
		return fuzz_specials[emu_next(emu_state) % (sizeof fuzz_specials / sizeof *fuzz_specials)];
	return fill == FUZZ_SPECIAL ? from_real(low, high) : fill == FUZZ_REAL ? from_real(low, high) : fill == FUZZ_INT ? from_int(low, high) : fill == FUZZ_IOTA ? (double)i : 0;
}

/*
 * A buffer four times: as filled, as the kernel leaves it, as it does again, as a variant does. `at` is the one in use.
 * A symbol is one place, and what is kept of it are copies; a buffer may begin `offset` elements behind another's begin.
 */
struct fuzz_buffer {
	const fuzz_element *element;
	const char *name;
	size_t count;
	bool at_end, is_compared;
	fuzz_fill fill;
	double low, high;
	char *symbol;
	int inside; /* of which buffer, -1: none */
	size_t offset;
	char *first, *a, *b, *c, *at;
	size_t bytes, shift;
};

#pragma GCC push_options
#pragma GCC optimize("O2")

static void fuzz_make(fuzz_buffer *buffers, size_t count)
{
	for (fuzz_buffer *x = buffers; x < buffers + count; x++) {
		x->bytes = x->count * x->element->size;
		x->shift = x->at_end ? 0 : (4096 - x->bytes % 4096) % 4096;
		if (x->inside >= 0)
			continue;
		for (char **each : {&x->first, &x->a, &x->b, &x->c})
			*each = guarded(x->bytes, x->shift);
		for (size_t i = 0; i < x->count; i++)
			x->element->set(x->first + i * x->element->size, fuzz_next(x->fill, x->low, x->high, i));
	}
}

/* What follows runs on the buffers of a variant, with what they were filled with. */
static void fuzz_as(fuzz_buffer *buffers, size_t count, int variant)
{
	fuzz_at->variant = variant;
	emu_order = variant == -2 ? EMU_ASCENDING : variant == -1 ? EMU_DESCENDING : EMU_RANDOM;
	emu_launched.clear();
	emu_undefined = 0;
	for (fuzz_buffer *x = buffers; x < buffers + count; x++) {
		if (x->inside >= 0)
			continue;
		x->at = x->symbol != nullptr ? x->symbol : variant == -2 ? x->a : variant == -1 ? x->b : x->c;
		memcpy(x->at, x->first, x->bytes);
		emu_launched.push_back({x->at, x->bytes, {}, {}});
		if (variant == -2)
			race_watch(x->at, x->bytes);
	}
	race_on = variant == -2;
	race_found = false;
	for (fuzz_buffer *x = buffers; x < buffers + count; x++)
		if (x->inside >= 0)
			x->at = buffers[x->inside].at + x->offset * x->element->size;
}

/* The rest of the pages that the buffer lies in is as it was. */
static bool fuzz_is_kept(const fuzz_buffer *x)
{
	const size_t page = 4096, whole = (x->bytes + x->shift + page - 1) / page * page;
	const char *begin = x->at - (whole - x->bytes - x->shift);

	for (size_t i = 0; i < whole; i++)
		if ((begin + i < x->at || begin + i >= x->at + x->bytes) && begin[i] != 0x7f)
			return false;
	return true;
}

static bool fuzz_same(const fuzz_buffer *x, bool exact)
{
	const double tolerance = x->element->size == 2 ? 1e-2 : 2e-4;

	for (size_t i = 0; memcmp(x->a, x->at, x->bytes) != 0 && i < x->count; i++) {
		const size_t at = i * x->element->size;
		const double a = x->element->real(x->a + at), b = x->element->real(x->at + at);

		if (memcmp(x->a + at, x->at + at, x->element->size) == 0)
			continue;
		/* Orders of the original that meet in memory may leave other bits of what is no number. */
		if (!(exact && fuzz_at->variant < 0) && (a == b || (std::isnan(a) && std::isnan(b))))
			continue;
		if (exact || !(fabs(a - b) <= tolerance * (1 + fabs(a)))) {
			printf("%s[%zu]: %.9g as written, %.9g\n", x->name, i, a, b);
			return false;
		}
	}
	return true;
}

static int fuzz_check(const fuzz_buffer *buffers, size_t count, bool exact)
{
	const int bad = fuzz_at->variant < 0 ? FUZZ_DROPPED : FUZZ_WRONG;

	if (race_on && race_end())
		return FUZZ_RACED;
	/* What the kernel computes where it writes what it loads through the read-only cache is not defined. */
	if (bad == FUZZ_DROPPED && emu_undefined > 0)
		return bad;
	for (const fuzz_buffer *x = buffers; x < buffers + count; x++) {
		if (x->inside >= 0)
			continue;
		if (x->symbol != nullptr && fuzz_at->variant == -2)
			memcpy(x->a, x->at, x->bytes);
		if (x->symbol == nullptr && !fuzz_is_kept(x)) {
			printf("%s: written beside it\n", x->name);
			return bad;
		}
		if ((x->is_compared || fuzz_at->variant < 0) && !fuzz_same(x, exact))
			return bad;
	}
	return FUZZ_SAME;
}

static int fuzz_case(int number, int (*run)())
{
	const rlimit limit = {FUZZ_SECONDS, FUZZ_SECONDS};
	int status = 0;
	pid_t child;

	fuzz_at->variant = -2;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		/* Of this process's own time; threads that all wait for each other take none. */
		setrlimit(RLIMIT_CPU, &limit);
		alarm(30 * FUZZ_SECONDS);
		status = run();
		fflush(stdout);
		_exit(status);
	}
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == FUZZ_SAME)
		return printf("case %d same\n", number), 0;
	if (fuzz_at->variant < 0)
		return printf("case %d %s\n", number, WIFEXITED(status) && WEXITSTATUS(status) == FUZZ_RACED ? "raced" : "dropped"), 0;
	printf("case %d wrong in variant %d%s\n", number, fuzz_at->variant, WIFSIGNALED(status) ? ": it faults or does not end" : "");
	return 1;
}

/* Fibres are made once, before the processes of the cases are. */
static void fuzz_begin()
{
	setvbuf(stdout, nullptr, _IOLBF, 0);
	fuzz_at = (fuzz_progress *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	launch(dim3(1), dim3(256), 1, [] {});
}

#pragma GCC pop_options
