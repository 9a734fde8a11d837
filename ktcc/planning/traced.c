#include "planning/traced.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fs.h"

/* If *at begins with the text, moves *at past it. */
static bool skip(const char **at, const char *text)
{
	const size_t length = strlen(text);

	if (strncmp(*at, text, length) != 0)
		return false;
	*at += length;
	return true;
}

/* " rows=37 d=1003": one value for each variable, in their order, as the program prints them. */
static bool read_values(int64_t *values, const char **at, const struct kt_region *region)
{
	for (size_t v = 0; v < region->variable_count; v++) {
		char *end;

		if (!skip(at, " ") || !skip(at, region->variables[v]) || !skip(at, "="))
			return false;
		errno = 0;
		values[v] = strtoll(*at, &end, 10);
		if (end == *at || errno != 0 || values[v] < 1)
			return false;
		*at = end;
	}
	return true;
}

/* Does the line, whose length this is, end with the text? */
static bool ends_with(const char *line, size_t length, const char *text)
{
	const size_t own = strlen(text);

	while (length > 0 && line[length - 1] == '\r')
		length--;
	return length >= own && memcmp(line + length - own, text, own) == 0;
}

/*
 * "ktune: REGION rows=37 d=1003: the original ran 12 times: …"
 * "ktune: REGION rows=37 d=1003: launched 12 times, gain 0.50: …: the variant is slower"
 */
static bool read_line(struct kt_traced_size *out, const char *at, size_t length, const struct kt_region *region)
{
	const char *const line = at;
	char *end;

	if (!skip(&at, "ktune: ") || !skip(&at, region->name) || !read_values(out->values, &at, region))
		return false;
	if (!skip(&at, ": the original ran ") &&
	    !(ends_with(line, length, ": the variant is slower") && skip(&at, ": launched ")))
		return false;
	out->launches = (double)strtoull(at, &end, 10);
	return end != at && strncmp(end, " time", 5) == 0;
}

static void add(struct kt_traced *out, const struct kt_traced_size *size, size_t variables)
{
	size_t i = 0;

	while (i < out->count && memcmp(out->sizes[i].values, size->values, variables * sizeof *size->values) != 0)
		i++;
	if (i == KT_TRACED_MOST)
		return;
	if (i == out->count)
		out->sizes[out->count++] = (struct kt_traced_size){.launches = 0};
	memcpy(out->sizes[i].values, size->values, sizeof size->values);
	out->sizes[i].launches += size->launches;
}

/* Stable, and short. */
static void sort(struct kt_traced *out)
{
	for (size_t i = 1; i < out->count; i++) {
		const struct kt_traced_size one = out->sizes[i];
		size_t k = i;

		for (; k > 0 && out->sizes[k - 1].launches < one.launches; k--)
			out->sizes[k] = out->sizes[k - 1];
		out->sizes[k] = one;
	}
}

kt_status kt_traced_read(struct kt_traced *out, const char *path, const struct kt_region *region, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_status status = kt_fs_read(&text, path, err);

	*out = (struct kt_traced){.count = 0};
	for (const char *line = status == KT_OK ? kt_buf_text(&text) : ""; *line != '\0';) {
		const size_t length = strcspn(line, "\n");
		struct kt_traced_size size = {.launches = 0};

		if (region->variable_count != 0 && read_line(&size, line, length, region))
			add(out, &size, region->variable_count);
		line += length;
		line += *line == '\n';
	}
	sort(out);
	kt_buf_free(&text);
	return status;
}
