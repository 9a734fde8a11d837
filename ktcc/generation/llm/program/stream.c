#include "stream.h"

#include <string.h>

#define COMPLAINT_BYTES 300

void kt_stream_open(struct kt_stream *s, struct kt_exchange *x, bool events)
{
	*s = (struct kt_stream){.x = x, .events = events, .body = KT_BUF(KT_LLM_BODY_BYTES)};
	kt_buf_clear(&x->text);
	x->answered_by = x->finish = NULL;
}

void kt_stream_free(struct kt_stream *s)
{
	kt_buf_free(&s->body);
}

static const char *copy_line(struct kt_arena *arena, const char *text)
{
	char *copy = kt_arena_strndup(arena, text, strnlen(text, COMPLAINT_BYTES));

	for (char *at = copy; at != NULL && *at != '\0'; at++)
		if ((unsigned char)*at < ' ' || (unsigned char)*at >= 0x7f)
			*at = ' ';
	return copy != NULL ? copy : "";
}

static const char *complaint_of(struct kt_arena *arena, const cJSON *object)
{
	const cJSON *error = cJSON_GetObjectItemCaseSensitive(object, "error");
	const char *text = cJSON_GetStringValue(error);

	if (text == NULL)
		text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(error, "message"));
	return error != NULL && !cJSON_IsNull(error) ? copy_line(arena, text != NULL ? text : "an error") : NULL;
}

const char *kt_stream_complaint(struct kt_arena *arena, const struct kt_buf *body)
{
	struct kt_error ignored;
	const char *text = NULL;
	cJSON *json = NULL;

	if (body->size > 0 && kt_json_parse(&json, body->data, body->size, &ignored) == KT_OK)
		text = complaint_of(arena, json);
	cJSON_Delete(json);
	return text != NULL ? text : "";
}

static void take_text(const char **out, struct kt_arena *arena, const cJSON *item)
{
	if (cJSON_IsString(item) && item->valuestring[0] != '\0')
		*out = copy_line(arena, item->valuestring);
}

static void take_count(int64_t *out, const cJSON *usage, const char *name)
{
	struct kt_error ignored;
	int64_t count;

	if (kt_json_int_or(&count, usage, name, -1, &ignored) == KT_OK && count >= 0)
		*out = count;
}

/* A whole response, or a piece of one: `message` of the first choice, or `delta`. */
static void take_object(struct kt_stream *s, const cJSON *object)
{
	struct kt_exchange *x = s->x;
	const cJSON *choice = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(object, "choices"), 0);
	const cJSON *message = cJSON_GetObjectItemCaseSensitive(choice, s->events ? "delta" : "message");
	const cJSON *content = cJSON_GetObjectItemCaseSensitive(message, "content");
	const cJSON *usage = cJSON_GetObjectItemCaseSensitive(object, "usage");
	const char *complaint = complaint_of(x->arena, object);

	if (complaint != NULL)
		s->complaint = complaint;
	if (cJSON_IsString(content))
		kt_buf_adds(&x->text, content->valuestring);
	if (x->answered_by == NULL)
		take_text(&x->answered_by, x->arena, cJSON_GetObjectItemCaseSensitive(object, "model"));
	take_text(&x->finish, x->arena, cJSON_GetObjectItemCaseSensitive(choice, "finish_reason"));
	if (cJSON_IsObject(usage)) {
		take_count(&x->prompt_tokens, usage, "prompt_tokens");
		take_count(&x->completion_tokens, usage, "completion_tokens");
	}
	s->ended = s->ended || x->finish != NULL;
}

/* A line of events. Pieces that are no JSON are passed over: what is missing shows at the end. */
static void take_line(struct kt_stream *s, const char *line, size_t size)
{
	struct kt_error ignored;
	cJSON *object = NULL;

	if (size > 0 && line[size - 1] == '\r')
		size--;
	if (size < 5 || memcmp(line, "data:", 5) != 0)
		return;
	line += 5;
	size -= 5;
	while (size > 0 && *line == ' ') {
		line++;
		size--;
	}
	if (size == 6 && memcmp(line, "[DONE]", 6) == 0)
		s->ended = true;
	else if (kt_json_parse(&object, line, size, &ignored) == KT_OK)
		take_object(s, object);
	cJSON_Delete(object);
}

bool kt_stream_take(struct kt_stream *s, const char *data, size_t size)
{
	s->size += size;
	s->too_long = s->too_long || s->size > KT_LLM_BODY_BYTES || s->x->text.failed;
	if (s->too_long)
		return false;
	while (s->events && size > 0) {
		const char *newline = memchr(data, '\n', size);
		size_t part = newline != NULL ? (size_t)(newline - data) : size;

		kt_buf_add(&s->body, data, part);
		if (newline == NULL)
			return true;
		take_line(s, kt_buf_text(&s->body), s->body.size);
		kt_buf_clear(&s->body);
		data += part + 1;
		size -= part + 1;
	}
	if (!s->events)
		kt_buf_add(&s->body, data, size);
	return true;
}

bool kt_stream_end(struct kt_stream *s)
{
	struct kt_exchange *x = s->x;
	cJSON *object = NULL;

	if (s->too_long || x->text.failed)
		return kt_exchange_fail(x, "too-long", "the answer is longer than %zu bytes", KT_LLM_TEXT_BYTES);
	if (s->events && s->body.size > 0)
		take_line(s, s->body.data, s->body.size);
	if (!s->events) {
		if (kt_json_parse(&object, kt_buf_text(&s->body), s->body.size, &x->error) != KT_OK ||
		    !cJSON_IsObject(object)) {
			cJSON_Delete(object);
			return kt_exchange_fail(x, "malformed", "the response is not a JSON object");
		}
		take_object(s, object);
		cJSON_Delete(object);
	}
	if (s->complaint != NULL)
		return kt_exchange_fail(x, "server", "the endpoint reports: %s", s->complaint);
	if (s->events && !s->ended)
		return kt_exchange_fail(x, "cut", "the response ended in the middle");
	if (x->text.size == 0)
		return kt_exchange_fail(x, "malformed", "the response holds no text");
	return true;
}
