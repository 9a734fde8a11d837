/* ktcc space: how large each region's space is and what the device leaves of it. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "tuning/space.h"
#include "verbs/session.h"
#include "verbs/verbs.h"

static const char help[] = "usage: ktcc space [--json] [--device NAME|sm_XX] FILE [-- nvcc flags]\n"
                           "Counts the configurations of each region: Cartesian product, legal by restrictions,\n"
                           "feasible on the device (default: the one in this machine), and why others are not.\n";

static kt_status add_case(cJSON *list, const struct kt_case *each,
                          const struct kt_device *device, struct kt_error *err)
{
	const struct kt_instance *instance = &each->region->instances[each->instance];
	const struct kt_pruned *pruned;
	struct kt_space *space;
	cJSON *item, *reasons;
	size_t count;

	if (kt_space_build(&space, each->template_, instance, device, err) != KT_OK)
		return kt_fail_prefix(err, "%s", instance->name);
	item = cJSON_CreateObject();
	cJSON_AddStringToObject(item, "region", each->region->name);
	cJSON_AddStringToObject(item, "instance", instance->name);
	cJSON_AddNumberToObject(item, "cartesian", kt_space_cartesian(space));
	cJSON_AddNumberToObject(item, "legal", (double)kt_space_legal(space));
	cJSON_AddNumberToObject(item, "feasible", (double)kt_space_feasible(space));
	reasons = cJSON_AddObjectToObject(item, "pruned");
	count = kt_space_pruned(&pruned, space);
	for (size_t i = 0; i < count; i++)
		if (pruned[i].count != 0)
			cJSON_AddNumberToObject(reasons, pruned[i].reason, (double)pruned[i].count);
	cJSON_AddItemToArray(list, item);
	kt_space_free(space);
	return KT_OK;
}

static void print(const cJSON *list, bool json)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	const cJSON *item, *reason;

	if (json) {
		/* One region is the usual case and is the object itself. */
		kt_json_print_stable(&out, cJSON_GetArraySize(list) == 1 ? list->child : list);
		fputs(kt_buf_text(&out), stdout);
		kt_buf_free(&out);
		return;
	}
	cJSON_ArrayForEach(item, list) {
		printf("%s: %.0f configurations, %.0f legal, %.0f feasible\n",
		       cJSON_GetStringValue(cJSON_GetObjectItem(item, "instance")),
		       cJSON_GetNumberValue(cJSON_GetObjectItem(item, "cartesian")),
		       cJSON_GetNumberValue(cJSON_GetObjectItem(item, "legal")),
		       cJSON_GetNumberValue(cJSON_GetObjectItem(item, "feasible")));
		cJSON_ArrayForEach(reason, cJSON_GetObjectItem(item, "pruned"))
			printf("  %s: %.0f\n", reason->string, cJSON_GetNumberValue(reason));
	}
}

static kt_status run(cJSON *list, struct kt_session *session, const char *wanted, struct kt_error *err)
{
	struct kt_device named;
	const struct kt_device *device = NULL;
	struct kt_case *cases;
	size_t count = kt_work_cases(&cases, session->work);

	if (wanted != NULL && kt_device_by_architecture(&named, wanted))
		device = &named;
	else
		device = kt_work_device(session->work);
	if (wanted != NULL && (device == NULL || (device != &named && !kt_device_matches(device, wanted))))
		return kt_fail(err, KT_ERR_MISSING, "%s: not the device of this machine and no known sm_XX", wanted);
	for (size_t i = 0; i < count; i++) {
		if (cases[i].template_ == NULL) {
			kt_say("%s: %s", cases[i].region->name, kt_reason_text(cases[i].reason));
			continue;
		}
		if (add_case(list, &cases[i], device, err) != KT_OK)
			return err->code;
	}
	return KT_OK;
}

int kt_verb_space(int argc, char **argv)
{
	static const struct option options[] = {{"json", no_argument, NULL, 'j'},
	                                        {"device", required_argument, NULL, 'd'},
	                                        {"help", no_argument, NULL, 'h'},
	                                        {0}};
	const char *wanted = NULL;
	struct kt_session session;
	struct kt_target target;
	struct kt_error err;
	cJSON *list;
	bool json = false;
	int option, code = 0;

	argc = kt_target_split(&target, argc, argv);
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'j')
			json = true;
		else if (option == 'd')
			wanted = optarg;
		else
			return kt_verb_usage(help, option == 'h' ? 0 : KT_EXIT_USAGE);
	}
	if (optind + 1 != argc)
		return kt_verb_usage(help, KT_EXIT_USAGE);
	target.file = argv[optind];
	list = cJSON_CreateArray();
	if (kt_session_open(&session, &err) != KT_OK || kt_session_unit(&session, &target, &err) != KT_OK ||
	    run(list, &session, wanted, &err) != KT_OK)
		code = kt_verb_failed(&err);
	else
		print(list, json);
	cJSON_Delete(list);
	kt_session_close(&session);
	return code;
}
