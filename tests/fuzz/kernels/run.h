// Runs a kernel as written, twice, and its variants, in a process of its own: what faults or waits for ever ends no other.
#include "emulate.h"

#include <sys/wait.h>

#undef __constant__
#define __constant__

/* Where a process is: shared with the one that waits for it. */
struct fuzz_progress {
	int variant; /* −2: as written, −1: once more */
};
static fuzz_progress *fuzz_at;
enum { FUZZ_SECONDS = 10 };

/* A buffer four times: as filled, as the kernel leaves it, as it does again, as a variant does. */
template <typename T> struct fuzz_buffer {
	size_t count, shift;
	T *first, *a, *b, *c;
	template <typename F> fuzz_buffer(size_t count, bool at_end, F next) : count(count)
	{
		const size_t bytes = count * sizeof(T);

		shift = at_end ? 0 : (4096 - bytes % 4096) % 4096;
		first = (T *)guarded(bytes, shift);
		a = (T *)guarded(bytes, shift);
		b = (T *)guarded(bytes, shift);
		c = (T *)guarded(bytes, shift);
		for (size_t i = 0; i < count; i++)
			emu_set(first[i], next());
		memcpy(a, first, bytes);
		memcpy(b, first, bytes);
		memcpy(c, first, bytes);
	}
	/* The rest of the pages that the buffer lies in is as it was. */
	bool is_kept(const T *of) const
	{
		const size_t bytes = count * sizeof(T), page = 4096, whole = (bytes + shift + page - 1) / page * page;
		const unsigned char *begin = (const unsigned char *)of - (whole - bytes - shift);

		for (size_t i = 0; i < whole; i++)
			if ((begin + i < (const unsigned char *)of || begin + i >= (const unsigned char *)of + bytes) && begin[i] != 0x7f)
				return false;
		return true;
	}
	void again()
	{
		memcpy(c, first, count * sizeof(T));
	}
	bool same(const T *other, bool exact, const char *name) const
	{
		if (memcmp(a, other, count * sizeof(T)) == 0)
			return true;
		for (size_t i = 0; i < count; i++) {
			const double x = emu_real(a[i]), y = emu_real(other[i]);

			if (x == y || (std::isnan(x) && std::isnan(y)))
				continue;
			if (exact || !(fabs(x - y) <= (sizeof(T) == 2 ? 1e-2 : 2e-4) * (1 + fabs(x)))) {
				printf("%s[%zu]: %.9g as written, %.9g\n", name, i, x, y);
				return false;
			}
		}
		return true;
	}
};

/* 0: fine; 1: another result; 2: the kernel as written cannot be compared with. */
static int fuzz_case(int number, int (*run)())
{
	int status = 0;
	pid_t child;

	fuzz_at->variant = -2;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		alarm(FUZZ_SECONDS);
		status = run();
		fflush(stdout);
		_exit(status);
	}
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return printf("case %d same\n", number), 0;
	if (fuzz_at->variant < 0)
		return printf("case %d dropped\n", number), 0;
	printf("case %d wrong in variant %d%s\n", number, fuzz_at->variant, WIFSIGNALED(status) ? ": it faults or does not end" : "");
	return 1;
}

static void fuzz_begin()
{
	setvbuf(stdout, nullptr, _IOLBF, 0);
	fuzz_at = (fuzz_progress *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}
