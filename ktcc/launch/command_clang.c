/* clang as the CUDA compiler: the options that ktcc must understand. The rest is the host compiler's table. */
#include <string.h>

#include "launch/architecture.h"
#include "launch/parser.h"

enum what {
	COMPILE,
	ASSEMBLY,    /* -S: PTX, where only device code is made */
	DEVICE_ONLY,
	OUTPUT,
	LANGUAGE,
	STANDARD,
	TARGETS,     /* --cuda-gpu-arch= */
	TOOLKIT,
	DEPENDENCIES,
	USER_DEPENDENCIES,
	PHONY,
	DEPFILE,
	TARGET_NAME,
	DEVICE_DEBUG,
	ALSO_LIBCLANG, /* changes how the source is read */
	VALUE,       /* takes a value that has no effect here */
	ELSEWHERE,   /* makes something else: not ours */
	UNKNOWN,
};

enum form { FLAG, EITHER, NEXT, PREFIX };

/* The first row that fits counts: a longer name comes before its prefixes. */
static const struct row {
	const char *name;
	enum form form;
	enum what what;
} rows[] = {
    {"-###", FLAG, ELSEWHERE},
    {"--analyze", FLAG, ELSEWHERE},
    {"--config", PREFIX, UNKNOWN},
    {"--cuda-device-only", FLAG, DEVICE_ONLY},
    {"--cuda-gpu-arch=", PREFIX, TARGETS},
    {"--cuda-noopt-device-debug", FLAG, DEVICE_DEBUG},
    {"--cuda-path=", PREFIX, TOOLKIT},
    {"--no-cuda-gpu-arch=", PREFIX, UNKNOWN},
    {"--no-offload-arch=", PREFIX, UNKNOWN},
    {"--offload-arch=", PREFIX, TARGETS},
    {"--offload-device-only", FLAG, DEVICE_ONLY},
    {"--version", FLAG, ELSEWHERE},
    {"-E", FLAG, ELSEWHERE},
    {"-MD", FLAG, DEPENDENCIES},
    {"-MF", EITHER, DEPFILE},
    {"-MMD", FLAG, USER_DEPENDENCIES},
    {"-MP", FLAG, PHONY},
    {"-MT", EITHER, TARGET_NAME},
    {"-M", PREFIX, UNKNOWN},
    {"-S", FLAG, ASSEMBLY},
    {"-Xarch_", PREFIX, UNKNOWN},
    {"-Xcuda-fatbinary", NEXT, VALUE},
    {"-Xcuda-ptxas", NEXT, VALUE},
    {"-Xopenmp-target", PREFIX, UNKNOWN},
    {"-c", FLAG, COMPILE},
    {"-emit-ast", FLAG, ELSEWHERE},
    {"-emit-llvm", FLAG, ELSEWHERE},
    {"-fcuda-rdc", FLAG, ALSO_LIBCLANG},
    {"-fgpu-default-stream=", PREFIX, ALSO_LIBCLANG},
    {"-fgpu-rdc", FLAG, ALSO_LIBCLANG},
    {"-fsyntax-only", FLAG, ELSEWHERE},
    {"-o", EITHER, OUTPUT},
    {"-std=", PREFIX, STANDARD},
    {"-x", EITHER, LANGUAGE},
};

static const struct row *find(const char *word)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool exact = rows[i].form == FLAG || rows[i].form == NEXT;

		if (exact ? strcmp(rows[i].name, word) == 0 : strncmp(rows[i].name, word, strlen(rows[i].name)) == 0)
			return &rows[i];
	}
	return NULL;
}

/* "sm_80,sm_90a": clang adds the PTX of each. */
static kt_status add_targets(struct kt_parser *p, const char *list)
{
	while (*list != '\0') {
		size_t length = strcspn(list, ",");
		struct kt_gencode code, *slot;

		if (!kt_architecture_read(&code, list, length) || !code.real) {
			/* "native", "all" and what later versions know. */
			p->strange = true;
			return KT_OK;
		}
		code.virtual_ = true;
		NEED(slot = kt_arena_push(p->arena, &p->command->gencodes, &p->command->gencode_count, sizeof *slot),
		     kt_parser_out_of_memory(p));
		*slot = code;
		list += length + (list[length] == ',');
	}
	return KT_OK;
}

static kt_status also_libclang(struct kt_parser *p, const char *word)
{
	return kt_parser_push(p, &p->command->host_arguments, &p->command->host_argument_count, word);
}

static kt_status apply(struct kt_parser *p, enum what what, const char *word, const char *value)
{
	struct kt_command *c = p->command;

	switch (what) {
	case COMPILE:
		c->stage = c->stage == KT_STAGE_PROGRAM ? KT_STAGE_OBJECT : c->stage;
		return KT_OK;
	case ASSEMBLY:
		c->stage = KT_STAGE_PTX;
		return KT_OK;
	case DEVICE_ONLY:
		c->device_only = true;
		return KT_OK;
	case OUTPUT:
		c->output = value;
		c->has_output = true;
		return KT_OK;
	case LANGUAGE:
		p->language = value;
		return KT_OK;
	case STANDARD:
		c->standard = strncmp(value, "gnu", 3) == 0 ? kt_arena_printf(p->arena, "c%s", value + 3) : value;
		return c->standard != NULL ? also_libclang(p, word) : kt_parser_out_of_memory(p);
	case TARGETS:
		return add_targets(p, value);
	case TOOLKIT:
		c->cuda_path = value;
		return KT_OK;
	case DEPENDENCIES:
	case USER_DEPENDENCIES:
		/* The last of them counts. */
		c->system_dependencies = what == DEPENDENCIES;
		c->wants_dependencies = true;
		return KT_OK;
	case PHONY:
		c->phony_dependencies = true;
		return KT_OK;
	case DEPFILE:
		c->depfile = value;
		return KT_OK;
	case TARGET_NAME:
		return kt_parser_push(p, &c->dependency_targets, &c->dependency_target_count, value);
	case DEVICE_DEBUG:
		c->device_debug = true;
		return KT_OK;
	case ALSO_LIBCLANG:
		return also_libclang(p, word);
	case ELSEWHERE:
		p->foreign = true;
		return KT_OK;
	case UNKNOWN:
		p->strange = true;
		return KT_OK;
	case VALUE:
		break;
	}
	return KT_OK;
}

static void mark(struct kt_parser *p, size_t index, enum what what)
{
	if (what >= DEPENDENCIES && what <= TARGET_NAME)
		p->command->word_effects[index] |= KT_EFFECT_DEPENDENCY;
}

static kt_status option(struct kt_parser *p, size_t *at)
{
	struct kt_command *c = p->command;
	const char *word = c->argv[*at], *value;
	const struct row *row = p->host_pending == NULL ? find(word) : NULL;

	if (row == NULL)
		return kt_parser_host_word(p, word);
	value = word + strlen(row->name);
	mark(p, *at, row->what);
	if (row->form == NEXT || (row->form == EITHER && *value == '\0')) {
		if (*at + 1 >= c->argc) {
			p->foreign = true;
			return KT_OK;
		}
		value = c->argv[++*at];
		mark(p, *at, row->what);
	}
	return apply(p, row->what, word, value);
}

kt_status kt_parser_read_clang(struct kt_parser *p)
{
	struct kt_command *c = p->command;
	kt_status status = KT_OK;

	p->forwards_unknown = true;
	for (size_t i = c->compiler_words; i < c->argc && status == KT_OK; i++) {
		const char *word = c->argv[i];

		if (p->host_pending != NULL || (word[0] == '-' && word[1] != '\0'))
			status = option(p, &i);
		else
			status = kt_parser_input(p, word, i);
		kt_parser_note_odd(p, word);
	}
	/* Device code alone is a cubin for one architecture; names of several are clang's own. */
	if (c->device_only && (!c->has_output || c->gencode_count != 1))
		p->foreign = true;
	if (c->stage == KT_STAGE_PTX && !c->device_only)
		p->foreign = true;
	if (c->stage == KT_STAGE_PROGRAM && c->wants_dependencies)
		p->strange = true;
	return status;
}
