/*
 * Text of a model in a lock directory: a source file beside the entry, `variant-<first 16 of its hash>.cuh`, made to be
 * read in a diff. The entry's template names the hash of its bytes, "text", in place of the text. Everywhere else
 * (store, server) an entry is one text.
 */
#ifndef KT_STORE_LOCK_TEXT_H
#define KT_STORE_LOCK_TEXT_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/json.h"

#define KT_LOCK_TEXT_NAME 40 /* bytes of the file's name */

/*
 * Takes the text out of an entry's JSON, appends it to *text and puts its name into `name`. False: there is none, or it
 * would not come back as it was; the entry keeps it.
 */
bool kt_lock_text_split(struct kt_buf *text, char name[KT_LOCK_TEXT_NAME], cJSON *entry);
/* The name of the file that an entry's JSON names. False: it holds its text itself, or none. */
bool kt_lock_text_name(char name[KT_LOCK_TEXT_NAME], const cJSON *entry);
/* Puts the file's text back. KT_ERR_INVALID with a JSON pointer: it is not the text that the entry names. */
kt_status kt_lock_text_join(cJSON *entry, const struct kt_buf *text, struct kt_error *err) KT_MUST_CHECK;

#endif
