/* The text of a unit: headers put in, taken apart again by pieces, places in the user's files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/flat.h"

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* main: #I → a.h, "again": #J → a.h, seen before; a.h: #K → b.h; marks stand for directives. */
static const char main_text[] = "one\n#I\ntwo\n#J\\\nJ\nthree\n";
static const char a_text[] = "\xef\xbb\xbf" "a1\n #K//\na2";
static const char b_text[] = "b1\nb2\n";

static struct kt_flat_include main_includes[] = {{4, 6, 1, true}, {11, 16, 1, false}};
static struct kt_flat_include a_includes[] = {{7, 9, 2, true}};
static struct kt_flat_file files[] = {{"src/m.cu", false, 2, main_includes}, {"inc/a.h", false, 1, a_includes},
                                      {"b.h", true, 0, NULL}};
static const struct kt_flat_text texts[] = {{main_text, sizeof main_text - 1}, {a_text, sizeof a_text - 1},
                                            {b_text, sizeof b_text - 1}};

struct state {
	struct kt_arena *arena;
	struct kt_flat flat;
	struct kt_buf out;
	struct kt_error err;
};

static int set_up(void **state)
{
	static struct state s;

	s = (struct state){.arena = kt_arena_new(1 << 20), .flat = {.file_count = COUNT(files), .files = files},
	                   .out = KT_BUF(1 << 16)};
	*state = &s;
	return s.arena == NULL;
}

static int tear_down(void **state)
{
	struct state *s = *state;

	kt_buf_free(&s->out);
	kt_arena_free(s->arena);
	return 0;
}

static kt_status join(struct state *s)
{
	kt_buf_clear(&s->out);
	return kt_flat_join(&s->out, &s->flat, s->arena, texts, &s->err);
}

static void test_joined(void **state)
{
	struct state *s = *state;

	assert_int_equal(join(s), KT_OK);
	assert_string_equal(kt_buf_text(&s->out), "one\na1\n b1\nb2\n//\na2\ntwo\n\nthree\n");
	assert_int_equal(s->flat.piece_count, 6);
	/* Every byte belongs to one piece. */
	for (size_t i = 0, at = 0; i < s->flat.piece_count; i++) {
		const struct kt_flat_piece *p = &s->flat.pieces[i];

		assert_int_equal(p->at, at);
		assert_memory_equal(kt_buf_text(&s->out) + at, texts[p->file].data + p->begin, p->end - p->begin);
		at += p->end - p->begin;
	}
}

static void expect(struct state *s, const char *word, bool behind, size_t file, uint32_t line, uint32_t column)
{
	const char *text = kt_buf_text(&s->out), *at = strstr(text, word);
	struct kt_text_place place;

	assert_non_null(at);
	place = kt_flat_place(&s->flat, text, (size_t)(at - text), behind);
	assert_int_equal(place.file, file);
	assert_int_equal(place.line, line);
	assert_int_equal(place.column, column);
}

static void test_places(void **state)
{
	struct state *s = *state;
	struct kt_text_place place;

	assert_int_equal(join(s), KT_OK);
	expect(s, "one", true, 0, 1, 1);
	expect(s, "a1", true, 1, 1, 1);
	expect(s, "b2", true, 2, 2, 1);
	expect(s, "a2", true, 1, 3, 1);
	expect(s, "wo\n", true, 0, 3, 2);
	/* The directive is continued over two lines. */
	expect(s, "three", true, 0, 6, 1);
	/* At a border: the piece behind, or the one in front. */
	expect(s, "b1", true, 2, 1, 1);
	expect(s, "b1", false, 1, 2, 2);
	expect(s, "one", false, 0, 1, 1);
	place = kt_flat_place(&s->flat, kt_buf_text(&s->out), s->out.size, false);
	assert_int_equal(place.file, 0);
	assert_int_equal(place.line, 7);
}

static void test_folders(void **state)
{
	struct state *s = *state;
	const char **folders;
	size_t count;

	assert_true(kt_flat_folders(&folders, &count, s->arena, &s->flat));
	assert_int_equal(count, 3);
	assert_string_equal(folders[0], "src");
	assert_string_equal(folders[1], "inc");
	assert_string_equal(folders[2], ".");
}

static void refuse(struct state *s)
{
	assert_int_equal(join(s), KT_ERR_INVALID);
	assert_true(s->err.message[0] != '\0');
}

/* What comes over a pipe may be anything. */
static void test_refused(void **state)
{
	struct state *s = *state;
	const struct kt_flat_include include = main_includes[1], inner = a_includes[0];

	main_includes[1].entered = true;
	refuse(s);
	main_includes[1] = include;
	main_includes[1].end = 1000;
	refuse(s);
	main_includes[1] = include;
	main_includes[1].begin = 5;
	refuse(s);
	main_includes[1] = include;
	main_includes[1].file = 3;
	refuse(s);
	main_includes[1] = include;
	a_includes[0].entered = false;
	refuse(s);
	a_includes[0] = inner;
	a_includes[0].file = 1;
	refuse(s);
	a_includes[0] = inner;
	s->flat.file_count = 0;
	assert_int_equal(join(s), KT_ERR_LIMIT);
	s->flat.file_count = COUNT(files);
	assert_int_equal(join(s), KT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_joined, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_places, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_folders, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("base: flat", tests, NULL, NULL);
}
