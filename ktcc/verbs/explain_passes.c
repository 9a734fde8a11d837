/* ktcc explain --analysis: each pass that a template of the rules is without, and why. */
#include <stdio.h>
#include <string.h>

#include "base/pass_texts.h"
#include "base/passes.h"
#include "verbs/explain.h"

#define ROW(name, generator, does, needs, notes) {name, generator, needs, notes},
static const struct {
	const char *name, *generator, *needs, *notes;
} rows[] = {KT_PASS_TEXTS(ROW)};
#undef ROW
#define PASS(name, version) +1
_Static_assert(sizeof rows / sizeof *rows == 0 KT_PASSES(PASS), "each pass has a text");
#undef PASS

static bool is_applied(const struct kt_template *t, const char *pass)
{
	for (size_t i = 0; i < t->strategy_count; i++)
		if (strcmp(t->strategies[i].name, pass) == 0)
			return true;
	return false;
}

/* Is one of the parts, which "|" separates, in the note? */
static bool has_part(const char *note, const char *parts)
{
	while (*parts != '\0') {
		const size_t length = strcspn(parts, "|");

		for (const char *at = note; *at != '\0'; at++)
			if (strncmp(at, parts, length) == 0)
				return true;
		parts += length + (parts[length] == '|');
	}
	return false;
}

/* The first note of the region that tells why a pass does not apply; NULL: none does. */
static const struct kt_rules_note *note_of(const struct kt_rules *rules, size_t region, const char *parts)
{
	for (size_t i = 0; i < rules->note_count; i++)
		if (rules->notes[i].region == region && has_part(rules->notes[i].text, parts))
			return &rules->notes[i];
	return NULL;
}

void kt_explain_unapplied(cJSON *item, const struct kt_rules *rules, const struct kt_rules_template *one,
			  const struct kt_region *region)
{
	cJSON *list = cJSON_AddArrayToObject(item, "not_applied");

	if (strcmp(one->template_->generator, "rules") != 0)
		return;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct kt_rules_note *note;
		cJSON *pass;

		if (strcmp(rows[i].generator, "rules") != 0 || is_applied(one->template_, rows[i].name))
			continue;
		note = note_of(rules, one->region, rows[i].notes);
		pass = kt_json_append(list);
		cJSON_AddStringToObject(pass, "pass", rows[i].name);
		if (note != NULL) {
			cJSON_AddNumberToObject(pass, "line", note->line);
			cJSON_AddStringToObject(pass, "reason", note->text);
		} else {
			cJSON_AddStringToObject(pass, "needs", rows[i].needs);
			if (region->generation == KT_AUTO_LIST)
				cJSON_AddStringToObject(pass, "also", "; and auto(…) has to name it");
		}
	}
}

void kt_explain_print_unapplied(const cJSON *item)
{
	const cJSON *pass;

	cJSON_ArrayForEach(pass, cJSON_GetObjectItem(item, "not_applied")) {
		const double line = cJSON_HasObjectItem(pass, "line") ? kt_json_number(pass, "line") : kt_json_number(item, "line");

		printf("%s:%.0f: %s: without %s: %s%s%s\n", kt_json_text(item, "file"), line, kt_json_text(item, "region"),
		       kt_json_text(pass, "pass"), cJSON_HasObjectItem(pass, "needs") ? "it needs " : "",
		       kt_json_text(pass, cJSON_HasObjectItem(pass, "needs") ? "needs" : "reason"), kt_json_text(pass, "also"));
	}
}
