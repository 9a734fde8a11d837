/*
 * Loops that find a number of threads: `t = 1; while (t < n && t < 512) t *= 2;`. The values that the variable takes are numbers,
 * of which the condition chooses one: `!(1 < n && 1 < 512) ? 1 : !(2 < n && 2 < 512) ? 2 : …`. Where it still holds after the last one
 * there is no value, by a division by zero: such a problem is not tuned, and such a launch runs the original.
 */
#include <inttypes.h>
#include <string.h>

#include "base/expr.h"
#include "expand.h"

#define MOST_VALUES 13 /* 1, 2, …, 4096 */

/* The number that a text without names is. */
static bool number(int64_t *out, struct kt_scan *scan, const char *text)
{
	struct kt_expr *expr;
	struct kt_error err;

	return text != NULL && kt_expr_parse(&expr, scan->arena, text, strlen(text), &err) == KT_OK &&
	       kt_expr_eval(out, expr, NULL, NULL, &err) == KT_OK;
}

/* Is one of the conditions, all of which have to hold, false whatever the others are? */
static bool never_holds(struct kt_scan *scan, const char *text)
{
	struct kt_text tokens;
	struct kt_error err;
	size_t first = 0;

	if (strstr(text, "||") != NULL || strchr(text, '?') != NULL || kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
		return false;
	for (size_t i = 0; i <= tokens.count; i++) {
		const size_t end = i < tokens.count ? tokens.tokens[i].begin : strlen(text);
		int64_t value;

		if (i < tokens.count && !kt_token_is(&tokens, i, "&&"))
			continue;
		if (end > first && number(&value, scan, kt_arena_strndup(scan->arena, text + first, end - first)) && value == 0)
			return true;
		first = end + 2;
	}
	return false;
}

const char *kt_unrolled(struct kt_scan *scan, const char *name, const char *start, const char *condition, const char *step)
{
	const char *values[MOST_VALUES], *holds[MOST_VALUES], *chosen;
	int64_t value;
	size_t last = 0;

	if (condition == NULL || step == NULL || !number(&value, scan, start))
		return NULL;
	for (;; last++) {
		values[last] = kt_arena_printf(scan->arena, "%" PRId64, value);
		holds[last] = values[last] == NULL ? NULL : kt_text_put(scan, condition, &name, &values[last], 1);
		if (holds[last] == NULL)
			return NULL;
		if (last + 1 == MOST_VALUES || never_holds(scan, holds[last]))
			break;
		if (!number(&value, scan, kt_text_put(scan, step, &name, &values[last], 1)))
			return NULL;
	}
	chosen = last + 1 < MOST_VALUES ? values[last] : kt_arena_printf(scan->arena, "%s / !(%s)", values[last], holds[last]);
	while (last-- > 0 && chosen != NULL)
		chosen = kt_arena_printf(scan->arena, "!(%s) ? %s : (%s)", holds[last], values[last], chosen);
	return chosen;
}
