#include "generation/llm/prompt.h"

#include <string.h>

#include "base/fs.h"

#define TEMPLATE_BYTES ((size_t)64 << 10)
#define NOTHING "(nothing is known)"
#define CUT "(… cut …)\n"
#define BACKTICKS 3

/* Which end of a text is cut first where the text is too long. */
enum cut { CUT_NEVER, CUT_END, CUT_BEGIN };

/* In the order in which they are cut; `least` stays until all others are at theirs. */
static const struct placeholder {
	const char *name;
	size_t offset;
	enum cut cut;
	size_t least;
} placeholders[] = {
#define PLACEHOLDER(name, cut, least) {#name, offsetof(struct kt_prompt_facts, name), cut, least}
    PLACEHOLDER(tried, CUT_BEGIN, 4000),    PLACEHOLDER(counters, CUT_END, 0),
    PLACEHOLDER(analysis, CUT_END, 2000),   PLACEHOLDER(headers, CUT_END, 4000),
    PLACEHOLDER(best, CUT_END, 8000),       PLACEHOLDER(problems, CUT_END, 1000),
    PLACEHOLDER(floor, CUT_END, 500),       PLACEHOLDER(complaint, CUT_END, 2000),
    PLACEHOLDER(suggestion, CUT_END, 1000), PLACEHOLDER(name, CUT_NEVER, 0),
    PLACEHOLDER(device, CUT_NEVER, 0),      PLACEHOLDER(declaration, CUT_NEVER, 0),
    PLACEHOLDER(kernel, CUT_NEVER, 0),      PLACEHOLDER(arguments, CUT_NEVER, 0),
    PLACEHOLDER(geometry, CUT_NEVER, 0),    PLACEHOLDER(parameters, CUT_NEVER, 0),
    PLACEHOLDER(assembly, CUT_NEVER, 0),    PLACEHOLDER(search, CUT_END, 4000),
    PLACEHOLDER(tolerance, CUT_NEVER, 0),
#undef PLACEHOLDER
};

enum { PLACEHOLDERS = sizeof placeholders / sizeof *placeholders };

struct filling {
	const char *text[PLACEHOLDERS];
	size_t begin[PLACEHOLDERS], size[PLACEHOLDERS]; /* what of it is shown */
	bool cut[PLACEHOLDERS];
};

static void open_filling(struct filling *f, const struct kt_prompt_facts *facts)
{
	for (size_t i = 0; i < PLACEHOLDERS; i++) {
		memcpy(&f->text[i], (const char *)facts + placeholders[i].offset, sizeof f->text[i]);
		if (f->text[i] == NULL || f->text[i][0] == '\0')
			f->text[i] = NOTHING;
		f->begin[i] = 0;
		f->size[i] = strlen(f->text[i]);
		f->cut[i] = false;
	}
}

/* Takes at least `bytes` off, in whole lines where there are some, but leaves `least`. Returns how many went. */
static size_t shorten(struct filling *f, size_t placeholder, size_t bytes, size_t least)
{
	const size_t before = f->size[placeholder];
	size_t keep;

	if (before <= least)
		return 0;
	bytes += f->cut[placeholder] ? 0 : sizeof CUT - 1;
	keep = before > bytes && before - bytes > least ? before - bytes : least;
	if (placeholders[placeholder].cut == CUT_BEGIN) {
		const char *from = f->text[placeholder] + f->begin[placeholder] + (before - keep);
		const char *newline = memchr(from, '\n', keep);

		from = newline != NULL ? newline + 1 : from;
		f->size[placeholder] =
		    before - (size_t)(from - f->text[placeholder] - (ptrdiff_t)f->begin[placeholder]);
		f->begin[placeholder] = (size_t)(from - f->text[placeholder]);
	} else {
		while (keep > 0 && keep > least && f->text[placeholder][keep - 1] != '\n')
			keep--;
		f->size[placeholder] = keep;
	}
	f->cut[placeholder] = true;
	return before - f->size[placeholder];
}

static size_t find_placeholder(const char *name, size_t length)
{
	for (size_t i = 0; i < PLACEHOLDERS; i++)
		if (strlen(placeholders[i].name) == length && memcmp(placeholders[i].name, name, length) == 0)
			return i;
	return PLACEHOLDERS;
}

/* Longer rows of backticks become as many quotes: code has none outside of comments and strings. */
static void put_fact(struct kt_buf *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size;) {
		size_t row = 0;

		while (i + row < size && text[i + row] == '`')
			row++;
		for (size_t k = 0; k < row; k++)
			kt_buf_addc(out, row >= BACKTICKS ? '\'' : '`');
		i += row;
		if (row == 0) {
			const char *next = memchr(text + i, '`', size - i);
			size_t plain = next != NULL ? (size_t)(next - text) - i : size - i;

			kt_buf_add(out, text + i, plain);
			i += plain;
		}
	}
}

static void put_placeholder(struct kt_buf *out, const struct filling *f, size_t placeholder)
{
	if (f->cut[placeholder] && placeholders[placeholder].cut == CUT_BEGIN)
		kt_buf_adds(out, CUT);
	put_fact(out, f->text[placeholder] + f->begin[placeholder], f->size[placeholder]);
	if (f->cut[placeholder] && placeholders[placeholder].cut == CUT_END)
		kt_buf_adds(out, CUT);
}

/* The next placeholder at or after *at: its number, `PLACEHOLDERS` for none. *begin and *end are around its braces. */
static kt_status next_placeholder(size_t *placeholder, size_t *begin, size_t *end, const char *text, size_t size,
				  size_t at, struct kt_error *err)
{
	const char *open = memmem(text + at, size - at, "{{", 2), *close;

	*placeholder = PLACEHOLDERS;
	*begin = *end = size;
	if (open == NULL)
		return KT_OK;
	close = memmem(open, size - (size_t)(open - text), "}}", 2);
	if (close != NULL)
		*placeholder = find_placeholder(open + 2, (size_t)(close - open) - 2);
	if (*placeholder == PLACEHOLDERS)
		return kt_fail_at(err, KT_ERR_INVALID, (unsigned)(open - text), "\"%.40s\" is no placeholder of a prompt",
		                  open);
	*begin = (size_t)(open - text);
	*end = (size_t)(close - text) + 2;
	return KT_OK;
}

/* Bytes of the result; `used` tells which placeholders are in the text. */
static kt_status measure(size_t *total, bool used[PLACEHOLDERS], const struct filling *f, const char *text, size_t size,
                         struct kt_error *err)
{
	size_t at = 0, placeholder, begin, end;

	*total = 0;
	memset(used, 0, PLACEHOLDERS * sizeof *used);
	while (at < size) {
		TRY(next_placeholder(&placeholder, &begin, &end, text, size, at, err));
		*total += begin - at;
		if (placeholder < PLACEHOLDERS) {
			*total += f->size[placeholder];
			used[placeholder] = true;
		}
		at = end;
	}
	return KT_OK;
}

kt_status kt_prompt_fill(struct kt_buf *out, const char *text, size_t size, const struct kt_prompt_facts *facts,
                         size_t limit, struct kt_error *err)
{
	struct filling f;
	bool used[PLACEHOLDERS];
	size_t total, at = 0, placeholder, begin, end;
	kt_status status;

	open_filling(&f, facts);
	status = measure(&total, used, &f, text, size, err);
	/* Each down to what is still of use, then down to nothing. */
	for (int round = 0; status == KT_OK && round < 2; round++)
		for (size_t i = 0; i < PLACEHOLDERS && total > limit; i++)
			if (used[i] && placeholders[i].cut != CUT_NEVER) {
				size_t marked = f.cut[i] ? 0 : sizeof CUT - 1;
				size_t gone = shorten(&f, i, total - limit, round == 0 ? placeholders[i].least : 0);

				total -= gone;
				total += gone > 0 ? marked : 0;
			}
	if (status == KT_OK && total > limit)
		status = kt_fail(err, KT_ERR_LIMIT, "the question takes %zu bytes, at most %zu may be sent", total, limit);
	while (status == KT_OK && at < size) {
		status = next_placeholder(&placeholder, &begin, &end, text, size, at, err);
		kt_buf_add(out, text + at, begin - at);
		if (placeholder < PLACEHOLDERS)
			put_placeholder(out, &f, placeholder);
		at = end;
	}
	return status == KT_OK ? kt_buf_check(out, "a prompt", err) : status;
}

/* Appends a template that is installed, filled. */
static kt_status add_part(const char **out, struct kt_arena *arena, const char *name,
                          const struct kt_prompt_facts *facts, size_t limit, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(TEMPLATE_BYTES), filled = KT_BUF(KT_PROMPT_BYTES * 16);
	const char *path = kt_install_path(arena, kt_arena_printf(arena, "share/ktcc/templates/prompts/%s.md", name));
	kt_status status = KT_OK;

	if (path == NULL || kt_fs_read(&text, path, err) != KT_OK)
		status = kt_fail(err, KT_ERR_MISSING, "the prompt %s is not installed", name);
	THEN(status, kt_prompt_fill(&filled, kt_buf_text(&text), text.size, facts, limit, err));
	if (status == KT_OK && (*out = kt_arena_strndup(arena, kt_buf_text(&filled), filled.size)) == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for a prompt");
	kt_buf_free(&text);
	kt_buf_free(&filled);
	return status;
}

kt_status kt_prompt_messages(struct kt_llm_message out[KT_PROMPT_MESSAGES], size_t *count, struct kt_arena *arena,
                             enum kt_prompt_kind kind, const struct kt_prompt_facts *facts, const char *answer,
                             size_t limit, struct kt_error *err)
{
	static const char *const names[] = {[KT_PROMPT_KERNEL] = "generate", [KT_PROMPT_PLAN] = "plan"};
	const char *system = NULL, *question = NULL, *repair = NULL;
	size_t left;
	kt_status status = add_part(&system, arena, "system", facts, limit, err);

	left = status == KT_OK ? limit - strlen(system) : 0;
	/* What went wrong is worth more than what was tried before. */
	if (status == KT_OK && answer != NULL) {
		size_t half = left / 2;

		left -= strnlen(answer, half);
		answer = kt_arena_strndup(arena, answer, strnlen(answer, half));
		status = answer != NULL ? add_part(&repair, arena, "repair", facts, left, err)
		                        : kt_fail(err, KT_ERR_MEMORY, "out of memory for a prompt");
		left -= status == KT_OK ? strlen(repair) : 0;
	}
	THEN(status, add_part(&question, arena, names[kind], facts, left, err));
	if (status != KT_OK)
		return status;
	out[0] = (struct kt_llm_message){"system", system};
	out[1] = (struct kt_llm_message){"user", question};
	out[2] = (struct kt_llm_message){"assistant", answer};
	out[3] = (struct kt_llm_message){"user", repair};
	*count = answer != NULL ? 4 : 2;
	return KT_OK;
}
