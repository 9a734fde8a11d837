#include "planning/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/toolkit.h"
#include "generation/generation.h"
#include "planning/work_internal.h"
#include "store/lock.h"

/* The toolkit's version from its own header ("13.0"); "unknown" when it cannot be read. */
static const char *toolkit_version(struct kt_arena *arena, const char *toolkit_dir)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error ignored;
	const char *version = "unknown", *found;
	char *headers = kt_toolkit_headers(arena, toolkit_dir);
	char *path = headers != NULL ? kt_path_join(arena, headers, "cuda.h") : NULL;

	if (path != NULL && kt_fs_read(&text, path, &ignored) == KT_OK &&
	    (found = strstr(kt_buf_text(&text), "#define CUDA_VERSION ")) != NULL) {
		long number = strtol(found + strlen("#define CUDA_VERSION "), NULL, 10);

		version = kt_arena_printf(arena, "%ld.%ld", number / 1000, number % 1000 / 10);
	}
	kt_buf_free(&text);
	return version;
}

int64_t kt_work_read_architecture(const struct kt_work *work)
{
	if (work->input.read_architecture != 0)
		return work->input.read_architecture;
	return work->input.architecture_count != 0 ? work->input.architectures[0] : 75;
}

/* Asks for the scan and parses its line. */
static kt_status scan(struct kt_work *work, enum kt_reason *reason, struct kt_error *err)
{
	cJSON *json = NULL;
	kt_status status;

	*reason = KT_REASON_SCAN_FAILED;
	status = kt_work_clang(&work->scanned, reason, work, "scan", work->input.meanwhile, err);
	THEN(status, kt_json_parse(&json, kt_buf_text(&work->scanned), work->scanned.size, err));
	THEN(status, kt_unit_read(&work->unit, work->arena, json, err));
	kt_buf_addc(&work->scanned, '\n');
	cJSON_Delete(json);
	return status;
}

static void decline(struct kt_case *each, enum kt_reason reason, const char *detail)
{
	each->reason = reason;
	each->detail = detail;
}

/* A region with explicit parameters is tuned over those alone. */
static bool wants_generator(const struct kt_work *work, const struct kt_region *region)
{
	const char *generator = work->input.config->generator;

	return region->parameter_count == 0 && region->generation != KT_AUTO_OFF &&
	       (generator == NULL || strcmp(generator, "off") != 0);
}

static void open_case(struct kt_work *work, struct kt_case *each, const struct kt_region *region, size_t instance)
{
	struct kt_error err;

	each->region = region;
	each->instance = instance;
	if (region->decline != NULL) {
		enum kt_reason reason = kt_reason_from_name(region->decline);

		decline(each, reason != KT_REASON_NONE ? reason : KT_REASON_SCAN_FAILED, region->decline_detail);
		return;
	}
	if (region->instance_count == 0) {
		decline(each, KT_REASON_NO_INSTANCE, NULL);
		return;
	}
	kt_work_make_keys(work, each);
	each->waits = wants_generator(work, region);
	if (region->parameter_count == 0 && !each->waits)
		decline(each, KT_REASON_NOTHING_TO_TUNE, NULL);
	else if (kt_generate_explicit(&each->template_, work->arena, region, kt_buf_text(&work->source),
	                              work->source.size, &err) != KT_OK)
		decline(each, KT_REASON_EMIT_FAILED, kt_arena_strdup(work->arena, err.message));
	else
		each->template_->build_options = work->input.build_options;
}

static kt_status open_cases(struct kt_work *work, struct kt_error *err)
{
	size_t count = 0;

	for (size_t r = 0; r < work->unit->region_count; r++) {
		size_t instances = work->unit->regions[r].instance_count;

		count += instances != 0 ? instances : 1;
	}
	NEED(work->cases = kt_arena_array(work->arena, count, sizeof *work->cases),
	     kt_fail(err, KT_ERR_MEMORY, "regions: out of memory"));
	for (size_t r = 0; r < work->unit->region_count; r++) {
		const struct kt_region *region = &work->unit->regions[r];
		size_t instances = region->instance_count != 0 ? region->instance_count : 1;

		for (size_t i = 0; i < instances; i++)
			open_case(work, &work->cases[work->case_count++], kt_region_for(region, i), i);
	}
	return KT_OK;
}

/* The text that the scan's offsets are into: of the main file, which is read, or with its headers put in. */
static kt_status read_text(struct kt_work *work, struct kt_error *err)
{
	struct kt_flat *flat = &work->unit->flat;
	struct kt_flat_text *texts = kt_arena_array(work->arena, flat->file_count + 1, sizeof *texts);
	struct kt_flat alone = {.file_count = 1, .files = &(struct kt_flat_file){.path = work->input.file}};
	struct kt_buf joined = KT_BUF(KT_LIMIT_SOURCE_BYTES), text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status = KT_OK;

	if (texts == NULL || !kt_flat_folders(&work->folders, &work->folder_count, work->arena,
	                                      flat->file_count != 0 ? flat : &alone))
		return kt_fail(err, KT_ERR_MEMORY, "the text with its headers: out of memory");
	if (flat->file_count == 0)
		return KT_OK;
	for (size_t i = 0; i < flat->file_count && status == KT_OK; i++) {
		const char *path = kt_path_absolute(work->arena, flat->files[i].path, work->input.directory);

		kt_buf_clear(&text);
		status = path != NULL ? kt_fs_read(&text, path, err) : kt_no_memory(err);
		texts[i] = (struct kt_flat_text){kt_arena_strndup(work->arena, kt_buf_text(&text), text.size), text.size};
		if (status == KT_OK && texts[i].data == NULL)
			status = kt_fail(err, KT_ERR_MEMORY, "the text with its headers: out of memory");
	}
	THEN(status, kt_flat_join(&joined, flat, work->arena, texts, err));
	kt_buf_free(&text);
	if (status != KT_OK) {
		kt_buf_free(&joined);
		return status;
	}
	kt_buf_free(&work->source);
	work->source = joined;
	return KT_OK;
}

kt_status kt_work_open(struct kt_work **out, enum kt_reason *reason, const struct kt_work_input *input,
                       struct kt_error *err)
{
	struct kt_work *work = calloc(1, sizeof *work);
	kt_status status;

	*reason = KT_REASON_INTERNAL;
	if (work == NULL || (work->arena = kt_arena_new(KT_ARENA_REGION_BYTES)) == NULL) {
		free(work);
		return kt_no_memory(err);
	}
	work->unpaid_since_s = kt_now_s();
	work->input = *input;
	work->remote = kt_remote_open(input->config, input->store);
	work->source = (struct kt_buf)KT_BUF(KT_LIMIT_SOURCE_BYTES);
	work->scanned = (struct kt_buf)KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	work->path = kt_path_absolute(work->arena, input->file, input->directory);
	work->toolkit = kt_target_of(input->language)->toolkit;
	if (work->toolkit == NULL)
		work->toolkit = toolkit_version(work->arena, input->toolkit_dir);
	work->lock = kt_lock_find(work->arena, input->config->lock_dir, work->path);
	status = kt_work_open_clang(work, err);
	THEN(status, kt_fs_read(&work->source, work->path, err));
	if (status == KT_OK) {
		double started_s = kt_now_s();

		status = scan(work, reason, err);
		work->scan_s = kt_now_s() - started_s;
	}
	THEN(status, read_text(work, err));
	THEN(status, open_cases(work, err));
	if (status != KT_OK) {
		kt_work_close(work);
		return status;
	}
	*reason = KT_REASON_NONE;
	*out = work;
	return KT_OK;
}

void kt_work_close(struct kt_work *work)
{
	struct kt_error ignored;

	if (work == NULL)
		return;
	for (size_t i = 0; i < work->helper_count; i++)
		kt_tester_close(work->helpers[i]);
	kt_tester_close(work->tester);
	kt_clang_close(work->clang);
	kt_proc_free(work->support.proc);
	kt_work_close_early(work);
	kt_remote_close(work->remote);
	if (work->scratch != NULL) {
		if (kt_fs_remove_tree(work->scratch, &ignored) == KT_OK)
			kt_guard_release_directory(work->scratch);
		else
			kt_log("scratch directory stays: %s", ignored.message);
	}
	kt_buf_free(&work->source);
	kt_buf_free(&work->scanned);
	kt_work_free_sources(work);
	kt_arena_free(work->arena);
	free(work);
}

void kt_work_rest(struct kt_work *work)
{
	kt_clang_rest(work->clang);
}

const struct kt_unit *kt_work_unit(const struct kt_work *work)
{
	return work->unit;
}

const struct kt_buf *kt_work_source(const struct kt_work *work)
{
	return &work->source;
}

const struct kt_buf *kt_work_scan_json(const struct kt_work *work)
{
	return &work->scanned;
}

const char *kt_case_name(const struct kt_case *each)
{
	return each->region->instance_count != 0 ? each->region->instances[each->instance].name : each->region->name;
}

size_t kt_work_cases(struct kt_case **out, struct kt_work *work)
{
	*out = work->cases;
	return work->case_count;
}

const char *kt_work_toolkit_dir(const struct kt_work *work)
{
	return work->input.toolkit_dir;
}

const char *kt_work_assembler(const struct kt_work *work)
{
	return work->input.assembler;
}

bool kt_work_asks_remote(const struct kt_work *work)
{
	return work->remote != NULL;
}

const struct kt_lock_place *kt_work_lock(const struct kt_work *work)
{
	return &work->lock;
}

struct kt_arena *kt_work_arena(struct kt_work *work)
{
	return work->arena;
}

static void note_refused(struct kt_work *work, struct kt_case *each, const char *place, const struct kt_fit *fit)
{
	const char *line = kt_arena_printf(work->arena, "%s: %s", place, fit->why);

	each->unfit_reason = fit->reason;
	/* A case is looked up by its closure first, then by its key. */
	if (line != NULL && (each->unfit == NULL || strstr(each->unfit, line) == NULL))
		each->unfit = each->unfit == NULL ? line : kt_arena_printf(work->arena, "%s\n%s", each->unfit, line);
}

static void drop_unfit(struct kt_work *work, struct kt_case *each)
{
	size_t kept = 0;

	for (size_t i = 0; i < each->found_count; i++) {
		struct kt_found *found = &each->found[i];
		const struct kt_fit fit = kt_work_fit(work, each, &found->entry);

		found->rebuilt = fit.rebuilt;
		if (fit.reason == KT_REASON_NONE)
			each->found[kept++] = *found;
		else
			note_refused(work, each, found->path != NULL ? found->path : "local store", &fit);
	}
	each->found_count = kept;
}

static kt_status find(struct kt_work *work, struct kt_case *each, const struct kt_query *query, struct kt_error *err)
{
	char *damaged = NULL;
	kt_status status = kt_store_find(&each->found, &each->found_count, &damaged, work->arena, work->input.store, query,
	                                 err);

	if (damaged != NULL)
		each->damaged = damaged;
	if (status == KT_OK)
		drop_unfit(work, each);
	return status;
}

/*
 * What a team's server has for this case goes into the local store, which is then looked into again. Tuning again does
 * not ask the server. What does not fit the region is refused before it is kept.
 */
static kt_status ask_remote(struct kt_work *work, struct kt_case *each, const struct kt_query *query,
                            struct kt_error *err)
{
	struct kt_entry *entries;
	size_t count = 0, kept = 0;
	char *damaged = NULL;

	if (work->remote == NULL || work->input.config->mode == KT_MODE_RETUNE)
		return KT_OK;
	kt_remote_fetch(&entries, &count, &damaged, work->arena, work->remote, query, each->found, each->found_count);
	if (damaged != NULL)
		each->damaged = each->damaged != NULL ? kt_arena_printf(work->arena, "%s\n%s", each->damaged, damaged)
		                                      : damaged;
	for (size_t i = 0; i < count; i++) {
		entries[i].origin = "remote";
		/* What is kept is what came, not what was made of it for this case. */
		struct kt_entry checked = entries[i];
		const struct kt_fit fit = kt_work_fit(work, each, &checked);
		struct kt_error refused;

		if (fit.reason != KT_REASON_NONE) {
			kt_remote_refuse(work->remote, &entries[i]);
			note_refused(work, each, work->input.config->remote, &fit);
		} else if (kt_store_put(work->input.store, &entries[i], &refused) == KT_OK) {
			kt_store_touch_stamps(work->input.store, each->near_key);
			kept++;
		} else {
			kt_log("an entry of the remote was not stored: %s", refused.message);
		}
	}
	return kept != 0 ? find(work, each, query, err) : KT_OK;
}

/*
 * Can a region key lead to anything? Entries that are found by it have the region's name; else it is for a tuning, and
 * making it takes a compilation.
 */
static bool needs_key(struct kt_work *work, const struct kt_case *each, const struct kt_query *query)
{
	const struct kt_config *config = work->input.config;
	const bool tunes = config->mode != KT_MODE_CACHED && config->mode != KT_MODE_OFF &&
	                   (work->input.gpu || config->replay != NULL);

	return !work->input.only_look_up || tunes || work->remote != NULL || each->found_count != 0 ||
	       each->damaged != NULL || kt_store_has_name(work->input.store, query);
}

static bool has_exact(const struct kt_case *each)
{
	for (size_t i = 0; i < each->found_count; i++)
		if (each->found[i].closeness == KT_CLOSE_EXACT)
			return true;
	return false;
}

/* The folder of this region's entries in the lock directory: NAME-<8 of the key>. */
static void set_lock_folder(struct kt_work *work, struct kt_case *each)
{
	struct kt_entry named = {.name = each->region->name, .region_key = each->region_key};
	char *folder;

	if (work->lock.path == NULL || each->region_key == NULL)
		return;
	folder = kt_lock_folder(work->arena, &named);
	if (folder != NULL)
		each->lock_folder = kt_path_join(work->arena, work->lock.path, folder);
}

static struct kt_query query_of(struct kt_work *work, const struct kt_case *each)
{
	return (struct kt_query){
	    .closure = each->closure,
	    .near_key = each->near_key,
	    .region_key = each->region_key,
	    .symbol = each->symbol,
	    .assembler = work->input.assembler,
	    .name = each->region->name,
	    .instance = each->region->instances[each->instance].name,
	    .lock_dir = work->lock.path,
	    .wanted_devices = work->input.config->device,
	    .toolkit = work->toolkit,
	    .gpu = kt_work_known_device(work),
	    .architecture_count = work->input.architecture_count,
	    .architectures = work->input.architectures,
	};
}

/* By what needs no compiler. *needs: a region key may lead to more. */
static kt_status lookup_closure(bool *needs, struct kt_work *work, struct kt_case *each, struct kt_error *err)
{
	const struct kt_query query = query_of(work, each);
	kt_status status;

	each->unfit = NULL;
	status = find(work, each, &query, err);
	THEN(status, ask_remote(work, each, &query, err));
	*needs = status == KT_OK && !has_exact(each) && needs_key(work, each, &query);
	return status;
}

static kt_status lookup_key(struct kt_work *work, struct kt_case *each, bool may_compile, struct kt_error *err)
{
	struct kt_query query = query_of(work, each);
	kt_status status = KT_OK;

	if (!has_exact(each)) {
		kt_work_make_region_key(work, each, may_compile);
		query.region_key = each->region_key;
		query.symbol = each->symbol;
		if (query.region_key != NULL)
			status = find(work, each, &query, err);
		if (query.region_key != NULL && status == KT_OK)
			status = ask_remote(work, each, &query, err);
	}
	if (each->region_key == NULL && each->found_count != 0)
		each->region_key = each->found[0].entry.region_key;
	if (each->symbol == NULL && each->found_count != 0)
		each->symbol = each->found[0].entry.symbol;
	set_lock_folder(work, each);
	if (status != KT_OK || each->found_count != 0)
		return status;
	kt_work_decline_unfound(work, each, &query);
	return status;
}

/* An entry that was found may record that the original is the fastest: that is a result, and there is no variant. */
static void settle(struct kt_case *each)
{
	size_t variants = 0;

	for (size_t i = 0; i < each->found_count; i++)
		variants += kt_entry_has_variant(&each->found[i].entry);
	if (each->found_count != 0)
		decline(each, variants != 0 ? KT_REASON_NONE : KT_REASON_BASELINE_BEST, NULL);
}

/* What -arch=native stands for is only known once the device is. */
static void resolve_native(struct kt_work *work)
{
	const struct kt_device *device = work->input.native ? kt_work_known_device(work) : NULL;

	if (device == NULL || work->input.architecture_count != 0)
		return;
	work->native_architecture = device->cc;
	work->input.architectures = &work->native_architecture;
	work->input.architecture_count = 1;
}

/* A case whose tuning failed keeps that reason: it is more exact than that there is no entry. */
static bool is_looked_up(const struct kt_case *each)
{
	return each->template_ != NULL && !each->failed;
}

kt_status kt_work_lookup(struct kt_work *work, struct kt_error *err)
{
	bool *needs = kt_arena_array(work->arena, work->case_count + 1, sizeof *needs);
	kt_status status = needs != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for a look-up");

	resolve_native(work);
	for (size_t i = 0; i < work->case_count && status == KT_OK; i++) {
		needs[i] = false;
		if (is_looked_up(&work->cases[i]))
			status = lookup_closure(&needs[i], work, &work->cases[i], err);
	}
	/* Compilers of all of them at a time. */
	if (status == KT_OK)
		kt_work_begin_early(work, needs);
	for (size_t i = 0; i < work->case_count && status == KT_OK; i++) {
		struct kt_case *each = &work->cases[i];

		if (!is_looked_up(each))
			continue;
		status = lookup_key(work, each, needs[i], err);
		if (status == KT_OK)
			settle(each);
	}
	if (status != KT_OK)
		return status;
	kt_work_drop_early(work);
	work->looked_up = true;
	return KT_OK;
}
