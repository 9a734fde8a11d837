/* A file of each schema version there has been, brought up to date: what it held is there, and is whole. */
#include "support.h"

#define REGION "0ae50c3ea969dc02687ff96af440df212669bd63061f66767059a4f110c564fb"
#define DEVICE "5402885358c38692769324dbca97fc089f32155935b23e4ac1ac5d00f848cbf6"
#define NEAR "50ea87e6ae0f40cf10aa37e97753623837ee4e80df86a204742cbda996f06b35"
#define CLOSURE "59cac63a044306e248446b487b3d7a64315a9eb57dc5cfefdba29dad6d2ed061"
#define TRIAL "2bd6c458cb233dfc0b7fb11ba3b296fde23476f4b0cf24380662e09449c113a4"

static void load(struct fixture *f, int version)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	sqlite3 *db = NULL;
	char *path = kt_arena_printf(f->arena, "%s/tests/unit/store/versions/v%d.sql", KT_SOURCE_DIR, version),
	     *message = NULL;
	check(kt_fs_read(&text, path, &f->err), &f->err);
	assert_int_equal(sqlite3_open(below(f, KT_STORE_FILE), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL), SQLITE_OK);
	if (sqlite3_exec(db, kt_buf_text(&text), NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", path, message);
	sqlite3_close(db);
	kt_buf_free(&text);
}

static int64_t number(struct kt_store *store, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	assert_int_equal(sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	int64_t value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

/* Every object of the schema with its text: an upgraded file is as a new one, but for how names are quoted. */
static char *schema_of(struct fixture *f, struct kt_store *store)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	sqlite3_stmt *statement = NULL;
	assert_int_equal(sqlite3_prepare_v2(
	                     store->db, "SELECT type, name, replace(sql, '\"', '') FROM sqlite_master ORDER BY type, name",
	                     -1, &statement, NULL),
	                 SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW)
		kt_buf_addf(&text, "%s %s %s\n", kt_sql_column(statement, 0), kt_sql_column(statement, 1),
		            kt_sql_column(statement, 2));
	sqlite3_finalize(statement);
	char *copy = kt_arena_strdup(f->arena, kt_buf_text(&text));
	kt_buf_free(&text);
	return copy;
}

/* The first line that differs says more than two long texts. */
static void same_lines(char *left, char *right)
{
	char *a, *b;
	while ((a = strsep(&left, "\n")) != NULL && (b = strsep(&right, "\n")) != NULL)
		assert_string_equal(a, b);
	assert_true(left == NULL && right == NULL);
}

static void finds_everything(struct fixture *f, struct kt_store *store)
{
	struct kt_query query = {.closure = CLOSURE, .near_key = NEAR, .name = "saxpy"};
	struct kt_buf findings = KT_BUF(KT_LIMIT_OUTPUT_BYTES), blob = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_found *found = NULL;
	struct kt_trial trial;
	char *damaged = NULL;
	size_t count = 0;
	int64_t problems = -1;
	check(kt_store_find(&found, &count, &damaged, f->arena, store, &query, &f->err), &f->err);
	assert_int_equal(count, 1);
	assert_string_equal(found[0].entry.region_key, REGION);
	assert_int_equal(found[0].entry.configuration[0], 256);
	assert_true(kt_store_generation(store, REGION, DEVICE) > 0);
	assert_string_equal(kt_store_region_key(store, f->arena, CLOSURE), REGION);
	assert_true(kt_store_get_trial(&trial, f->arena, store, TRIAL, DEVICE, "BLOCK=128 ITEMS=1", "n=4096"));
	assert_true(trial.timing.median_ns == 3584.000049158931);
	assert_int_equal(trial.registers, 10);
	assert_int_equal(trial.measured_ms, 0);
	assert_int_equal(number(store, "SELECT count(*) FROM trials"), 8);
	assert_true(kt_store_get_blob(&blob, store, "release of a compiler"));
	assert_int_equal(blob.size, 211);
	assert_int_equal(number(store, "SELECT count(*) FROM stamps"), 1);
	check(kt_store_verify(&problems, &findings, store, &f->err), &f->err);
	assert_string_equal(kt_buf_text(&findings), "");
	assert_int_equal(problems, 0);
	kt_buf_free(&findings);
	kt_buf_free(&blob);
}

static void test_from_each_version(void **state)
{
	struct fixture *f = *state;
	struct kt_store *fresh = NULL, *store;
	char name[8], *whole = f->directory;
	check(kt_store_open(&fresh, below(f, "fresh"), &f->err), &f->err);
	for (int version = 1; version < KT_SCHEMA_VERSION; version++) {
		snprintf(name, sizeof name, "v%d", version);
		f->directory = kt_path_join(f->arena, whole, name);
		check(kt_fs_mkdirs(f->directory, &f->err), &f->err);
		load(f, version);
		for (int round = 0; round < 2; round++) {
			store = open_store(f);
			assert_int_equal(number(store, "PRAGMA user_version"), KT_SCHEMA_VERSION);
			finds_everything(f, store);
			same_lines(schema_of(f, store), schema_of(f, fresh));
			assert_int_equal(counted(f, store, "store-corrupt"), 0);
			kt_store_close(store);
		}
		f->directory = whole;
	}
	kt_store_close(fresh);
}

/* The third version's own: marks and origins stay; a name of equal bytes is no second artifact;
 * what is damaged goes. */
static void test_third_version(void **state)
{
	struct fixture *f = *state;
	struct kt_buf blob = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	load(f, 3);
	struct kt_store *store = open_store(f);
	assert_int_equal(number(store, "SELECT value FROM marks WHERE name = 'spent'"), 42);
	assert_int_equal(number(store, "SELECT count(*) FROM results WHERE origin = 'import'"), 1);
	assert_int_equal(number(store, "SELECT count(*) FROM artifacts"), 1);
	assert_int_equal(number(store, "SELECT count(*) FROM blobs"), 2);
	assert_false(kt_store_get_blob(&blob, store, "damaged"));
	kt_buf_free(&blob);
	kt_store_close(store);
}

/* Two programs of this version meet an old file: one upgrades it, the other finds it done. */
static void test_upgraded_once(void **state)
{
	struct fixture *f = *state;
	pid_t children[4];
	load(f, 1);
	for (int i = 0; i < 4; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			struct kt_store *store = NULL;
			struct kt_error err;
			_exit(kt_store_open(&store, f->directory, &err) == KT_OK && !store->read_only ? 0 : 1);
		}
	}
	for (int i = 0; i < 4; i++) {
		int status = 0;
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	struct kt_store *store = open_store(f);
	finds_everything(f, store);
	kt_store_close(store);
}

/* A version that the tables do not bear out is damage: what the file holds is taken over. */
static void test_wrong_version(void **state)
{
	static const int versions[] = {0, 1, 2, 3, -5, 1 << 30};
	struct fixture *f = *state;
	load(f, 2);
	kt_store_close(open_store(f));
	for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
		struct kt_store *store = open_store(f);
		check(kt_sql_script(store, kt_arena_printf(f->arena, "PRAGMA user_version = %d", versions[i]), &f->err),
		      &f->err);
		kt_store_close(store);
		store = open_store(f);
		assert_int_equal(number(store, "PRAGMA user_version"), KT_SCHEMA_VERSION);
		assert_int_equal(counted(f, store, "store-corrupt"), 1);
		assert_int_equal(number(store, "SELECT count(*) FROM trials"), 8);
		assert_int_equal(number(store, "SELECT count(*) FROM results"), 1);
		kt_store_close(store);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
	const struct CMUnitTest tests[] = {
	    T(test_from_each_version), T(test_third_version), T(test_upgraded_once), T(test_wrong_version),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
