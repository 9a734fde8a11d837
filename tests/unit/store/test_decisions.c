/* What was decided, and why: the last account of a region on a device. */
#include "support.h"

struct heard {
	struct kt_buf text;
	int most;
};

static bool hear(int64_t unix_time, const char *event, const char *detail, void *context)
{
	struct heard *heard = context;
	assert_true(unix_time > 0);
	kt_buf_addf(&heard->text, "%s(%s) ", event, detail);
	return --heard->most > 0;
}

static const char *tell(struct heard *heard, struct fixture *f, struct kt_store *store, const char *region,
                        const char *since, int most)
{
	kt_buf_clear(&heard->text);
	heard->most = most;
	check(kt_store_each_decision(store, region, KEY_D, since, hear, heard, &f->err), &f->err);
	return kt_buf_text(&heard->text);
}

static void put(struct fixture *f, struct kt_store *store, const char *region, const char *event, const char *detail)
{
	check(kt_store_put_decision(store, region, KEY_D, event, detail, &f->err), &f->err);
}

static void test_accounts(void **state)
{
	struct fixture *f = *state;
	struct kt_store *store = open_store(f);
	struct heard heard = {.text = KT_BUF(KT_LIMIT_LINE_BYTES)};
	assert_string_equal(tell(&heard, f, store, KEY_A, "tuning", 99), "");
	put(f, store, KEY_A, "space", "8");
	/* Where no account begins, everything is told. */
	assert_string_equal(tell(&heard, f, store, KEY_A, "tuning", 99), "space(8) ");
	put(f, store, KEY_A, "tuning", "first");
	put(f, store, KEY_A, "won", "A=1");
	put(f, store, KEY_B, "tuning", "another region");
	put(f, store, KEY_A, "tuning", "second");
	put(f, store, KEY_A, "stopped", "it's over; \"done\"");
	put(f, store, KEY_A, "won", "A=2");
	assert_string_equal(tell(&heard, f, store, KEY_A, "tuning", 99),
	                    "tuning(second) stopped(it's over; \"done\") won(A=2) ");
	assert_string_equal(tell(&heard, f, store, KEY_A, "tuning", 2), "tuning(second) stopped(it's over; \"done\") ");
	assert_string_equal(tell(&heard, f, store, KEY_B, "tuning", 99), "tuning(another region) ");
	assert_string_equal(tell(&heard, f, store, KEY_A, "nothing", 99),
	                    "space(8) tuning(first) won(A=1) tuning(second) stopped(it's over; \"done\") won(A=2) ");
	kt_buf_free(&heard.text);
	kt_store_close(store);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
	const struct CMUnitTest tests[] = {T(test_accounts)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
