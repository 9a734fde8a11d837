#include "opencl/session.h"

#define GPU_CACHE_BYTES ((size_t)64 << 20) /* least that is taken for a cache where a driver may mean another level */
#define LEAST_LIMIT_S 2.0                  /* a processor has other work as well */
#define FIRST_LIMIT_S 6.0                  /* some drivers compile for the work-group size with the first launch */
#define LAUNCH_SLACK_NS 500e3              /* what the host may need for a launch besides its time on the device */

static int64_t occupancy(void *device, const struct kt_function *function, const struct kt_geometry *geometry)
{
	(void)device, (void)function, (void)geometry;
	return -1;
}

static const struct kt_ops ops = {
    .budget = kt_ocl_budget,
    .reserve = kt_ocl_reserve,
    .lone = kt_ocl_lone,
    .host_memory = kt_ocl_host,
    .load = kt_ocl_load,
    .release = kt_ocl_release,
    .admit = kt_ocl_admit,
    .occupancy = occupancy,
    .fill = kt_ocl_fill,
    .poison = kt_ocl_poison,
    .zones = kt_ocl_zones,
    .digest = kt_ocl_digest,
    .compare = kt_ocl_compare,
    .copy = kt_ocl_copy,
    .upload = kt_ocl_upload,
    .download = kt_ocl_download,
    .clear = kt_ocl_clear,
    .keep = kt_ocl_keep,
    .wait = kt_ocl_wait_all,
    .run = kt_ocl_run,
    .batch = kt_ocl_batch,
};

/* The runner has no device code here. */
static kt_status support(void *state, const char *cubin, struct kt_error *err)
{
	(void)state, (void)cubin, (void)err;
	return KT_OK;
}

kt_status kt_opencl_open(struct kt_backend *out, struct kt_arena *arena, int ordinal, struct kt_error *err)
{
	struct kt_ocl *s = NULL;
	TRY(kt_ocl_open(&s, arena, ordinal, err));
	struct kt_engine *e = &s->engine;
	e->ops = &ops;
	e->state = s;
	e->fault = &s->fault;
	e->pages = s->pages;
	e->cache_bytes = e->device.l2_bytes > 0 ? (size_t)e->device.l2_bytes : (size_t)32 << 20;
	if (!s->unified && e->cache_bytes < GPU_CACHE_BYTES)
		e->cache_bytes = GPU_CACHE_BYTES;
	e->local_arguments = true;
	e->host_reads = true;
	e->equal_copies = true;
	e->shapes = 1;
	e->least_limit_s = LEAST_LIMIT_S;
	e->first_limit_s = FIRST_LIMIT_S;
	e->launch_slack_ns = LAUNCH_SLACK_NS;
	*out = (struct kt_backend){.name = "opencl", .support = support};
	kt_engine_backend(out, e);
	return KT_OK;
}
