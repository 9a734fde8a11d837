#include <stddef.h>
#include <string.h>

#include "cuda/session.h"

#define BLOCK 256
#define ZONE_OF_BLOCK 16384 /* bytes of a zone that are a block's */
#define DISTURB_BLOCK 512

_Static_assert(KT_BOOL == 1 && KT_F64 == 13, "kernels.cu numbers the element types alike");
_Static_assert(KT_FILL_UNIFORM == 1 && KT_FILL_PERMUTATION == 6 && KT_FILL_SPECIAL == 17, "kernels.cu numbers the fills alike");
_Static_assert(KT_FILL_CHOICE == 11 && KT_FILL_NUMBERS == 16, "kernels.cu has the numbers of a choice");
_Static_assert(KT_ULP_BINS == 36 && KT_ZONES == 128, "kernels.cu has the same sizes");
_Static_assert(sizeof(struct kt_result) == 10 * 8 + KT_ULP_BINS * 8 && sizeof(struct kt_data_tolerance) == 48 &&
                   sizeof(struct kt_zones) == 8 + 16 * KT_ZONES && offsetof(struct kt_lanes, scalar) == 5 * 8,
               "layout of kernels.cu");

static const char *const names[KT_KERNEL_COUNT] = {
    [KT_KERNEL_FILL] = "ktr_fill",
    [KT_KERNEL_POISON] = "ktr_poison",
    [KT_KERNEL_MASK] = "ktr_mask",
    [KT_KERNEL_ZONE_WRITE] = "ktr_zone_write",
    [KT_KERNEL_ZONE_CHECK] = "ktr_zone_check",
    [KT_KERNEL_COMPARE] = "ktr_compare",
    [KT_KERNEL_DIGEST] = "ktr_digest",
    [KT_KERNEL_GATE] = "ktr_gate",
    [KT_KERNEL_DISTURB] = "ktr_disturb",
    [KT_KERNEL_SWEEP] = "ktr_sweep",
    [KT_KERNEL_NOTHING] = "ktr_nothing",
    [KT_KERNEL_COPY_1] = "ktr_copy_1",
    [KT_KERNEL_COPY_2] = "ktr_copy_2",
    [KT_KERNEL_COPY_2_STREAM] = "ktr_copy_2_stream",
    [KT_KERNEL_COPY_4_STREAM] = "ktr_copy_4_stream",
};

kt_status kt_support_load(void *device, const char *cubin, struct kt_error *err)
{
	struct kt_session *s = device;
	kt_cu_handle module = NULL;
	TRY(kt_session_check(s, s->cu.module_load(&module, cubin), cubin, err));
	for (size_t i = 0; i < KT_KERNEL_COUNT; i++)
		TRY(kt_session_check(s, s->cu.module_function(&s->kernels[i], module, names[i]), names[i], err));
	/* A multiprocessor with little shared memory beside this kernel would take no block that needs much of it. */
	TRY(kt_session_check(s, s->cu.function_set(s->kernels[KT_KERNEL_DISTURB], KT_CU_FUNC_SHARED_PERCENT, 100),
			     names[KT_KERNEL_DISTURB], err));
	/* A second support cubin replaces the first; its module stays until the process ends. */
	s->support = module;
	return KT_OK;
}

static kt_status launch_grid(struct kt_session *s, enum kt_kernel kernel, const unsigned *grid, unsigned block,
                             void **arguments, struct kt_error *err)
{
	if (!s->support)
		return kt_fail(err, KT_ERR_INVALID, "no support cubin was given");
	return kt_session_check(
	    s, s->cu.launch(s->kernels[kernel], grid[0], grid[1], grid[2], block, 1, 1, 0, s->stream, arguments, NULL),
	    names[kernel], err);
}

static kt_status launch(struct kt_session *s, enum kt_kernel kernel, unsigned blocks, unsigned block, void **arguments,
                        struct kt_error *err)
{
	return launch_grid(s, kernel, (const unsigned[]){blocks, 1, 1}, block, arguments, err);
}

/* Enough blocks to fill the device some times over; the kernels stride over the rest. */
static unsigned blocks_for(const struct kt_session *s, uint64_t items)
{
	int64_t multiprocessors = s->engine.device.multiprocessors;
	uint64_t most = (uint64_t)(multiprocessors > 0 ? multiprocessors : 1) * 16;
	uint64_t wanted = (items + BLOCK - 1) / BLOCK;
	return (unsigned)(wanted < 1 ? 1 : wanted < most ? wanted : most);
}

static kt_cu_address slot_of(const struct kt_session *s, size_t slot)
{
	return s->results_device + slot * sizeof(struct kt_result);
}

kt_status kt_support_fill(void *device, kt_at at, const struct kt_lanes *lanes, const struct kt_run_data *data,
                          struct kt_error *err)
{
	struct kt_session *s = device;
	kt_cu_address address = kt_session_address(s, at);
	uint64_t count = (uint64_t)data->count, seed = data->seed;
	int type = (int)lanes->scalar, kind = (int)data->kind;
	double a = data->a, b = data->b;
	struct kt_lanes copy = *lanes;
	struct {
		uint64_t count;
		double number[KT_FILL_NUMBERS];
	} choices = {data->kind == KT_FILL_CHOICE ? data->whole->count : 0, {0}};
	void *arguments[] = {&address, &count, &type, &kind, &a, &b, &seed, &copy, &choices};
	if (data->kind == KT_FILL_FILE)
		return kt_support_upload(device, at, data->contents, (size_t)count * kt_scalar_bytes(lanes->scalar), err);
	for (size_t i = 0; i < choices.count; i++)
		choices.number[i] = kt_fill_number(data->whole, i);
	return launch(s, KT_KERNEL_FILL, blocks_for(s, count), BLOCK, arguments, err);
}

kt_status kt_support_poison(void *device, kt_at at, size_t bytes, size_t stride, size_t sets, uint64_t seed,
                            struct kt_error *err)
{
	struct kt_session *s = device;
	kt_cu_address address = kt_session_address(s, at);
	uint64_t size = bytes, step = stride;
	void *arguments[] = {&address, &size, &step, &seed};
	const unsigned grid[] = {blocks_for(s, size / 4), (unsigned)sets, 1};
	return launch_grid(s, KT_KERNEL_POISON, grid, BLOCK, arguments, err);
}

kt_status kt_support_mask(void *device, kt_at to, kt_at from, size_t bytes, uint64_t seed, struct kt_error *err)
{
	struct kt_session *s = device;
	kt_cu_address target = kt_session_address(s, to), source = kt_session_address(s, from);
	uint64_t size = bytes;
	void *arguments[] = {&target, &source, &size, &seed};
	return launch(s, KT_KERNEL_MASK, blocks_for(s, size / 4), BLOCK, arguments, err);
}

kt_status kt_support_zones(void *device, bool check, kt_at at, size_t stride, size_t sets,
                           const struct kt_zones *zones, uint64_t seed, struct kt_error *err)
{
	struct kt_session *s = device;
	kt_cu_address base = kt_session_address(s, at), out = slot_of(s, KT_RUN_BUFFERS);
	struct kt_zones table = *zones;
	uint64_t step = stride;
	void *arguments[] = {&base, &step, &table, &seed, &out};
	uint64_t largest = 0;
	for (uint64_t z = 0; z < zones->count; z++)
		largest = zones->zone[z].bytes > largest ? zones->zone[z].bytes : largest;
	const unsigned grid[] = {(unsigned)zones->count, (unsigned)sets, (unsigned)(largest / ZONE_OF_BLOCK + 1)};
	return launch_grid(s, check ? KT_KERNEL_ZONE_CHECK : KT_KERNEL_ZONE_WRITE, grid, BLOCK, arguments, err);
}

kt_status kt_support_compare(void *device, size_t slot, kt_at got, kt_at want, const void *want_host, size_t count,
                             const struct kt_lanes *lanes, const struct kt_data_tolerance *tolerance,
                             struct kt_error *err)
{
	struct kt_session *s = device;
	kt_cu_address mine = kt_session_address(s, got), other = kt_session_address(s, want), out = slot_of(s, slot);
	struct kt_data_tolerance copy = *tolerance;
	struct kt_lanes where = *lanes;
	uint64_t items = count;
	int type = (int)lanes->scalar;
	void *arguments[] = {&mine, &other, &items, &type, &copy, &where, &out};
	(void)want_host;
	return launch(s, KT_KERNEL_COMPARE, blocks_for(s, items), BLOCK, arguments, err);
}

kt_status kt_support_digest(void *device, size_t slot, kt_at at, size_t bytes, size_t stride, size_t sets,
                            struct kt_error *err)
{
	struct kt_session *s = device;
	kt_cu_address address = kt_session_address(s, at), out = slot_of(s, slot);
	uint64_t size = bytes, step = stride, salt = (uint64_t)slot << 56;
	void *arguments[] = {&address, &size, &step, &salt, &out};
	const unsigned grid[] = {blocks_for(s, size / 16), (unsigned)sets, 1};
	return launch_grid(s, KT_KERNEL_DIGEST, grid, BLOCK, arguments, err);
}

kt_status kt_support_copy(void *device, kt_at to, kt_at from, size_t bytes, struct kt_error *err)
{
	struct kt_session *s = device;
	return kt_session_check(
	    s, s->cu.on_device(kt_session_address(s, to), kt_session_address(s, from), bytes, s->stream), "copying", err);
}

kt_status kt_support_upload(void *device, kt_at to, const void *from, size_t bytes, struct kt_error *err)
{
	struct kt_session *s = device;
	return kt_session_check(s, s->cu.to_device(kt_session_address(s, to), from, bytes, s->stream),
	                        "copying the reference", err);
}

kt_status kt_support_download(void *device, void *to, kt_at from, size_t bytes, struct kt_error *err)
{
	struct kt_session *s = device;
	return kt_session_check(s, s->cu.to_host(to, kt_session_address(s, from), bytes, s->stream),
	                        "copying the reference", err);
}

kt_status kt_support_clear(void *device, struct kt_error *err)
{
	struct kt_session *s = device;
	return kt_session_check(s, s->cu.set_bytes(s->results_device, 0, sizeof *s->engine.pages, s->stream),
	                        "clearing results", err);
}

kt_status kt_support_keep(void *device, size_t page, struct kt_error *err)
{
	struct kt_session *s = device;
	/* Marks what is not written: no digest and no count has this value. */
	memset(s->engine.pages[page], 0xff, sizeof s->engine.pages[page]);
	return kt_session_check(
	    s, s->cu.to_host(s->engine.pages[page], s->results_device, sizeof s->engine.pages[page], s->stream),
	    "reading results", err);
}

kt_status kt_support_wait(void *device, double limit_s, struct kt_error *err)
{
	struct kt_session *s = device;
	const char *what = s->launched ? "running the kernel" : "checking";
	s->launched = false;
	return kt_session_wait_all(s, limit_s, what, err);
}

/* Holds the stream until the word at `flag` is the session's next ticket. */
static kt_status hold(struct kt_session *s, kt_cu_address flag, struct kt_error *err)
{
	/* Where launches are synchronous (debuggers, some tools) the gate must give up by itself. */
	uint64_t limit_ns = 20 * 1000 * 1000;
	unsigned ticket = ++s->ticket;
	void *arguments[] = {&flag, &ticket, &limit_ns};
	return launch(s, KT_KERNEL_GATE, 1, 1, arguments, err);
}

kt_status kt_support_gate(struct kt_session *s, struct kt_error *err)
{
	return hold(s, s->gate_device, err);
}

void kt_support_open(struct kt_session *s)
{
	__atomic_store_n(s->gate, s->ticket, __ATOMIC_RELEASE);
}

kt_status kt_support_disturb(void *device, uint64_t number, double ns, struct kt_error *err)
{
	struct kt_session *s = device;
	TRY(kt_session_check(s, s->cu.event_record(s->reached, s->stream), "recording an event", err));
	TRY(hold(s, s->disturbance + sizeof s->ticket, err));
	s->disturbed_where = (unsigned)(number % 12); /* schedulers by four, multiprocessors by three */
	s->disturbed_ns = (uint64_t)ns;
	return KT_OK;
}

kt_status kt_support_disturb_now(struct kt_session *s, struct kt_error *err)
{
	const int64_t multiprocessors = s->engine.device.multiprocessors;
	unsigned ticket = s->ticket, where = s->disturbed_where;
	uint64_t limit_ns = s->disturbed_ns;
	void *arguments[] = {&s->disturbance, &ticket, &where, &limit_ns};
	s->disturbed_ns = 0;
	TRY(kt_session_check(s, s->cu.set_words(s->disturbance + 2 * sizeof ticket, ticket, 1, s->stream),
			     "running the kernel", err));
	/* On a device that runs only the gate, one block goes to each multiprocessor. */
	TRY(kt_session_check(s, s->cu.stream_after(s->beside, s->reached, 0), "ordering two streams", err));
	return kt_session_check(s,
				s->cu.launch(s->kernels[KT_KERNEL_DISTURB],
					     (unsigned)(multiprocessors > 0 ? multiprocessors : 1), 1, 1, DISTURB_BLOCK,
					     1, 1, 0, s->beside, arguments, NULL),
				names[KT_KERNEL_DISTURB], err);
}

kt_status kt_support_sweep(struct kt_session *s, struct kt_error *err)
{
	uint64_t vectors = s->sweep_bytes / 16;
	kt_cu_address sink = s->results_device;
	void *arguments[] = {&s->sweep, &vectors, &sink};
	return launch(s, KT_KERNEL_SWEEP, blocks_for(s, vectors), BLOCK, arguments, err);
}

kt_status kt_support_move(struct kt_session *s, const struct kt_run_launch *launched, struct kt_error *err)
{
	/* Kernels and how many vectors each of their threads moves. */
	static const struct {
		enum kt_kernel kernel;
		uint64_t each;
	} shapes[KT_SUPPORT_SHAPES] = {{KT_KERNEL_COPY_1, 1},
	                               {KT_KERNEL_COPY_2, 2},
	                               {KT_KERNEL_COPY_2_STREAM, 2},
	                               {KT_KERNEL_COPY_4_STREAM, 4}};
	static const unsigned empty_blocks[KT_SUPPORT_EMPTY_SHAPES] = {1, 16, 256};
	kt_cu_address to = kt_session_address(s, launched->at[0]), from = kt_session_address(s, launched->at[1]);
	uint64_t writes = (launched->bytes[0] + 15) / 16, reads = (launched->bytes[1] + 15) / 16;
	uint64_t less = writes < reads ? writes : reads, most = writes < reads ? reads : writes;
	/* As many threads as kernels.cu counts lanes. */
	uint64_t lanes = less == 0 ? most : less > (most + 3) / 4 ? less : (most + 3) / 4;
	uint64_t each = BLOCK * shapes[launched->shape].each, blocks = (lanes + each - 1) / each;
	void *arguments[] = {&to, &writes, &from, &reads};
	if (most == 0)
		return launch(s, KT_KERNEL_NOTHING, empty_blocks[launched->shape], BLOCK, NULL, err);
	return launch(s, shapes[launched->shape].kernel, (unsigned)(blocks < 1 ? 1 : blocks), BLOCK, arguments, err);
}
