/* The table that Nsight Compute prints, and the counters' own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testing/counters.h"

enum dimension { TIME, BYTES, PERCENT, RATIO };

static const struct {
	const char *name, *metric;
	enum dimension dimension;
	double factor;
	const char *before;
	int digits;
	const char *after;
} counters[] = {
#define KT_COUNTER_ROW(id, name, metric, dimension, factor, before, digits, after) \
	{name, metric, dimension, factor, before, digits, after},
    KT_COUNTER_ROWS(KT_COUNTER_ROW)
#undef KT_COUNTER_ROW
};

/* Both spellings of ncu's versions. A ratio has the unit of what it divides, if any. */
static const struct {
	const char *name;
	enum dimension dimension;
	double scale;
} units[] = {
    {"nsecond", TIME, 1}, {"usecond", TIME, 1e3}, {"msecond", TIME, 1e6}, {"second", TIME, 1e9},
    {"ns", TIME, 1},      {"us", TIME, 1e3},      {"ms", TIME, 1e6},      {"s", TIME, 1e9},
    {"byte", BYTES, 1},   {"Kbyte", BYTES, 1e3},  {"Mbyte", BYTES, 1e6},  {"Gbyte", BYTES, 1e9},
    {"Tbyte", BYTES, 1e12}, {"%", PERCENT, 1},
};

/*
 * Columns of a table (every attribute of the device is one, some hundred of an H200), digits of a number, bytes of a
 * message that are shown.
 */
enum { COLUMNS_MOST = 1024, NUMBER_MOST = 40, SHOWN_BYTES = 300 };
/* Above it no counter is one. */
static const double value_most = 1e18;

struct span {
	const char *text;
	size_t size;
};

struct row {
	size_t count;
	struct span cell[COLUMNS_MOST];
};

/* Where the columns are; COLUMNS_MOST: there is none. */
struct table {
	size_t columns, kernel, column[KT_COUNTERS];
	double scale[KT_COUNTERS]; /* NAN: of no known unit */
};

const char *kt_counter_name(enum kt_counter counter)
{
	return counters[counter].name;
}

void kt_counted_print(struct kt_buf *out, const struct kt_counted *counted)
{
	const char *between = "";

	for (int c = 0; c < KT_COUNTERS; c++) {
		if (isnan(counted->value[c]))
			continue;
		kt_buf_addf(out, "%s%s%.*f%s", between, counters[c].before, counters[c].digits,
		            counted->value[c] * counters[c].factor, counters[c].after);
		between = ", ";
	}
}

bool kt_counters_metrics(struct kt_buf *out)
{
	for (int c = 0; c < KT_COUNTERS; c++)
		kt_buf_addf(out, "%s%s", c != 0 ? "," : "", counters[c].metric);
	return !out->failed;
}

static bool is(const struct span *span, const char *text)
{
	return span->size == strlen(text) && memcmp(span->text, text, span->size) == 0;
}

static bool begins(const struct span *line, const char *text)
{
	return line->size >= strlen(text) && memcmp(line->text, text, strlen(text)) == 0;
}

/* Takes the next line off; false at the end. */
static bool next_line(struct span *line, struct span *rest)
{
	const char *newline;

	if (rest->size == 0)
		return false;
	newline = memchr(rest->text, '\n', rest->size);
	*line = (struct span){rest->text, newline != NULL ? (size_t)(newline - rest->text) : rest->size};
	rest->text += line->size + (newline != NULL);
	rest->size -= line->size + (newline != NULL);
	if (line->size != 0 && line->text[line->size - 1] == '\r')
		line->size--;
	return true;
}

/* Cells in quotes with commas between them; a quote inside of one is doubled, and stays so. */
static bool split(struct row *row, const struct span *line)
{
	size_t at = 0;

	row->count = 0;
	for (;;) {
		size_t begin = at + 1;

		if (at >= line->size || line->text[at] != '"' || row->count == COLUMNS_MOST)
			return false;
		for (at = begin; at < line->size; at++) {
			const bool quote = line->text[at] == '"';

			if (quote && (at + 1 >= line->size || line->text[at + 1] != '"'))
				break;
			at += quote;
		}
		if (at >= line->size)
			return false;
		row->cell[row->count++] = (struct span){line->text + begin, at - begin};
		at++;
		if (at == line->size)
			return true;
		if (line->text[at++] != ',')
			return false;
	}
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "1,234,567.8", "4.0e-05". Not negative; NAN for everything else. */
static double number(const struct span *cell)
{
	char plain[NUMBER_MOST + 1];
	size_t used = 0, group = 0, at = 0;
	bool grouped = false;
	char *end;
	double value;

	if (cell->size == 0 || cell->size > NUMBER_MOST || !is_digit(cell->text[0]))
		return NAN;
	for (; at < cell->size && (is_digit(cell->text[at]) || cell->text[at] == ','); at++) {
		if (cell->text[at] != ',') {
			plain[used++] = cell->text[at];
			group++;
			continue;
		}
		if (grouped ? group != 3 : group > 3)
			return NAN;
		grouped = true;
		group = 0;
	}
	if (grouped && group != 3)
		return NAN;
	for (; at < cell->size; at++) {
		if (!is_digit(cell->text[at]) && memchr(".eE+-", cell->text[at], 5) == NULL)
			return NAN;
		plain[used++] = cell->text[at];
	}
	plain[used] = '\0';
	value = strtod(plain, &end);
	return *end == '\0' && value >= 0 && value <= value_most ? value : NAN;
}

static double scale_of(enum kt_counter counter, const struct span *unit)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (is(unit, units[i].name))
			return units[i].dimension == counters[counter].dimension ? units[i].scale : NAN;
	return counters[counter].dimension == RATIO ? 1 : NAN;
}

static bool find_columns(struct table *table, const struct row *names)
{
	table->columns = names->count;
	table->kernel = COLUMNS_MOST;
	for (int c = 0; c < KT_COUNTERS; c++)
		table->column[c] = COLUMNS_MOST;
	for (size_t i = 0; i < names->count; i++) {
		if (is(&names->cell[i], "Kernel Name"))
			table->kernel = i;
		for (int c = 0; c < KT_COUNTERS; c++) {
			if (!is(&names->cell[i], counters[c].metric))
				continue;
			if (table->column[c] != COLUMNS_MOST)
				return false;
			table->column[c] = i;
		}
	}
	return table->kernel != COLUMNS_MOST;
}

static void find_units(struct table *table, const struct row *row)
{
	for (int c = 0; c < KT_COUNTERS; c++)
		table->scale[c] =
		    table->column[c] != COLUMNS_MOST ? scale_of((enum kt_counter)c, &row->cell[table->column[c]]) : NAN;
}

static kt_status take_row(struct kt_counted *out, struct kt_arena *arena, const struct table *table,
                          const struct row *row, struct kt_error *err)
{
	const struct span *kernel = &row->cell[table->kernel];

	NEED(out->kernel = kt_arena_strndup(arena, kernel->text, kernel->size),
	     kt_fail(err, KT_ERR_MEMORY, "counters: out of memory"));
	for (int c = 0; c < KT_COUNTERS; c++)
		out->value[c] = table->column[c] != COLUMNS_MOST && !isnan(table->scale[c])
		                    ? number(&row->cell[table->column[c]]) * table->scale[c]
		                    : NAN;
	return KT_OK;
}

/* A line as it may go to a log. */
static kt_status complain(struct kt_error *err, const struct span *line)
{
	const size_t size = line->size < SHOWN_BYTES ? line->size : SHOWN_BYTES;
	char shown[SHOWN_BYTES + 1];

	for (size_t i = 0; i < size; i++)
		shown[i] = (unsigned char)line->text[i] < ' ' || line->text[i] == 0x7f ? '?' : line->text[i];
	shown[size] = '\0';
	return kt_fail(err, KT_ERR_INVALID, "%s", shown);
}

/* Why there is no table: ncu's message, if there is one. */
static kt_status no_table(struct kt_error *err, struct span rest)
{
	static const char mark[] = "==ERROR== ";
	struct span line;

	while (next_line(&line, &rest))
		if (begins(&line, mark) && line.size > sizeof mark - 1) {
			line.text += sizeof mark - 1;
			line.size -= sizeof mark - 1;
			return complain(err, &line);
		}
	return kt_fail(err, KT_ERR_INVALID, "no table of counters");
}

kt_status kt_counters_read(struct kt_counted *out, size_t *count, size_t most, struct kt_arena *arena,
                           const char *text, size_t size, struct kt_error *err)
{
	struct span rest = {text, size}, line;
	struct table table = {.columns = 0};
	struct row row;
	size_t lines = 0; /* of the table */

	*count = 0;
	while (next_line(&line, &rest)) {
		/* The table comes last, and its first line cannot be mistaken. */
		if (lines == 0 ? !begins(&line, "\"ID\",") : line.size == 0 || begins(&line, "=="))
			continue;
		if (!split(&row, &line) || (lines != 0 && row.count != table.columns))
			return kt_fail(err, KT_ERR_INVALID, "line %zu of the table of counters is not understood", lines + 1);
		lines++;
		if (lines == 1) {
			if (!find_columns(&table, &row))
				return kt_fail(err, KT_ERR_INVALID, "the columns of the table of counters are not understood");
			continue;
		}
		if (lines == 2) {
			find_units(&table, &row);
			continue;
		}
		if (*count == most)
			return kt_fail(err, KT_ERR_LIMIT, "counters of more than %zu launches", most);
		TRY(take_row(&out[(*count)++], arena, &table, &row, err));
	}
	return *count != 0 ? KT_OK : no_table(err, (struct span){text, size});
}
