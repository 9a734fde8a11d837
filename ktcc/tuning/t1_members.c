/* Members of a T1 file's space that nothing is called: a misspelt list of conditions would be no condition. */
#include "tuning/t1_members.h"

#include <string.h>

#include "base/log.h"
#include "base/nearest.h"

static const char *const spaces[] = {"TuningParameters", "Conditions"}, *const parameters[] = {"Name", "Type", "Values", "Default"},
			 *const conditions[] = {"Expression", "Parameters"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* Where the member's name is first in the file. */
static void position(unsigned *line, unsigned *column, const char *source, const char *name)
{
	const size_t length = strlen(name);
	const char *at = strstr(source, name);

	while (at != NULL && (at == source || at[-1] != '"' || at[length] != '"'))
		at = strstr(at + 1, name);
	*line = *column = 1;
	for (const char *c = source; at != NULL && c + 1 < at; c++) {
		*column = *c == '\n' ? 1 : *column + 1;
		*line += *c == '\n';
	}
}

static void check(const struct kt_t1 *t1, const cJSON *object, const char *const *known, size_t count, const char *where)
{
	const cJSON *member;

	cJSON_ArrayForEach(member, object) {
		unsigned line, column;
		const char *near;

		if (member->string == NULL || kt_has_text(known, count, member->string))
			continue;
		near = kt_nearest(member->string, known, count);
		position(&line, &column, t1->source, member->string);
		kt_say("%s:%u:%u: warning: member '%.80s' of %s is not known and has no effect; %s%s%s", t1->path, line, column,
		       member->string, where, near != NULL ? "did you mean '" : "remove it", near != NULL ? near : "",
		       near != NULL ? "'?" : "");
	}
}

void kt_t1_check_members(const struct kt_t1 *t1, const cJSON *space)
{
	const cJSON *item;

	if (!cJSON_IsObject(space))
		return;
	check(t1, space, spaces, COUNT(spaces), "ConfigurationSpace");
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(space, spaces[0]))
		check(t1, item, parameters, COUNT(parameters), spaces[0]);
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(space, spaces[1]))
		check(t1, item, conditions, COUNT(conditions), spaces[1]);
}
