/* gc by age, size and reachability; leases of the living, the dead and the silent. */
#include <sys/file.h>
#include <time.h>

#include "support.h"

static int64_t rows(struct kt_store *store, const char *table)
{
	sqlite3_stmt *statement = NULL;
	char sql[64];
	snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
	assert_int_equal(sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	int64_t value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

static void put_noise(struct fixture *f, struct kt_store *store, int number, size_t size)
{
	char name[16], *bytes = malloc(size);
	uint64_t seed = (uint64_t)number + 1;
	for (size_t i = 0; i < size; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		bytes[i] = (char)(seed >> 56);
	}
	snprintf(name, sizeof name, "b%d", number);
	check(kt_store_put_blob(store, name, bytes, size, &f->err), &f->err);
	free(bytes);
}

/* What was used longest ago goes until the rest fits; what was used last stays. */
static void test_gc_by_size(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_buf back = KT_BUF((size_t)1 << 20);
	struct kt_gc gc;
	for (int i = 0; i < 20; i++) {
		put_noise(f, store, i, 100000);
		check(kt_sql_script(store, kt_arena_printf(f->arena, "UPDATE blobs SET used = used - %d WHERE key = 'b%d'",
		                                           100 * (20 - i), i), &f->err), &f->err);
	}
	check(kt_store_gc(&gc, store, 90, -1, &f->err), &f->err);
	assert_int_equal(gc.removed, 0);
	assert_true(gc.bytes_before > 2000000);
	check(kt_store_gc(&gc, store, 90, 1000000, &f->err), &f->err);
	assert_in_range(gc.removed, 10, 14);
	assert_true(gc.bytes_after <= 1000000);
	assert_false(kt_store_get_blob(&back, store, "b0"));
	assert_true(kt_store_get_blob(&back, store, "b19"));
	assert_int_equal(rows(store, "artifacts"), rows(store, "blobs"));
	check(kt_store_gc(&gc, store, 90, 0, &f->err), &f->err);
	assert_int_equal(rows(store, "blobs"), 0);
	assert_int_equal(rows(store, "artifacts"), 0);
	kt_buf_free(&back);
	kt_store_close(store);
}

/* Equal bytes under two names are kept once, and until the last name goes. */
static void test_artifacts_are_shared(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_manifest manifest = {.message = "m"};
	struct kt_buf back = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_gc gc;
	check(kt_store_put_manifest(store, "m1", &manifest, &f->err), &f->err);
	check(kt_store_put_manifest(store, "m2", &manifest, &f->err), &f->err);
	check(kt_store_put_blob(store, "b", "bytes", 5, &f->err), &f->err);
	assert_int_equal(rows(store, "artifacts"), 2);
	check(kt_sql_script(store, "UPDATE manifests SET used = 1000 WHERE key = 'm1'; UPDATE blobs SET used = 1000",
	                    &f->err),
	      &f->err);
	check(kt_store_gc(&gc, store, 1, -1, &f->err), &f->err);
	assert_int_equal(gc.removed, 2);
	assert_int_equal(rows(store, "artifacts"), 1);
	struct kt_manifest read;
	assert_true(kt_store_get_manifest(&read, f->arena, store, "m2"));
	assert_false(kt_store_get_blob(&back, store, "b"));
	/* A name that stands for something else now leaves what it stood for behind: that goes as well. */
	manifest.message = "other";
	check(kt_store_put_manifest(store, "m2", &manifest, &f->err), &f->err);
	check(kt_store_gc(&gc, store, 1, -1, &f->err), &f->err);
	assert_int_equal(rows(store, "artifacts"), 1);
	kt_store_close(store);
}

/* Trials live as long as their region is tuned or resumed: a recall counts as use of all of them. */
static void test_trials_age_together(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_trial trial = {.verdict = KT_VERDICT_OK}, back;
	struct kt_gc gc;
	for (int i = 0; i < 10; i++) {
		check(kt_store_put_trial(store, KEY_A, KEY_D, kt_arena_printf(f->arena, "B=%d", i), "r=1", &trial, &f->err),
		      &f->err);
		check(kt_store_put_trial(store, KEY_B, KEY_D, kt_arena_printf(f->arena, "B=%d", i), "r=1", &trial, &f->err),
		      &f->err);
	}
	check(kt_sql_script(store, "UPDATE spaces SET used = 1000", &f->err), &f->err);
	assert_true(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, "B=3", "r=1"));
	check(kt_store_gc(&gc, store, 1, -1, &f->err), &f->err);
	assert_int_equal(gc.removed, 10);
	assert_int_equal(rows(store, "spaces"), 1);
	assert_true(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, "B=9", "r=1"));
	kt_store_close(store);
}

static void test_gc_of_leases(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_lease *held = NULL, *left = NULL;
	struct kt_gc gc;
	check(kt_store_lease(&held, store, "held", 0, &f->err), &f->err);
	check(kt_store_lease(&left, store, "left", 0, &f->err), &f->err);
	kt_store_lease_release(left);
	check(kt_store_gc(&gc, store, 1, -1, &f->err), &f->err);
	assert_int_equal(count_names(below(f, "leases"), ""), 4);
	check(kt_store_gc(&gc, store, 0, -1, &f->err), &f->err);
	assert_int_equal(count_names(below(f, "leases"), ""), 3); /* ".", ".." and the one that is held */
	assert_int_equal(kt_store_lease(&left, store, "held", 0, &f->err), KT_ERR_BUSY);
	kt_store_lease_release(held);
	kt_store_close(store);
}

/* Takes the lease in a child that then stands still, with or without signs of life; −1 byte: it could not. */
static pid_t hold(struct fixture *f, bool beats)
{
	int ready[2];
	char byte = 0;
	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		struct kt_error err;
		struct kt_store *store = NULL;
		struct kt_lease *lease = NULL;
		if (kt_store_open(&store, f->directory, &err) != KT_OK ||
		    kt_store_lease(&lease, store, "one", 0, &err) != KT_OK || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;) {
			usleep(50000);
			if (beats)
				kt_store_lease_beat(lease);
		}
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static void end(pid_t child)
{
	int status;
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
}

static void test_silent_holder_is_replaced(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_lease *lease = NULL, *second = NULL;
	pid_t child = hold(f, false);
	assert_int_equal(kt_lease_take(&lease, store, "one", 0.3, 5, &f->err), KT_ERR_BUSY);
	check(kt_lease_take(&lease, store, "one", 5, 0.3, &f->err), &f->err);
	/* From here on it is the new one's: the old holder's lock is on a file without a name. */
	assert_int_equal(kt_lease_take(&second, store, "one", 0.1, 0, &f->err), KT_ERR_BUSY);
	end(child);
	assert_int_equal(kt_lease_take(&second, store, "one", 0.1, 0, &f->err), KT_ERR_BUSY);
	kt_store_lease_release(lease);
	kt_store_close(store);
}

/* A clock that somebody sets says nothing about a holder that gives signs of life. */
static void test_living_holder_is_waited_for(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_lease *lease = NULL;
	pid_t child = hold(f, true);
	assert_int_equal(kt_lease_take(&lease, store, "one", 3, 2.5, &f->err), KT_ERR_BUSY);
	end(child);
	check(kt_lease_take(&lease, store, "one", 3, 2.5, &f->err), &f->err);
	kt_store_lease_release(lease);
	kt_store_close(store);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
	const struct CMUnitTest tests[] = {
	    T(test_gc_by_size), T(test_artifacts_are_shared), T(test_trials_age_together), T(test_gc_of_leases),
	    T(test_silent_holder_is_replaced), T(test_living_holder_is_waited_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
