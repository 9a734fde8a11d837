/* ktcc tune: progress on a terminal, as lines, as events; the summary. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/utf8.h"
#include "planning/objective.h"
#include "verbs/tune.h"

enum { SPARK_CELLS = 16, COLUMNS_DEFAULT = 80, PREFIX_COLUMNS = 7 /* "ktcc: ", and a place for the cursor */ };
/* Least times between two lines of each kind; an improvement and a new phase are shown at once as an event. */
static const double terminal_s = 0.1, lines_s = 2, events_s = 1;

static void print_event(cJSON *event)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_MESSAGE_BYTES);

	kt_json_print(&out, event);
	puts(kt_buf_text(&out));
	fflush(stdout);
	kt_buf_free(&out);
	cJSON_Delete(event);
}

static cJSON *new_event(const struct kt_tune_progress *p, const char *name)
{
	cJSON *event = cJSON_CreateObject();

	cJSON_AddStringToObject(event, "event", name);
	cJSON_AddNumberToObject(event, "at_s", round((kt_now_s() - p->began_s) * 1000) / 1000);
	return event;
}

static void print_progress_event(const struct kt_tune_progress *p, const struct kt_observation *o, bool improved)
{
	cJSON *event = new_event(p, "progress");

	cJSON_AddStringToObject(event, "instance", o->instance);
	cJSON_AddStringToObject(event, "phase", kt_phase_name(o->phase));
	cJSON_AddNumberToObject(event, "tried", (double)o->tried);
	cJSON_AddNumberToObject(event, "total", (double)o->total);
	cJSON_AddBoolToObject(event, "improved", improved);
	if (o->speedup > 0)
		cJSON_AddNumberToObject(event, "speedup", o->speedup);
	kt_json_add_text(event, "configuration", o->configuration);
	if (o->of_bound > 0)
		cJSON_AddNumberToObject(event, "of_bound", o->of_bound);
	cJSON_AddNumberToObject(event, "left_s", round(o->left_s * 1000) / 1000);
	print_event(event);
}

static void print_phase(struct kt_buf *out, const struct kt_observation *o)
{
	switch (o->phase) {
	case KT_PHASE_SEARCH:
		kt_buf_addf(out, "search %zu of %zu", o->tried, o->total);
		break;
	case KT_PHASE_COMPARE:
		kt_buf_addf(out, "comparing the best %zu", o->tried);
		break;
	case KT_PHASE_MODEL:
		kt_buf_addf(out, "asking the model, round %zu", o->tried);
		break;
	default:
		kt_buf_adds(out, "preparing");
	}
}

/* The best at that time of the tuning; 1, the original, before the first. */
static double best_at(const struct kt_tune_progress *p, double seconds)
{
	double best = 1;

	for (size_t i = 0; i < p->point_count && p->points[i].seconds <= seconds; i++)
		best = fmax(best, p->points[i].speedup);
	return best;
}

/* The best so far, one block of eight heights for each part of the time. */
static void add_sparkline(struct kt_buf *out, const struct kt_tune_progress *p, double seconds, size_t cells)
{
	static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	const double most = best_at(p, INFINITY);

	for (size_t i = 0; i < cells; i++) {
		const double best = best_at(p, seconds * (double)(i + 1) / (double)cells);

		kt_buf_adds(out, heights[most > 1 ? (size_t)lround(7 * (best - 1) / (most - 1)) : 0]);
	}
}

/* Bytes of the first `columns` characters of the text, or of all of it; *all: how many it has. */
static size_t bytes_of(size_t *all, const char *text, size_t columns)
{
	const size_t size = strlen(text);
	size_t bytes = 0, at = 0;

	for (*all = 0; at < size; (*all)++) {
		const size_t length = kt_utf8_length(text + at, size - at);

		at += length != 0 ? length : 1;
		bytes = *all < columns ? at : bytes;
	}
	return bytes;
}

static size_t columns_of(const char *text)
{
	size_t count;

	(void)bytes_of(&count, text, 0);
	return count;
}

/* Appends the first `most` columns of it; where it is longer it ends in an ellipsis. */
static void add_cut(struct kt_buf *out, const char *text, size_t most)
{
	size_t count, bytes = bytes_of(&count, text, most);

	if (count > most && most > 3) {
		bytes = bytes_of(&count, text, most - 3);
		kt_buf_add(out, text, bytes);
		kt_buf_adds(out, "...");
		return;
	}
	kt_buf_add(out, text, bytes);
}

static void add_facts(struct kt_buf *out, const struct kt_observation *o)
{
	kt_buf_addf(out, "%s: ", o->instance);
	print_phase(out, o);
	if (o->speedup > 0)
		kt_buf_addf(out, ", best %.2fx", o->speedup);
	if (o->of_bound > 0)
		kt_buf_addf(out, ", %.0f%% of the bound", 100 * o->of_bound);
}

/* The line for a terminal: what matters most comes first, and what does not fit is left out. */
static void add_line(struct kt_buf *out, const struct kt_tune_progress *p, const struct kt_observation *o,
                     size_t columns)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_LINE_BYTES);
	size_t used;

	add_facts(&line, o);
	kt_buf_addf(&line, ", %.0f s left", o->left_s);
	if (p->graphic && p->point_count != 0 && columns_of(kt_buf_text(&line)) + 1 + SPARK_CELLS <= columns) {
		kt_buf_addc(&line, ' ');
		add_sparkline(&line, p, o->seconds, SPARK_CELLS);
	}
	used = columns_of(kt_buf_text(&line));
	if (o->configuration != NULL && used + 8 < columns) {
		kt_buf_addc(&line, ' ');
		add_cut(&line, o->configuration, columns - used - 1);
	}
	add_cut(out, kt_buf_text(&line), columns);
	kt_buf_free(&line);
}

static size_t terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > PREFIX_COLUMNS ? size.ws_col : COLUMNS_DEFAULT;
}

static void draw(const struct kt_tune_progress *p, const struct kt_observation *o)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_LINE_BYTES);

	add_line(&line, p, o, terminal_columns() - PREFIX_COLUMNS);
	kt_progress("%s", kt_buf_text(&line));
	kt_buf_free(&line);
}

static void print_line(const struct kt_observation *o)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_LINE_BYTES);

	add_facts(&line, o);
	kt_say("%s%s%s", kt_buf_text(&line), o->configuration != NULL ? " with " : "",
	       o->configuration != NULL ? o->configuration : "");
	kt_buf_free(&line);
}

/* A further template of an instance goes on with its best; another instance begins without one. */
static bool takes_over(struct kt_tune_progress *p, const struct kt_observation *o)
{
	const bool another = strncmp(p->instance, o->instance, sizeof p->instance - 1) != 0;
	const bool phase = another || o->phase != p->phase;

	if (another) {
		(void)snprintf(p->instance, sizeof p->instance, "%s", o->instance);
		p->best = 0;
		p->point_count = 0;
	}
	p->phase = o->phase;
	return phase;
}

static bool improves(struct kt_tune_progress *p, const struct kt_observation *o)
{
	if (!(o->speedup > p->best) || o->configuration == NULL)
		return false;
	p->best = o->speedup;
	/* The picture has 16 columns: what does not fit in takes the place of the last. */
	p->point_count -= p->point_count == KT_TUNE_POINTS;
	p->points[p->point_count++] = (struct kt_tune_point){o->seconds, o->speedup};
	return true;
}

static void observe(void *context, const struct kt_observation *o)
{
	struct kt_tune_progress *p = context;
	const bool phase = takes_over(p, o), improved = improves(p, o);
	const double now_s = kt_now_s(), since_s = now_s - p->shown_s;

	if (p->events ? !phase && !improved && since_s < events_s
	    : p->terminal ? !phase && since_s < terminal_s
	                  : !improved || o->speedup <= 1 || since_s < lines_s)
		return;
	p->shown_s = now_s;
	if (p->events)
		print_progress_event(p, o, improved);
	else if (p->terminal)
		draw(p, o);
	else
		print_line(o);
}

static bool shows_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && value[0] != '\0')
			return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL;
	}
	return false;
}

void kt_tune_progress_open(struct kt_tune_progress *p, bool events)
{
	*p = (struct kt_tune_progress){.observer = {observe, p}, .events = events, .terminal = kt_log_on_terminal(),
	                               .graphic = shows_utf8(), .began_s = kt_now_s()};
}

void kt_tune_note(struct kt_tune_progress *p, const struct kt_case *each)
{
	const struct kt_entry *entry = each->found_count != 0 ? &each->found[0].entry : NULL;
	cJSON *event, *item;

	p->instances++;
	p->tuned += each->tuned;
	p->without += entry == NULL;
	p->originals += entry != NULL && !kt_entry_has_variant(entry);
	if (entry != NULL && kt_entry_has_variant(entry))
		p->log_gains += log(kt_geomean_speedup(entry->baseline, entry->tuned, entry->problem_count));
	if (!p->events)
		return;
	event = new_event(p, "result");
	item = kt_tune_json(each);
	cJSON_AddItemToObject(event, "result", item);
	print_event(event);
}

/* "; 1 keeps the original kernel, the others 1.53x on average": an average over none is not printed. */
static void print_gains(const struct kt_tune_progress *p)
{
	const size_t variants = p->instances - p->without - p->originals;

	if (p->originals != 0)
		printf("; %zu keep%s the original kernel", p->originals, p->originals == 1 ? "s" : "");
	if (variants != 0)
		printf("%s%.2fx on average", p->originals == 0 ? "; " : variants == 1 ? ", the other " : ", the others ",
		       exp(p->log_gains / (double)variants));
}

void kt_tune_progress_close(struct kt_tune_progress *p)
{
	const size_t with = p->instances - p->without;
	cJSON *event;

	if (p->events) {
		event = new_event(p, "done");
		cJSON_AddNumberToObject(event, "instances", (double)p->instances);
		cJSON_AddNumberToObject(event, "tuned", (double)p->tuned);
		cJSON_AddNumberToObject(event, "without", (double)p->without);
		if (with != 0)
			cJSON_AddNumberToObject(event, "speedup", exp(p->log_gains / (double)with));
		print_event(event);
	} else if (p->instances != 0) {
		printf("%zu region instance%s: %zu tuned, %zu from earlier, %zu without an entry", p->instances,
		       p->instances == 1 ? "" : "s", p->tuned, with - (p->tuned < with ? p->tuned : with), p->without);
		print_gains(p);
		printf(", %.1f s\n", kt_now_s() - p->began_s);
	}
}
