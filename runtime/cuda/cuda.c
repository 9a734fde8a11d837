#include "cuda/session.h"

/* Of memory that a program allocates in such sizes: pages of the device. */
#define LARGE_ALIGN ((size_t)2 << 20)

/* Modules give way to others by themselves. */
static void release(void *device)
{
	(void)device;
}

static bool health(struct kt_health *out, void *device)
{
	const struct kt_session *s = device;
	return kt_nvml_health(out, &s->nvml);
}

static bool energy(uint64_t *millijoules, void *device)
{
	const struct kt_session *s = device;
	return kt_nvml_energy(millijoules, &s->nvml);
}

static const struct kt_ops ops = {
    .budget = kt_session_budget,
    .reserve = kt_session_reserve,
    .lone = kt_session_lone,
    .hold = kt_session_hold,
    .host_memory = kt_session_host,
    .load = kt_module_load,
    .release = release,
    .remember = kt_symbols_remember,
    .changed = kt_symbols_changed,
    .admit = kt_module_admit,
    .occupancy = kt_module_occupancy,
    .fill = kt_support_fill,
    .poison = kt_support_poison,
    .zones = kt_support_zones,
    .digest = kt_support_digest,
    .compare = kt_support_compare,
    .copy = kt_support_copy,
    .upload = kt_support_upload,
    .download = kt_support_download,
    .mask = kt_support_mask,
    .clear = kt_support_clear,
    .keep = kt_support_keep,
    .wait = kt_support_wait,
    .run = kt_launch_run,
    .batch = kt_launch_batch,
    .settle = kt_launch_settle,
    .disturb = kt_support_disturb,
    .health = health,
    .energy = energy,
};

static kt_status support(void *state, const char *cubin, struct kt_error *err)
{
	struct kt_engine *engine = state;
	return kt_support_load(engine->state, cubin, err);
}

kt_status kt_cuda_open(struct kt_backend *out, struct kt_arena *arena, int ordinal, struct kt_error *err)
{
	struct kt_session *s = NULL;
	TRY(kt_session_open(&s, arena, ordinal, err));
	struct kt_engine *e = &s->engine;
	e->ops = &ops;
	e->state = s;
	e->fault = &s->fault;
	e->align = KT_BUFFER_ALIGN;
	e->cache_bytes = e->device.l2_bytes > 0 ? (size_t)e->device.l2_bytes : (size_t)32 << 20;
	e->large_align = LARGE_ALIGN;
	e->offsets = true;
	e->sequences = true;
	e->symbols = true;
	e->shapes = KT_SUPPORT_SHAPES;
	e->empty_shapes = KT_SUPPORT_EMPTY_SHAPES;
	e->least_limit_s = 0.25;
	e->health_age_s = 0.1;
	/* Beside the time on the device: opening the gate, noticing the end, and events between the launches. */
	e->launch_slack_ns = 5e3;
	e->batch_slack_ns = 300e3;
	*out = (struct kt_backend){.name = "cuda", .wants_support = true, .support = support};
	kt_engine_backend(out, e);
	return KT_OK;
}
