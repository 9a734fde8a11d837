/* Valid text passes unchanged; each byte that belongs to no sequence becomes U+FFFD. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

#define BAD "\xef\xbf\xbd"

static void becomes(const char *text, const char *expected)
{
	struct kt_buf out = KT_BUF(1024);

	kt_utf8_add(&out, text, strlen(text));
	assert_string_equal(kt_buf_text(&out), expected);
	kt_buf_free(&out);
}

static void test_valid_text_is_unchanged(void **state)
{
	(void)state;
	becomes("", "");
	becomes("plain\n", "plain\n");
	becomes("\xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80", "\xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80");
}

static void test_control_characters(void **state)
{
	(void)state;
	assert_true(kt_utf8_is_printable("") && kt_utf8_is_printable("a b~") && kt_utf8_is_printable("\xc2\xa0 \xc3\x9b \xe2\x82\xac"));
	assert_false(kt_utf8_is_printable("\x1b[2J"));
	assert_false(kt_utf8_is_printable("a\nb"));
	assert_false(kt_utf8_is_printable("a\x7f"));
	assert_false(kt_utf8_is_printable("a\xc2\x9b" "2J")); /* U+009B is what ESC and "[" are */
}

static void test_invalid_bytes_are_replaced(void **state)
{
	(void)state;
	becomes("a\xff"
		"b",
		"a" BAD "b");
	becomes("\x80", BAD);
	becomes("end\xe2\x82", "end" BAD BAD);
	becomes("\xc0\xaf", BAD BAD);                 /* '/' in an overlong form */
	becomes("\xe0\x80\xbc", BAD BAD BAD);         /* '<' in an overlong form */
	becomes("\xed\xa0\x80", BAD BAD BAD);         /* a surrogate */
	becomes("\xf4\x90\x80\x80", BAD BAD BAD BAD); /* beyond U+10FFFF */
	becomes("\xf8<", BAD "<");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_control_characters), cmocka_unit_test(test_valid_text_is_unchanged),
	    cmocka_unit_test(test_invalid_bytes_are_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
