/*
 * A large store: bench_store FOLDER TRIALS REGIONS LOOKUPS fills one with that many trials and regions, an entry each,
 * and measures opening, look-ups, gc and size. One CSV row a measure, whose name has no comma; times in milliseconds,
 * by the clock and of this process's processor: on a machine that does other work the clock measures that, too.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/proc.h"
#include "store/internal.h"

enum { TRIALS_A_TRANSACTION = 1000, OPENS = 200, COLD_OPENS = 50, NUMBER_MOST = 100000000 };

static struct kt_error err;

static void check(kt_status status)
{
	if (status == KT_OK)
		return;
	fprintf(stderr, "bench_store: %s\n", err.message);
	exit(1);
}

static int compare(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

struct point {
	double clock_s, cpu_s;
};

static struct point now(void)
{
	struct timespec cpu;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	return (struct point){kt_now_s(), (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec};
}

/* What each of a number of runs took. */
struct times {
	size_t count;
	double *clock_s, *cpu_s;
};

static struct times make_times(size_t count)
{
	struct times times = {count, calloc(count, sizeof(double)), calloc(count, sizeof(double))};

	check(times.clock_s != NULL && times.cpu_s != NULL ? KT_OK : kt_fail(&err, KT_ERR_MEMORY, "out of memory"));
	return times;
}

static void take(struct times *times, size_t index, struct point begin)
{
	const struct point end = now();

	times->clock_s[index] = end.clock_s - begin.clock_s;
	times->cpu_s[index] = end.cpu_s - begin.cpu_s;
}

static void print_times(const char *measure, struct times *times)
{
	double *each[] = {times->clock_s, times->cpu_s};

	printf("%s,%zu", measure, times->count);
	for (size_t i = 0; i < 2; i++) {
		qsort(each[i], times->count, sizeof(double), compare);
		printf(",%.4f,%.4f,%.4f", 1e3 * each[i][times->count / 2], 1e3 * each[i][times->count * 99 / 100],
		       1e3 * each[i][times->count - 1]);
		free(each[i]);
	}
	puts("");
	fflush(stdout);
}

static void print_once(const char *measure, struct point begin)
{
	struct times times = make_times(1);

	take(&times, 0, begin);
	print_times(measure, &times);
}

/* A key that looks like one: spread over the whole range, the same for the same number. */
static const char *key(char out[KT_HASH_TEXT], const char *kind, int64_t number)
{
	struct kt_hash hash;

	kt_hash_init(&hash);
	kt_hash_int(&hash, kind, number);
	kt_hash_final(&hash, out);
	return out;
}

static struct kt_entry entry_of(struct kt_arena *arena, int64_t number)
{
	static const char *parameters[] = {"BLOCK", "VEC", "ITEMS", "UNROLL"}, *variables[] = {"rows", "d"};
	static int64_t configuration[] = {256, 8, 4, 2}, problems[] = {1, 4096, 64, 4096, 4096, 4096, 4096, 11008};
	static struct kt_timing baseline[] = {
	    {10, 10, 9, 1, 100}, {20, 20, 19, 1, 100}, {30, 30, 29, 1, 100}, {40, 40, 39, 1, 100}};
	static struct kt_timing tuned[] = {
	    {5, 5, 4, 1, 100}, {10, 10, 9, 1, 100}, {15, 15, 14, 1, 100}, {20, 20, 19, 1, 100}};
	static double floors[] = {4, 8, 12, 16};
	char text[KT_HASH_TEXT];
	struct kt_entry entry = {
	    .name = "kernel", .kernel = "kernel", .generator = "explicit", .parameter_count = 4, .parameters = parameters,
	    .configuration = configuration, .variable_count = 2, .problem_count = 4, .variables = variables,
	    .problems = problems, .baseline = baseline, .tuned = tuned, .floor_ns = floors, .registers = 40, .tried = 20,
	    .legal = 100, .toolkit = "13.0", .driver = "580.159.04", .tool = "bench_store", .date = "2026-01-01T00:00:00Z",
	    .device = {.vendor = "NVIDIA", .name = "NVIDIA H200", .cc = 90, .multiprocessors = 132, .memory_bus_bits = 6016,
	               .l2_bytes = 62914560}};

	entry.region_key = kt_arena_strdup(arena, key(text, "region", number));
	entry.near_key = kt_arena_strdup(arena, key(text, "near", number));
	entry.closure = kt_arena_strdup(arena, key(text, "closure", number));
	entry.instance = kt_arena_printf(arena, "kernel<%lld>", (long long)number);
	return entry;
}

static void configuration_text(char *out, size_t size, int64_t number)
{
	snprintf(out, size, "BLOCK=%d VEC=%d ITEMS=%lld UNROLL=%d", 32 << number % 6, 1 << number % 4, (long long)number,
	         1 << number % 3);
}

static void put_entries(struct kt_store *store, int64_t regions)
{
	for (int64_t i = 0; i < regions; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_entry entry = entry_of(arena, i);

		check(kt_store_put(store, &entry, &err));
		kt_arena_free(arena);
	}
}

static void put_trials(struct kt_store *store, int64_t trials, int64_t regions, const char *device_key)
{
	const int64_t each = trials / regions;
	char trial_key[KT_HASH_TEXT], text[128];

	for (int64_t i = 0; i < trials; i++) {
		const struct kt_trial trial = {.verdict = KT_VERDICT_OK,
		                               .timing = {(double)i, (double)i + 1, (double)i - 1, 0.5, 9},
		                               .registers = 40, .shared_bytes = 4096};

		if (i % TRIALS_A_TRANSACTION == 0)
			check(kt_sql_begin(store, &err));
		configuration_text(text, sizeof text, i % each);
		check(kt_trial_put_row(store, key(trial_key, "trial", i / each), device_key, text, "rows=4096 d=11008", &trial,
		                       kt_unix_time(), &err));
		if (i % TRIALS_A_TRANSACTION == TRIALS_A_TRANSACTION - 1 || i == trials - 1)
			check(kt_sql_end(store, KT_OK, &err));
	}
}

static uint64_t seed = 1;

static int64_t pick(int64_t most)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (int64_t)((seed >> 33) % (uint64_t)most);
}

/* One look-up of each kind; false where its answer is not what was put. */
static bool find_entry(struct kt_arena *arena, struct kt_store *store, int64_t number)
{
	char region[KT_HASH_TEXT], closure[KT_HASH_TEXT], near[KT_HASH_TEXT];
	const struct kt_query query = {.region_key = key(region, "region", number),
	                               .closure = key(closure, "closure", number),
	                               .near_key = key(near, "near", number), .name = "kernel"};
	struct kt_found *found;
	char *damaged;
	size_t count = 0;

	check(kt_store_find(&found, &count, &damaged, arena, store, &query, &err));
	return count == 1;
}

static bool find_nothing(struct kt_arena *arena, struct kt_store *store, int64_t number)
{
	return !find_entry(arena, store, number + NUMBER_MOST);
}

static const char *device_key;
static int64_t trials_each;

static bool get_trial(struct kt_arena *arena, struct kt_store *store, int64_t number)
{
	char trial_key[KT_HASH_TEXT], text[128];
	struct kt_trial trial;
	const int64_t at = number % trials_each;

	configuration_text(text, sizeof text, at);
	return kt_store_get_trial(&trial, arena, store, key(trial_key, "trial", number), device_key, text,
	                          "rows=4096 d=11008") &&
	       trial.timing.median_ns == (double)(number * trials_each + at);
}

static bool get_generation(struct kt_arena *arena, struct kt_store *store, int64_t number)
{
	char region[KT_HASH_TEXT];

	(void)arena;
	return kt_store_generation(store, key(region, "region", number), NULL) != 0;
}

static bool get_region_key(struct kt_arena *arena, struct kt_store *store, int64_t number)
{
	char closure[KT_HASH_TEXT];

	return kt_store_region_key(store, arena, key(closure, "closure", number)) != NULL;
}

static const struct lookup {
	const char *measure;
	bool (*run)(struct kt_arena *arena, struct kt_store *store, int64_t number);
} lookups[] = {
    {"look-up of an entry", find_entry},       {"look-up without an answer", find_nothing}, {"trial", get_trial},
    {"generation of a region", get_generation}, {"region key of a closure", get_region_key},
};

static void look_up(struct kt_store *store, int64_t regions, size_t count)
{
	for (size_t k = 0; k < sizeof lookups / sizeof lookups[0]; k++) {
		struct times times = make_times(count);

		for (size_t i = 0; i < count; i++) {
			struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
			const int64_t number = pick(regions);
			const struct point begin = now();

			if (!lookups[k].run(arena, store, number)) {
				fprintf(stderr, "bench_store: %s: a wrong answer\n", lookups[k].measure);
				exit(1);
			}
			take(&times, i, begin);
			kt_arena_free(arena);
		}
		print_times(lookups[k].measure, &times);
	}
}

static void forget_pages(const char *folder)
{
	static const char *const names[] = {KT_STORE_FILE, KT_STORE_FILE "-wal"};
	char path[4096];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		(void)fsync(fd);
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		close(fd);
	}
}

/* Opening alone, by nobody else open; `cold`: nothing of the files in memory. */
static void open_often(const char *folder, size_t count, bool cold)
{
	struct times times = make_times(count);

	for (size_t i = 0; i < count; i++) {
		struct kt_store *store = NULL;

		if (cold)
			forget_pages(folder);
		const struct point begin = now();
		check(kt_store_open(&store, folder, &err));
		take(&times, i, begin);
		kt_store_close(store);
	}
	print_times(cold ? "open with nothing in memory" : "open", &times);
}

/* As a compilation does that knows nothing yet: its own connection, one look-up. */
static void open_and_find(const char *folder, int64_t regions, size_t count)
{
	struct times times = make_times(count);

	for (size_t i = 0; i < count; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		const int64_t number = pick(regions);
		struct kt_store *store = NULL;
		const struct point begin = now();

		check(kt_store_open(&store, folder, &err));
		if (!find_entry(arena, store, number)) {
			fputs("bench_store: an entry was not found\n", stderr);
			exit(1);
		}
		take(&times, i, begin);
		kt_store_close(store);
		kt_arena_free(arena);
	}
	print_times("open and look-up of an entry", &times);
}

static void print_size(const char *measure, const char *folder)
{
	char path[4096];
	struct stat info;

	snprintf(path, sizeof path, "%s/" KT_STORE_FILE, folder);
	if (stat(path, &info) == 0)
		printf("%s,1,%lld,,,,,\n", measure, (long long)info.st_size);
	fflush(stdout);
}

static void collect(struct kt_store *store, const char *measure, int64_t days, int64_t bytes_most)
{
	struct kt_gc gc;
	const struct point begin = now();

	check(kt_store_gc(&gc, store, days, bytes_most, &err));
	print_once(measure, begin);
}

int main(int argc, char **argv)
{
	const long trials = argc == 5 ? strtol(argv[2], NULL, 10) : 0, regions = argc == 5 ? strtol(argv[3], NULL, 10) : 0;
	const long count = argc == 5 ? strtol(argv[4], NULL, 10) : 0;
	char device_text[KT_HASH_TEXT];
	struct kt_store *store = NULL;

	if (regions < 2 || trials < regions || trials > NUMBER_MOST || count < 100 || count > NUMBER_MOST) {
		fputs("usage: bench_store FOLDER TRIALS REGIONS LOOKUPS\n", stderr);
		return 2;
	}
	device_key = key(device_text, "device", 0);
	trials_each = trials / regions;
	puts("measure,count,median_ms,p99_ms,most_ms,cpu_median_ms,cpu_p99_ms,cpu_most_ms");
	check(kt_store_open(&store, argv[1], &err));
	struct point begin = now();
	put_entries(store, regions);
	print_once("putting all entries", begin);
	begin = now();
	put_trials(store, trials, regions, device_key);
	print_once("putting all trials", begin);
	kt_store_close(store);
	print_size("bytes", argv[1]);
	open_often(argv[1], OPENS, false);
	open_often(argv[1], COLD_OPENS, true);
	open_and_find(argv[1], regions, OPENS);
	check(kt_store_open(&store, argv[1], &err));
	look_up(store, regions, (size_t)count);
	collect(store, "gc that finds nothing", 90, -1);
	check(kt_sql_script(store, "UPDATE results SET used = 1000 WHERE id % 2 = 0;"
	                           "UPDATE spaces SET used = 1000 WHERE id % 2 = 0;"
	                           "UPDATE spaces SET used = used - 10 * id;"
	                           "UPDATE results SET used = used - 10 * id", &err));
	collect(store, "gc by age of a half", 90, -1);
	print_size("bytes after half", argv[1]);
	struct stat info;
	char path[4096];
	snprintf(path, sizeof path, "%s/" KT_STORE_FILE, argv[1]);
	check(stat(path, &info) == 0 ? KT_OK : kt_fail_errno(&err, "%s", path));
	collect(store, "gc by size to a half", 36500, info.st_size / 2);
	print_size("bytes after gc by size", argv[1]);
	kt_store_close(store);
	return 0;
}
