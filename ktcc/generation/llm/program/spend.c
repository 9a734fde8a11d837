/*
 * The limits of all processes that share a store: the number of requests at a time, and the money spent in 24 hours. Both are
 * files with locks in the store's folder; a process that dies lets go of its place, and what it reserved stays spent.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "exchange.h"

#define SLOTS_MOST 64
#define DAY_SECONDS (24 * 60 * 60)
#define SPEND_BYTES ((size_t)4 << 20)

bool kt_spend_enter(int *slot, struct kt_exchange *x)
{
	const int64_t jobs = x->jobs < SLOTS_MOST ? x->jobs : SLOTS_MOST;
	struct kt_error err;

	*slot = -1;
	if (x->state == NULL || jobs <= 0 || kt_fs_mkdirs(x->state, &err) != KT_OK)
		return true;
	while (kt_exchange_left(x) > 0) {
		struct timespec nap = {0, 50000000};

		for (int64_t i = 0; i < jobs; i++) {
			const char *path = kt_arena_printf(x->arena, "%s/llm-slot-%d", x->state, (int)i);
			int fd = path != NULL ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600) : -1;

			/* A folder that cannot be written counts nothing. */
			if (fd < 0)
				return true;
			if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
				*slot = fd;
				return true;
			}
			close(fd);
		}
		nanosleep(&nap, NULL);
	}
	return kt_exchange_fail(x, "timeout", "no free place among %d requests at a time", (int)jobs);
}

void kt_spend_leave(int slot)
{
	if (slot >= 0)
		close(slot);
}

/* Opens the list of what was spent, locked; −1: there is none. */
static int open_list(struct kt_exchange *x, struct kt_buf *text)
{
	const char *path;
	struct kt_error err;
	int fd;

	if (x->state == NULL || kt_fs_mkdirs(x->state, &err) != KT_OK)
		return -1;
	path = kt_arena_printf(x->arena, "%s/llm-spent", x->state);
	fd = path != NULL ? open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600) : -1;
	if (fd >= 0 && (flock(fd, LOCK_EX) != 0 || kt_fs_read(text, path, &err) != KT_OK)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Lines "SECONDS AMOUNT": the sum of a day, and where the day begins in the text. */
static double sum_day(const struct kt_buf *text, int64_t now, size_t *begin)
{
	const char *at = kt_buf_text(text), *end;
	double sum = 0;

	*begin = text->size;
	for (; (end = strchr(at, '\n')) != NULL; at = end + 1) {
		char *rest;
		long long when = strtoll(at, &rest, 10);
		double amount = strtod(rest, NULL);

		if (when <= now - DAY_SECONDS || when > now + DAY_SECONDS)
			continue;
		if (*begin == text->size)
			*begin = (size_t)(at - kt_buf_text(text));
		sum += amount;
	}
	return sum;
}

static void append(int fd, int64_t now, double amount)
{
	char line[64];
	int size = snprintf(line, sizeof line, "%lld %.9g\n", (long long)now, amount);

	if (size > 0 && write(fd, line, (size_t)size) != size)
		errno = 0; /* a full disk: the limit holds on what could be written */
}

bool kt_spend_reserve(struct kt_exchange *x, double cost)
{
	struct kt_buf text = KT_BUF(SPEND_BYTES);
	const int64_t now = (int64_t)time(NULL);
	bool done = true;
	size_t begin = 0;
	double spent;
	int fd;

	if (x->cost_limit < 0)
		return true;
	fd = open_list(x, &text);
	/* A limit that cannot be counted may not be passed. */
	if (fd < 0)
		return kt_exchange_fail(x, "budget", "the limit on cost cannot be kept: no folder to count in");
	spent = sum_day(&text, now, &begin);
	if (spent + cost > x->cost_limit) {
		done = kt_exchange_fail(x, "budget", "%.4f of %.4f were spent in 24 hours, this request may cost %.4f", spent,
		                        x->cost_limit, cost);
	} else {
		/* What is older than a day goes, now and then. */
		if (begin > SPEND_BYTES / 4 && ftruncate(fd, 0) == 0 &&
		    write(fd, text.data + begin, text.size - begin) != (ssize_t)(text.size - begin))
			done = kt_exchange_fail(x, "budget", "the limit on cost cannot be kept: %s", strerror(errno));
		append(fd, now, cost);
	}
	close(fd);
	kt_buf_free(&text);
	return done;
}

void kt_spend_settle(struct kt_exchange *x, double reserved)
{
	struct kt_buf text = KT_BUF(SPEND_BYTES);
	int fd;

	if (x->cost_limit < 0 || x->cost == reserved)
		return;
	fd = open_list(x, &text);
	if (fd >= 0) {
		append(fd, (int64_t)time(NULL), x->cost - reserved);
		close(fd);
	}
	kt_buf_free(&text);
}
