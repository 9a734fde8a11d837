/* Opening: fresh, damaged, foreign, newer, unwritable. */
#include "support.h"

static void write_file(const char *path, const void *data, size_t size)
{
	struct kt_error err;
	check(kt_fs_write(path, data, size, &err), &err);
}

static int64_t pragma(struct kt_store *store, const char *text)
{
	sqlite3_stmt *statement = NULL;
	assert_int_equal(sqlite3_prepare_v2(store->db, text, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	int64_t value = sqlite3_column_int64(statement, 0);
	if (sqlite3_column_type(statement, 0) == SQLITE_TEXT)
		value = strcmp(kt_sql_column(statement, 0), "wal") == 0;
	sqlite3_finalize(statement);
	return value;
}

static void test_fresh(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = NULL;
	check(kt_store_open(&store, below(f, "a/b/c"), &f->err), &f->err);
	assert_int_equal(pragma(store, "PRAGMA user_version"), KT_SCHEMA_VERSION);
	assert_int_equal(pragma(store, "PRAGMA application_id"), KT_SCHEMA_APPLICATION);
	assert_int_equal(pragma(store, "PRAGMA journal_mode"), 1);
	assert_int_equal(pragma(store, "PRAGMA foreign_keys"), 1);
	assert_int_equal(pragma(store, "PRAGMA synchronous"), 1);
	assert_int_equal(pragma(store, "PRAGMA busy_timeout"), KT_STORE_BUSY_MS);
	kt_store_count(store, "opened");
	kt_store_add(store, "opened", 41);
	kt_store_close(store);
	check(kt_store_open(&store, below(f, "a/b/c"), &f->err), &f->err);
	assert_int_equal(counted(f, store, "opened"), 42);
	assert_int_equal(counted(f, store, "store-corrupt"), 0);
	kt_store_close(store);
	kt_store_close(NULL);
}

static void test_foreign_keys_hold(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	put_entry(f, store, &entry);
	assert_int_equal(kt_sql_script(store, "DELETE FROM devices", &f->err), KT_ERR_INVALID);
	assert_int_equal(kt_sql_script(store, "DELETE FROM regions", &f->err), KT_ERR_INVALID);
	kt_store_close(store);
}

static void test_garbage(void **state)
{
	struct fixture *f = *state;
	char garbage[8192];
	memset(garbage, 'x', sizeof garbage);
	write_file(below(f, KT_STORE_FILE), garbage, sizeof garbage);
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	put_entry(f, store, &entry);
	assert_int_equal(counted(f, store, "store-corrupt"), 1);
	assert_int_equal(count_names(f->directory, KT_STORE_FILE ".corrupt-"), 1);
	kt_store_close(store);
	store = open_store(f);
	assert_int_equal(counted(f, store, "store-corrupt"), 1);
	kt_store_close(store);
}

/* A store with some rows, everything in the main file. */
static void fill(struct fixture *f)
{
	struct kt_store *store = open_store(f);
	struct kt_trial trial = {.verdict = KT_VERDICT_OK};
	char config[32];
	struct kt_entry entry = sample();
	put_entry(f, store, &entry);
	for (int i = 0; i < 2000; i++) {
		snprintf(config, sizeof config, "BLOCK=%d", i);
		check(kt_store_put_trial(store, KEY_A, KEY_D, config, "rows=1", &trial, &f->err), &f->err);
	}
	check(kt_sql_script(store, "PRAGMA wal_checkpoint(TRUNCATE)", &f->err), &f->err);
	kt_store_close(store);
	unlink(below(f, KT_STORE_FILE "-wal"));
	unlink(below(f, KT_STORE_FILE "-shm"));
}

static void test_truncated(void **state)
{
	struct fixture *f = *state;
	struct stat info;
	fill(f);
	char *path = below(f, KT_STORE_FILE);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(truncate(path, info.st_size / 3), 0);
	struct kt_store *store = open_store(f);
	assert_int_equal(counted(f, store, "store-corrupt"), 1);
	assert_int_equal(kt_store_generation(store, KEY_A, KEY_D), 0);
	kt_store_close(store);
}

static void test_damaged_pages(void **state)
{
	struct fixture *f = *state;
	struct stat info;
	char ones[4096];
	fill(f);
	char *path = below(f, KT_STORE_FILE);
	assert_int_equal(stat(path, &info), 0);
	memset(ones, 0xff, sizeof ones);
	int fd = open(path, O_WRONLY);
	for (off_t at = info.st_size / 8192 * 4096; at < info.st_size; at += 4096)
		assert_int_equal(pwrite(fd, ones, sizeof ones, at), sizeof ones);
	close(fd);
	/* The header is whole: damage shows at the first use, and the open after it makes a new file. */
	struct kt_store *store = open_store(f);
	struct kt_buf findings = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	int64_t problems = 0;
	check(kt_store_verify(&problems, &findings, store, &f->err), &f->err);
	assert_true(problems > 0);
	kt_buf_free(&findings);
	sqlite3_stmt *statement = NULL;
	bool row = true;
	kt_status status = KT_OK;
	struct kt_trial trial = {.verdict = KT_VERDICT_OK};
	for (int i = 0; status == KT_OK && i < 2000; i++) {
		char config[32];
		snprintf(config, sizeof config, "BLOCK=%d", i);
		status = kt_sql_bind(&statement, store, KT_SQL_GET_TRIAL, &f->err, "tttt", KEY_A, KEY_D, config, "rows=1");
		if (status == KT_OK)
			status = kt_sql_step(&row, store, statement, &f->err);
		kt_sql_reset(statement);
	}
	assert_int_equal(status, KT_ERR_CORRUPT);
	kt_store_close(store);
	assert_int_equal(count_names(f->directory, KT_STORE_SUSPECT), 1);
	store = open_store(f);
	assert_int_equal(counted(f, store, "store-corrupt"), 1);
	assert_in_range(count_names(f->directory, KT_STORE_FILE ".corrupt-"), 1, 3); /* with its log */
	assert_int_equal(count_names(f->directory, KT_STORE_SUSPECT), 0);
	check(kt_store_put_trial(store, KEY_A, KEY_D, "BLOCK=1", "rows=1", &trial, &f->err), &f->err);
	kt_store_close(store);
}

/* Every flip ends in a usable store or in an error, never in a crash or a wrong entry. */
static void test_bit_flips(void **state)
{
	struct fixture *f = *state;
	struct kt_buf bytes = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	unsigned seed = 12345;
	fill(f);
	char *path = below(f, KT_STORE_FILE);
	struct kt_entry entry = sample();
	char *expected = entry_text(f, &entry);
	check(kt_fs_read(&bytes, path, &f->err), &f->err);
	for (int round = 0; round < 60; round++) {
		struct kt_store *store = NULL;
		seed = seed * 1103515245u + 12345u;
		size_t at = round < 30 ? (size_t)round * 3 : seed % bytes.size;
		bytes.data[at] ^= (char)(1 << (seed >> 24) % 8);
		unlink(below(f, KT_STORE_FILE "-wal"));
		unlink(below(f, KT_STORE_FILE "-shm"));
		write_file(path, bytes.data, bytes.size);
		bytes.data[at] ^= (char)(1 << (seed >> 24) % 8);
		kt_status status = kt_store_open(&store, f->directory, &f->err);
		if (status != KT_OK) {
			assert_true(f->err.message[0] != '\0');
			continue;
		}
		struct kt_query query = {.closure = KEY_C, .near_key = KEY_B, .name = "silu_and_mul"};
		struct kt_found *found = NULL;
		size_t count = 0;
		char *damaged = NULL;
		if (kt_store_find(&found, &count, &damaged, f->arena, store, &query, &f->err) == KT_OK && count > 0)
			assert_string_equal(entry_text(f, &found[0].entry), expected);
		kt_store_close(store);
	}
	kt_buf_free(&bytes);
}

/* It is read, not written, and not changed by a byte; what does not fit any more is no answer. */
static void test_newer_is_left_alone(void **state)
{
	struct fixture *f = *state;
	struct kt_buf before = KT_BUF(KT_LIMIT_SOURCE_BYTES), after = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	struct kt_trial trial = {.verdict = KT_VERDICT_OK}, back;
	struct kt_query query = {.closure = KEY_C, .near_key = KEY_B, .name = "silu_and_mul"};
	put_entry(f, store, &entry);
	check(kt_store_put_trial(store, KEY_A, KEY_D, "B=1", "r=1", &trial, &f->err), &f->err);
	check(kt_sql_script(store, "ALTER TABLE trials RENAME TO attempts; PRAGMA user_version = 99;"
	                           "PRAGMA wal_checkpoint(TRUNCATE)", &f->err), &f->err);
	kt_store_close(store);
	char *path = below(f, KT_STORE_FILE);
	check(kt_fs_read(&before, path, &f->err), &f->err);
	for (int round = 0; round < 2; round++) {
		store = open_store(f);
		assert_true(store->read_only);
		assert_true(kt_store_has_any(store, &query));
		assert_false(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, "B=1", "r=1"));
		assert_int_equal(kt_store_put(store, &entry, &f->err), KT_ERR_IO);
		kt_store_count(store, "dropped");
		kt_store_close(store);
	}
	check(kt_fs_read(&after, path, &f->err), &f->err);
	assert_int_equal(before.size, after.size);
	assert_memory_equal(before.data, after.data, before.size);
	assert_int_equal(count_names(f->directory, KT_STORE_FILE ".corrupt-"), 0);
	assert_int_equal(count_names(f->directory, KT_STORE_SUSPECT), 0);
	kt_buf_free(&before);
	kt_buf_free(&after);
}

static void test_foreign_database(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = NULL;
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open(below(f, KT_STORE_FILE), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE bills(x)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(kt_store_open(&store, f->directory, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "did not make"));
}

/* An older file, here an empty one as an interrupted first start leaves it, is brought up to date. */
static void test_migrates_empty(void **state)
{
	struct fixture *f = *state;
	write_file(below(f, KT_STORE_FILE), "", 0);
	struct kt_store *store = open_store(f);
	assert_int_equal(pragma(store, "PRAGMA user_version"), KT_SCHEMA_VERSION);
	assert_int_equal(counted(f, store, "store-corrupt"), 0);
	kt_store_close(store);
}

static void test_file_in_place_of_directory(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = NULL;
	write_file(below(f, "file"), "x", 1);
	assert_int_not_equal(kt_store_open(&store, below(f, "file"), &f->err), KT_OK);
	assert_true(f->err.message[0] != '\0');
	assert_int_not_equal(kt_store_open(&store, below(f, "file/below"), &f->err), KT_OK);
	assert_int_equal(mkdir(below(f, KT_STORE_FILE), 0777), 0);
	assert_int_equal(kt_store_open(&store, f->directory, &f->err), KT_ERR_IO);
}

/* As another user where the tests run as root, so that permissions count. */
static void test_read_only_directory(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	put_entry(f, store, &entry);
	check(kt_sql_script(store, "PRAGMA wal_checkpoint(TRUNCATE)", &f->err), &f->err);
	kt_store_close(store);
	unlink(below(f, KT_STORE_FILE "-wal"));
	unlink(below(f, KT_STORE_FILE "-shm"));
	assert_int_equal(chmod(below(f, KT_STORE_FILE), 0444), 0);
	assert_int_equal(mkdir(below(f, "empty"), 0555), 0);
	assert_int_equal(chmod(f->directory, 0555), 0);
	pid_t child = fork();
	if (child == 0) {
		struct kt_error err;
		int bad = 0;
		if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0))
			_exit(100);
		if (kt_store_open(&store, f->directory, &err) != KT_OK) {
			fprintf(stderr, "%s\n", err.message);
			_exit(101);
		}
		bad |= store->read_only ? 0 : 1;
		bad |= kt_store_generation(store, KEY_A, "none") == 0 ? 0 : 2;
		kt_store_count(store, "dropped");
		bad |= kt_store_put(store, &entry, &err) == KT_ERR_IO ? 0 : 4;
		struct kt_query query = {.closure = KEY_C, .near_key = KEY_B, .name = "silu_and_mul"};
		bad |= kt_store_has_any(store, &query) ? 0 : 8;
		struct kt_lease *lease = NULL;
		bad |= kt_store_lease(&lease, store, "x", 0, &err) == KT_ERR_IO ? 0 : 16;
		kt_store_close(store);
		bad |= kt_store_open(&store, below(f, "empty"), &err) != KT_OK ? 0 : 32;
		_exit(bad);
	}
	int status = 0;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(chmod(f->directory, 0755), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Eight processes that start on nothing, count and put: every write arrives. */
/* The first process to open the store reads the whole log: it is not let grow. */
static void test_log_stays_short(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store;
	struct stat info;
	check(kt_store_open(&store, f->directory, &f->err), &f->err);
	for (int i = 0; i < 600; i++)
		kt_store_count(store, "manifest-hit");
	kt_store_close(store);
	assert_int_equal(stat(below(f, KT_STORE_FILE "-wal"), &info), 0);
	assert_in_range(info.st_size, 1, 1 << 20);
}

static void test_eight_writers(void **state)
{
	struct fixture *f = *state;
	pid_t children[8];
	enum { ROUNDS = 50 };
	for (int i = 0; i < 8; i++) {
		children[i] = fork();
		if (children[i] != 0)
			continue;
		struct kt_error err;
		struct kt_store *store = NULL;
		struct kt_trial trial = {.verdict = KT_VERDICT_OK};
		struct kt_entry entry = sample();
		if (kt_store_open(&store, f->directory, &err) != KT_OK) {
			fprintf(stderr, "%s\n", err.message);
			_exit(1);
		}
		for (int round = 0; round < ROUNDS; round++) {
			char config[32];
			snprintf(config, sizeof config, "BLOCK=%d", i * ROUNDS + round);
			kt_store_count(store, "written");
			if (kt_store_put_trial(store, KEY_A, KEY_D, config, "rows=1", &trial, &err) != KT_OK ||
			    (round % 10 == 0 && kt_store_put(store, &entry, &err) != KT_OK)) {
				fprintf(stderr, "%s\n", err.message);
				_exit(2);
			}
		}
		kt_store_close(store);
		_exit(0);
	}
	for (int i = 0; i < 8; i++) {
		int status = 0;
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	struct kt_store *store = open_store(f);
	assert_int_equal(counted(f, store, "written"), 8 * ROUNDS);
	assert_int_equal(pragma(store, "SELECT count(*) FROM trials"), 8 * ROUNDS);
	assert_int_equal(pragma(store, "SELECT count(*) FROM ledger"), 8 * ROUNDS / 10);
	assert_int_equal(pragma(store, "SELECT count(*) FROM results"), 1);
	struct kt_buf findings = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	int64_t problems = -1;
	check(kt_store_verify(&problems, &findings, store, &f->err), &f->err);
	assert_int_equal(problems, 0);
	assert_string_equal(kt_buf_text(&findings), "");
	kt_buf_free(&findings);
	kt_store_close(store);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
	const struct CMUnitTest tests[] = {
	    T(test_fresh), T(test_foreign_keys_hold), T(test_garbage), T(test_truncated), T(test_damaged_pages),
	    T(test_bit_flips),
	    T(test_newer_is_left_alone), T(test_foreign_database), T(test_migrates_empty),
	    T(test_file_in_place_of_directory), T(test_read_only_directory), T(test_log_stays_short), T(test_eight_writers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
