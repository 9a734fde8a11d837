#include "testing/ahead.h"

#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "testing/internal.h"
#include "testing/once.h"

/* Most candidates of one process: enough that its start counts for little, few enough to be steered. */
enum { GROUP_MOST = 4 };

/* The driver that keeps what it compiles, by the text of its version. */
static const char keeper[] = "PoCL";

struct item {
	size_t number;
	struct kt_candidate candidate;
	enum kt_ahead_state state;
};

struct job {
	struct kt_proc *proc; /* NULL: free */
	size_t count, items[GROUP_MOST];
};

struct kt_ahead {
	struct kt_arena *arena;
	struct kt_tester *tester;
	const struct kt_config *config;
	const char *scratch;
	size_t item_count;
	struct item *items; /* in the order of their offers */
	size_t job_count, started;
	struct job *jobs;
	bool broken; /* a process could not be started */
};

kt_status kt_ahead_open(struct kt_ahead **out, struct kt_arena *arena, struct kt_tester *tester,
                        const struct kt_config *config, const char *scratch, size_t jobs, struct kt_error *err)
{
	const struct kt_device *device = kt_tester_device(tester);
	struct kt_ahead *a;

	*out = NULL;
	if (tester->replays || config->record != NULL || jobs == 0 || device->driver == NULL ||
	    strstr(device->driver, keeper) == NULL)
		return KT_OK;
	NEED(a = kt_arena_alloc(arena, sizeof *a), kt_fail(err, KT_ERR_MEMORY, "compiling ahead: out of memory"));
	*a = (struct kt_ahead){.arena = arena, .tester = tester, .config = config, .scratch = scratch, .job_count = jobs,
	                       .jobs = kt_arena_array(arena, jobs, sizeof *a->jobs)};
	NEED(a->jobs, kt_fail(err, KT_ERR_MEMORY, "compiling ahead: out of memory"));
	*out = a;
	return KT_OK;
}

static struct item *find(const struct kt_ahead *a, size_t number)
{
	for (size_t i = 0; a != NULL && i < a->item_count; i++)
		if (a->items[i].number == number)
			return &a->items[i];
	return NULL;
}

void kt_ahead_offer(struct kt_ahead *a, size_t number, const struct kt_candidate *candidate)
{
	struct item *item;

	if (a == NULL || a->broken || find(a, number) != NULL)
		return;
	item = kt_arena_push(a->arena, &a->items, &a->item_count, sizeof *item);
	if (item != NULL)
		*item = (struct item){number, *candidate, KT_AHEAD_WAITS};
}

void kt_ahead_drop(struct kt_ahead *a, size_t number)
{
	struct item *item = find(a, number);

	if (item != NULL && item->state == KT_AHEAD_WAITS)
		item->state = KT_AHEAD_DONE;
}

enum kt_ahead_state kt_ahead_state(const struct kt_ahead *a, size_t number)
{
	const struct item *item = find(a, number);

	return item != NULL ? item->state : KT_AHEAD_DONE;
}

/* The process has answered its greeting, and a region and a try for each candidate that it is through with. */
static size_t finished(const struct job *job)
{
	const struct kt_buf *said = kt_proc_output(job->proc);
	const char *text = kt_buf_text(said);
	size_t lines = 0;

	for (size_t i = 0; i < said->size; i++)
		lines += text[i] == '\n';
	return lines > 0 ? (lines - 1) / 2 : 0;
}

static void release(struct kt_ahead *a, struct job *job)
{
	struct kt_error how;

	(void)kt_once_end(&how, a->tester, job->proc, 0);
	job->proc = NULL;
}

static void collect(struct kt_ahead *a, struct job *job)
{
	const bool ended = kt_proc_poll(job->proc, 0);
	const size_t done = ended ? job->count : finished(job);

	for (size_t i = 0; i < job->count && i < done; i++)
		a->items[job->items[i]].state = KT_AHEAD_DONE;
	if (ended)
		release(a, job);
}

/* The next candidates that wait; false: none does. */
static bool take(struct kt_ahead *a, struct job *job)
{
	job->count = 0;
	for (size_t i = 0; i < a->item_count && job->count < GROUP_MOST; i++)
		if (a->items[i].state == KT_AHEAD_WAITS)
			job->items[job->count++] = i;
	return job->count != 0;
}

static kt_status start(struct kt_ahead *a, struct job *job, struct kt_error *err)
{
	static const char *const front[] = {"nice", "-n", "19", NULL};
	const char *name = kt_arena_printf(a->arena, "ahead%zu", a->started++);
	const char *path = name != NULL ? kt_path_join(a->arena, a->scratch, name) : NULL;
	struct kt_once_run runs[GROUP_MOST];

	NEED(path, kt_fail(err, KT_ERR_MEMORY, "compiling ahead: out of memory"));
	for (size_t i = 0; i < job->count; i++)
		runs[i] = (struct kt_once_run){&a->items[job->items[i]].candidate, 0};
	TRY(kt_once_write(path, a->tester, runs, job->count, err));
	return kt_once_start(&job->proc, a->arena, a->tester, a->config, front, path, err);
}

void kt_ahead_poll(struct kt_ahead *a)
{
	struct kt_error err;

	for (size_t j = 0; a != NULL && j < a->job_count; j++) {
		struct job *job = &a->jobs[j];

		if (job->proc != NULL)
			collect(a, job);
		if (job->proc != NULL || a->broken || a->tester->rows.timed == 0 || !take(a, job))
			continue;
		a->broken = start(a, job, &err) != KT_OK;
		if (a->broken)
			kt_log("nothing is compiled ahead: %s", err.message);
		for (size_t i = 0; i < job->count; i++)
			a->items[job->items[i]].state = a->broken ? KT_AHEAD_DONE : KT_AHEAD_RUNS;
	}
}

void kt_ahead_close(struct kt_ahead *a)
{
	for (size_t j = 0; a != NULL && j < a->job_count; j++)
		if (a->jobs[j].proc != NULL)
			release(a, &a->jobs[j]);
}
