/* Keys: BLAKE2b-256 (RFC 7693), by libsodium. */
#ifndef KT_BASE_HASH_H
#define KT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define KT_HASH_BYTES 32
#define KT_HASH_TEXT (2 * KT_HASH_BYTES + 1) /* lower-case hexadecimal and its NUL */

struct kt_hash {
	_Alignas(64) unsigned char state[384];
};

void kt_hash_init(struct kt_hash *hash);
void kt_hash_bytes(struct kt_hash *hash, const void *data, size_t size);
/*
 * One tagged field: tag, length and bytes, so that neighbouring fields cannot
 * run into one another. NULL is another field than the empty string.
 */
void kt_hash_field(struct kt_hash *hash, const char *tag, const char *text);
void kt_hash_int(struct kt_hash *hash, const char *tag, int64_t value);
/* Ends the hash; *hash may not be used again before kt_hash_init. */
void kt_hash_final(struct kt_hash *hash, char out[KT_HASH_TEXT]);
/* SHA-256 in base64, as content security policies of web pages name a script. */
#define KT_SHA256_BASE64 45 /* with its NUL */
void kt_hash_sha256(char out[KT_SHA256_BASE64], const void *data, size_t size);
/* The hash of a file's bytes. */
kt_status kt_hash_file(char out[KT_HASH_TEXT], const char *path, struct kt_error *err) KT_MUST_CHECK;

#endif
