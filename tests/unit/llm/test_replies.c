/* Every reply of tests/corpus/replies comes to what its folder says, through reader and check. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fs.h"
#include "generation/llm/check.h"

#define CORPUS KT_SOURCE_DIR "/tests/corpus/replies"
#define REGION CORPUS "/region.cu"
#define LEAST 60 /* a corpus that was not found is no corpus */

static struct kt_checked_kernel kernels[] = {
    {.name = "axpy", .declaration = "__global__ void axpy(float *y, const float *__restrict__ x, float a, int n)"}};
static const char *const names[] = {"n"};
static const char *const pointers[] = {"y", "x"};
static const struct kt_reply_names known = {.count = 1, .names = names, .pointer_count = 2, .pointers = pointers};

struct bench {
	struct kt_clang_client *checker;
	struct kt_check_request request;
	struct kt_buf region;
	size_t seen, failed;
};

/*
 * Appends text with its placeholders filled: names of the text's own by number, the kernel's, the first value of each
 * parameter.
 */
static void fill(struct kt_buf *out, const char *text, const struct kt_reply *reply)
{
	static const char callee[] = "${ktune:callee:", kernel[] = "${ktune:kernel}";

	while (*text != '\0') {
		size_t taken = 1;

		if (strncmp(text, callee, strlen(callee)) == 0) {
			taken = strcspn(text, "}") + 1;
			kt_buf_addf(out, "renamed_%.*s", (int)(taken - strlen(callee) - 1), text + strlen(callee));
		} else if (strncmp(text, kernel, strlen(kernel)) == 0) {
			taken = strlen(kernel);
			kt_buf_adds(out, "axpy");
		} else if (strncmp(text, "${", 2) == 0) {
			taken = strcspn(text, "}") + 1;
			for (size_t i = 0; i < reply->parameter_count; i++)
				if (strncmp(text + 2, reply->parameters[i].name, taken - 3) == 0)
					kt_buf_addf(out, "%lld", (long long)reply->parameters[i].values[0]);
		} else {
			kt_buf_addc(out, *text);
		}
		text += taken;
	}
}

/*
 * What was printed is accepted again, and prints the same: no name was missed, none was changed that is not the
 * text's.
 */
static bool prints_again(struct bench *b, struct kt_arena *arena, const struct kt_reply *reply,
                         const struct kt_check_verdict *verdict, char detail[600])
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES), first = KT_BUF(KT_LIMIT_SOURCE_BYTES),
	              second = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_reply again = {0};
	struct kt_check_verdict other = {.message = ""};
	struct kt_error err;
	bool same;

	fill(&text, verdict->helpers, reply);
	fill(&text, verdict->kernels[0].head, reply);
	kt_buf_addc(&text, '\n');
	fill(&text, verdict->kernels[0].body, reply);
	again.text = kt_buf_text(&text);
	same = kt_check_ask(&other, arena, b->checker, &b->request, &again, &err) == KT_OK && other.accepted;
	if (same) {
		fill(&first, verdict->helpers, reply);
		fill(&first, verdict->kernels[0].body, reply);
		fill(&second, other.helpers, reply);
		fill(&second, other.kernels[0].body, reply);
		same = strcmp(kt_buf_text(&first), kt_buf_text(&second)) == 0;
	}
	(void)snprintf(detail, 600, "%.250s\n%.300s", other.message != NULL ? other.message : "", kt_buf_text(&text));
	kt_buf_free(&text);
	kt_buf_free(&first);
	kt_buf_free(&second);
	return same;
}

/* What became of one reply, as one word; detail: for the one who reads a failure. */
static const char *judge(struct bench *b, struct kt_arena *arena, const struct kt_buf *text, char detail[600])
{
	static const struct {
		kt_status status;
		const char *word;
	} words[] = {{KT_ERR_SYNTAX, "reply-syntax"}, {KT_ERR_INVALID, "reply-invalid"}, {KT_ERR_LIMIT, "reply-limit"}};
	struct kt_check_verdict verdict;
	struct kt_reply *reply = NULL;
	struct kt_error err;
	kt_status status = kt_reply_read(&reply, arena, kt_buf_text(text), text->size, &err);

	(void)snprintf(detail, 600, "%.590s", status != KT_OK ? err.message : "");
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].status == status)
			return words[i].word;
	if (status != KT_OK)
		return "reply-memory";
	if (reply->decline != NULL)
		return "reply-decline";
	if (kt_reply_check_names(reply, &known, &err) != KT_OK) {
		(void)snprintf(detail, 600, "%.590s", err.message);
		return "reply-names";
	}
	if (kt_check_ask(&verdict, arena, b->checker, &b->request, reply, &err) != KT_OK) {
		(void)snprintf(detail, 600, "%.590s", err.message);
		return "no-verdict";
	}
	(void)snprintf(detail, 600, "line %lld, column %lld: %.500s", (long long)verdict.line, (long long)verdict.column,
	               verdict.message);
	if (!verdict.accepted)
		return verdict.construct;
	/* What was accepted is what is compiled: nothing of a comment, no directive but one, no dollar but
	 * placeholders. */
	assert_int_equal(verdict.kernel_count, 1);
	assert_non_null(strstr(verdict.kernels[0].head, "${ktune:kernel}("));
	assert_null(strstr(verdict.kernels[0].head, "//"));
	assert_null(strstr(verdict.kernels[0].body, "//"));
	assert_null(strstr(verdict.helpers, "/*"));
	assert_null(strstr(verdict.kernels[0].body, "include"));
	return prints_again(b, arena, reply, &verdict, detail) ? "accepted" : "other-text";
}

static void check_file(struct bench *b, const char *folder, const char *name)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *path = kt_arena_printf(arena, CORPUS "/%s/%s", folder, name), *word, *expected = folder;
	struct kt_error err;
	char detail[600];

	if (kt_fs_read(&text, path, &err) != KT_OK)
		fail_msg("%s", err.message);
	if (strcmp(folder, "tested") == 0)
		expected = "accepted";
	word = judge(b, arena, &text, detail);
	if (strcmp(word, expected) != 0) {
		print_error("%s/%s: %s: %s\n", folder, name, word, detail);
		b->failed++;
	}
	b->seen++;
	kt_buf_free(&text);
	kt_arena_free(arena);
}

static void check_folder(struct bench *b, const char *folder)
{
	char path[4096];
	const struct dirent *entry;
	DIR *directory;

	(void)snprintf(path, sizeof path, CORPUS "/%s", folder);
	directory = opendir(path);
	assert_non_null(directory);
	while ((entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.')
			check_file(b, folder, entry->d_name);
	(void)closedir(directory);
}

static int setup(void **state)
{
	static struct bench b = {.region = KT_BUF(KT_LIMIT_SOURCE_BYTES)};
	static char *const arguments[] = {"-std=c++17", NULL};
	const struct kt_clang_options options = {.file = REGION, .directory = CORPUS,
	                                           .arch = 90, .arguments = arguments};
	struct kt_error err;

	(void)setenv("KTUNE_PREFIX", KT_PREFIX, 1);
	if (kt_fs_read(&b.region, REGION, &err) != KT_OK || kt_clang_open(&b.checker, &options, &err) != KT_OK) {
		print_error("%s\n", err.message);
		return 1;
	}
	b.request = (struct kt_check_request){.context = kt_buf_text(&b.region), .open = "", .close = "",
	                                      .original = strstr(kt_buf_text(&b.region), "CONSTANT ON_BOTH INLINE"),
	                                      .kernel_count = 1, .kernels = kernels};
	*state = &b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	kt_clang_close(b->checker);
	kt_buf_free(&b->region);
	return 0;
}

static void test_corpus(void **state)
{
	struct bench *b = *state;
	const struct dirent *entry;
	DIR *directory = opendir(CORPUS);

	assert_non_null(directory);
	while ((entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.' && strchr(entry->d_name, '.') == NULL)
			check_folder(b, entry->d_name);
	(void)closedir(directory);
	print_message("%zu replies\n", b->seen);
	assert_true(b->seen >= LEAST);
	assert_int_equal(b->failed, 0);
}

/* Ten megabytes: of prose, of one block, of one object. None gets as far as the check. */
static void test_flood(void **state)
{
	static const char *const fronts[] = {"", "```cuda\n", "{\"kernel\": \""}, *const ends[] = {"", "\n```\n", "\"}"};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
		char *room, detail[600];

		kt_buf_adds(&text, fronts[i]);
		room = kt_buf_extend(&text, (size_t)10 << 20);
		assert_non_null(room);
		memset(room, 'x', (size_t)10 << 20);
		kt_buf_adds(&text, ends[i]);
		assert_string_equal(judge(b, arena, &text, detail), "reply-limit");
		kt_buf_free(&text);
		kt_arena_free(arena);
	}
}

/* Where a refusal is, as it goes back to the model. */
static void test_place(void **state)
{
	struct bench *b = *state;
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_reply reply = {.text =
	                                   "__device__ float f(float v)\n{\n\treturn v;\n}\n__global__ void axpy(float *y, "
	                                   "const float *__restrict__ x, float a, int n)\n{\n\ty[0] =\tf(asm);\n}\n"};
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_check_verdict verdict;
	struct kt_error err;

	assert_int_equal(kt_check_ask(&verdict, arena, b->checker, &b->request, &reply, &err), KT_OK);
	assert_false(verdict.accepted);
	kt_check_complain(&text, &verdict);
	assert_string_equal(kt_buf_text(&text), "inline-assembly, line 7, column 11: inline assembly is not allowed\n"
	                                        "     y[0] = f(asm);\n");
	kt_buf_free(&text);
	kt_arena_free(arena);
}

/* What an accepted text becomes: declarations one a line, names by number, parameters as placeholders. */
static void test_print(void **state)
{
	struct bench *b = *state;
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	static int64_t values[] = {4, 8};
	struct kt_reply_parameter parameters[] = {{"UNROLL", 2, values, ""}};
	const struct kt_reply reply = {
	    .parameter_count = 1, .parameters = parameters,
	    .text = "constexpr int A = 1, B = A + 1; // two\n"
	            "enum class Way { FIRST, SECOND };\n"
	            "struct Two {\n\tfloat a, b; /* fields\n\tof two */ float c;\n};\n"
	            "template <int N> static inline __device__ float f(Two t) { return t.a + N * B; }\n"
	            "static __global__ void __launch_bounds__(UNROLL * 32)\n"
	            "axpy(float *y, const float *__restrict__ x, float a, int "
	            "n)\n{\n\textern __shared__ float s[];\n#pragma unroll UNROLL // times\n\tfor (int i = 0; i < n; i++)\n"
	            "\t\ty[i] = f<(int)Way::SECOND>({x[i], a, s[0]});\n}\n"};
	struct kt_check_verdict verdict;
	struct kt_error err;

	if (kt_check_ask(&verdict, arena, b->checker, &b->request, &reply, &err) != KT_OK || !verdict.accepted)
		fail_msg("%s %s", verdict.construct, verdict.message);
	assert_string_equal(verdict.helpers,
	                    "constexpr int ${ktune:callee:0} = 1, ${ktune:callee:1} = ${ktune:callee:0} + 1;\n"
	                    "enum class ${ktune:callee:2} { FIRST, SECOND };\n"
	                    "struct ${ktune:callee:3} {\n\tfloat a, b;\n\tfloat c;\n};\n"
	                    "template <int N>\nstatic __device__ float ${ktune:callee:4}(${ktune:callee:3} t) { return t.a "
	                    "+ N * "
	                    "${ktune:callee:1}; }\n");
	assert_string_equal(verdict.kernels[0].head,
	                    "__global__ void __launch_bounds__(${UNROLL} * 32)\n${ktune:kernel}(float *y, "
	                    "const float *__restrict__ x, float a, int n)");
	assert_string_equal(verdict.kernels[0].body,
	                    "{\n\textern __shared__ float ${ktune:callee:5}[];\n#pragma unroll ${UNROLL}\n"
	                    "\tfor (int i = 0; i < n; "
	                    "i++)\n\t\ty[i] = ${ktune:callee:4}<(int)${ktune:callee:2}::SECOND>({x[i], a, ${ktune:callee:5}[0]});\n}");
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus), cmocka_unit_test(test_flood),
	                                   cmocka_unit_test(test_place), cmocka_unit_test(test_print)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
