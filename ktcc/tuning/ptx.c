/* PTX in a form that depends on the code only, and the baseline's own. */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/symbol.h"
#include "tuning/early.h"
#include "tuning/original.h"
#include "tuning/ptx_entry.h"

struct text {
	const char *at, *end;
};

static bool starts_with(const char *at, const char *end, const char *word)
{
	const size_t length = strlen(word);

	return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

/*
 * One line without comments, blanks collapsed, into *line. Strings keep their
 * blanks. Comments of several lines vanish with their newlines.
 */
static void next_line(struct kt_buf *line, struct text *text)
{
	bool quoted = false, blank = false;

	kt_buf_clear(line);
	while (text->at < text->end && (*text->at != '\n' || quoted)) {
		const char c = *text->at;

		if (!quoted && starts_with(text->at, text->end, "//")) {
			const char *stop = memchr(text->at, '\n', (size_t)(text->end - text->at));
			text->at = stop != NULL ? stop : text->end;
			continue;
		}
		if (!quoted && starts_with(text->at, text->end, "/*")) {
			const char *stop = memmem(text->at + 2, (size_t)(text->end - text->at - 2), "*/", 2);
			text->at = stop != NULL ? stop + 2 : text->end;
			blank = true;
			continue;
		}
		text->at++;
		if (!quoted && isspace((unsigned char)c)) {
			blank = true;
			continue;
		}
		if (blank && line->size > 0)
			kt_buf_addc(line, ' ');
		blank = false;
		kt_buf_addc(line, c);
		quoted = quoted != (c == '"');
	}
	if (text->at < text->end)
		text->at++;
}

static bool is_directive(const struct kt_buf *line, const char *name)
{
	const size_t length = strlen(name);

	return line->size >= length && memcmp(line->data, name, length) == 0 &&
	       (line->size == length || line->data[length] == ' ');
}

static bool is_dropped(const struct kt_buf *line)
{
	static const char *const directives[] = {".version", ".target", ".file", ".loc"};

	for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
		if (is_directive(line, directives[i]))
			return true;
	return false;
}

static bool opens_debug_section(const struct kt_buf *line)
{
	static const char *const sections[] = {".section .debug", ".section .nv_debug"};

	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
		if (line->size > 0 && starts_with(line->data, line->data + line->size, sections[i]))
			return true;
	return false;
}

/* Follows the braces of a section that is skipped; true once it is closed. */
static bool skips_to_end(int *depth, bool *opened, const struct kt_buf *line)
{
	for (size_t i = 0; i < line->size; i++) {
		if (line->data[i] == '{') {
			(*depth)++;
			*opened = true;
		} else if (line->data[i] == '}') {
			(*depth)--;
		}
	}
	return *opened && *depth <= 0;
}

static void add_line(struct kt_buf *out, const struct kt_buf *line)
{
	kt_symbol_unify(out, line->data, line->size);
	kt_buf_addc(out, '\n');
}

void kt_ptx_normalise(struct kt_buf *out, const char *ptx, size_t size)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct text text = {ptx, ptx + size};
	bool skipping = false, opened = false;
	int depth = 0;

	while (text.at < text.end) {
		next_line(&line, &text);
		if (!skipping && opens_debug_section(&line)) {
			skipping = true;
			opened = false;
			depth = 0;
		}
		if (skipping)
			skipping = !skips_to_end(&depth, &opened, &line);
		else if (line.size > 0 && !is_dropped(&line))
			add_line(out, &line);
	}
	out->failed = out->failed || line.failed;
	kt_buf_free(&line);
}

kt_status kt_unit_ptx(struct kt_buf *out, struct kt_arena *arena, const struct kt_compile *compile,
		      const struct kt_region *region, const struct kt_buf *text, struct kt_error *err)
{
	struct kt_early early = {0};
	kt_status status = kt_early_start(&early, arena, compile, region, text, KT_UNIT_PTX, "baseline", 0, err);

	THEN(status, kt_early_ptx(out, &early, err));
	kt_early_close(&early);
	return status;
}

/* Appends the region's kernels alone, with their names to *symbol, a blank between two. */
static kt_status extract(struct kt_buf *out, const char **symbol, struct kt_arena *arena, const struct kt_buf *ptx,
                         const struct kt_region *region, const struct kt_instance *instance, struct kt_error *err)
{
	struct kt_ptx_module *module;
	const char *const *names;
	size_t found[KT_STEPS], steps = region->step_count != 0 ? region->step_count : 1, count;
	TRY(kt_ptx_open(&module, arena, kt_buf_text(ptx), ptx->size, err));
	*symbol = NULL;
	count = kt_ptx_kernels(&names, module);
	if (!kt_original_find(found, names, count, region, instance))
		return kt_fail(err, KT_ERR_INVALID, "none of the %zu kernels in the baseline's ptx is '%s'", count,
		               instance->name);
	for (size_t i = 0; i < steps; i++) {
		const char *normal = kt_symbol_normal(arena, names[found[i]]);
		*symbol = normal == NULL || *symbol == NULL ? normal : kt_arena_printf(arena, "%s %s", *symbol, normal);
		TRY(*symbol != NULL ? kt_ptx_extract(out, module, found[i], err)
				    : kt_fail(err, KT_ERR_MEMORY, "out of memory reading ptx"));
	}
	return KT_OK;
}

kt_status kt_baseline_ptx(struct kt_buf *out, const char **symbol, struct kt_arena *arena, struct kt_early *early,
                          const struct kt_region *region, const struct kt_instance *instance, struct kt_error *err)
{
	struct kt_arena *scratch = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf ptx = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status = scratch != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for the baseline");

	THEN(status, kt_early_ptx(&ptx, early, err));
	THEN(status, extract(out, symbol, scratch, &ptx, region, instance, err));
	if (status == KT_OK && (*symbol = kt_arena_strdup(arena, *symbol)) == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for the baseline");
	kt_buf_free(&ptx);
	kt_arena_free(scratch);
	return status;
}
