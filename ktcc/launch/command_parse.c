#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "launch/architecture.h"
#include "launch/command.h"
#include "launch/options.h"
#include "launch/words.h"

#define OPTIONS_FILE_DEPTH 16 /* nested --options-file; nvcc itself refuses a file inside itself */
#define OPTIONS_FILE_MOST 1024

struct parser {
	struct kt_command *command;
	struct kt_arena *arena;
	struct kt_error *err;
	const char *language;         /* -x */
	const char *output_directory; /* -odir */
	const char *architecture;     /* -arch */
	struct kt_words codes;        /* -code */
	size_t input_count;
	unsigned depth;               /* of options files */
	unsigned origin;              /* KT_EFFECT_ENVIRONMENT, or 0 */
	bool forwards_unknown, has_unknown;
	bool foreign;                 /* declines with NOT_OURS: nvcc does or says what is right */
	bool strange;                 /* declines with UNKNOWN_OPTION */
	enum kt_option_id host_pending; /* the value of a host option that is the next item; KT_OPTION_COUNT: none */
	bool host_quote_pending;        /* the same for -iquote */
};

/* The words of one source, read one after another; index is into argv, or argv's word that named the file. */
struct stream {
	size_t count, at;
	char *const *items;
	bool is_argv;
	size_t first; /* is_argv: index into argv of items[0] */
	size_t parent;/* otherwise: the word of argv that these words hang on; SIZE_MAX: none */
};

static kt_status read_stream(struct parser *p, struct stream *stream);

static kt_status out_of_memory(struct parser *p)
{
	return kt_fail(p->err, KT_ERR_MEMORY, "out of memory for the command line");
}

static void mark(struct parser *p, size_t word, unsigned effects)
{
	if (word < p->command->argc)
		p->command->word_effects[word] |= effects;
}

static kt_status push(struct parser *p, const char ***items, size_t *count, const char *text)
{
	const char **slot = kt_arena_push(p->arena, items, count, sizeof *slot);

	if (slot == NULL || text == NULL)
		return out_of_memory(p);
	*slot = text;
	return KT_OK;
}

/* Splits an option's value; an unterminated quote leaves the command to nvcc. */
static kt_status list(struct parser *p, struct kt_words *out, const char *value, unsigned kind)
{
	kt_status status = kt_words_list(out, p->arena, value, kind, p->err);

	if (status == KT_OK && out->malformed)
		p->foreign = true;
	return status;
}

/* What -I, -isystem, -include, -D and -U do, with their values already split. */
static kt_status preprocess(struct parser *p, enum kt_option_id id, const char *value)
{
	struct kt_command *c = p->command;

	switch (id) {
	case KT_OPTION_INCLUDE_PATH:
		return push(p, &c->include_dirs, &c->include_count, value);
	case KT_OPTION_SYSTEM_INCLUDE:
		return push(p, &c->system_include_dirs, &c->system_include_count, value);
	case KT_OPTION_PRE_INCLUDE:
		return push(p, &c->forced_includes, &c->forced_include_count, value);
	case KT_OPTION_DEFINE:
		return push(p, &c->definitions, &c->definition_count, kt_arena_printf(p->arena, "-D%s", value));
	case KT_OPTION_UNDEFINE:
		return push(p, &c->definitions, &c->definition_count, kt_arena_printf(p->arena, "-U%s", value));
	default:
		return KT_OK;
	}
}

/* Options of the host compiler that bear on what ktcc decides; joined or with the value as the next item. */
static const struct {
	const char *name;
	enum kt_option_id as; /* nvcc's option that does the same; KT_OPTION_COUNT: -iquote */
} host_options[] = {
    {"-isystem", KT_OPTION_SYSTEM_INCLUDE}, {"-include", KT_OPTION_PRE_INCLUDE}, {"-iquote", KT_OPTION_COUNT},
    {"-I", KT_OPTION_INCLUDE_PATH},         {"-D", KT_OPTION_DEFINE},            {"-U", KT_OPTION_UNDEFINE},
};

/* Host options that make something else than an object, or read what ktcc does not see. */
static const char *const host_refusals[] = {"-S", "-E", "-M", "-fsyntax-only", "-imacros", "-I-", "-include-pch", "@"};

static kt_status host_value(struct parser *p, enum kt_option_id as, const char *value)
{
	if (as == KT_OPTION_COUNT)
		return push(p, &p->command->quote_include_dirs, &p->command->quote_include_count, value);
	return preprocess(p, as, value);
}

static bool starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* One word that the host compiler gets. */
static kt_status host_word(struct parser *p, const char *word)
{
	if (p->host_pending != KT_OPTION_COUNT || p->host_quote_pending) {
		enum kt_option_id as = p->host_pending;

		p->host_pending = KT_OPTION_COUNT;
		p->host_quote_pending = false;
		return host_value(p, as, word);
	}
	for (size_t i = 0; i < sizeof host_refusals / sizeof *host_refusals; i++)
		if (starts(word, host_refusals[i]))
			p->strange = true;
	if (starts(word, "-Werror"))
		p->command->werror = true;
	for (size_t i = 0; i < sizeof host_options / sizeof *host_options; i++) {
		const char *value = word + strlen(host_options[i].name);

		if (!starts(word, host_options[i].name))
			continue;
		if (*value != '\0')
			return host_value(p, host_options[i].as, value);
		p->host_pending = host_options[i].as;
		p->host_quote_pending = p->host_pending == KT_OPTION_COUNT;
		return KT_OK;
	}
	return KT_OK;
}

/* The shell that nvcc starts splits an item again. */
static kt_status host_items(struct parser *p, const struct kt_words *items)
{
	kt_status status = KT_OK;

	for (size_t i = 0; i < items->count && status == KT_OK; i++) {
		struct kt_words words;

		status = kt_words_shell(&words, p->arena, items->items[i], p->err);
		for (size_t k = 0; status == KT_OK && k < words.count; k++)
			status = host_word(p, words.items[k]);
	}
	return status;
}

static kt_status options_file(struct parser *p, const char *path, size_t parent)
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
	status = push(p, &p->command->options_files, &p->command->options_file_count, path);
	if (status == KT_OK)
		status = kt_words_options_file(&words, p->arena, kt_buf_text(&text), text.size, p->err);
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

static kt_status gencode(struct parser *p, const char *value)
{
	bool understood = true;
	kt_status status = kt_architecture_add_gencode(p->command, p->arena, value, &understood, p->err);

	p->strange = p->strange || !understood;
	return status;
}

/* What one option with one value (NULL: takes none) does to the model. Lists arrive item by item. */
static kt_status apply_one(struct parser *p, enum kt_option_id id, const char *value)
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
	case KT_OPTION_WERROR:
		c->werror = true;
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
		return push(p, &c->dependency_targets, &c->dependency_target_count, value);
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
		return preprocess(p, id, value);
	}
}

/* nvcc takes the value of an option from the next word of the same source. */
static const char *take_value(struct parser *p, struct stream *stream, unsigned effects)
{
	if (stream->at >= stream->count)
		return NULL;
	if (stream->is_argv)
		mark(p, stream->first + stream->at, effects);
	return stream->items[stream->at++];
}

static kt_status apply_list(struct parser *p, enum kt_option_id id, const char *value, size_t parent)
{
	struct kt_words items;
	kt_status status = list(p, &items, value, kt_option(id)->value & KT_VALUE_KIND);

	if (status == KT_OK && id == KT_OPTION_XCOMPILER)
		return host_items(p, &items);
	for (size_t i = 0; status == KT_OK && i < items.count; i++) {
		if (id == KT_OPTION_OPTIONS_FILE) {
			status = options_file(p, items.items[i], parent);
		} else if (id == KT_OPTION_GPU_CODE) {
			char **slot = kt_arena_push(p->arena, &p->codes.items, &p->codes.count, sizeof *slot);

			if (slot == NULL)
				return out_of_memory(p);
			*slot = items.items[i];
		} else {
			status = apply_one(p, id, items.items[i]);
		}
	}
	return status;
}

/* What cannot be taken out of, or replaced in, a command when it does not stand in argv itself. */
#define MUST_STAND_IN_ARGV (KT_EFFECT_SOURCE | KT_EFFECT_DEPENDENCY)

static kt_status unknown(struct parser *p, const char *word)
{
	p->has_unknown = true;
	return host_word(p, word);
}

static kt_status option(struct parser *p, struct stream *stream, const char *word, size_t parent)
{
	const char *value;
	enum kt_option_id id = kt_option_find(&value, word);
	const struct kt_option *row;
	unsigned kind;

	if (id == KT_OPTION_COUNT) {
		mark(p, parent, KT_EFFECT_HOST | KT_EFFECT_PREPROCESS);
		return unknown(p, word);
	}
	row = kt_option(id);
	kind = row->value & KT_VALUE_KIND;
	mark(p, parent, row->effects);
	if (row->effects & KT_EFFECT_STAGE)
		p->foreign = true;
	if (row->effects & KT_EFFECT_OBJECT)
		p->command->compiles_object = true;
	if (row->effects & KT_EFFECT_SELECTION)
		p->strange = true;
	if (!stream->is_argv && (row->effects & MUST_STAND_IN_ARGV || id == KT_OPTION_OUTPUT))
		p->strange = true;
	if (kind == KT_VALUE_NONE)
		return apply_one(p, id, NULL);
	if (value == NULL)
		value = take_value(p, stream, row->effects);
	if (value == NULL) {
		p->foreign = true;
		return KT_OK;
	}
	/* A -gencode value has commas inside it that a list does not split. */
	if (kind == KT_VALUE_ONE || id == KT_OPTION_GENCODE)
		return apply_one(p, id, value);
	return apply_list(p, id, value, parent);
}

static kt_status read_stream(struct parser *p, struct stream *stream)
{
	kt_status status = KT_OK;

	while (status == KT_OK && stream->at < stream->count) {
		size_t index = stream->is_argv ? stream->first + stream->at : stream->parent;
		const char *word = stream->items[stream->at++];

		if (word[0] == '-' && word[1] != '\0') {
			status = option(p, stream, word, index);
			continue;
		}
		p->input_count++;
		p->command->input = word;
		if (stream->is_argv) {
			p->command->input_index = index;
			mark(p, index, KT_EFFECT_SOURCE);
		} else {
			p->strange = true;
		}
	}
	return status;
}

static kt_status read_environment(struct parser *p, const char *name)
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
	return read_stream(p, &stream);
}

/* Programs that run the compiler named behind them. */
static const char *const launchers[] = {"ccache",      "sccache", "distcc",    "pump",  "icecc",
                                        "buildcache",  "cachepot", "fastbuild", "nice",  "time"};

static bool is_launcher(const char *word)
{
	const char *name = kt_path_basename(word);

	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
		if (strcmp(name, launchers[i]) == 0)
			return true;
	return false;
}

/* "nvcc", "nvcc.exe", "nvcc-13.0"; "nvcc_wrapper" reads other options. */
static bool is_nvcc(const char *word)
{
	const char *name = kt_path_basename(word);

	return starts(name, "nvcc") && strchr(".-0123456789", name[4]) != NULL;
}

static void find_compiler(struct parser *p)
{
	struct kt_command *c = p->command;
	size_t words = 0;

	c->compiler_words = 1;
	if (c->argc == 0) {
		p->foreign = true;
		return;
	}
	c->compiler = kt_path_find_program(p->arena, c->argv[0]);
	while (words + 1 < c->argc && is_launcher(c->argv[words]))
		words++;
	if (!is_nvcc(c->argv[words])) {
		p->foreign = true;
		return;
	}
	c->compiler_words = words + 1;
	c->nvcc = words == 0 ? c->compiler : kt_path_find_program(p->arena, c->argv[words]);
}

/* Without its last suffix: "a/k.cu.o" → "a/k.cu". */
static size_t stem_length(const char *path)
{
	const char *name = kt_path_basename(path), *dot = strrchr(name, '.');

	return dot == NULL || dot == name ? strlen(path) : (size_t)(dot - path);
}

static kt_status derive_names(struct parser *p)
{
	struct kt_command *c = p->command;
	const char *object;

	if (!c->has_output) {
		const char *name = kt_path_basename(c->input);

		object = kt_arena_printf(p->arena, "%.*s.o", (int)stem_length(name), name);
		c->output = object != NULL && p->output_directory != NULL
		                ? kt_path_join(p->arena, p->output_directory, object)
		                : object;
		object = c->output;
	} else {
		object = p->output_directory != NULL ? kt_path_join(p->arena, p->output_directory, c->output) : c->output;
	}
	if (c->output == NULL || object == NULL)
		return out_of_memory(p);
	if (!c->wants_dependencies)
		return KT_OK;
	if (c->depfile == NULL)
		c->depfile = kt_arena_printf(p->arena, "%.*s.d", (int)stem_length(c->output), c->output);
	if (c->depfile == NULL)
		return out_of_memory(p);
	return c->dependency_target_count > 0 ? KT_OK
	                                      : push(p, &c->dependency_targets, &c->dependency_target_count, object);
}

static bool input_is_cuda(const struct parser *p)
{
	const char *input = p->command->input;
	size_t length = input == NULL ? 0 : strlen(input);

	if (p->input_count != 1 || length == 0 || strcmp(input, "-") == 0)
		return false;
	if (p->language != NULL)
		return strcmp(p->language, "cu") == 0;
	return length > 3 && strcmp(input + length - 3, ".cu") == 0;
}

static void decide(struct parser *p)
{
	struct kt_command *c = p->command;

	if (p->has_unknown && !p->forwards_unknown)
		p->strange = true;
	if (p->foreign || !c->compiles_object || !input_is_cuda(p) || (c->has_output && c->output[0] == '\0'))
		c->decline = KT_REASON_NOT_OURS;
	else if (p->strange)
		c->decline = KT_REASON_UNKNOWN_OPTION;
	else if (c->device_debug)
		c->decline = KT_REASON_DEBUG;
}

static kt_status working_directory(struct parser *p)
{
	char *directory = getcwd(NULL, 0);

	if (directory == NULL) {
		p->foreign = true;
		p->command->directory = "/";
		return KT_OK;
	}
	p->command->directory = kt_arena_strdup(p->arena, directory);
	free(directory);
	return p->command->directory == NULL ? out_of_memory(p) : KT_OK;
}

static kt_status read_command(struct parser *p, int argc, char **argv)
{
	struct kt_command *c = p->command;
	struct stream stream = {.is_argv = true};
	bool understood = true;
	kt_status status;

	c->argc = (size_t)argc;
	c->argv = kt_arena_array(p->arena, c->argc + 1, sizeof *c->argv);
	c->word_effects = kt_arena_array(p->arena, c->argc + 1, sizeof *c->word_effects);
	if (c->argv == NULL || c->word_effects == NULL)
		return out_of_memory(p);
	for (size_t i = 0; i < c->argc; i++)
		c->argv[i] = argv[i];
	status = working_directory(p);
	if (status != KT_OK)
		return status;
	find_compiler(p);
	if (p->foreign)
		return KT_OK;
	stream.first = c->compiler_words;
	stream.count = c->argc - c->compiler_words;
	stream.items = c->argv + c->compiler_words;
	status = read_environment(p, "NVCC_PREPEND_FLAGS");
	if (status == KT_OK)
		status = read_stream(p, &stream);
	if (status == KT_OK)
		status = read_environment(p, "NVCC_APPEND_FLAGS");
	if (status == KT_OK)
		status = kt_architecture_add(c, p->arena, p->architecture, p->codes.count, p->codes.items, &understood,
		                             p->err);
	p->strange = p->strange || !understood;
	if (status == KT_OK && input_is_cuda(p))
		status = derive_names(p);
	return status;
}

kt_status kt_command_parse(struct kt_command **out, struct kt_arena *arena, int argc, char **argv,
                           struct kt_error *err)
{
	struct parser p = {.arena = arena, .err = err, .host_pending = KT_OPTION_COUNT};
	kt_status status;

	p.command = kt_arena_alloc(arena, sizeof *p.command);
	if (p.command == NULL)
		return out_of_memory(&p);
	status = read_command(&p, argc < 0 ? 0 : argc, argv);
	if (status != KT_OK)
		return status;
	decide(&p);
	*out = p.command;
	return KT_OK;
}
