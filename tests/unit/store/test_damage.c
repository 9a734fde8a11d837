/* What is left of a damaged store, and that nothing of it is believed that does not prove itself. */
#include "support.h"

enum { SPACES = 40, CONFIGURATIONS = 60, ENTRIES = 40 };

static const char *key(struct fixture *f, char first, int number)
{
	return kt_arena_printf(f->arena, "%c%063d", first, number);
}

static void put_some_trials(struct fixture *f, struct kt_store *store)
{
	for (int s = 0; s < SPACES; s++) {
		struct kt_trial trial = {.verdict = KT_VERDICT_OK,
		                         .detail = "a row of some length, so that there are many pages"};
		check(kt_sql_begin(store, &f->err), &f->err);
		for (int c = 0; c < CONFIGURATIONS; c++) {
			trial.timing.median_ns = s * 1000 + c;
			check(kt_trial_put_row(store, key(f, 'a', s), KEY_D, kt_arena_printf(f->arena, "BLOCK=%d", c), "rows=1",
			                       &trial, 1, &f->err), &f->err);
		}
		check(kt_sql_end(store, KT_OK, &f->err), &f->err);
	}
}

/* Everything in the main file, and nobody has it open. */
static void fill(struct fixture *f)
{
	struct kt_store *store = open_store(f);
	put_some_trials(f, store);
	for (int i = 0; i < ENTRIES; i++) {
		struct kt_entry entry = sample();
		entry.region_key = key(f, 'b', i);
		entry.closure = key(f, 'c', i);
		put_entry(f, store, &entry);
	}
	check(kt_store_put_blob(store, "kernels", "0123456789", 10, &f->err), &f->err);
	check(kt_store_put_stamp(store, KEY_B, "/nowhere/stamp", &f->err), &f->err);
	check(kt_sql_script(store, "PRAGMA wal_checkpoint(TRUNCATE)", &f->err), &f->err);
	kt_store_close(store);
}

static int count_trials(struct fixture *f, struct kt_store *store)
{
	int found = 0;
	for (int s = 0; s < SPACES; s++)
		for (int c = 0; c < CONFIGURATIONS; c++) {
			struct kt_trial trial;
			if (!kt_store_get_trial(&trial, f->arena, store, key(f, 'a', s), KEY_D,
			                        kt_arena_printf(f->arena, "BLOCK=%d", c), "rows=1"))
				continue;
			assert_true(trial.timing.median_ns == s * 1000 + c);
			found++;
		}
	return found;
}

static int count_entries(struct fixture *f, struct kt_store *store)
{
	int found = 0;
	for (int i = 0; i < ENTRIES; i++) {
		struct kt_query query = {.closure = key(f, 'c', i), .near_key = KEY_C, .name = "silu_and_mul",
		                         .region_key = key(f, 'b', i)};
		found += kt_store_has_any(store, &query);
	}
	return found;
}

/* One page of the table of trials is overwritten: its rows are gone, and nothing else. */
static void test_takes_over_the_rest(void **state)
{
	struct fixture *f = *state;
	struct kt_buf blob = KT_BUF(KT_LIMIT_LINE_BYTES);
	char noise[4096];
	fill(f);
	struct kt_store *store = open_store(f);
	sqlite3_stmt *statement = NULL;
	/* A leaf in the middle. */
	assert_int_equal(sqlite3_prepare_v2(store->db,
	                                    "SELECT pageno FROM dbstat WHERE name = 'trials' AND pagetype = 'leaf' "
	                                    "ORDER BY path LIMIT 1 OFFSET 20", -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	int64_t page = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	kt_store_close(store);
	memset(noise, 0xa5, sizeof noise);
	int fd = open(below(f, KT_STORE_FILE), O_WRONLY);
	assert_int_equal(pwrite(fd, noise, sizeof noise, (page - 1) * 4096), sizeof noise);
	close(fd);
	store = open_store(f);
	assert_in_range(count_trials(f, store), SPACES * CONFIGURATIONS - 60, SPACES * CONFIGURATIONS - 1);
	kt_store_close(store);
	/* The look-up noticed: the next open makes a new file of what is whole. */
	store = open_store(f);
	assert_int_equal(counted(f, store, "store-corrupt"), 1);
	assert_in_range(count_trials(f, store), SPACES * CONFIGURATIONS - 60, SPACES * CONFIGURATIONS - 1);
	assert_int_equal(count_entries(f, store), ENTRIES);
	assert_true(kt_store_get_blob(&blob, store, "kernels"));
	assert_string_equal(kt_buf_text(&blob), "0123456789");
	kt_buf_free(&blob);
	kt_store_close(store);
}

/* Whatever bits of the head are wrong, and without the page that holds the keys of trials: all rows are there. */
static void test_head_and_keys(void **state)
{
	struct fixture *f = *state;
	struct kt_buf bytes = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	fill(f);
	char *path = below(f, KT_STORE_FILE);
	check(kt_fs_read(&bytes, path, &f->err), &f->err);
	for (int round = 0; round < 5; round++) {
		static const int places[] = {0, 16, 18, 30, 57};
		char *copy = kt_arena_alloc(f->arena, bytes.size);
		memcpy(copy, bytes.data, bytes.size);
		copy[places[round]] ^= 0x11;
		if (round == 4)
			memset(copy, 0x5a, 100);
		unlink(below(f, KT_STORE_FILE "-wal"));
		unlink(below(f, KT_STORE_FILE "-shm"));
		check(kt_fs_write(path, copy, bytes.size, &f->err), &f->err);
		kt_store_close(open_store(f));
		check(kt_fs_touch(below(f, KT_STORE_SUSPECT), &f->err), &f->err);
		struct kt_store *store = open_store(f);
		assert_int_equal(count_trials(f, store), SPACES * CONFIGURATIONS);
		assert_int_equal(count_entries(f, store), ENTRIES);
		kt_store_close(store);
	}
	struct kt_store *store = open_store(f);
	sqlite3_stmt *statement = NULL;
	char noise[4096];
	check(kt_sql_script(store, "PRAGMA wal_checkpoint(TRUNCATE)", &f->err), &f->err);
	assert_int_equal(sqlite3_prepare_v2(store->db,
	                                    "SELECT pageno FROM dbstat WHERE name = 'spaces' ORDER BY path DESC LIMIT 1",
	                                    -1, &statement, NULL),
	                 SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	int64_t page = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	kt_store_close(store);
	memset(noise, 0, sizeof noise);
	int fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, noise, sizeof noise, (page - 1) * 4096), sizeof noise);
	close(fd);
	check(kt_fs_touch(below(f, KT_STORE_SUSPECT), &f->err), &f->err);
	store = open_store(f);
	assert_int_equal(count_trials(f, store), SPACES * CONFIGURATIONS);
	kt_store_close(store);
	kt_buf_free(&bytes);
}

/* A value that was changed in place: no page is damaged, and still nobody believes it. */
static void test_changed_values_are_not_believed(void **state)
{
	struct fixture *f = *state;
	struct kt_trial trial = {.verdict = KT_VERDICT_WRONG_ANSWER, .timing.median_ns = 5}, back;
	struct kt_buf blob = KT_BUF(KT_LIMIT_LINE_BYTES), findings = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	int64_t problems = 0;
	struct kt_store *store = open_store(f);
	check(kt_store_put_trial(store, KEY_A, KEY_D, "B=1", "r=1", &trial, &f->err), &f->err);
	check(kt_store_put_trial(store, KEY_B, KEY_D, "B=1", "r=1", &trial, &f->err), &f->err);
	assert_true(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, "B=1", "r=1"));
	check(kt_sql_script(store, "UPDATE trials SET verdict = 'ok' WHERE space = 1", &f->err), &f->err);
	assert_false(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, "B=1", "r=1"));
	/* Rows of one space under the keys of another. */
	check(kt_sql_script(store, "UPDATE spaces SET trial_key = 'x' WHERE id = 1;"
	                           "UPDATE spaces SET trial_key = '" KEY_A "' WHERE id = 2", &f->err), &f->err);
	assert_false(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, "B=1", "r=1"));
	check(kt_store_put_blob(store, "one", "1", 1, &f->err), &f->err);
	check(kt_store_put_blob(store, "two", "2", 1, &f->err), &f->err);
	check(kt_sql_script(store, "UPDATE artifacts SET data = (SELECT data FROM artifacts LIMIT 1)", &f->err), &f->err);
	bool first = kt_store_get_blob(&blob, store, "one"), second = kt_store_get_blob(&blob, store, "two");
	assert_true(first != second);
	assert_int_equal(counted(f, store, "artifact-damaged"), 1);
	check(kt_store_verify(&problems, &findings, store, &f->err), &f->err);
	assert_int_equal(problems, 3);
	assert_non_null(strstr(kt_buf_text(&findings), "trial x: B=1 on r=1: its check sum is another"));
	/* Written again, it is whole again. */
	kt_buf_clear(&blob);
	check(kt_store_put_blob(store, first ? "two" : "one", first ? "2" : "1", 1, &f->err), &f->err);
	assert_true(kt_store_get_blob(&blob, store, first ? "two" : "one"));
	kt_buf_free(&blob);
	kt_buf_free(&findings);
	kt_store_close(store);
}

/* A schema whose text was changed is damage as well: statements do not fit. */
static void test_changed_schema(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample();
	struct kt_trial back;
	struct kt_store *store = open_store(f);
	put_entry(f, store, &entry);
	check(kt_sql_script(store, "ALTER TABLE trials RENAME COLUMN verdict TO werdict", &f->err), &f->err);
	kt_store_close(store);
	store = open_store(f);
	assert_false(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, "B=1", "r=1"));
	kt_store_close(store);
	store = open_store(f);
	assert_int_equal(counted(f, store, "store-corrupt"), 1);
	struct kt_query query = {.closure = KEY_C, .near_key = KEY_B, .name = "silu_and_mul"};
	assert_true(kt_store_has_any(store, &query));
	kt_store_close(store);
}

/* A local store that cannot be read must not hide the lock directory. */
static void test_lock_directory_beside_a_broken_store(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample();
	struct kt_query query = {.closure = KEY_C, .near_key = KEY_B, .name = "silu_and_mul", .lock_dir = below(f, "lock")};
	struct kt_found *found = NULL;
	size_t count = 0;
	char *damaged = NULL;
	check(kt_fs_mkdirs(query.lock_dir, &f->err), &f->err);
	check(kt_lock_write(query.lock_dir, &entry, &f->err), &f->err);
	struct kt_store *store = open_store(f);
	check(kt_sql_script(store, "ALTER TABLE results RENAME TO r", &f->err), &f->err);
	check(kt_store_find(&found, &count, &damaged, f->arena, store, &query, &f->err), &f->err);
	assert_int_equal(count, 1);
	assert_string_equal(found[0].source, "lock");
	kt_store_close(store);
}

/* As a process leaves it that was killed while it replaced a damaged file: at which step is told by what there is. */
static void leave(struct fixture *f, const char *aside, bool log_moved, bool fresh)
{
	const char *path = below(f, KT_STORE_FILE), *to = below(f, aside);
	check(kt_fs_write(below(f, KT_STORE_SUSPECT), aside, strlen(aside), &f->err), &f->err);
	assert_int_equal(rename(path, to), 0);
	if (log_moved)
		assert_int_equal(rename(kt_arena_printf(f->arena, "%s-wal", path), kt_arena_printf(f->arena, "%s-wal", to)), 0);
	unlink(kt_arena_printf(f->arena, "%s-shm", path));
	if (!fresh)
		return;
	/* Made, and nothing taken over yet. */
	char *elsewhere = below(f, "elsewhere");
	struct kt_store *store = NULL;
	check(kt_store_open(&store, elsewhere, &f->err), &f->err);
	check(kt_sql_script(store, "PRAGMA wal_checkpoint(TRUNCATE)", &f->err), &f->err);
	kt_store_close(store);
	assert_int_equal(rename(kt_path_join(f->arena, elsewhere, KT_STORE_FILE), path), 0);
	check(kt_fs_remove_tree(elsewhere, &f->err), &f->err);
}

/* A file that is being replaced is replaced in the end, whoever is killed in between: nothing whole is left behind. */
static void test_replacing_is_resumed(void **state)
{
	static const struct {
		bool log_moved, fresh;
	} steps[] = {{false, false}, {true, false}, {true, true}};
	struct fixture *f = *state;
	char *whole = f->directory;
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		f->directory = kt_path_join(f->arena, whole, kt_arena_printf(f->arena, "%zu", i));
		check(kt_fs_mkdirs(f->directory, &f->err), &f->err);
		fill(f);
		/* And something that stands in the log alone. */
		struct kt_store *store = open_store(f);
		struct kt_entry entry = sample();
		put_entry(f, store, &entry);
		kt_store_close(store);
		leave(f, KT_STORE_FILE ".corrupt-1", steps[i].log_moved, steps[i].fresh);
		for (int round = 0; round < 2; round++) {
			store = open_store(f);
			assert_int_equal(count_trials(f, store), SPACES * CONFIGURATIONS);
			assert_int_equal(count_entries(f, store), ENTRIES);
			assert_true(kt_store_generation(store, KEY_A, NULL) != 0);
			assert_int_equal(count_names(f->directory, KT_STORE_SUSPECT), 0);
			kt_store_close(store);
		}
	}
	f->directory = whole;
}

/* What stands in the mark is a name of this folder or nothing. */
static void test_mark_names_nothing_else(void **state)
{
	static const char *const texts[] = {"../other/" KT_STORE_FILE ".corrupt-1", KT_STORE_FILE ".corrupt-", "x",
	                                    KT_STORE_FILE ".corrupt-/../../x", "\n"};
	struct fixture *f = *state;
	fill(f);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		check(kt_fs_write(below(f, KT_STORE_SUSPECT), texts[i], strlen(texts[i]), &f->err), &f->err);
		struct kt_store *store = open_store(f);
		assert_int_equal(count_trials(f, store), SPACES * CONFIGURATIONS);
		assert_int_equal(counted(f, store, "store-corrupt"), 0);
		assert_int_equal(count_names(f->directory, KT_STORE_SUSPECT), 0);
		kt_store_close(store);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
	const struct CMUnitTest tests[] = {
	    T(test_takes_over_the_rest), T(test_head_and_keys), T(test_changed_values_are_not_believed),
	    T(test_changed_schema),
	    T(test_lock_directory_beside_a_broken_store), T(test_replacing_is_resumed), T(test_mark_names_nothing_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
