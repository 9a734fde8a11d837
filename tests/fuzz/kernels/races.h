/*
 * Races of a kernel in global memory. GCC instruments each access as for ThreadSanitizer, whose runtime is not
 * linked: the functions that it would have are here. Threads and blocks of the executor run one after the other, so
 * each byte remembers its last accesses, and two that nothing orders are a race, whatever order these threads took:
 * of two blocks any two of which one writes, of one block those without a barrier between them. Writes of the same
 * value are none, and atomic operations only with plain accesses. Shared memory is left to the random order of
 * threads.
 */
#define EMU_PLAIN __attribute__((no_sanitize("thread"), optimize("O2")))

struct race_access {
	unsigned block, thread, barriers, warp_barriers; /* block 0: none; numbered over all launches */
};
struct race_byte {
	race_access wrote, read, atomic;
	bool read_by_others, atomic_by_others; /* another thread of the block as well, since its last barrier */
	bool read_by_blocks, atomic_by_blocks; /* another block as well */
};
struct race_buffer {
	char *begin, *end;
	race_byte *bytes;
};
enum { RACE_BUFFERS = 32 };
static race_buffer race_buffers[RACE_BUFFERS];
static unsigned race_count, race_first, race_blocks; /* first block of the launch, blocks so far */
static bool race_on, race_found;
/* A write over another thread's: no race if it leaves the same. */
static char race_old[16], *race_at;
static unsigned race_size;

EMU_PLAIN static race_access race_now()
{
	return {race_blocks, (unsigned)current, emu_barriers, emu_warp_barriers[current / 32]};
}

/* Nothing orders the two. */
EMU_PLAIN static bool race_between(const race_access &a, const race_access &b)
{
	if (a.block < race_first || (a.block == b.block && a.thread == b.thread))
		return false;
	if (a.block != b.block)
		return true;
	return a.barriers == b.barriers && (a.thread / 32 != b.thread / 32 || a.warp_barriers == b.warp_barriers);
}

EMU_PLAIN static void race_note(race_access &last, bool &others, bool &blocks, const race_access &now)
{
	if (last.block < race_first)
		others = blocks = false;
	blocks = blocks || (last.block >= race_first && last.block != now.block);
	others = (others && last.block == now.block && last.barriers == now.barriers) || race_between(last, now);
	last = now;
}

EMU_PLAIN static bool race_with(const race_access &last, bool others, bool blocks, const race_access &now)
{
	return last.block >= race_first && (blocks || others || race_between(last, now));
}

EMU_PLAIN static void race_settle()
{
	if (race_size > 0 && memcmp(race_old, race_at, race_size) != 0)
		race_found = true;
	race_size = 0;
}

enum race_kind { RACE_READ, RACE_WRITE, RACE_ATOMIC };

EMU_PLAIN static void race_touch(void *address, size_t size, race_kind kind)
{
	char *at = (char *)address;
	race_buffer *buffer = race_buffers;

	if (!race_on)
		return;
	race_settle();
	while (buffer < race_buffers + race_count && (at < buffer->begin || at + size > buffer->end))
		buffer++;
	if (buffer == race_buffers + race_count)
		return;
	const race_access now = race_now();
	bool over = false;
	for (race_byte *b = buffer->bytes + (at - buffer->begin), *end = b + size; b < end; b++) {
		const bool wrote = race_between(b->wrote, now);
		const bool atomic = race_with(b->atomic, b->atomic_by_others, b->atomic_by_blocks, now);

		race_found = race_found || (kind != RACE_ATOMIC && atomic) || (kind != RACE_WRITE && wrote) ||
			     (kind != RACE_READ && race_with(b->read, b->read_by_others, b->read_by_blocks, now));
		over = over || (kind == RACE_WRITE && wrote);
		if (kind == RACE_READ)
			race_note(b->read, b->read_by_others, b->read_by_blocks, now);
		else if (kind == RACE_ATOMIC)
			race_note(b->atomic, b->atomic_by_others, b->atomic_by_blocks, now);
		else
			b->wrote = now;
	}
	if (over && size <= sizeof race_old) {
		memcpy(race_old, at, size);
		race_at = at;
		race_size = size;
	} else if (over) {
		race_found = true;
	}
}

/* The calls that GCC writes. */
extern "C" {
EMU_PLAIN void __tsan_init()
{
}
EMU_PLAIN void __tsan_func_entry(void *)
{
}
EMU_PLAIN void __tsan_func_exit()
{
}
EMU_PLAIN void __tsan_vptr_update(void *, void *)
{
}
#define RACE_CALLS(n) \
	EMU_PLAIN void __tsan_read##n(void *at) { race_touch(at, n, RACE_READ); } \
	EMU_PLAIN void __tsan_write##n(void *at) { race_touch(at, n, RACE_WRITE); } \
	EMU_PLAIN void __tsan_unaligned_read##n(void *at) { race_touch(at, n, RACE_READ); } \
	EMU_PLAIN void __tsan_unaligned_write##n(void *at) { race_touch(at, n, RACE_WRITE); } \
	EMU_PLAIN void __tsan_volatile_read##n(void *at) { race_touch(at, n, RACE_READ); } \
	EMU_PLAIN void __tsan_volatile_write##n(void *at) { race_touch(at, n, RACE_WRITE); }
RACE_CALLS(1)
RACE_CALLS(2)
RACE_CALLS(4)
RACE_CALLS(8)
RACE_CALLS(16)
EMU_PLAIN void __tsan_read_range(void *at, size_t size)
{
	race_touch(at, size, RACE_READ);
}
EMU_PLAIN void __tsan_write_range(void *at, size_t size)
{
	race_touch(at, size, RACE_WRITE);
}
}

EMU_PLAIN static void race_atomic(void *at, size_t size)
{
	race_touch(at, size, RACE_ATOMIC);
}
EMU_PLAIN static void race_launch()
{
	race_first = race_blocks + 1;
}
EMU_PLAIN static void race_block()
{
	race_blocks++;
}
EMU_PLAIN static void race_watch(char *begin, size_t bytes)
{
	if (race_count < RACE_BUFFERS)
		race_buffers[race_count++] = {begin, begin + bytes, (race_byte *)calloc(bytes, sizeof(race_byte))};
}
/* Whether there was a race since watching began. Ends it. */
EMU_PLAIN static bool race_end()
{
	race_settle();
	for (unsigned i = 0; i < race_count; i++)
		free(race_buffers[i].bytes);
	race_count = 0;
	race_on = false;
	return race_found;
}
