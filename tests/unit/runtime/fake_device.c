#include "fake_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *at_of(struct fake *f, kt_at at)
{
	return at >= KT_AT_HELD ? f->held + (at & KT_AT_OFFSET) : f->field + at;
}

static kt_status fake_budget(size_t *bytes, void *device, struct kt_error *err)
{
	(void)device, (void)err;
	*bytes = 1 << 20;
	return KT_OK;
}

static kt_status fake_reserve(void *device, size_t bytes, struct kt_error *err)
{
	struct fake *f = device;
	free(f->field);
	f->field = aligned_alloc(256, (bytes + 255) / 256 * 256);
	return f->field ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory");
}

static kt_status fake_hold(void *device, size_t bytes, struct kt_error *err)
{
	struct fake *f = device;
	free(f->held);
	f->held = NULL;
	if (f->holds_nothing)
		return kt_fail(err, KT_ERR_LIMIT, "nothing can be held");
	f->held = aligned_alloc(256, (bytes + 255) / 256 * 256);
	f->held_bytes = bytes;
	return f->held ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory");
}

static kt_status fake_mask(void *device, kt_at to, kt_at from, size_t bytes, uint64_t seed, struct kt_error *err)
{
	(void)err;
	kt_data_mask(at_of(device, to), at_of(device, from), bytes, seed);
	return KT_OK;
}

static kt_status fake_host(unsigned char **out, void *device, size_t bytes, struct kt_error *err)
{
	struct fake *f = device;
	free(f->host);
	*out = f->host = malloc(bytes);
	return f->host ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory");
}

static kt_status fake_load(struct kt_function *out, void *device, const char *path, const char *options,
                           const char *function, bool original, struct kt_error *err)
{
	(void)device, (void)path, (void)options, (void)original;
	*out = (struct kt_function){.handle = (void *)(uintptr_t)fake_kernel_find(function)};
	return out->handle ? KT_OK : kt_fail(err, KT_ERR_CHILD, "no kernel %s", function);
}

static void fake_release(void *device)
{
	(void)device;
}

static kt_status fake_remember(void *device, const struct kt_function *function, struct kt_error *err)
{
	struct fake *f = device;
	(void)function, (void)err;
	memcpy(f->constant, fake_constant, sizeof f->constant);
	return KT_OK;
}

static kt_status fake_changed(const char **name, void *device, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	const bool same = memcmp(f->constant, fake_constant, sizeof f->constant) == 0;
	*name = same ? NULL : f->engine.region->constants[0];
	f->restored += !same;
	memcpy(fake_constant, f->constant, sizeof f->constant);
	return KT_OK;
}

static kt_status fake_admit(void *device, const struct kt_function *function, const struct kt_geometry *geometry,
                            struct kt_error *err)
{
	struct fake *f = device;
	(void)function;
	f->fault = (struct kt_fault){KT_VERDICT_OVER_LIMIT, false};
	return geometry->block[0] < 1024 ? KT_OK : kt_fail(err, KT_ERR_INVALID, "too many threads");
}

static int64_t fake_occupancy(void *device, const struct kt_function *function, const struct kt_geometry *geometry)
{
	(void)device, (void)function, (void)geometry;
	return -1;
}

static kt_status fake_fill(void *device, kt_at at, const struct kt_lanes *lanes, const struct kt_run_data *data,
                           struct kt_error *err)
{
	(void)err;
	kt_data_fill(at_of(device, at), lanes, data);
	return KT_OK;
}

static kt_status fake_poison(void *device, kt_at at, size_t bytes, size_t stride, size_t sets, uint64_t seed,
                             struct kt_error *err)
{
	(void)err;
	for (size_t set = 0; set < sets; set++)
		kt_data_poison(at_of(device, at + set * stride), bytes, seed);
	return KT_OK;
}

static kt_status fake_zones(void *device, bool check, kt_at at, size_t stride, size_t sets,
                            const struct kt_zones *zones, uint64_t seed, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	for (size_t i = 0; i < sets * zones->count; i++) {
		size_t z = i % zones->count, bytes = (size_t)zones->zone[z].bytes;
		unsigned char *memory = at_of(f, at) + i / zones->count * stride + zones->zone[z].offset;
		if (!check) {
			kt_data_zone(memory, bytes, seed + 2 * z);
			continue;
		}
		size_t damage = kt_data_damage(memory, bytes, seed + 2 * z);
		f->results[KT_RUN_BUFFERS].zones += damage;
		f->results[KT_RUN_BUFFERS].zone = damage ? ~(uint64_t)z : f->results[KT_RUN_BUFFERS].zone;
	}
	return KT_OK;
}

static kt_status fake_digest(void *device, size_t slot, kt_at at, size_t bytes, size_t stride, size_t sets,
                             struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	for (size_t set = 0; set < sets; set++)
		f->results[slot].digest += kt_data_digest(at_of(f, at + set * stride), bytes, slot);
	return KT_OK;
}

static kt_status fake_compare(void *device, size_t slot, kt_at got, kt_at want, const void *want_host, size_t count,
                              const struct kt_lanes *lanes, const struct kt_data_tolerance *tolerance, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	assert_true(!want_host || f->engine.host_reads);
	kt_data_compare(&f->results[slot], at_of(f, got), want_host ? want_host : at_of(f, want), count, lanes, tolerance);
	return KT_OK;
}

static kt_status fake_copy(void *device, kt_at to, kt_at from, size_t bytes, struct kt_error *err)
{
	(void)err;
	((struct fake *)device)->copies++;
	memmove(at_of(device, to), at_of(device, from), bytes);
	return KT_OK;
}

static kt_status fake_upload(void *device, kt_at to, const void *from, size_t bytes, struct kt_error *err)
{
	(void)err;
	memcpy(at_of(device, to), from, bytes);
	return KT_OK;
}

static kt_status fake_download(void *device, void *to, kt_at from, size_t bytes, struct kt_error *err)
{
	(void)err;
	memcpy(to, at_of(device, from), bytes);
	return KT_OK;
}

static kt_status fake_clear(void *device, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	memset(f->results, 0, sizeof f->results);
	return KT_OK;
}

static kt_status fake_keep(void *device, size_t page, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	memcpy(f->pages[page], f->results, sizeof f->results);
	return KT_OK;
}

static kt_status fake_wait(void *device, double limit_s, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	f->waits++;
	f->wait_limit_s = limit_s;
	return KT_OK;
}

/* Where a candidate's own first outputs are kept for comparison. */
static bool is_snapshot(const struct fake *f, const unsigned char *at)
{
	for (size_t p = 0; p < f->engine.region->problem_count; p++) {
		if (at == f->field + f->engine.places[p].snapshot)
			return true;
	}
	return false;
}

/* Is there anything on the device that looks like the right output, where the candidate is not to write it? */
static void no_result_lies_about(struct fake *f, const float *y, const float *x, size_t n)
{
	float *found = malloc(n * sizeof *found);
	for (size_t i = 0; i < n; i++)
		found[i] = 2 * x[i];
	for (unsigned char *at = f->field; at + n * sizeof *found <= f->field + f->engine.field_bytes; at += 4)
		assert_true(at == (const unsigned char *)y || is_snapshot(f, at) || memcmp(at, found, n * sizeof *found) != 0);
	for (unsigned char *at = f->held; at && at + n * sizeof *found <= f->held + f->held_bytes; at += 4)
		assert_true(memcmp(at, found, n * sizeof *found) != 0);
	free(found);
}

static float *symbol_of(const struct fake *f, size_t b)
{
	return f->engine.region->buffers[b].symbol ? f->symbols[b] : NULL;
}

static void enter_symbols(struct fake *f, const struct kt_run_launch *launch)
{
	for (size_t b = 0; b < 2; b++) {
		if (symbol_of(f, b))
			memcpy(symbol_of(f, b), at_of(f, launch->at[b]), f->engine.region->buffers[b].symbol_bytes);
	}
}

static void leave_symbols(struct fake *f, const struct kt_run_launch *launch)
{
	for (size_t b = 0; b < 2; b++) {
		if (symbol_of(f, b))
			memcpy(at_of(f, launch->at[b]), symbol_of(f, b), f->engine.region->buffers[b].symbol_bytes);
	}
}

/* What a kernel gets for a buffer: a symbol, also where an argument leads into it. */
static float *address_of(struct fake *f, const struct kt_run_launch *launch, size_t buffer)
{
	for (size_t b = 0; b < 2; b++) {
		if (symbol_of(f, b) && launch->at[b] == launch->at[buffer])
			return symbol_of(f, b);
	}
	return (float *)(void *)at_of(f, launch->at[buffer]);
}

static void launch_kernels(struct fake *f, const struct kt_run_launch *launch)
{
	float *y = address_of(f, launch, 0), *x = address_of(f, launch, 1);
	if (f->searching && launch->function != &f->engine.original.function)
		no_result_lies_about(f, (float *)(void *)at_of(f, launch->at[0]), x, launch->bytes[0] / sizeof *y);
	for (const struct kt_run_launch *next = launch; next; next = next->then) {
		const size_t all[] = {0, 1}, *of = next->arguments ? next->arguments : all;
		fake_kernel_run(next->function->handle, address_of(f, launch, of[0]), address_of(f, launch, of[1]),
		                launch->bytes[0] / sizeof *y);
	}
}

static kt_status fake_run(double *ns, void *device, const struct kt_run_launch *launch, double limit_s,
                          struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	/* The original runs after the candidate it is compared with. */
	disturbed = f->disturbed;
	f->disturbed_limit_s = disturbed ? limit_s : f->disturbed_limit_s;
	f->disturbed = false;
	enter_symbols(f, launch);
	launch_kernels(f, launch);
	leave_symbols(f, launch);
	/* A time that nothing is to be measured against. */
	if (ns)
		*ns = f->sample_ns * (disturbed ? 10 : 1);
	disturbed = false;
	return KT_OK;
}

static kt_status fake_disturb(void *device, uint64_t number, double ns, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	assert_false(f->disturbed);
	f->disturbed = true;
	f->disturbances++;
	f->disturbance[1] = f->disturbance[0];
	f->disturbance[0] = number;
	f->disturbed_ns = ns;
	return KT_OK;
}

static kt_status fake_batch(double *samples, double *host_ns, void *device, const struct kt_run_launch *launches,
                            size_t count, bool sweep, double limit_s, struct kt_error *err)
{
	struct fake *f = device;
	bool search = f->searching;
	(void)sweep, (void)limit_s, (void)err;
	assert_false(f->disturbed);
	f->searching = false;
	if (launches[0].function)
		enter_symbols(f, &launches[0]);
	for (size_t i = 0; i < count; i++) {
		if (launches[i].function) {
			if (f->timed_input)
				assert_memory_equal(at_of(f, launches[i].at[1]), f->timed_input, launches[i].bytes[1]);
			launch_kernels(f, &launches[i]);
		}
		const bool empty = !launches[i].function && !launches[i].bytes[0] && !launches[i].bytes[1];
		if (samples)
			samples[i] = empty && f->empty_ns > 0 ? f->empty_ns : f->sample_ns;
		if (samples && empty)
			f->empties[launches[i].shape]++;
	}
	for (size_t i = 0; launches[0].function && i < count; i++)
		leave_symbols(f, &launches[i]);
	f->searching = search;
	*host_ns = f->host_ns * (double)count;
	return KT_OK;
}

static kt_status fake_settle(void *device, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	f->settled++;
	return KT_OK;
}

static bool fake_health(struct kt_health *out, void *device)
{
	struct fake *f = device;
	*out = (struct kt_health){.sm_mhz = 1980, .processes = f->processes, .reasons = f->throttled ? f->reasons : 1};
	f->throttled -= f->throttled > 0;
	f->looks++;
	return f->tells;
}

const struct kt_ops fake_ops = {
    .budget = fake_budget, .reserve = fake_reserve, .host_memory = fake_host, .load = fake_load,
    .release = fake_release, .remember = fake_remember, .changed = fake_changed, .admit = fake_admit, .occupancy = fake_occupancy, .fill = fake_fill,
    .poison = fake_poison, .zones = fake_zones, .digest = fake_digest, .compare = fake_compare, .copy = fake_copy,
    .upload = fake_upload, .download = fake_download, .clear = fake_clear, .keep = fake_keep, .wait = fake_wait,
    .hold = fake_hold, .mask = fake_mask, .run = fake_run,
    .batch = fake_batch, .settle = fake_settle, .disturb = fake_disturb, .health = fake_health,
};
