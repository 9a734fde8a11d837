/* Names of entries on a server, and the marks that keep what a server cost. */
#include "support.h"

#include "store/remote.h"
#include "store/remote_names.h"

static struct kt_query query(const char *closure, const char *near_key, const char *region_key)
{
	static const int64_t architectures[] = {80, 90};
	return (struct kt_query){.closure = closure, .near_key = near_key, .region_key = region_key, .name = "silu",
	                         .architecture_count = 2, .architectures = architectures};
}

static void expect(const struct kt_names *names, size_t count, const char *const *expected)
{
	assert_int_equal(names->count, count);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(names->items[i], expected[i]);
}

static void each_key_is_asked_for_each_device(void **state)
{
	struct fixture *f = *state;
	struct kt_names names = {0};
	struct kt_query q = query("c", "n", NULL);
	static const char *const expected[] = {"c-sm_80.json", "n-sm_80.json", "c-sm_90.json", "n-sm_90.json"};
	assert_true(kt_names_wanted(&names, f->arena, &q, NULL, 0));
	expect(&names, 4, expected);
}

static void the_gpu_comes_first(void **state)
{
	struct fixture *f = *state;
	struct kt_names names = {0};
	struct kt_device gpu = h200();
	struct kt_query q = query(NULL, NULL, "r");
	static const char *const expected[] = {"r-nvidia_h200-sm_90.json", "r-sm_90.json", "r-sm_80.json"};
	q.gpu = &gpu;
	assert_true(kt_names_wanted(&names, f->arena, &q, NULL, 0));
	expect(&names, 3, expected);
}

static void wanted_devices_are_asked_for_as_they_are_spelled(void **state)
{
	struct fixture *f = *state;
	struct kt_names names = {0};
	struct kt_query q = query(NULL, NULL, "r");
	static const char *const expected[] = {"r-nvidia_h200-sm_80.json", "r-nvidia_h200-sm_90.json",
	                                       "r-sm_100.json", "r-nvidia_a100-sm_80.json", "r-some_cpu-opencl.json"};
	q.wanted_devices = " NVIDIA H200 ;sm_100a;NVIDIA_A100-sm_80;Some CPU-opencl";
	assert_true(kt_names_wanted(&names, f->arena, &q, NULL, 0));
	expect(&names, 5, expected);
}

static void what_is_found_exactly_is_not_asked_for(void **state)
{
	struct fixture *f = *state;
	struct kt_names names = {0};
	struct kt_query q = query(NULL, NULL, "r");
	struct kt_found found = {.entry = sample(), .closeness = KT_CLOSE_EXACT};
	static const char *const other[] = {"r-sm_80.json"};
	static const char *const both[] = {"r-sm_80.json", "r-sm_90.json"};
	assert_true(kt_names_wanted(&names, f->arena, &q, &found, 1));
	expect(&names, 1, other);
	found.closeness = KT_CLOSE_TOOLKIT;
	names = (struct kt_names){0};
	assert_true(kt_names_wanted(&names, f->arena, &q, &found, 1));
	expect(&names, 2, both);
}

static void a_name_cannot_leave_its_folder(void **state)
{
	struct fixture *f = *state;
	struct kt_names names = {0};
	struct kt_query q = query(NULL, NULL, "r");
	q.wanted_devices = "../../etc/passwd;a b?c#d-sm_90";
	assert_true(kt_names_wanted(&names, f->arena, &q, NULL, 0));
	assert_true(names.count > 0);
	for (size_t i = 0; i < names.count; i++)
		assert_null(strpbrk(names.items[i], "/?#% "));
}

static void an_entry_is_put_where_it_will_be_looked_for(void **state)
{
	struct fixture *f = *state;
	struct kt_names names = {0}, wanted = {0};
	struct kt_entry entry = sample();
	struct kt_query q = query(entry.closure, entry.near_key, entry.region_key);
	size_t found = 0;
	assert_true(kt_names_of(&names, f->arena, &entry));
	assert_int_equal(names.count, 6);
	q.gpu = &entry.device;
	q.architecture_count = 0;
	assert_true(kt_names_wanted(&wanted, f->arena, &q, NULL, 0));
	for (size_t i = 0; i < wanted.count; i++)
		for (size_t j = 0; j < names.count; j++)
			found += strcmp(wanted.items[i], names.items[j]) == 0;
	assert_int_equal(found, 6);
}

static void marks_add_up_and_end(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	int64_t value = 0;
	assert_false(kt_store_get_mark(&value, store, "a", 100));
	assert_true(kt_store_add_mark(store, "a", 5, 100, KT_MARK_FIRST));
	assert_true(kt_store_add_mark(store, "a", 7, 100, KT_MARK_FIRST));
	assert_true(kt_store_get_mark(&value, store, "a", 100));
	assert_int_equal(value, 12);
	/* Past its age, and from a clock that was ahead, it is none, and an addition starts anew. */
	for (int64_t shift = -200; shift <= 400; shift += 600) {
		char text[96];
		sqlite3_snprintf((int)sizeof text, text, "UPDATE marks SET time = time + %lld", shift);
		check(kt_sql_script(store, text, &f->err), &f->err);
		assert_false(kt_store_get_mark(&value, store, "a", 100));
	}
	assert_true(kt_store_add_mark(store, "a", 3, 100, KT_MARK_FIRST));
	assert_true(kt_store_get_mark(&value, store, "a", 100));
	assert_int_equal(value, 3);
	kt_store_close(store);
}

static void the_first_or_the_last_time_counts(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	int64_t value = 0;
	assert_true(kt_store_add_mark(store, "first", 1, 100, KT_MARK_FIRST));
	assert_true(kt_store_add_mark(store, "last", 1, 100, KT_MARK_LAST));
	check(kt_sql_script(store, "UPDATE marks SET time = time - 60", &f->err), &f->err);
	assert_true(kt_store_add_mark(store, "first", 1, 100, KT_MARK_FIRST));
	assert_true(kt_store_add_mark(store, "last", 1, 100, KT_MARK_LAST));
	assert_false(kt_store_get_mark(&value, store, "first", 50));
	assert_true(kt_store_get_mark(&value, store, "last", 50));
	assert_int_equal(value, 2);
	kt_store_close(store);
}

static void an_entry_keeps_where_it_came_from(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct kt_entry entry = sample();
	struct kt_query q = {.region_key = entry.region_key, .name = entry.name, .instance = entry.instance};
	struct kt_found *found;
	char *damaged;
	size_t count;
	entry.origin = "remote";
	check(kt_store_put(store, &entry, &f->err), &f->err);
	check(kt_store_find(&found, &count, &damaged, f->arena, store, &q, &f->err), &f->err);
	assert_int_equal(count, 1);
	assert_string_equal(found[0].source, "remote");
	/* Tuned here after all. */
	entry.origin = NULL;
	check(kt_store_put(store, &entry, &f->err), &f->err);
	check(kt_store_find(&found, &count, &damaged, f->arena, store, &q, &f->err), &f->err);
	assert_string_equal(found[0].source, "local");
	kt_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(each_key_is_asked_for_each_device, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(the_gpu_comes_first, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(wanted_devices_are_asked_for_as_they_are_spelled, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(what_is_found_exactly_is_not_asked_for, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(a_name_cannot_leave_its_folder, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(an_entry_is_put_where_it_will_be_looked_for, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(marks_add_up_and_end, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(the_first_or_the_last_time_counts, fixture_open, fixture_close),
	    cmocka_unit_test_setup_teardown(an_entry_keeps_where_it_came_from, fixture_open, fixture_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
