/* The facts that a region and a device give by themselves, as text. */
#include <string.h>

#include "generation/generation.h"
#include "generation/llm/prompt.h"

#define DETAIL_BYTES 1200
#define PROBLEMS_MOST 64

struct text {
	struct kt_arena *arena;
	struct kt_buf buf;
};

/* The text so far, in the arena; begins an empty text. NULL: out of memory. */
static const char *take(struct text *t)
{
	char *copy = t->buf.failed ? NULL : kt_arena_strndup(t->arena, kt_buf_text(&t->buf), t->buf.size);

	kt_buf_clear(&t->buf);
	return copy;
}

static const char *device_text(struct text *t, const struct kt_device *device)
{
	const struct {
		const char *what;
		int64_t value;
	} rows[] = {{"multiprocessors", device->multiprocessors},
	            {"warp size", device->warp_size},
	            {"most threads per block", device->max_threads_per_block},
	            {"most threads per multiprocessor", device->max_threads_per_multiprocessor},
	            {"most blocks per multiprocessor", device->max_blocks_per_multiprocessor},
	            {"registers per block", device->registers_per_block},
	            {"registers per multiprocessor", device->registers_per_multiprocessor},
	            {"shared memory per block, bytes", device->shared_bytes_per_block},
	            {"the same on request (dynamic), bytes", device->shared_bytes_per_block_optin},
	            {"shared memory per multiprocessor, bytes", device->shared_bytes_per_multiprocessor},
	            {"L2, bytes", device->l2_bytes},
	            {"memory bus, bits", device->memory_bus_bits}};

	kt_buf_addf(&t->buf, "%s, compute capability %lld.%lld\n",
	            device->name != NULL && device->name[0] != '\0' ? device->name : "A device of the architecture",
	            (long long)device->cc / 10, (long long)device->cc % 10);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].value > 0)
			kt_buf_addf(&t->buf, "- %s: %lld\n", rows[i].what, (long long)rows[i].value);
	return take(t);
}

static const char *arguments_text(struct text *t, const struct kt_region *r, const struct kt_instance *instance)
{
	static const char *const directions[] = {[KT_IN] = "read", [KT_OUT] = "written", [KT_INOUT] = "read and written",
	                                         [KT_SCRATCH] = "scratch, its content after the launch is not used"};

	for (size_t i = 0; i < r->argument_count; i++) {
		kt_buf_addf(&t->buf, "- `%s %s`", instance->types[i], r->arguments[i].name);
		for (size_t b = 0; b < r->buffer_count; b++)
			if (r->buffers[b].argument == (int64_t)i)
				kt_buf_addf(&t->buf, ": %s elements, %s", r->buffers[b].count.text,
				            r->buffers[b].scratch ? directions[KT_SCRATCH] : directions[r->buffers[b].direction]);
		for (size_t v = 0; v < r->value_count; v++)
			if (r->values[v].argument == (int64_t)i)
				kt_buf_addf(&t->buf, ": %s when it is tuned; other values may come", r->values[v].text);
		kt_buf_addc(&t->buf, '\n');
	}
	for (size_t b = 0; b < r->buffer_count; b++)
		if (r->buffers[b].argument < 0)
			kt_buf_addf(&t->buf, "- `%s`, a device symbol of the file and no argument: %s elements, %s\n",
			            r->buffers[b].name, r->buffers[b].count.text,
			            r->buffers[b].scratch ? directions[KT_SCRATCH] : directions[r->buffers[b].direction]);
	return take(t);
}

static const char *problems_text(struct text *t, const struct kt_region *r)
{
	const size_t shown = r->problem_count < PROBLEMS_MOST ? r->problem_count : PROBLEMS_MOST;

	for (size_t p = 0; p < shown; p++) {
		kt_buf_adds(&t->buf, "-");
		for (size_t v = 0; v < r->variable_count; v++)
			kt_buf_addf(&t->buf, " %s=%lld", r->variables[v], (long long)r->problems[p * r->variable_count + v]);
		kt_buf_addc(&t->buf, '\n');
	}
	if (shown < r->problem_count)
		kt_buf_addf(&t->buf, "- and %zu more\n", r->problem_count - shown);
	return take(t);
}

static void put_extent(struct text *t, const char *name, const struct kt_clause_expr *extent, size_t count)
{
	kt_buf_addf(&t->buf, "- %s:", name);
	for (size_t i = 0; i < count; i++)
		kt_buf_addf(&t->buf, "%s `%s`", i > 0 ? "," : "", extent[i].text);
	kt_buf_addc(&t->buf, '\n');
}

static void put_launch(struct text *t, const struct kt_clause_expr *grid, size_t grid_count,
                       const struct kt_clause_expr *block, size_t block_count, const struct kt_clause_expr *shared)
{
	put_extent(t, "grid", grid, grid_count);
	put_extent(t, "block", block, block_count);
	if (shared->expr != NULL)
		put_extent(t, "dynamic shared memory, bytes", shared, 1);
}

static const char *geometry_text(struct text *t, const struct kt_region *r)
{
	if (r->step_count == 0)
		put_launch(t, r->grid, r->grid_count, r->block, r->block_count, &r->shared_bytes);
	for (size_t i = 0; i < r->step_count; i++) {
		const struct kt_region_step *step = &r->steps[i];

		kt_buf_addf(&t->buf, "%zu. `%s`\n", i + 1, step->kernel);
		put_launch(t, step->grid, step->grid_count, step->block, step->block_count, &step->shared_bytes);
	}
	for (size_t i = 0; i < r->guard_count; i++)
		put_extent(t, "every variant runs only where", &r->guards[i], 1);
	return take(t);
}

static const char *parameters_text(struct text *t, const struct kt_region *r)
{
	for (size_t i = 0; i < r->parameter_count; i++) {
		const struct kt_parameter *p = &r->parameters[i];

		kt_buf_addf(&t->buf, "- %s:", p->name);
		for (size_t v = 0; v < p->value_count && v < PROBLEMS_MOST; v++)
			kt_buf_addf(&t->buf, "%s%lld", v > 0 ? ", " : " ", (long long)p->values[v]);
		kt_buf_addf(&t->buf, "%s\n", p->fixed != NULL ? " (it may not be changed)" : "");
	}
	return take(t);
}

/* Without the rows of empty lines that a slice has in the places of what it leaves out, and its first directive. */
static void put_slice(struct text *t, const char *text, size_t size)
{
	bool empty = true;

	for (const char *at = text, *end = text + size; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const size_t length = newline != NULL ? (size_t)(newline - at) : (size_t)(end - at);
		const bool blank = strspn(at, " \t") >= length;

		if ((!blank || !empty) && (at != text || strncmp(at, "#line", 5) != 0)) {
			kt_buf_add(&t->buf, at, blank ? 0 : length);
			kt_buf_addc(&t->buf, '\n');
			empty = blank;
		}
		at += length + 1;
	}
}

/* The file as far as the kernel needs it, the block of a launch region,
 * and what the instance's template parameters are. */
static const char *kernel_text(struct text *t, const struct kt_region *r, const struct kt_instance *instance,
                               const char *source, size_t source_size)
{
	struct kt_buf slice = KT_BUF(KT_LIMIT_SOURCE_BYTES);

	for (size_t i = 0; i < r->template_count && i < instance->argument_count; i++)
		kt_buf_addf(&t->buf, "// %s is %s here\n", r->templates[i].name, instance->arguments[i]);
	kt_slice(&slice, r, source, source_size, NULL);
	put_slice(t, kt_buf_text(&slice), slice.size);
	kt_buf_free(&slice);
	if (r->step_count > 0 && r->block_range.end <= source_size) {
		kt_buf_adds(&t->buf, "\n// The launches, in a function of the host:\n");
		kt_buf_add(&t->buf, source + r->block_range.begin, r->block_range.end - r->block_range.begin);
		kt_buf_addc(&t->buf, '\n');
	}
	return take(t);
}

kt_status kt_prompt_region(struct kt_prompt_facts *facts, struct kt_arena *arena, const struct kt_region *region,
                           const struct kt_instance *instance, const struct kt_device *device, const char *source,
                           size_t source_size, const char *declaration, struct kt_error *err)
{
	struct text t = {arena, KT_BUF(KT_LIMIT_SOURCE_BYTES)};

	if (region->extent.end > source_size || region->extent.begin > region->extent.end)
		return kt_fail(err, KT_ERR_INVALID, "%s is not in its source", region->name);
	facts->name = region->name;
	facts->declaration = declaration;
	facts->device = device_text(&t, device);
	facts->arguments = arguments_text(&t, region, instance);
	facts->problems = problems_text(&t, region);
	facts->geometry = geometry_text(&t, region);
	facts->parameters = parameters_text(&t, region);
	facts->kernel = kernel_text(&t, region, instance, source, source_size);
	kt_buf_free(&t.buf);
	if (facts->device == NULL || facts->arguments == NULL || facts->problems == NULL || facts->geometry == NULL ||
	    facts->parameters == NULL || facts->kernel == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for the question about %s", region->name);
	return KT_OK;
}

void kt_prompt_add_trial(struct kt_buf *out, const struct kt_prompt_trial *trial)
{
	kt_buf_addf(out, "- %s: %s", trial->configuration, trial->verdict);
	if (trial->time_us >= 0)
		kt_buf_addf(out, ", %.2f us", trial->time_us);
	if (trial->gigabytes_s >= 0)
		kt_buf_addf(out, ", %.0f GB/s", trial->gigabytes_s);
	if (trial->over_copy >= 0)
		kt_buf_addf(out, ", %.2f times the copy bandwidth bound", trial->over_copy);
	if (trial->occupancy >= 0)
		kt_buf_addf(out, ", occupancy %.0f %%", trial->occupancy * 100);
	if (trial->registers >= 0)
		kt_buf_addf(out, ", %lld registers", (long long)trial->registers);
	if (trial->spill_bytes >= 0)
		kt_buf_addf(out, ", %lld bytes spilled", (long long)trial->spill_bytes);
	kt_buf_addc(out, '\n');
	/* Indented, so that an item stays one: compilers print many lines. */
	if (trial->detail != NULL && trial->detail[0] != '\0') {
		const size_t size = strnlen(trial->detail, DETAIL_BYTES);

		kt_buf_adds(out, "  ");
		for (size_t i = 0; i < size; i++) {
			kt_buf_addc(out, trial->detail[i]);
			if (trial->detail[i] == '\n' && i + 1 < size)
				kt_buf_adds(out, "  ");
		}
		if (trial->detail[size - 1] != '\n')
			kt_buf_addc(out, '\n');
	}
}
