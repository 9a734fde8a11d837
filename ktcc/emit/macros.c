#include "emit/macros.h"

#include <string.h>

#include "emit/dispatch.h"

struct kt_emit_macro {
	size_t parent;         /* that uses it; SIZE_MAX: the unit's text does */
	struct kt_range use;   /* where */
	const char *text;      /* its definition: "NAME(a) body" */
	struct kt_splices splices;
	const char *name;      /* of the copy */
};

/* The macro that is used there, added if it is not known. */
static kt_status find(size_t *out, struct kt_emit_macros *macros, size_t parent, struct kt_range use, const char *text,
                      struct kt_error *err)
{
	struct kt_emit_macro *slot;
	for (size_t i = 0; i < macros->count; i++)
		if (macros->items[i].parent == parent && macros->items[i].use.begin == use.begin &&
		    strcmp(macros->items[i].text, text) == 0) {
			*out = i;
			return KT_OK;
		}
	*out = macros->count;
	NEED(slot = kt_arena_push(macros->arena, &macros->items, &macros->count, sizeof *slot), kt_no_memory(err));
	*slot = (struct kt_emit_macro){
	    .parent = parent, .use = use, .text = kt_arena_strdup(macros->arena, text), .splices = {.arena = macros->arena}};
	return slot->text != NULL ? KT_OK : kt_no_memory(err);
}

kt_status kt_emit_macros_add(struct kt_emit_macros *macros, const struct kt_launch *launch, const struct kt_splice *splices,
                             size_t count, struct kt_error *err)
{
	size_t at = SIZE_MAX;
	for (size_t i = 0; i < launch->level_count; i++)
		TRY(find(&at, macros, at, i == 0 ? launch->callee : launch->levels[i - 1].use, launch->levels[i].text, err));
	/* Continued lines need no number, and a newline would end the definition. */
	for (size_t i = 0; i < count; i++)
		TRY(kt_splices_add(&macros->items[at].splices,
		                   (struct kt_splice){splices[i].begin, splices[i].end, splices[i].text, false}, err));
	return KT_OK;
}

/* Length of the macro's name at the start of its definition. */
static size_t name_length(const char *text)
{
	return strcspn(text, "( \t\r\n\\/");
}

/* Writes the copy's text after its name, and names it by that. */
static kt_status write_copy(struct kt_buf *rest, struct kt_emit_macros *macros, struct kt_emit_macro *macro,
                            struct kt_error *err)
{
	const size_t length = name_length(macro->text);
	struct kt_hash hash;
	char hex[KT_HASH_TEXT];
	TRY(kt_source_splice(rest, macro->text, strlen(macro->text), macro->splices.items, macro->splices.count, err));
	TRY(kt_buf_check(rest, "macro", err));
	kt_hash_init(&hash);
	kt_hash_field(&hash, "macro", kt_buf_text(rest));
	kt_hash_final(&hash, hex);
	macro->name = kt_arena_printf(macros->arena, "ktune_m_%.*s_%.*s", KT_EMIT_HASH, hex, (int)length, macro->text);
	return macro->name != NULL ? KT_OK : kt_no_memory(err);
}

static bool is_written(const struct kt_emit_macros *macros, size_t index)
{
	for (size_t i = index + 1; i < macros->count; i++)
		if (strcmp(macros->items[i].name, macros->items[index].name) == 0)
			return true;
	return false;
}

kt_status kt_emit_macros_write(struct kt_buf *out, struct kt_splices *splices, struct kt_emit_macros *macros,
                               struct kt_error *err)
{
	/* What is used is named before what uses it. */
	for (size_t i = macros->count; i-- > 0;) {
		struct kt_emit_macro *macro = &macros->items[i];
		struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
		kt_status status = write_copy(&text, macros, macro, err);
		if (status == KT_OK && !is_written(macros, i))
			kt_buf_addf(out, "#define %s%s\n", macro->name, kt_buf_text(&text) + name_length(macro->text));
		if (status == KT_OK)
			status = kt_splices_add(macro->parent == SIZE_MAX ? splices : &macros->items[macro->parent].splices,
			                        (struct kt_splice){macro->use.begin, macro->use.end, macro->name, false}, err);
		kt_buf_free(&text);
		TRY(status);
	}
	return kt_buf_check(out, "macros", err);
}
