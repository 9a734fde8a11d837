#include "tuning/t4.h"

#include <math.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define CHUNK ((size_t)1 << 18)

/* ---- files ---- */

static kt_status load_gzip(struct kt_buf *out, const char *path, struct kt_error *err)
{
	gzFile file = gzopen(path, "rb");
	int got = 0, code = Z_OK;

	if (file == NULL)
		return kt_fail_errno(err, "%s", path);
	while (!out->failed) {
		char *to = kt_buf_extend(out, CHUNK);

		if (to == NULL)
			break;
		got = gzread(file, to, (unsigned)CHUNK);
		out->size -= CHUNK - (got > 0 ? (size_t)got : 0);
		out->data[out->size] = '\0';
		if (got <= 0)
			break;
	}
	if (got < 0)
		kt_fail(err, KT_ERR_CORRUPT, "%s: %s", path, gzerror(file, &code));
	gzclose(file);
	return got < 0 ? err->code : kt_buf_check(out, path, err);
}

static kt_status expand_zstd(struct kt_buf *out, const struct kt_buf *packed, const char *path, struct kt_error *err)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = {packed->data, packed->size, 0};
	kt_status status = KT_OK;
	size_t left = 1;

	NEED(stream, kt_fail(err, KT_ERR_MEMORY, "%s: out of memory", path));
	while (status == KT_OK && (in.pos < in.size || left == 0)) {
		char *to = kt_buf_extend(out, CHUNK);
		ZSTD_outBuffer chunk = {to, CHUNK, 0};

		if (to == NULL) {
			status = kt_buf_check(out, path, err);
			break;
		}
		left = ZSTD_decompressStream(stream, &chunk, &in);
		out->size -= CHUNK - chunk.pos;
		out->data[out->size] = '\0';
		if (ZSTD_isError(left))
			status = kt_fail(err, KT_ERR_CORRUPT, "%s: %s", path, ZSTD_getErrorName(left));
		else if (left == 0 && in.pos == in.size)
			break;
	}
	if (status == KT_OK && left != 0)
		status = kt_fail(err, KT_ERR_CORRUPT, "%s: ends in the middle", path);
	ZSTD_freeDStream(stream);
	return status;
}

kt_status kt_t4_load(struct kt_buf *out, const char *path, struct kt_error *err)
{
	static const char zstd_magic[] = "\x28\xb5\x2f\xfd";
	struct kt_buf packed = KT_BUF(KT_T4_BYTES);
	kt_status status = load_gzip(&packed, path, err); /* plain files as they are */

	if (status == KT_OK && packed.size >= 4 && memcmp(packed.data, zstd_magic, 4) == 0) {
		status = expand_zstd(out, &packed, path, err);
		kt_buf_free(&packed);
		return status;
	}
	kt_buf_free(out);
	packed.limit = out->limit;
	*out = packed;
	return status;
}

/* ---- results ---- */

struct reader {
	const struct kt_t1 *t1;
	const struct kt_space *space;
	struct kt_recording *recording;
	bool *seen;
};

static double unit_ms(const char *unit)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = {{"ns", 1e-6}, {"us", 1e-3}, {"µs", 1e-3}, {"s", 1e3}, {"seconds", 1e3}};

	for (size_t i = 0; unit != NULL && i < sizeof units / sizeof *units; i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].ms;
	return 1;
}

static const cJSON *find_measurement(const cJSON *result)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(result, "measurements"), *item;
	const char *wanted =
	    cJSON_GetStringValue(cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(result, "objectives"), 0));

	for (int pass = 0; pass < 2; pass++, wanted = "time") {
		cJSON_ArrayForEach(item, list) {
			const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "name"));

			if (name != NULL && wanted != NULL && strcmp(name, wanted) == 0)
				return item;
		}
	}
	return cJSON_IsArray(list) ? list->child : NULL;
}

static enum kt_tell verdict_of(const char *invalidity)
{
	static const struct {
		const char *name;
		enum kt_tell verdict;
	} names[] = {{"correct", KT_TELL_OK}, {"compile", KT_TELL_COMPILE}, {"correctness", KT_TELL_WRONG}};

	for (size_t i = 0; invalidity != NULL && i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i].name, invalidity) == 0)
			return names[i].verdict;
	return invalidity == NULL ? KT_TELL_OK : KT_TELL_RUNTIME;
}

/* SIZE_MAX: not in the space. */
static size_t index_of(const struct reader *reader, const cJSON *result)
{
	const cJSON *configuration = cJSON_GetObjectItemCaseSensitive(result, "configuration");
	int64_t values[KT_PARAMETERS];

	for (size_t p = 0; p < reader->t1->parameter_count; p++) {
		const cJSON *value =
		    cJSON_GetObjectItemCaseSensitive(configuration, reader->t1->parameters[p].name);

		if (value == NULL || !kt_t1_value(&values[p], reader->t1, p, value))
			return SIZE_MAX;
	}
	return kt_space_find(reader->space, values);
}

static void take_result(struct reader *reader, const cJSON *result)
{
	struct kt_recording *recording = reader->recording;
	const size_t index = index_of(reader, result);
	const cJSON *measurement = find_measurement(result);
	const cJSON *value = cJSON_GetObjectItemCaseSensitive(measurement, "value");
	enum kt_tell verdict =
	    verdict_of(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(result, "invalidity")));
	double ms;

	if (index == SIZE_MAX) {
		recording->outside++;
		return;
	}
	if (reader->seen[index])
		return;
	reader->seen[index] = true;
	recording->missing--;
	if (verdict == KT_TELL_OK && (!cJSON_IsNumber(value) || !isfinite(value->valuedouble) || value->valuedouble <= 0))
		verdict = KT_TELL_RUNTIME;
	recording->verdict[index] = (uint8_t)verdict;
	if (verdict != KT_TELL_OK)
		return;
	ms = value->valuedouble *
	     unit_ms(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(measurement, "unit")));
	recording->ms[index] = ms;
	recording->valid++;
	recording->best_ms = fmin(recording->best_ms, ms);
	recording->worst_ms = fmax(recording->worst_ms, ms);
}

/* The end of the JSON object or array that starts at text; NULL when it does not end. */
static const char *past_value(const char *text, const char *end)
{
	size_t depth = 0;

	for (; text < end; text++) {
		if (*text == '"') {
			for (text++; text < end && *text != '"'; text++)
				text += *text == '\\';
		} else if (*text == '{' || *text == '[') {
			depth++;
		} else if ((*text == '}' || *text == ']') && --depth == 0) {
			return text + 1;
		}
	}
	return NULL;
}

/* One result at a time: the tree of a whole file would be many times the size of the file. */
static kt_status take_results(struct reader *reader, const char *at, const char *end, const char *path,
			      struct kt_error *err)
{
	for (;;) {
		const char *next;
		cJSON *result;

		at += strspn(at, " \t\r\n,");
		if (at < end && *at == ']')
			return KT_OK;
		next = at < end && *at == '{' ? past_value(at, end) : NULL;
		if (next == NULL)
			return kt_fail(err, KT_ERR_SYNTAX, "%s: the list of results does not end", path);
		if (kt_json_parse(&result, at, (size_t)(next - at), err) != KT_OK)
			return kt_fail_prefix(err, "%s", path);
		take_result(reader, result);
		cJSON_Delete(result);
		at = next;
	}
}

/* The first element of the array of results; NULL when there is none. */
static const char *find_results(const char *text)
{
	static const char key[] = "\"results\"";

	for (const char *at = strstr(text, key); at != NULL; at = strstr(at, key)) {
		at += sizeof key - 1;
		at += strspn(at, " \t\r\n");
		if (*at != ':')
			continue;
		at += 1 + strspn(at + 1, " \t\r\n");
		if (*at == '[')
			return at + 1;
	}
	return NULL;
}

static kt_status allocate(struct reader *reader, struct kt_arena *arena, struct kt_error *err)
{
	const size_t count = kt_space_feasible(reader->space);
	struct kt_recording *recording = kt_arena_alloc(arena, sizeof *recording);

	if (recording != NULL) {
		*recording = (struct kt_recording){.count = count, .missing = count, .best_ms = (double)INFINITY};
		recording->ms = kt_arena_array(arena, count + 1, sizeof *recording->ms);
		recording->verdict = kt_arena_array(arena, count + 1, sizeof *recording->verdict);
		reader->seen = kt_arena_array(arena, count + 1, sizeof *reader->seen);
	}
	if (recording == NULL || recording->ms == NULL || recording->verdict == NULL || reader->seen == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu results", count);
	for (size_t i = 0; i < count; i++) {
		recording->ms[i] = (double)INFINITY;
		recording->verdict[i] = KT_TELL_RUNTIME;
	}
	reader->recording = recording;
	return KT_OK;
}

kt_status kt_t4_read(struct kt_recording **out, struct kt_arena *arena, const char *path, const struct kt_t1 *t1,
		     const struct kt_space *space, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_T4_BYTES);
	struct reader reader = {.t1 = t1, .space = space};
	kt_status status = allocate(&reader, arena, err);
	const char *results = NULL;

	THEN(status, kt_t4_load(&text, path, err));
	if (status == KT_OK && (results = find_results(kt_buf_text(&text))) == NULL)
		status = kt_fail(err, KT_ERR_SYNTAX, "%s: no list of results", path);
	THEN(status, take_results(&reader, results, text.data + text.size, path, err));
	kt_buf_free(&text);
	if (status == KT_OK && reader.recording->valid == 0)
		status = kt_fail(err, KT_ERR_INVALID, "%s: no configuration of the space has a time", path);
	if (status == KT_OK)
		*out = reader.recording;
	return status;
}
