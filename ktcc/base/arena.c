#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
	struct block *next;
	size_t used, size;
	_Alignas(max_align_t) unsigned char data[];
};

/* Lies in the arena itself. */
struct adopted {
	struct adopted *next;
	void *memory;
};

struct kt_arena {
	struct block *blocks;
	struct adopted *adopted;
	size_t total, ceiling;
};

enum { BLOCK_BYTES = 64 << 10 };

struct kt_arena *kt_arena_new(size_t ceiling_bytes)
{
	struct kt_arena *arena = calloc(1, sizeof *arena);

	if (arena != NULL)
		arena->ceiling = ceiling_bytes;
	return arena;
}

void kt_arena_free(struct kt_arena *arena)
{
	struct block *block, *next;

	if (arena == NULL)
		return;
	for (const struct adopted *each = arena->adopted; each != NULL; each = each->next)
		free(each->memory);
	for (block = arena->blocks; block != NULL; block = next) {
		next = block->next;
		free(block);
	}
	free(arena);
}

void *kt_arena_alloc(struct kt_arena *arena, size_t bytes)
{
	struct block *block = arena->blocks;
	size_t need, size;

	if (bytes > arena->ceiling)
		return NULL;
	need = (bytes + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
	if (need == 0)
		need = _Alignof(max_align_t);
	if (block == NULL || block->size - block->used < need) {
		size = need > BLOCK_BYTES ? need : BLOCK_BYTES;
		if (size > arena->ceiling - arena->total) {
			size = need;
			if (size > arena->ceiling - arena->total)
				return NULL;
		}
		NEED(block = calloc(1, sizeof *block + size), NULL);
		block->size = size;
		arena->total += size;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	block->used += need;
	return block->data + block->used - need;
}

void *kt_arena_array(struct kt_arena *arena, size_t count, size_t size)
{
	if (size != 0 && count > SIZE_MAX / size)
		return NULL;
	return kt_arena_alloc(arena, count * size);
}

bool kt_arena_adopt(struct kt_arena *arena, void *memory, size_t bytes)
{
	struct adopted *each = kt_arena_alloc(arena, sizeof *each);

	if (each == NULL || bytes > arena->ceiling - arena->total)
		return false;
	arena->total += bytes;
	*each = (struct adopted){arena->adopted, memory};
	arena->adopted = each;
	return true;
}

char *kt_arena_strndup(struct kt_arena *arena, const char *text, size_t length)
{
	char *copy = kt_arena_alloc(arena, length + 1);

	if (copy != NULL) {
		memcpy(copy, text, length);
		copy[length] = '\0';
	}
	return copy;
}

char *kt_arena_strdup(struct kt_arena *arena, const char *text)
{
	return kt_arena_strndup(arena, text, strlen(text));
}

char *kt_arena_printf(struct kt_arena *arena, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0)
		return NULL;
	NEED(text = kt_arena_alloc(arena, (size_t)length + 1), NULL);
	va_start(arguments, format);
	vsnprintf(text, (size_t)length + 1, format, arguments);
	va_end(arguments);
	return text;
}

void *kt_arena_push(struct kt_arena *arena, void *items_pointer, size_t *count, size_t size)
{
	unsigned char *items;
	size_t n = *count;

	memcpy(&items, items_pointer, sizeof items);
	/* Capacity is implied: arrays grow when the count reaches 0, 8 or a power of two above it. */
	if (n == 0 || (n >= 8 && (n & (n - 1)) == 0)) {
		size_t capacity = n == 0 ? 8 : n;
		unsigned char *grown;

		if (n > SIZE_MAX / 2)
			return NULL;
		grown = kt_arena_array(arena, n == 0 ? capacity : 2 * capacity, size);
		if (grown == NULL)
			return NULL;
		if (n != 0)
			memcpy(grown, items, n * size);
		items = grown;
		memcpy(items_pointer, &items, sizeof items);
	}
	*count = n + 1;
	return items + n * size;
}

bool kt_arena_push_text(struct kt_arena *arena, void *items_pointer, size_t *count, const char *text)
{
	const char **slot = text != NULL ? kt_arena_push(arena, items_pointer, count, sizeof *slot) : NULL;

	if (slot != NULL)
		*slot = text;
	return slot != NULL;
}

bool kt_has_text(const char *const *texts, size_t count, const char *text)
{
	return kt_find_record(texts, count, sizeof *texts, 0, text) != NULL;
}

void *kt_find_record(const void *records, size_t count, size_t size, size_t offset, const char *text)
{
	const char *record = records;

	for (size_t i = 0; i < count; i++, record += size) {
		const char *own;

		memcpy(&own, record + offset, sizeof own);
		if (strcmp(own, text) == 0)
			return (void *)record;
	}
	return NULL;
}

int kt_by_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

int kt_by_number(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}
