#include "planning/copy_curves.h"

#include <stdio.h>
#include <time.h>

#include "base/log.h"

/* A driver may move bytes otherwise: its version is part of the name. */
static void blob_key(struct kt_buf *out, const struct kt_device *device)
{
	char key[KT_HASH_TEXT];

	kt_device_key(key, device);
	kt_buf_addf(out, "copy-floor 3 %s driver %s", key, device->driver != NULL ? device->driver : "unknown");
}

bool kt_copy_curves_load(struct kt_buf *out, struct kt_store *store, const struct kt_device *device)
{
	struct kt_buf key = KT_BUF(KT_LIMIT_LINE_BYTES);
	bool found;

	if (store == NULL)
		return false;
	blob_key(&key, device);
	found = kt_store_get_blob(out, store, kt_buf_text(&key));
	kt_buf_free(&key);
	return found;
}

double kt_copy_curves_launch_ns(const struct kt_buf *text)
{
	struct kt_error ignored;
	cJSON *json = NULL;
	double ns = 0;

	if (kt_json_parse(&json, kt_buf_text(text), text->size, &ignored) != KT_OK ||
	    kt_json_double_or(&ns, json, "launch_ns", 0, &ignored) != KT_OK || !(ns > 0))
		ns = 0;
	cJSON_Delete(json);
	return ns;
}

static cJSON *curves_json(const struct kt_device *device, double launch_ns, const struct kt_curve *curves, size_t count)
{
	cJSON *root = cJSON_CreateObject(), *patterns;
	time_t now = time(NULL);
	struct tm when;
	char date[16];

	gmtime_r(&now, &when);
	strftime(date, sizeof date, "%Y-%m-%d", &when);
	cJSON_AddStringToObject(root, "device", device->name);
	cJSON_AddStringToObject(root, "driver", device->driver != NULL ? device->driver : "unknown");
	cJSON_AddStringToObject(root, "date", date);
	if (launch_ns > 0)
		cJSON_AddNumberToObject(root, "launch_ns", launch_ns);
	patterns = cJSON_AddArrayToObject(root, "patterns");
	for (size_t c = 0; c < count; c++) {
		cJSON *pattern = kt_json_append(patterns), *points;

		cJSON_AddStringToObject(pattern, "name", curves[c].pattern);
		points = cJSON_AddArrayToObject(pattern, "points");
		for (size_t p = 0; p < curves[c].count; p++) {
			const struct kt_curve_point *point = &curves[c].points[p];
			const double row[] = {(double)point->bytes, point->median_ns, point->deviation_ns};

			cJSON_AddItemToArray(points, cJSON_CreateDoubleArray(row, 3));
		}
	}
	return root;
}

kt_status kt_copy_curves_measure(struct kt_buf *out, struct kt_store *store, struct kt_tester *tester,
				 struct kt_error *err)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf key = KT_BUF(KT_LIMIT_LINE_BYTES), text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_curve *curves = NULL;
	size_t count = 0;
	kt_status status = arena != NULL ? kt_tester_copy_curves(&curves, &count, arena, tester, err)
	                                 : kt_fail(err, KT_ERR_MEMORY, "copy bandwidth bound: out of memory");

	if (status == KT_OK) {
		cJSON *json = curves_json(kt_tester_device(tester), kt_tester_launch_ns(tester), curves, count);
		struct kt_error ignored;

		kt_json_print(&text, json);
		cJSON_Delete(json);
		status = kt_buf_check(&text, "the copy bandwidth bound", err);
		blob_key(&key, kt_tester_device(tester));
		if (status == KT_OK && store != NULL &&
		    kt_store_put_blob(store, kt_buf_text(&key), text.data, text.size, &ignored) != KT_OK)
			kt_log("copy bandwidth bound not stored: %s", ignored.message);
	}
	if (status == KT_OK)
		kt_buf_add(out, text.data, text.size);
	kt_buf_free(&key);
	kt_buf_free(&text);
	kt_arena_free(arena);
	return status;
}
