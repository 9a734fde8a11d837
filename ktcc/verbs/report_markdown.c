/* ktcc report --markdown: a summary for a merge request. */
#include <ctype.h>
#include <string.h>

#include "base/utf8.h"
#include "verbs/report.h"
#include "verbs/verbs.h"

/* An underscore inside of a word marks nothing: names stay legible in the source of the text. */
static bool is_inside_word(const char *text, const char *at)
{
	return at != text && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
}

/*
 * Text of others inside of a table or a line: characters that mean something in Markdown or HTML become references,
 * which every renderer shows as the character itself; a break is a blank.
 */
static void add_text(struct kt_buf *out, const char *text)
{
	struct kt_buf valid = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_utf8_add(&valid, text, strlen(text));
	for (const char *at = kt_buf_text(&valid); *at != '\0'; at++) {
		if ((unsigned char)*at < ' ' || *at == '\x7f')
			kt_buf_addc(out, ' ');
		else if (strchr("\\`*{}[]<>#|&~$@:", *at) != NULL || (*at == '_' && !is_inside_word(kt_buf_text(&valid), at)))
			kt_buf_addf(out, "&#%d;", *at);
		else
			kt_buf_addc(out, *at);
	}
	kt_buf_free(&valid);
}

static void add_us(struct kt_buf *out, double ns)
{
	if (ns > 0)
		kt_buf_addf(out, " %.2f |", ns / 1e3);
	else
		kt_buf_adds(out, " |");
}

static void add_problem(struct kt_buf *out, const struct kt_entry *entry, size_t p)
{
	const double original = entry->baseline[p].median_ns, tuned = entry->tuned[p].median_ns;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_problem_print(&text, entry, p);
	kt_buf_adds(out, "| ");
	add_text(out, kt_buf_text(&text));
	kt_buf_adds(out, " |");
	add_us(out, original);
	add_us(out, tuned);
	add_us(out, entry->copy_ns != NULL ? entry->copy_ns[p] : 0);
	if (tuned > 0)
		kt_buf_addf(out, " %.2fx |", original / tuned);
	else
		kt_buf_adds(out, " |");
	kt_buf_clear(&text);
	kt_entry_variant_text(&text, entry, kt_entry_serves(entry, p));
	kt_buf_addc(out, ' ');
	add_text(out, kt_buf_text(&text));
	kt_buf_adds(out, " |\n");
	kt_buf_free(&text);
}

static void add_variants(struct kt_buf *out, const struct kt_entry *entry)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_entry_variant_text(&text, entry, 0);
	kt_buf_adds(out, "- configuration: ");
	add_text(out, kt_buf_text(&text));
	for (size_t k = 0; k < entry->special_count; k++) {
		kt_buf_adds(out, "\n- where ");
		add_text(out, entry->specials[k].when);
		kt_buf_adds(out, ": ");
		kt_buf_clear(&text);
		kt_entry_variant_text(&text, entry, (int64_t)k + 1);
		add_text(out, kt_buf_text(&text));
	}
	kt_buf_addc(out, '\n');
	kt_buf_free(&text);
}

static void add_verdicts(struct kt_buf *out, const struct kt_report_region *region)
{
	size_t counts[KT_VERDICT_SKIPPED + 1] = {0};
	const char *separator = "- trials: ";

	for (size_t i = 0; i < region->trial_count; i++)
		counts[region->trials[i].trial.verdict]++;
	for (int v = 0; v <= KT_VERDICT_SKIPPED; v++)
		if (counts[v] != 0) {
			kt_buf_addf(out, "%s%zu %s", separator, counts[v], kt_verdict_name((enum kt_verdict)v));
			separator = ", ";
		}
	if (region->trial_count != 0)
		kt_buf_addc(out, '\n');
}

static void add_facts(struct kt_buf *out, const struct kt_report_region *region)
{
	const struct kt_entry *entry = &region->entry;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	double gain, least;

	add_variants(out, entry);
	kt_entry_search_text(&text, entry);
	if (text.size != 0)
		kt_buf_addf(out, "- search: %s\n", kt_buf_text(&text));
	add_verdicts(out, region);
	kt_entry_unlisted_gain(&gain, &least, entry);
	if (entry->unlisted_count != 0)
		kt_buf_addf(out, "- %zu sizes that no problem lists: %.2fx, least %.2fx\n", entry->unlisted_count, gain,
			    least);
	if (entry->checks != 0)
		kt_buf_addf(out, "- verified on the problems and %lld other launches\n", (long long)entry->checks);
	kt_buf_adds(out, "- made by ");
	add_text(out, entry->tool);
	kt_buf_adds(out, ", generator ");
	add_text(out, entry->generator);
	kt_buf_adds(out, ", toolkit ");
	add_text(out, entry->toolkit);
	kt_buf_adds(out, ", driver ");
	add_text(out, entry->driver);
	kt_buf_adds(out, ", ");
	add_text(out, entry->date);
	kt_buf_addc(out, '\n');
	kt_buf_free(&text);
}

static void add_region(struct kt_buf *out, const struct kt_report_region *region)
{
	const struct kt_entry *entry = &region->entry;

	kt_buf_adds(out, "\n### ");
	add_text(out, entry->instance);
	kt_buf_adds(out, " on ");
	add_text(out, entry->device.name);
	if (kt_entry_has_variant(entry))
		kt_buf_addf(out, ", %.2fx", region->gain);
	else
		kt_buf_adds(out, ", keeps the original kernel");
	if (region->stale != NULL) {
		kt_buf_adds(out, " (stale)\n\nStale: ");
		add_text(out, region->stale);
		kt_buf_addc(out, '.');
	}
	kt_buf_adds(out, "\n\n");
	kt_buf_adds(out, "| problem | original, us | tuned, us | bound, us | speedup | variant |\n"
			 "| --- | ---: | ---: | ---: | ---: | --- |\n");
	for (size_t p = 0; p < entry->problem_count; p++)
		add_problem(out, entry, p);
	kt_buf_addc(out, '\n');
	add_facts(out, region);
}

static void add_summary(struct kt_buf *out, const struct kt_report *r)
{
	kt_buf_adds(out, "\n| region | device | speedup | entry |\n| --- | --- | ---: | --- |\n");
	for (size_t i = 0; i < r->region_count; i++) {
		kt_buf_adds(out, "| ");
		add_text(out, r->regions[i].entry.instance);
		kt_buf_adds(out, " | ");
		add_text(out, r->regions[i].entry.device.name);
		kt_buf_addf(out, " | %.2fx | %s%s |\n", r->regions[i].gain, r->regions[i].source,
			    r->regions[i].stale != NULL ? ", stale" : "");
	}
}

void kt_report_markdown(struct kt_buf *out, const struct kt_report *r)
{
	kt_buf_addf(out, "## Tuned kernels: %zu region%s\n\nTimes are " KT_COMPARED_TIMES ".\n", r->region_count,
		    r->region_count == 1 ? "" : "s");
	if (r->region_count > 1)
		add_summary(out, r);
	for (size_t i = 0; i < r->region_count; i++)
		add_region(out, &r->regions[i]);
}
