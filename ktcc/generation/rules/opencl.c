/*
 * OpenCL C: the strategies write CUDA C++, and what they wrote is spelled in the other language here, token by token:
 * indices, casts, pack types, barriers. What the user wrote has none of these words and stays.
 *
 * Sound because the concepts are the same: a work-group is a block, local memory is shared memory. Where one has no counterpart
 * it is written otherwise: reductions go through local memory, as shuffles are no part of the language; kernels have no cache
 * hints; only the device knows the arguments' buffers, so that overlap is asked there.
 */
#include <ctype.h>
#include <string.h>

#include "generation/rules/family.h"

const struct kt_target *kt_rule_target(const struct kt_family *family)
{
	return kt_target_of(family->kernel->region->language);
}

const char *kt_rule_opencl_shared(const struct kt_family *family)
{
	const struct kt_region *r = family->kernel->region;

	for (size_t i = 0; i < r->argument_count; i++)
		if (r->arguments[i].space == KT_SPACE_LOCAL)
			return r->shared_bytes.text;
	return NULL;
}

struct speller {
	struct kt_buf out;
	const char *at;
};

static const struct {
	const char *word, *function;
} indices[] = {
	{"threadIdx", "get_local_id"},
	{"blockIdx", "get_group_id"},
	{"blockDim", "get_local_size"},
	{"gridDim", "get_num_groups"},
};

struct phrase {
	const char *from, *to;
};

/* Longer ones first. */
static const struct phrase phrases[] = {
	{"unsigned long long", "ulong"},
	{"long long", "long"},
	{"__syncthreads()", "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)"},
	{"__shared__", "__local"},
};

static bool begins(const char *at, const char *phrase)
{
	const size_t length = strlen(phrase);

	return strncmp(at, phrase, length) == 0 && (!kt_is_name_part(phrase[length - 1]) || !kt_is_name_part(at[length]));
}

/* After the bracket that closes the one at `at`. NULL: nowhere. */
static const char *behind(const char *at, char open, char close)
{
	int depth = 0;

	for (; *at != '\0'; at++) {
		depth += *at == open ? 1 : *at == close ? -1 : 0;
		if (depth == 0)
			return at + 1;
	}
	return NULL;
}

static bool spell_index(struct speller *s)
{
	for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
		const size_t length = strlen(indices[i].word);

		if (strncmp(s->at, indices[i].word, length) != 0 || s->at[length] != '.' || s->at[length + 1] < 'x' ||
		    s->at[length + 1] > 'z' || kt_is_name_part(s->at[length + 2]))
			continue;
		kt_buf_addf(&s->out, "%s(%d)", indices[i].function, s->at[length + 1] - 'x');
		s->at += length + 2;
		return true;
	}
	return false;
}

static bool spell_one_of(struct speller *s, const struct phrase *table, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (begins(s->at, table[i].from)) {
			kt_buf_adds(&s->out, table[i].to);
			s->at += strlen(table[i].from);
			return true;
		}
	return false;
}

/* reinterpret_cast<T *>(e) becomes (__global T *)(e): packs are of global memory only. */
static bool spell_cast(struct speller *s)
{
	static const char *const casts[] = {"reinterpret_cast<", "static_cast<"};

	for (size_t i = 0; i < sizeof casts / sizeof casts[0]; i++) {
		const size_t length = strlen(casts[i]);
		const char *type = s->at + length, *end;

		if (strncmp(s->at, casts[i], length) != 0 || (end = behind(type - 1, '<', '>')) == NULL)
			continue;
		kt_buf_adds(&s->out, end[-2] == '*' ? "(__global " : "(");
		s->at = type;
		if (!spell_one_of(s, phrases, sizeof phrases / sizeof *phrases))
			kt_buf_add(&s->out, type, (size_t)(end - 1 - type));
		kt_buf_addc(&s->out, ')');
		s->at = end;
		return true;
	}
	return false;
}

/* struct alignas(16) pack { … */
static bool spell_pack(struct speller *s)
{
	static const char word[] = "struct alignas";
	const char *arguments = s->at + sizeof word - 1, *end;
	size_t length = 0;

	if (strncmp(s->at, word, sizeof word - 1) != 0 || *arguments != '(' ||
	    (end = behind(arguments, '(', ')')) == NULL || *end != ' ')
		return false;
	while (kt_is_name_part(end[1 + length]))
		length++;
	kt_buf_addf(&s->out, "typedef struct %.*s %.*s;\nstruct __attribute__((aligned%.*s)) %.*s", (int)length, end + 1,
	            (int)length, end + 1, (int)(end - arguments), arguments, (int)length, end + 1);
	s->at = end + 1 + length;
	return true;
}

/* 0x7fffffffLL: a long has 64 bits. */
static void copy_word(struct speller *s)
{
	const bool number = isdigit((unsigned char)*s->at);
	size_t length = 0;

	while (kt_is_name_part(s->at[length]))
		length++;
	kt_buf_add(&s->out, s->at, number && length > 2 && memcmp(s->at + length - 2, "LL", 2) == 0 ? length - 1 : length);
	s->at += length;
}

const char *kt_rule_spelled(struct kt_family *family, const char *text)
{
	struct speller s = {.out = KT_BUF(KT_LIMIT_SOURCE_BYTES), .at = text};
	const char *spelled;

	if (kt_rule_target(family)->has_cuda_words)
		return text;
	while (*s.at != '\0') {
		if (!kt_is_name_part(*s.at)) {
			kt_buf_addc(&s.out, *s.at++);
			continue;
		}
		if (!spell_index(&s) && !spell_cast(&s) && !spell_pack(&s) &&
		    !spell_one_of(&s, phrases, sizeof phrases / sizeof *phrases))
			copy_word(&s);
	}
	spelled = kt_family_text(family, "%s", kt_buf_text(&s.out));
	family->failed = family->failed || s.out.failed;
	kt_buf_free(&s.out);
	return spelled;
}

/* What messages call things; longer ones first. */
static const struct phrase terms[] = {
	{"shared memory", "local memory"},
	{"thread index", "work-item index"},
	{"__syncthreads", "barrier"},
	{"threads", "work-items"},
	{"thread", "work-item"},
	{"blocks", "work-groups"},
	{"block", "work-group"},
	{"grid", "index space"},
};

const char *kt_rule_opencl_message(struct kt_family *family, const char *text, bool format)
{
	struct speller s = {.out = KT_BUF(KT_LIMIT_LINE_BYTES), .at = text};
	const char *message;
	bool quoted = false;

	if (kt_rule_target(family)->has_cuda_words)
		return text;
	while (*s.at != '\0') {
		/* What the user wrote is in quotes; an apostrophe follows a word. */
		if (*s.at == '\'' && (quoted || s.at == text || !kt_is_name_part(s.at[-1])))
			quoted = !quoted;
		if (!kt_is_name_part(*s.at)) {
			kt_buf_addc(&s.out, *s.at++);
			continue;
		}
		const bool ours = (format && !quoted) || begins(s.at, "__syncthreads");
		if (!spell_index(&s) && (!ours || !spell_one_of(&s, terms, sizeof terms / sizeof *terms)))
			copy_word(&s);
	}
	message = kt_arena_strdup(family->kernel->arena, kt_buf_text(&s.out));
	if (message == NULL || s.out.failed)
		family->failed = true;
	kt_buf_free(&s.out);
	return message != NULL ? message : text;
}

const char *kt_rule_opencl_bounds(struct kt_family *family)
{
	const char *extents[3];

	if (family->launch_bounds[0] == '\0')
		return "";
	for (size_t i = 0; i < 3; i++)
		extents[i] = strcmp(family->blocks[i], "1") == 0 ? "1" : kt_family_text(family, "${= %s}", family->blocks[i]);
	return kt_family_text(family, "__attribute__((reqd_work_group_size(%s, %s, %s))) ", extents[0], extents[1],
	                      extents[2]);
}

static const struct {
	enum kt_scalar scalar;
	const char *type;
} types[] = {
	{KT_F32, "float"}, {KT_F64, "double"}, {KT_I32, "int"}, {KT_U32, "uint"}, {KT_I64, "long"}, {KT_U64, "ulong"},
};

static const char *type_of(enum kt_scalar scalar)
{
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (types[i].scalar == scalar)
			return types[i].type;
	return NULL;
}

const char *kt_rule_opencl_fold(struct kt_family *family, const char *word, const char *function, const char *combine,
                                enum kt_scalar scalar)
{
	const char *type = type_of(scalar), *name, *text;

	NEED(type, NULL);
	name = kt_family_text(family, "%s_%s", function, type);
	text = kt_family_text(family,
	                      "// The %s of all work-items' values, in every work-item.\n"
	                      "%s %s(%s value, __local %s *parts)\n{\nconst int at = get_local_id(0);\n\n"
	                      "barrier(CLK_LOCAL_MEM_FENCE);\nparts[at] = value;\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
	                      "for (int width = ${= BLOCK / 2}; width > 0; width /= 2) {\nif (at < width) {\n"
	                      "const %s other = parts[at + width];\n\nvalue = %s;\nparts[at] = value;\n}\n"
	                      "barrier(CLK_LOCAL_MEM_FENCE);\n}\nreturn parts[0];\n}\n",
	                      word, type, name, type, type, type, combine);
	if (family->helpers.data == NULL || strstr(family->helpers.data, text) == NULL)
		kt_buf_adds(&family->helpers, text);
	return name;
}

const char *kt_rule_opencl_room(struct kt_family *family, enum kt_scalar scalar)
{
	const char *type = type_of(scalar), *text;

	if (kt_rule_target(family)->has_cuda_words || type == NULL)
		return "";
	text = kt_family_text(family, "__local %s parts_%s[${BLOCK}];\n", type, type);
	if (family->top.data == NULL || strstr(family->top.data, text) == NULL)
		kt_buf_adds(&family->top, text);
	return kt_family_text(family, ", parts_%s", type);
}

/* "(long)rows * 2 * (long)d": the count in the clause, where the kernel knows all of its names. NULL: it does not. */
static const char *count_text(struct kt_family *family, const struct kt_tree_variable *root)
{
	const char *text = kt_family_count(family, root);
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *said = NULL;

	while (text != NULL && *text != '\0') {
		const struct kt_tree_variable *v = NULL;
		size_t length = 0;

		while (kt_is_name_part(text[length]))
			length++;
		if (length == 0) {
			if (strchr(" +-*/()", *text) == NULL)
				goto done;
			kt_buf_addc(&out, *text++);
			continue;
		}
		for (size_t i = 0; i < family->kernel->variable_count && !isdigit((unsigned char)*text); i++) {
			const struct kt_tree_variable *one = family->kernel->variables[i];

			if (one->argument >= 0 && !one->is_pointer && one->writes == 0 && strlen(one->name) == length &&
			    memcmp(one->name, text, length) == 0)
				v = one;
		}
		if (v == NULL && !isdigit((unsigned char)*text))
			goto done;
		kt_buf_addf(&out, "%s%.*s", v != NULL ? "(long)" : "", (int)length, text);
		text += length;
	}
	if (text != NULL && !out.failed)
		said = kt_family_text(family, "%s", kt_buf_text(&out));
done:
	kt_buf_free(&out);
	return said;
}

const char *kt_rule_symbol_apart(struct kt_family *family, const struct kt_tree_variable *a,
                                 const struct kt_tree_variable *b)
{
	const struct kt_tree_variable *symbol = a->argument < 0 ? a : b, *pointer = a->argument < 0 ? b : a;
	const char *count = pointer->argument >= 0 ? count_text(family, pointer) : NULL;

	if (!kt_rule_target(family)->has_addresses || symbol->argument >= 0 || !symbol->is_array ||
	    symbol->is_unsized || count == NULL)
		return NULL;
	return kt_family_text(family,
	                      "(reinterpret_cast<const char *>(%s + %s) <= reinterpret_cast<const char *>(%s) || "
	                      "reinterpret_cast<const char *>(%s) + sizeof(%s) <= reinterpret_cast<const char *>(%s))",
	                      pointer->name, count, symbol->name, symbol->name, symbol->name, pointer->name);
}

const char *kt_rule_opencl_apart(struct kt_family *family, const struct kt_tree_variable *a,
                                 const struct kt_tree_variable *b)
{
	const char *left = count_text(family, a), *right = count_text(family, b);

	if (kt_rule_target(family)->has_addresses || left == NULL || right == NULL || a == b)
		return NULL;
	return kt_family_text(family, "((ulong)(%s + %s) <= (ulong)%s || (ulong)(%s + %s) <= (ulong)%s)", a->name, left,
	                      b->name, b->name, right, a->name);
}
