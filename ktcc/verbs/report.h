/*
 * ktcc report: what the store knows of some regions, read once and then
 * printed as a page, as JSON, as Markdown or as CSV (docs/report.md).
 * Texts of entries and trials come from files that other people wrote:
 * each printer escapes them for its own format.
 */
#ifndef KT_VERBS_REPORT_H
#define KT_VERBS_REPORT_H

#include "base/json.h"
#include "store/store.h"
#include "verbs/session.h"

/* Ceilings: of everything that is read for a report, and of what is printed. */
#define KT_REPORT_ARENA_BYTES ((size_t)2 << 30)
#define KT_REPORT_BYTES ((size_t)1 << 30)

struct kt_report_trial {
	size_t configuration, problem; /* indices into the region's texts */
	struct kt_trial trial;
};

struct kt_report_event {
	int64_t time; /* seconds of the epoch */
	const char *event, *detail;
};

/* One region instance on one device. */
struct kt_report_region {
	struct kt_entry entry;
	const char *json;   /* the entry, as `cache show --json` prints it */
	const char *source; /* "local", "remote", "import", "lock", "local and lock" */
	const char *path;   /* of the entry's file below the lock directory; NULL: none */
	const char *stale;  /* why builds do not use it any more; NULL: nothing is known against it */
	double gain;        /* geometric mean over the problems of original / tuned */
	size_t configuration_count, problem_count;
	const char **configurations, **problems; /* of the trials, as texts */
	size_t trial_count;
	struct kt_report_trial *trials;
	size_t event_count;
	struct kt_report_event *events; /* of the last tuning */
	cJSON *rounds;                  /* array of its records; NULL: none */
	const cJSON *code;              /* of a region of a file that was given (report_code.c); NULL: not known */
};

struct kt_report {
	struct kt_session session;
	struct kt_arena *arena;
	const char *lock_dir; /* NULL: none */
	const char *here;     /* the working directory: files below it are shown by their path from it */
	size_t name_count;
	const char **names; /* regions that were asked for */
	bool *named;        /* of each: was one found? */
	size_t file_count;  /* files that were asked for */
	cJSON *code;        /* region key → what report_code.c finds; of the files' regions */
	const char *date;   /* now, "2026-01-31T12:00:00Z" */
	size_t region_count;
	struct kt_report_region *regions;
	int64_t damaged;  /* lock files that could not be read; each was reported */
	kt_status status; /* of a visit that failed */
	struct kt_error err;
};

/* ---- report_read.c: fills the regions from the store and the lock directory, in the order of names. */
kt_status kt_report_read(struct kt_report *report, struct kt_error *err) KT_MUST_CHECK;
size_t kt_report_trials(const struct kt_report *report);

/* ---- report_stale.c: fills `stale`, and puts such regions last. */
kt_status kt_report_mark_stale(struct kt_report *report, struct kt_error *err) KT_MUST_CHECK;
size_t kt_report_stale(const struct kt_report *report);

/* ---- report_code.c: scans the command and adds the code of each of its region instances, under its region key. */
kt_status kt_report_add_file(struct kt_report *report, const struct kt_compile_command *command,
			     struct kt_error *err) KT_MUST_CHECK;

/* ---- report_json.c: everything as one object (docs/report.md). NULL: out of memory. */
cJSON *kt_report_json(const struct kt_report *report);

/* ---- report_page.c, report_markdown.c, report_csv.c */
kt_status kt_report_page(struct kt_buf *out, const struct kt_report *report, struct kt_error *err) KT_MUST_CHECK;
void kt_report_markdown(struct kt_buf *out, const struct kt_report *report);
void kt_report_csv(struct kt_buf *out, const struct kt_report *report);

#endif
