/*
 * C++ integer expressions at a launch, written in the expression language:
 * macros, constant-like locals and one-line functions are replaced by their
 * text, casts go, names become parameters, problem variables and arguments.
 */
#ifndef KT_CLANG_EXPAND_H
#define KT_CLANG_EXPAND_H

#include "unit.h"

#define KT_EXPAND_DEPTH 24
/* Most texts of a part of a launch: of a choice both sides are read, and each may hold another one. */
#define KT_EXPAND_STEPS 20000
#define KT_EXPAND_BRACKETS 200 /* as deep as the expression language goes */
/* The name of "device" of the expression language in the host's text: no variable of the host is called so. */
#define KT_EXPAND_DEVICE "__ktune_device"

/* An operand of the host's text, such as "n" or "x.size(0)", and what it is in the expression language. */
struct kt_rename {
	const char *name, *text;
	bool whole; /* no operand, such as "total / d": only where it is the whole of a text or of a bracket */
};

struct kt_expand {
	struct kt_scan *scan;
	struct kt_found *found;
	uint32_t at;                     /* offset of the launch: what is visible there */
	struct kt_rename *renames; /* what a binding, an argument or an extent is there → its name in the pragma */
	size_t rename_count;
	const struct kt_instance *instance; /* what is read is of this one; NULL: what all have in common */
	bool by_instance;      /* out: instances differ in what is read */
	const char *cause;     /* why a text has no form in the expression language: "'n' is …"; NULL: no more is known */
	const char *causes[3]; /* the same of grid, block and dynamic shared memory; "": it has one */
	const char **templates; /* one for each template argument of the kernel, as the launch spells it; names of the host's */
	size_t template_count;
	const char **varying;  /* texts that differ from launch to launch: bindings, the kernel's arguments */
	size_t varying_count;
	bool by_calls;         /* out: a number is what all calls of the host's function pass */
	unsigned steps, brackets; /* texts of the part so far, brackets that are open */
	int readings;          /* variables of the host that are being followed: the value of one may need another one's */
	int callers;           /* functions between the launch's and the one that is read: a recursive one ends */
	struct kt_range *used; /* initialisers that were put in: ranges of the main file */
	size_t used_count;
};

/* reaching.c: the text of what a variable of the host holds at x->at, where one definition or conditions decide it;
 * NULL. */
const char *kt_reaching_value(struct kt_expand *x, const struct kt_local *local);
/* Does the text between its declaration and x->at write a variable or parameter? */
bool kt_reaching_is_written(const struct kt_expand *x, const struct kt_local *local);
/*
 * written.c: may what the main file does with the variable at a token write it, other than by an assignment? By a reference that a call
 * or a variable takes, by a function of its class.
 */
bool kt_written_elsewhere(struct kt_scan *scan, size_t name);
/* May tokens [first, end) of the main file write a variable that the value names, other than `own`, which it is the value of? */
bool kt_changes_until(struct kt_expand *x, const struct kt_local *own, const char *value, size_t first, size_t end);
/* The "(" of the call that the argument at a token is in, and how many arguments are before it; text->count: it is in none. */
size_t kt_call_of_argument(const struct kt_text *text, size_t argument, size_t *index);
/* The name that is called where "(" is at a token: "f(", "f<int>("; text->count: there is none. */
size_t kt_call_name(const struct kt_text *text, size_t open);
/*
 * output.c: what the call that has the variable, or its address, as its argument at a token writes to it, or to a member of it, in
 * names of the caller. False: it is not known.
 */
struct kt_output {
	const char *value;
	size_t statement;  /* token where the call's statement begins */
	bool is_unchanged; /* nothing is written */
};
bool kt_output_read(struct kt_output *out, struct kt_expand *x, const struct kt_local *local, size_t token, const char *member);
/* Does the function that the argument at a token is given to take it by a pointer or reference to what is constant, or a copy? */
bool kt_output_keeps(struct kt_scan *scan, size_t token);
/*
 * method.c: what the function of a variable's class returns, members and arguments put in. And a value over parameters that a
 * function, called at a token of the main file, computes, with the members of its object put in. NULL: it is not known.
 */
const char *kt_method_value(struct kt_expand *x, const char *object, const char *method, const char *const *arguments, size_t count);
const char *kt_with_fields(struct kt_expand *x, CXCursor function, size_t name, const char *value, const char *const *parameters,
                           size_t count);
/* Is it a variable outside of functions that another unit, or a function of this one, may write? */
bool kt_may_change(struct kt_scan *scan, const struct kt_local *local);
/*
 * query.c: the first token of the call `function(&name, …)` whose variable is token `name`, or of the macro that checks it;
 * SIZE_MAX: it is none. What cudaDeviceGetAttribute writes there, NULL: it is not known. The limit that a member of
 * cudaDeviceProp is, as the expression language has it after "device."; NULL: it has none.
 */
size_t kt_query_call(const struct kt_text *text, size_t name, const char *function);
const char *kt_query_attribute(struct kt_scan *scan, const struct kt_text *text, size_t name);
const char *kt_query_property(const struct kt_text *text, size_t member);
/* Is it cudaDeviceProp, a pointer or a reference to one? */
bool kt_query_is_properties(struct kt_scan *scan, CXType type);
/* kt_query_property of `variable.member` at a token of the main file; NULL: the variable is something else. */
const char *kt_query_member(struct kt_scan *scan, size_t variable);
/* kt_reaching_value of a member of a structure or dim3. */
const char *kt_reaching_member(struct kt_expand *x, const struct kt_local *local, const char *member);
/* kt_reaching_value of an element of an array, whose index is written in decimal digits. */
const char *kt_reaching_element(struct kt_expand *x, const struct kt_local *local, const char *index);
/*
 * The `if` whose statement, or whose `else`, begins at a token: *close is the ")" of its condition. text->count: none
 * does. And the "{" of the block around a token.
 */
size_t kt_branch_around(const struct kt_text *text, size_t begin, size_t *close, bool *otherwise);
size_t kt_block_around(const struct kt_text *text, size_t i);
/*
 * record.c: the text of what a member holds that is initialised by text: `{a, b}`, `(a, b)`, `Type(a, b)`, where the type
 * is an aggregate, dim3, or has a constructor that gives the member one of its parameters. NULL: it is not known.
 */
const char *kt_record_member(struct kt_scan *scan, uint32_t launch, CXType type, const char *text, const char *member);
/* What a list of the form `{.a = 1, .b = 2}` gives a member; NULL: nothing. */
const char *kt_record_named(struct kt_scan *scan, const char *text, const char *member);
/* The text of the element of that index of a list, or of the list that a function of the project returns; NULL: it is not known. */
const char *kt_record_part(struct kt_scan *scan, uint32_t launch, const char *text, size_t index);
/* The name of the member of that index; NULL: there is none. */
const char *kt_record_field(struct kt_scan *scan, CXType type, size_t index);
/*
 * called.c: the function that returns an object and that a call is of, whose name is a token of any text. False: the main file has no call of that name. A null
 * cursor: its calls are of several functions, and not one of them is a member of the class around `at` (UINT32_MAX: it is not known).
 */
bool kt_called_function(CXCursor *out, struct kt_scan *scan, const struct kt_text *tokens, size_t name, uint32_t at);
/* The type or function of the name that an extent may use; SIZE_MAX: the project declares none. */
size_t kt_callee_named(const struct kt_scan *scan, const char *name);
/* What the name at an offset of the main file is, also of members. */
CXCursor kt_cursor_named(const struct kt_scan *scan, uint32_t at);
/* What such a function, or one that returns a number, returns, as kt_function_value; *is_call: it is a function of the project, though nothing may be known of it: a name
 * of its body would be another variable at the launch. */
const char *kt_called_value(struct kt_scan *scan, const struct kt_text *tokens, size_t name, uint32_t at, bool objects,
			    bool *is_call, const char ***names, size_t *count);
/* What a function returns, over its parameters, whose names are appended. NULL: it is not known. */
const char *kt_definition_value(struct kt_scan *scan, CXCursor function, const char ***names, size_t *count);
/* Does every name of the value, except these, mean at an offset what it means in the function? */
bool kt_is_hygienic(struct kt_scan *scan, CXCursor function, const char *value, const char *const *names, size_t count, uint32_t at);
/* decomposed.c: is it a name of `auto [a, b] = …;` before x->at? What it is given; NULL: that is not known, or it is written afterwards. */
bool kt_decomposed(const char **value, struct kt_expand *x, const char *name);
/* reaching.c: is the name at a token written there? */
bool kt_token_written(const struct kt_text *text, size_t i);
/*
 * callers.c: the text of what a parameter of the host is at x->at: the constant that the branch compares it with, or the
 * number that all calls in the unit pass. NULL: it is not known.
 */
const char *kt_parameter_value(struct kt_expand *x, const struct kt_local *local);
/* Is what the name at an offset refers to the function, or a template's instance of it? */
bool kt_is_call_of(const struct kt_scan *scan, const struct kt_item *function, uint32_t at);
/* The number that a text is at an offset, where a function is called; false: it is none. */
bool kt_number_at(struct kt_expand *x, int64_t *value, const char *text, uint32_t at);
/*
 * What a call of the function around x->at passes for its parameter, of those that are found the one of that number; *at: where the call
 * is. NULL: there are no more.
 */
const char *kt_parameter_passed(uint32_t *at, struct kt_expand *x, const struct kt_local *local, size_t number);
/*
 * callable.c: what a function of the project returns, as one expression over its parameters, whose names are appended;
 * its variables are put in, `if (c) return a;` is c ? a : …. NULL: it has another form.
 */
const char *kt_function_value(struct kt_scan *scan, size_t item, const char ***names, size_t *count);
/*
 * unrolled.c: what the variable holds after `while (condition) name = step;`, where it was a number; condition and step are texts over it.
 * NULL: it takes values that are no numbers.
 */
const char *kt_unrolled(struct kt_scan *scan, const char *name, const char *start, const char *condition, const char *step);
/* The same of the body whose "{" is at a token, over parameters of these names. */
const char *kt_body_value(struct kt_scan *scan, const struct kt_text *text, size_t open, const char *const *names, size_t count);
/*
 * What the body, the whole of a text, writes to the parameter of an index, of those that are `written`, or to a member of it: "= value" of
 * the whole parameter, "value" of the member, "" where it writes nothing. NULL: it is not known.
 */
const char *kt_body_output(struct kt_scan *scan, const struct kt_text *text, const char *const *names, const bool *written, size_t count,
			   size_t index, const char *member);
/* lambda.c: the same of the lambda that a variable of the function holds, and what it captures. */
const char *kt_lambda_value(struct kt_expand *x, const char *name, const char ***names, size_t *count);
/* May the lambda that a variable of this name holds write what it is given as the parameter of an index? */
bool kt_lambda_writes(struct kt_scan *scan, const char *name, uint32_t at, size_t index);
/*
 * field.c: what a member of the class that launches holds, over members: its constructor's or the only other text that writes it.
 * NULL: it is not known.
 */
const char *kt_field_value(struct kt_expand *x, const char *name);
/* expand_frame.c: condition and both sides of a text that is `c ? a : b`, without brackets around a side; false: it is none. */
bool kt_text_choice(const char *parts[3], struct kt_scan *scan, const char *text);
/* The text of the argument that a parameter has where a call gives none; NULL: there is none. */
const char *kt_function_default(struct kt_scan *scan, size_t item, size_t index);
/* text_put.c: is the name, or "name.member" of three tokens, at a token? */
bool kt_text_names(const struct kt_text *text, size_t i, const char *name);
/* Is the name a token of the text? */
bool kt_text_has_name(struct kt_scan *scan, const char *text, const char *name);
/* The text with each name replaced by the text of the same index, in brackets; NULL: it is too long. */
const char *kt_text_put(struct kt_scan *scan, const char *text, const char *const *names, const char *const *values,
			size_t count);

/* renames.c: is it a name of the expression language there? What is named like an argument that no clause gives is not. */
bool kt_expand_is_word(const struct kt_found *found, const char *name);
/* What the pragma calls bound expressions, arguments and template arguments of the launch. */
void kt_expand_rename(struct kt_expand *x, const struct kt_launch *launch);
/* Parameters of the host that are an extent which a clause gives: they have the clause's value in the other parts. */
void kt_expand_rename_extents(struct kt_expand *x, const char *text, const struct kt_clause_expr *extents, size_t count);
/* What the operand at token *i is called, which becomes its last token; the longest one counts. NULL: it has no name. */
/* What the pragma calls the whole text, which a bind clause gives to a problem variable word for word; NULL: nothing. */
const char *kt_expand_whole(const struct kt_expand *x, const struct kt_text *tokens);
const char *kt_expand_renamed(const struct kt_expand *x, const struct kt_text *tokens, size_t *i);
/* geometry.c: ready for texts at a launch. What it names as the pragma does is that. */
void kt_expand_at(struct kt_expand *x, struct kt_scan *scan, struct kt_found *found, const struct kt_launch *launch);
/* geometry.c: the texts of what a launch passes, at most `most`; through a function that launches what it is given, too. */
size_t kt_launch_arguments(struct kt_scan *scan, const struct kt_found *found, const struct kt_launch *launch,
                           const char **texts, size_t most);
/* launch_values.c: adds values of a launch region's numbers that no clause gives, from what the host passes. */
void kt_expression_values(struct kt_scan *scan, struct kt_found *found, struct kt_expand *x);
/* A text at the launch as an expression over problem variables, values, parameters and the device; false: it is none. */
bool kt_expand_expr(struct kt_clause_expr *out, struct kt_expand *x, const char *text);
/* Appends text in the expression language; false when it has no such form. */
bool kt_expand(struct kt_buf *out, struct kt_expand *x, const char *text, int depth);
/* The up to three extents of a dim3 expression as texts in the source's language; 0: unreadable. */
size_t kt_expand_dims(const char *dims[3], struct kt_expand *x, const char *text, int depth);

#endif
