/* Every kind of row there and back, query plans, upkeep, stamps. */
#include <sys/time.h>

#include "base/proc.h"
#include "support.h"

static void test_trials(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_trial trial = {.problem = 3, .verdict = KT_VERDICT_OK, .timing = {1.5, 1.0 / 3, 1, 0.25, 100},
	                         .registers = 64, .local_bytes = 8, .shared_bytes = 4096,
	                         .measured_ms = 1795261059123}, back;
	const char *config = "BLOCK=256 VEC=8", *problem = "rows=16 d=4096";
	assert_false(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, config, problem));
	check(kt_store_put_trial(store, KEY_A, KEY_D, config, problem, &trial, &f->err), &f->err);
	assert_true(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, config, problem));
	assert_int_equal(back.problem, 3);
	assert_memory_equal(&back.timing, &trial.timing, sizeof trial.timing);
	assert_int_equal(back.registers, 64);
	assert_int_equal(back.local_bytes, 8);
	assert_int_equal(back.shared_bytes, 4096);
	assert_int_equal(back.measured_ms, 1795261059123);
	assert_null(back.detail);
	assert_false(kt_store_get_trial(&back, f->arena, store, KEY_B, KEY_D, config, problem));
	assert_false(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, "BLOCK=25", problem));
	for (int verdict = KT_VERDICT_OK; verdict <= KT_VERDICT_SKIPPED; verdict++) {
		trial.verdict = (enum kt_verdict)verdict;
		trial.detail = "y[3] is 1, but 2 is expected; 'quoted\" \n";
		check(kt_store_put_trial(store, KEY_A, KEY_D, config, problem, &trial, &f->err), &f->err);
		assert_true(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, config, problem));
		assert_int_equal(back.verdict, verdict);
		assert_string_equal(back.detail, trial.detail);
		assert_true(kt_verdict_from_name(&back.verdict, kt_verdict_name(trial.verdict)));
		assert_int_equal(back.verdict, verdict);
	}
	assert_false(kt_verdict_from_name(&back.verdict, "fine"));
	kt_store_close(store);
}

/* Several in one transaction are there together, or none of them is. */
static void test_trials_at_once(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_trial back;
	const struct kt_trial_row rows[] = {
	    {"B=1", "r=1", {.verdict = KT_VERDICT_OK, .timing = {1, 1, 1, 0, 5}, .detail = KT_TRIAL_SCREENED}},
	    {"B=1", "r=2", {.problem = 1, .verdict = KT_VERDICT_WRONG_ANSWER, .detail = "y"}},
	    {"B=2", "r=1", {.verdict = KT_VERDICT_OK, .timing = {2, 2, 2, 0, 5}}}};
	check(kt_store_put_trials(store, KEY_A, KEY_D, rows, 3, &f->err), &f->err);
	for (size_t i = 0; i < 3; i++) {
		assert_true(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, rows[i].configuration, rows[i].problem));
		assert_int_equal(back.verdict, rows[i].trial.verdict);
		assert_int_equal(back.problem, rows[i].trial.problem);
	}
	check(kt_store_put_trials(store, KEY_A, KEY_D, rows, 0, &f->err), &f->err);
	assert_int_equal(kt_sql_script(store, "CREATE TRIGGER no BEFORE INSERT ON trials WHEN NEW.problem = 'r=4' "
	                               "BEGIN SELECT RAISE(ABORT, 'full'); END", &f->err), KT_OK);
	const struct kt_trial_row more[] = {{"B=3", "r=3", {.verdict = KT_VERDICT_OK}}, {"B=3", "r=4", {.verdict = KT_VERDICT_OK}}};
	assert_int_not_equal(kt_store_put_trials(store, KEY_A, KEY_D, more, 2, &f->err), KT_OK);
	assert_false(kt_store_get_trial(&back, f->arena, store, KEY_A, KEY_D, "B=3", "r=3"));
	check(kt_store_put_trials(store, KEY_A, KEY_D, more, 1, &f->err), &f->err);
	kt_store_close(store);
}

static bool append_subject(const struct kt_trial_subject *subject, void *context)
{
	kt_buf_addf(context, "%.1s/%.1s/%s/%s/%s;", subject->trial_key, subject->device_key, subject->kernel, subject->instance,
	            subject->parameters);
	return subject->instance[0] != '!';
}

static void expect_subjects(struct fixture *f, struct kt_store *store, bool others, int64_t most, const char *expected)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	check(kt_store_each_subject(store, "k", others, most, append_subject, &text, &f->err), &f->err);
	assert_string_equal(kt_buf_text(&text), expected);
	kt_buf_free(&text);
}

/* What spaces of trials are about: by kernel, those used last first. */
static void test_subjects(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	static const char *const rows[][4] = {{"1", "k", "one", "B:block-x"}, {"2", "k", "two", ""}, {"3", "l", "three", "C:other"}};

	for (size_t i = 0; i < 3; i++) {
		const struct kt_trial_subject subject = {rows[i][0], KEY_D, rows[i][1], rows[i][2], rows[i][3]};
		check(kt_store_put_subject(store, &subject, &f->err), &f->err);
		check(kt_sql_script(store, kt_arena_printf(f->arena, "UPDATE spaces SET used = %zu WHERE trial_key = '%s'", 1000 + i,
		                                           rows[i][0]), &f->err), &f->err);
	}
	/* One that was never noted. */
	check(kt_store_put_trial(store, KEY_A, KEY_D, "B=1", "n=1", &(struct kt_trial){.verdict = KT_VERDICT_OK}, &f->err), &f->err);
	const char *device = kt_arena_strndup(f->arena, KEY_D, 1);
	expect_subjects(f, store, false, 9, kt_arena_printf(f->arena, "2/%s/k/two/;1/%s/k/one/B:block-x;", device, device));
	expect_subjects(f, store, false, 1, kt_arena_printf(f->arena, "2/%s/k/two/;", device));
	expect_subjects(f, store, true, 9, kt_arena_printf(f->arena, "3/%s/l/three/C:other;", device));
	/* Noted again: the last word counts, and a visit that says so is the last one. */
	check(kt_store_put_subject(store, &(struct kt_trial_subject){"2", KEY_D, "k", "!", "D:team"}, &f->err), &f->err);
	expect_subjects(f, store, false, 9, kt_arena_printf(f->arena, "2/%s/k/!/D:team;", device));
	kt_store_close(store);
}

static void test_closures_and_machines(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_device device = h200(), back;
	assert_null(kt_store_region_key(store, f->arena, KEY_C));
	check(kt_store_put_closure(store, KEY_C, KEY_A, &f->err), &f->err);
	assert_string_equal(kt_store_region_key(store, f->arena, KEY_C), KEY_A);
	check(kt_store_put_closure(store, KEY_C, KEY_B, &f->err), &f->err);
	assert_string_equal(kt_store_region_key(store, f->arena, KEY_C), KEY_B);
	assert_false(kt_store_get_machine(&back, f->arena, store, "here"));
	check(kt_store_put_machine(store, "here", &device, &f->err), &f->err);
	assert_true(kt_store_get_machine(&back, f->arena, store, "here"));
	assert_string_equal(back.name, device.name);
	assert_string_equal(back.driver, device.driver);
	assert_int_equal(back.max_grid[0], 2147483647);
	assert_int_equal(back.memory_bytes, device.memory_bytes);
	assert_int_equal(back.memory_khz, device.memory_khz);
	kt_store_close(store);
}

static void test_blobs(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_buf back = KT_BUF((size_t)64 << 20), tiny = KT_BUF(10);
	size_t size = (size_t)3 << 20;
	unsigned char *bytes = malloc(size);
	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(i * i >> 7);
	assert_false(kt_store_get_blob(&back, store, "k"));
	check(kt_store_put_blob(store, "k", bytes, size, &f->err), &f->err);
	assert_true(kt_store_get_blob(&back, store, "k"));
	assert_int_equal(back.size, size);
	assert_memory_equal(back.data, bytes, size);
	assert_false(kt_store_get_blob(&tiny, store, "k"));
	kt_buf_clear(&back);
	check(kt_store_put_blob(store, "k", "", 0, &f->err), &f->err);
	assert_true(kt_store_get_blob(&back, store, "k"));
	assert_int_equal(back.size, 0);
	check(kt_sql_script(store, "UPDATE artifacts SET data = x'28b52ffd00'", &f->err), &f->err);
	assert_false(kt_store_get_blob(&back, store, "k"));
	check(kt_sql_script(store, "UPDATE artifacts SET size = 1 << 60", &f->err), &f->err);
	assert_false(kt_store_get_blob(&back, store, "k"));
	free(bytes);
	kt_buf_free(&back);
	kt_buf_free(&tiny);
	kt_store_close(store);
}

static struct kt_manifest some_manifest(void)
{
	static struct kt_manifest_file files[] = {{"k.cu", {1, 2, 3, -4, -5}, "h1"},
	                                          {"a/b.h", {5, 6, UINT64_MAX, 8, 9}, NULL}};
	static const char *absent[] = {"x/a.h"}, *dependencies[] = {"k.cu", "a/b.h", "name with blank\n"};
	static struct kt_manifest_lookup lookups[] = {{KEY_A, KEY_D, 7}, {KEY_B, NULL, 0}};
	static const char *names[] = {"silu_and_mul"}, *extra[] = {"o.ktune/stamp", "ktune.lock/silu_and_mul-a0000000"};
	static struct kt_emitted_file emitted[] = {{"k.cu", "src/k.cu", "main\n"}, {"1-b.h", "a/b.h", ""}};
	static const char *folders[] = {"src", "a"};
	return (struct kt_manifest){.region_count = 1, .region_names = names, .extra_count = 2, .extra = extra,
	                            .file_count = 2, .files = files, .absent_count = 1, .absent = absent,
	                            .lookup_count = 2, .lookups = lookups, .lock_dir = "ktune.lock", .lock_hash = KEY_C,
	                            .dependency_count = 3, .dependencies = dependencies,
	                            .emitted = {2, emitted, 2, folders},
	                            .message = "", .lasting = true};
}

static void test_manifests(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_manifest manifest = some_manifest(), back;
	assert_false(kt_store_get_manifest(&back, f->arena, store, "m"));
	check(kt_store_put_manifest(store, "m", &manifest, &f->err), &f->err);
	assert_true(kt_store_get_manifest(&back, f->arena, store, "m"));
	assert_int_equal(back.file_count, 2);
	assert_true(kt_fs_stamp_equal(&back.files[0].stamp, &manifest.files[0].stamp));
	assert_true(back.files[1].stamp.size == UINT64_MAX);
	assert_null(back.files[1].hash);
	assert_string_equal(back.absent[0], "x/a.h");
	assert_string_equal(back.lookups[0].region_key, KEY_A);
	assert_int_equal(back.lookups[0].generation, 7);
	assert_int_equal(back.region_count, 1);
	assert_string_equal(back.region_names[0], "silu_and_mul");
	assert_int_equal(back.extra_count, 2);
	assert_string_equal(back.extra[1], "ktune.lock/silu_and_mul-a0000000");
	assert_int_equal(back.dependency_count, 3);
	assert_string_equal(back.dependencies[2], "name with blank\n");
	assert_int_equal(back.emitted.file_count, 2);
	assert_string_equal(back.emitted.files[0].text, "main\n");
	assert_string_equal(back.emitted.files[1].name, "1-b.h");
	assert_string_equal(back.emitted.files[1].original, "a/b.h");
	assert_string_equal(back.emitted.files[1].text, "");
	assert_int_equal(back.emitted.folder_count, 2);
	assert_string_equal(back.emitted.folders[1], "a");
	assert_string_equal(back.lock_hash, KEY_C);
	assert_null(back.reason);
	assert_string_equal(back.message, "");
	assert_true(back.lasting);
	kt_store_close(store);
}

/* Shortened or changed bytes are refused or read as something, but never outside their bounds. */
static void test_damaged_manifests(void **state)
{
	struct fixture *f = *state;
	struct kt_manifest manifest = some_manifest(), back;
	struct kt_buf bytes = KT_BUF(KT_LIMIT_LINE_BYTES);
	check(kt_manifest_encode(&bytes, &manifest, &f->err), &f->err);
	for (size_t size = 0; size < bytes.size; size++) {
		void *exact = malloc(size + (size == 0));
		memcpy(exact, bytes.data, size);
		assert_int_equal(kt_manifest_decode(&back, f->arena, exact, size, &f->err), KT_ERR_CORRUPT);
		free(exact);
	}
	for (size_t at = 0; at < bytes.size; at++) {
		bytes.data[at] ^= (char)0xff;
		kt_status status = kt_manifest_decode(&back, f->arena, bytes.data, bytes.size, &f->err);
		assert_true(status == KT_OK || status == KT_ERR_CORRUPT);
		bytes.data[at] ^= (char)0xff;
	}
	kt_buf_free(&bytes);
}

static void test_generations(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	char key[KT_HASH_TEXT];
	struct kt_gc gc;
	kt_device_key(key, &entry.device);
	assert_int_equal(kt_store_generation(store, KEY_A, key), 0);
	put_entry(f, store, &entry);
	int64_t first = kt_store_generation(store, KEY_A, key);
	assert_true(first > 0);
	put_entry(f, store, &entry);
	int64_t second = kt_store_generation(store, KEY_A, key);
	assert_true(second > first);
	check(kt_store_gc(&gc, store, 0, -1, &f->err), &f->err);
	assert_int_equal(kt_store_generation(store, KEY_A, key), 0);
	put_entry(f, store, &entry);
	/* An entry that went and came back is not the one a manifest remembers. */
	assert_true(kt_store_generation(store, KEY_A, key) > second);
	kt_store_close(store);
}

static void test_generation_of_all_devices(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	int64_t seen[5];
	struct kt_gc gc;
	seen[0] = kt_store_generation(store, KEY_A, NULL);
	assert_int_equal(seen[0], 0);
	put_entry(f, store, &entry);
	seen[1] = kt_store_generation(store, KEY_A, NULL);
	entry.device = other_device("NVIDIA A100", 80);
	put_entry(f, store, &entry);
	seen[2] = kt_store_generation(store, KEY_A, NULL);
	check(kt_sql_script(store, "DELETE FROM results WHERE json LIKE '%H200%'", &f->err), &f->err);
	seen[3] = kt_store_generation(store, KEY_A, NULL);
	put_entry(f, store, &entry);
	seen[4] = kt_store_generation(store, KEY_A, NULL);
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < i; j++)
			assert_true(seen[i] != seen[j]);
	/* Asking counts as use. */
	check(kt_sql_script(store, "UPDATE results SET used = 1000", &f->err), &f->err);
	assert_true(kt_store_generation(store, KEY_A, NULL) == seen[4]);
	check(kt_store_gc(&gc, store, 1, -1, &f->err), &f->err);
	assert_int_equal(gc.removed, 0);
	kt_store_close(store);
}

static void test_bad_entries_are_refused(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	entry.name = "a/b";
	assert_int_equal(kt_store_put(store, &entry, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "/name: "));
	entry = sample();
	entry.problem_count = 0;
	assert_int_equal(kt_store_put(store, &entry, &f->err), KT_ERR_INVALID);
	entry = sample();
	entry.region_key = NULL;
	assert_int_equal(kt_store_put(store, &entry, &f->err), KT_ERR_INVALID);
	assert_int_equal(kt_lock_write(f->directory, &(struct kt_entry){.name = "../x", .region_key = KEY_A,
	                                                               .device = h200()}, &f->err), KT_ERR_INVALID);
	/* The store is as usable as before. */
	entry = sample();
	put_entry(f, store, &entry);
	kt_store_close(store);
}

static void test_gc(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample(), old = sample();
	struct kt_trial trial = {.verdict = KT_VERDICT_OK};
	struct kt_buf rows = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_gc gc;
	old.region_key = KEY_D;
	old.closure = KEY_D;
	put_entry(f, store, &entry);
	put_entry(f, store, &old);
	check(kt_store_put_trial(store, KEY_A, KEY_D, "B=1", "r=1", &trial, &f->err), &f->err);
	check(kt_store_put_stamp(store, KEY_B, below(f, "gone"), &f->err), &f->err);
	check(kt_store_gc(&gc, store, 30, -1, &f->err), &f->err);
	assert_int_equal(gc.removed, 0);
	check(kt_sql_script(store, "UPDATE results SET used = 1000 WHERE region_key = '" KEY_D "';"
	                           "UPDATE spaces SET used = 1000; UPDATE devices SET seen = 1000;"
	                           "UPDATE regions SET seen = 1000; UPDATE closures SET used = 1000;", &f->err), &f->err);
	check(kt_store_gc(&gc, store, 30, -1, &f->err), &f->err);
	assert_int_equal(gc.removed, 2);
	check(kt_store_table_rows(&rows, store, &f->err), &f->err);
	assert_string_equal(kt_buf_text(&rows),
	                    "{\"devices\":1,\"toolchains\":1,\"regions\":1,\"closures\":1,\"templates\":1,\"spaces\":0,"
	                    "\"trials\":0,\"results\":1,\"manifests\":0,\"blobs\":0,\"artifacts\":0,\"ledger\":2,"
	                    "\"statistics\":0,\"stamps\":0,\"machines\":0,\"marks\":0}");
	assert_int_equal(kt_store_gc(&gc, store, -1, -1, &f->err), KT_ERR_INVALID);
	kt_buf_free(&rows);
	kt_store_close(store);
}

static void test_gc_keeps_what_is_used(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	char key[KT_HASH_TEXT];
	struct kt_gc gc;
	kt_device_key(key, &entry.device);
	put_entry(f, store, &entry);
	check(kt_sql_script(store, "UPDATE results SET used = 1000", &f->err), &f->err);
	assert_true(kt_store_generation(store, KEY_A, key) > 0);
	check(kt_store_gc(&gc, store, 1, -1, &f->err), &f->err);
	assert_int_equal(gc.removed, 0);
	kt_store_close(store);
}

static void put_file(struct fixture *f, const char *name, int64_t days_old)
{
	const struct timespec times[2] = {{kt_unix_time() - days_old * 86400, 0}, {kt_unix_time() - days_old * 86400, 0}};
	const char *path = below(f, name);

	check(kt_fs_write(path, "x", 1, &f->err), &f->err);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_gc_of_headers(void **state)
{
	static const struct {
		const char *name;
		int64_t days_old;
		bool stays;
	} files[] = {
	    {"headers/new.pch", 1, true},     {"headers/new.json", 1, true}, {"headers/old.pch", 40, false},
	    {"headers/old.json", 40, false},  {"headers/alone.pch", 1, false}, {"headers/lock", 1, true},
	    {"headers/new-abc/made", 1, true},
	};
	struct fixture *f = *state;
	const struct timespec long_ago[2] = {{1000, 0}, {1000, 0}};

	check(kt_fs_mkdirs(below(f, "headers/new-abc"), &f->err), &f->err);
	check(kt_fs_mkdirs(below(f, "headers/new-old"), &f->err), &f->err);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		put_file(f, files[i].name, files[i].days_old);
	assert_int_equal(utimensat(AT_FDCWD, below(f, "headers/new-old"), long_ago, 0), 0);
	kt_store_sweep_headers(below(f, "."), 30);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (kt_fs_is_file(below(f, files[i].name)) != files[i].stays)
			fail_msg("%s %s", files[i].name, files[i].stays ? "is gone" : "is still there");
	assert_false(kt_fs_is_dir(below(f, "headers/new-old")));
}

static int64_t findings(struct fixture *f, struct kt_store *store, const char *wanted)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	int64_t problems = -1;
	check(kt_store_verify(&problems, &text, store, &f->err), &f->err);
	if (strstr(kt_buf_text(&text), wanted) == NULL)
		fail_msg("\"%s\" does not hold \"%s\"", kt_buf_text(&text), wanted);
	kt_buf_free(&text);
	return problems;
}

static void test_verify(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	struct kt_manifest manifest = some_manifest();
	put_entry(f, store, &entry);
	check(kt_store_put_manifest(store, "m", &manifest, &f->err), &f->err);
	check(kt_store_put_blob(store, "b", "abc", 3, &f->err), &f->err);
	assert_int_equal(findings(f, store, ""), 0);
	check(kt_sql_script(store, "UPDATE results SET near_key = 'x'", &f->err), &f->err);
	assert_int_equal(findings(f, store, "columns"), 1);
	check(kt_sql_script(store, "UPDATE results SET json = replace(json, '256', '257')", &f->err), &f->err);
	assert_int_equal(findings(f, store, "/hash: the content was changed"), 1);
	check(kt_sql_script(store,
	                    "UPDATE artifacts SET size = 4 WHERE hash IN (SELECT hash FROM blobs);"
	                    "UPDATE artifacts SET data = x'00' WHERE hash IN (SELECT hash FROM manifests)",
	                    &f->err),
	      &f->err);
	assert_int_equal(findings(f, store, "blob b: "), 3);
	check(kt_sql_script(store, "PRAGMA foreign_keys = OFF; DELETE FROM toolchains", &f->err), &f->err);
	assert_int_equal(findings(f, store, "foreign_key_check: results"), 4);
	kt_store_close(store);
}

static void test_stamps(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct stat info;
	const struct timeval old[2] = {{1000, 0}, {1000, 0}};
	char *here = below(f, "stamp"), *gone = below(f, "gone"), *other = below(f, "other");
	check(kt_fs_touch(here, &f->err), &f->err);
	check(kt_fs_touch(other, &f->err), &f->err);
	assert_int_equal(utimes(here, old), 0);
	assert_int_equal(utimes(other, old), 0);
	check(kt_store_put_stamp(store, KEY_B, here, &f->err), &f->err);
	check(kt_store_put_stamp(store, KEY_B, here, &f->err), &f->err);
	check(kt_store_put_stamp(store, KEY_B, gone, &f->err), &f->err);
	check(kt_store_put_stamp(store, KEY_A, other, &f->err), &f->err);
	kt_store_touch_stamps(store, KEY_B);
	assert_int_equal(stat(here, &info), 0);
	assert_true(info.st_mtim.tv_sec > 1000);
	assert_int_equal(stat(other, &info), 0);
	assert_int_equal(info.st_mtim.tv_sec, 1000);
	assert_int_not_equal(stat(gone, &info), 0);
	struct kt_buf rows = KT_BUF(KT_LIMIT_LINE_BYTES);
	check(kt_store_table_rows(&rows, store, &f->err), &f->err);
	assert_non_null(strstr(kt_buf_text(&rows), "\"stamps\":2"));
	kt_buf_free(&rows);
	/* By name: another than by a key. */
	check(kt_store_put_named_stamp(store, "k", other, &f->err), &f->err);
	kt_store_touch_named_stamps(store, "k_2");
	kt_store_touch_stamps(store, "k");
	assert_int_equal(stat(other, &info), 0);
	assert_int_equal(info.st_mtim.tv_sec, 1000);
	kt_store_touch_named_stamps(store, "k");
	assert_int_equal(stat(other, &info), 0);
	assert_true(info.st_mtim.tv_sec > 1000);
	kt_store_close(store);
}

/* No statement of the table reads a whole table, but for the two that list everything. */
static void test_query_plans(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	for (int id = 0; id < KT_SQL_STATEMENTS; id++) {
		sqlite3_stmt *plan = NULL;
		if (id == KT_SQL_COUNTERS || id == KT_SQL_ENTRIES || id == KT_SQL_MANIFESTS)
			continue;
		char *sql = kt_arena_printf(f->arena, "EXPLAIN QUERY PLAN %s", kt_sql_text((enum kt_sql)id));
		assert_int_equal(sqlite3_prepare_v2(store->db, sql, -1, &plan, NULL), SQLITE_OK);
		while (sqlite3_step(plan) == SQLITE_ROW) {
			const char *detail = kt_sql_column(plan, 3);
			if (strncmp(detail, "SCAN", 4) == 0 && strstr(detail, "CONSTANT ROW") == NULL)
				fail_msg("%s: %s", sql, detail);
			if (strstr(detail, "TEMP B-TREE FOR ORDER") != NULL)
				fail_msg("%s: %s", sql, detail);
		}
		sqlite3_finalize(plan);
	}
	kt_store_close(store);
}

static void test_leases(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_lease *lease = NULL, *second = NULL;
	check(kt_store_lease(&lease, store, "region × device", 0, &f->err), &f->err);
	assert_int_equal(kt_store_lease(&second, store, "region × device", 0.05, &f->err), KT_ERR_BUSY);
	check(kt_store_lease(&second, store, "../../other", 0, &f->err), &f->err);
	kt_store_lease_release(second);
	kt_store_lease_release(lease);
	kt_store_lease_release(NULL);
	check(kt_store_lease(&lease, store, "region × device", 0, &f->err), &f->err);
	kt_store_lease_release(lease);
	kt_store_close(store);
}

static void test_lease_of_the_dead(void **state)
{
	struct fixture *f = *state;
	int ready[2], status;
	char byte;
	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		struct kt_error err;
		struct kt_store *store = NULL;
		struct kt_lease *lease = NULL;
		if (kt_store_open(&store, f->directory, &err) != KT_OK ||
		    kt_store_lease(&lease, store, "one", 0, &err) != KT_OK || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	struct kt_store *store = open_store(f);
	struct kt_lease *lease = NULL;
	assert_int_equal(kt_store_lease(&lease, store, "one", 0.05, &f->err), KT_ERR_BUSY);
	assert_int_equal(kill(child, SIGKILL), 0);
	check(kt_store_lease(&lease, store, "one", 5, &f->err), &f->err);
	assert_int_equal(waitpid(child, &status, 0), child);
	kt_store_lease_release(lease);
	kt_store_close(store);
	close(ready[0]);
	close(ready[1]);
}

/* A writer that is killed at any moment leaves a store that opens and verifies. */
static void test_killed_writers(void **state)
{
	struct fixture *f = *state;
	for (int round = 0; round < 12; round++) {
		pid_t child = fork();
		if (child == 0) {
			struct kt_error err;
			struct kt_store *store = NULL;
			struct kt_entry entry = sample();
			if (kt_store_open(&store, f->directory, &err) != KT_OK)
				_exit(1);
			for (;;)
				if (kt_store_put(store, &entry, &err) != KT_OK)
					_exit(2);
		}
		usleep((useconds_t)(2000 + round * 3000));
		int status = 0;
		assert_int_equal(kill(child, SIGKILL), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		struct kt_store *store = open_store(f);
		assert_int_equal(findings(f, store, ""), 0);
		assert_int_equal(counted(f, store, "store-corrupt"), 0);
		kt_store_close(store);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
	const struct CMUnitTest tests[] = {
	    T(test_trials), T(test_trials_at_once), T(test_subjects), T(test_closures_and_machines), T(test_blobs), T(test_manifests), T(test_damaged_manifests),
	    T(test_generations),
	    T(test_generation_of_all_devices), T(test_bad_entries_are_refused), T(test_gc), T(test_gc_keeps_what_is_used),
	    T(test_gc_of_headers),
	    T(test_verify), T(test_stamps), T(test_query_plans), T(test_leases), T(test_lease_of_the_dead),
	    T(test_killed_writers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
