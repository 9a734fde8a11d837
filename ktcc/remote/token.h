/*
 * The bearer token: from KTUNE_REMOTE_TOKEN, else a file, else a command's
 * first line of output. It is read here and nowhere else, so that no other
 * program, log or store ever holds it; no error shows any of it.
 */
#ifndef KT_REMOTE_TOKEN_H
#define KT_REMOTE_TOKEN_H

#include "base/buf.h"

#define KT_TOKEN_BYTES 8192

/*
 * Appends the token; nothing where none of the three is there (file and command may be NULL). A token that is empty
 * or holds anything but visible ASCII is KT_ERR_INVALID. The variable is taken out of the environment.
 */
kt_status kt_token_read(struct kt_buf *out, const char *file, const char *command, struct kt_error *err) KT_MUST_CHECK;

#endif
