/* Signatures of entries: over the hash of the whole content of an entry, which is checked when it is read. */
#include <string.h>

#include "base/key.h"
#include "store/internal.h"

bool kt_entry_has_text(const struct kt_entry *entry)
{
	return entry->recipe == NULL && entry->template_ != NULL && !kt_generator_has_recipes(entry->generator);
}

static const char *message_of(struct kt_arena *arena, const char *hash)
{
	return kt_arena_printf(arena, "ktune-entry-1 %s\n", hash);
}

kt_status kt_entry_sign(struct kt_entry *entry, struct kt_arena *arena, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_ENTRY_BYTES);
	char key[KT_KEY_TEXT], value[KT_SIGNATURE_TEXT];
	struct kt_entry written;
	const char *message = NULL;
	/* What is signed is what a reader will find. */
	kt_status status = kt_entry_print(&text, entry, err);

	THEN(status, kt_entry_parse(&written, arena, kt_buf_text(&text), text.size, err));
	kt_buf_free(&text);
	if (status == KT_OK && (message = message_of(arena, written.hash)) == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for a signature");
	THEN(status, kt_key_sign(key, value, arena, message, err));
	if (status != KT_OK)
		return status;
	entry->signature = (struct kt_entry_signature){kt_arena_strdup(arena, key), kt_arena_strdup(arena, value)};
	return entry->signature.key != NULL && entry->signature.value != NULL
	           ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for a signature");
}

kt_status kt_entry_check_signature(const struct kt_entry *entry, struct kt_arena *arena, struct kt_error *err)
{
	const char *const *keys;
	const char *message = entry->hash != NULL ? message_of(arena, entry->hash) : NULL;
	size_t count, i = 0;

	if (entry->signature.key == NULL || message == NULL)
		return kt_fail(err, KT_ERR_INVALID, "/signature: it brings text of a model without a signature: `ktcc cache sign` "
		                                    "where it was made, `ktcc key trust FILE` here");
	if (!kt_key_verify(entry->signature.key, entry->signature.value, message))
		return kt_fail(err, KT_ERR_INVALID, "/signature: it is not the signature of this entry by the key %.16s…",
		               entry->signature.key);
	if (kt_key_trusted(&keys, &count, arena, err) != KT_OK) {
		err->code = KT_ERR_INVALID;
		return kt_fail_prefix(err, "/signature");
	}
	while (i < count && strcmp(keys[i], entry->signature.key) != 0)
		i++;
	return i < count ? KT_OK
	                 : kt_fail(err, KT_ERR_INVALID, "/signature: its text is signed by the key %.16s…, which you do not "
	                           "trust: `ktcc key trust FILE`", entry->signature.key);
}
