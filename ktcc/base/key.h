/*
 * Keys for signatures (Ed25519, by libsodium): who vouches for text that comes from elsewhere. The user's folder of
 * settings holds them: `key`, the secret one, readable by its owner alone; `key.pub`, to give away; `trusted-keys`,
 * a line for each key whose signatures are taken. Nothing of a project's is read here.
 */
#ifndef KT_BASE_KEY_H
#define KT_BASE_KEY_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

#define KT_KEY_TEXT 65        /* a public key: hexadecimal, and its NUL */
#define KT_SIGNATURE_TEXT 129 /* a signature, likewise */

/* $XDG_CONFIG_HOME/ktune/NAME, else ~/.config/ktune/NAME. NULL: there is neither, or no memory. */
char *kt_user_path(struct kt_arena *arena, const char *name);

/* Makes a pair of keys. KT_ERR_INVALID: there is one already, which is kept. */
kt_status kt_key_new(char key[KT_KEY_TEXT], struct kt_arena *arena, struct kt_error *err) KT_MUST_CHECK;

/*
 * Signs a text with the user's secret key, whose public part is *key. KT_ERR_MISSING: there is none; KT_ERR_INVALID:
 * the file is not whole, or others than its owner can read it.
 */
kt_status kt_key_sign(char key[KT_KEY_TEXT], char signature[KT_SIGNATURE_TEXT], struct kt_arena *arena,
                      const char *text, struct kt_error *err) KT_MUST_CHECK;

/* Is this the signature of that key under the text? False as well where one of them is none. */
bool kt_key_verify(const char *key, const char *signature, const char *text);

/* Reads a public key file, as `key.pub` is one. */
kt_status kt_key_read(char key[KT_KEY_TEXT], struct kt_arena *arena, const char *path, struct kt_error *err)
    KT_MUST_CHECK;

/*
 * The keys that the user trusts, in arena. No file: none. KT_ERR_INVALID: the file belongs to another user, others can
 * write it, or a line of it is no key; then no key is trusted.
 */
kt_status kt_key_trusted(const char *const **keys, size_t *count, struct kt_arena *arena, struct kt_error *err)
    KT_MUST_CHECK;
/* Adds a key to them, or takes it away; *changed: it was not there, it was. */
kt_status kt_key_trust(bool *changed, struct kt_arena *arena, const char *key, bool trusted, struct kt_error *err)
    KT_MUST_CHECK;

#endif
