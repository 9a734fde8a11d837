/*
 * check: is a text that a model wrote, or that came with an entry, device code
 * and nothing else? Four looks at it, each of which can refuse:
 *
 *   1. its characters and tokens (check_text.c): no directive, no trick of the
 *      lexer, no word that has no place in device code;
 *   2. its declarations (check_tree.c; kernels: check_kernel.c, macros:
 *      check_macros.c): what libclang makes of it at the kernel's place, in a separate namespace;
 *   3. its bodies (check_body.c): every node of the tree is one of a list;
 *   4. what it uses (check_uses.c): device functions, called by their names, and names with one meaning (check_names.c).
 *
 * What is on no list is refused. What passes is written again from its tokens
 * (check_print.c), without comments, as template text (base/template.h).
 * The rules and their names: docs/security.md; the messages: docs/protocol.md.
 */
#ifndef KT_CLANG_CHECK_H
#define KT_CLANG_CHECK_H

#include "base/json.h"
#include "base/lex.h"
#include "libclang.h"
#include "unit.h"

#define KT_CHECK_TEXT_BYTES ((size_t)64 << 10) /* longest text */
#define KT_CHECK_TOKENS 20000                  /* most tokens */
#define KT_CHECK_NESTING 64                    /* deepest brackets */
#define KT_CHECK_TEMPLATE_DEPTH 64             /* deepest instantiation */
#define KT_CHECK_DECLARATIONS 128              /* most functions, constants and types */
#define KT_CHECK_INSTANCES 512                 /* most instances of templates */
#define KT_CHECK_SECONDS 20                    /* processor time for one text */
#define KT_CHECK_MEMORY ((size_t)4 << 30)      /* address space for one text */

/* A kernel that the text must define, and how: "template <typename T> __global__ void k(T *x, int n)". */
struct kt_check_kernel {
	const char *name, *declaration;
	bool found;
	struct kt_range extent, name_range, body;
};

/* A declaration of the text, in its order. */
struct kt_check_item {
	struct kt_range extent; /* with what is before it, and its ";" */
	uint32_t name_at;       /* UINT32_MAX: none */
	bool is_function;
	size_t kernel;          /* which one; SIZE_MAX: a helper */
};

/* A name of the text's scope where it is declared: offset in the text, index in kt_check.names. */
struct kt_check_declared {
	uint32_t at, name_at; /* of the declaration as the tree has it, and of the name */
	size_t name;
};

struct kt_check {
	struct kt_arena *arena;
	const char *context;   /* the source around, up to the place of the text */
	const char *open, *close; /* what opens the kernel's namespaces, and closes them */
	const char *original;  /* the original kernel and its callees: the text may use what they use */
	const char *text;
	size_t size;
	size_t kernel_count;
	struct kt_check_kernel *kernels;
	size_t parameter_count;
	const char **parameters; /* macros while the text is compiled */
	int64_t *values;
	bool allow_assembly;
	double seconds;        /* of processor time that the text may take; 0: KT_CHECK_SECONDS */

	struct kt_text tokens;       /* of the text */
	struct kt_text known;        /* of the original */
	CXTranslationUnit unit;
	CXFile file;
	uint32_t text_at;            /* where the text begins in the file that is parsed */
	uint32_t scope_at;           /* where its namespace begins */
	size_t item_count;
	struct kt_check_item *items;
	CXCursor scope;              /* its namespace */
	size_t name_count;           /* declared in the text, and written differently in each variant */
	const char **names;
	size_t declared_count;       /* where they are declared */
	struct kt_check_declared *declared;
	uint32_t *meanings;          /* of each token: check_names.c */
	size_t macro_count;
	uint32_t *macros;            /* where they are expanded */
	bool *seen;                  /* is the token in the tree? */
	const char **fields;         /* names of fields, which are not */
	size_t field_count;

	/* The first refusal. */
	const char *construct, *message; /* NULL: none */
	uint32_t at;                 /* offset in the text */
};

/* Refuses, unless something was refused already. Returns false. */
bool kt_check_refuse(struct kt_check *check, const char *construct, uint32_t at, const char *message, ...)
    KT_PRINTF(4, 5);
/* Does the original kernel use the name too? */
bool kt_check_is_known(const struct kt_check *check, const char *name, size_t length);
/* Offset in the text of a location; false: it is not in it. */
bool kt_check_place(uint32_t *at, const struct kt_check *check, CXSourceLocation location);

/* The name of a cursor, "" for none; its place in the text; its extent there, empty where it is not in the text. */
char *kt_check_spelling(const struct kt_check *check, CXCursor cursor);
uint32_t kt_check_at(const struct kt_check *check, CXCursor cursor);
struct kt_range kt_check_extent(const struct kt_check *check, CXCursor cursor);
/* Is the name one of the list? */
bool kt_check_in(const char *const *list, size_t count, const char *name);
/* Is the word one of the tokens of [begin, end)? */
bool kt_check_has(const struct kt_check *check, uint32_t begin, uint32_t end, const char *word);

/* Each looks at its part; false: refused. */
bool kt_check_text(struct kt_check *check, struct kt_error *err);
bool kt_check_tree(struct kt_check *check);
bool kt_check_macros(struct kt_check *check);
/* Is the token one that was expanded? */
bool kt_check_is_macro(const struct kt_check *check, size_t token);
/* A __global__ function with its body: is it one that was asked for, as it was asked for? Sets item->kernel. */
bool kt_check_kernel(struct kt_check *check, struct kt_check_item *item, CXCursor cursor, CXCursor body);
bool kt_check_body(struct kt_check *check, CXCursor cursor);
bool kt_check_uses(struct kt_check *check);
/* The members of a type; inside: of a function. */
bool kt_check_type(struct kt_check *check, CXCursor cursor, bool inside);
/* Is the attribute allowed on a declaration? `where` is its place in messages. */
bool kt_check_attribute(struct kt_check *check, CXCursor attribute, uint32_t where);
/* Is the use one of data that the original kernel does not touch? Then it is refused. */
bool kt_check_use(struct kt_check *check, CXCursor cursor, uint32_t at);

/* ---- check_names.c */
/* The text declares a name in its scope, at this offset. */
bool kt_check_declare(struct kt_check *check, const char *name, uint32_t at);
/*
 * The token at the location, if it is one of the text, means the target. Refuses a token with two meanings.
 * instantiated: in the body of a template's instance, where what replaces a parameter is at the parameter's place.
 */
bool kt_check_mean(struct kt_check *check, CXSourceLocation location, CXCursor target, bool instantiated);
/* Decides on the tokens that the tree did not show, or refuses what may be a call there. */
bool kt_check_settle(struct kt_check *check);
/* Index of the name that the token means; SIZE_MAX: it stands for itself. */
size_t kt_check_meaning(const struct kt_check *check, size_t token);
/* The same for a token of a directive, from its spelling. */
size_t kt_check_spelled(const struct kt_check *check, const struct kt_token *token, const char *text);

/* Is the declared name unique? */
bool kt_check_name(struct kt_check *check, const char *name, uint32_t at);
/* Adds the accepted text to the verdict: "helpers", "kernels", "names". */
void kt_check_print(cJSON *verdict, struct kt_check *check);

/* check_request.c: fills *check from a request; what became of it. */
kt_status kt_check_read(struct kt_check *check, const cJSON *request, struct kt_error *err) KT_MUST_CHECK;
cJSON *kt_check_verdict(struct kt_check *check);

/* Answers such requests about texts for one file. NULL: out of memory. */
struct kt_checks;
struct kt_checks *kt_checks_open(const struct kt_scan_options *options);
void kt_checks_close(struct kt_checks *checks); /* accepts NULL */
/* Appends the verdict, a JSON object without a newline; `text` is the request as it came. Nothing: out of memory. */
void kt_checks_answer(struct kt_buf *line, struct kt_checks *checks, const cJSON *request, const struct kt_buf *text);

#endif
