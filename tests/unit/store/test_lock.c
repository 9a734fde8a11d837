/* Lock files and the text of an entry: round trips and hostile edits. */
#include "support.h"

#include <sys/stat.h>

static void test_round_trip(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample(), back;
	entry.checks = 24;
	entry.watched_by = "memcheck, racecheck";
	entry.stability = (struct kt_stability){18, 1, 2, 1695, 1980, 64, 512};
	const int64_t first[] = {64, 3};
	struct kt_energy_point points[] = {{first, 100.5, 2000}, {NULL, 300, 1000.5}};
	double baseline_uj[] = {1500.5, 2}, tuned_uj[] = {700.1, 0};
	entry.objective = "edp";
	entry.energy_error = 9;
	entry.baseline_uj = baseline_uj;
	entry.tuned_uj = tuned_uj;
	entry.points = points;
	entry.point_count = 2;
	char *text = entry_text(f, &entry);
	check(kt_entry_parse(&back, f->arena, text, strlen(text), &f->err), &f->err);
	assert_string_equal(entry_text(f, &back), text);
	assert_string_equal(back.region_key, KEY_A);
	assert_string_equal(back.near_key, KEY_B);
	assert_string_equal(back.closure, KEY_C);
	assert_string_equal(back.instance, entry.instance);
	assert_int_equal(back.parameter_count, 2);
	assert_true(back.configuration[1] == INT64_MAX);
	assert_int_equal(back.problem_count, 2);
	assert_int_equal(back.problems[3], 11008);
	for (size_t i = 0; i < 2; i++) {
		assert_memory_equal(&back.baseline[i], &entry.baseline[i], sizeof entry.baseline[i]);
		assert_memory_equal(&back.tuned[i], &entry.tuned[i], sizeof entry.tuned[i]);
		assert_true(back.copy_ns[i] == entry.copy_ns[i]);
	}
	assert_string_equal(back.device.name, "NVIDIA H200");
	assert_int_equal(back.device.multiprocessors, 132);
	assert_string_equal(back.toolkit, "13.0.48");
	assert_string_equal(back.date, entry.date);
	assert_int_equal(back.tried, 58);
	assert_int_equal(back.checks, 24);
	assert_string_equal(back.watched_by, "memcheck, racecheck");
	assert_string_equal(back.objective, "edp");
	assert_int_equal(back.energy_error, 9);
	assert_int_equal(back.point_count, 2);
	assert_memory_equal(back.points[0].configuration, first, sizeof first);
	assert_null(back.points[1].configuration);
	assert_true(back.points[0].time_ns == 100.5 && back.points[1].energy_uj == 1000.5);
	assert_true(back.baseline_uj[0] == 1500.5 && back.tuned_uj[0] == 700.1 && back.tuned_uj[1] == 0);
	assert_memory_equal(&back.stability, &entry.stability, sizeof back.stability);
}

static void test_baseline_best(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample(), back;
	entry.baseline_best = true;
	entry.tuned = NULL;
	entry.copy_ns = NULL;
	entry.parameter_count = 0;
	entry.variable_count = 0;
	entry.problem_count = 1;
	char *text = entry_text(f, &entry);
	assert_null(strstr(text, "tuned_ns"));
	check(kt_entry_parse(&back, f->arena, text, strlen(text), &f->err), &f->err);
	assert_true(back.baseline_best);
	assert_true(back.tuned[0].median_ns == 0);
	assert_int_equal(back.parameter_count, 0);
	assert_int_equal(back.variable_count, 0);
	entry.baseline_best = false;
	text = entry_text(f, &entry);
	assert_int_equal(kt_entry_parse(&back, f->arena, text, strlen(text), &f->err), KT_ERR_INVALID);
}

static void test_file(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample(), back;
	struct kt_file_stamp before, after;
	char *lock = below(f, "ktune.lock");
	check(kt_fs_mkdirs(lock, &f->err), &f->err);
	check(kt_lock_write(lock, &entry, &f->err), &f->err);
	char *path = below(f, "ktune.lock/silu_and_mul-a0000000/NVIDIA_H200-sm_90.json");
	check(kt_fs_stamp(&before, path, &f->err), &f->err);
	check(kt_lock_read(&back, f->arena, path, &f->err), &f->err);
	check(kt_lock_write(lock, &back, &f->err), &f->err);
	check(kt_fs_stamp(&after, path, &f->err), &f->err);
	assert_true(kt_fs_stamp_equal(&before, &after));
	assert_int_equal(kt_lock_read(&back, f->arena, lock, &f->err), KT_ERR_MISSING);
	assert_int_equal(mkfifo(below(f, "pipe.json"), 0600), 0);
	assert_int_equal(kt_lock_read(&back, f->arena, below(f, "pipe.json"), &f->err), KT_ERR_MISSING);
}

static void test_find_upward(void **state)
{
	struct fixture *f = *state;
	check(kt_fs_mkdirs(below(f, "p/src/deep"), &f->err), &f->err);
	char *source = below(f, "p/src/deep/k.cu");
	assert_null(kt_lock_find(f->arena, NULL, source).path);
	check(kt_fs_mkdirs(below(f, "p/ktune.lock"), &f->err), &f->err);
	assert_string_equal(kt_lock_find(f->arena, NULL, source).path, below(f, "p/ktune.lock"));
	check(kt_fs_mkdirs(below(f, "p/src/ktune.lock"), &f->err), &f->err);
	assert_string_equal(kt_lock_find(f->arena, "", source).path, below(f, "p/src/ktune.lock"));
	struct kt_lock_place named = kt_lock_find(f->arena, "/elsewhere", source);
	assert_null(named.path);
	assert_string_equal(named.named, "/elsewhere");
	assert_null(named.refused);
}

/* Each row replaces one piece of a good file's text; the error must name the pointer and say why. */
static const struct edit {
	const char *from, *to, *pointer;
} edits[] = {
    {"\"ktune\": 2", "\"ktune\": 3", "/ktune: "},
    {"\"ktune\": 2", "\"ktune\": \"one\"", "/ktune: an integer expected"},
    {"\"ktune\": 2,", "", "/: member \"ktune\" is missing"},
    {"\"ktune\": 2,", "\"ktune\": 2, \"ktune\": 2,", "/ktune: a member that appears twice"},
    {"\"ktune\": 2,", "\"ktune\": 2, \"extra\": 1,", "/extra: an unknown member"},
    {"\"ktune\": 2,", "\"ktune\": 2, \"a/b~c\": 1,", "/a~1b~0c: an unknown member"},
    {"\"ktune\": 2,", "\"ktune\": 2, \"\\u001b[2J\": 1,", "/?[2J: an unknown member"},
    {"\"name\": \"silu_and_mul\"", "\"name\": \"../../etc\"", "/name: an identifier expected"},
    {"\"name\": \"silu_and_mul\"", "\"name\": 7", "/name: a string expected"},
    {"silu_and_mul<__half>", "a\\nb", "/instance: a control character"},
    {KEY_A, "a0", "/keys/region: 64"},
    {KEY_A, "A000000000000000000000000000000000000000000000000000000000000001", "/keys/region: 64"},
    {"\"BLOCK\": 256", "\"BLOCK\": 256.5", "/configuration/BLOCK: an integer expected"},
    {"\"BLOCK\": 256", "\"BLOCK\": 1e300", "/configuration/BLOCK: an integer expected"},
    {"\"BLOCK\": 256", "\"BLOCK\": \"99999999999999999999\"", "/configuration/BLOCK: an integer expected"},
    {"\"BLOCK\": 256", "\"BLOCK\": null", "/configuration/BLOCK: an integer expected"},
    {"\"BLOCK\": 256", "\"BLOCK); system(\": 256", "/configuration/BLOCK); system(: an identifier expected"},
    {"\"BLOCK\": 256", "\"VEC\": 256", "/configuration/VEC: a member that appears twice"},
    {"\"BLOCK\": 256", "\"BLOCK\": 512", "/hash: the content was changed"},
    {"\"rows\": 4096", "\"rows\": 4097", "/hash: the content was changed"},
    {"\"rows\": 4096", "\"lines\": 4096", "/problems/1/problem: not the variables of the first problem"},
    {"\"rows\": 4096", "\"rows\": []", "/problems/1/problem/rows: an integer expected"},
    {"\"baseline_ns\": 10240.5", "\"baseline_ns\": -1", "/problems/0/baseline_ns: -1 is no time"},
    {"\"baseline_ns\": 10240.5", "\"baseline_ns\": 0", "/problems/0/baseline_ns: 0 is no time"},
    {"\"baseline_ns\": 10240.5", "\"baseline_ns\": 1e999", "/problems/0/baseline_ns: inf is no time"},
    {"\"tuned_ns\": 5120.25,", "", "/problems/0: \"tuned_ns\", \"tuned\" and \"speedup\" come together"},
    {"\"speedup\": 2,", "\"speedup\": 3,", "/problems/0/speedup: 3 is not"},
    {"\"samples\": 100", "\"samples\": -1", "/problems/0/baseline/samples: -1 is outside"},
    {"\"cc\": 90", "\"cc\": 80", "/keys/device: not the key of the device"},
    {"\"cc\": 90", "\"cc\": -5", "/device/cc: -5 is outside 0 to 9999"},
    {"\"name\": \"NVIDIA H200\"", "\"name\": \"a\\\"b\"", "/device/name: plain text"},
    {"\"registers\": 40", "\"registers\": 5000", "/resources/registers: 5000 is outside"},
    {"\"tried\": 58", "\"tried\": true", "/search/tried: an integer expected"},
    {"\"baseline_best\": false", "\"baseline_best\": 0", "/baseline_best: true or false expected"},
    {"\"driver\": \"580.65\"", "\"driver\": {}", "/provenance/driver: a string expected"},
    {"\"hash\": \"", "\"hash\": \"0", "/hash: 64"},
};

static char *replaced(struct fixture *f, const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	if (at == NULL)
		fail_msg("%s does not stand in the entry", from);
	return kt_arena_printf(f->arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void test_hostile_edits(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample(), back;
	char *text = entry_text(f, &entry), *path = below(f, "e.json");
	for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
		char *edited = replaced(f, text, edits[i].from, edits[i].to);
		char *wanted = kt_arena_printf(f->arena, "%s: %s", path, edits[i].pointer);
		check(kt_fs_write(path, edited, strlen(edited), &f->err), &f->err);
		if (kt_lock_read(&back, f->arena, path, &f->err) == KT_OK)
			fail_msg("%s was accepted", edits[i].to);
		if (strncmp(f->err.message, wanted, strlen(wanted)) != 0)
			fail_msg("\"%s\" instead of \"%s…\"", f->err.message, wanted);
	}
}

/* Formatting, line ends and notes may change; nothing else. */
static void test_harmless_edits(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample(), back;
	struct kt_buf crlf = KT_BUF(KT_ENTRY_BYTES);
	char *text = entry_text(f, &entry);
	char *noted = replaced(f, text, "\"BLOCK\": 256", "\"x_why\": {\"deep\": [1, {\"x_\": 2}]}, \"BLOCK\":   2.56e2");
	noted = replaced(f, noted, "\"ktune\": 2", "\"x_note\": \"kept by hand\", \"ktune\": 2");
	check(kt_entry_parse(&back, f->arena, noted, strlen(noted), &f->err), &f->err);
	assert_int_equal(back.parameter_count, 2);
	assert_int_equal(back.configuration[0], 256);
	for (const char *at = text; *at != '\0'; at++)
		kt_buf_adds(&crlf, *at == '\n' ? "\r\n" : (char[]){*at, '\0'});
	check(kt_entry_parse(&back, f->arena, kt_buf_text(&crlf), crlf.size, &f->err), &f->err);
	kt_buf_free(&crlf);
}

static void test_truncations(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample(), back;
	char *text = entry_text(f, &entry);
	for (size_t size = 0; size + 1 < strlen(text); size++)
		assert_int_not_equal(kt_entry_parse(&back, f->arena, text, size, &f->err), KT_OK);
}

static void test_huge_and_deep(void **state)
{
	struct fixture *f = *state;
	struct kt_entry back;
	enum { HUGE_BYTES = 10 << 20, DEEP = 200000 };
	char *path = below(f, "huge.json"), *bytes = malloc(HUGE_BYTES);
	assert_non_null(bytes);
	memset(bytes, ' ', HUGE_BYTES);
	check(kt_fs_write(path, bytes, HUGE_BYTES, &f->err), &f->err);
	assert_int_equal(kt_lock_read(&back, f->arena, path, &f->err), KT_ERR_LIMIT);
	assert_non_null(strstr(f->err.message, "huge.json"));
	memset(bytes, '[', DEEP);
	assert_int_equal(kt_entry_parse(&back, f->arena, bytes, DEEP, &f->err), KT_ERR_SYNTAX);
	for (size_t i = 0; i < DEEP; i++)
		memcpy(bytes + i * 5, "{\"a\":", 5);
	assert_int_equal(kt_entry_parse(&back, f->arena, bytes, (size_t)DEEP * 5, &f->err), KT_ERR_SYNTAX);
	free(bytes);
	assert_int_equal(kt_entry_parse(&back, f->arena, "[]", 2, &f->err), KT_ERR_INVALID);
	assert_int_equal(kt_entry_parse(&back, f->arena, "", 0, &f->err), KT_ERR_SYNTAX);
}

static void test_folders(void **state)
{
	struct fixture *f = *state;
	char *lock = below(f, "ktune.lock");
	const char **found;
	static const char *const made[] = {"k-00000002", "k-00000001", "k_2-00000001", "k-2-00000001", "k-123", "k"};
	assert_int_equal(kt_lock_folders(&found, f->arena, lock, "k"), 0);
	for (size_t i = 0; i < sizeof made / sizeof *made; i++)
		check(kt_fs_mkdirs(kt_path_join(f->arena, lock, made[i]), &f->err), &f->err);
	assert_int_equal(kt_lock_folders(&found, f->arena, lock, "k"), 2);
	assert_string_equal(found[0], below(f, "ktune.lock/k-00000001"));
	assert_string_equal(found[1], below(f, "ktune.lock/k-00000002"));
}

struct seen {
	int entries, damaged;
	char reason[1024];
};

static bool see(const char *path, const struct kt_entry *entry, void *context)
{
	struct seen *seen = context;
	assert_non_null(path);
	assert_string_equal(entry->name, "silu_and_mul");
	seen->entries++;
	return true;
}

static void see_damaged(const char *path, const char *reason, void *context)
{
	struct seen *seen = context;
	assert_non_null(path);
	snprintf(seen->reason, sizeof seen->reason, "%s", reason);
	seen->damaged++;
}

static void test_each_and_fingerprint(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample();
	struct seen seen = {0};
	static const char *const names[] = {"silu_and_mul"}, *const others[] = {"silu"};
	char empty[KT_HASH_TEXT], first[KT_HASH_TEXT], second[KT_HASH_TEXT], other[KT_HASH_TEXT];
	char *lock = below(f, "ktune.lock");
	check(kt_fs_mkdirs(lock, &f->err), &f->err);
	check(kt_lock_fingerprint(empty, lock, names, 1, &f->err), &f->err);
	check(kt_lock_write(lock, &entry, &f->err), &f->err);
	check(kt_lock_fingerprint(first, lock, names, 1, &f->err), &f->err);
	check(kt_lock_fingerprint(other, lock, others, 1, &f->err), &f->err);
	assert_string_not_equal(first, empty);
	assert_string_equal(other, empty);
	entry.device = other_device("NVIDIA A100", 80);
	check(kt_lock_write(lock, &entry, &f->err), &f->err);
	check(kt_lock_fingerprint(second, lock, names, 1, &f->err), &f->err);
	assert_string_not_equal(first, second);
	/* The text of a model counts, any other file does not. */
	check(kt_fs_write(below(f, "ktune.lock/silu_and_mul-a0000000/README"), "-", 1, &f->err), &f->err);
	check(kt_lock_fingerprint(other, lock, names, 1, &f->err), &f->err);
	assert_string_equal(other, second);
	check(kt_fs_write(below(f, "ktune.lock/silu_and_mul-a0000000/variant-0123.cuh"), "-", 1, &f->err), &f->err);
	check(kt_lock_fingerprint(other, lock, names, 1, &f->err), &f->err);
	assert_string_not_equal(other, second);
	check(kt_lock_each(lock, see, see_damaged, &seen, &f->err), &f->err);
	assert_int_equal(seen.entries, 2);
	assert_int_equal(seen.damaged, 0);
	char *bad = below(f, "ktune.lock/silu_and_mul-a0000000/bad.json");
	check(kt_fs_write(bad, "{", 1, &f->err), &f->err);
	check(kt_fs_mkdirs(below(f, "ktune.lock/other-00000000"), &f->err), &f->err);
	assert_int_equal(rename(below(f, "ktune.lock/silu_and_mul-a0000000/NVIDIA_A100-sm_80.json"),
	                        below(f, "ktune.lock/other-00000000/NVIDIA_A100-sm_80.json")), 0);
	check(kt_lock_each(lock, see, see_damaged, &seen, &f->err), &f->err);
	assert_int_equal(seen.entries, 3);
	assert_int_equal(seen.damaged, 2);
	assert_non_null(strstr(seen.reason, "bad.json"));
}

/* What a killed process left half written beside an entry goes with the next one;
 * what somebody writes just now stays. */
static void test_leavings_are_swept(void **state)
{
	static const char *const names[] = {"NVIDIA_H200-sm_90.json.17.tmp", "A100.json.18.tmp", "notes.tmp",
	                                    "A100.json.x.tmp"};
	const struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
	struct fixture *f = *state;
	struct kt_entry entry = sample();
	char *lock_dir = below(f, "lock"), *folder = kt_path_join(f->arena, lock_dir, kt_lock_folder(f->arena, &entry));
	check(kt_fs_mkdirs(folder, &f->err), &f->err);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		check(kt_fs_touch(kt_path_join(f->arena, folder, names[i]), &f->err), &f->err);
		if (i != 1)
			assert_int_equal(utimensat(AT_FDCWD, kt_path_join(f->arena, folder, names[i]), old, 0), 0);
	}
	check(kt_lock_write(lock_dir, &entry, &f->err), &f->err);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_int_equal(count_names(folder, names[i]), i != 0);
	assert_int_equal(count_names(folder, "NVIDIA_H200-sm_90.json"), 1);
}

/* What every user may write is not used, nor is a file below it; the reason says how to allow it. */
static void test_written_by_others(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample();
	struct seen seen = {0};
	char none[KT_HASH_TEXT], open[KT_HASH_TEXT];
	const char *const names[] = {entry.name};
	char *lock = below(f, "p/ktune.lock"), *folder = kt_path_join(f->arena, lock, kt_lock_folder(f->arena, &entry));
	check(kt_fs_mkdirs(lock, &f->err), &f->err);
	check(kt_lock_fingerprint(none, lock, names, 1, &f->err), &f->err);
	check(kt_lock_write(lock, &entry, &f->err), &f->err);
	assert_int_equal(chmod(folder, 0777), 0);
	check(kt_lock_each(lock, see, see_damaged, &seen, &f->err), &f->err);
	assert_int_equal(seen.entries, 0);
	assert_int_equal(seen.damaged, 1);
	assert_non_null(strstr(seen.reason, "safe_directory="));
	/* A hit that was made of it does not outlive it. */
	check(kt_lock_fingerprint(open, lock, names, 1, &f->err), &f->err);
	assert_string_equal(open, none);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(chmod(lock, 01777), 0);
	struct kt_lock_place place = kt_lock_find(f->arena, NULL, below(f, "p/k.cu"));
	assert_null(place.path);
	assert_non_null(strstr(place.refused, lock));
	assert_non_null(strstr(place.refused, "is ignored: "));
	assert_non_null(kt_lock_find(f->arena, lock, below(f, "p/k.cu")).refused);
}

/* Nothing but `cache export` and ktune_target() makes the lock directory; a link is never written through. */
static void test_write_makes_no_directory(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample();
	char *lock = below(f, "lock"), *folder = kt_path_join(f->arena, lock, kt_lock_folder(f->arena, &entry));
	assert_int_equal(kt_lock_write(lock, &entry, &f->err), KT_ERR_MISSING);
	assert_int_equal(access(lock, F_OK), -1);
	check(kt_fs_mkdirs(lock, &f->err), &f->err);
	check(kt_fs_mkdirs(below(f, "elsewhere"), &f->err), &f->err);
	assert_int_equal(symlink(below(f, "elsewhere"), folder), 0);
	assert_int_equal(kt_lock_write(lock, &entry, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "link"));
	assert_int_equal(rmdir(below(f, "elsewhere")), 0);
}

/* A link that waits under the name of the entry, or of a file half written, is replaced: what it leads to stays. */
static void test_links_are_not_written_through(void **state)
{
	struct fixture *f = *state;
	struct kt_entry entry = sample();
	char *lock = below(f, "lock"), *folder = kt_path_join(f->arena, lock, kt_lock_folder(f->arena, &entry));
	char *target = below(f, "precious"), *file = kt_path_join(f->arena, folder, "NVIDIA_H200-sm_90.json");
	char *waiting = kt_path_join(f->arena, folder, "NVIDIA_H200-sm_90.json.1a2b.tmp");
	check(kt_fs_mkdirs(folder, &f->err), &f->err);
	check(kt_fs_write(target, "mine", 4, &f->err), &f->err);
	assert_int_equal(symlink(target, file), 0);
	assert_int_equal(symlink(target, waiting), 0);
	check(kt_lock_write(lock, &entry, &f->err), &f->err);
	assert_true(kt_fs_holds(target, "mine", 4));
	assert_false(kt_fs_is_link(file));
	assert_false(kt_fs_is_link(waiting));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
	const struct CMUnitTest tests[] = {
	    T(test_round_trip), T(test_baseline_best), T(test_file), T(test_find_upward), T(test_hostile_edits),
	    T(test_harmless_edits), T(test_truncations), T(test_huge_and_deep), T(test_each_and_fingerprint), T(test_folders),
	    T(test_leavings_are_swept), T(test_written_by_others), T(test_write_makes_no_directory),
	    T(test_links_are_not_written_through),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
