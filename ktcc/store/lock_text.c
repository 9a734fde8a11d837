#include "store/lock_text.h"

#include <stdio.h>
#include <string.h>

#define FIRST_LINE "// Written by a model. What is compiled is what `ktcc-clang check` prints of this text.\n"
#define PART "// part: "
#define PART_BYTES 64
#define NAME_DIGITS 16

/* Where the text is: the template itself, then its further kernels. index 0: the template. */
static cJSON *kernel_at(const cJSON *template_, int index)
{
	return index == 0 ? (cJSON *)template_
	                  : cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(template_, "further"), index - 1);
}

/* The parts in their order: the template's helpers, then head and body of each kernel. NULL: there are no more. */
static const char *part_at(cJSON **of, char title[PART_BYTES], const cJSON *template_, int index)
{
	static const char *const names[] = {"head", "body"};
	const int kernel = (index - 1) / 2;
	const char *name = index == 0 ? "helpers" : names[(index - 1) % 2];

	*of = kernel_at(template_, index == 0 ? 0 : kernel);
	if (*of == NULL)
		return NULL;
	if (kernel > 0 && index > 0)
		(void)snprintf(title, PART_BYTES, PART "%s %d\n", name, kernel);
	else
		(void)snprintf(title, PART_BYTES, PART "%s\n", name);
	return name;
}

static void hash_of(char out[KT_HASH_TEXT], const struct kt_buf *text)
{
	struct kt_hash hash;

	kt_hash_init(&hash);
	kt_hash_bytes(&hash, text->data, text->size);
	kt_hash_final(&hash, out);
}

static cJSON *template_of(const cJSON *entry)
{
	return cJSON_GetObjectItemCaseSensitive(entry, "template");
}

/* False: a part is absent, or has a line that this form cannot hold. */
static bool write_parts(struct kt_buf *out, const cJSON *template_)
{
	char title[PART_BYTES];
	const cJSON *line;
	const char *name;
	cJSON *of;

	kt_buf_adds(out, FIRST_LINE);
	for (int i = 0; (name = part_at(&of, title, template_, i)) != NULL; i++) {
		const cJSON *lines = cJSON_GetObjectItemCaseSensitive(of, name);

		if (!cJSON_IsArray(lines))
			return false;
		kt_buf_adds(out, title);
		cJSON_ArrayForEach(line, lines) {
			const char *text = cJSON_GetStringValue(line);

			if (text == NULL || strchr(text, '\n') != NULL || strncmp(text, PART, strlen(PART)) == 0)
				return false;
			kt_buf_adds(out, text);
			kt_buf_addc(out, '\n');
		}
	}
	return !out->failed;
}

bool kt_lock_text_split(struct kt_buf *text, char name[KT_LOCK_TEXT_NAME], cJSON *entry)
{
	cJSON *template_ = template_of(entry), *of, *back = NULL;
	char hash[KT_HASH_TEXT], title[PART_BYTES];
	struct kt_error ignored;
	const char *part;
	bool same;

	if (template_ == NULL || cJSON_HasObjectItem(template_, "text") || !write_parts(text, template_) ||
	    (back = cJSON_Duplicate(entry, true)) == NULL)
		return false;
	hash_of(hash, text);
	for (int i = 0; (part = part_at(&of, title, template_of(back), i)) != NULL; i++)
		cJSON_DeleteItemFromObjectCaseSensitive(of, part);
	same = cJSON_AddStringToObject(template_of(back), "text", hash) != NULL;
	if (same) {
		cJSON *whole = cJSON_Duplicate(back, true);

		same = whole != NULL && kt_lock_text_join(whole, text, &ignored) == KT_OK && cJSON_Compare(whole, entry, true);
		cJSON_Delete(whole);
	}
	if (same) {
		cJSON *shorter = cJSON_DetachItemFromObjectCaseSensitive(back, "template");

		same = cJSON_ReplaceItemInObjectCaseSensitive(entry, "template", shorter);
		(void)snprintf(name, KT_LOCK_TEXT_NAME, "variant-%.*s.cuh", NAME_DIGITS, hash);
	}
	cJSON_Delete(back);
	return same;
}

bool kt_lock_text_name(char name[KT_LOCK_TEXT_NAME], const cJSON *entry)
{
	const char *hash = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(template_of(entry), "text"));

	if (hash == NULL || strlen(hash) != KT_HASH_TEXT - 1 || strspn(hash, "0123456789abcdef") != KT_HASH_TEXT - 1)
		return false;
	(void)snprintf(name, KT_LOCK_TEXT_NAME, "variant-%.*s.cuh", NAME_DIGITS, hash);
	return true;
}

/* The lines from *at to the next part, as an array; NULL: out of memory. */
static cJSON *take_lines(const char **at)
{
	cJSON *lines = cJSON_CreateArray();

	while (lines != NULL && **at != '\0' && strncmp(*at, PART, strlen(PART)) != 0) {
		const size_t length = strcspn(*at, "\n");
		struct kt_buf line = KT_BUF(KT_LIMIT_SOURCE_BYTES);
		cJSON *item;

		kt_buf_add(&line, *at, length);
		item = line.failed ? NULL : cJSON_CreateString(kt_buf_text(&line));
		kt_buf_free(&line);
		if (item == NULL || !cJSON_AddItemToArray(lines, item)) {
			cJSON_Delete(item);
			cJSON_Delete(lines);
			return NULL;
		}
		*at += length + ((*at)[length] == '\n');
	}
	return lines;
}

/* Members that come after the text in the order in which entries are written, and hashed. */
static void move_behind(cJSON *template_, const char *name)
{
	cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(template_, name);

	if (item != NULL)
		cJSON_AddItemToObject(template_, name, item);
}

kt_status kt_lock_text_join(cJSON *entry, const struct kt_buf *text, struct kt_error *err)
{
	cJSON *template_ = template_of(entry), *of;
	const char *at = kt_buf_text(text), *part;
	char hash[KT_HASH_TEXT], title[PART_BYTES];
	const char *named = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(template_, "text"));

	hash_of(hash, text);
	if (named == NULL || strcmp(named, hash) != 0)
		return kt_fail(err, KT_ERR_INVALID, "/template/text: the text was changed: its hash is %s", hash);
	if (strlen(at) != text->size || strncmp(at, FIRST_LINE, strlen(FIRST_LINE)) != 0)
		return kt_fail(err, KT_ERR_INVALID, "/template/text: not a text of a variant");
	cJSON_DeleteItemFromObjectCaseSensitive(template_, "text");
	at += strlen(FIRST_LINE);
	for (int i = 0; (part = part_at(&of, title, template_, i)) != NULL; i++) {
		cJSON *lines;

		if (strncmp(at, title, strlen(title)) != 0 || cJSON_HasObjectItem(of, part))
			return kt_fail(err, KT_ERR_INVALID, "/template/text: the text has other parts than the entry");
		at += strlen(title);
		lines = take_lines(&at);
		if (lines == NULL || !cJSON_AddItemToObject(of, part, lines)) {
			cJSON_Delete(lines);
			return kt_fail(err, KT_ERR_MEMORY, "out of memory reading a text");
		}
	}
	move_behind(template_, "further");
	move_behind(template_, "temporaries");
	return *at == '\0' ? KT_OK : kt_fail(err, KT_ERR_INVALID, "/template/text: the text has more parts than the entry");
}
