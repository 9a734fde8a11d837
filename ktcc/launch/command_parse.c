#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "launch/architecture.h"
#include "launch/macros.h"
#include "launch/parser.h"

#define OPTIONS_FILE_DEPTH 16 /* nested --options-file; nvcc itself refuses a file inside itself */
#define OPTIONS_FILE_MOST 1024

/* The words of one source, read one after another; index is into argv, or argv's word that named the file. */
struct stream {
	size_t count, at;
	char *const *items;
	bool is_argv;
	size_t first; /* is_argv: index into argv of items[0] */
	size_t parent;/* otherwise: the word of argv that these words hang on; SIZE_MAX: none */
};

static kt_status read_stream(struct kt_parser *p, struct stream *stream);

kt_status kt_parser_out_of_memory(struct kt_parser *p)
{
	return kt_fail(p->err, KT_ERR_MEMORY, "out of memory for the command line");
}

static void mark(struct kt_parser *p, size_t word, unsigned effects)
{
	if (word < p->command->argc)
		p->command->word_effects[word] |= effects;
}

kt_status kt_parser_push(struct kt_parser *p, const char ***items, size_t *count, const char *text)
{
	return kt_arena_push_text(p->arena, items, count, text) ? KT_OK : kt_parser_out_of_memory(p);
}

/* The word in its place among all that take effect. */
static kt_status note_word(struct kt_parser *p, const char *text, unsigned effects)
{
	struct kt_word *slot = kt_arena_push(p->arena, &p->command->words, &p->command->word_count, sizeof *slot);

	NEED(slot, kt_parser_out_of_memory(p));
	*slot = (struct kt_word){text, effects, p->in_environment};
	return KT_OK;
}

/* Splits an option's value; an unterminated quote leaves the command to nvcc. */
static kt_status list(struct kt_parser *p, struct kt_words *out, const char *value, unsigned kind)
{
	TRY(kt_words_list(out, p->arena, value, kind, p->err));
	if (out->malformed)
		p->foreign = true;
	return KT_OK;
}

kt_status kt_parser_preprocess(struct kt_parser *p, enum kt_option_id id, const char *value)
{
	struct kt_command *c = p->command;

	switch (id) {
	case KT_OPTION_INCLUDE_PATH:
		return kt_parser_push(p, &c->include_dirs, &c->include_count, value);
	case KT_OPTION_SYSTEM_INCLUDE:
		return kt_parser_push(p, &c->system_include_dirs, &c->system_include_count, value);
	case KT_OPTION_PRE_INCLUDE:
		return kt_parser_push(p, &c->forced_includes, &c->forced_include_count, value);
	case KT_OPTION_DEFINE:
		return kt_parser_push(p, &c->definitions, &c->definition_count, kt_arena_printf(p->arena, "-D%s", value));
	case KT_OPTION_UNDEFINE:
		return kt_parser_push(p, &c->definitions, &c->definition_count, kt_arena_printf(p->arena, "-U%s", value));
	default:
		return KT_OK;
	}
}

static kt_status options_file(struct kt_parser *p, const char *path, size_t parent)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct stream stream = {.parent = parent};
	struct kt_words words;
	struct kt_error ignored;
	kt_status status;

	if (p->depth >= OPTIONS_FILE_DEPTH || p->command->options_file_count >= OPTIONS_FILE_MOST ||
	    kt_fs_read(&text, path, &ignored) != KT_OK) {
		p->foreign = true;
		kt_buf_free(&text);
		return KT_OK;
	}
	status = kt_parser_push(p, &p->command->options_files, &p->command->options_file_count, path);
	THEN(status, kt_words_options_file(&words, p->arena, kt_buf_text(&text), text.size, p->err));
	kt_buf_free(&text);
	if (status != KT_OK)
		return status;
	stream.count = words.count;
	stream.items = words.items;
	p->depth++;
	status = read_stream(p, &stream);
	p->depth--;
	return status;
}

static kt_status gencode(struct kt_parser *p, const char *value)
{
	bool understood = true;
	kt_status status = kt_architecture_add_gencode(p->command, p->arena, value, &understood, p->err);

	p->strange = p->strange || !understood;
	return status;
}

/* What one option with one value (NULL: takes none) does to the model. Lists arrive item by item. */
static kt_status apply_one(struct kt_parser *p, enum kt_option_id id, const char *value)
{
	struct kt_command *c = p->command;

	switch (id) {
	case KT_OPTION_OUTPUT:
		c->output = value;
		c->has_output = true;
		return KT_OK;
	case KT_OPTION_OUTPUT_DIRECTORY:
		p->output_directory = value;
		return KT_OK;
	case KT_OPTION_LANGUAGE:
		p->language = value;
		return KT_OK;
	case KT_OPTION_STANDARD:
		c->standard = value;
		return KT_OK;
	case KT_OPTION_DEVICE_DEBUG:
		c->device_debug = true;
		return KT_OK;
	case KT_OPTION_MD:
	case KT_OPTION_MMD:
		/* -MMD wins over -MD in either order. */
		c->system_dependencies = id == KT_OPTION_MD && (!c->wants_dependencies || c->system_dependencies);
		c->wants_dependencies = true;
		return KT_OK;
	case KT_OPTION_MP:
		c->phony_dependencies = true;
		return KT_OK;
	case KT_OPTION_MF:
		c->depfile = value;
		return KT_OK;
	case KT_OPTION_MT:
		c->dependency_target_count = 0;
		return kt_parser_push(p, &c->dependency_targets, &c->dependency_target_count, value);
	case KT_OPTION_ARCHITECTURE:
		p->architecture = value;
		return KT_OK;
	case KT_OPTION_GENCODE:
		return gencode(p, value);
	case KT_OPTION_FORWARD_COMPILER:
	case KT_OPTION_FORWARD_LINKER:
	case KT_OPTION_FORWARD_BOTH:
		p->forwards_unknown = true;
		return KT_OK;
	default:
		return kt_parser_preprocess(p, id, value);
	}
}

/* The same, with the macro that the option stands for. */
static kt_status apply(struct kt_parser *p, enum kt_option_id id, const char *value)
{
	const char *macro = kt_macro_of_option(id, value);
	TRY(apply_one(p, id, value));

	return macro == NULL ? KT_OK : kt_parser_push(p, &p->command->implied, &p->command->implied_count, macro);
}

/* nvcc takes the value of an option from the next word of the same source. */
static kt_status take_value(struct kt_parser *p, const char **value, struct stream *stream, enum kt_option_id id)
{
	unsigned effects = kt_option(id)->effects;

	if (*value != NULL)
		return KT_OK;
	if (stream->at >= stream->count) {
		p->foreign = true;
		return KT_OK;
	}
	if (stream->is_argv)
		mark(p, stream->first + stream->at, effects);
	*value = stream->items[stream->at++];
	return id != KT_OPTION_OPTIONS_FILE ? note_word(p, *value, effects) : KT_OK;
}

static kt_status apply_list(struct kt_parser *p, enum kt_option_id id, const char *value, size_t parent)
{
	struct kt_words items;
	kt_status status = list(p, &items, value, kt_option(id)->value & KT_VALUE_KIND);

	if (status == KT_OK && id == KT_OPTION_XCOMPILER)
		return kt_parser_host_items(p, &items);
	for (size_t i = 0; status == KT_OK && i < items.count; i++) {
		if (id == KT_OPTION_OPTIONS_FILE) {
			status = options_file(p, items.items[i], parent);
		} else if (id == KT_OPTION_GPU_CODE) {
			if (!kt_arena_push_text(p->arena, &p->codes.items, &p->codes.count, items.items[i]))
				return kt_parser_out_of_memory(p);
		} else {
			status = apply(p, id, items.items[i]);
		}
	}
	return status;
}

/* A word that nvcc does not know: with -forward-unknown-… it is the host compiler's. */
static kt_status unknown(struct kt_parser *p, const char *word, size_t parent)
{
	kt_status status = note_word(p, word, KT_EFFECT_HOST | KT_EFFECT_PREPROCESS);

	mark(p, parent, KT_EFFECT_HOST | KT_EFFECT_PREPROCESS);
	p->has_unknown = true;
	return status == KT_OK ? kt_parser_host_word(p, word) : status;
}

static const struct {
	enum kt_option_id id;
	enum kt_stage stage;
} stages[] = {
    {KT_OPTION_PTX, KT_STAGE_PTX},
    {KT_OPTION_CUBIN, KT_STAGE_CUBIN},
    {KT_OPTION_FATBIN, KT_STAGE_FATBIN},
};

/* -c and its relatives; a device-only stage wins over them in either order. */
static void set_stage(struct kt_parser *p, enum kt_option_id id)
{
	struct kt_command *c = p->command;

	if (c->stage == KT_STAGE_PROGRAM)
		c->stage = KT_STAGE_OBJECT;
	for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
		if (stages[i].id != id)
			continue;
		/* Of two of them nvcc takes one, by its rules. */
		p->foreign = p->foreign || (c->stage != KT_STAGE_OBJECT && c->stage != stages[i].stage);
		c->stage = stages[i].stage;
	}
}

/* What must be replaced in the command, or may have to go: out of the environment it cannot. */
static void stands_elsewhere(struct kt_parser *p, bool in_environment)
{
	p->strange = p->strange || in_environment;
	p->command->expands = p->command->expands || !in_environment;
}

/* What follows from the mere presence of an option. */
static void judge(struct kt_parser *p, enum kt_option_id id, bool is_argv)
{
	unsigned effects = kt_option(id)->effects;

	p->foreign = p->foreign || (effects & KT_EFFECT_STAGE) != 0;
	p->strange = p->strange || (effects & KT_EFFECT_SELECTION) != 0;
	if (effects & KT_EFFECT_OBJECT)
		set_stage(p, id);
	if (!is_argv && (effects & KT_EFFECT_DEPENDENCY || id == KT_OPTION_OUTPUT))
		stands_elsewhere(p, p->in_environment);
}

static kt_status option(struct kt_parser *p, struct stream *stream, const char *word, size_t parent)
{
	const char *value;
	enum kt_option_id id = kt_option_find(&value, word);
	unsigned kind;
	kt_status status = KT_OK;

	if (id == KT_OPTION_COUNT)
		return unknown(p, word, parent);
	kind = kt_option(id)->value & KT_VALUE_KIND;
	mark(p, parent, kt_option(id)->effects);
	judge(p, id, stream->is_argv);
	if (id != KT_OPTION_OPTIONS_FILE)
		status = note_word(p, word, kt_option(id)->effects);
	if (status != KT_OK || kind == KT_VALUE_NONE)
		return status == KT_OK ? apply(p, id, NULL) : status;
	status = take_value(p, &value, stream, id);
	if (status != KT_OK || value == NULL)
		return status;
	/* A -gencode value has commas inside it that a list does not split. */
	if (kind == KT_VALUE_ONE || id == KT_OPTION_GENCODE)
		return apply(p, id, value);
	return apply_list(p, id, value, parent);
}

kt_status kt_parser_input(struct kt_parser *p, const char *word, size_t index)
{
	const char **slot = kt_arena_push(p->arena, &p->inputs, &p->input_count, sizeof *slot);
	size_t *place = kt_arena_push(p->arena, &p->places, &p->place_count, sizeof *place);

	if (slot == NULL || place == NULL)
		return kt_parser_out_of_memory(p);
	*slot = word;
	*place = index;
	mark(p, index, KT_EFFECT_SOURCE);
	return note_word(p, word, KT_EFFECT_SOURCE);
}

void kt_parser_note_odd(struct kt_parser *p, const char *word)
{
	if (p->has_unknown && p->unknown_word == NULL)
		p->unknown_word = word;
	if (p->strange && p->strange_word == NULL)
		p->strange_word = word;
}

static kt_status read_stream(struct kt_parser *p, struct stream *stream)
{
	kt_status status = KT_OK;

	while (status == KT_OK && stream->at < stream->count) {
		size_t index = stream->is_argv ? stream->first + stream->at : stream->parent;
		const char *word = stream->items[stream->at++];

		if (word[0] == '-' && word[1] != '\0')
			status = option(p, stream, word, index);
		else if (stream->is_argv)
			status = kt_parser_input(p, word, index);
		else
			status = kt_parser_input(p, word, p->in_environment ? KT_PLACE_ENVIRONMENT : KT_PLACE_FILE);
		kt_parser_note_odd(p, word);
	}
	return status;
}

static kt_status read_environment(struct kt_parser *p, const char *name)
{
	const char *text = getenv(name);
	struct kt_words words;
	struct stream stream = {.parent = SIZE_MAX};
	kt_status status;

	if (text == NULL || text[0] == '\0')
		return KT_OK;
	p->command->uses_environment_flags = true;
	status = kt_words_environment(&words, p->arena, text, p->err);
	if (status != KT_OK)
		return status;
	p->foreign = p->foreign || words.malformed;
	stream.count = words.count;
	stream.items = words.items;
	/* A host option here and its value there: words that ktcc adds would come between them. */
	p->strange = p->strange || p->host_pending != NULL;
	p->in_environment = true;
	status = read_stream(p, &stream);
	p->in_environment = false;
	p->strange = p->strange || p->host_pending != NULL;
	return status;
}

static bool ends(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length > size && strcmp(text + length - size, end) == 0;
}

static bool ends_with_one(const char *text, size_t count, const char *const *endings)
{
	for (size_t i = 0; i < count; i++)
		if (ends(text, endings[i]))
			return true;
	return false;
}

/* Does nvcc compile this input as CUDA? Objects and libraries stay what they are under -x. */
static bool is_cuda(struct kt_parser *p, const char *input)
{
	static const char *const linked[] = {".o", ".a", ".so", ".obj", ".lib"};
	static const char *const others[] = {".c",   ".cc",  ".cpp", ".cxx",   ".i",      ".ii",
	                                     ".gpu", ".ptx", ".res", ".cubin", ".fatbin", ".ltoir"};

	if (input[0] == '\0' || ends_with_one(input, sizeof linked / sizeof *linked, linked))
		return false;
	if (p->language != NULL)
		return strcmp(p->language, p->command->is_clang ? "cuda" : "cu") == 0;
	/* nvcc knows nothing to do with any other file. */
	p->foreign = p->foreign || (!ends(input, ".cu") && !ends_with_one(input, sizeof others / sizeof *others, others));
	return ends(input, ".cu");
}

static kt_status find_inputs(struct kt_parser *p)
{
	struct kt_command *c = p->command;
	kt_status status = KT_OK;

	for (size_t i = 0; i < p->input_count && status == KT_OK; i++) {
		if (!is_cuda(p, p->inputs[i]))
			continue;
		status = kt_parser_push(p, &c->inputs, &c->input_count, p->inputs[i]);
		c->input = p->inputs[i];
		c->input_index = p->places[i];
		if (p->places[i] >= KT_PLACE_FILE)
			stands_elsewhere(p, p->places[i] == KT_PLACE_ENVIRONMENT);
	}
	return status;
}

static void decide(struct kt_parser *p)
{
	struct kt_command *c = p->command;

	if (p->foreign || c->input_count == 0 || (c->has_output && c->output[0] == '\0') ||
	    (p->input_count > 1 && c->stage != KT_STAGE_PROGRAM && c->has_output))
		c->decline = KT_REASON_NOT_OURS;
	else if (strcmp(c->input, "-") == 0)
		c->decline = KT_REASON_STDIN;
	else if (p->has_unknown && !p->forwards_unknown) {
		c->decline = KT_REASON_UNKNOWN_OPTION;
		c->odd_word = p->unknown_word;
	}
	/* A depfile of several inputs, and one that a link writes, are nvcc's business. */
	else if (c->input_count > 1 || (p->input_count > 1 && (c->stage != KT_STAGE_PROGRAM || c->wants_dependencies)))
		c->decline = KT_REASON_SEVERAL_INPUTS;
	else if (p->strange || p->host_pending != NULL) {
		c->decline = KT_REASON_UNKNOWN_OPTION;
		c->odd_word = p->strange_word;
	} else if (c->device_debug)
		c->decline = KT_REASON_DEBUG;
	/* clang's own default has no entry. */
	else if (c->is_clang && c->gencode_count == 0)
		c->decline = KT_REASON_ARCHITECTURE;
}

static kt_status working_directory(struct kt_parser *p)
{
	char *directory = getcwd(NULL, 0);

	if (directory == NULL) {
		p->foreign = true;
		p->command->directory = "/";
		return KT_OK;
	}
	p->command->directory = kt_arena_strdup(p->arena, directory);
	free(directory);
	return p->command->directory == NULL ? kt_parser_out_of_memory(p) : KT_OK;
}

static kt_status read_command(struct kt_parser *p, int argc, char **argv)
{
	struct kt_command *c = p->command;
	struct stream stream = {.is_argv = true};
	bool understood = true;
	kt_status status;

	c->argc = (size_t)argc;
	c->argv = kt_arena_array(p->arena, c->argc + 1, sizeof *c->argv);
	c->word_effects = kt_arena_array(p->arena, c->argc + 1, sizeof *c->word_effects);
	if (c->argv == NULL || c->word_effects == NULL)
		return kt_parser_out_of_memory(p);
	for (size_t i = 0; i < c->argc; i++)
		c->argv[i] = argv[i];
	status = working_directory(p);
	if (status != KT_OK)
		return status;
	kt_parser_find_compiler(p);
	if (p->foreign)
		return KT_OK;
	if (c->is_clang) {
		status = kt_parser_read_clang(p);
		goto read;
	}
	stream.first = c->compiler_words;
	stream.count = c->argc - c->compiler_words;
	stream.items = c->argv + c->compiler_words;
	status = read_environment(p, "NVCC_PREPEND_FLAGS");
	/* Searched before the folders that stand for the source's own in an emission. */
	p->strange = p->strange || c->quote_include_count != 0;
	THEN(status, read_stream(p, &stream));
	THEN(status, read_environment(p, "NVCC_APPEND_FLAGS"));
	THEN(status, kt_architecture_add(c, p->arena, p->architecture, p->codes.count, p->codes.items, &understood,
	                                 p->err));
	p->strange = p->strange || !understood;
read:
	c->depfile_given = c->depfile != NULL;
	c->target_given = c->dependency_target_count != 0;
	THEN(status, find_inputs(p));
	return status == KT_OK && c->input_count == 1 ? kt_parser_derive_names(p) : status;
}

kt_status kt_command_parse(struct kt_command **out, struct kt_arena *arena, int argc, char **argv,
                           struct kt_error *err)
{
	struct kt_parser p = {.arena = arena, .err = err};

	NEED(p.command = kt_arena_alloc(arena, sizeof *p.command), kt_parser_out_of_memory(&p));
	p.command->stage = KT_STAGE_PROGRAM;
	TRY(read_command(&p, argc < 0 ? 0 : argc, argv));
	decide(&p);
	*out = p.command;
	return KT_OK;
}
