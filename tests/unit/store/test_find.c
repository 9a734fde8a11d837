/* Which entry answers a query, and how close it says it is. */
#include "support.h"

static size_t find(struct fixture *f, struct kt_found **found, struct kt_store *store, const struct kt_query *query)
{
	size_t count = 0;
	char *damaged = NULL;
	check(kt_store_find(found, &count, &damaged, f->arena, store, query, &f->err), &f->err);
	assert_null(damaged);
	return count;
}

static struct kt_query same_kernel(void)
{
	return (struct kt_query){.closure = KEY_C, .near_key = KEY_B, .name = "silu_and_mul",
	                         .instance = "silu_and_mul<__half>"};
}

/* Rows: what of the query differs, and what comes out. */
static void test_closeness(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	static const struct {
		const char *closure, *near_key, *region_key, *instance, *toolkit;
		enum kt_closeness closeness;
	} rows[] = {
	    {KEY_C, KEY_B, NULL, "silu_and_mul<__half>", NULL, KT_CLOSE_EXACT},
	    {KEY_C, KEY_B, KEY_A, "silu_and_mul<__half>", "13.0.48", KT_CLOSE_EXACT},
	    {KEY_D, KEY_D, KEY_A, "silu_and_mul<__half>", NULL, KT_CLOSE_EXACT},
	    {KEY_D, KEY_D, KEY_A, "silu_and_mul<half>", NULL, KT_CLOSE_EXACT},
	    {KEY_D, KEY_D, KEY_A, NULL, "12.9", KT_CLOSE_TOOLKIT},
	    {KEY_D, KEY_B, NULL, "silu_and_mul<__half>", NULL, KT_CLOSE_TOOLKIT},
	    {KEY_D, KEY_B, KEY_D, NULL, NULL, KT_CLOSE_TOOLKIT},
	    {KEY_D, KEY_B, NULL, "silu_and_mul<float>", NULL, KT_CLOSE_NONE},
	    {KEY_C, KEY_B, NULL, "silu_and_mul<float>", NULL, KT_CLOSE_NONE},
	    {KEY_D, KEY_D, KEY_D, NULL, NULL, KT_CLOSE_NONE},
	};
	put_entry(f, store, &entry);
	char *lock = below(f, "ktune.lock");
	check(kt_fs_mkdirs(lock, &f->err), &f->err);
	check(kt_lock_write(lock, &entry, &f->err), &f->err);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct kt_found *found = NULL;
		struct kt_query query = {.closure = rows[i].closure, .near_key = rows[i].near_key,
		                         .region_key = rows[i].region_key, .instance = rows[i].instance,
		                         .toolkit = rows[i].toolkit, .name = "silu_and_mul"};
		size_t wanted = rows[i].closeness != KT_CLOSE_NONE;
		assert_int_equal(find(f, &found, store, &query), wanted);
		assert_int_equal(kt_store_has_any(store, &query), wanted);
		if (wanted == 1) {
			assert_int_equal(found[0].closeness, rows[i].closeness);
			assert_string_equal(found[0].source, "local");
			assert_null(found[0].path);
			assert_true(found[0].entry.generation > 0);
		}
		query.lock_dir = lock;
		assert_int_equal(find(f, &found, NULL, &query), wanted);
		if (wanted == 1) {
			assert_int_equal(found[0].closeness, rows[i].closeness);
			assert_string_equal(found[0].source, "lock");
			assert_string_equal(found[0].entry.name, "silu_and_mul");
			assert_non_null(strstr(found[0].path, "/NVIDIA_H200-sm_90.json"));
		}
		/* Both places: still one entry a device, and the lock directory's. */
		assert_int_equal(find(f, &found, store, &query), wanted);
		if (wanted == 1)
			assert_string_equal(found[0].source, "lock");
	}
	kt_store_close(store);
}

static void test_known_closure(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	struct kt_found *found = NULL;
	struct kt_query query = {.closure = KEY_D, .near_key = KEY_D, .name = "silu_and_mul"};
	put_entry(f, store, &entry);
	assert_int_equal(find(f, &found, store, &query), 0);
	check(kt_store_put_closure(store, KEY_D, KEY_A, &f->err), &f->err);
	assert_int_equal(find(f, &found, store, &query), 1);
	assert_int_equal(found[0].closeness, KT_CLOSE_EXACT);
	kt_store_close(store);
}

static void test_closer_beats_lock(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry local = sample(), old = sample();
	struct kt_found *found = NULL;
	struct kt_query query = same_kernel();
	old.closure = KEY_D;
	old.region_key = KEY_D;
	old.toolkit = "12.9";
	char *lock = below(f, "ktune.lock");
	check(kt_fs_mkdirs(lock, &f->err), &f->err);
	check(kt_lock_write(lock, &old, &f->err), &f->err);
	query.lock_dir = lock;
	assert_int_equal(find(f, &found, store, &query), 1);
	assert_int_equal(found[0].closeness, KT_CLOSE_TOOLKIT);
	put_entry(f, store, &local);
	assert_int_equal(find(f, &found, store, &query), 1);
	assert_int_equal(found[0].closeness, KT_CLOSE_EXACT);
	assert_string_equal(found[0].source, "local");
	kt_store_close(store);
}

/* Which devices come out, for KTUNE_DEVICE, for the GPU and for what is compiled. */
static void test_devices(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	static const int64_t both[] = {80, 90}, only_80[] = {80}, other[] = {75};
	struct kt_device h100 = other_device("NVIDIA H100", 90), a100 = other_device("NVIDIA A100", 80);
	struct kt_device gpu = h200(), gpu75 = other_device("Tesla T4", 75);
	const struct {
		const char *wanted;
		const struct kt_device *gpu;
		const int64_t *architectures;
		size_t architecture_count;
		const char *names[3];
		enum kt_closeness first;
	} rows[] = {
	    {NULL, NULL, both, 2, {"NVIDIA A100", "NVIDIA H100", NULL}, KT_CLOSE_EXACT},
	    {NULL, NULL, only_80, 1, {"NVIDIA A100", NULL, NULL}, KT_CLOSE_EXACT},
	    {NULL, NULL, other, 1, {NULL, NULL, NULL}, KT_CLOSE_NONE},
	    {NULL, NULL, NULL, 0, {"NVIDIA A100", "NVIDIA H100", NULL}, KT_CLOSE_EXACT},
	    {NULL, &h100, both, 2, {"NVIDIA H100", "NVIDIA A100", NULL}, KT_CLOSE_EXACT},
	    {NULL, &h100, only_80, 1, {"NVIDIA H100", "NVIDIA A100", NULL}, KT_CLOSE_EXACT},
	    {NULL, &gpu, both, 2, {"NVIDIA H100", "NVIDIA A100", NULL}, KT_CLOSE_ARCHITECTURE},
	    {NULL, &gpu75, both, 2, {"NVIDIA A100", "NVIDIA H100", NULL}, KT_CLOSE_EXACT},
	    {"nvidia h100", &gpu, only_80, 1, {"NVIDIA H100", NULL, NULL}, KT_CLOSE_EXACT},
	    {"NVIDIA_A100-sm_80", NULL, both, 2, {"NVIDIA A100", NULL, NULL}, KT_CLOSE_EXACT},
	    {" sm_90 ; sm_80", NULL, both, 2, {"NVIDIA A100", "NVIDIA H100", NULL}, KT_CLOSE_EXACT},
	    {";;", &gpu, both, 2, {NULL, NULL, NULL}, KT_CLOSE_NONE},
	    {"NVIDIA H200", &gpu, both, 2, {NULL, NULL, NULL}, KT_CLOSE_NONE},
	    {"", NULL, both, 2, {"NVIDIA A100", "NVIDIA H100", NULL}, KT_CLOSE_EXACT},
	};
	struct kt_entry entry = sample();
	entry.device = h100;
	put_entry(f, store, &entry);
	entry.device = a100;
	put_entry(f, store, &entry);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct kt_found *found = NULL;
		struct kt_query query = same_kernel();
		size_t wanted = 0;
		query.wanted_devices = rows[i].wanted;
		query.gpu = rows[i].gpu;
		query.architectures = rows[i].architectures;
		query.architecture_count = rows[i].architecture_count;
		size_t count = find(f, &found, store, &query);
		while (wanted < 3 && rows[i].names[wanted] != NULL)
			wanted++;
		if (count != wanted)
			fail_msg("row %zu: %zu entries instead of %zu", i, count, wanted);
		for (size_t n = 0; n < count; n++)
			assert_string_equal(found[n].entry.device.name, rows[i].names[n]);
		if (count > 0)
			assert_int_equal(found[0].closeness, rows[i].first);
		assert_true(kt_store_has_any(store, &query));
	}
	kt_store_close(store);
}

static void test_damaged_lock_file(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	struct kt_query query = same_kernel();
	struct kt_found *found = NULL;
	size_t count = 0;
	char *damaged = NULL;
	query.lock_dir = below(f, "ktune.lock");
	check(kt_fs_mkdirs(query.lock_dir, &f->err), &f->err);
	check(kt_lock_write(query.lock_dir, &entry, &f->err), &f->err);
	char *path = below(f, "ktune.lock/silu_and_mul-a0000000/zero.json");
	check(kt_fs_write(path, "{}", 2, &f->err), &f->err);
	check(kt_store_find(&found, &count, &damaged, f->arena, store, &query, &f->err), &f->err);
	assert_int_equal(count, 1);
	assert_non_null(damaged);
	assert_non_null(strstr(damaged, "zero.json: /: member \"ktune\" is missing"));
	/* Another region's damage is not this lookup's business. */
	query.name = "other";
	check(kt_store_find(&found, &count, &damaged, f->arena, store, &query, &f->err), &f->err);
	assert_int_equal(count, 0);
	assert_null(damaged);
	query.lock_dir = below(f, "absent");
	assert_int_equal(find(f, &found, store, &query), 0);
	kt_store_close(store);
}

static void test_damaged_row(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	struct kt_query query = same_kernel();
	struct kt_found *found = NULL;
	put_entry(f, store, &entry);
	check(kt_sql_script(store, "UPDATE results SET json = replace(json, '256', '512')", &f->err), &f->err);
	assert_int_equal(find(f, &found, store, &query), 0);
	assert_int_equal(counted(f, store, "entry-damaged"), 1);
	kt_store_close(store);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(kt_closeness_name(KT_CLOSE_NONE), "none");
	assert_string_equal(kt_closeness_name(KT_CLOSE_ARCHITECTURE), "same-architecture");
	assert_string_equal(kt_closeness_name(KT_CLOSE_TOOLKIT), "toolkit");
	assert_string_equal(kt_closeness_name(KT_CLOSE_EXACT), "exact");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
	const struct CMUnitTest tests[] = {
	    T(test_closeness), T(test_known_closure), T(test_closer_beats_lock), T(test_devices),
	    T(test_damaged_lock_file), T(test_damaged_row), T(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
