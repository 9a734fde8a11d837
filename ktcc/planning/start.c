#include "planning/start.h"

#include <math.h>
#include <string.h>

#include "planning/measure.h"
#include "planning/theta.h"

/*
 * Bytes that a multiprocessor must have under way to reach the memory's bandwidth: on an H200 4.8 TB/s × 0.7 µs / 132.
 * Other devices are within a factor of two of it.
 */
static const double bytes_under_way = 24 * 1024;
static const double widest_access = 16;
/* What a narrower access costs: an instruction for each, beside those of the arithmetic. */
static const double issue_cost = 0.03;
/* Of an empty part of the last wave this much is lost: blocks do not all end together. */
static const double tail_cost = 0.5;
/* What a thread without work costs, by those with work: registers that no other thread gets, and barriers. */
static const double idle_cost = 0.15;
/* Configurations that are looked at; larger spaces are sampled at a fixed step. */
enum { LOOKED_AT = 1 << 14 };

/* Each halving of the multiprocessors that have a block. */
static const double spread_cost = 0.05;
/* Each doubling of what a thread has under way costs registers, and room for other threads. */
static const double turn_cost = 0.02;

/* Parameters of the rules whose worth does not show in the launch. */
static const struct {
	const char *name;
	int64_t value;
	bool other;    /* the factor is for any value but this one, else for this one */
	double factor;
} forms[] = {
	{"TURNS", 0, false, 1.25},  /* rows are read again */
	{"PRIVATE", 0, false, 2},   /* all blocks add to the same memory */
	{"TILE", 0, false, 1.5},    /* one side's accesses are scattered */
	{"LANES", 1, false, 1.5},   /* neighbouring threads access different rows */
	{"RECIPROCALS", 0, false, 1.5}, /* divisions for each element */
	{"ALONG", 1, false, 1.2},   /* an access for each element of an inner loop */
	{"AHEAD", 0, false, 1.02},  /* loads wait for a reduction */
	{"NARROW", 0, false, 1.02}, /* 64-bit quotients */
	{"CLUSTER", 1, true, 1.03}, /* blocks wait for each other */
	{"WAVES", 0, true, 1.02},   /* a loop over what one launch could take at once */
	{"BESIDE", 0, false, 1.02}, /* neighbouring blocks have other rows */
	{"SPLIT", 0, true, 1.01},   /* a loop, and its last turn for a part of the threads */
	{"FAST", 0, false, 1.01},
	{"EVEN", 0, false, 1.01},   /* tests, and loops over what is left */
};

static double resident_blocks(const struct kt_launch_estimate *l, const struct kt_device *device)
{
	double most = (double)(device->max_threads_per_multiprocessor / l->threads);

	if (device->max_blocks_per_multiprocessor > 0)
		most = fmin(most, (double)device->max_blocks_per_multiprocessor);
	return fmax(most, 1) * (double)device->multiprocessors;
}

static bool is_known(const struct kt_launch_estimate *l, const struct kt_device *device)
{
	return l->blocks > 0 && l->threads > 0 && l->bytes > 0 && l->access_bytes > 0 && device->multiprocessors > 0 &&
	       device->max_threads_per_multiprocessor > 0;
}

static double latency_factor(const struct kt_launch_estimate *l, const struct kt_device *device)
{
	const double resident = fmin((double)l->blocks, resident_blocks(l, device)) * (double)l->threads;
	const double under_way = resident * l->access_bytes * l->accesses;
	const double needed = fmin(bytes_under_way * (double)device->multiprocessors, l->bytes);

	return fmax(1, needed / under_way);
}

static double issue_factor(const struct kt_launch_estimate *l)
{
	return 1 + issue_cost * fmax(0, widest_access / l->access_bytes - 1);
}

static double tail_factor(const struct kt_launch_estimate *l, const struct kt_device *device)
{
	const double waves = (double)l->blocks / resident_blocks(l, device);

	return waves <= 1 ? 1 : 1 + tail_cost * (ceil(waves) / waves - 1);
}

static double idle_factor(const struct kt_launch_estimate *l)
{
	return (1 + idle_cost * fmax(0, l->reach - 1)) * (1 + turn_cost * log2(fmax(1, l->accesses)));
}

static double spread_factor(const struct kt_launch_estimate *l, const struct kt_device *device)
{
	return 1 + spread_cost * log2(fmax(1, (double)device->multiprocessors / (double)l->blocks));
}

double kt_start_estimate(const struct kt_launch_estimate *launch, const struct kt_device *device)
{
	if (!is_known(launch, device))
		return (double)HUGE_VAL;
	return latency_factor(launch, device) * issue_factor(launch) * tail_factor(launch, device) *
	       spread_factor(launch, device) * idle_factor(launch) * launch->work;
}

const char *kt_start_bound(const struct kt_launch_estimate *launch, const struct kt_device *device)
{
	if (!is_known(launch, device))
		return "unknown";
	if (latency_factor(launch, device) > 1)
		return "latency";
	return issue_factor(launch) > 1 ? "issue" : "memory";
}

struct chooser {
	const struct kt_template *template_;
	const struct kt_instance *instance;
	const struct kt_device *device;
	double *bytes, *largest; /* one per problem: that are moved, and of the largest buffer */
	size_t problems;
};

/* NULL: the template has no such parameter. */
static const int64_t *find(const struct kt_theta *theta, const char *name)
{
	for (size_t i = 0; i < theta->template_->parameter_count; i++)
		if (strcmp(theta->template_->parameters[i].name, name) == 0)
			return &theta->configuration[i];
	return NULL;
}

static double parameter(const struct kt_theta *theta, const char *name)
{
	const int64_t *value = find(theta, name);

	return value != NULL ? fmax(1, (double)*value) : 1;
}

/* Of the buffers that are moved at all. */
static double narrowest_bytes(const struct chooser *c)
{
	const struct kt_region *region = c->template_->region;
	double least = widest_access;

	for (size_t b = 0; b < region->buffer_count; b++) {
		const struct kt_buffer *buffer = &region->buffers[b];

		if (!buffer->scratch)
			least = fmin(least, fmax(1, (double)kt_buffer_element(buffer, c->instance)->bytes));
	}
	return least;
}

static double largest_bytes(const struct chooser *c, const int64_t *problem)
{
	const struct kt_region *region = c->template_->region;
	struct kt_scope scope = {region, NULL, problem, c->device};
	struct kt_error ignored;
	double most = 0;

	for (size_t b = 0; b < region->buffer_count; b++) {
		const struct kt_buffer *buffer = &region->buffers[b];
		int64_t count;

		if (!buffer->scratch &&
		    kt_expr_eval(&count, buffer->count.expr, kt_scope_lookup, &scope, &ignored) == KT_OK)
			most = fmax(most, (double)count * (double)kt_buffer_unit(buffer, c->instance));
	}
	return most;
}

static const int64_t *problem_at(const struct chooser *c, size_t problem)
{
	const struct kt_region *region = c->template_->region;

	return region->variable_count != 0 ? region->problems + problem * region->variable_count : NULL;
}

/* False: the variant would not be launched on this problem. */
static bool read_launch(struct kt_launch_estimate *out, const struct chooser *c, const int64_t *configuration,
                        size_t problem)
{
	struct kt_theta theta = {c->template_, configuration,
	                         {c->template_->region, NULL, problem_at(c, problem), c->device}};
	const int64_t *value;

	if (!kt_theta_launches(&theta))
		return false;
	*out = (struct kt_launch_estimate){
	    .bytes = c->bytes[problem],
	    .blocks = kt_theta_product(&theta, c->template_->grid, c->template_->grid_count),
	    .threads = kt_theta_product(&theta, c->template_->block, c->template_->block_count),
	    .access_bytes = fmin(widest_access, narrowest_bytes(c) * parameter(&theta, "VEC")),
	    .accesses = parameter(&theta, "UNROLL") * parameter(&theta, "TURNS"),
	    .work = 1,
	};
	if (c->largest[problem] > 0)
		out->reach = (double)out->blocks * (double)out->threads * out->access_bytes * out->accesses / c->largest[problem];
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if ((value = find(&theta, forms[i].name)) != NULL && (*value != forms[i].value) == forms[i].other)
			out->work *= forms[i].factor;
	return true;
}

/* Of one problem, or the mean of all: SIZE_MAX. Where a variant does not run the original does, which is worse. */
static double estimate(const struct chooser *c, const int64_t *configuration, size_t problem)
{
	static const double not_launched = 8;
	double sum = 0;
	size_t count = 0;

	for (size_t p = 0; p < c->problems; p++) {
		struct kt_launch_estimate launch;

		if (problem != SIZE_MAX && p != problem)
			continue;
		sum += log(read_launch(&launch, c, configuration, p) ? kt_start_estimate(&launch, c->device) : not_launched);
		count++;
	}
	return count > 0 ? exp(sum / (double)count) : (double)HUGE_VAL;
}

/* The least estimate; of equal ones the one whose block is nearest to 256 threads, then the first. */
static size_t least(const struct chooser *c, const struct kt_space *space, size_t problem)
{
	const size_t count = kt_space_feasible(space), step = count / LOOKED_AT + 1;
	size_t chosen = SIZE_MAX;
	double best = (double)HUGE_VAL, best_off = 0;

	for (size_t i = 0; i < count; i += step) {
		const int64_t *configuration = kt_space_get(space, i);
		struct kt_launch_estimate launch;
		const double now = estimate(c, configuration, problem);
		double off;

		if (!(now <= best) || !read_launch(&launch, c, configuration, problem != SIZE_MAX ? problem : 0))
			continue;
		off = fabs(log2((double)launch.threads / 256.0));
		if (now < best || off < best_off) {
			chosen = i;
			best = now;
			best_off = off;
		}
	}
	return chosen;
}

/* The problem before which `before` others move more bytes; of equal ones the first. */
static size_t by_bytes(const struct chooser *c, size_t before)
{
	for (size_t p = 0; p < c->problems; p++) {
		size_t ahead = 0;

		for (size_t q = 0; q < c->problems; q++)
			ahead += c->bytes[q] > c->bytes[p] || (q < p && c->bytes[q] == c->bytes[p]);
		if (ahead == before)
			return p;
	}
	return 0;
}

/* problem: SIZE_MAX: all, of which the one with the most bytes is shown. */
static const char *reason(struct kt_arena *arena, const struct chooser *c, const int64_t *configuration, size_t problem)
{
	const struct kt_region *region = c->template_->region;
	const size_t shown = problem != SIZE_MAX ? problem : by_bytes(c, 0);
	struct kt_launch_estimate launch;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *why;

	kt_configuration_print(&text, c->template_->parameters, c->template_->parameter_count, configuration);
	if (problem == SIZE_MAX)
		kt_buf_adds(&text, " for all problems");
	for (size_t v = 0; problem != SIZE_MAX && v < region->variable_count; v++)
		kt_buf_addf(&text, "%s%s=%lld", v == 0 ? " for " : " ", region->variables[v],
		            (long long)problem_at(c, problem)[v]);
	if (read_launch(&launch, c, configuration, shown))
		kt_buf_addf(&text, ": %.3g MB by %lld blocks of %lld threads, %.0f bytes an access; bound by %s, "
		                   "estimated at %.2f of the time of a copy",
		            launch.bytes / 1e6, (long long)launch.blocks, (long long)launch.threads, launch.access_bytes,
		            kt_start_bound(&launch, c->device), kt_start_estimate(&launch, c->device));
	why = kt_arena_strdup(arena, kt_buf_text(&text));
	kt_buf_free(&text);
	return why != NULL ? why : "by estimate";
}

bool kt_start_is_among(const struct kt_start *starts, size_t count, size_t index)
{
	for (size_t i = 0; i < count; i++)
		if (starts[i].index == index)
			return true;
	return false;
}

size_t kt_start_choose(struct kt_start out[KT_STARTS], struct kt_arena *arena, const struct kt_space *space,
                       const struct kt_template *template_, const struct kt_instance *instance,
                       const struct kt_device *device)
{
	const struct kt_region *region = template_->region;
	struct chooser c = {.template_ = template_, .instance = instance, .device = device,
	                    .problems = region->variable_count != 0 ? region->problem_count : 1};
	size_t count = 0, wanted;

	c.bytes = kt_arena_array(arena, c.problems, sizeof *c.bytes);
	c.largest = kt_arena_array(arena, c.problems, sizeof *c.largest);
	if (strcmp(template_->generator, "rules") != 0 || c.bytes == NULL || c.largest == NULL)
		return 0;
	for (size_t p = 0; p < c.problems; p++) {
		c.bytes[p] = kt_measure_bytes(region, instance, problem_at(&c, p), device);
		c.largest[p] = largest_bytes(&c, problem_at(&c, p));
	}
	wanted = c.problems + 1 < KT_STARTS ? c.problems + 1 : KT_STARTS;
	for (size_t i = 0; i < wanted; i++) {
		/* All together, the least, and then from the most on. */
		const size_t problem = i == 0 ? SIZE_MAX : by_bytes(&c, i == 1 ? c.problems - 1 : i - 2);
		const size_t index = least(&c, space, problem);

		if (index != SIZE_MAX && !kt_start_is_among(out, count, index))
			out[count++] = (struct kt_start){index, reason(arena, &c, kt_space_get(space, index), problem)};
	}
	return count;
}

/* The rank of the value that is nearest by its ratio to a value of the same parameter elsewhere. */
static uint16_t nearest_rank(const struct kt_space *space, size_t dimension, int64_t value, uint16_t otherwise)
{
	const size_t exact = kt_space_rank(space, dimension, value);
	size_t chosen = otherwise;
	double least_off = (double)HUGE_VAL;

	if (exact != SIZE_MAX || !kt_space_ordered(space, dimension))
		return (uint16_t)(exact != SIZE_MAX ? exact : otherwise);
	for (size_t r = 0; r < kt_space_values(space, dimension); r++) {
		const double off = fabs(log2(fmax(0.5, (double)kt_space_value(space, dimension, r))) -
		                        log2(fmax(0.5, (double)value)));

		if (off < least_off) {
			least_off = off;
			chosen = r;
		}
	}
	return (uint16_t)chosen;
}

/* SIZE_MAX: no parameter has the name of one of the entry's. */
static size_t nearest(const struct kt_space *space, const struct kt_template *template_, const struct kt_entry *entry,
                      const int64_t *configuration, size_t otherwise)
{
	uint16_t row[KT_PARAMETERS] = {0};
	size_t named = 0;

	if (otherwise != SIZE_MAX)
		kt_space_row(row, space, otherwise);
	for (size_t d = 0; d < template_->parameter_count; d++)
		for (size_t i = 0; i < entry->parameter_count; i++)
			if (strcmp(template_->parameters[d].name, entry->parameters[i]) == 0) {
				row[d] = nearest_rank(space, d, configuration[i], row[d]);
				named++;
			}
	return named != 0 ? kt_space_nearest(space, row) : SIZE_MAX;
}

size_t kt_start_known(struct kt_start *out, size_t count, struct kt_arena *arena, const struct kt_space *space,
                      const struct kt_template *template_, const struct kt_entry *const *entries, size_t entry_count)
{
	const size_t most = count + KT_STARTS_KNOWN, otherwise = count != 0 ? out[0].index : SIZE_MAX;

	for (size_t e = 0; e < entry_count; e++) {
		const struct kt_entry *entry = entries[e];

		if (strcmp(entry->generator, template_->generator) != 0)
			continue;
		for (size_t v = entry->baseline_best ? 1 : 0; v <= entry->special_count && count < most; v++) {
			const int64_t *configuration = v == 0 ? entry->configuration : entry->specials[v - 1].configuration;
			const size_t index = nearest(space, template_, entry, configuration, otherwise);
			struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

			if (index == SIZE_MAX || kt_start_is_among(out, count, index))
				continue;
			kt_configuration_print(&text, template_->parameters, template_->parameter_count,
			                       kt_space_get(space, index));
			kt_buf_addf(&text, ": near to what was chosen for %s on %s", entry->instance, entry->device.name);
			out[count++] = (struct kt_start){index, kt_arena_strdup(arena, kt_buf_text(&text))};
			if (out[count - 1].why == NULL)
				out[count - 1].why = "by what was chosen elsewhere";
			kt_buf_free(&text);
		}
	}
	return count;
}
