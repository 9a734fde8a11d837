/* Finding buffers of few elements in which atomics accumulate. */
#include "generation/ir/bins.h"

#include "generation/ir/combined.h"
#include "generation/ir/effect.h"
#include "generation/ir/independent.h"
#include "generation/ir/walk.h"

/* RESERVED: for what other passes exchange in shared memory. */
enum { MOST_BYTES = 48 * 1024, RESERVED = 2 * 1024 };

struct finding {
	struct kt_ir_offer *offer;
	struct kt_ir_module *module;
	const struct kt_ir_function *kernel;
	const struct kt_ir_lets *lets;
	struct kt_ir_bins *bins;
	const char *why;
	uint32_t line;
};

static bool stop(struct finding *f, const struct kt_ir_statement *s, const char *why)
{
	if (f->why == NULL) {
		f->why = why;
		f->line = s->line;
	}
	return false;
}

int64_t kt_ir_bin_pitch(const struct kt_ir_bin_buffer *b, int64_t copies)
{
	return copies == 1 ? b->elements : b->elements | 1;
}

int64_t kt_ir_bin_bytes(const struct kt_ir_bins *bins, int64_t copies)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < bins->count; i++)
		bytes += copies * kt_ir_bin_pitch(&bins->buffers[i], copies) * (int64_t)bins->buffers[i].first->value->type->size;
	return bytes;
}

/* The one index on the way from a root, which the place has, by steps and casts that keep the size of an element. False: another way. */
static bool find_index(const struct kt_ir_value **index, const struct kt_ir_place *place, uint64_t size)
{
	const struct kt_ir_value *pointer = place->pointer;

	for (size_t i = 0; i < place->count; i++) {
		const struct kt_ir_step *step = &place->steps[i];

		if (step->type->size != size || (step->kind != KT_IR_INDEX && step->kind != KT_IR_SEEN_AS) ||
		    (step->kind == KT_IR_INDEX && *index != NULL))
			return false;
		if (step->kind == KT_IR_INDEX)
			*index = step->index;
	}
	while (pointer != NULL && pointer->op == KT_IR_CONVERT && pointer->type->element->size == size)
		pointer = pointer->arguments[0];
	if (pointer == NULL)
		return true;
	if (pointer->type->element->size != size)
		return false;
	return pointer->op == KT_IR_ADDRESS ? find_index(index, pointer->place, size) : pointer->op == KT_IR_READ;
}

/* The one index of an atomic's place; its root is *root. */
static const struct kt_ir_value *index_of(const struct kt_ir_symbol **root, const struct kt_ir_statement *s)
{
	const struct kt_ir_value *index = NULL;

	*root = kt_ir_root_of(s->place);
	return *root != NULL && find_index(&index, s->place, s->value->type->size) ? index : NULL;
}

const struct kt_ir_value *kt_ir_bin_of(size_t *number, const struct kt_ir_bins *bins, const struct kt_ir_statement *s)
{
	const struct kt_ir_symbol *root;
	const struct kt_ir_value *index = s->kind == KT_IR_S_ATOMIC && kt_ir_is_combinable(s) ? index_of(&root, s) : NULL;

	for (size_t i = 0; index != NULL && i < bins->count; i++)
		if (bins->buffers[i].root->id == root->id) {
			*number = i;
			return index;
		}
	return NULL;
}

/* Elements of the buffer on the largest problem; 0: not known. */
static int64_t elements_of(const struct finding *f, const struct kt_ir_symbol *root)
{
	if (root->kind == KT_IR_GLOBAL_SYMBOL)
		return root->type->kind == KT_IR_ARRAY ? root->type->count : 0;
	for (size_t i = 0; f->offer->facts->most != NULL && i < f->kernel->argument_count; i++)
		if (f->kernel->arguments[i] == root)
			return f->offer->facts->most[i];
	return 0;
}

static void add_buffer(struct finding *f, const struct kt_ir_symbol *root, const struct kt_ir_statement *s)
{
	struct kt_ir_bins *bins = f->bins;
	const int64_t elements = elements_of(f, root);

	if (elements < 1) {
		(void)stop(f, s, "how many elements the buffer of the atomics has is not known");
		return;
	}
	if (bins->count == KT_IR_MOST_BINS)
		return;
	bins->buffers[bins->count] = (struct kt_ir_bin_buffer){root, s, elements < MOST_BYTES ? elements : MOST_BYTES};
	bins->count++;
	if (kt_ir_bin_bytes(bins, 1) + bins->own_bytes + RESERVED > MOST_BYTES) {
		bins->count--;
		(void)stop(f, s, "shared memory does not hold as many elements as the buffer of the atomics has");
	}
}

static void consider(struct finding *f, const struct kt_ir_statement *s)
{
	const struct kt_ir_symbol *root;
	size_t number;

	if (kt_ir_space_of(s->place) == KT_IR_SPACE_SHARED || kt_ir_bin_of(&number, f->bins, s) != NULL)
		return;
	if (!kt_ir_is_combinable(s) || index_of(&root, s) == NULL)
		(void)stop(f, s, "an atomic is not of one element of a buffer, or of an operation whose order matters");
	else if (kt_ir_place_of_block(f->module, f->lets, s) != NULL)
		(void)stop(f, s, "threads of a block add to one place");
	else
		add_buffer(f, root, s);
}

static void find(struct finding *f, const struct kt_ir_region *region, bool is_single)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		if (s->kind == KT_IR_S_ATOMIC && is_single)
			(void)stop(f, s, "one thread of a block or warp does it already");
		else if (s->kind == KT_IR_S_ATOMIC)
			consider(f, s);
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			find(f, inner, is_single || (s->kind == KT_IR_S_IF && i == 0 && kt_ir_singles_out(f->module, f->lets, s->value)));
	}
}

static bool is_clear(struct kt_ir_statement *s, void *context)
{
	struct finding *f = context;
	const char *why = kt_ir_why_now(f->kernel, s);

	if (kt_ir_declares_shared(s)) {
		f->bins->own_bytes += (int64_t)s->symbol->type->size;
		f->bins->has_dynamic |= s->symbol->is_extern;
	}
	return why == NULL || stop(f, s, why);
}

const char *kt_ir_why_no_bins(struct kt_ir_bins *bins, uint32_t *line, struct kt_ir_offer *offer, struct kt_ir_module *module,
			      const struct kt_ir_lets *lets)
{
	struct finding f = {offer, module, module->last_function, lets, bins, NULL, 0};
	const char *why;

	*bins = (struct kt_ir_bins){.count = 0};
	*line = f.kernel->line;
	if (kt_ir_visit(&f.kernel->body, is_clear, &f))
		find(&f, &f.kernel->body, false);
	if (f.why != NULL && bins->count == 0) {
		*line = f.line;
		return f.why;
	}
	if (bins->count == 0)
		return "the kernel has no atomics";
	for (size_t i = 0; i < bins->count; i++) {
		const struct kt_ir_bin_buffer *b = &bins->buffers[i];

		why = kt_ir_why_seen(line, offer, f.kernel, NULL, b->first, b->first->place, "BINS == 0");
		if (why != NULL)
			return why;
	}
	return NULL;
}
