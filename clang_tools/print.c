#include <stdlib.h>
#include <string.h>

#include "base/member.h"
#include "unit.h"

/* Files are kept in their order only where they are read one after the other. */
static void add_sorted(cJSON *object, const char *name, const char *const *texts, size_t count)
{
	const char **sorted = calloc(count + 1, sizeof *sorted);
	if (sorted == NULL)
		return;
	memcpy(sorted, texts, count * sizeof *sorted);
	qsort(sorted, count, sizeof *sorted, kt_by_text);
	kt_print_texts(object, name, sorted, count);
	free(sorted);
}

static void add_files(cJSON *json, const struct kt_scan *scan)
{
	cJSON *files = cJSON_AddArrayToObject(json, "files");
	for (size_t i = 0; i < scan->file_count; i++)
		(void)cJSON_AddItemToArray(files, cJSON_CreateString(scan->files[i].path));
	for (size_t i = 1; scan->flat != NULL && i < scan->flat->file_count; i++)
		(void)cJSON_AddItemToArray(files, cJSON_CreateString(scan->flat->files[i].path));
}

/* Beside the project's own: headers elsewhere, and the data that clauses name. */
static void add_dependencies(cJSON *json, const struct kt_scan *scan)
{
	const size_t count = scan->system_file_count + scan->data_file_count;
	const char **all = calloc(count + 1, sizeof *all);
	for (size_t i = 0; all != NULL && i < count; i++)
		all[i] = i < scan->system_file_count ? scan->system_files[i] : scan->data_files[i - scan->system_file_count];
	add_sorted(json, "system_files", all, all != NULL ? count : 0);
	free(all);
}

cJSON *kt_scan_json(const struct kt_scan *scan)
{
	cJSON *json = cJSON_CreateObject();
	kt_print_text(json, "file", scan->options.file);
	kt_print_text(json, "language", kt_language_name(scan->target->language));
	cJSON *regions = cJSON_AddArrayToObject(json, "regions");
	for (size_t i = 0; i < scan->found_count; i++)
		kt_region_print(regions, &scan->found[i]->region);
	add_files(json, scan);
	if (scan->flat != NULL) {
		kt_flat_print(json, scan->flat);
		kt_print_texts(json, "absent", scan->absent, scan->absent_count);
	}
	add_dependencies(json, scan);
	kt_print_text(json, "diagnostics", kt_buf_text(&scan->diagnostics));
	(void)cJSON_AddBoolToObject(json, "has_errors", scan->has_errors);
	kt_print_text(json, "libclang", scan->version);
	return json;
}
