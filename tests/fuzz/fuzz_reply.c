/*
 * The reader of a model's replies.
 *
 * Holds: what is read keeps to every ceiling; names are identifiers, and a
 * parameter's is upper case; the text is what the reply holds and no more; each
 * expression's canonical text reads back as itself; conditions of a reply that
 * has no names of a region use its parameters and the device alone.
 */
#include <string.h>

#include "base/buf.h"
#include "fuzz.h"
#include "generation/llm/reply.h"

static void check_name(const char *name)
{
	const size_t length = strlen(name);

	KT_FUZZ_REQUIRE(length > 0 && length <= KT_REPLY_NAME_BYTES);
	KT_FUZZ_REQUIRE(strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == length);
	KT_FUZZ_REQUIRE(name[0] < '0' || name[0] > '9');
}

static void check_expr(struct kt_arena *arena, const struct kt_clause_expr *clause)
{
	struct kt_buf once = KT_BUF(KT_LIMIT_SOURCE_BYTES), twice = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error err;
	struct kt_expr *again;
	kt_status status;

	if (clause->expr == NULL)
		return;
	KT_FUZZ_REQUIRE(strlen(clause->text) <= KT_REPLY_PROSE_BYTES);
	kt_expr_canonical(&once, clause->expr);
	status = kt_expr_parse(&again, arena, kt_buf_text(&once), once.size, &err);
	KT_FUZZ_REQUIRE(status == KT_OK || status == KT_ERR_MEMORY);
	if (status == KT_OK) {
		kt_expr_canonical(&twice, again);
		KT_FUZZ_REQUIRE(strcmp(kt_buf_text(&once), kt_buf_text(&twice)) == 0);
	}
	kt_buf_free(&once);
	kt_buf_free(&twice);
}

static void check_geometry(struct kt_arena *arena, const struct kt_reply_geometry *geometry)
{
	KT_FUZZ_REQUIRE(geometry->grid_count <= 3 && geometry->block_count <= 3);
	KT_FUZZ_REQUIRE((geometry->grid_count == 0) == (geometry->block_count == 0));
	for (size_t i = 0; i < geometry->grid_count; i++)
		check_expr(arena, &geometry->grid[i]);
	for (size_t i = 0; i < geometry->block_count; i++)
		check_expr(arena, &geometry->block[i]);
	check_expr(arena, &geometry->shared_bytes);
}

static void check_conditions(struct kt_arena *arena, const struct kt_reply_condition *conditions, size_t count)
{
	KT_FUZZ_REQUIRE(count <= KT_REPLY_CONDITIONS);
	for (size_t i = 0; i < count; i++) {
		check_expr(arena, &conditions[i].expr);
		KT_FUZZ_REQUIRE(conditions[i].expr.expr != NULL);
		KT_FUZZ_REQUIRE(strlen(conditions[i].reason) <= KT_REPLY_PROSE_BYTES);
	}
}

static void check_parameters(const struct kt_reply *reply)
{
	KT_FUZZ_REQUIRE(reply->parameter_count <= KT_REPLY_PARAMETERS);
	for (size_t i = 0; i < reply->parameter_count; i++) {
		const struct kt_reply_parameter *p = &reply->parameters[i];

		check_name(p->name);
		KT_FUZZ_REQUIRE(p->name[0] >= 'A' && p->name[0] <= 'Z');
		KT_FUZZ_REQUIRE(p->value_count > 0 && p->value_count <= KT_REPLY_VALUES);
		for (size_t v = 0; v < p->value_count; v++)
			KT_FUZZ_REQUIRE(p->values[v] <= KT_REPLY_MAGNITUDE && p->values[v] >= -KT_REPLY_MAGNITUDE);
	}
}

static void check_plan(struct kt_arena *arena, const struct kt_reply *reply)
{
	KT_FUZZ_REQUIRE(reply->launch_count <= KT_REPLY_LAUNCHES && reply->temporary_count <= KT_REPLY_TEMPORARIES);
	KT_FUZZ_REQUIRE(reply->temporary_count == 0 || reply->launch_count > 0);
	for (size_t i = 0; i < reply->temporary_count; i++) {
		check_name(reply->temporaries[i].name);
		KT_FUZZ_REQUIRE(reply->temporaries[i].element != KT_SCALAR_NONE);
		check_expr(arena, &reply->temporaries[i].count);
	}
	for (size_t i = 0; i < reply->launch_count; i++) {
		const struct kt_reply_launch *launch = &reply->launches[i];

		check_name(launch->kernel);
		KT_FUZZ_REQUIRE(launch->argument_count <= KT_REPLY_ARGUMENTS && launch->geometry.grid_count > 0);
		for (size_t a = 0; a < launch->argument_count; a++)
			check_name(launch->arguments[a]);
		check_geometry(arena, &launch->geometry);
	}
}

static void check_reply(struct kt_arena *arena, const struct kt_reply *reply)
{
	static const struct kt_reply_names none;
	struct kt_error err;

	KT_FUZZ_REQUIRE(strlen(reply->rationale) <= KT_REPLY_PROSE_BYTES && strlen(reply->effect) <= KT_REPLY_PROSE_BYTES);
	if (reply->decline != NULL) {
		KT_FUZZ_REQUIRE(reply->text == NULL && reply->parameter_count == 0 && reply->launch_count == 0);
		return;
	}
	KT_FUZZ_REQUIRE(reply->text != NULL && strlen(reply->text) <= KT_REPLY_TEXT_BYTES);
	check_parameters(reply);
	check_conditions(arena, reply->restrictions, reply->restriction_count);
	check_conditions(arena, reply->guards, reply->guard_count);
	check_geometry(arena, &reply->geometry);
	check_plan(arena, reply);
	if (kt_reply_check_names(reply, &none, &err) != KT_OK)
		KT_FUZZ_REQUIRE(err.message[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_reply *reply = NULL;
	struct kt_error err = {.code = KT_OK};

	KT_FUZZ_REQUIRE(arena != NULL);
	if (kt_reply_read(&reply, arena, (const char *)data, size, &err) == KT_OK) {
		KT_FUZZ_REQUIRE(size <= KT_REPLY_BYTES);
		check_reply(arena, reply);
	} else {
		KT_FUZZ_REQUIRE(err.code != KT_OK && err.message[0] != '\0');
	}
	kt_arena_free(arena);
	return 0;
}
