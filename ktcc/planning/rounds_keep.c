/* What the rounds store: results, and their state. */
#include <math.h>
#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "planning/rounds_internal.h"
#include "store/lock.h"

static const char *state_key(struct kt_work *work, const struct kt_case *each, const char *device_key)
{
	return kt_arena_printf(work->arena, "rounds %s %s", each->region_key, device_key);
}

/* "going" until the loop ends, then "done"; a line per file that is awaited. */
void kt_rounds_put_state(struct kt_work *work, const struct kt_case *each, const char *device_key, const char *state)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *key = state_key(work, each, device_key);
	struct kt_error err;

	kt_buf_addf(&text, "%s\n", state);
	for (size_t i = 0; i < each->awaited_count; i++)
		kt_buf_addf(&text, "%s\n", each->awaited[i]);
	if (work->input.store != NULL && key != NULL &&
	    kt_store_put_blob(work->input.store, key, kt_buf_text(&text), text.size, &err) != KT_OK)
		kt_log("the state of the rounds was not stored: %s", err.message);
	kt_buf_free(&text);
}

bool kt_rounds_await(struct kt_work *work, struct kt_case *each, const char *path)
{
	return kt_arena_push_text(work->arena, &each->awaited, &each->awaited_count, kt_arena_strdup(work->arena, path));
}

bool kt_rounds_has_model(const struct kt_work *work, const struct kt_case *each)
{
	const struct kt_config *config = work->input.config;
	const char *generator = config->generator;
	const bool wanted = config->llm.url != NULL && config->llm.rounds > 0 && config->llm.attempts > 0 &&
	                    (generator == NULL || strcmp(generator, "llm") == 0);

	return wanted && each->region->parameter_count == 0 && each->region->generation != KT_AUTO_OFF &&
	       kt_target_of(each->region->language)->has_host_code && each->near_key != NULL;
}

bool kt_rounds_goes_on(struct kt_work *work, struct kt_case *each)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	char device_key[KT_HASH_TEXT];
	const char *key;
	bool going = false;

	if (!kt_rounds_has_model(work, each))
		return false;
	if (work->input.go_on)
		return true;
	kt_device_key(device_key, &work->device);
	key = each->region_key != NULL ? state_key(work, each, device_key) : NULL;
	if (key == NULL || work->input.store == NULL || !kt_store_get_blob(&text, work->input.store, key)) {
		kt_buf_free(&text);
		return false;
	}
	each->awaited_count = 0;
	for (const char *at = kt_buf_text(&text), *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
		const char *line = kt_arena_strndup(work->arena, at, (size_t)(end - at));

		if (line == NULL)
			break;
		if (at == kt_buf_text(&text))
			going = strcmp(line, "going") == 0;
		else
			going = (kt_fs_is_file(line) || !kt_rounds_await(work, each, line)) || going;
	}
	kt_buf_free(&text);
	return going;
}

/* ---- searches that their budget ended */

static const char *search_key(struct kt_work *work, const struct kt_case *each, const char *device_key)
{
	return kt_arena_printf(work->arena, "search %s %s", each->region_key, device_key);
}

static void note_search(struct kt_loop *r, const struct kt_entry *entry)
{
	const char *key = search_key(r->work, r->each, r->device_key), *state = kt_search_state_name(entry->search);
	struct kt_error err;

	if (r->work->input.store != NULL && key != NULL &&
	    kt_store_put_blob(r->work->input.store, key, state, strlen(state), &err) != KT_OK)
		kt_log("how far the search came was not stored: %s", err.message);
}

bool kt_rounds_began_here(struct kt_work *work, const struct kt_case *each)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	char device_key[KT_HASH_TEXT];
	const char *key;
	bool began;

	kt_device_key(device_key, &work->device);
	key = each->region_key != NULL ? search_key(work, each, device_key) : NULL;
	began = key != NULL && work->input.store != NULL && kt_store_get_blob(&text, work->input.store, key);
	kt_buf_free(&text);
	return began;
}

/* Which of two results of one region stays: *out is what is written, NULL where nothing new is known. */
static void choose(struct kt_entry *mixed, const struct kt_entry **out, const struct kt_entry *entry,
                   const struct kt_entry *stored)
{
	*out = entry;
	/* A comparison that was confirmed goes before one that was not, whatever the result of the latter. */
	if (stored == NULL || kt_entry_beats(entry, stored) || (kt_entry_is_final(entry) && !kt_entry_is_final(stored)))
		return;
	*out = NULL;
	/* What somebody signed is kept as it is. */
	if (stored->signature.key != NULL)
		return;
	if (kt_entry_is_final(stored) || entry->tried <= stored->tried || strcmp(entry->generator, stored->generator) != 0)
		return;
	*mixed = *stored;
	mixed->tried = entry->tried;
	mixed->legal = entry->legal;
	mixed->search = entry->search;
	*out = mixed;
}

const struct kt_entry *kt_rounds_entry_here(const struct kt_loop *r)
{
	for (size_t i = 0; i < r->each->found_count; i++)
		if (r->each->found[i].closeness == KT_CLOSE_EXACT &&
		    strcmp(r->each->found[i].entry.device_key, r->device_key) == 0)
			return &r->each->found[i].entry;
	return NULL;
}

/* Makes the found one the case's, for this build and for those who share its folders. */
static void publish(struct kt_loop *r, const struct kt_entry *entry)
{
	struct kt_work *work = r->work;
	struct kt_case *each = r->each;
	struct kt_found *found = kt_arena_alloc(work->arena, sizeof *found);
	struct kt_error err;

	if (found == NULL)
		return;
	each->found = found;
	each->found_count = 1;
	each->found[0] = (struct kt_found){.entry = *entry, .closeness = KT_CLOSE_EXACT, .source = "local"};
	if (work->lock.path != NULL && kt_lock_write(work->lock.path, entry, &err) != KT_OK)
		kt_say("%s", err.message);
	kt_remote_put(work->remote, entry);
	if (work->input.store != NULL)
		kt_store_touch_stamps(work->input.store, each->near_key);
}

/* Would a build take the text? What a tuning checks is not charged to the entries that a command finds. */
static bool is_taken(struct kt_loop *r, const struct kt_entry *entry, const char **why)
{
	const double before_s = r->work->checked_s;
	struct kt_entry copy = *entry;
	enum kt_reason reason;

	r->work->checked_s = 0;
	reason = kt_work_take_text(r->work, r->each, &copy, why);
	r->work->checked_s = before_s;
	return reason == KT_REASON_NONE;
}

bool kt_rounds_keep(void *context, const struct kt_entry *entry)
{
	struct kt_loop *r = context;
	const bool models = entry->template_ != NULL && strcmp(entry->generator, "llm") == 0;
	const struct kt_entry *written;
	struct kt_entry mixed;
	const char *why;
	struct kt_error err;

	if (r->best.entry != NULL && !kt_entry_beats(entry, r->best.entry))
		return false;
	if (models && !is_taken(r, entry, &why)) {
		kt_log("%s: a model's result is not kept: %s", entry->instance, why);
		return false;
	}
	choose(&mixed, &written, entry, r->stored);
	if (written == NULL)
		return true;
	/* The winner is known: a store that cannot be written must not cost this build its result. */
	if (r->work->input.store != NULL && kt_store_put(r->work->input.store, written, &err) != KT_OK)
		r->each->refused_by_store = kt_arena_strdup(r->work->arena, err.message);
	note_search(r, written);
	publish(r, written);
	r->stored = r->each->found_count != 0 ? &r->each->found[0].entry : NULL;
	return true;
}

static void count(struct kt_case *each, const struct kt_planned *planned)
{
	each->wall.scan_s = 0;
	each->wall.compile_s += planned->wall.compile_s;
	each->wall.run_s += planned->wall.run_s;
	each->wall.wait_s += planned->wall.wait_s;
	each->wall.total_s += planned->wall.total_s;
	each->enough_s = fmax(each->enough_s, planned->enough_s);
	if (planned->enough_trials > each->enough_trials)
		each->enough_trials = planned->enough_trials;
	if (planned->contest.searched >= each->contest.searched)
		each->contest = planned->contest;
	for (int i = 0; i < KT_SPENT; i++)
		each->wall.spent_s[i] += planned->wall.spent_s[i];
	for (int i = 0; i < KT_BETWEEN; i++)
		each->wall.between_s[i] += planned->wall.between_s[i];
	each->tried += planned->tried;
	each->recalled += planned->recalled;
	each->identical += planned->identical;
	each->wrong += planned->wrong;
	each->uncompiled += planned->uncompiled;
	each->refused += planned->refused;
	if (each->first_wrong.configuration == NULL)
		each->first_wrong = planned->first_wrong;
}

kt_status kt_rounds_try(struct kt_loop *r, struct kt_round *round, struct kt_planned *planned,
                              const struct kt_template *template_, const struct kt_share *share, struct kt_error *err)
{
	struct kt_entry *kept;
	kt_status status;

	round->template_ = template_;
	status = kt_work_tune_template(planned, r->work, r->each, template_, share, r->lease, err);
	count(r->each, planned);
	if (r->best.original.threads == 0)
		r->best.original = planned->original_usage;
	round->planned = planned;
	round->kept = planned->kept;
	if (status != KT_OK)
		round->failed = kt_arena_strdup(r->work->arena, err->message);
	else if (planned->reason != KT_REASON_NONE && planned->reason != KT_REASON_BASELINE_BEST)
		round->failed = kt_reason_text(planned->reason);
	if (status != KT_OK || !planned->kept)
		return status;
	NEED(kept = kt_arena_alloc(r->work->arena, sizeof *kept),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for an entry"));
	*kept = planned->entry;
	r->best.entry = kept;
	r->best.counts = &planned->counts;
	r->gain = kt_entry_gain(kept);
	if (kt_entry_has_variant(kept)) {
		char hash[KT_HASH_TEXT];

		kt_template_hash(hash, template_);
		r->best.template_ = template_;
		r->best_hash = kt_arena_strdup(r->work->arena, hash);
	}
	return KT_OK;
}
