/* The machine's other devices of the kind that is tuned for (KTUNE_GPUS=all). */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "planning/copy_curves.h"
#include "planning/work_internal.h"

/* The number of the device that the tester has open, as its backend counts. */
static int own_ordinal(const struct kt_work *work)
{
	const struct kt_target *target = kt_target_of(work->input.language);
	const char *text = target->ordinal != NULL ? getenv(target->ordinal) : NULL;

	return text != NULL ? (int)strtol(text, NULL, 10) : 0;
}

static bool is_same_kind(const struct kt_work *work, const struct kt_tester *helper)
{
	char own[KT_HASH_TEXT], other[KT_HASH_TEXT];

	kt_device_key(own, &work->device);
	kt_device_key(other, kt_tester_device(helper));
	return strcmp(own, other) == 0;
}

/* What the first device was given. */
static kt_status make_ready(struct kt_work *work, struct kt_tester *helper, struct kt_error *err)
{
	const char *path = kt_arena_printf(work->arena, "%s/runner_kernels.cubin", work->scratch);
	struct kt_buf curve = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_status status = KT_OK;

	if (kt_tester_wants_support(helper))
		status = path != NULL ? kt_tester_support(helper, path, err) : kt_no_memory(err);
	if (status == KT_OK && work->input.store != NULL &&
	    kt_copy_curves_load(&curve, work->input.store, &work->device))
		kt_tester_set_reference(helper, kt_copy_curves_launch_ns(&curve));
	kt_buf_free(&curve);
	return status;
}

void kt_work_open_helpers(struct kt_work *work)
{
	const struct kt_config *config = work->input.config;
	const int own = own_ordinal(work);

	/* A recording is of one device. */
	if (!config->all_gpus || work->helpers_opened || config->replay != NULL || config->record != NULL)
		return;
	work->helpers_opened = true;
	for (int ordinal = 0; ordinal <= KT_WORK_HELPERS && work->helper_count < KT_WORK_HELPERS; ordinal++) {
		struct kt_tester *helper = NULL;
		struct kt_error err;

		if (ordinal == own)
			continue;
		/* There are no more. */
		if (kt_tester_open_other(&helper, config, ordinal, &err) != KT_OK) {
			kt_log("no device %d: %s", ordinal, err.message);
			break;
		}
		if (is_same_kind(work, helper) && make_ready(work, helper, &err) == KT_OK) {
			work->helpers[work->helper_count++] = helper;
			continue;
		}
		kt_log("device %d, %s, is not used: %s", ordinal, kt_tester_device(helper)->name,
		       is_same_kind(work, helper) ? err.message : "it is of another kind");
		kt_tester_close(helper);
	}
}
