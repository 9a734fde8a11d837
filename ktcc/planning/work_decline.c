/* Why a case without an entry has none: the first row of a table that holds. */
#include <stdio.h>
#include <string.h>

#include "planning/work_internal.h"

struct unfound {
	struct kt_work *work;
	const struct kt_case *each;
	const struct kt_query *query;
};

/* Each tells whether it holds, and has a detail for the message, or NULL. */
typedef bool (*holds)(const char **detail, const struct unfound *u);

static bool is_damaged(const char **detail, const struct unfound *u)
{
	const char *unfit = u->each->unfit;

	*detail = u->each->damaged;
	if (u->each->damaged != NULL && unfit != NULL)
		*detail = kt_arena_printf(u->work->arena, "%s\n%s", u->each->damaged, unfit);
	return u->each->damaged != NULL;
}

static bool is_unfit(const char **detail, const struct unfound *u)
{
	*detail = u->each->unfit;
	return u->each->unfit != NULL;
}

static bool is_untrusted(const char **detail, const struct unfound *u)
{
	*detail = u->work->lock.refused;
	return u->work->lock.refused != NULL;
}

static bool has_no_lock(const char **detail, const struct unfound *u)
{
	*detail = u->work->lock.named;
	return u->work->lock.named != NULL && u->work->lock.path == NULL;
}

static bool is_keyless(const char **detail, const struct unfound *u)
{
	*detail = u->each->keyless;
	return u->each->keyless != NULL;
}

/* "KTUNE_DEVICE=sm_80, and the entries are for NVIDIA H200 (sm_90)". */
static bool is_for_others(const char **detail, const struct unfound *u)
{
	const char *devices = NULL, *wanted = u->work->input.config->device;
	struct kt_query any = *u->query;
	struct kt_found *found;
	struct kt_error ignored;
	char *damaged;
	size_t count = 0;

	if (wanted == NULL || !kt_store_has_any(u->work->input.store, u->query))
		return false;
	any.wanted_devices = NULL;
	any.gpu = NULL;
	any.architecture_count = 0;
	if (kt_store_find(&found, &count, &damaged, u->work->arena, u->work->input.store, &any, &ignored) != KT_OK)
		count = 0;
	for (size_t i = 0; i < count; i++)
		devices = kt_arena_printf(u->work->arena, "%s%s%s (sm_%lld)", devices != NULL ? devices : "",
		                          devices != NULL ? ", " : "", found[i].entry.device.name,
		                          (long long)found[i].entry.device.cc);
	*detail = kt_arena_printf(u->work->arena, "KTUNE_DEVICE=%s, and the entries are for %s", wanted,
	                          devices != NULL ? devices : "none");
	return true;
}

/* Entries that a command for other architectures would use, where no GPU decides which ones matter here. */
static bool is_elsewhere(const char **detail, const struct unfound *u)
{
	struct kt_query any = *u->query;
	struct kt_found *found;
	struct kt_error ignored;
	char *damaged;
	size_t count = 0;

	any.architecture_count = 0;
	if (u->work->input.config->device != NULL || u->query->gpu != NULL || u->query->architecture_count == 0 ||
	    kt_store_find(&found, &count, &damaged, u->work->arena, u->work->input.store, &any, &ignored) != KT_OK ||
	    count == 0)
		return false;
	*detail = kt_arena_printf(u->work->arena, "the entry is for %s, sm_%lld", found[0].entry.device.name,
	                          (long long)found[0].entry.device.cc);
	return *detail != NULL;
}

/* Of two regions of one name it is not known whose older text it was. */
static bool has_older(const char **detail, const struct unfound *u)
{
	size_t namesakes = 0;
	const char *path;

	for (size_t r = 0; r < u->work->unit->region_count; r++)
		namesakes += strcmp(u->work->unit->regions[r].name, u->each->region->name) == 0;
	path = namesakes == 1 ? kt_store_older_text(u->work->arena, u->query) : NULL;
	if (path == NULL)
		return false;
	*detail = kt_arena_printf(u->work->arena, "%s; run `ktcc tune %s -- FLAGS`%s", path, kt_path_word(u->work->arena, u->work->input.file),
	                          u->work->input.gpu ? "" : " on a machine with a device to tune on");
	return *detail != NULL;
}

static bool could_tune(const char **detail, const struct unfound *u)
{
	const struct kt_work_input *input = &u->work->input;

	*detail = u->work->no_device;
	return input->gpu || input->config->replay != NULL;
}

static bool always(const char **detail, const struct unfound *u)
{
	*detail = u->work->no_device;
	return true;
}

/* The most severe first: what is wrong with something of the user's, then what is missing. */
static const struct {
	holds holds;
	enum kt_reason reason; /* NONE: the one that refused the last entry */
} rows[] = {
    {is_damaged, KT_REASON_BAD_ENTRY},       {is_unfit, KT_REASON_NONE},
    {is_untrusted, KT_REASON_UNTRUSTED},     {has_no_lock, KT_REASON_NO_LOCK_DIR},
    {is_keyless, KT_REASON_NO_KEY},          {is_for_others, KT_REASON_UNKNOWN_DEVICE},
    {is_elsewhere, KT_REASON_ARCHITECTURE},  {has_older, KT_REASON_OLDER_TEXT},
    {could_tune, KT_REASON_NO_ENTRY},        {always, KT_REASON_NO_GPU},
};

void kt_work_decline_unfound(struct kt_work *work, struct kt_case *each, const struct kt_query *query)
{
	const struct unfound u = {work, each, query};
	size_t i = 0;

	each->detail = NULL;
	while (!rows[i].holds(&each->detail, &u))
		each->detail = NULL, i++;
	each->reason = rows[i].reason != KT_REASON_NONE ? rows[i].reason : each->unfit_reason;
}

const char *kt_work_region_name(const struct kt_region *region)
{
	const char *const names[] = {region->name, region->kernel};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i] != NULL && names[i][0] != '\0')
			return names[i];
	return "region";
}

bool kt_work_say_required(const struct kt_work *work)
{
	bool missing = false;

	for (size_t i = 0; i < work->case_count; i++) {
		const struct kt_case *each = &work->cases[i];

		if (each->reason == KT_REASON_NONE || each->reason == KT_REASON_BASELINE_BEST ||
		    each->reason == KT_REASON_ELSEWHERE)
			continue;
		fprintf(stderr, "%s:%u:%u: error: %s: %s [KTUNE_MODE=require]\n", each->region->file, each->region->line,
		        each->region->column,
		        each->region->instance_count > 1 ? kt_case_name(each) : kt_work_region_name(each->region),
		        kt_reason_line_for(work->arena, each->reason, each->detail, each->region->file));
		missing = true;
	}
	/* A pragma that is above nothing belongs to no region; its diagnostic has been printed. */
	if (!missing && work->unit->has_errors) {
		fprintf(stderr, "%s: error: %s [KTUNE_MODE=require]\n", work->input.file,
		        kt_reason_line(work->arena, KT_REASON_PRAGMA_ERROR, NULL));
		missing = true;
	}
	return missing;
}
