/* The text form, read: types, values and places. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "generation/ir/number.h"
#include "text_parse.h"

/* ---- Types ---- */

static const struct kt_ir_type *integer_named(struct kt_ir_reader *r, const char *word)
{
	char *end;
	unsigned long bits;

	if ((word[0] != 'i' && word[0] != 'u') || !isdigit((unsigned char)word[1]))
		return NULL;
	bits = strtoul(word + 1, &end, 10);
	return *end != '\0' || bits > 128 ? NULL : kt_ir_integer(r->module, (unsigned)bits, word[0] == 'i');
}

static const struct kt_ir_type *pointer_type(struct kt_ir_reader *r)
{
	bool is_const, is_volatile;
	const struct kt_ir_type *element;
	int space;

	if (!kt_ir_expect(r, "<"))
		return NULL;
	space = kt_ir_choice(r, kt_ir_space_texts, KT_IR_SPACES);
	if (space < 0) {
		kt_ir_syntax(r, "a pointer names its space first");
		return NULL;
	}
	if (!kt_ir_expect(r, ","))
		return NULL;
	is_const = kt_ir_take(r, "const");
	is_volatile = kt_ir_take(r, "volatile");
	element = kt_ir_read_type(r);
	if (element == NULL || !kt_ir_expect(r, ">"))
		return NULL;
	return kt_ir_pointer(r->module, element, (enum kt_ir_space)space, is_const, is_volatile);
}

static const struct kt_ir_type *vector_type(struct kt_ir_reader *r)
{
	const struct kt_ir_type *element;
	int64_t count, align;

	if (!kt_ir_expect(r, "<") || (element = kt_ir_read_type(r)) == NULL || !kt_ir_expect(r, ",") ||
	    !kt_ir_number(r, &count) || !kt_ir_expect(r, ",") || !kt_ir_number(r, &align) || !kt_ir_expect(r, ">"))
		return NULL;
	return kt_ir_vector(r->module, element, count, (uint32_t)align);
}

static const struct kt_ir_type *array_type(struct kt_ir_reader *r)
{
	const struct kt_ir_type *element = kt_ir_read_type(r);
	int64_t count = -1;

	if (element == NULL || !kt_ir_expect(r, "x"))
		return NULL;
	if (!kt_ir_take(r, "?") && !kt_ir_number(r, &count))
		return NULL;
	return kt_ir_expect(r, "]") ? kt_ir_array(r->module, element, count) : NULL;
}

static const struct kt_ir_type *opaque_type(struct kt_ir_reader *r)
{
	int64_t size, align;

	if (!kt_ir_expect(r, "<") || !kt_ir_number(r, &size) || !kt_ir_expect(r, ",") || !kt_ir_number(r, &align) ||
	    !kt_ir_expect(r, ">"))
		return NULL;
	return kt_ir_opaque(r->module, (uint64_t)size, (uint32_t)align);
}

static const struct kt_ir_type *struct_type(struct kt_ir_reader *r)
{
	const struct kt_ir_type *type;
	const char *name;

	if (!kt_ir_expect(r, "@") || (name = kt_ir_word(r)) == NULL)
		return NULL;
	type = kt_ir_struct_named(r->module, name);
	if (type == NULL)
		kt_ir_syntax(r, "the structure '%s' is not declared", name);
	return type;
}

static const struct kt_ir_type *named_type(struct kt_ir_reader *r, const char *word)
{
	static const struct {
		const char *word;
		const struct kt_ir_type *(*read)(struct kt_ir_reader *);
	} rows[] = {{"ptr", pointer_type}, {"vec", vector_type}, {"opaque", opaque_type}, {"struct", struct_type}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(word, rows[i].word) == 0)
			return rows[i].read(r);
	for (int i = 0; i < KT_IR_FORMATS; i++)
		if (strcmp(word, kt_ir_format_texts[i]) == 0)
			return kt_ir_float(r->module, (enum kt_ir_format)i);
	if (strcmp(word, "void") == 0)
		return kt_ir_void(r->module);
	if (strcmp(word, "bool") == 0)
		return kt_ir_bool(r->module);
	return integer_named(r, word);
}

const struct kt_ir_type *kt_ir_read_type(struct kt_ir_reader *r)
{
	const struct kt_ir_type *type = NULL;
	const char *word;

	if (r->failed || ++r->depth > KT_IR_TEXT_DEPTH) {
		kt_ir_syntax(r, "nested too deep");
		return NULL;
	}
	if (kt_ir_take(r, "[")) {
		type = array_type(r);
	} else {
		word = kt_ir_word(r);
		type = word == NULL ? NULL : named_type(r, word);
		if (type == NULL && word != NULL && r->module->failed)
			kt_ir_syntax(r, "%s", r->module->error.message);
		else if (type == NULL && word != NULL && !r->failed)
			kt_ir_syntax(r, "'%s' is no type", word);
	}
	r->depth--;
	return type;
}

/* ---- Values ---- */

static const struct kt_ir_type *type_behind(struct kt_ir_reader *r)
{
	return kt_ir_expect(r, ":") ? kt_ir_read_type(r) : NULL;
}

/* "bits(0x…):type" */
static const struct kt_ir_value *bits_value(struct kt_ir_reader *r)
{
	const struct kt_ir_type *type;
	char *end;
	unsigned long long bits;

	if (!kt_ir_expect(r, "("))
		return NULL;
	bits = strtoull(r->at, &end, 16);
	r->at = end;
	if (!kt_ir_expect(r, ")") || (type = type_behind(r)) == NULL)
		return NULL;
	return kt_ir_bits(r->module, type, bits, 0);
}

/* The digits of an integer, which may have 128 bits. */
static kt_ir_wide wide(const char *digits, size_t length)
{
	kt_ir_uwide number = 0;
	const bool is_negative = length > 0 && digits[0] == '-';

	for (size_t i = is_negative ? 1 : 0; i < length; i++)
		number = number * 10 + (kt_ir_uwide)(unsigned char)(digits[i] - '0');
	return is_negative ? (kt_ir_wide)-number : (kt_ir_wide)number;
}

static const struct kt_ir_value *number_value(struct kt_ir_reader *r)
{
	const char *from = r->at;
	const size_t digits = strspn(from + (*from == '-'), "0123456789") + (*from == '-');
	const struct kt_ir_type *type;
	uint64_t bits[2];
	double real;
	char *end;

	if (from[digits] == ':') {
		r->at = from + digits;
		if ((type = type_behind(r)) == NULL)
			return NULL;
		if (type->kind != KT_IR_INTEGER) {
			kt_ir_syntax(r, "a number without a point is an integer");
			return NULL;
		}
		kt_ir_wide_bits(type, wide(from, digits), bits);
		return kt_ir_bits(r->module, type, bits[0], bits[1]);
	}
	real = strtod(from, &end);
	r->at = end;
	return (type = type_behind(r)) == NULL ? NULL : kt_ir_real(r->module, type, real);
}

static const struct kt_ir_value *axis_value(struct kt_ir_reader *r, int axis)
{
	static const char *const dimensions[] = {"x", "y", "z"};
	int dimension = 0;

	if (axis < KT_IR_LANE) {
		if (!kt_ir_expect(r, "."))
			return NULL;
		dimension = kt_ir_choice(r, dimensions, 3);
		if (dimension < 0) {
			kt_ir_syntax(r, "an axis has a dimension x, y or z");
			return NULL;
		}
	}
	return kt_ir_axis(r->module, (enum kt_ir_axis)axis, (unsigned)dimension);
}

static const struct kt_ir_value *parameter_value(struct kt_ir_reader *r)
{
	const struct kt_ir_type *type;
	const char *name;

	if (!kt_ir_expect(r, "(") || (name = kt_ir_word(r)) == NULL || !kt_ir_expect(r, ")") ||
	    (type = type_behind(r)) == NULL)
		return NULL;
	return kt_ir_parameter(r->module, name, type);
}

static const struct kt_ir_value *address_value(struct kt_ir_reader *r)
{
	const struct kt_ir_place *place;

	if (!kt_ir_expect(r, "(") || (place = kt_ir_read_place(r)) == NULL || !kt_ir_expect(r, ")"))
		return NULL;
	return kt_ir_address(r->module, place);
}

static const struct kt_ir_value *extract_value(struct kt_ir_reader *r)
{
	const struct kt_ir_value *of;
	int64_t number;

	if (!kt_ir_expect(r, "(") || (of = kt_ir_read_value(r)) == NULL || !kt_ir_expect(r, ",") ||
	    !kt_ir_number(r, &number) || !kt_ir_expect(r, ")"))
		return NULL;
	return kt_ir_extract(r->module, of, (unsigned)number);
}

static const struct kt_ir_value *convert_value(struct kt_ir_reader *r)
{
	const struct kt_ir_value **list;
	const struct kt_ir_type *type;
	size_t count;
	int mode = KT_IR_AS_VALUE;

	if (kt_ir_take(r, ".") && (mode = kt_ir_choice(r, kt_ir_mode_texts, KT_IR_MODES)) < 0) {
		kt_ir_syntax(r, "no mode of a conversion");
		return NULL;
	}
	if (!kt_ir_read_values(r, &list, &count) || (type = type_behind(r)) == NULL)
		return NULL;
	if (count != 1) {
		kt_ir_syntax(r, "convert has one operand");
		return NULL;
	}
	return kt_ir_convert(r->module, list[0], type, (enum kt_ir_mode)mode);
}

static const struct kt_ir_value *construct_value(struct kt_ir_reader *r)
{
	const struct kt_ir_value **list;
	const struct kt_ir_type *type;
	size_t count;

	if (!kt_ir_read_values(r, &list, &count) || (type = type_behind(r)) == NULL)
		return NULL;
	return kt_ir_construct(r->module, type, list, count);
}

static const struct kt_ir_value *intrinsic_value(struct kt_ir_reader *r)
{
	const struct kt_ir_value **list;
	const struct kt_ir_type *type;
	const char *name = kt_ir_word(r);
	size_t count;

	if (name == NULL || !kt_ir_read_values(r, &list, &count) || (type = type_behind(r)) == NULL)
		return NULL;
	return kt_ir_intrinsic(r->module, name, type, list, count);
}

static const struct kt_ir_value *operation(struct kt_ir_reader *r, enum kt_ir_op op)
{
	const struct kt_ir_value **list, *made;
	size_t count;
	const bool no_wrap = kt_ir_take(r, ".nw");

	if (!kt_ir_read_values(r, &list, &count))
		return NULL;
	if ((int)count != kt_ir_ops[op].arity) {
		kt_ir_syntax(r, "%s has %d operands", kt_ir_ops[op].text, kt_ir_ops[op].arity);
		return NULL;
	}
	made = kt_ir_apply(r->module, op, list[0], count > 1 ? list[1] : NULL, count > 2 ? list[2] : NULL);
	return no_wrap ? kt_ir_no_wrap(r->module, made) : made;
}

static const struct kt_ir_value *worded(struct kt_ir_reader *r)
{
	static const struct {
		const char *word;
		const struct kt_ir_value *(*read)(struct kt_ir_reader *);
	} rows[] = {
	    {"param", parameter_value}, {"addr", address_value},          {"extract", extract_value},
	    {"convert", convert_value}, {"construct", construct_value}, {"bits", bits_value},
	};
	const char *word = kt_ir_word(r);

	if (word == NULL)
		return NULL;
	if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
		return kt_ir_constant(r->module, kt_ir_bool(r->module), word[0] == 't');
	for (int i = 0; i < KT_IR_AXES; i++)
		if (strcmp(word, kt_ir_axis_texts[i]) == 0)
			return axis_value(r, i);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(word, rows[i].word) == 0)
			return rows[i].read(r);
	for (int i = 0; i < KT_IR_OP_COUNT; i++)
		if (kt_ir_ops[i].text[0] != '\0' && strcmp(word, kt_ir_ops[i].text) == 0)
			return operation(r, (enum kt_ir_op)i);
	kt_ir_syntax(r, "'%s' is no operation", word);
	return NULL;
}

const struct kt_ir_value *kt_ir_read_value(struct kt_ir_reader *r)
{
	const struct kt_ir_value *value;

	if (r->failed || ++r->depth > KT_IR_TEXT_DEPTH) {
		kt_ir_syntax(r, "nested too deep");
		return NULL;
	}
	kt_ir_blanks(r);
	if (*r->at == '%')
		value = kt_ir_read(r->module, kt_ir_known(r));
	else if (*r->at == '-' || isdigit((unsigned char)*r->at))
		value = number_value(r);
	else if (kt_ir_take(r, "@"))
		value = intrinsic_value(r);
	else
		value = worded(r);
	r->depth--;
	if (value == NULL && !r->failed && r->module->failed)
		kt_ir_syntax(r, "%s", r->module->error.message);
	return value;
}

bool kt_ir_read_values(struct kt_ir_reader *r, const struct kt_ir_value ***list, size_t *count)
{
	const struct kt_ir_value *value, **slot;

	*list = NULL;
	*count = 0;
	if (!kt_ir_expect(r, "("))
		return false;
	if (kt_ir_take(r, ")"))
		return true;
	do {
		value = kt_ir_read_value(r);
		if (value == NULL)
			return false;
		slot = kt_arena_push(r->module->arena, list, count, sizeof *slot);
		if (slot == NULL)
			return kt_ir_syntax(r, "out of memory");
		*slot = value;
	} while (kt_ir_take(r, ","));
	return kt_ir_expect(r, ")");
}

/* ---- Places ---- */

static const struct kt_ir_place *as_step(struct kt_ir_reader *r, const struct kt_ir_place *place)
{
	const struct kt_ir_type *type = kt_ir_read_type(r);
	int64_t align = 0;

	if (type == NULL || (kt_ir_take(r, ",") && (!kt_ir_expect(r, "align") || !kt_ir_number(r, &align))) ||
	    !kt_ir_expect(r, ")"))
		return NULL;
	return kt_ir_seen_as(r->module, place, type, (uint32_t)align);
}

static const struct kt_ir_place *part_step(struct kt_ir_reader *r, const struct kt_ir_place *place)
{
	const char *word = kt_ir_word(r);

	if (word == NULL)
		return NULL;
	if (strcmp(word, "as") == 0 && kt_ir_take(r, "("))
		return as_step(r, place);
	if (isdigit((unsigned char)word[0]))
		return kt_ir_field(r->module, place, (unsigned)strtoul(word, NULL, 10));
	for (size_t i = 0; i < place->type->field_count; i++)
		if (strcmp(place->type->fields[i].name, word) == 0)
			return kt_ir_field(r->module, place, (unsigned)i);
	kt_ir_syntax(r, "the place has no field '%s'", word);
	return NULL;
}

static const struct kt_ir_place *index_step(struct kt_ir_reader *r, const struct kt_ir_place *place)
{
	const struct kt_ir_value *index = kt_ir_read_value(r);

	return index == NULL || !kt_ir_expect(r, "]") ? NULL : kt_ir_index(r->module, place, index);
}

static const struct kt_ir_place *place_root(struct kt_ir_reader *r)
{
	const struct kt_ir_value *pointer;

	if (!kt_ir_take(r, "*"))
		return kt_ir_place_of(r->module, kt_ir_known(r));
	if (kt_ir_take(r, "(")) {
		pointer = kt_ir_read_value(r);
		return pointer == NULL || !kt_ir_expect(r, ")") ? NULL : kt_ir_place_at(r->module, pointer);
	}
	return kt_ir_place_at(r->module, kt_ir_read(r->module, kt_ir_known(r)));
}

const struct kt_ir_place *kt_ir_read_place(struct kt_ir_reader *r)
{
	const struct kt_ir_place *place = place_root(r);

	while (place != NULL) {
		if (kt_ir_take(r, "["))
			place = index_step(r, place);
		else if (*r->at == '.' && kt_ir_take(r, "."))
			place = part_step(r, place);
		else
			break;
	}
	if (place == NULL && !r->failed)
		kt_ir_syntax(r, "%s", r->module->failed ? r->module->error.message : "no place");
	return place;
}
