/*
 * Arena: many small allocations that die together; lists in them.
 *
 * Memory is zeroed and aligned for any type. An arena never frees a single
 * allocation. Every arena has a ceiling in bytes; past it, and when malloc
 * fails, the allocating call returns NULL.
 */
#ifndef KT_BASE_ARENA_H
#define KT_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct kt_arena;

/* Creates an arena that hands out at most ceiling_bytes; NULL when out of memory. */
struct kt_arena *kt_arena_new(size_t ceiling_bytes);
/* Frees everything it handed out. Accepts NULL. */
void kt_arena_free(struct kt_arena *arena);

void *kt_arena_alloc(struct kt_arena *arena, size_t bytes);
/* count elements of size bytes each; NULL on overflow as well. */
void *kt_arena_array(struct kt_arena *arena, size_t count, size_t size);
char *kt_arena_strdup(struct kt_arena *arena, const char *text);
char *kt_arena_strndup(struct kt_arena *arena, const char *text, size_t length);
char *kt_arena_printf(struct kt_arena *arena, const char *format, ...) KT_PRINTF(2, 3);

/*
 * Grows the array *items of *count elements by one zeroed element and returns
 * the new element, NULL when out of memory. Capacity doubles; *items moves.
 */
void *kt_arena_push(struct kt_arena *arena, void *items_pointer, size_t *count, size_t size);
/* A text at the end of a list of texts. False: it is NULL, or out of memory. */
bool kt_arena_push_text(struct kt_arena *arena, void *items_pointer, size_t *count, const char *text);

/* Is the text one of these? */
bool kt_has_text(const char *const *texts, size_t count, const char *text);
/* The first of `count` records whose member, a pointer to a text, is this one; NULL: none. */
#define KT_FIND(records, count, member, text) \
	((__typeof__(&(records)[0]))kt_find_record( \
	    (records), (count), sizeof *(records), offsetof(__typeof__((records)[0]), member), \
	    _Generic(&(records)[0].member, const char *const *: (text), const char **: (text), char *const *: (text), char **: (text))))
void *kt_find_record(const void *records, size_t count, size_t size, size_t offset, const char *text);

/* Orders for qsort: of texts (const char *) and of numbers (double). */
int kt_by_text(const void *left, const void *right);
int kt_by_number(const void *left, const void *right);

/* Takes over memory from malloc, which goes when the arena does. False when out of memory: the caller keeps it. */
bool kt_arena_adopt(struct kt_arena *arena, void *memory, size_t bytes);

/* The ceiling of the arena that holds one translation unit's regions. */
#define KT_ARENA_REGION_BYTES ((size_t)64 << 20)

#endif
