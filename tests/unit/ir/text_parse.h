/*
 * The text form of the IR (docs/ir.md), read. Printing and parsing are inverse: what was printed parses to a module that
 * prints the same text. Its two halves: text_parse.c (statements and above), text_parse_value.c (types, values, places).
 */
#ifndef KT_IR_TEXT_PARSE_H
#define KT_IR_TEXT_PARSE_H

#include "generation/ir/text.h"

/* Ceilings of what is read. */
#define KT_IR_TEXT_BYTES ((size_t)4 << 20)
enum { KT_IR_TEXT_DEPTH = 200 };

/*
 * Reads a module. KT_ERR_SYNTAX with "line N: …" where the text does not follow the form; KT_ERR_INVALID where types do not
 * fit. The module is not verified (kt_ir_verify).
 */
kt_status kt_ir_parse(struct kt_ir_module **module, struct kt_arena *arena, const char *text, struct kt_error *err)
    KT_MUST_CHECK;

/* A name of the text and its symbol. */
struct kt_ir_named {
	const char *name;
	struct kt_ir_symbol *symbol;
};

struct kt_ir_reader {
	struct kt_ir_module *module;
	const char *text, *at;
	struct kt_ir_function *function; /* whose body is read */
	struct kt_ir_named *names;       /* globals, then those of the function */
	size_t name_count, global_count;
	int depth;
	bool failed;
	struct kt_error *err;
};

/* Sets the first error, "line N: …". Returns false. */
bool kt_ir_syntax(struct kt_ir_reader *reader, const char *format, ...) KT_PRINTF(2, 3);
/* Skips blanks (not ends of lines) and comments. */
void kt_ir_blanks(struct kt_ir_reader *reader);
/* Takes this text where it is next, behind blanks; words end where they end. */
bool kt_ir_take(struct kt_ir_reader *reader, const char *text);
/* As kt_ir_take, but its absence is an error. */
bool kt_ir_expect(struct kt_ir_reader *reader, const char *text);
/* A word of letters, digits and '_', in the arena; NULL, and an error, where there is none. */
const char *kt_ir_word(struct kt_ir_reader *reader);
/* The index of the next word in the list, which it takes; -1, nothing taken: none of them. */
int kt_ir_choice(struct kt_ir_reader *reader, const char *const *words, int count);
bool kt_ir_number(struct kt_ir_reader *reader, int64_t *number);
/* The symbol behind a '%'; NULL: an error. */
struct kt_ir_symbol *kt_ir_known(struct kt_ir_reader *reader);
/* Reads a name behind a '%': its hint is what is left without a number at the end. */
const char *kt_ir_new_name(struct kt_ir_reader *reader, const char **hint);
/* Gives the symbol its name. */
bool kt_ir_name(struct kt_ir_reader *reader, const char *name, struct kt_ir_symbol *symbol);

const struct kt_ir_type *kt_ir_read_type(struct kt_ir_reader *reader);
const struct kt_ir_value *kt_ir_read_value(struct kt_ir_reader *reader);
const struct kt_ir_place *kt_ir_read_place(struct kt_ir_reader *reader);
/* "(value, …)": at most `most`. */
bool kt_ir_read_values(struct kt_ir_reader *reader, const struct kt_ir_value ***list, size_t *count);

#endif
