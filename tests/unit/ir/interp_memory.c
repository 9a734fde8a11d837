/* Objects of the interpreter, and who touched their bytes. */
#include <inttypes.h>
#include <string.h>

#include "interp_state.h"

/* An address is an object's number, and an offset behind a margin on both sides that pointers may be moved over. */
#define OBJECT_SHIFT 40
#define MARGIN ((uint64_t)1 << 38)

uint64_t kt_ir_object_address(uint32_t number, uint64_t offset)
{
	return ((uint64_t)number << OBJECT_SHIFT) + MARGIN + offset;
}

uint32_t kt_ir_object_new(struct kt_ir_machine *m, const char *name, void *data, uint64_t size, bool is_set)
{
	struct kt_ir_object *object = kt_arena_push(m->arena, &m->objects, &m->object_count, sizeof *object);

	if (object == NULL)
		return 0;
	object->name = name;
	object->size = size;
	object->data = data != NULL ? data : kt_arena_alloc(m->arena, size + 1);
	object->shadow = kt_arena_array(m->arena, size + 1, sizeof *object->shadow);
	if (object->data == NULL || object->shadow == NULL)
		return 0;
	for (uint64_t i = 0; i < size; i++)
		object->shadow[i].is_set = is_set;
	return (uint32_t)m->object_count;
}

void kt_ir_object_clear(struct kt_ir_object *object)
{
	memset(object->data, 0xa5, object->size);
	memset(object->shadow, 0, object->size * sizeof *object->shadow);
}

uint64_t kt_ir_symbol_address(struct kt_ir_thread *t, const struct kt_ir_symbol *symbol)
{
	const bool is_own = symbol->kind == KT_IR_LOCAL_SYMBOL || symbol->kind == KT_IR_ARGUMENT;
	const uint32_t number = is_own ? t->objects[symbol->id] : t->machine->globals[symbol->id];

	if (number == 0)
		kt_ir_stop(t, KT_IR_UNSET, "the memory of '%s' does not exist yet", symbol->hint);
	return kt_ir_object_address(number, 0);
}

/* The object of an access that lies within it; stops otherwise. */
static struct kt_ir_object *object_at(struct kt_ir_thread *t, uint64_t address, uint64_t size, uint32_t align,
				      uint64_t *offset)
{
	const uint64_t number = address >> OBJECT_SHIFT;
	const int64_t at = (int64_t)(address - (number << OBJECT_SHIFT) - MARGIN);
	struct kt_ir_object *object;

	if (number == 0 || number > t->machine->object_count)
		kt_ir_stop(t, KT_IR_OUT_OF_BOUNDS, "the address 0x%" PRIx64 " is of no object", address);
	object = &t->machine->objects[number - 1];
	if (at < 0 || (uint64_t)at + size > object->size)
		kt_ir_stop(t, KT_IR_OUT_OF_BOUNDS, "byte %" PRId64 " of '%s', which has %" PRIu64, at, object->name,
			   object->size);
	if (align > 1 && (uint64_t)at % align != 0)
		kt_ir_stop(t, KT_IR_MISALIGNED, "byte %" PRId64 " of '%s' is not aligned to %u", at, object->name,
			   align);
	*offset = (uint64_t)at;
	return object;
}

/* Is what `before` did ordered before what this thread does now? */
static bool ordered(const struct kt_ir_thread *t, const struct kt_ir_access *before)
{
	const struct kt_ir_machine *m = t->machine;
	const uint32_t first = m->block_linear * m->thread_count;
	uint32_t other;

	if (before->who == 0 || before->who - 1 == first + t->linear)
		return true;
	if (before->who - 1 < first || before->who - 1 >= first + m->thread_count)
		return false;
	if (before->epoch < m->epoch)
		return true;
	other = before->who - 1 - first;
	if (other / KT_IR_WARP_LANES != t->linear / KT_IR_WARP_LANES)
		return false;
	return m->common[(t->linear * KT_IR_WARP_LANES) + other % KT_IR_WARP_LANES] > before->stamp;
}

static struct kt_ir_access now(const struct kt_ir_thread *t, bool is_atomic)
{
	const struct kt_ir_machine *m = t->machine;

	return (struct kt_ir_access){m->block_linear * m->thread_count + t->linear + 1, m->epoch,
				     m->stamps[t->linear / KT_IR_WARP_LANES], is_atomic};
}

static void race(struct kt_ir_thread *t, const struct kt_ir_object *object, uint64_t byte,
		 const struct kt_ir_access *before, const char *what)
{
	const uint32_t threads = t->machine->thread_count;

	kt_ir_stop(t, KT_IR_RACE, "%s byte %" PRIu64 " of '%s', which thread %u of block %u accesses without order", what,
		   byte, object->name, (before->who - 1) % threads, (before->who - 1) / threads);
}

void kt_ir_memory_read(struct kt_ir_thread *t, void *bytes, uint64_t address, uint64_t size, uint32_t align,
		       bool is_atomic, bool may_be_unset)
{
	uint64_t offset;
	struct kt_ir_object *object = object_at(t, address, size, align, &offset);
	const struct kt_ir_access access = now(t, is_atomic);

	for (uint64_t i = offset; i < offset + size; i++) {
		struct kt_ir_shadow *shadow = &object->shadow[i];

		if (!shadow->is_set && !may_be_unset)
			kt_ir_stop(t, KT_IR_UNSET, "byte %" PRIu64 " of '%s' was never set", i, object->name);
		if (object->is_private)
			continue;
		if (!ordered(t, &shadow->write) && !(is_atomic && shadow->write.is_atomic))
			race(t, object, i, &shadow->write, "reads");
		if (shadow->read[0].who != access.who)
			shadow->read[1] = shadow->read[0];
		shadow->read[0] = access;
	}
	memcpy(bytes, object->data + offset, size);
}

void kt_ir_memory_write(struct kt_ir_thread *t, const void *bytes, uint64_t address, uint64_t size, uint32_t align,
			bool is_atomic)
{
	uint64_t offset;
	struct kt_ir_object *object = object_at(t, address, size, align, &offset);
	const struct kt_ir_access access = now(t, is_atomic);

	if (object->is_read_only)
		kt_ir_stop(t, KT_IR_READ_ONLY, "byte %" PRIu64 " of '%s' is written", offset, object->name);
	for (uint64_t i = offset; i < offset + size; i++) {
		struct kt_ir_shadow *shadow = &object->shadow[i];

		shadow->is_set = true;
		if (object->is_private)
			continue;
		if (!ordered(t, &shadow->write) && !(is_atomic && shadow->write.is_atomic))
			race(t, object, i, &shadow->write, "writes");
		for (int r = 0; r < 2; r++)
			if (!ordered(t, &shadow->read[r]) && !(is_atomic && shadow->read[r].is_atomic))
				race(t, object, i, &shadow->read[r], "writes");
		shadow->write = access;
	}
	memcpy(object->data + offset, bytes, size);
}
