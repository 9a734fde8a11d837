#include "base/key.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"

#define FILE_BYTES ((size_t)1 << 20)
#define SECRET_HEAD "ktune-secret-key-1 "
#define PUBLIC_HEAD "ktune-public-key-1 "
#define KEYS_MOST 1024

_Static_assert(KT_KEY_TEXT == 2 * crypto_sign_PUBLICKEYBYTES + 1, "a key as text");
_Static_assert(KT_SIGNATURE_TEXT == 2 * crypto_sign_BYTES + 1, "a signature as text");

char *kt_user_path(struct kt_arena *arena, const char *name)
{
	const char *home = getenv("XDG_CONFIG_HOME");

	if (home != NULL && home[0] == '/')
		return kt_arena_printf(arena, "%s/ktune/%s", home, name);
	home = getenv("HOME");
	return home != NULL ? kt_arena_printf(arena, "%s/.config/ktune/%s", home, name) : NULL;
}

/* Lower-case hexadecimal of exactly this many bytes, and nothing else. */
static bool decode(unsigned char *out, size_t size, const char *text)
{
	size_t length = 0;

	return strlen(text) == 2 * size && strspn(text, "0123456789abcdef") == 2 * size &&
	       sodium_hex2bin(out, size, text, 2 * size, NULL, &length, NULL) == 0 && length == size;
}

static kt_status user_path(char **out, struct kt_arena *arena, const char *name, struct kt_error *err)
{
	*out = kt_user_path(arena, name);
	return *out != NULL ? KT_OK : kt_fail(err, KT_ERR_MISSING, "there is no folder for settings: HOME is not set");
}

/* A new file for its owner alone; one that is there stays. */
static kt_status create(const char *path, const char *text, mode_t mode, struct kt_error *err)
{
	const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	const size_t size = strlen(text);
	bool done;

	if (file < 0 && errno == EEXIST)
		return kt_fail(err, KT_ERR_INVALID, "%s: there is a key already; it is kept", path);
	if (file < 0)
		return kt_fail_errno(err, "%s", path);
	done = write(file, text, size) == (ssize_t)size && fsync(file) == 0;
	done = close(file) == 0 && done;
	if (!done)
		(void)unlink(path);
	return done ? KT_OK : kt_fail(err, KT_ERR_INVALID, "%s: the key could not be written", path);
}

kt_status kt_key_new(char key[KT_KEY_TEXT], struct kt_arena *arena, struct kt_error *err)
{
	unsigned char public[crypto_sign_PUBLICKEYBYTES], secret[crypto_sign_SECRETKEYBYTES];
	char digits[2 * sizeof secret + 1], text[sizeof SECRET_HEAD + sizeof digits + 1];
	char *path, *shown;
	kt_status status = user_path(&path, arena, "key", err);

	THEN(status, user_path(&shown, arena, "key.pub", err));
	THEN(status, kt_fs_mkdirs(kt_path_dirname(arena, path), err));
	if (status == KT_OK && (sodium_init() < 0 || crypto_sign_keypair(public, secret) != 0))
		status = kt_fail(err, KT_ERR_INVALID, "libsodium cannot make a key");
	if (status != KT_OK)
		return status;
	sodium_bin2hex(key, KT_KEY_TEXT, public, sizeof public);
	sodium_bin2hex(digits, sizeof digits, secret, sizeof secret);
	(void)snprintf(text, sizeof text, SECRET_HEAD "%s\n", digits);
	status = create(path, text, 0600, err);
	sodium_memzero(secret, sizeof secret);
	sodium_memzero(digits, sizeof digits);
	sodium_memzero(text, sizeof text);
	if (status == KT_OK) {
		(void)snprintf(text, sizeof text, PUBLIC_HEAD "%s\n", key);
		status = kt_fs_write(shown, text, strlen(text), err);
	}
	return status;
}

/* The digits of a file of one line: HEAD, digits, nothing else. */
static kt_status read_digits(unsigned char *out, size_t size, const char *head, const char *path, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(FILE_BYTES);
	kt_status status = kt_fs_read(&text, path, err);

	if (status == KT_OK) {
		char *line = text.data != NULL ? text.data : (char[]){""};
		const size_t length = strcspn(line, "\n");

		if (length + 1 < text.size || strncmp(line, head, strlen(head)) != 0) {
			status = KT_ERR_INVALID;
		} else {
			line[length] = '\0';
			status = decode(out, size, line + strlen(head)) ? KT_OK : KT_ERR_INVALID;
		}
		if (status != KT_OK)
			status = kt_fail(err, KT_ERR_INVALID, "%s: not a whole key of the form \"%s…\"", path, head);
	}
	if (text.data != NULL)
		sodium_memzero(text.data, text.size);
	kt_buf_free(&text);
	return status;
}

/* Only the owner, who is this user, may do any of these to the file. */
static kt_status check_mode(const char *path, mode_t forbidden, const char *what, struct kt_error *err)
{
	struct stat info;

	if (stat(path, &info) != 0)
		return errno == ENOENT ? kt_fail(err, KT_ERR_MISSING, "%s: there is none", path) : kt_fail_errno(err, "%s", path);
	if (!S_ISREG(info.st_mode))
		return kt_fail(err, KT_ERR_INVALID, "%s: not a file", path);
	if (info.st_uid != geteuid() && info.st_uid != 0)
		return kt_fail(err, KT_ERR_INVALID, "%s belongs to another user", path);
	if ((info.st_mode & forbidden) != 0)
		return kt_fail(err, KT_ERR_INVALID, "%s can be %s by others: chmod 600", path, what);
	return KT_OK;
}

/* What is signed: the key, then the text, so that a signature belongs to one key. */
static kt_status put_message(struct kt_buf *out, const char *key, const char *text, struct kt_error *err)
{
	kt_buf_addf(out, "ktune-signature-1 %s\n", key);
	kt_buf_adds(out, text);
	return kt_buf_check(out, "what is signed", err);
}

kt_status kt_key_sign(char key[KT_KEY_TEXT], char signature[KT_SIGNATURE_TEXT], struct kt_arena *arena,
                      const char *text, struct kt_error *err)
{
	unsigned char secret[crypto_sign_SECRETKEYBYTES], public[crypto_sign_PUBLICKEYBYTES], made[crypto_sign_BYTES];
	struct kt_buf message = KT_BUF(FILE_BYTES);
	char *path;
	kt_status status = user_path(&path, arena, "key", err);

	THEN(status, check_mode(path, S_IRWXG | S_IRWXO, "read or written", err));
	if (status == KT_ERR_MISSING)
		return kt_fail(err, KT_ERR_MISSING, "there is no key to sign with: `ktcc key new` makes one");
	THEN(status, read_digits(secret, sizeof secret, SECRET_HEAD, path, err));
	if (status == KT_OK && (sodium_init() < 0 || crypto_sign_ed25519_sk_to_pk(public, secret) != 0))
		status = kt_fail(err, KT_ERR_INVALID, "libsodium cannot sign with %s", path);
	if (status == KT_OK) {
		sodium_bin2hex(key, KT_KEY_TEXT, public, sizeof public);
		status = put_message(&message, key, text, err);
	}
	if (status == KT_OK && crypto_sign_detached(made, NULL, (unsigned char *)message.data, message.size, secret) != 0)
		status = kt_fail(err, KT_ERR_INVALID, "libsodium cannot sign with %s", path);
	sodium_memzero(secret, sizeof secret);
	kt_buf_free(&message);
	if (status != KT_OK)
		return status;
	sodium_bin2hex(signature, KT_SIGNATURE_TEXT, made, sizeof made);
	/* A file whose halves are not a pair would make signatures that no key verifies. */
	return kt_key_verify(key, signature, text) ? KT_OK
	                                           : kt_fail(err, KT_ERR_INVALID, "%s: not a whole key", path);
}

bool kt_key_verify(const char *key, const char *signature, const char *text)
{
	unsigned char public[crypto_sign_PUBLICKEYBYTES], made[crypto_sign_BYTES];
	struct kt_buf message = KT_BUF(FILE_BYTES);
	struct kt_error ignored;
	const bool good = sodium_init() >= 0 && decode(public, sizeof public, key) && decode(made, sizeof made, signature) &&
	                  put_message(&message, key, text, &ignored) == KT_OK &&
	                  crypto_sign_verify_detached(made, (unsigned char *)message.data, message.size, public) == 0;

	kt_buf_free(&message);
	return good;
}

kt_status kt_key_read(char key[KT_KEY_TEXT], struct kt_arena *arena, const char *path, struct kt_error *err)
{
	unsigned char public[crypto_sign_PUBLICKEYBYTES];
	kt_status status = read_digits(public, sizeof public, PUBLIC_HEAD, path, err);

	(void)arena;
	if (status == KT_OK)
		sodium_bin2hex(key, KT_KEY_TEXT, public, sizeof public);
	return status;
}

/* One key a line; blank lines are passed over. */
static kt_status read_lines(const char **keys, size_t *count, char *text, struct kt_arena *arena, const char *path,
                            struct kt_error *err)
{
	unsigned char public[crypto_sign_PUBLICKEYBYTES];
	const char *line;

	while ((line = strsep(&text, "\n")) != NULL) {
		if (line[0] == '\0')
			continue;
		if (*count == KEYS_MOST || !decode(public, sizeof public, line))
			return kt_fail(err, KT_ERR_INVALID, "%s: a line that is no key; no key is trusted", path);
		keys[*count] = kt_arena_strdup(arena, line);
		if (keys[(*count)++] == NULL)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory for keys");
	}
	return KT_OK;
}

kt_status kt_key_trusted(const char *const **out, size_t *count, struct kt_arena *arena, struct kt_error *err)
{
	const char **keys = kt_arena_array(arena, KEYS_MOST + 1, sizeof *keys);
	struct kt_buf text = KT_BUF(FILE_BYTES);
	char *path;
	kt_status status = user_path(&path, arena, "trusted-keys", err);

	*out = keys;
	*count = 0;
	if (status != KT_OK || keys == NULL)
		return keys != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for keys");
	status = check_mode(path, S_IWGRP | S_IWOTH, "written", err);
	if (status == KT_ERR_MISSING)
		return KT_OK;
	THEN(status, kt_fs_read(&text, path, err));
	if (status == KT_OK && text.size != 0)
		status = read_lines(keys, count, text.data, arena, path, err);
	if (status != KT_OK)
		*count = 0;
	kt_buf_free(&text);
	return status;
}

kt_status kt_key_trust(bool *changed, struct kt_arena *arena, const char *key, bool trusted, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(FILE_BYTES);
	const char *const *keys;
	size_t count;
	bool there = false;
	char *path;
	kt_status status = user_path(&path, arena, "trusted-keys", err);

	THEN(status, kt_key_trusted(&keys, &count, arena, err));
	for (size_t i = 0; status == KT_OK && i < count; i++) {
		const bool same = strcmp(keys[i], key) == 0;

		there = there || same;
		if (!same || trusted)
			kt_buf_addf(&text, "%s\n", keys[i]);
	}
	if (status != KT_OK)
		return status;
	*changed = there != trusted;
	if (trusted && !there)
		kt_buf_addf(&text, "%s\n", key);
	status = kt_buf_check(&text, "keys", err);
	if (status == KT_OK && *changed)
		status = kt_fs_mkdirs(kt_path_dirname(arena, path), err);
	if (status == KT_OK && *changed)
		status = kt_fs_write_synced(path, kt_buf_text(&text), text.size, err);
	/* Whatever the umask allows. */
	if (status == KT_OK && *changed && chmod(path, 0600) != 0)
		status = kt_fail_errno(err, "%s", path);
	kt_buf_free(&text);
	return status;
}
