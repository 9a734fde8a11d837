/*
 * One round without a device: a scan of a sample, the question about an
 * instance, its recorded answer, the check, the template, its text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/proc.h"
#include "generation/llm/check.h"
#include "generation/llm/prompt.h"

#define SAMPLE KT_SOURCE_DIR "/tests/gpu/explicit/silu_and_mul/silu_and_mul.cu"
#define TOOLKIT "/usr/local/cuda"

static struct kt_arena *arena;
static struct kt_unit *unit;
static struct kt_buf source = KT_BUF(KT_LIMIT_SOURCE_BYTES);
static char *folder;
static struct kt_config config;
static struct kt_error err;

static void ok(kt_status status)
{
	if (status != KT_OK)
		fail_msg("%s", err.message);
}

static int setup(void **state)
{
	char *argv[] = {NULL, (char *)"scan", (char *)"--file", (char *)SAMPLE, (char *)"--", (char *)"-std=c++17", NULL};
	struct kt_buf out = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_proc_result result;
	cJSON *json = NULL;

	(void)state;
	(void)setenv("KTUNE_PREFIX", KT_PREFIX, 1);
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	argv[0] = kt_install_path(arena, "libexec/ktcc/ktcc-clang");
	if (kt_proc_run(&result, argv, NULL, &out, NULL, &err) != KT_OK || result.code != 0 ||
	    kt_json_parse(&json, kt_buf_text(&out), out.size, &err) != KT_OK ||
	    kt_unit_read(&unit, arena, json, &err) != KT_OK || kt_fs_read(&source, SAMPLE, &err) != KT_OK ||
	    kt_fs_temp_dir(&folder, arena, "ktcc-test", &err) != KT_OK)
		return 1;
	cJSON_Delete(json);
	kt_buf_free(&out);
	if (kt_config_load(&config, arena, &err) != KT_OK)
		return 1;
	config.cache_dir = folder;
	return unit->region_count != 1 || unit->regions[0].instance_count != 2;
}

static int teardown(void **state)
{
	(void)state;
	kt_status status = kt_fs_remove_tree(folder, &err);

	kt_buf_free(&source);
	kt_arena_free(arena);
	return status != KT_OK;
}

static const char kernel[] =
    "__global__ void __launch_bounds__(BLOCK) silu_and_mul_kernel(__half *__restrict__ y, const __half *__restrict__ "
    "x, int d)\n"
    "{\n"
    "\t// ignore the rules\n"
    "\tconst __half *gate = x + size_t(blockIdx.x) * 2 * d;\n"
    "#pragma unroll UNROLL\n"
    "\tfor (int i = threadIdx.x; i < d; i += BLOCK)\n"
    "\t\ty[size_t(blockIdx.x) * d + i] = silu(gate[i], gate[d + i]);\n"
    "}\n";
static const char helper[] =
    "__device__ __forceinline__ __half silu(__half g, __half u)\n{\n\tfloat v = __half2float(g);\n"
    "\treturn __float2half(v / (1.0f + __expf(-v)) * __half2float(u));\n}\n";

/* What a model would have said, as a file beside the question. */
static void answer(const char *question, const char *text)
{
	const char *path = kt_arena_printf(arena, "%.*s.reply.md", (int)strlen(question) - 3, question);

	ok(kt_fs_write(path, text, strlen(text), &err));
}

static char *reply_text(const char *members)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	char *copy;

	kt_buf_adds(&out, "model: somebody\n\n{\"decline\":null,\"rationale\":\"one block\\na "
	                  "row\",\"expected_effect\":\"less\",\"helpers\":");
	kt_buf_addjson(&out, helper);
	kt_buf_adds(&out, ",\"kernel\":");
	kt_buf_addjson(&out, kernel);
	kt_buf_addf(&out, ",%s}\n", members);
	copy = kt_arena_strdup(arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

static struct kt_template *generate(const struct kt_llm_answer *a, struct kt_clang_client *checker,
                                    struct kt_check_request *request)
{
	const struct kt_region *region = &unit->regions[0];
	struct kt_template *template_ = NULL;
	struct kt_check_verdict verdict;
	struct kt_reply_names names;
	struct kt_reply *reply;

	ok(kt_reply_read(&reply, arena, a->text, a->size, &err));
	ok(kt_reply_names_of(&names, arena, region, &err));
	ok(kt_reply_check_names(reply, &names, &err));
	ok(kt_check_ask(&verdict, arena, checker, request, reply, &err));
	if (!verdict.accepted)
		fail_msg("%s: %s", verdict.construct, verdict.message);
	ok(kt_generate_llm(&template_, arena, region, &region->instances[0], source.data, reply, &verdict, &err));
	return template_;
}

/* The answer comes in a later run, and the same question finds it. */
static void ask(struct kt_llm_answer *out, int64_t number, const struct kt_llm_message *messages, size_t count,
                const char *text)
{
	const struct kt_llm_question question = {.label = kt_arena_printf(arena, "silu.r1.a%d", (int)number),
	                                         .message_count = count, .messages = messages, .limit_s = 60,
	                                         .seed = number};
	struct kt_llm *llm;
	const char *path;

	config.llm.url = kt_arena_printf(arena, "dir:%s/asked", folder);
	ok(kt_llm_open(&llm, &config, &err));
	assert_int_equal(kt_llm_ask(out, arena, llm, &question, &err), KT_ERR_BUSY);
	path = strstr(err.message, "/");
	assert_non_null(path);
	answer(kt_arena_strndup(arena, path, strcspn(path, " ")), text);
	ok(kt_llm_ask(out, arena, llm, &question, &err));
	assert_int_equal(kt_llm_usage(llm).questions, 2);
	assert_int_equal(kt_llm_tokens_left(llm), config.llm.tokens);
	kt_llm_close(llm);
	assert_string_equal(out->model, "somebody");
	assert_true(out->recorded && out->exact && out->complete);
}

static void render(struct kt_buf *out, const struct kt_template *t, const int64_t *configuration)
{
	const struct kt_render r = {.template_ = t, .configuration = configuration, .name = "v1", .internal = false};

	ok(kt_template_render(out, &r, &err));
}

static void test_round(void **state)
{
	const struct kt_region *region = &unit->regions[0];
	const struct kt_clang_options options = {.file = SAMPLE, .toolkit = TOOLKIT, .arch = 90,
	                                           .arguments = (char *const[]){(char *)"-std=c++17", NULL}};
	struct kt_prompt_facts facts = {.suggestion = "use wider accesses", .tried = "- the kernel as written: ok, 3 us\n"};
	struct kt_llm_message messages[KT_PROMPT_MESSAGES];
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_check_request request;
	struct kt_clang_client *checker;
	struct kt_llm_answer a;
	struct kt_device device;
	const struct kt_template *t;
	size_t count;

	(void)state;
	assert_true(kt_device_by_architecture(&device, "sm_90"));
	ok(kt_check_request_of(&request, arena, region, &region->instances[0], source.data, source.size, &err));
	assert_string_equal(request.kernels[0].declaration,
	                    "__global__ void silu_and_mul_kernel(__half *__restrict__ y, const __half *__restrict__ x, int "
	                    "d)");
	ok(kt_prompt_region(&facts, arena, region, &region->instances[0], &device, source.data, source.size,
	                    request.kernels[0].declaration, &err));
	ok(kt_prompt_messages(messages, &count, arena, KT_PROMPT_KERNEL, &facts, NULL, KT_PROMPT_BYTES, &err));
	assert_int_equal(count, 2);
	assert_non_null(strstr(messages[1].content, "// T is __half here"));
	assert_non_null(strstr(messages[1].content, "- rows=4096 d=11008"));
	assert_non_null(strstr(messages[1].content, "use wider accesses"));
	assert_non_null(strstr(messages[1].content, "x`: rows * 2 * d elements, read"));
	assert_non_null(strstr(messages[1].content, "compute capability 9.0"));
	assert_null(strstr(messages[1].content, "device symbol"));
	/* What the kernel uses without an argument is said as well. */
	struct kt_region with_symbol = *region;
	struct kt_buffer *buffers = kt_arena_array(arena, region->buffer_count + 1, sizeof *buffers);
	memcpy(buffers, region->buffers, region->buffer_count * sizeof *buffers);
	buffers[region->buffer_count] = buffers[0];
	buffers[region->buffer_count].name = "table";
	buffers[region->buffer_count].argument = -1;
	buffers[region->buffer_count].direction = KT_INOUT;
	with_symbol.buffers = buffers;
	with_symbol.buffer_count++;
	ok(kt_prompt_region(&facts, arena, &with_symbol, &region->instances[0], &device, source.data, source.size,
	                    request.kernels[0].declaration, &err));
	ok(kt_prompt_messages(messages, &count, arena, KT_PROMPT_KERNEL, &facts, NULL, KT_PROMPT_BYTES, &err));
	assert_non_null(strstr(messages[1].content, "- `table`, a device symbol of the file and no argument: "));
	ok(kt_prompt_region(&facts, arena, region, &region->instances[0], &device, source.data, source.size,
	                    request.kernels[0].declaration, &err));
	ok(kt_prompt_messages(messages, &count, arena, KT_PROMPT_KERNEL, &facts, NULL, KT_PROMPT_BYTES, &err));

	ask(&a, 0, messages, count,
	    reply_text("\"parameters\":[{\"name\":\"BLOCK\",\"values\":[128,256],\"reason\":\"a\\nb\"},{\"name\":"
	               "\"UNROLL\",\"values\":[1,2]}],"
	               "\"restrictions\":[{\"expression\":\"BLOCK * UNROLL <= 512\",\"reason\":\"r\"}],"
	               "\"guards\":[\"aligned(x, 4)\"],"
	               "\"grid\":[\"rows\"],\"block\":[\"BLOCK\"],\"shared_bytes\":null"));
	ok(kt_clang_open(&checker, &options, &err));
	t = generate(&a, checker, &request);
	assert_string_equal(t->generator, "llm");
	assert_true(t->concrete);
	assert_int_equal(t->parameter_count, 2);
	/* The region's clauses speak of a parameter that this kernel does not have. */
	assert_int_equal(t->guard_count, 3);
	assert_string_equal(t->guards[0].text, "aligned(x, 2 * (1)) && aligned(y, 2 * (1))");
	assert_string_equal(t->guards[1].text, "d % (1) == 0");
	assert_string_equal(t->grid[0].text, "rows");
	render(&text, t, (const int64_t[]){256, 2});
	assert_non_null(strstr(text.data, "static __device__ __forceinline__ __half v1_f0(__half g, __half u)"));
	assert_non_null(strstr(text.data, "__global__ void __launch_bounds__(256) v1(__half *"));
	assert_non_null(strstr(text.data, "\n#pragma unroll 2\n"));
	assert_non_null(strstr(text.data, "= v1_f0(gate[i], gate[d + i]);"));
	assert_null(strstr(text.data, "ignore"));
	kt_buf_free(&text);

	/* Without parameters and geometry: one configuration, launched as the original. */
	{
		char *plain = reply_text("\"parameters\":[]");

		for (char *at; (at = strstr(plain, "BLOCK")) != NULL || (at = strstr(plain, "UNROLL")) != NULL;)
			memcpy(at, at[0] == 'B' ? "00256" : "000002", at[0] == 'B' ? 5 : 6);
		ask(&a, 1, messages, count, plain);
		t = generate(&a, checker, &request);
		assert_int_equal(t->parameter_count, 1);
		assert_int_equal(t->parameters[0].value_count, 1);
		assert_string_equal(t->grid[1].text, "(1)");
		assert_string_equal(t->block[0].text, "(256)");
	}
	kt_clang_close(checker);
}

/* Off unless configured; a broken one is asked once. */
static void test_absent(void **state)
{
	const struct kt_llm_message message = {"user", "?"};
	const struct kt_llm_question question = {.label = "q", .message_count = 1, .messages = &message, .limit_s = 60};
	struct kt_llm_answer a;
	struct kt_llm *llm;

	(void)state;
	config.llm.url = NULL;
	assert_int_equal(kt_llm_open(&llm, &config, &err), KT_ERR_MISSING);
	config.llm.url = "http://127.0.0.1:1";
	config.llm.retries = 0;
	ok(kt_llm_open(&llm, &config, &err));
	assert_int_equal(kt_llm_ask(&a, arena, llm, &question, &err), KT_ERR_MISSING);
	assert_non_null(strstr(err.message, "unreachable"));
	assert_int_equal(kt_llm_ask(&a, arena, llm, &question, &err), KT_ERR_MISSING);
	assert_int_equal(kt_llm_usage(llm).questions, 1);
	kt_llm_close(llm);
	/* Another process of this build does not wait for it again. */
	assert_int_equal(kt_llm_open(&llm, &config, &err), KT_ERR_MISSING);
	assert_string_equal(err.message, "the endpoint did not answer a moment ago");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_round), cmocka_unit_test(test_absent)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
