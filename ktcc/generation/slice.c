/* The parts of the main file that a kernel needs, and code that instantiates it. */
#include "generation/generation.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/source.h"

struct cursor {
	struct kt_buf *out;
	const char *source;
	size_t size, at;
};

static void keep(struct cursor *c, size_t to)
{
	if (to > c->size)
		to = c->size;
	if (to > c->at) {
		kt_buf_add(c->out, c->source + c->at, to - c->at);
		c->at = to;
	}
}

/* Lines stay where they are; a blank separates neighbouring words. */
static void drop(struct cursor *c, size_t from, size_t to)
{
	keep(c, from);
	if (to > c->size)
		to = c->size;
	if (to > c->at) {
		kt_buf_addc(c->out, ' ');
		kt_source_newlines(c->out, c->source + c->at, to - c->at);
		c->at = to;
	}
}

/* The smallest start of a kernel or callee at or after `at`. */
static size_t next_start(const struct kt_region *region, size_t at)
{
	size_t best = SIZE_MAX;

	if (region->extent.begin >= at)
		best = region->extent.begin;
	for (size_t i = 0; i < region->step_count; i++)
		if (region->steps[i].extent.begin >= at && region->steps[i].extent.begin < best)
			best = region->steps[i].extent.begin;
	for (size_t i = 0; i < region->callee_count; i++)
		if (region->callees[i].extent.begin >= at && region->callees[i].extent.begin < best)
			best = region->callees[i].extent.begin;
	return best;
}

void kt_slice(struct kt_buf *out, const struct kt_region *region, const char *source, size_t source_size,
              const char *line_name)
{
	/* A byte order mark is legal at the start of a file only, and a slice starts with a directive. */
	struct cursor c = {out, source, source_size, source_size >= 3 && memcmp(source, "\xef\xbb\xbf", 3) == 0 ? 3 : 0};
	struct kt_range pragma = {0, 0};
	size_t position = 0, dropped = 0, start = line_name != NULL ? next_start(region, 0) : SIZE_MAX;
	bool more = kt_source_pragma(&pragma, source, source_size, &position);

	kt_source_line_directive(out, 1, line_name != NULL ? line_name : region->file);
	for (;;) {
		size_t pragma_at = more ? pragma.begin : SIZE_MAX;
		size_t drop_at = dropped < region->drop_count ? region->drops[dropped].begin : SIZE_MAX;

		if (pragma_at == SIZE_MAX && drop_at == SIZE_MAX && start == SIZE_MAX)
			break;
		if (pragma_at <= drop_at && pragma_at <= start) {
			drop(&c, pragma.begin, pragma.end);
			more = kt_source_pragma(&pragma, source, source_size, &position);
		} else if (drop_at <= start) {
			drop(&c, drop_at, region->drops[dropped].end);
			dropped++;
		} else {
			if (start >= c.at) {
				keep(&c, start);
				kt_source_line_directive(out, 1, line_name);
			}
			start = next_start(region, start + 1);
		}
	}
	keep(&c, source_size);
	if (out->size > 0 && out->data[out->size - 1] != '\n')
		kt_buf_addc(out, '\n');
}

/* Plain kernels of a region: how many, and which is the i-th. */
struct plain {
	const char *name;
	struct kt_range extent;
};

static size_t list_plain(struct plain *out, const struct kt_region *region)
{
	size_t count = 0;

	if (region->step_count == 0 && region->template_count == 0)
		out[count++] = (struct plain){region->kernel, region->extent};
	for (size_t i = 0; i < region->step_count; i++)
		if (region->instance_count != 0 && strchr(region->steps[i].instances[0], '<') == NULL)
			out[count++] = (struct plain){region->steps[i].kernel, region->steps[i].extent};
	return count;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

/* Does the word occur from there on? */
static bool names(const struct kt_buf *text, size_t from, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = text->data + from, *end = text->data + text->size;
	     length != 0 && (at = memmem(at, (size_t)(end - at), word, length)) != NULL; at++)
		if ((at == text->data + from || !is_word(at[-1])) && (at + length == end || !is_word(at[length])))
			return true;
	return false;
}

/* Adds a range to ascending ones; those within it go. */
static size_t add_range(struct kt_range *ranges, size_t count, struct kt_range range)
{
	size_t kept = 0, at;

	for (size_t i = 0; i < count; i++)
		if (ranges[i].begin < range.begin || ranges[i].end > range.end)
			ranges[kept++] = ranges[i];
	for (at = kept; at > 0 && ranges[at - 1].begin > range.begin; at--)
		ranges[at] = ranges[at - 1];
	ranges[at] = range;
	return kept + 1;
}

void kt_slice_bare(struct kt_buf *out, const struct kt_region *region, const char *source, size_t source_size,
                   const char *line_name)
{
	struct plain kernels[KT_STEPS + 1];
	const size_t count = list_plain(kernels, region), before = out->size;
	struct kt_range *drops = calloc(region->drop_count + count + 1, sizeof *drops);
	struct kt_region bare = *region;
	bool named = drops == NULL;

	if (drops != NULL) {
		if (region->drop_count != 0)
			memcpy(drops, region->drops, region->drop_count * sizeof *drops);
		for (size_t i = 0; i < count; i++)
			bare.drop_count = add_range(drops, bare.drop_count, kernels[i].extent);
		bare.drops = drops;
		kt_slice(out, &bare, source, source_size, line_name);
		for (size_t i = 0; i < count && !named && !out->failed; i++)
			named = names(out, before, kernels[i].name);
		free(drops);
	}
	if (!named)
		return;
	out->size = before;
	if (out->data != NULL)
		out->data[before] = '\0';
	kt_slice(out, region, source, source_size, line_name);
}

void kt_slice_scope(struct kt_buf *out, const struct kt_region *region, bool open)
{
	const char *at = region->qualified;

	if (region->unnamed_outside)
		kt_buf_adds(out, open ? "namespace {\n" : "}\n");
	for (const char *next; (next = strstr(at, "::")) != NULL; at = next + 2)
		if (next == at || *at == '(')
			continue;
		else if (open)
			kt_buf_addf(out, "namespace %.*s {\n", (int)(next - at), at);
		else
			kt_buf_adds(out, "}\n");
}

void kt_instantiate(struct kt_buf *out, const char *name, const char *arguments, size_t number)
{
	if (arguments[0] != '\0')
		kt_buf_addf(out, "void *ktune_use_%zu() { return (void *)%s%s; }\n", number, name, arguments);
}
