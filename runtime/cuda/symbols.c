/* Device symbols: where a program has them, and what is copied there before a launch and back after it. */
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/symbol.h"
#include "cuda/session.h"

/* Names of the variables of the program at `path`, as its compiler wrote them. */
static kt_status read_names(const char ***out, size_t *count, struct kt_arena *arena, const char *path,
                            struct kt_error *err)
{
	struct kt_buf data = KT_BUF(KT_CUBIN_BYTES);
	kt_status status = kt_fs_read(&data, path, err);
	struct kt_image image = {.data = (const unsigned char *)data.data, .size = data.size};
	THEN(status, kt_image_open(&image, err));
	THEN(status, kt_image_variables(out, count, arena, &image, err));
	kt_buf_free(&data);
	return status;
}

/* What is being looked for in one program. */
struct search {
	struct kt_session *s;
	struct kt_module *module;
	struct kt_arena *arena;
	const char **names; /* of its variables, once they are needed */
	size_t count;
	bool read;
};

/* *address 0: the program has none of exactly that name. */
static kt_status ask(kt_cu_address *address, size_t *bytes, struct search *search, const char *name,
                     struct kt_error *err)
{
	kt_cu_result result = search->s->cu.module_global(address, bytes, search->module->handle, name);
	if (result == KT_CU_NOT_FOUND)
		*address = 0;
	return result == KT_CU_NOT_FOUND ? KT_OK : kt_session_check(search->s, result, name, err);
}

/* Most compilers' name is the form itself; what has internal linkage carries the unit as well. */
static kt_status find(kt_cu_address *address, size_t *bytes, struct search *search, const char *symbol,
                      struct kt_error *err)
{
	const char *form;
	NEED(form = kt_symbol_variable(search->arena, symbol), kt_no_memory(err));
	kt_status status = ask(address, bytes, search, form, err);
	if (status || *address)
		return status;
	if (!search->read)
		status = read_names(&search->names, &search->count, search->arena, search->module->path, err);
	search->read = true;
	for (size_t i = 0; !status && !*address && i < search->count; i++) {
		const char *other;
		NEED(other = kt_symbol_variable(search->arena, search->names[i]), kt_no_memory(err));
		if (strcmp(other, form) == 0)
			status = ask(address, bytes, search, search->names[i], err);
	}
	return status;
}

static kt_status find_one(struct search *search, size_t b, bool original, struct kt_error *err)
{
	const struct kt_run_buffer *buffer = &search->s->engine.region->buffers[b];
	kt_cu_address *address = &search->module->symbols[b];
	size_t bytes = 0;
	*address = 0;
	if (!buffer->symbol)
		return KT_OK;
	kt_status status = find(address, &bytes, search, buffer->symbol, err);
	if (!status && !*address && original)
		return kt_fail(err, KT_ERR_INVALID,
		               "the original's program has no device symbol '%s': remove its clause if the kernel does not use it",
		               buffer->name);
	if (!status && *address && bytes != buffer->symbol_bytes)
		return kt_fail(err, KT_ERR_INVALID, "device symbol '%s' has %zu bytes in the program and %zu in the source",
		               buffer->name, bytes, buffer->symbol_bytes);
	return status;
}

kt_status kt_symbols_find(struct kt_session *s, struct kt_module *module, bool original, struct kt_error *err)
{
	const struct kt_run_region *region = s->engine.region;
	size_t b = 0;
	while (b < region->buffer_count && !region->buffers[b].symbol)
		b++;
	memset(module->symbols, 0, sizeof module->symbols);
	if (b == region->buffer_count)
		return KT_OK;
	struct search search = {.s = s, .module = module, .arena = kt_arena_new(KT_CUBIN_BYTES)};
	kt_status status = search.arena ? KT_OK : kt_no_memory(err);
	for (; !status && b < region->buffer_count; b++)
		status = find_one(&search, b, original, err);
	kt_arena_free(search.arena);
	return status;
}

/* The buffer that is where this one is, and a symbol of the program; else the buffer itself. */
static size_t leader_of(const struct kt_session *s, const struct kt_module *module, const struct kt_run_launch *on,
                        size_t buffer)
{
	for (size_t b = 0; b < s->engine.region->buffer_count; b++) {
		if (module && module->symbols[b] && on->at[b] == on->at[buffer])
			return b;
	}
	return buffer;
}

kt_cu_address kt_symbols_address(const struct kt_session *s, const struct kt_module *module,
                                 const struct kt_run_launch *on, size_t buffer)
{
	const size_t leader = leader_of(s, module, on, buffer);
	return module && module->symbols[leader] ? module->symbols[leader] : kt_session_address(s, on->at[buffer]);
}

/*
 * Bytes that are exchanged. All of the symbol, so that what its clause does not count is looked at as a zone is; but a
 * tool that watches must not see bytes copied that were never written.
 */
static size_t exchanged(const struct kt_run_region *region, const struct kt_run_launch *on, size_t b, bool in)
{
	const enum kt_direction direction = region->buffers[b].direction;
	if (!region->once)
		return region->buffers[b].symbol_bytes;
	return in && kt_is_filled(direction) ? on->bytes[b] : 0;
}

static kt_status exchange(struct kt_session *s, const struct kt_run_launch *on, bool in, struct kt_error *err)
{
	const struct kt_run_region *region = s->engine.region;
	const struct kt_module *module = on->function ? on->function->module : NULL;
	for (size_t b = 0; module && b < region->buffer_count; b++) {
		const kt_cu_address symbol = module->symbols[b], place = module->symbols[b] ? kt_session_address(s, on->at[b]) : 0;
		const size_t bytes = symbol ? exchanged(region, on, b, in) : 0;
		if (bytes)
			TRY(kt_session_check(
			    s, s->cu.on_device(in ? symbol : place, in ? place : symbol, bytes, s->stream),
			    "copying a device symbol", err));
	}
	return KT_OK;
}

kt_status kt_symbols_enter(struct kt_session *s, const struct kt_run_launch *first, struct kt_error *err)
{
	return exchange(s, first, true, err);
}

kt_status kt_symbols_leave(struct kt_session *s, const struct kt_run_launch *launches, size_t count,
                           struct kt_error *err)
{
	for (size_t i = 0; i < count; i++) {
		size_t before = 0;
		while (before < i && launches[before].at != launches[i].at)
			before++;
		if (before == i)
			TRY(exchange(s, &launches[i], false, err));
	}
	return KT_OK;
}

/* ---- constants: what no clause names */

/* Those that the program has; one that the compiler has put into the code is in no memory. */
static kt_status find_constants(struct kt_watch *watch, struct search *search, const struct kt_run_region *region,
                                struct kt_error *err)
{
	kt_status status = KT_OK;
	watch->count = watch->bytes = 0;
	for (size_t i = 0; !status && i < region->constant_count; i++) {
		kt_cu_address address = 0;
		size_t bytes = 0;
		status = find(&address, &bytes, search, region->constants[i], err);
		if (status || !address || bytes > KT_WATCH_BYTES - watch->bytes)
			continue;
		watch->items[watch->count].name = region->constants[i];
		watch->items[watch->count].address = address;
		watch->items[watch->count].bytes = bytes;
		watch->items[watch->count++].begin = watch->bytes;
		watch->bytes += bytes;
	}
	return status;
}

/* Reads all of them, and waits. */
static kt_status read_constants(struct kt_session *s, unsigned char *to, struct kt_error *err)
{
	const struct kt_watch *watch = &s->watch;
	for (size_t i = 0; i < watch->count; i++)
		TRY(kt_session_check(s,
				     s->cu.to_host(to + watch->items[i].begin, watch->items[i].address,
						   watch->items[i].bytes, s->stream),
				     "reading a constant", err));
	return !watch->count ? KT_OK : kt_session_wait(s, s->engine.limit_s, "reading constants", err);
}

kt_status kt_symbols_remember(void *device, const struct kt_function *function, struct kt_error *err)
{
	struct kt_session *s = device;
	struct search search = {.s = s, .module = function->module, .arena = kt_arena_new(KT_CUBIN_BYTES)};
	kt_status status = search.arena ? KT_OK : kt_no_memory(err);
	THEN(status, find_constants(&s->watch, &search, s->engine.region, err));
	kt_arena_free(search.arena);
	free(s->watch.held);
	s->watch.held = status || !s->watch.bytes ? NULL : malloc(2 * s->watch.bytes);
	if (!status && s->watch.bytes && !s->watch.held)
		status = kt_no_memory(err);
	if (status)
		s->watch.count = s->watch.bytes = 0;
	return status ? status : read_constants(s, s->watch.held, err);
}

kt_status kt_symbols_changed(const char **name, void *device, struct kt_error *err)
{
	struct kt_session *s = device;
	const struct kt_watch *watch = &s->watch;
	TRY(watch->count ? read_constants(s, watch->held + watch->bytes, err) : KT_OK);
	*name = NULL;
	for (size_t i = 0; i < watch->count; i++) {
		const unsigned char *before = watch->held + watch->items[i].begin, *now = before + watch->bytes;
		if (memcmp(before, now, watch->items[i].bytes) == 0)
			continue;
		*name = watch->items[i].name;
		/* Other candidates of the same program start with what it was. */
		TRY(kt_session_check(s,
				     s->cu.to_device(watch->items[i].address, before, watch->items[i].bytes, s->stream),
				     "restoring a constant", err));
		TRY(kt_session_wait(s, s->engine.limit_s, "restoring a constant", err));
	}
	return KT_OK;
}
