/* SQL functions of the store: check sums of rows, content addresses of artifacts. */
#include <string.h>

#include "store/internal.h"

#define SUM_DIGITS 16 /* of the hash, as one 64-bit integer */

static void hash_value(struct kt_hash *hash, sqlite3_value *value)
{
	const int type = sqlite3_value_type(value);
	const int64_t integer = type == SQLITE_INTEGER ? sqlite3_value_int64(value) : 0;
	double number = type == SQLITE_FLOAT ? sqlite3_value_double(value) : 0;
	int64_t head[2] = {type, 0};

	if (type == SQLITE_INTEGER) {
		head[1] = integer;
	} else if (type == SQLITE_FLOAT) {
		/* SQLite keeps no negative zero. */
		number = number == 0 ? 0 : number;
		memcpy(&head[1], &number, sizeof number);
	} else if (type != SQLITE_NULL) {
		const void *bytes = sqlite3_value_blob(value);

		head[1] = sqlite3_value_bytes(value);
		kt_hash_bytes(hash, head, sizeof head);
		if (bytes != NULL)
			kt_hash_bytes(hash, bytes, (size_t)head[1]);
		return;
	}
	kt_hash_bytes(hash, head, sizeof head);
}

/* ktune_sum(…): 64 bits of the hash of all arguments and their types. */
static void sum(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct kt_hash hash;
	char text[KT_HASH_TEXT];
	uint64_t result = 0;

	kt_hash_init(&hash);
	for (int i = 0; i < count; i++)
		hash_value(&hash, values[i]);
	kt_hash_final(&hash, text);
	for (int i = 0; i < SUM_DIGITS; i++)
		result = result << 4 | (uint64_t)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
	sqlite3_result_int64(context, (sqlite3_int64)result);
}

/* ktune_content(data, size): the address of what a packed artifact holds; NULL for a damaged one. */
static void content(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct kt_buf bytes = KT_BUF(KT_BLOB_BYTES);
	struct kt_error ignored;
	char hash[KT_HASH_TEXT];
	const void *data = sqlite3_value_blob(values[0]);

	(void)count;
	if (data != NULL && kt_unpack(&bytes, data, (size_t)sqlite3_value_bytes(values[0]),
	                              sqlite3_value_int64(values[1]), &ignored) == KT_OK) {
		kt_artifact_hash(hash, kt_buf_text(&bytes), bytes.size);
		sqlite3_result_text(context, hash, -1, SQLITE_TRANSIENT);
	}
	kt_buf_free(&bytes);
}

int kt_sql_functions(sqlite3 *db)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int rc = sqlite3_create_function_v2(db, "ktune_sum", -1, flags, NULL, sum, NULL, NULL, NULL);

	return rc == SQLITE_OK ? sqlite3_create_function_v2(db, "ktune_content", 2, flags, NULL, content, NULL, NULL, NULL)
	                       : rc;
}
