/*
 * ktcc report --csv: everything that the page shows, one table whose column "table" tells what a row is. A row is a
 * list of columns and values; what it does not have is empty.
 */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "verbs/report.h"

#define COLUMNS(X) \
	X(table) X(region) X(instance) X(device) X(region_key) X(source) X(problem) X(variant) X(configuration) X(rule) \
	X(verdict) X(original_ns) X(tuned_ns) X(bound_ns) X(general_ns) X(speedup) X(median_ns) X(mean_ns) X(min_ns) \
	X(deviation_ns) X(samples) X(original_uj) X(tuned_uj) X(registers) X(local_bytes) X(shared_bytes) X(time) \
	X(measured_ms) X(name) X(detail) X(chosen)
enum column {
#define COLUMN(name) C_##name,
	COLUMNS(COLUMN)
#undef COLUMN
	COLUMN_COUNT
};
static const char *const names[] = {
#define COLUMN(name) #name,
    COLUMNS(COLUMN)
#undef COLUMN
};

struct row {
	struct kt_buf cells[COLUMN_COUNT];
	const char **parameters; /* of all regions: each has a column after the others */
	size_t parameter_count;
};

static bool is_control(char c)
{
	return ((unsigned char)c < ' ' && strchr("\t\r\n", c) == NULL) || c == '\x7f';
}

/* A spreadsheet takes a text that begins so for a formula; a terminal obeys control characters. */
static void text(struct row *row, enum column column, const char *value)
{
	struct kt_buf *cell = &row->cells[column];

	if (value == NULL)
		return;
	if (value[0] != '\0' && strchr("=+-@\t\r", value[0]) != NULL)
		kt_buf_addc(cell, '\'');
	while (*value != '\0') {
		size_t length = 0;

		while (value[length] != '\0' && !is_control(value[length]))
			length++;
		kt_utf8_add(cell, value, length);
		value += length;
		if (*value != '\0') {
			kt_buf_adds(cell, KT_UTF8_REPLACEMENT);
			value++;
		}
	}
}

static void integer(struct row *row, enum column column, int64_t value)
{
	kt_buf_addf(&row->cells[column], "%" PRId64, value);
}

/* What was not measured is 0 in records. */
static void measured(struct row *row, enum column column, double value)
{
	if (value > 0)
		kt_buf_addf(&row->cells[column], "%.10g", value);
}

static void begin(struct row *row, const char *table, const struct kt_report_region *region)
{
	for (int i = 0; i < COLUMN_COUNT; i++) {
		row->cells[i].limit = KT_LIMIT_SOURCE_BYTES;
		kt_buf_clear(&row->cells[i]);
	}
	text(row, C_table, table);
	text(row, C_region, region->entry.name);
	text(row, C_instance, region->entry.instance);
	text(row, C_device, region->entry.device.name);
	text(row, C_region_key, region->entry.region_key);
	text(row, C_source, region->source);
}

static void add_cell(struct kt_buf *out, const struct kt_buf *cell)
{
	const char *value = kt_buf_text(cell);

	out->failed = out->failed || cell->failed;
	if (value[strcspn(value, ",\"\r\n")] == '\0') {
		kt_buf_adds(out, value);
		return;
	}
	kt_buf_addc(out, '"');
	for (; *value != '\0'; value++) {
		if (*value == '"')
			kt_buf_addc(out, '"');
		kt_buf_addc(out, *value);
	}
	kt_buf_addc(out, '"');
}

/* The integer of a parameter in a text such as "BLOCK=256 VEC=8"; nothing where the text has none. */
static void add_value(struct kt_buf *out, const char *configuration, const char *name)
{
	const size_t length = strlen(name);

	for (const char *word = configuration; *word != '\0'; word += strcspn(word, " "), word += *word == ' ') {
		const char *value = word + length + 1;
		size_t digits;

		if (strncmp(word, name, length) != 0 || word[length] != '=')
			continue;
		digits = strspn(value + (*value == '-'), "0123456789") + (*value == '-');
		if (value[digits] == ' ' || value[digits] == '\0')
			kt_buf_add(out, value, digits);
		return;
	}
}

static void end(struct kt_buf *out, const struct row *row)
{
	for (int i = 0; i < COLUMN_COUNT; i++) {
		if (i > 0)
			kt_buf_addc(out, ',');
		add_cell(out, &row->cells[i]);
	}
	for (size_t p = 0; p < row->parameter_count; p++) {
		kt_buf_addc(out, ',');
		add_value(out, kt_buf_text(&row->cells[C_configuration]), row->parameters[p]);
	}
	kt_buf_adds(out, "\r\n");
}

static void configuration(struct row *row, const struct kt_entry *entry, int64_t variant)
{
	struct kt_buf value = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_entry_variant_text(&value, entry, variant);
	text(row, C_configuration, kt_buf_text(&value));
	kt_buf_free(&value);
}

static void resources(struct row *row, int64_t registers, int64_t local_bytes, int64_t shared_bytes)
{
	integer(row, C_registers, registers);
	integer(row, C_local_bytes, local_bytes);
	integer(row, C_shared_bytes, shared_bytes);
}

static void add_variants(struct kt_buf *out, struct row *row, const struct kt_report_region *region)
{
	const struct kt_entry *entry = &region->entry;

	begin(row, "variant", region);
	integer(row, C_variant, 0);
	configuration(row, entry, 0);
	resources(row, entry->registers, entry->local_bytes, entry->shared_bytes);
	measured(row, C_speedup, region->gain);
	end(out, row);
	for (size_t k = 0; k < entry->special_count; k++) {
		const struct kt_special *special = &entry->specials[k];

		begin(row, "variant", region);
		integer(row, C_variant, (int64_t)k + 1);
		configuration(row, entry, (int64_t)k + 1);
		text(row, C_rule, special->when);
		resources(row, special->registers, special->local_bytes, special->shared_bytes);
		end(out, row);
	}
}

static void problem(struct row *row, const struct kt_entry *entry, const int64_t *values)
{
	for (size_t v = 0; v < entry->variable_count; v++)
		kt_buf_addf(&row->cells[C_problem], "%s%s=%" PRId64, v != 0 ? " " : "", entry->variables[v], values[v]);
}

static void times(struct row *row, double original_ns, double tuned_ns)
{
	measured(row, C_original_ns, original_ns);
	measured(row, C_tuned_ns, tuned_ns);
	measured(row, C_speedup, tuned_ns > 0 ? original_ns / tuned_ns : 0);
}

static void add_problems(struct kt_buf *out, struct row *row, const struct kt_report_region *region)
{
	const struct kt_entry *entry = &region->entry;

	for (size_t p = 0; p < entry->problem_count; p++) {
		begin(row, "problem", region);
		problem(row, entry, &entry->problems[p * entry->variable_count]);
		integer(row, C_variant, kt_entry_serves(entry, p));
		configuration(row, entry, kt_entry_serves(entry, p));
		times(row, entry->baseline[p].median_ns, entry->tuned[p].median_ns);
		measured(row, C_bound_ns, entry->copy_ns != NULL ? entry->copy_ns[p] : 0);
		measured(row, C_general_ns, entry->general_ns != NULL ? entry->general_ns[p] : 0);
		measured(row, C_deviation_ns, entry->tuned[p].deviation_ns);
		integer(row, C_samples, entry->tuned[p].samples);
		measured(row, C_original_uj, entry->baseline_uj != NULL ? entry->baseline_uj[p] : 0);
		measured(row, C_tuned_uj, entry->tuned_uj != NULL ? entry->tuned_uj[p] : 0);
		end(out, row);
	}
	for (size_t i = 0; i < entry->unlisted_count; i++) {
		begin(row, "unlisted", region);
		problem(row, entry, entry->unlisted[i].values);
		integer(row, C_variant, entry->unlisted[i].variant);
		times(row, entry->unlisted[i].baseline_ns, entry->unlisted[i].tuned_ns);
		end(out, row);
	}
}

/* Does the configuration run on this problem of the entry? */
static bool is_chosen(const struct kt_entry *entry, const char *problem_text, const char *configuration_text)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	bool chosen = false;

	for (size_t p = 0; !chosen && p < entry->problem_count; p++) {
		kt_buf_clear(&text);
		kt_problem_print(&text, entry, p);
		if (strcmp(kt_buf_text(&text), problem_text) != 0)
			continue;
		kt_buf_clear(&text);
		kt_entry_variant_text(&text, entry, kt_entry_serves(entry, p));
		chosen = strcmp(kt_buf_text(&text), configuration_text) == 0;
	}
	kt_buf_free(&text);
	return chosen;
}

static void add_trials(struct kt_buf *out, struct row *row, const struct kt_report_region *region)
{
	for (size_t i = 0; i < region->trial_count; i++) {
		const struct kt_report_trial *one = &region->trials[i];
		const struct kt_timing *timing = &one->trial.timing;

		begin(row, "trial", region);
		text(row, C_problem, region->problems[one->problem]);
		text(row, C_configuration, region->configurations[one->configuration]);
		text(row, C_verdict, kt_verdict_name(one->trial.verdict));
		integer(row, C_chosen, is_chosen(&region->entry, region->problems[one->problem],
		                                 region->configurations[one->configuration]));
		measured(row, C_median_ns, timing->median_ns);
		measured(row, C_mean_ns, timing->mean_ns);
		measured(row, C_min_ns, timing->min_ns);
		measured(row, C_deviation_ns, timing->deviation_ns);
		integer(row, C_samples, timing->samples);
		resources(row, one->trial.registers, one->trial.local_bytes, one->trial.shared_bytes);
		if (one->trial.measured_ms != 0)
			integer(row, C_measured_ms, one->trial.measured_ms);
		text(row, C_detail, one->trial.detail);
		end(out, row);
	}
}

static void add_fact(struct kt_buf *out, struct row *row, const struct kt_report_region *region, const char *name,
                     const char *value)
{
	if (value == NULL)
		return;
	begin(row, "fact", region);
	text(row, C_name, name);
	text(row, C_detail, value);
	end(out, row);
}

static void add_count(struct kt_buf *out, struct row *row, const struct kt_report_region *region, const char *name,
                      int64_t value)
{
	begin(row, "fact", region);
	text(row, C_name, name);
	integer(row, C_detail, value);
	end(out, row);
}

static void add_facts(struct kt_buf *out, struct row *row, const struct kt_report_region *region)
{
	const struct kt_entry *entry = &region->entry;
	const struct kt_stability *s = &entry->stability;
	const struct {
		const char *name, *value;
	} texts[] = {{"tool", entry->tool},       {"generator", entry->generator},
	             {"toolkit", entry->toolkit}, {"driver", entry->driver},
	             {"date", entry->date},       {"model", entry->author.model},
	             {"state", kt_search_state_name(entry->search)},
	             {"watched_by", entry->watched_by},
	             {"stale", region->stale}};
	const struct {
		const char *name;
		int64_t value;
	} counts[] = {{"tried", entry->tried},         {"legal", entry->legal},
	              {"checks", entry->checks},       {"blocks", s->blocks},
	              {"throttled", s->throttled},     {"repeats", s->repeats},
	              {"sm_mhz_least", s->sm_mhz_least}, {"sm_mhz_most", s->sm_mhz_most},
	              {"celsius_most", s->celsius_most}, {"watts_most", s->watts_most}};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		add_fact(out, row, region, texts[i].name, texts[i].value);
	/* Of a device that does not tell its clocks there are no blocks. */
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (i < 3 || s->blocks != 0)
			add_count(out, row, region, counts[i].name, counts[i].value);
}

static void add_events(struct kt_buf *out, struct row *row, const struct kt_report_region *region)
{
	for (size_t i = 0; i < region->event_count; i++) {
		begin(row, "event", region);
		integer(row, C_time, region->events[i].time);
		text(row, C_name, region->events[i].event);
		text(row, C_detail, region->events[i].detail);
		end(out, row);
	}
}

static bool has(const struct row *row, const char *parameter)
{
	return kt_has_text(row->parameters, row->parameter_count, parameter);
}

static bool collect_parameters(struct row *row, const struct kt_report *r)
{
	for (size_t i = 0; i < r->region_count; i++)
		for (size_t p = 0; p < r->regions[i].entry.parameter_count; p++) {
			const char *name = r->regions[i].entry.parameters[p], **slot;

			if (has(row, name))
				continue;
			NEED(slot = kt_arena_push(r->arena, &row->parameters, &row->parameter_count, sizeof *slot),
			     false);
			*slot = name;
		}
	return true;
}

void kt_report_csv(struct kt_buf *out, const struct kt_report *r)
{
	struct row row = {0};

	out->failed = !collect_parameters(&row, r) || out->failed;
	for (int i = 0; i < COLUMN_COUNT; i++)
		kt_buf_addf(out, "%s%s", i > 0 ? "," : "", names[i]);
	for (size_t p = 0; p < row.parameter_count; p++)
		kt_buf_addf(out, ",parameter_%s", row.parameters[p]);
	kt_buf_adds(out, "\r\n");
	for (size_t i = 0; i < r->region_count; i++) {
		add_facts(out, &row, &r->regions[i]);
		add_variants(out, &row, &r->regions[i]);
		add_problems(out, &row, &r->regions[i]);
		add_trials(out, &row, &r->regions[i]);
		add_events(out, &row, &r->regions[i]);
	}
	for (int i = 0; i < COLUMN_COUNT; i++)
		kt_buf_free(&row.cells[i]);
}
