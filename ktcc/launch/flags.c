#include "launch/flags.h"

#include <stdlib.h>
#include <string.h>

#include "base/opencl_options.h"
#include "launch/options.h"

/* Effects by which PTX can change: macros are read by device code, and -rdc defines some. */
#define BEARS_ON_CODE (KT_EFFECT_CODE | KT_EFFECT_PREPROCESS | KT_EFFECT_RELOCATION)

/* Of a value that names a place nothing is kept but the macro: "-DROOT=/a/b" → "-DROOT". */
static void add_piece(struct kt_buf *out, const char *name, const char *piece, size_t length)
{
	const char *equals = memchr(piece, '=', length);

	if (memchr(piece, '/', length) != NULL) {
		if (equals == NULL || memchr(piece, '/', (size_t)(equals - piece)) != NULL)
			return;
		length = (size_t)(equals - piece);
	}
	/* Warnings change no code; "-Wp,…" does. */
	if (length > 2 && piece[0] == '-' && piece[1] == 'W' && piece[2] != 'p')
		return;
	kt_buf_addf(out, "%s=%.*s\n", name, (int)length, piece);
}

static void add_value(struct kt_buf *out, const struct kt_option *option, const char *value)
{
	const bool is_list = (option->value & KT_VALUE_KIND) == KT_VALUE_LIST;

	if (!is_list) {
		kt_buf_addf(out, "%s=%s\n", option->long_name, value);
		return;
	}
	for (const char *at = value;; at++) {
		const size_t length = strcspn(at, ",");

		add_piece(out, option->long_name, at, length);
		at += length;
		if (*at == '\0')
			return;
	}
}

/* What names places: the scan reads what is there. */
static bool is_by_content(const struct kt_option *option)
{
	return (option->value & KT_VALUE_KIND) == KT_VALUE_PATHS;
}

/* Items of ptxas that only make messages. */
static bool is_silent(const char *item, size_t length)
{
	static const char *const words[] = {
	    "-v", "--verbose", "-w", "--disable-warnings", "-Werror", "--warning-as-error", "-warn-spills",
	    "--warn-on-spills", "-warn-lmem-usage", "--warn-on-local-memory-usage", "-warn-double-usage",
	    "--warn-on-double-precision-use",
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == length && memcmp(words[i], item, length) == 0)
			return true;
	return length == 0;
}

/* An entry holds these as text: a blank between two. */
static void add_assembler(struct kt_buf *out, const struct kt_option *option, const char *value)
{
	for (const char *at = value;; at++) {
		const size_t length = strcspn(at, ",");

		if (!is_silent(at, length))
			kt_buf_addf(out, "%s%s=%.*s", out->size != 0 ? " " : "", option->long_name, (int)length, at);
		at += length;
		if (*at == '\0')
			return;
	}
}

/* Of a header there the scan knows nothing but that it is the system's. */
static bool is_installed(const char *folder)
{
	return strncmp(folder, "/usr/", 5) == 0;
}

static void add_option(struct kt_buf *code, struct kt_buf *assembler, const struct kt_option *option, const char *value)
{
	if (option == kt_option(KT_OPTION_SYSTEM_INCLUDE) && is_installed(value))
		kt_buf_addf(code, "%s=%s\n", option->long_name, value);
	else if ((option->effects & BEARS_ON_CODE) != 0 && !is_by_content(option))
		add_value(code, option, value);
	if ((option->effects & KT_EFFECT_ASSEMBLE) != 0)
		add_assembler(assembler, option, value);
}

/* Appends one word, with the next one where that is its value; true: it is. */
static bool add_word(struct kt_buf *code, struct kt_buf *assembler, const char *word, const char *next)
{
	const char *value = NULL;
	const enum kt_option_id id = word[0] == '-' ? kt_option_find(&value, word) : KT_OPTION_COUNT;
	bool taken = false;

	if (word[0] != '-')
		return false;
	if (id == KT_OPTION_COUNT) {
		/* It goes to the host compiler, which preprocesses device code as well. */
		add_piece(code, "host", word, strlen(word));
		return false;
	}
	const struct kt_option *option = kt_option(id);

	if (value == NULL && (option->value & KT_VALUE_KIND) != KT_VALUE_NONE && next != NULL) {
		value = next;
		taken = true;
	}
	add_option(code, assembler, option, value != NULL ? value : "");
	return taken;
}

/* Variables by which nvcc, or the host compiler that it preprocesses with, takes other programs, options or headers. */
static void add_environment(struct kt_buf *code)
{
	static const char *const names[] = {"NVCC_CCBIN", "NVVMIR_LIBRARY_DIR", "GCC_EXEC_PREFIX", "COMPILER_PATH"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);

		if (value != NULL && value[0] != '\0')
			kt_buf_addf(code, "%s=%s\n", names[i], value);
	}
}

void kt_flags_add(struct kt_buf *code, struct kt_buf *assembler, const struct kt_command *command)
{
	if (command->is_clang) {
		/* What nvcc would be given: places are by content, and what stays is this. */
		for (size_t i = 0; i < command->definition_count; i++)
			(void)add_word(code, assembler, command->definitions[i], NULL);
		if (command->standard != NULL)
			kt_buf_addf(code, "std=%s\n", command->standard);
		return;
	}
	for (size_t i = 0; i < command->word_count; i++)
		i += add_word(code, assembler, command->words[i].text,
		              i + 1 < command->word_count ? command->words[i + 1].text : NULL);
	add_environment(code);
}

void kt_flags_add_opencl(struct kt_buf *code, int count, char *const *words)
{
	for (int i = 0; i < count; i++) {
		const struct kt_opencl_option option = kt_opencl_option(words[i]);

		if (option.bearing == KT_OPENCL_CODE)
			kt_buf_addf(code, "%s\n", words[i]);
		if (option.takes_next && ++i < count && option.bearing == KT_OPENCL_CODE)
			kt_buf_addf(code, "%s\n", words[i]);
	}
}
