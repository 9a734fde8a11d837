/* Requests to the runner: what is printed by a table is what was read by it, and each member has its place in the page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/runner_request.h"

#define GEOMETRY(x) "{\"grid\":[" x ",1,1],\"block\":[32,2,1],\"shared_bytes\":16}"
#define DATA "{\"count\":8,\"fill\":\"choice\",\"a\":3,\"b\":-1,\"numbers\":[3,-1,2.5],\"seed\":7,\"offset\":4,\"alias\":0}"

static const char one_kernel[] =
    "{\"name\":\"r\",\"instance\":\"r<int>\",\"cubin\":\"/c\",\"function\":\"f\",\"options\":\"-DX\",\"limit_s\":2.5,"
    "\"arguments\":[{\"buffer\":0},{\"element\":\"i32\"},{\"local\":true},"
    "{\"members\":[{\"offset\":0,\"buffer\":1},{\"offset\":8,\"element\":\"f16\"}],\"bytes\":16}],"
    "\"buffers\":[{\"name\":\"y\",\"element\":\"f32\",\"direction\":\"out\",\"absolute\":0.5,\"relative\":0},"
    "{\"name\":\"x\",\"element\":{\"bytes\":8,\"align\":4,\"numbers\":[{\"name\":\"k\",\"element\":\"i32\",\"offset\":0},"
    "{\"name\":\"w\",\"element\":\"f32\",\"offset\":4}]},\"direction\":\"scratch\",\"limits\":[{\"absolute\":0,\"relative\":0},"
    "{\"absolute\":1,\"relative\":2}],\"symbol\":{\"name\":\"_Z1x\",\"elements\":9}}],"
    "\"constants\":[\"c\",\"d\"],\"host\":{\"program\":\"/p\",\"buffers\":[0,-1]},"
    "\"problems\":[{\"problem\":\"n=8\",\"geometry\":" GEOMETRY("5") ",\"values\":[null,7,null,[null,1.5]],"
    "\"buffers\":[" DATA ",{\"count\":2,\"fills\":[{\"fill\":\"zeros\",\"a\":0,\"b\":0},{\"fill\":\"normal\",\"a\":0,\"b\":1}],"
    "\"file\":{\"path\":\"/n\",\"hash\":\"00\"},\"seed\":0}],\"read_bytes\":64,\"write_bytes\":\"9007199254740993\","
    "\"host_values\":[null,2]},"
    "{\"problem\":\"n=9\",\"check\":true,\"geometry\":" GEOMETRY("6") ",\"values\":[],\"buffers\":[],\"read_bytes\":0,"
    "\"write_bytes\":0}]}";
static const char steps[] =
    "{\"name\":\"r\",\"instance\":\"r\",\"steps\":[{\"function\":\"f\",\"arguments\":[1,0]}],\"options\":\"\",\"limit_s\":10,\"arguments\":[],"
    "\"buffers\":[],\"problems\":[{\"problem\":\"p\",\"geometries\":[" GEOMETRY("5") "],\"values\":[],\"buffers\":[],"
    "\"read_bytes\":0,\"write_bytes\":0}]}";
static const char candidate[] =
    "{\"configuration\":\"A=1\",\"cubin\":\"/c\",\"further\":[\"g\"],\"function\":\"f\",\"temporaries\":[{\"name\":\"t\","
    "\"element\":\"bf16\"}],\"options\":\"-DX\",\"problems\":[{\"geometry\":" GEOMETRY("7") ",\"further\":[" GEOMETRY("8") "],"
    "\"temporaries\":[12],\"give_up_ns\":1500,\"lost_ns\":2.5},{\"skip\":true}],\"order\":[1,0]}";
static const char original[] = "{\"configuration\":\"\",\"options\":\"\"}";
static const char effort[] =
    "{\"warmups\":3,\"repetitions\":9,\"companions\":1,\"screen\":true,\"seed\":5,\"hot\":true}";

/* The members that JSON has as they are belong to what is read: those of the record are copies. */
static void copy_values(struct kt_run_region *region)
{
	for (size_t p = 0; p < region->problem_count; p++) {
		struct kt_run_problem *problem = &region->problems[p];
		problem->json_values = cJSON_Duplicate(problem->json_values, true);
		problem->json_host_values = cJSON_Duplicate(problem->json_host_values, true);
	}
}

static void what_is_read_is_printed(void **state)
{
	static const struct {
		const char *text;
		const struct kt_members *members;
	} rows[] = {{one_kernel, &kt_run_region}, {steps, &kt_run_region}, {candidate, &kt_run_request},
	            {original, &kt_run_request}, {effort, &kt_run_effort}};
	union {
		struct kt_run_region region;
		struct kt_run_request candidate;
		struct kt_run_effort effort;
	} record;
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_error err;
		struct kt_arena *arena = kt_arena_new(1 << 20);
		cJSON *json = cJSON_Parse(rows[i].text), *printed = cJSON_CreateObject();
		assert_non_null(json);
		memset(&record, 0, sizeof record);
		if (kt_members_parse(&record, json, rows[i].members, arena, &err) != KT_OK)
			fail_msg("%s: %s", rows[i].text, err.message);
		if (rows[i].members == &kt_run_region)
			copy_values(&record.region);
		kt_print_members(printed, &record, rows[i].members, NULL);
		char *text = cJSON_PrintUnformatted(printed);
		assert_string_equal(text, rows[i].text);
		free(text);
		cJSON_Delete(json);
		cJSON_Delete(printed);
		kt_arena_free(arena);
	}
}

static void lists_have_a_limit(void **state)
{
	struct kt_error err;
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_run_request request = {0};
	cJSON *json = cJSON_CreateObject(), *array = cJSON_AddArrayToObject(json, "further");
	(void)state;
	for (int i = 0; i < KT_STEPS; i++)
		(void)cJSON_AddItemToArray(array, cJSON_CreateString("g"));
	assert_int_equal(kt_members_parse(&request, json, &kt_run_request, arena, &err), KT_ERR_INVALID);
	assert_string_equal(err.message, "/further: an array of at most 15 items expected");
	cJSON_DeleteItemFromArray(array, 0);
	assert_int_equal(kt_members_parse(&request, json, &kt_run_request, arena, &err), KT_OK);
	assert_int_equal(request.further_count, KT_STEPS - 1);
	cJSON_Delete(json);
	kt_arena_free(arena);
}

/* Each member is named in the page: "NAME" as in the messages. */
static void find_members(const char *page, const struct kt_members *members)
{
	for (size_t i = 0; i < members->count; i++) {
		const struct kt_member *m = &members->rows[i];
		char quoted[64];
		snprintf(quoted, sizeof quoted, "\"%s\"", m->name != NULL ? m->name : "");
		if (m->name != NULL && strstr(page, quoted) == NULL)
			fail_msg("docs/protocol-runner.md does not name %s", quoted);
		if (m->item != NULL)
			find_members(page, m->item);
	}
}

static void each_member_is_documented(void **state)
{
	struct kt_error err;
	struct kt_buf page = KT_BUF(1 << 20);
	(void)state;
	assert_int_equal(kt_fs_read(&page, KT_SOURCE_DIR "/docs/protocol-runner.md", &err), KT_OK);
	find_members(kt_buf_text(&page), &kt_run_region);
	find_members(kt_buf_text(&page), &kt_run_request);
	find_members(kt_buf_text(&page), &kt_run_effort);
	kt_buf_free(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_read_is_printed),
	    cmocka_unit_test(lists_have_a_limit),
	    cmocka_unit_test(each_member_is_documented),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
