#include "planning/facts.h"

#include <string.h>

#include "base/fs.h"
#include "planning/objective.h"
#include "planning/theta.h"
#include "testing/testing.h"
#include "tuning/space.h"

#define HEADER_BYTES ((size_t)12 << 10)  /* shown of one header */
#define HEADERS_BYTES ((size_t)32 << 10) /* of all together */
/* Families that one question suggests: more are no suggestion. */
enum { SUGGESTED_MOST = 3 };

static const int64_t *problem_of(const struct kt_region *region, const struct kt_entry *entry, size_t p)
{
	if (region->variable_count == 0)
		return NULL;
	return (entry != NULL ? entry->problems : region->problems) + p * region->variable_count;
}

static size_t problem_count(const struct kt_region *region, const struct kt_entry *entry)
{
	if (entry != NULL)
		return entry->problem_count;
	return region->variable_count != 0 ? region->problem_count : 1;
}

static void problem_text(struct kt_buf *out, const struct kt_region *region, const int64_t *problem)
{
	for (size_t v = 0; v < region->variable_count; v++)
		kt_buf_addf(out, "%s%s=%lld", v != 0 ? " " : "", region->variables[v], (long long)problem[v]);
	if (region->variable_count == 0)
		kt_buf_adds(out, "the one problem");
}

/* What the variant that serves the problem takes of the device. */
static void measure_variant(struct kt_measure *m, const struct kt_region *region, const struct kt_device *device,
                            const struct kt_findings *f, size_t p)
{
	const struct kt_entry *entry = f->entry;
	const int64_t variant = kt_entry_serves(entry, p);
	const struct kt_special *special = variant != 0 ? &entry->specials[variant - 1] : NULL;
	struct kt_theta theta = {f->template_, special != NULL ? special->configuration : entry->configuration,
	                         {region, NULL, problem_of(region, entry, p), device}};

	if (f->template_ == NULL || (entry->baseline_best && special == NULL)) {
		m->threads = f->original.threads;
		if (f->original.threads > 0) {
			m->registers = f->original.registers;
			m->local_bytes = f->original.local_bytes;
			m->shared_bytes = f->original.shared_bytes;
		}
		return;
	}
	m->threads = kt_theta_product(&theta, f->template_->block, f->template_->block_count);
	m->blocks = kt_theta_product(&theta, f->template_->grid, f->template_->grid_count);
	m->registers = special != NULL ? special->registers : entry->registers;
	m->local_bytes = special != NULL ? special->local_bytes : entry->local_bytes;
	m->shared_bytes = special != NULL ? special->shared_bytes : entry->shared_bytes;
}

struct kt_measure *kt_findings_measure(size_t *count, struct kt_arena *arena, const struct kt_region *region,
                                       const struct kt_instance *instance, const struct kt_device *device,
                                       const struct kt_findings *findings)
{
	const struct kt_entry *entry = findings->entry;
	struct kt_measure *measures;

	*count = problem_count(region, entry);
	measures = kt_arena_array(arena, *count + 1, sizeof *measures);
	for (size_t p = 0; measures != NULL && p < *count; p++) {
		struct kt_measure *m = &measures[p];

		m->registers = m->local_bytes = m->shared_bytes = -1;
		m->bytes = kt_measure_bytes(region, instance, problem_of(region, entry, p), device);
		if (entry == NULL)
			continue;
		m->ns = entry->tuned != NULL && entry->tuned[p].median_ns > 0 ? entry->tuned[p].median_ns
		                                                              : entry->baseline[p].median_ns;
		m->copy_ns = entry->copy_ns != NULL ? entry->copy_ns[p] : 0;
		m->counted = kt_counts_of(findings->counts, p);
		measure_variant(m, region, device, findings, p);
	}
	return measures;
}

/* `- rows=16 d=4096: 0.39 MB; a copy takes 3.10 us; original 5.00 us; best so far 3.40 us, 1.10 times the copy …` */
static const char *copy_text(struct kt_arena *arena, const struct kt_region *region,
                              const struct kt_instance *instance, const struct kt_device *device,
                              const struct kt_findings *f)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	size_t count;
	const struct kt_measure *measures = kt_findings_measure(&count, arena, region, instance, device, f);
	char *text;

	for (size_t p = 0; measures != NULL && p < count; p++) {
		const struct kt_measure *m = &measures[p];
		const double occupancy = kt_measure_occupancy(m, device);

		kt_buf_adds(&out, "- ");
		problem_text(&out, region, problem_of(region, f->entry, p));
		if (m->bytes > 0)
			kt_buf_addf(&out, ": %.3g MB", m->bytes / 1e6);
		if (f->entry == NULL) {
			kt_buf_adds(&out, "; not measured yet\n");
			continue;
		}
		if (m->copy_ns > 0)
			kt_buf_addf(&out, "; a copy takes %.2f us", m->copy_ns / 1e3);
		kt_buf_addf(&out, "; original %.2f us; best so far %.2f us", f->entry->baseline[p].median_ns / 1e3,
		            m->ns / 1e3);
		if (m->copy_ns > 0)
			kt_buf_addf(&out, ", %.2f times the copy bandwidth bound", m->ns / m->copy_ns);
		if (m->bytes > 0)
			kt_buf_addf(&out, ", %.0f GB/s", m->bytes / m->ns);
		if (occupancy >= 0)
			kt_buf_addf(&out, ", occupancy %.0f %%, %lld registers, %lld bytes spilled", occupancy * 100,
			            (long long)m->registers, (long long)m->local_bytes);
		kt_buf_addf(&out, "; %s\n", kt_bound_name(kt_measure_bound(m, device)));
	}
	text = out.failed ? NULL : kt_arena_strdup(arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return text;
}

/* "- rows=16 d=4096, best so far: 3.10 us, …; memory latency" */
static const char *counters_text(struct kt_arena *arena, const struct kt_region *region, const struct kt_findings *f)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	char *text;

	for (size_t i = 0; f->counts != NULL && i < f->counts->count; i++) {
		const struct kt_count *one = &f->counts->each[i];

		kt_buf_adds(&out, "- ");
		problem_text(&out, region, problem_of(region, f->entry, one->problem));
		kt_buf_adds(&out, one->original ? ", original" : ", best so far");
		if (region->step_count > 0)
			kt_buf_addf(&out, ", the longest of its kernels (%s)", one->counted.kernel);
		kt_buf_adds(&out, ": ");
		kt_counted_print(&out, &one->counted);
		if (!one->original)
			kt_buf_addf(&out, "; %s", kt_bound_name(one->bound));
		kt_buf_addc(&out, '\n');
	}
	text = out.failed ? NULL : kt_arena_strdup(arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return text;
}

/* The configuration to show the text with: the best one, else the last that the device can run,
 * which has every change. */
static kt_status shown_configuration(const int64_t **out, struct kt_arena *arena, const struct kt_instance *instance,
                                     const struct kt_device *device, const struct kt_findings *f, struct kt_error *err)
{
	const size_t parameters = f->template_->parameter_count;
	int64_t *own = kt_arena_array(arena, parameters + 1, sizeof *own);
	struct kt_space *space = NULL;
	kt_status status;

	*out = own;
	NEED(own, kt_fail(err, KT_ERR_MEMORY, "out of memory for a text"));
	if (f->entry != NULL && kt_entry_has_variant(f->entry) && f->entry->parameter_count == parameters) {
		*out = f->entry->baseline_best ? f->entry->specials[0].configuration : f->entry->configuration;
		return KT_OK;
	}
	status = kt_space_build(&space, f->template_, instance, device, err);
	if (status == KT_OK && kt_space_feasible(space) == 0)
		status = kt_fail(err, KT_ERR_INVALID, "no configuration can be shown");
	if (status == KT_OK)
		memcpy(own, kt_space_get(space, kt_space_feasible(space) - 1), parameters * sizeof *own);
	kt_space_free(space);
	return status;
}

static void put_parameters(struct kt_buf *out, const struct kt_template *t, const int64_t *shown)
{
	for (size_t i = 0; i < t->parameter_count; i++) {
		kt_buf_addf(out, "- %s = %lld, of", t->parameters[i].name, (long long)shown[i]);
		for (size_t v = 0; v < t->parameters[i].value_count; v++)
			kt_buf_addf(out, "%s %lld", v > 0 ? "," : "", (long long)t->parameters[i].values[v]);
		if (t->parameters[i].meaning != NULL)
			kt_buf_addf(out, ": %s", t->parameters[i].meaning);
		kt_buf_addc(out, '\n');
	}
}

static void put_list(struct kt_buf *out, const char *what, const struct kt_clause_expr *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		kt_buf_addf(out, "- %s: `%s`\n", what, list[i].text);
}

/* What a plan has besides: its other launches, in their order, and its temporaries. */
static void put_plan(struct kt_buf *out, const struct kt_template *t)
{
	for (size_t i = 0; i < t->further_count; i++) {
		kt_buf_addf(out, "- launch %zu of the plan:\n", i + 2);
		put_list(out, "grid", t->further[i].grid, t->further[i].grid_count);
		put_list(out, "block", t->further[i].block, t->further[i].block_count);
	}
	for (size_t i = 0; i < t->temporary_count; i++)
		kt_buf_addf(out, "- temporary `%s`: `%s` elements of `%s`\n", t->temporaries[i].name,
		            t->temporaries[i].count.text, kt_scalar_name(t->temporaries[i].element));
}

/* Rules may write __restrict__ where one of their guards makes it true; an answer has the user's declaration. */
static void as_declared(char *text, const struct kt_region *region)
{
	static const char qualifier[] = "__restrict__ ";
	const size_t skipped = sizeof qualifier - 1;

	for (size_t i = 0; text != NULL && i < region->argument_count; i++) {
		const struct kt_argument *a = &region->arguments[i];
		const size_t length = strlen(a->name);

		for (char *at = text; a->is_pointer && !a->is_restrict && (at = strstr(at, qualifier)) != NULL; at++)
			if (strncmp(at + skipped, a->name, length) == 0 && strchr(",)", at[skipped + length]) != NULL)
				memmove(at, at + skipped, strlen(at + skipped) + 1);
	}
}

/* The text, and what the search found out about it. */
static bool show_best(struct kt_prompt_facts *facts, struct kt_arena *arena, const struct kt_region *region,
                      const struct kt_instance *instance, const struct kt_device *device, const struct kt_findings *f)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES), text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const struct kt_template *t = f->template_;
	struct kt_render render = {.template_ = t, .name = region->kernel};
	struct kt_error ignored;
	const bool measured = f->entry != NULL && kt_entry_has_variant(f->entry);
	char *best;

	facts->best = "// the original kernel\n";
	facts->search = "";
	if (t == NULL || !kt_template_is_generated(t) ||
	    shown_configuration(&render.configuration, arena, instance, device, f, &ignored) != KT_OK ||
	    kt_template_render(&text, &render, &ignored) != KT_OK)
		goto done;
	kt_buf_addf(&out, "Written by %s: %s. %s\n\nParameters, here with the values %s:\n\n",
	            strcmp(t->generator, "llm") == 0 ? "a model" : "rules", t->rationale,
	            measured ? "Searched over its parameters, this is the fastest combination of values in general."
	                     : "It was not measured yet; the text shows one combination of values.",
	            measured ? "of the fastest" : "of the text");
	put_parameters(&out, t, render.configuration);
	kt_buf_adds(&out, "\n");
	put_list(&out, "restriction", t->restrictions, t->restriction_count);
	put_list(&out, "guard", t->guards, t->guard_count);
	put_list(&out, "grid", t->grid, t->grid_count);
	put_list(&out, "block", t->block, t->block_count);
	put_list(&out, "dynamic shared memory", &t->shared_bytes, 1);
	put_plan(&out, t);
	for (size_t i = 0; measured && i < f->entry->special_count; i++) {
		kt_buf_addf(&out, "- faster than that where %s: ", f->entry->specials[i].when);
		kt_entry_variant_text(&out, f->entry, (int64_t)i + 1);
		kt_buf_addc(&out, '\n');
	}
	best = text.failed ? NULL : kt_arena_strdup(arena, kt_buf_text(&text));
	as_declared(best, region);
	facts->best = best;
	facts->search = out.failed ? NULL : kt_arena_strdup(arena, kt_buf_text(&out));
done:
	kt_buf_free(&out);
	kt_buf_free(&text);
	return facts->best != NULL && facts->search != NULL;
}

/* "- `y`: within 0.001 + 0.01 of the original's value" */
/* Of each part of the elements: the first number of a part goes for all of it. */
static void add_tolerance(struct kt_buf *out, const struct kt_buffer *buffer, const struct kt_element *element)
{
	for (size_t i = 0; i < element->part_count; i++) {
		const struct kt_part *part = &element->parts[i];
		const char *name = element->numbers[part->first].name;
		double absolute, relative;

		kt_tolerance_default(&absolute, &relative, part->scalar);
		absolute = buffer->absolute >= 0 ? buffer->absolute : absolute;
		relative = buffer->relative >= 0 ? buffer->relative : relative;
		kt_buf_addf(out, "- `%s`: each element%s%s%s may differ from the original's by %.3g + %.3g of its magnitude\n",
		            buffer->name, element->part_count > 1 ? "'s `" : "", element->part_count > 1 ? name : "",
		            element->part_count == 1 ? "" : part->count > 1 ? "` and what follows of its type" : "`", absolute,
		            relative);
	}
}

static const char *tolerance_text(struct kt_arena *arena, const struct kt_region *region,
                                  const struct kt_instance *instance)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	char *copy;

	for (size_t b = 0; b < region->buffer_count; b++) {
		const struct kt_buffer *buffer = &region->buffers[b];

		if (buffer->direction != KT_IN && !buffer->scratch)
			add_tolerance(&out, buffer, kt_buffer_element(buffer, instance));
	}
	copy = kt_arena_strdup(arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

/* The project's headers, as they are. One that cannot be read is left out. */
static const char *headers_text(struct kt_arena *arena, const struct kt_unit *unit, const char *directory)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error ignored;
	char *copy;

	for (size_t i = 1; i < unit->file_count && out.size < HEADERS_BYTES; i++) {
		const char *path = kt_path_absolute(arena, unit->files[i].path, directory);
		struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);

		if (path != NULL && kt_fs_read(&text, path, &ignored) == KT_OK && text.size > 0) {
			kt_buf_addf(&out, "// %s\n%.*s", kt_path_basename(path),
			            (int)(text.size < HEADER_BYTES ? text.size : HEADER_BYTES), kt_buf_text(&text));
			kt_buf_adds(&out, text.size < HEADER_BYTES ? "\n" : "\n// … cut …\n\n");
		}
		kt_buf_free(&text);
	}
	copy = out.failed ? NULL : kt_arena_strdup(arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

kt_status kt_facts_fill(struct kt_prompt_facts *facts, struct kt_arena *arena, const struct kt_region *region,
                        const struct kt_instance *instance, const struct kt_device *device,
                        const struct kt_findings *findings, const struct kt_unit *unit, const char *directory,
                        bool allow_assembly, struct kt_error *err)
{
	facts->floor = copy_text(arena, region, instance, device, findings);
	facts->counters = counters_text(arena, region, findings);
	facts->tolerance = tolerance_text(arena, region, instance);
	facts->headers = headers_text(arena, unit, directory);
	facts->assembly =
	    allow_assembly ? "no inline assembly but `asm volatile` of PTX inside of functions" : "no inline assembly";
	if (facts->floor == NULL || facts->counters == NULL || facts->headers == NULL || facts->tolerance == NULL ||
	    !show_best(facts, arena, region, instance, device, findings))
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for the question about %s", region->name);
	return KT_OK;
}

/* The problem that moves most bytes: its bandwidth is the most meaningful. */
static size_t largest_problem(const struct kt_region *region, const struct kt_instance *instance,
                              const struct kt_device *device, double *bytes)
{
	size_t largest = 0;

	*bytes = 0;
	for (size_t p = 0; p < problem_count(region, NULL); p++) {
		const double moved = kt_measure_bytes(region, instance, problem_of(region, NULL, p), device);

		if (moved > *bytes) {
			*bytes = moved;
			largest = p;
		}
	}
	return largest;
}

static void add_times(struct kt_buf *out, const struct kt_region *region, const struct kt_tried *tried)
{
	kt_buf_adds(out, "microseconds, problem by problem:");
	for (size_t p = 0; p < problem_count(region, NULL); p++)
		if (tried->ns[p] > 0)
			kt_buf_addf(out, " %.2f", tried->ns[p] / 1e3);
		else
			kt_buf_adds(out, " (kept out)");
}

static void add_tried(struct kt_buf *out, const struct kt_region *region, const struct kt_instance *instance,
                      const struct kt_device *device, const struct kt_tried *tried)
{
	const struct kt_measure m = {.threads = tried->threads, .registers = tried->registers,
	                             .local_bytes = tried->local_bytes,
	                             .shared_bytes = tried->shared_bytes};
	struct kt_prompt_trial trial = {tried->configuration, kt_verdict_name(tried->verdict), -1, -1, -1, -1, -1, -1,
	                                tried->detail};
	struct kt_buf times = KT_BUF(KT_LIMIT_LINE_BYTES), verdict = KT_BUF(KT_LIMIT_LINE_BYTES);
	double bytes;
	const size_t largest = largest_problem(region, instance, device, &bytes);

	if (tried->ns != NULL) {
		kt_buf_addf(&verdict, "%s, %.3f times as fast as the original", trial.verdict, 1 / tried->cost);
		add_times(&times, region, tried);
		trial.verdict = kt_buf_text(&verdict);
		trial.detail = kt_buf_text(&times);
		trial.occupancy = kt_measure_occupancy(&m, device);
		trial.registers = tried->registers;
		trial.spill_bytes = tried->local_bytes;
		if (bytes > 0 && tried->ns[largest] > 0)
			trial.gigabytes_s = bytes / tried->ns[largest];
	}
	kt_prompt_add_trial(out, &trial);
	kt_buf_free(&times);
	kt_buf_free(&verdict);
}

void kt_facts_add_digest(struct kt_buf *out, const struct kt_region *region, const struct kt_instance *instance,
                         const struct kt_device *device, const struct kt_entry *entry, const struct kt_digest *digest)
{
	if (entry != NULL)
		kt_buf_addf(out, "In the last comparison: %.3f times as fast as the original.\n",
		            kt_geomean_speedup(entry->baseline, entry->tuned, entry->problem_count));
	for (size_t i = 0; i < digest->best_count; i++)
		add_tried(out, region, instance, device, &digest->best[i]);
	for (size_t i = 0; i < digest->failed_count; i++)
		add_tried(out, region, instance, device, &digest->failed[i]);
}

void kt_facts_suggest(struct kt_buf *out, size_t families[KT_FAMILIES_MOST], size_t *used,
                      const struct kt_measure *measures, size_t count, const struct kt_device *device,
                      const struct kt_family_history *history)
{
	unsigned bounds[KT_BOUND_COUNT] = {0};
	const size_t ranked = kt_families_rank(families, measures, count, device, history);

	*used = ranked < SUGGESTED_MOST ? ranked : SUGGESTED_MOST;
	for (size_t p = 0; p < count; p++)
		bounds[kt_measure_bound(&measures[p], device)]++;
	kt_buf_adds(out, "What the measurements point to:\n\n");
	for (int b = 0; b < KT_BOUND_COUNT; b++)
		if (bounds[b] != 0)
			kt_buf_addf(out, "- %u of %zu problems: %s: %s\n", bounds[b], count, kt_bound_name((enum kt_bound)b),
			            kt_bound_text((enum kt_bound)b));
	kt_buf_adds(out, "\nMost promising, in this order, alone or together:\n\n");
	for (size_t i = 0; i < *used; i++)
		kt_family_suggest(out, families[i]);
	kt_buf_adds(out, "\nDo not suggest again what the best text so far does already: change its structure where "
	                 "it is above\n"
	                 "the copy bandwidth bound, and keep what it does right. Decline where nothing can be gained.\n");
}
