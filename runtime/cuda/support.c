#include "cuda/session.h"

#define BLOCK 256

_Static_assert(KT_BOOL == 1 && KT_F64 == 13, "kernels.cu numbers the element types alike");
_Static_assert(KT_FILL_UNIFORM == 1 && KT_FILL_RANGE == 5, "kernels.cu numbers the fills alike");
_Static_assert(sizeof(struct kt_result) == 48 && sizeof(struct kt_device_tolerance) == 40, "layout of kernels.cu");

static const char *const names[KT_KERNEL_COUNT] = {
    [KT_KERNEL_FILL] = "ktr_fill",
    [KT_KERNEL_POISON] = "ktr_poison",
    [KT_KERNEL_CANARY_WRITE] = "ktr_canary_write",
    [KT_KERNEL_CANARY_CHECK] = "ktr_canary_check",
    [KT_KERNEL_COMPARE] = "ktr_compare",
    [KT_KERNEL_DIGEST] = "ktr_digest",
    [KT_KERNEL_GATE] = "ktr_gate",
    [KT_KERNEL_SWEEP] = "ktr_sweep",
    [KT_KERNEL_COPY_1] = "ktr_copy_1",
    [KT_KERNEL_COPY_2] = "ktr_copy_2",
    [KT_KERNEL_COPY_2_STREAM] = "ktr_copy_2_stream",
    [KT_KERNEL_COPY_4_STREAM] = "ktr_copy_4_stream",
};

kt_status kt_support_load(struct kt_session *s, const char *cubin, struct kt_error *err)
{
	kt_cu_handle module = NULL;
	kt_status status = kt_session_check(s, s->cu.module_load(&module, cubin), cubin, err);
	for (size_t i = 0; !status && i < KT_KERNEL_COUNT; i++)
		status = kt_session_check(s, s->cu.module_function(&s->kernels[i], module, names[i]), names[i], err);
	/* A second support cubin replaces the first; its module stays until the process ends. */
	if (!status)
		s->support = module;
	return status;
}

static kt_status launch(struct kt_session *s, enum kt_kernel kernel, unsigned grid_x, unsigned grid_y, unsigned block,
                        void **arguments, struct kt_error *err)
{
	if (!s->support)
		return kt_fail(err, KT_ERR_INVALID, "no support cubin was given");
	return kt_session_check(
	    s, s->cu.launch(s->kernels[kernel], grid_x, grid_y, 1, block, 1, 1, 0, s->stream, arguments, NULL),
	    names[kernel], err);
}

/* Enough blocks to fill the device some times over; the kernels stride over the rest. */
static unsigned blocks_for(const struct kt_session *s, uint64_t items)
{
	uint64_t most = (uint64_t)(s->device.multiprocessors > 0 ? s->device.multiprocessors : 1) * 16;
	uint64_t wanted = (items + BLOCK - 1) / BLOCK;
	return (unsigned)(wanted < 1 ? 1 : wanted < most ? wanted : most);
}

kt_status kt_support_fill(struct kt_session *s, kt_cu_address data, enum kt_scalar element,
                          const struct kt_run_data *fill, struct kt_error *err)
{
	uint64_t count = (uint64_t)fill->count, seed = fill->seed;
	int type = (int)element, kind = (int)fill->kind;
	double a = fill->a, b = fill->b;
	void *arguments[] = {&data, &count, &type, &kind, &a, &b, &seed};
	return launch(s, KT_KERNEL_FILL, blocks_for(s, count), 1, BLOCK, arguments, err);
}

kt_status kt_support_poison(struct kt_session *s, kt_cu_address data, size_t bytes, uint64_t seed,
                            struct kt_error *err)
{
	uint64_t size = bytes;
	void *arguments[] = {&data, &size, &seed};
	return launch(s, KT_KERNEL_POISON, blocks_for(s, size / 4), 1, BLOCK, arguments, err);
}

kt_status kt_support_canaries(struct kt_session *s, bool check, size_t problem, size_t first_set, size_t sets,
                              struct kt_error *err)
{
	struct kt_place *place = &s->places[problem];
	kt_cu_address base = s->field + first_set * place->stride;
	uint64_t stride = place->stride, seed = KT_CANARY_SEED;
	kt_cu_address out = s->results_device + KT_RUN_BUFFERS * sizeof(struct kt_result);
	void *arguments[] = {&base, &stride, &place->segments, &seed, &out};
	if (s->region->buffer_count == 0)
		return KT_OK;
	return launch(s, check ? KT_KERNEL_CANARY_CHECK : KT_KERNEL_CANARY_WRITE,
	              (unsigned)(2 * s->region->buffer_count), (unsigned)sets, BLOCK, arguments, err);
}

kt_status kt_support_compare(struct kt_session *s, kt_cu_address got, kt_cu_address want, size_t problem,
                             size_t buffer, const struct kt_device_tolerance *tolerance, struct kt_error *err)
{
	struct kt_device_tolerance copy = *tolerance;
	uint64_t count = (uint64_t)s->region->problems[problem].data[buffer].count;
	int type = (int)s->region->buffers[buffer].element;
	kt_cu_address out = s->results_device + buffer * sizeof(struct kt_result);
	void *arguments[] = {&got, &want, &count, &type, &copy, &out};
	return launch(s, KT_KERNEL_COMPARE, blocks_for(s, count), 1, BLOCK, arguments, err);
}

kt_status kt_support_digest(struct kt_session *s, kt_cu_address data, size_t bytes, size_t buffer,
                            struct kt_error *err)
{
	uint64_t size = bytes, salt = (uint64_t)buffer << 56;
	kt_cu_address out = s->results_device + buffer * sizeof(struct kt_result);
	void *arguments[] = {&data, &size, &salt, &out};
	return launch(s, KT_KERNEL_DIGEST, blocks_for(s, size / 16), 1, BLOCK, arguments, err);
}

kt_status kt_support_gate(struct kt_session *s, struct kt_error *err)
{
	/* Where launches are synchronous (debuggers, some tools) the gate must give up by itself. */
	uint64_t limit_ns = 20 * 1000 * 1000;
	unsigned ticket = ++s->ticket;
	void *arguments[] = {&s->gate_device, &ticket, &limit_ns};
	return launch(s, KT_KERNEL_GATE, 1, 1, 1, arguments, err);
}

void kt_support_open(struct kt_session *s)
{
	__atomic_store_n(s->gate, s->ticket, __ATOMIC_RELEASE);
}

kt_status kt_support_sweep(struct kt_session *s, struct kt_error *err)
{
	uint64_t vectors = s->sweep_bytes / 16;
	kt_cu_address sink = s->results_device;
	void *arguments[] = {&s->sweep, &vectors, &sink};
	return launch(s, KT_KERNEL_SWEEP, blocks_for(s, vectors), 1, BLOCK, arguments, err);
}

kt_status kt_support_copy(struct kt_session *s, enum kt_kernel which, kt_cu_address to, size_t write_bytes,
                          kt_cu_address from, size_t read_bytes, struct kt_error *err)
{
	uint64_t writes = (write_bytes + 15) / 16, reads = (read_bytes + 15) / 16;
	uint64_t less = writes < reads ? writes : reads, most = writes < reads ? reads : writes;
	uint64_t each = BLOCK * (which == KT_KERNEL_COPY_1 ? 1 : which == KT_KERNEL_COPY_4_STREAM ? 4 : 2);
	uint64_t blocks = ((less > 0 ? less : most) + each - 1) / each;
	void *arguments[] = {&to, &writes, &from, &reads};
	if (blocks < 1)
		blocks = 1;
	return launch(s, which, (unsigned)blocks, 1, BLOCK, arguments, err);
}

kt_status kt_support_results_clear(struct kt_session *s, struct kt_error *err)
{
	size_t bytes = (KT_RUN_BUFFERS + 1) * sizeof(struct kt_result);
	return kt_session_check(s, s->cu.set_bytes(s->results_device, 0, bytes, s->stream), "clearing results", err);
}

kt_status kt_support_results_fetch(struct kt_session *s, struct kt_error *err)
{
	size_t bytes = (KT_RUN_BUFFERS + 1) * sizeof(struct kt_result);
	return kt_session_check(s, s->cu.to_host(s->results, s->results_device, bytes, s->stream), "reading results",
				err);
}
