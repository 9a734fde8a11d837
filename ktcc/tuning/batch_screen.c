/* The part of a batch that NVRTC compiles: when it may, the processes, and what becomes of them. */
#include "tuning/batch_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/log.h"
#include "tuning/code.h"
#include "tuning/unit.h"

#define REPLY_BYTES ((size_t)1 << 20)

/* The number of processes that may end before a unit has been compiled; then all is nvcc's. */
enum { FAILED_MOST = 8 };

/* After this number of refusals that nvcc confirmed, and none that it did not, NVRTC's refusals are taken unconfirmed. */
enum { CONFIRMED_ENOUGH = 4 };

/* So long NVRTC's code of the original is waited for when nvcc's is there; candidates are nvcc's until it comes. */
static const double probe_most_s = 3;

static const struct {
	const char *name, *text;
} unscreened[] = {
#define KT_UNSCREENED_ROW(id, name, text) {name, text},
    KT_UNSCREENED(KT_UNSCREENED_ROW)
#undef KT_UNSCREENED_ROW
};

const char *kt_unscreened_name(enum kt_unscreened why)
{
	return unscreened[why].name;
}

const char *kt_unscreened_text(enum kt_unscreened why)
{
	return unscreened[why].text;
}

const struct kt_screened *kt_batch_screened(const struct kt_batch *batch)
{
	return &batch->screened;
}

/* From here on all is nvcc's. */
static void give_up(struct kt_batch *batch, enum kt_unscreened why, const char *detail)
{
	if (batch->screened.why != KT_UNSCREENED_NONE)
		return;
	batch->screened.nvrtc = false;
	batch->screened.why = why;
	batch->screened.detail = detail;
	kt_log("candidates are compiled by nvcc: %s%s%s", kt_unscreened_text(why), detail != NULL ? ": " : "",
	       detail != NULL ? detail : "");
}

static void add_folder(struct kt_buf *out, struct kt_batch *batch, const char *folder)
{
	char *path = folder != NULL ? kt_path_absolute(batch->arena, folder, batch->compile->directory) : NULL;

	out->failed = out->failed || path == NULL;
	if (path == NULL)
		return;
	kt_buf_addc(out, ',');
	path = kt_arena_printf(batch->arena, "-I%s", path);
	kt_buf_addjson(out, path != NULL ? path : "");
}

/* ,"options":["-arch=sm_90","-w","-I…",…] */
static kt_status write_options(struct kt_batch *batch, struct kt_error *err)
{
	const struct kt_compile *compile = batch->compile;
	const char feature[2] = {compile->feature, '\0'};
	struct kt_buf *out = &batch->members;
	const char *scratch = kt_path_absolute(batch->arena, compile->scratch, NULL);
	const char *headers = scratch != NULL ? kt_path_join(batch->arena, scratch, "headers") : NULL;

	kt_buf_adds(out, ",\"headers\":");
	kt_buf_addjson(out, headers != NULL ? headers : "");
	out->failed = out->failed || headers == NULL;
	kt_buf_addf(out, ",\"options\":[\"-arch=sm_%d%s\",\"-w\"", (int)compile->arch, feature);
	if (batch->device_folder != NULL)
		add_folder(out, batch, batch->device_folder);
	/* Quoted includes of the slice: the folders of the user's file come first, as they do for nvcc. */
	if (compile->folder_count == 0)
		add_folder(out, batch, kt_path_dirname(batch->arena, batch->template_->region->file));
	for (size_t i = 0; i < compile->folder_count; i++)
		add_folder(out, batch, compile->folders[i]);
	for (size_t i = 0; compile->screening->options[i] != NULL; i++) {
		kt_buf_addc(out, ',');
		kt_buf_addjson(out, compile->screening->options[i]);
	}
	batch->options_size = out->size;
	return kt_buf_check(out, "options of NVRTC", err);
}

/* What asks for it may be something else there. */
static bool tests_rtc(const struct kt_buf *text)
{
	static const char word[] = "__CUDACC_RTC__";

	return text->size > 0 && memmem(text->data, text->size, word, sizeof word - 1) != NULL;
}

kt_status kt_screen_open(struct kt_batch *batch, struct kt_error *err)
{
	batch->members = (struct kt_buf)KT_BUF(KT_LIMIT_LINE_BYTES);
	if (!kt_target_of(batch->template_->region->language)->has_compiler)
		return KT_OK;
	if (batch->compile->screening == NULL) {
		if (batch->compile->unscreened != KT_UNSCREENED_NONE)
			give_up(batch, batch->compile->unscreened, batch->compile->unscreened_detail);
		return KT_OK;
	}
	kt_batch_device_open(batch);
	if (tests_rtc(&batch->device_slice))
		batch->device_folder = NULL;
	if (batch->device_folder == NULL && tests_rtc(&batch->slice)) {
		give_up(batch, KT_UNSCREENED_SOURCE, NULL);
		return KT_OK;
	}
	return write_options(batch, err);
}

/* Is there a way to NVRTC, now or once the original was compared? */
static bool may_screen(const struct kt_batch *batch)
{
	return batch->members.size > 0 && batch->screened.why == KT_UNSCREENED_NONE;
}

bool kt_screen_is_undecided(const struct kt_batch *batch)
{
	const struct kt_batch_probe *probe = &batch->probe;

	if (!batch->anticipates || !may_screen(batch) || batch->screened.nvrtc)
		return false;
	/* nvcc's code may have been there before NVRTC was asked. */
	return probe->nvcc_cubin == NULL || !probe->asked || kt_now_s() < probe->asked_s + probe_most_s;
}

bool kt_screen_compiles(const struct kt_batch *batch)
{
	return batch->screened.nvrtc || (kt_screen_is_undecided(batch) && batch->probe.cubin != NULL);
}

/* NVRTC gets the slice from here on, and is asked for the original again. */
static void give_up_device(struct kt_batch *batch, const char *detail)
{
	kt_log("NVRTC does not compile the unit without its host code, and gets the slice: %s", detail);
	batch->device_folder = NULL;
	batch->members.size = batch->options_size;
	batch->members.data[batch->options_size] = '\0';
	if (tests_rtc(&batch->slice)) {
		give_up(batch, KT_UNSCREENED_SOURCE, NULL);
		return;
	}
	batch->probe.asked = false;
	batch->probe.cubin = NULL;
}

/* What NVRTC has compiled: it waits for the decision, or for nvcc where that went against it. */
static void take_compiled(struct kt_batch *batch, struct kt_batch_unit *unit)
{
	struct kt_batch_unit *slot;

	if (kt_screen_is_undecided(batch)) {
		slot = kt_arena_push(batch->arena, &batch->held, &batch->held_count, sizeof *slot);
		if (slot != NULL) {
			*slot = *unit;
			return;
		}
	}
	if (batch->trusted && unit->device == (batch->device_folder != NULL)) {
		kt_batch_finish_compiled(batch, unit, true);
		return;
	}
	unit->by_nvcc = true;
	kt_batch_retry(batch, unit, 0, unit->count);
}

static void settle_held(struct kt_batch *batch)
{
	const size_t count = batch->held_count;

	if (count == 0 || kt_screen_is_undecided(batch))
		return;
	batch->held_count = 0;
	for (size_t i = 0; i < count; i++)
		take_compiled(batch, &batch->held[i]);
}

static struct kt_batch_unit pop(struct kt_batch *batch, struct kt_batch_worker *slot)
{
	const struct kt_batch_unit first = slot->units[0];

	slot->count--;
	memmove(slot->units, slot->units + 1, slot->count * sizeof *slot->units);
	if (slot->count == 0)
		kt_batch_note_end(batch);
	return first;
}

/* The process is gone, or to go; what it had been asked for besides is asked again. */
static void drop_worker(struct kt_batch *batch, struct kt_batch_worker *slot)
{
	kt_worker_close(slot->worker);
	slot->worker = NULL;
	while (slot->count > 0) {
		const struct kt_batch_unit unit = pop(batch, slot);

		if (unit.probe)
			batch->probe.asked = false;
		else
			kt_batch_retry(batch, &unit, 0, unit.count);
	}
}

void kt_screen_cancel(struct kt_batch *batch)
{
	batch->held_count = 0;
	for (size_t i = 0; i < batch->jobs; i++) {
		struct kt_batch_worker *slot = &batch->workers[i];

		if (slot->count == 0)
			continue;
		kt_worker_close(slot->worker);
		*slot = (struct kt_batch_worker){0};
	}
}

void kt_screen_close(struct kt_batch *batch)
{
	for (size_t i = 0; i < KT_BATCH_JOBS; i++)
		kt_worker_close(batch->workers[i].worker);
	kt_buf_free(&batch->members);
}

struct kt_batch_worker *kt_screen_free(bool *idle, struct kt_batch *batch)
{
	struct kt_batch_worker *best = NULL;

	for (size_t i = 0; i < batch->jobs; i++) {
		struct kt_batch_worker *slot = &batch->workers[i];
		/* A process that is there has loaded its library. */
		const bool better = best == NULL || slot->count < best->count ||
				    (slot->count == best->count && slot->worker != NULL && best->worker == NULL);

		if (slot->count < KT_WORKER_AHEAD && better && !(slot->count > 0 && slot->units[slot->count - 1].probe))
			best = slot;
	}
	*idle = best != NULL && best->count == 0;
	return best;
}

static kt_status ask(struct kt_batch *batch, struct kt_batch_worker *slot, const struct kt_batch_unit *unit,
		     const char *source, const char *members, struct kt_error *err)
{
	if (slot->worker == NULL)
		TRY(kt_worker_start(&slot->worker, batch->compile->screening, err));
	/* A process that died meanwhile is noticed when it is polled, and its units are asked for again. */
	if (kt_worker_ask(slot->worker, source, unit->cubin, members, err) != KT_OK && err->code != KT_ERR_CHILD)
		return err->code;
	if (slot->count == 0)
		kt_batch_note_start(batch);
	slot->units[slot->count++] = *unit;
	return KT_OK;
}

kt_status kt_screen_ask(struct kt_batch *batch, struct kt_batch_worker *slot, const struct kt_batch_unit *unit,
			const char *source, struct kt_error *err)
{
	kt_status status = ask(batch, slot, unit, source, kt_buf_text(&batch->members), err);

	if (status != KT_OK)
		give_up(batch, KT_UNSCREENED_UNUSABLE, kt_batch_keep(batch, err->message, strlen(err->message)));
	return status;
}

bool kt_screen_wants_probe(const struct kt_batch *batch)
{
	return may_screen(batch) && batch->probe.source != NULL && !batch->probe.asked;
}

bool kt_screen_is_open(const struct kt_batch *batch)
{
	return may_screen(batch) && !batch->screened.nvrtc && batch->probe.source != NULL;
}

void kt_screen_probe(struct kt_batch *batch)
{
	const struct kt_batch_unit unit = {
	    .cubin = kt_unit_path(batch->arena, batch->compile, "probe", batch->next_number++, ".cubin"),
	    .probe = true};
	const char *members = kt_arena_printf(batch->arena, "%s],\"learns\":true", kt_buf_text(&batch->members));
	const char *source = batch->device_folder != NULL ? kt_batch_device_original(batch) : batch->probe.source;
	struct kt_error err;
	bool idle;

	batch->probe.asked = true;
	batch->probe.asked_s = kt_now_s();
	if (unit.cubin == NULL || members == NULL || source == NULL) {
		give_up(batch, KT_UNSCREENED_UNUSABLE, KT_BATCH_NO_MEMORY);
		return;
	}
	if (ask(batch, kt_screen_free(&idle, batch), &unit, source, members, &err) != KT_OK)
		give_up(batch, KT_UNSCREENED_UNUSABLE, kt_batch_keep(batch, err.message, strlen(err.message)));
}

/* Both compilers are through with the original: do they agree? */
static void compare(struct kt_batch *batch)
{
	const struct kt_batch_probe *probe = &batch->probe;
	enum kt_likeness likeness;
	const char *function;
	struct kt_error err;

	if (!may_screen(batch) || probe->cubin == NULL || probe->nvcc_cubin == NULL)
		return;
	function = kt_batch_original(batch, probe->cubin);
	if (function == NULL || kt_code_compare(&likeness, probe->cubin, function, probe->nvcc_cubin,
						probe->nvcc_function, &err) != KT_OK) {
		if (batch->device_folder != NULL)
			give_up_device(batch, function == NULL ? "no code for it" : err.message);
		else
			give_up(batch, KT_UNSCREENED_REFUSED, "no code for it");
	} else if (likeness == KT_CODE_OTHER && !batch->compile->screens_always && batch->device_folder != NULL) {
		give_up_device(batch, "its code is another");
	} else if (likeness == KT_CODE_OTHER && !batch->compile->screens_always) {
		give_up(batch, KT_UNSCREENED_DIFFERS, NULL);
	} else {
		batch->screened.nvrtc = batch->trusted = true;
		batch->screened.equal = likeness == KT_CODE_EQUAL;
	}
}

void kt_screen_original(struct kt_batch *batch, const char *cubin, const char *function)
{
	if (batch->probe.nvcc_cubin != NULL)
		return;
	batch->probe.nvcc_cubin = cubin;
	batch->probe.nvcc_function = function;
	compare(batch);
}

/* What NVRTC had to take as empty, and whose integers it takes, holds for the candidates as well. */
static void learn(struct kt_batch *batch, const cJSON *reply)
{
	const cJSON *absent = cJSON_GetObjectItem(reply, "absent"), *name;
	const char *separator = "";

	if (cJSON_IsTrue(cJSON_GetObjectItem(reply, "cccl_integers")))
		kt_buf_adds(&batch->members, ",\"-DKTUNE_CCCL_INTEGERS\"");
	kt_buf_adds(&batch->members, "],\"absent\":[");
	cJSON_ArrayForEach(name, absent)
	{
		kt_buf_adds(&batch->members, separator);
		kt_buf_addjson(&batch->members, name->valuestring != NULL ? name->valuestring : "");
		separator = ",";
	}
	kt_buf_addc(&batch->members, ']');
}

/* The first line of a compiler's message. */
static const char *first_line(struct kt_batch *batch, const char *text)
{
	return kt_batch_keep(batch, text, strcspn(text, "\n"));
}

static void take_probe(struct kt_batch *batch, const struct kt_batch_unit *unit, enum kt_worker_end end,
		       const struct kt_buf *reply)
{
	cJSON *answer = NULL;
	struct kt_error err;

	if (end != KT_WORKER_OK && end != KT_WORKER_REFUSED) {
		give_up(batch, KT_UNSCREENED_UNUSABLE, first_line(batch, kt_buf_text(reply)));
		return;
	}
	if (kt_json_parse(&answer, kt_buf_text(reply), reply->size, &err) != KT_OK) {
		give_up(batch, KT_UNSCREENED_UNUSABLE, kt_batch_keep(batch, err.message, strlen(err.message)));
		return;
	}
	if (end == KT_WORKER_REFUSED) {
		const char *detail = first_line(batch, kt_json_text(answer, "log"));

		if (batch->device_folder != NULL)
			give_up_device(batch, detail);
		else
			give_up(batch, KT_UNSCREENED_REFUSED, detail);
	} else {
		learn(batch, answer);
		batch->probe.cubin = unit->cubin;
		compare(batch);
	}
	cJSON_Delete(answer);
}

/* NVRTC refuses: nvcc is asked, unless it has always agreed. */
static void take_refusal(struct kt_batch *batch, struct kt_batch_unit *unit, const struct kt_buf *reply)
{
	static const struct kt_proc_result refused = {.code = 1};
	struct kt_buf log = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	cJSON *answer = NULL;
	struct kt_error err;

	batch->screened.refused += unit->count;
	if (kt_json_parse(&answer, kt_buf_text(reply), reply->size, &err) == KT_OK)
		kt_buf_adds(&log, kt_json_text(answer, "log"));
	if (batch->confirmed >= CONFIRMED_ENOUGH && batch->screened.overturned == 0 && log.size > 0) {
		kt_batch_finish_failed(batch, unit, &refused, &log);
	} else {
		unit->by_nvcc = unit->refused = true;
		kt_batch_retry(batch, unit, 0, unit->count);
	}
	cJSON_Delete(answer);
	kt_buf_free(&log);
}

static void count_end(struct kt_screened *screened, enum kt_worker_end end)
{
	screened->crashed += end == KT_WORKER_CRASHED;
	screened->hung += end == KT_WORKER_HUNG;
	screened->starved += end == KT_WORKER_MEMORY;
	screened->killed += end == KT_WORKER_KILLED;
}

/* The process is of no use any more: a verdict for the unit that it was at, unless the machine is to blame. */
static void take_end(struct kt_batch *batch, struct kt_batch_worker *slot, struct kt_batch_unit *unit,
		     enum kt_worker_end end, const struct kt_buf *reply)
{
	count_end(&batch->screened, end);
	kt_log("a process of NVRTC ended: %s", kt_buf_text(reply));
	if (++batch->failed_in_row >= FAILED_MOST)
		give_up(batch, KT_UNSCREENED_CRASHED, first_line(batch, kt_buf_text(reply)));
	if (end == KT_WORKER_UNUSABLE)
		give_up(batch, KT_UNSCREENED_UNUSABLE, first_line(batch, kt_buf_text(reply)));
	drop_worker(batch, slot);
	if (end == KT_WORKER_KILLED || end == KT_WORKER_UNUSABLE) {
		unit->by_nvcc = true;
		kt_batch_retry(batch, unit, 0, unit->count);
	} else if (unit->count > 1) {
		kt_batch_retry(batch, unit, 0, unit->count / 2);
		kt_batch_retry(batch, unit, unit->count / 2, unit->count - unit->count / 2);
	} else {
		kt_batch_finish_all(batch, unit, kt_batch_keep(batch, kt_buf_text(reply), reply->size));
	}
}

static void take_answer(struct kt_batch *batch, struct kt_batch_worker *slot, enum kt_worker_end end,
			struct kt_buf *reply)
{
	struct kt_batch_unit unit = pop(batch, slot);

	if (unit.probe) {
		take_probe(batch, &unit, end, reply);
		if (end != KT_WORKER_OK && end != KT_WORKER_REFUSED)
			drop_worker(batch, slot);
	} else if (end == KT_WORKER_OK) {
		batch->failed_in_row = 0;
		take_compiled(batch, &unit);
	} else if (end == KT_WORKER_REFUSED) {
		batch->failed_in_row = 0;
		take_refusal(batch, &unit, reply);
	} else {
		take_end(batch, slot, &unit, end, reply);
	}
}

void kt_screen_collect(struct kt_batch *batch)
{
	struct kt_buf reply = KT_BUF(REPLY_BYTES);

	for (size_t i = 0; i < batch->jobs; i++) {
		struct kt_batch_worker *slot = &batch->workers[i];
		enum kt_worker_end end;

		while (slot->count > 0 && (end = kt_worker_poll(&reply, slot->worker)) != KT_WORKER_BUSY)
			take_answer(batch, slot, end, &reply);
	}
	settle_held(batch);
	kt_buf_free(&reply);
}
