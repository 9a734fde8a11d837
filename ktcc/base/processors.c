#include "base/processors.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fs.h"

#define GROUPS_BYTES ((size_t)64 << 10)

static bool read_text(struct kt_buf *out, const char *path)
{
	struct kt_error ignored;

	kt_buf_clear(out);
	return kt_fs_read(out, path, &ignored) == KT_OK && out->size > 0;
}

/* Whole processors of a quota in microseconds a period; `most` where there is none. */
static int64_t of_quota(long long quota, long long period, int64_t most)
{
	const long long count = quota > 0 && period > 0 ? (quota + period - 1) / period : most;

	return count < most ? (int64_t)count : most;
}

/* "max 100000" or "150000 100000" of version 2. */
static int64_t of_second(const char *folder, int64_t most)
{
	struct kt_buf text = KT_BUF(GROUPS_BYTES), path = KT_BUF(KT_LIMIT_LINE_BYTES);
	long long quota = 0, period = 0;

	kt_buf_addf(&path, "%s/cpu.max", folder);
	if (read_text(&text, kt_buf_text(&path)) && sscanf(kt_buf_text(&text), "%lld %lld", &quota, &period) != 2)
		quota = 0;
	kt_buf_free(&text);
	kt_buf_free(&path);
	return of_quota(quota, period, most);
}

static long long number_in(const char *folder, const char *name)
{
	struct kt_buf text = KT_BUF(GROUPS_BYTES), path = KT_BUF(KT_LIMIT_LINE_BYTES);
	long long value = 0;

	kt_buf_addf(&path, "%s/%s", folder, name);
	if (read_text(&text, kt_buf_text(&path)))
		value = strtoll(kt_buf_text(&text), NULL, 10);
	kt_buf_free(&text);
	kt_buf_free(&path);
	return value;
}

/* Version 1 has a file a number. */
static int64_t of_first(const char *folder, int64_t most)
{
	return of_quota(number_in(folder, "cpu.cfs_quota_us"), number_in(folder, "cpu.cfs_period_us"), most);
}

/* The group and those above it: each may allow less. */
static int64_t upward(const char *root, const char *group, size_t length, int64_t most,
		      int64_t (*of_folder)(const char *folder, int64_t most))
{
	struct kt_buf folder = KT_BUF(KT_LIMIT_LINE_BYTES);

	for (;;) {
		kt_buf_clear(&folder);
		kt_buf_addf(&folder, "%s%.*s", root, (int)length, group);
		most = of_folder(kt_buf_text(&folder), most);
		while (length > 0 && group[--length] != '/')
			;
		if (length == 0)
			break;
	}
	/* In a container the group's own path is not there, and its files are at the root. */
	most = of_folder(root, most);
	kt_buf_free(&folder);
	return most;
}

/* Is "cpu" one of "cpu,cpuacct"? */
static bool has_cpu(const char *names, size_t size)
{
	for (const char *at = names, *end = names + size; at < end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const size_t length = (size_t)((comma != NULL ? comma : end) - at);

		if (length == 3 && memcmp(at, "cpu", 3) == 0)
			return true;
		at += length + 1;
	}
	return false;
}

int64_t kt_processors_within(const char *mount, const char *groups, int64_t allowed)
{
	int64_t most = allowed < 1 ? 1 : allowed;

	/* "4:cpu,cpuacct:/group" of version 1, "0::/group" of version 2 */
	for (const char *line = groups, *next; *line != '\0'; line = next) {
		const char *end = line + strcspn(line, "\n"), *names = memchr(line, ':', (size_t)(end - line));
		const char *group = names != NULL ? memchr(names + 1, ':', (size_t)(end - names - 1)) : NULL;

		next = *end == '\n' ? end + 1 : end;
		if (group == NULL)
			continue;
		if (group == names + 1) {
			most = upward(mount, group + 1, (size_t)(end - group - 1), most, of_second);
		} else if (has_cpu(names + 1, (size_t)(group - names - 1))) {
			struct kt_buf root = KT_BUF(KT_LIMIT_LINE_BYTES);

			kt_buf_addf(&root, "%s/cpu", mount);
			most = upward(kt_buf_text(&root), group + 1, (size_t)(end - group - 1), most, of_first);
			kt_buf_free(&root);
		}
	}
	return most < 1 ? 1 : most;
}

int64_t kt_processors(void)
{
	struct kt_buf groups = KT_BUF(GROUPS_BYTES);
	cpu_set_t allowed;
	/* Where they are more than a cpu_set_t holds: all that there are, which takes reading files. */
	const long count =
	    sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : sysconf(_SC_NPROCESSORS_ONLN);
	int64_t most = count;

	if (read_text(&groups, "/proc/self/cgroup"))
		most = kt_processors_within("/sys/fs/cgroup", kt_buf_text(&groups), most);
	kt_buf_free(&groups);
	return most > 0 ? most : 1;
}
