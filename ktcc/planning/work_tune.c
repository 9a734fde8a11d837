/* The part of work.h that tunes on a device. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "generation/generation.h"
#include "planning/decision_log.h"
#include "planning/objective.h"
#include "planning/rounds.h"
#include "planning/work_internal.h"
#include "store/lock.h"

/* A region that somebody else tunes is waited for this long beyond the budget. */
static const double lease_grace_s = 30;

bool kt_work_compiles_for(const struct kt_work *work, int64_t cc)
{
	/* The driver compiles for whatever it drives. */
	if (!kt_target_of(work->input.language)->has_compiler)
		return true;
	for (size_t i = 0; i < work->input.architecture_count; i++)
		if (work->input.architectures[i] == cc)
			return true;
	return false;
}

/* Is one of `wanted` ("a;b") this device? NULL wants any. */
static bool wanted(struct kt_work *work, const char *list)
{
	const char *at = list;

	if (list == NULL)
		return true;
	while (*at != '\0') {
		size_t length = strcspn(at, ";");
		char *item = kt_arena_strndup(work->arena, at, length);

		if (item != NULL && length != 0 && kt_device_matches(&work->device, item))
			return true;
		at += length;
		at += *at == ';';
	}
	return false;
}

static const struct kt_found *found_here(struct kt_work *work, const struct kt_case *each)
{
	char here[KT_HASH_TEXT];

	kt_device_key(here, &work->device);
	for (size_t i = 0; i < each->found_count; i++)
		if (each->found[i].closeness == KT_CLOSE_EXACT && strcmp(each->found[i].entry.device_key, here) == 0)
			return &each->found[i];
	return NULL;
}

const struct kt_entry *kt_work_entry_here(struct kt_work *work, const struct kt_case *each)
{
	const struct kt_found *found = found_here(work, each);

	return found != NULL ? &found->entry : NULL;
}

bool kt_work_starts_over(struct kt_work *work, const struct kt_case *each)
{
	const struct kt_found *found = found_here(work, each);

	return work->input.config->mode == KT_MODE_RETUNE || (work->input.refresh && found != NULL && found->rebuilt != NULL);
}

static bool exact_here(struct kt_work *work, const struct kt_case *each)
{
	return kt_work_entry_here(work, each) != NULL;
}

/* The trials that a case gets in any case: where all instances of its region share them. */
static int64_t least_trials(const struct kt_work *work, const struct kt_case *each)
{
	const int64_t trials = kt_plan_trials(work->input.config, each->region);
	int64_t count = 0;

	for (size_t i = 0; i < work->case_count; i++)
		count += kt_region_whole(work->cases[i].region) == kt_region_whole(each->region);
	return count > 1 ? trials / count : trials;
}

/* Who asks for tuning gets it; a build goes on with what this machine has begun, and takes what others committed. */
static bool search_goes_on(struct kt_work *work, const struct kt_case *each)
{
	const struct kt_entry *entry = kt_work_entry_here(work, each);

	return entry != NULL && !kt_entry_is_final(entry) &&
	       (entry->search != KT_SEARCH_TRIALS || entry->tried < least_trials(work, each)) && strcmp(entry->generator, "llm") != 0 &&
	       (work->input.build_tree == NULL || kt_rounds_began_here(work, each));
}

/* Is there nothing left to do for this case? */
static bool is_done(struct kt_work *work, struct kt_case *each)
{
	return exact_here(work, each) && !kt_work_starts_over(work, each) && !search_goes_on(work, each) &&
	       !kt_rounds_goes_on(work, each);
}

static void add_declined(const char **texts, size_t *count, struct kt_work *work, const struct kt_case *each,
                         const struct kt_rules *rules)
{
	const size_t region = (size_t)(kt_region_whole(each->region) - work->unit->regions);

	for (size_t i = 0; rules != NULL && i < rules->decline_count; i++) {
		const struct kt_rules_decline *one = &rules->declines[i];

		if (one->region != region || (one->instance >= 0 && (size_t)one->instance != each->instance))
			continue;
		texts[*count] = kt_arena_printf(work->arena, "line %u: %s: %s", (unsigned)one->line, one->reason,
		                                one->detail != NULL ? one->detail : "");
		*count += texts[*count] != NULL;
	}
}

const char **kt_work_declined(size_t *count, struct kt_work *work, const struct kt_case *each)
{
	const size_t most = (work->rules != NULL ? work->rules->decline_count : 0) +
	                    (work->ir != NULL ? work->ir->decline_count : 0);
	const char **texts = most > 0 ? kt_arena_array(work->arena, most, sizeof *texts) : NULL;

	*count = 0;
	if (texts == NULL)
		return NULL;
	add_declined(texts, count, work, each, work->rules);
	add_declined(texts, count, work, each, work->ir);
	return texts;
}

/* A region for which nothing was generated: the reasons are all that its tuning report has. */
static void note_declined(struct kt_work *work, const struct kt_case *each)
{
	char device_key[KT_HASH_TEXT];
	const struct kt_decision_log decisions = {work->input.store, each->region_key, device_key};
	size_t count;
	const char **declined = kt_work_declined(&count, work, each);

	kt_device_key(device_key, &work->device);
	kt_decision_note(&decisions, KT_DECISION_BEGIN, "ktcc " KT_VERSION);
	for (size_t i = 0; i < count; i++)
		kt_decision_note(&decisions, "declined", "%s", declined[i]);
	kt_decision_note(&decisions, "failed", "%s", kt_reason_text(each->reason));
}

void kt_work_each_decision(struct kt_work *work, const struct kt_case *each, kt_decision_visit visit, void *context)
{
	char here[KT_HASH_TEXT];
	const char *device_key = each->found_count != 0 ? each->found[0].entry.device_key : NULL;
	struct kt_error err;

	if (device_key == NULL && work->device_known) {
		kt_device_key(here, &work->device);
		device_key = here;
	}
	if (work->input.store != NULL && each->region_key != NULL && device_key != NULL &&
	    kt_store_each_decision(work->input.store, each->region_key, device_key, KT_DECISION_BEGIN, visit, context,
				   &err) != KT_OK)
		kt_log("ledger: %s", err.message);
}

/* Entries whose choices are worth a try: of the region's instances that were tuned in this run, the last one first, then
 * of this instance on other devices. NULL: none, or no memory. */
static const struct kt_entry **known_elsewhere(size_t *count, struct kt_work *work, const struct kt_case *each)
{
	const struct kt_entry **entries =
	    kt_arena_array(work->arena, work->case_count + each->found_count + 1, sizeof *entries);

	*count = 0;
	for (size_t i = work->case_count; entries != NULL && i-- > 0;) {
		const struct kt_case *other = &work->cases[i];

		if (other != each && kt_region_whole(other->region) == kt_region_whole(each->region) && other->tuned && other->found_count != 0)
			entries[(*count)++] = &other->found[0].entry;
	}
	for (size_t i = 0; entries != NULL && i < each->found_count; i++)
		entries[(*count)++] = &each->found[i].entry;
	return entries;
}

static struct kt_plan plan_of(struct kt_work *work, const struct kt_case *each)
{
	size_t declined_count;
	const char **declined = kt_work_declined(&declined_count, work, each);
	size_t known_count;
	const struct kt_entry **known = known_elsewhere(&known_count, work, each);

	return (struct kt_plan){
	    .known_count = known_count,
	    .known = known,
	    .declined_count = declined_count,
	    .declined = declined,
	    .config = work->input.config,
	    .store = work->input.store,
	    .tester = work->tester,
	    .template_ = each->template_,
	    .instance = each->instance,
	    .source = kt_buf_text(&work->source),
	    .source_size = work->source.size,
	    .region_key = each->region_key,
	    .symbol = each->symbol,
	    .assembler = work->input.assembler,
	    .closure = each->closure,
	    .near_key = each->near_key,
	    .measure_key = kt_work_measure_key(work, each),
	    .toolkit = work->toolkit,
	    .observer = work->input.observer,
	    .strategy = work->input.config->strategy,
	    .seed = work->input.seed != 0 ? work->input.seed : 1,
	};
}

/* What a plan needs that is no tuning. */
static kt_status open_plan(struct kt_plan *plan, struct kt_work *work, struct kt_case *each, struct kt_error *err)
{
	if (!kt_work_open_tester(work))
		return kt_fail(err, KT_ERR_MISSING, "%s", kt_reason_line(work->arena, KT_REASON_NO_GPU, work->no_device));
	*plan = plan_of(work, each);
	TRY(kt_work_compile(&plan->compile, work, work->device.cc, err));
	return kt_work_load_support(work, NULL, NULL, err);
}

kt_status kt_work_verify(struct kt_outcome *out, struct kt_work *work, struct kt_case *each,
                         const int64_t *configuration, const char *check, struct kt_error *err)
{
	struct kt_plan plan;
	TRY(open_plan(&plan, work, each, err));
	return kt_plan_verify(out, work->arena, &plan, configuration, check, err);
}

kt_status kt_work_compare(struct kt_timing *timings, struct kt_work *work, struct kt_case *each,
                          const int64_t *const *configurations, size_t count, struct kt_error *err)
{
	struct kt_plan plan;
	TRY(open_plan(&plan, work, each, err));
	return kt_plan_compare(timings, work->arena, &plan, configurations, count, err);
}

/* The time spent by a build is forgotten after this time without tuning: the next build has its full budget again. */
enum { BUILD_SPENT_S = 3600 };

static const char *build_mark(const struct kt_work *work)
{
	return kt_arena_printf(work->arena, "build %s", work->input.build_tree);
}

/* Without a store nothing is shared. */
double kt_work_build_left(const struct kt_work *work)
{
	const double budget = work->input.config->build_budget_seconds;
	const char *mark;
	int64_t spent_ms = 0;

	if (budget < 0 || work->input.build_tree == NULL)
		return -1;
	mark = build_mark(work);
	if (mark != NULL && !kt_store_get_mark(&spent_ms, work->input.store, mark, BUILD_SPENT_S))
		spent_ms = 0;
	return budget - 1e-3 * (double)spent_ms > 0 ? budget - 1e-3 * (double)spent_ms : 0;
}

void kt_work_charge(const struct kt_work *work, double seconds)
{
	const char *mark = work->input.build_tree != NULL ? build_mark(work) : NULL;

	if (mark != NULL && work->input.config->build_budget_seconds >= 0)
		kt_store_add_mark(work->input.store, mark, (int64_t)(1e3 * seconds) + 1, BUILD_SPENT_S, KT_MARK_LAST);
}

/* Less than this is no tuning. */
static const double build_least_s = 1;

/* Leaves the case unmodified where the build has no time left for it. */
static bool build_is_over(struct kt_work *work, struct kt_case *each)
{
	const double left = kt_work_build_left(work);

	if (left < 0 || left >= build_least_s)
		return false;
	each->failed = true;
	each->reason = KT_REASON_BUILD_BUDGET;
	each->detail = work->input.build_advice;
	return true;
}

/*
 * Nsight Compute, from PATH or with the toolkit; NULL: it is not to be asked, not there, or was asked in vain before.
 */
static const char *profiler(struct kt_work *work)
{
	const struct kt_work_input *input = &work->input;
	const enum kt_switch wanted = input->config->counters;
	const char *path;

	/* A recording's device is not this machine's. */
	if (wanted == KT_SWITCH_OFF || work->uncounted || !kt_target_of(input->language)->has_compiler ||
	    (input->config->replay != NULL && wanted != KT_SWITCH_ON))
		return NULL;
	path = kt_path_find_program(work->arena, "ncu");
	if (path == NULL && input->toolkit_dir != NULL)
		path = kt_path_join(work->arena, input->toolkit_dir, "bin/ncu");
	work->uncounted = path == NULL || !kt_fs_is_file(path);
	if (work->uncounted)
		kt_log("no counters: ncu is not installed");
	return work->uncounted ? NULL : path;
}

/* Instances of a region that are tuned in this run, `each` among them. */
static size_t sharers(struct kt_work *work, const struct kt_case *each)
{
	size_t count = 0;

	for (size_t i = 0; i < work->case_count; i++) {
		struct kt_case *other = &work->cases[i];

		if (other->region == each->region && other->template_ != NULL)
			count += other == each || other->tuned || other->failed || !is_done(work, other);
	}
	return count;
}

/* A tuning's share, less what was spent for it already; some of it always remains. */
static double after(double share_s, double spent_s)
{
	return fmax(share_s - spent_s, share_s / 2);
}

double kt_work_after_preparation(const struct kt_work *work, double share_s)
{
	return after(share_s, kt_now_s() - work->unpaid_since_s);
}

struct kt_allowance kt_work_allowance(struct kt_work *work, const struct kt_case *each)
{
	const size_t count = sharers(work, each);
	const int64_t trials = kt_plan_trials(work->input.config, each->region), share = (int64_t)count;

	return (struct kt_allowance){.seconds = kt_plan_seconds(work->input.config, each->region) / (double)count,
	                             .trials = trials == INT64_MAX ? trials : (trials + share - 1) / share};
}

static kt_status make_ready(void *context, kt_meanwhile *run, void *state, struct kt_error *err)
{
	TRY(kt_work_load_support(context, run, state, err));

	kt_work_keep_copy(context);
	kt_work_open_helpers(context);
	return KT_OK;
}

kt_status kt_work_tune_template(struct kt_planned *out, struct kt_work *work, const struct kt_case *each,
                                const struct kt_template *template_, const struct kt_share *share,
                                struct kt_lease *lease, struct kt_error *err)
{
	struct kt_plan plan = plan_of(work, each);
	const double begin_s = kt_now_s();
	kt_status status = kt_work_compile(&plan.compile, work, work->device.cc, err);

	memset(out, 0, sizeof *out);
	plan.template_ = template_;
	plan.compile.original = kt_work_early_cubin(work, each);
	plan.lease = lease;
	plan.most_seconds = kt_work_build_left(work);
	plan.share_trials = share->trials;
	plan.author = share->author;
	plan.allowance_seconds = kt_work_allowance(work, each).seconds;
	if (share->counts || work->input.config->counters == KT_SWITCH_ON)
		plan.ncu = profiler(work);
	plan.keep = share->keep;
	plan.keep_context = share->keep_context;
	plan.prepare = make_ready;
	plan.prepare_context = work;
	plan.helpers = work->helpers;
	plan.helper_count = &work->helper_count;
	plan.share_seconds = share->seconds;
	THEN(status, kt_plan_tune(out, work->arena, &plan, err));
	work->uncounted = work->uncounted || out->uncounted;
	kt_work_charge(work, kt_now_s() - begin_s);
	/* What it took too long is the next one's to save. */
	work->unpaid_since_s = kt_now_s() - (share->seconds > 0 ? fmax(0, kt_now_s() - begin_s - share->seconds) : 0);
	return status;
}

/* Of a result that is not final: how far it came, and how it comes further. */
static void say_unfinished(const struct kt_entry *entry, const struct kt_case *each)
{
	struct kt_buf far = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_entry_search_text(&far, entry);
	if (entry->search == KT_SEARCH_BUDGET && each->enough_s > 0)
		kt_say("%s: %s; about %.0f s would be enough", entry->instance, kt_buf_text(&far), each->enough_s);
	else if (entry->search == KT_SEARCH_TRIALS && each->enough_trials > 0)
		kt_say("%s: %s; %lld configurations would be enough", entry->instance, kt_buf_text(&far),
		       (long long)each->enough_trials);
	else if (!kt_entry_is_final(entry))
		kt_say("%s: %s", entry->instance, kt_buf_text(&far));
	kt_buf_free(&far);
}

static void say_energy(const struct kt_entry *entry)
{
	double ratio = 0;
	size_t count = 0;

	for (size_t p = 0; entry->objective != NULL && p < entry->problem_count; p++)
		if (entry->baseline_uj[p] > 0 && entry->tuned_uj[p] > 0) {
			ratio += log(entry->tuned_uj[p] / entry->baseline_uj[p]);
			count++;
		}
	if (count != 0)
		kt_say("%s: chosen by %s, %.2f of the original's energy a launch, good to %.1f%%", entry->instance,
		       entry->objective, exp(ratio / (double)count), 0.1 * (double)entry->energy_error);
}

/* "1.53x with X=1", "1.53x with X=1 where n >= 33, the original kernel elsewhere" */
static void add_result(struct kt_buf *out, const struct kt_entry *entry, const struct kt_case *each)
{
	if (!kt_entry_has_variant(entry)) {
		kt_buf_adds(out, "keeps the original kernel: ");
		kt_contest_text(out, &each->contest, each->enough_s);
		return;
	}
	kt_buf_addf(out, "%.2fx with ", kt_geomean_speedup(entry->baseline, entry->tuned, entry->problem_count));
	if (!entry->baseline_best) {
		kt_entry_variant_text(out, entry, 0);
		if (entry->special_count != 0)
			kt_buf_addf(out, ", and %zu variant%s for some sizes", entry->special_count, entry->special_count == 1 ? "" : "s");
	} else if (entry->special_count == 1) {
		kt_entry_variant_text(out, entry, 1);
		kt_buf_addf(out, " where %s, the original kernel elsewhere", entry->specials[0].when);
	} else {
		kt_buf_addf(out, "%zu variants, each for some sizes, the original kernel elsewhere", entry->special_count);
	}
}

static void report(const struct kt_work *work, const struct kt_case *each)
{
	const struct kt_entry *entry = &each->found[0].entry;
	struct kt_buf result = KT_BUF(KT_LIMIT_LINE_BYTES), spent = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_buf between = KT_BUF(KT_LIMIT_LINE_BYTES);

	add_result(&result, entry, each);
	kt_say("%s: %s (%lld configuration%s tried in %.1f s on %s)", entry->instance, kt_buf_text(&result),
	       (long long)each->tried, each->tried == 1 ? "" : "s", each->wall.total_s, work->device.name);
	say_energy(entry);
	say_unfinished(entry, each);
	for (size_t i = 0; i < each->awaited_count && !work->input.go_on; i++)
		kt_say("%s: a question to a model waits for its answer in %s", entry->instance, each->awaited[i]);
	for (int i = 0; i < KT_SPENT; i++)
		kt_buf_addf(&spent, "%s%s %.3f", i == 0 ? "" : " ", kt_spent_name((enum kt_spent)i), each->wall.spent_s[i]);
	for (int i = 0; i < KT_BETWEEN; i++)
		kt_buf_addf(&between, "%s%s %.3f", i == 0 ? "" : " ", kt_between_name((enum kt_between)i),
		            each->wall.between_s[i]);
	kt_log("wall %s: scan %.3f compile %.3f run %.3f (%s) between (%s) wait %.3f total %.3f tried %lld wrong %lld "
	       "uncompiled %lld",
	       entry->instance, each->wall.scan_s, each->wall.compile_s, each->wall.run_s, kt_buf_text(&spent),
	       kt_buf_text(&between), each->wall.wait_s, each->wall.total_s, (long long)each->tried,
	       (long long)each->wrong, (long long)each->uncompiled);
	kt_buf_free(&result);
	kt_buf_free(&spent);
	kt_buf_free(&between);
}

static double wait_limit(const struct kt_work *work, const struct kt_case *each)
{
	if (work->input.config->wait_seconds >= 0)
		return work->input.config->wait_seconds;
	return 2 * kt_plan_seconds(work->input.config, each->region) + lease_grace_s;
}

/* One tuner per region and device: the second process finds the first one's entry. */
static void tune_alone(struct kt_work *work, struct kt_case *each)
{
	struct kt_lease *lease = NULL;
	struct kt_error err;
	char device_key[KT_HASH_TEXT];
	const char *name;
	double asked_s;
	kt_status leased = KT_OK;

	err.message[0] = '\0';
	kt_device_key(device_key, &work->device);
	name = kt_arena_printf(work->arena, "tune %s %s", each->near_key, device_key);
	asked_s = kt_now_s();
	if (work->input.store != NULL && name != NULL)
		leased = kt_store_lease(&lease, work->input.store, name, wait_limit(work, each), &err);
	work->unpaid_since_s += kt_now_s() - asked_s;
	if (leased == KT_ERR_BUSY) {
		/* A process that waits for a model has stored what the rules came to. */
		if (kt_work_starts_over(work, each) || kt_work_lookup(work, &err) != KT_OK || !exact_here(work, each))
			each->reason = KT_REASON_BUSY;
		return;
	}
	if (lease != NULL && work->input.config->mode != KT_MODE_RETUNE && kt_work_lookup(work, &err) == KT_OK &&
	    is_done(work, each)) {
		kt_store_lease_release(lease);
		return;
	}
	/* Not before: while others tune, no context of the device is of use. */
	if (build_is_over(work, each) || !kt_work_open_tester(work)) {
		kt_store_lease_release(lease);
		return;
	}
	/* Only a tuning needs the templates; a process that finds an entry does not. */
	kt_work_generate(work);
	if (each->waits && !kt_rounds_has_model(work, each)) {
		note_declined(work, each);
		kt_store_lease_release(lease);
		return;
	}
	each->reason = kt_rounds_run(work, each, lease, &err);
	kt_store_lease_release(lease);
	if (each->reason != KT_REASON_NONE) {
		each->failed = true;
		each->detail = err.message[0] != '\0' ? kt_arena_strdup(work->arena, err.message) : NULL;
		return;
	}
	if (work->input.store != NULL)
		kt_store_count(work->input.store, "tuned");
	report(work, each);
	if (!kt_entry_has_variant(&each->found[0].entry))
		each->reason = KT_REASON_BASELINE_BEST;
}

/* What is emitted must be what a later build finds; where the store could not keep it,
 * this build has it all the same. */
static void look_up_again(struct kt_work *work)
{
	struct kt_case *before = kt_arena_array(work->arena, work->case_count, sizeof *before);
	struct kt_error err;

	if (before == NULL)
		return;
	memcpy(before, work->cases, work->case_count * sizeof *before);
	if (kt_work_lookup(work, &err) != KT_OK)
		kt_log("look-up after tuning: %s", err.message);
	for (size_t i = 0; i < work->case_count; i++) {
		if (!before[i].tuned || exact_here(work, &work->cases[i]))
			continue;
		work->cases[i] = before[i];
		work->cases[i].unstored = true;
	}
}

/* What is not kept is tuned again by the next build, which costs as much: a line each time. */
static void say_unkept(const struct kt_work *work)
{
	for (size_t i = 0; i < work->case_count; i++) {
		const struct kt_case *each = &work->cases[i];
		const char *why = each->refused_by_store != NULL ? each->refused_by_store : "there is no store";

		if (each->tuned && (each->unstored || (work->input.store == NULL && work->lock.path == NULL)))
			kt_say("%s:%u: the result for %s cannot be kept: %s; free space in %s or set KTUNE_CACHE_DIR to another folder, "
			       "else each build tunes again", each->region->file, each->region->line, each->region->name, why,
			       work->input.config->cache_dir);
	}
}

static void decline_without_lock(struct kt_work *work, struct kt_case *each)
{
	each->failed = true;
	each->reason = KT_REASON_NO_LOCK_DIR;
	each->detail = work->lock.named;
}

void kt_work_tune(struct kt_work *work)
{
	const struct kt_config *config = work->input.config;
	size_t tuned = 0;

	if (config->mode == KT_MODE_CACHED || config->mode == KT_MODE_OFF)
		return;
	/* A result would go to another place than the one that the user named. */
	if (work->lock.named != NULL && work->lock.path == NULL && work->lock.refused == NULL) {
		for (size_t i = 0; i < work->case_count; i++)
			if (work->cases[i].template_ != NULL && !(work->device_known && is_done(work, &work->cases[i])))
				decline_without_lock(work, &work->cases[i]);
		return;
	}
	for (size_t i = 0; i < work->case_count; i++) {
		struct kt_case *each = &work->cases[i];

		if (each->template_ == NULL)
			continue;
		if (kt_work_device(work) == NULL || !wanted(work, config->device))
			return;
		if (is_done(work, each))
			continue;
		if (!kt_work_compiles_for(work, work->device.cc)) {
			if (each->found_count == 0)
				each->reason = KT_REASON_ARCHITECTURE;
			continue;
		}
		if (each->region_key == NULL) {
			each->failed = true;
			each->reason = KT_REASON_NO_KEY;
			each->detail = each->keyless;
			continue;
		}
		tune_alone(work, each);
		tuned += each->tuned;
	}
	if (tuned != 0 && work->input.store != NULL)
		look_up_again(work);
	say_unkept(work);
}

void kt_work_question(struct kt_work *work)
{
	struct kt_device limits;
	const struct kt_device *device = kt_work_known_device(work);
	char name[32];

	(void)snprintf(name, sizeof name, "sm_%lld", (long long)kt_work_read_architecture(work));
	if (device == NULL &&
	    kt_device_by_architecture(&limits, work->input.config->device != NULL ? work->input.config->device : name))
		device = &limits;
	kt_work_generate(work);
	for (size_t i = 0; i < work->case_count; i++) {
		struct kt_case *each = &work->cases[i];
		struct kt_error err;

		if (each->template_ == NULL || device == NULL || !kt_rounds_has_model(work, each))
			continue;
		if (kt_rounds_question(work, each, device, &err) != KT_OK) {
			each->failed = true;
			each->detail = kt_arena_strdup(work->arena, err.message);
		}
	}
}
