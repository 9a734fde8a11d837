#include "base/hash.h"

#include <sodium.h>
#include <string.h>

#include "base/fs.h"

_Static_assert(sizeof(crypto_generichash_state) <= sizeof(((struct kt_hash *)0)->state), "state fits");

static crypto_generichash_state *state(struct kt_hash *hash)
{
	return (crypto_generichash_state *)(void *)hash->state;
}

void kt_hash_init(struct kt_hash *hash)
{
	crypto_generichash_init(state(hash), NULL, 0, KT_HASH_BYTES);
}

void kt_hash_bytes(struct kt_hash *hash, const void *data, size_t size)
{
	crypto_generichash_update(state(hash), data, size);
}

static void length_prefixed(struct kt_hash *hash, const char *text)
{
	uint64_t size = text == NULL ? UINT64_MAX : strlen(text);

	kt_hash_bytes(hash, &size, sizeof size);
	if (text != NULL)
		kt_hash_bytes(hash, text, (size_t)size);
}

void kt_hash_field(struct kt_hash *hash, const char *tag, const char *text)
{
	length_prefixed(hash, tag);
	length_prefixed(hash, text);
}

void kt_hash_int(struct kt_hash *hash, const char *tag, int64_t value)
{
	length_prefixed(hash, tag);
	kt_hash_bytes(hash, &value, sizeof value);
}

void kt_hash_final(struct kt_hash *hash, char out[KT_HASH_TEXT])
{
	unsigned char bytes[KT_HASH_BYTES];

	crypto_generichash_final(state(hash), bytes, sizeof bytes);
	sodium_bin2hex(out, KT_HASH_TEXT, bytes, sizeof bytes);
}

void kt_hash_sha256(char out[KT_SHA256_BASE64], const void *data, size_t size)
{
	unsigned char bytes[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(bytes, data, size);
	sodium_bin2base64(out, KT_SHA256_BASE64, bytes, sizeof bytes, sodium_base64_VARIANT_ORIGINAL);
}

static bool add_block(void *hash, const void *block, size_t size)
{
	kt_hash_bytes(hash, block, size);
	return true;
}

kt_status kt_hash_file(char out[KT_HASH_TEXT], const char *path, struct kt_error *err)
{
	struct kt_hash hash;

	kt_hash_init(&hash);
	TRY(kt_fs_blocks(path, add_block, &hash, err));
	kt_hash_final(&hash, out);
	return KT_OK;
}
