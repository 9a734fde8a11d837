#include "tuning/python.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/proc.h"

#define READ_SECONDS 60

/* ---- the process ---- */

static cJSON *texts(const char *const *items, size_t count)
{
	cJSON *array = cJSON_CreateArray();
	for (size_t i = 0; i < count; i++)
		(void)cJSON_AddItemToArray(array, items[i] != NULL ? cJSON_CreateString(items[i]) : cJSON_CreateNull());
	return array;
}

static void print_request(struct kt_buf *out, const struct kt_python_file *file)
{
	cJSON *request = cJSON_CreateObject();
	(void)cJSON_AddItemToObject(request, "names", texts(file->names, file->parameter_count));
	(void)cJSON_AddItemToObject(request, "values", texts(file->values, file->parameter_count));
	(void)cJSON_AddItemToObject(request, "conditions", texts(file->conditions, file->condition_count));
	kt_json_print(out, request);
	cJSON_Delete(request);
}

/* Isolated: nothing of the user's environment or folder becomes part of the program. */
static kt_status start(struct kt_pipe **out, struct kt_arena *arena, const char *path, struct kt_error *err)
{
	char *python = kt_path_find_program(arena, "python3"), *program = kt_install_path(arena, "share/ktcc/python/ktcc/steps.py");
	if (python == NULL)
		return kt_fail(err, KT_ERR_MISSING,
		               "%s: it has Python expressions, and python3 was not found in PATH; install Python 3.9 or newer", path);
	NEED(program, kt_no_memory(err));
	if (!kt_fs_is_file(program))
		return kt_fail(err, KT_ERR_MISSING, "%s: no such file; install ktcc again", program);
	return kt_pipe_start(out, (char *[]){python, "-I", "-S", "-B", program, NULL}, err);
}

static kt_status ask(struct kt_buf *reply, struct kt_arena *arena, const struct kt_python_file *file, struct kt_error *err)
{
	struct kt_buf request = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_pipe *pipe = NULL;
	kt_status status = start(&pipe, arena, file->path, err);
	print_request(&request, file);
	THEN(status, kt_buf_check(&request, "a request to Python", err));
	THEN(status, kt_pipe_send(pipe, kt_buf_text(&request), err));
	if (status == KT_OK && kt_pipe_receive(reply, pipe, READ_SECONDS, err) != KT_OK)
		status = kt_fail_prefix(err, "%s: its Python expressions were not read", file->path);
	kt_pipe_close(pipe);
	kt_buf_free(&request);
	return status;
}

/* ---- its reply ---- */

static const char *const names[] = {
#define ROW(id, operands, spelling) [KT_NODE_##id] = #id,
    KT_NODE_OPS(ROW)
#undef ROW
};

static kt_status bad(struct kt_error *err)
{
	return kt_fail(err, KT_ERR_CHILD, "the steps of a Python expression are damaged; install ktcc again");
}

/* Of a number or a text: what it is. */
static kt_status read_leaf(struct kt_python_step *out, struct kt_arena *arena, const char *word, const cJSON *given,
                           struct kt_error *err)
{
	out->kind = strcmp(word, "REAL") == 0 ? KT_VALUE_REAL : strcmp(word, "TEXT") == 0 ? KT_VALUE_TEXT : KT_VALUE_INTEGER;
	if (!cJSON_IsString(given))
		return bad(err);
	if (out->kind == KT_VALUE_TEXT)
		NEED(out->text = kt_arena_strdup(arena, given->valuestring), kt_no_memory(err));
	if (out->kind == KT_VALUE_INTEGER)
		TRY(kt_json_item_int(&out->integer, given, err));
	out->real = out->kind == KT_VALUE_REAL ? strtod(given->valuestring, NULL) : (double)out->integer;
	return KT_OK;
}

static kt_status read_step(struct kt_python_step *out, struct kt_arena *arena, const cJSON *item, struct kt_error *err)
{
	const cJSON *word = cJSON_GetArrayItem(item, 0), *offset = cJSON_GetArrayItem(item, 1), *given = cJSON_GetArrayItem(item, 2);
	if (!cJSON_IsString(word) || !cJSON_IsNumber(offset))
		return bad(err);
	out->offset = (unsigned)offset->valueint;
	for (int op = KT_NODE_PARAMETER; op < KT_NODE_OP_COUNT; op++)
		if (strcmp(word->valuestring, names[op]) == 0)
			out->op = (enum kt_node_op)op;
	return given != NULL ? read_leaf(out, arena, word->valuestring, given, err) : out->op != 0 ? KT_OK : bad(err);
}

static kt_status read_steps(struct kt_python_steps *out, struct kt_arena *arena, const cJSON *list, struct kt_error *err)
{
	const cJSON *item;
	NEED(out->items = kt_arena_array(arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *out->items), kt_no_memory(err));
	cJSON_ArrayForEach(item, list)
		TRY(read_step(&out->items[out->count++], arena, item, err));
	return KT_OK;
}

static kt_status read_all(struct kt_python_steps **out, struct kt_arena *arena, const cJSON *reply, const char *member,
                          size_t count, struct kt_error *err)
{
	const cJSON *lists = cJSON_GetObjectItemCaseSensitive(reply, member), *list;
	size_t i = 0;
	if ((size_t)cJSON_GetArraySize(lists) != count)
		return bad(err);
	NEED(*out = kt_arena_array(arena, count + 1, sizeof **out), kt_no_memory(err));
	cJSON_ArrayForEach(list, lists)
		TRY(read_steps(&(*out)[i++], arena, list, err));
	return KT_OK;
}

static kt_status read_reply(struct kt_python_file *file, struct kt_python_mistake *mistake, struct kt_arena *arena,
                            const cJSON *reply, struct kt_error *err)
{
	if (cJSON_HasObjectItem(reply, "mistake")) {
		mistake->in_values = strcmp(kt_json_text(reply, "member"), "values") == 0;
		mistake->index = (size_t)kt_json_number(reply, "index");
		mistake->offset = (unsigned)kt_json_number(reply, "offset");
		return kt_fail_at(err, KT_ERR_SYNTAX, mistake->offset, "%s", kt_json_text(reply, "mistake"));
	}
	TRY(read_all(&file->value_steps, arena, reply, "values", file->parameter_count, err));
	return read_all(&file->condition_steps, arena, reply, "conditions", file->condition_count, err);
}

kt_status kt_python_read(struct kt_python_file *file, struct kt_python_mistake *mistake, struct kt_arena *arena,
                         struct kt_error *err)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	cJSON *reply = NULL;
	kt_status status = ask(&line, arena, file, err);
	if (status == KT_OK && kt_json_parse(&reply, kt_buf_text(&line), line.size, err) != KT_OK)
		status = bad(err);
	THEN(status, read_reply(file, mistake, arena, reply, err));
	cJSON_Delete(reply);
	kt_buf_free(&line);
	return status;
}

/* ---- the machine ---- */

static kt_node leaf(struct kt_graph *graph, const struct kt_python_step *step)
{
	if (step->op == KT_NODE_PARAMETER)
		return (uint64_t)step->integer < graph->dimensions ? kt_graph_parameter(graph, (size_t)step->integer) : KT_NODE_NONE;
	return step->kind == KT_VALUE_TEXT   ? kt_graph_text(graph, step->text, strlen(step->text))
	       : step->kind == KT_VALUE_REAL ? kt_graph_real(graph, step->real)
	                                     : kt_graph_integer(graph, step->integer);
}

/* Where only the truth of an operand counts, and where `and` and `or` of truths are one. */
static kt_node apply(struct kt_graph *graph, enum kt_node_op op, kt_node *operands)
{
	const unsigned count = kt_node_operands(op);
	for (unsigned i = 0; i < count; i++)
		if (operands[i] == KT_NODE_NONE)
			return KT_NODE_NONE;
	if (op == KT_NODE_NOT || op == KT_NODE_CHOOSE || op == KT_NODE_TRUTH)
		operands[0] = kt_graph_truth(graph, operands[0]);
	if (op == KT_NODE_TRUTH)
		return operands[0];
	if ((op == KT_NODE_AND_VALUE || op == KT_NODE_OR_VALUE) && graph->nodes[operands[0]].boolean &&
	    graph->nodes[operands[1]].boolean)
		op = op == KT_NODE_AND_VALUE ? KT_NODE_AND : KT_NODE_OR;
	return kt_graph_make(graph, op, operands[0], count > 1 ? operands[1] : KT_NODE_NONE,
	                     count > 2 ? operands[2] : KT_NODE_NONE);
}

kt_status kt_python_node(kt_node *out, struct kt_graph *graph, const struct kt_python_steps *steps, kt_node *nodes,
                         struct kt_error *err)
{
	kt_node *stack = malloc((steps->count + 1) * sizeof *stack);
	size_t depth = 0;
	for (size_t i = 0; stack != NULL && i < steps->count; i++) {
		const struct kt_python_step *step = &steps->items[i];
		const unsigned operands = kt_node_operands(step->op);
		const bool enough = operands <= depth;
		depth -= enough ? operands : depth;
		stack[depth] = !enough ? KT_NODE_NONE : operands == 0 ? leaf(graph, step) : apply(graph, step->op, &stack[depth]);
		if (nodes != NULL)
			nodes[i] = stack[depth];
		depth++;
	}
	*out = depth == 1 ? stack[0] : KT_NODE_NONE;
	free(stack);
	return *out != KT_NODE_NONE ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for an expression");
}
