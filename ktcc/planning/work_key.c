/* The keys of a region instance: what finds its entries. Which fields each has is in docs/protocol.md, "Keys". */
#include <string.h>

#include "base/log.h"
#include "base/symbol.h"
#include "planning/work_internal.h"
#include "tuning/early.h"

/* Of what the keys of a region are made of; other fields, another number. */
#define KEY_VERSION 2
/* Longest name of a kernel that an entry holds as it is. */
#define SYMBOL_BYTES 1024

/* The normal forms of names that are separated by blanks, in the same order; NULL where one is not known. */
static const char *add_symbol(struct kt_work *work, const char *all, bool first, const char *name)
{
	const char *normal = name != NULL && name[0] != '\0' ? kt_symbol_normal(work->arena, name) : NULL;

	if (first || normal == NULL)
		return normal;
	return all != NULL ? kt_arena_printf(work->arena, "%s %s", all, normal) : NULL;
}

/* Names of templates have no limit, members of entries have one: what is too long ends in a hash of the whole. */
static const char *shorten(struct kt_work *work, const char *symbol)
{
	struct kt_hash hash;
	char text[KT_HASH_TEXT];

	if (symbol == NULL || strlen(symbol) <= SYMBOL_BYTES)
		return symbol;
	kt_hash_init(&hash);
	kt_hash_field(&hash, "symbol", symbol);
	kt_hash_final(&hash, text);
	return kt_arena_printf(work->arena, "%.*s#%s", SYMBOL_BYTES / 2, symbol, text);
}

static const char *symbol_of(struct kt_work *work, const struct kt_region *region, size_t instance)
{
	const char *all = NULL;

	if (!kt_target_of(work->input.language)->has_compiler)
		return region->kernel;
	if (region->step_count == 0)
		return add_symbol(work, NULL, true, region->instances[instance].symbol);
	for (size_t i = 0; i < region->step_count; i++)
		all = add_symbol(work, all, i == 0,
		                 region->steps[i].symbols != NULL ? region->steps[i].symbols[instance] : NULL);
	return all;
}

void kt_work_hash_identity(struct kt_hash *hash, const struct kt_case *each)
{
	const struct kt_region *region = each->region;
	const struct kt_instance *instance = &region->instances[each->instance];

	kt_hash_field(hash, "symbol", each->symbol);
	kt_hash_field(hash, "qualified", region->qualified);
	kt_hash_int(hash, "unnamed", region->in_anonymous_namespace);
	kt_hash_field(hash, "instance", instance->name);
	for (size_t i = 0; i < region->argument_count; i++)
		kt_hash_field(hash, "type", instance->types[i]);
}

/* What is best by time is found as ever; what is best by something else is another result. */
static void hash_goal(struct kt_hash *hash, const struct kt_work *work)
{
	if (work->input.config->goal != KT_GOAL_TIME)
		kt_hash_field(hash, "objective", kt_goal_name(work->input.config->goal));
}

/* A key of one instance: the scan's key with everything else that the kernel's code depends on. */
static const char *instance_key(struct kt_work *work, const char *tag, const char *key, bool exact,
                                const struct kt_case *each)
{
	struct kt_hash hash;
	char text[KT_HASH_TEXT];

	kt_hash_init(&hash);
	kt_hash_field(&hash, "key", tag);
	kt_hash_int(&hash, "version", KEY_VERSION);
	kt_hash_field(&hash, "tokens", key);
	kt_hash_field(&hash, "clauses", each->region->clauses);
	kt_work_hash_identity(&hash, each);
	kt_hash_field(&hash, "flags", work->input.flags);
	hash_goal(&hash, work);
	/* As with the toolkit: what is near may be assembled in another way. */
	if (exact)
		kt_hash_field(&hash, "assembler", work->input.assembler);
	kt_hash_final(&hash, text);
	return kt_arena_strdup(work->arena, text);
}

void kt_work_make_keys(struct kt_work *work, struct kt_case *each)
{
	each->symbol = shorten(work, symbol_of(work, each->region, each->instance));
	each->closure = instance_key(work, "closure", each->region->closure, true, each);
	each->near_key = instance_key(work, "near", each->region->near_key, false, each);
}

/*
 * Appends what the kernel is made of. What OpenCL compiles to is the driver's business: the tokens and the build options
 * are the kernel.
 */
static kt_status add_code(struct kt_buf *out, struct kt_work *work, struct kt_case *each, struct kt_error *err)
{
	const struct kt_region *region = each->region;
	const char *symbol = NULL;
	struct kt_early *early = NULL;

	if (!kt_target_of(work->input.language)->has_compiler) {
		kt_buf_adds(out, each->closure);
		return kt_buf_check(out, "a key", err);
	}
	TRY(kt_work_early_ptx(&early, work, each, err));
	TRY(kt_baseline_ptx(out, &symbol, work->arena, early, region, &region->instances[each->instance], err));
	if (each->symbol == NULL)
		each->symbol = shorten(work, symbol);
	return KT_OK;
}

void kt_work_make_region_key(struct kt_work *work, struct kt_case *each, bool may_compile)
{
	struct kt_buf code = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error err;
	struct kt_hash hash;
	char key[KT_HASH_TEXT];

	if (each->region_key != NULL || each->template_ == NULL)
		return;
	if (each->symbol != NULL)
		each->region_key = kt_store_region_key(work->input.store, work->arena, each->closure);
	if (each->region_key != NULL || !may_compile)
		return;
	if (add_code(&code, work, each, &err) != KT_OK) {
		kt_log("%s: no region key: %s", each->region->name, err.message);
		each->keyless = kt_arena_strdup(work->arena, err.message);
		kt_buf_free(&code);
		return;
	}
	kt_hash_init(&hash);
	kt_hash_bytes(&hash, kt_buf_text(&code), code.size);
	kt_hash_final(&hash, key);
	kt_buf_free(&code);
	each->ptx_key = kt_arena_strdup(work->arena, key);
	kt_hash_init(&hash);
	kt_hash_field(&hash, "key", "region");
	kt_hash_int(&hash, "version", KEY_VERSION);
	kt_hash_field(&hash, "clauses", each->region->clauses);
	kt_hash_field(&hash, "symbol", each->symbol);
	kt_hash_field(&hash, "code", key);
	hash_goal(&hash, work);
	kt_hash_field(&hash, "assembler", work->input.assembler);
	kt_hash_final(&hash, key);
	each->region_key = kt_arena_strdup(work->arena, key);
	if (work->input.store != NULL && each->region_key != NULL &&
	    kt_store_put_closure(work->input.store, each->closure, key, &err) != KT_OK)
		kt_log("closure not stored: %s", err.message);
}
