#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/declare.h"
#include "base/error.h"

static void names_are_where_they_belong(void **state)
{
	static const struct {
		const char *type, *declarator, *text;
	} rows[] = {
	    {"int", "n", "int n"},
	    {"const float *", "x", "const float *x"},
	    {"const float *", "__restrict__ x", "const float *__restrict__ x"},
	    {"float (*)[24]", "y", "float (*y)[24]"},
	    {"const float (*)[24][8]", "__restrict__ y", "const float (*__restrict__ y)[24][8]"},
	    {"point<float> (*)[2]", "p", "point<float> (*p)[2]"},
	    {"point<float[2]>", "p", "point<float[2]> p"},
	    {"global float4 *", "x", "global float4 *x"},
	    {"float (*)[24]", "", "float (*)[24]"},
	    {"float[6][24]", "y", "float y[6][24]"},
	    {"point<float[2]>[4]", "p", "point<float[2]> p[4]"},
	    {"float (*__restrict__)[24]", "y", "float (*__restrict__ y)[24]"},
	    {"void (*)(int)", "f", "void (*f)(int)"},
	    {"int", NULL, "int "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_buf out = KT_BUF(4096);

		kt_declare(&out, rows[i].type, rows[i].declarator);
		assert_string_equal(kt_buf_text(&out), rows[i].text);
		kt_buf_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_where_they_belong)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
