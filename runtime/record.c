#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "messages.h"

struct kt_record {
	int file;
	double launch_ns;
};

void kt_record_launch(struct kt_record *record, double launch_ns)
{
	if (record)
		record->launch_ns = launch_ns;
}

static void add_launch(cJSON *line, const struct kt_record *record)
{
	if (record->launch_ns > 0)
		(void)cJSON_AddNumberToObject(line, "launch_ns", record->launch_ns);
}

static kt_status write_line(struct kt_record *record, const cJSON *line, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_json_print(&text, line);
	kt_buf_addc(&text, '\n');
	kt_status status = kt_buf_check(&text, "a line of the recording", err);
	/* One write a line: a killed runner leaves whole lines only. */
	if (!status && write(record->file, kt_buf_text(&text), text.size) != (ssize_t)text.size)
		status = kt_fail_errno(err, "writing the recording");
	kt_buf_free(&text);
	return status;
}

static kt_status write_header(struct kt_record *record, const struct kt_device *device, struct kt_error *err)
{
	char date[32] = "";
	struct tm utc;
	time_t now = time(NULL);
	cJSON *line = cJSON_CreateObject();
	if (gmtime_r(&now, &utc))
		(void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
	(void)kt_json_add_int(line, "recording", 1);
	(void)cJSON_AddStringToObject(line, "date", date);
	(void)cJSON_AddStringToObject(line, "ktcc", KT_VERSION);
	(void)cJSON_AddItemToObject(line, "device", kt_device_json(device));
	kt_status status = write_line(record, line, err);
	cJSON_Delete(line);
	return status;
}

kt_status kt_record_open(struct kt_record **out, struct kt_arena *arena, const char *path,
                         const struct kt_device *device, struct kt_error *err)
{
	struct kt_record *record;
	NEED(record = kt_arena_alloc(arena, sizeof *record), kt_no_memory(err));
	record->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (record->file < 0)
		return kt_fail_errno(err, "opening the recording %s", path);
	struct stat info;
	if (fstat(record->file, &info))
		return kt_fail_errno(err, "opening the recording %s", path);
	TRY(info.st_size ? KT_OK : write_header(record, device, err));
	*out = record;
	return KT_OK;
}

static cJSON *start_line(const char *kind, const struct kt_run_region *region, const char *configuration,
                         size_t problem)
{
	cJSON *line = cJSON_CreateObject();
	(void)cJSON_AddStringToObject(line, "kind", kind);
	(void)cJSON_AddStringToObject(line, "name", region->name);
	(void)cJSON_AddStringToObject(line, "instance", region->instance);
	kt_json_add_text(line, "configuration", configuration);
	(void)cJSON_AddStringToObject(line, "problem", region->problems[problem].text);
	return line;
}

kt_status kt_record_region(struct kt_record *record, const struct kt_run_region *region,
                           const struct kt_run_prepared *prepared, struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t p = 0; record && !status && p < region->problem_count; p++) {
		if (region->problems[p].check)
			break;
		cJSON *line = start_line("region", region, NULL, p);
		kt_message_add_prepared(line, &prepared[p]);
		status = write_line(record, line, err);
		cJSON_Delete(line);
	}
	return status;
}

kt_status kt_record_try(struct kt_record *record, const struct kt_run_region *region,
                        const struct kt_run_candidate *candidate, const struct kt_run_outcome *outcome,
                        struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t p = 0; record && !status && p < region->problem_count; p++) {
		/* What was not asked tells nothing about the candidate. */
		if (region->problems[p].check)
			break;
		if (candidate->skip[p])
			continue;
		cJSON *line = start_line("try", region, candidate->configuration, p);
		kt_print_members(line, &outcome->trials[p], &kt_trial_members, NULL);
		if (outcome->trials[p].timing.samples > 0)
			add_launch(line, record);
		kt_print_members(line, outcome, &kt_outcome_attributes, NULL);
		status = write_line(record, line, err);
		cJSON_Delete(line);
	}
	return status;
}

kt_status kt_record_compare(struct kt_record *record, const struct kt_run_region *region,
                            const struct kt_run_candidate *candidates, size_t count, const struct kt_timing *timings,
                            struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t i = 0; record && !status && i < count * region->problem_count; i++) {
		if (timings[i].samples < 1)
			continue;
		cJSON *line = start_line("compare", region, candidates[i / region->problem_count].configuration,
		                         i % region->problem_count);
		kt_timing_add(line, "timing", &timings[i]);
		add_launch(line, record);
		status = write_line(record, line, err);
		cJSON_Delete(line);
	}
	return status;
}

kt_status kt_record_copy(struct kt_record *record, const struct kt_run_region *region, const double *copy_ns,
                          struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t p = 0; record && !status && p < region->problem_count; p++) {
		if (region->problems[p].check)
			break;
		cJSON *line = start_line("floor", region, NULL, p);
		(void)cJSON_AddNumberToObject(line, "floor_ns", copy_ns[p]);
		add_launch(line, record);
		status = write_line(record, line, err);
		cJSON_Delete(line);
	}
	return status;
}
