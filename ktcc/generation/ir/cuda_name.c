/* Names and types of the CUDA printer. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "generation/ir/cuda_print.h"

static const char *const reserved[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
    "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const", "consteval", "constexpr", "constinit",
    "const_cast", "continue", "co_await", "co_return", "co_yield", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
    "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return", "short", "signed",
    "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw",
    "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
    "wchar_t", "while", "xor", "xor_eq", "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "min", "max",
};

/* The list that has the name, if any. */
static struct kt_ir_taken **list_of(const struct kt_ir_cuda *p, const char *name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (const char *c = name; *c != '\0'; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	return &p->taken[hash % KT_IR_TAKEN_LISTS];
}

static struct kt_ir_taken *find_taken(const struct kt_ir_cuda *p, const char *name)
{
	struct kt_ir_taken *t = *list_of(p, name);

	while (t != NULL && strcmp(t->name, name) != 0)
		t = t->others;
	return t;
}

static bool is_taken_elsewhere(const struct kt_ir_cuda *p, const char *name)
{
	return p->options->is_taken != NULL && p->options->is_taken(name, p->options->context);
}

static bool is_taken(const struct kt_ir_cuda *p, const char *name)
{
	return find_taken(p, name) != NULL || is_taken_elsewhere(p, name);
}

static struct kt_ir_taken *take(struct kt_ir_cuda *p, const char *name)
{
	struct kt_ir_taken *taken = kt_arena_alloc(p->arena, sizeof *taken), **list = list_of(p, name);

	if (taken == NULL) {
		kt_ir_cuda_fail(p, "out of memory");
		return NULL;
	}
	*taken = (struct kt_ir_taken){name, 2, *list};
	*list = taken;
	return taken;
}

const char *kt_ir_cuda_unique(struct kt_ir_cuda *p, const char *wanted)
{
	struct kt_ir_taken *of = find_taken(p, wanted);
	const char *name = wanted;

	/* A name that the options have gets its place as well, for the number that its next name has. */
	if (of == NULL && (of = take(p, wanted)) != NULL && !is_taken_elsewhere(p, wanted))
		return wanted;
	while (of != NULL && name != NULL && (name == wanted || is_taken(p, name)))
		name = kt_arena_printf(p->arena, "%s_%u", wanted, of->next++);
	if (name == NULL || of == NULL || take(p, name) == NULL) {
		kt_ir_cuda_fail(p, "out of memory");
		return "";
	}
	return name;
}

const char *kt_ir_cuda_name(struct kt_ir_cuda *p, const struct kt_ir_symbol *symbol)
{
	if (symbol->id >= p->module->next_id) {
		kt_ir_cuda_fail(p, "the symbol '%s' is of another module", symbol->hint);
		return "";
	}
	if (p->names[symbol->id] == NULL)
		p->names[symbol->id] = kt_ir_cuda_unique(p, symbol->hint[0] != '\0' ? symbol->hint : "t");
	return p->names[symbol->id];
}

void kt_ir_cuda_start_names(struct kt_ir_cuda *p)
{
	memset(p->taken, 0, KT_IR_TAKEN_LISTS * sizeof *p->taken);
	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		(void)take(p, reserved[i]);
	memset(p->names, 0, (size_t)p->module->next_id * sizeof *p->names);
	for (const struct kt_ir_function *f = p->module->functions; f != NULL; f = f->next)
		(void)take(p, f->name);
	for (const struct kt_ir_type *t = p->module->types; t != NULL; t = t->next)
		if (t->kind == KT_IR_STRUCT)
			(void)take(p, t->name);
	for (size_t i = 0; i < p->module->global_count; i++) {
		p->names[p->module->globals[i]->id] = p->module->globals[i]->hint;
		(void)take(p, p->module->globals[i]->hint);
	}
}

/* ---- Types ---- */

static const char *integer_name(const struct kt_ir_type *type)
{
	switch (type->bits) {
	case 8:
		return type->is_signed ? "signed char" : "unsigned char";
	case 16:
		return type->is_signed ? "short" : "unsigned short";
	case 32:
		return type->is_signed ? "int" : "unsigned int";
	case 64:
		return type->is_signed ? "long long" : "unsigned long long";
	default:
		return type->is_signed ? "__int128" : "unsigned __int128";
	}
}

static const char *const float_names[] = {"__half", "__nv_bfloat16", "float", "double"};

/* Bases of the toolkit's vector types, by what they are made of. */
static const struct {
	enum kt_ir_type_kind kind;
	unsigned bits;
	bool is_signed;
	enum kt_ir_format format;
	const char *names[4];
} vectors[] = {
    {KT_IR_INTEGER, 8, true, KT_IR_F16, {"char1", "char2", "char3", "char4"}},
    {KT_IR_INTEGER, 8, false, KT_IR_F16, {"uchar1", "uchar2", "uchar3", "uchar4"}},
    {KT_IR_INTEGER, 16, true, KT_IR_F16, {"short1", "short2", "short3", "short4"}},
    {KT_IR_INTEGER, 16, false, KT_IR_F16, {"ushort1", "ushort2", "ushort3", "ushort4"}},
    {KT_IR_INTEGER, 32, true, KT_IR_F16, {"int1", "int2", "int3", "int4"}},
    {KT_IR_INTEGER, 32, false, KT_IR_F16, {"uint1", "uint2", "uint3", "uint4"}},
    {KT_IR_INTEGER, 64, true, KT_IR_F16, {"longlong1", "longlong2", "longlong3", "longlong4"}},
    {KT_IR_INTEGER, 64, false, KT_IR_F16, {"ulonglong1", "ulonglong2", "ulonglong3", "ulonglong4"}},
    {KT_IR_FLOAT, 32, false, KT_IR_F32, {"float1", "float2", "float3", "float4"}},
    {KT_IR_FLOAT, 64, false, KT_IR_F64, {"double1", "double2", "double3", "double4"}},
    {KT_IR_FLOAT, 16, false, KT_IR_F16, {NULL, "__half2", NULL, NULL}},
    {KT_IR_FLOAT, 16, false, KT_IR_BF16, {NULL, "__nv_bfloat162", NULL, NULL}},
};

const char *kt_ir_cuda_vector(const struct kt_ir_type *type)
{
	const struct kt_ir_type *of = type->element;

	if (type->count < 1 || type->count > 4)
		return NULL;
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
		if (vectors[i].kind == of->kind && vectors[i].bits == of->bits &&
		    (of->kind == KT_IR_FLOAT ? vectors[i].format == of->format
					     : vectors[i].is_signed == of->is_signed))
			return vectors[i].names[type->count - 1];
	return NULL;
}

/* The name of a type that is neither an array nor a pointer. */
static const char *plain_name(struct kt_ir_cuda *p, const struct kt_ir_type *type)
{
	const char *name = NULL;

	switch (type->kind) {
	case KT_IR_VOID:
		return "void";
	case KT_IR_BOOL:
		return "bool";
	case KT_IR_INTEGER:
		return integer_name(type);
	case KT_IR_FLOAT:
		return float_names[type->format];
	case KT_IR_STRUCT:
		return type->name;
	case KT_IR_VECTOR:
		name = kt_ir_cuda_vector(type);
		break;
	case KT_IR_ARRAY:
	case KT_IR_POINTER:
	case KT_IR_OPAQUE:
		break;
	}
	if (name == NULL)
		kt_ir_cuda_fail(p, "a type has no name in CUDA C++");
	return name == NULL ? "" : name;
}

void kt_ir_cuda_declare(struct kt_ir_cuda *p, const struct kt_ir_type *type, const char *declarator)
{
	const char *inner = declarator;

	if (type->kind == KT_IR_ARRAY) {
		inner = type->count < 0 ? kt_arena_printf(p->arena, "%s[]", declarator)
					: kt_arena_printf(p->arena, "%s[%" PRId64 "]", declarator, type->count);
		if (inner == NULL)
			kt_ir_cuda_fail(p, "out of memory");
		else
			kt_ir_cuda_declare(p, type->element, inner);
		return;
	}
	if (type->kind == KT_IR_POINTER) {
		inner = kt_arena_printf(p->arena, type->element->kind == KT_IR_ARRAY ? "(*%s)" : "*%s", declarator);
		kt_buf_adds(p->out, type->is_const ? "const " : "");
		kt_buf_adds(p->out, type->is_volatile ? "volatile " : "");
		if (inner == NULL)
			kt_ir_cuda_fail(p, "out of memory");
		else
			kt_ir_cuda_declare(p, type->element, inner);
		return;
	}
	kt_buf_adds(p->out, plain_name(p, type));
	if (declarator[0] != '\0')
		kt_buf_addf(p->out, " %s", declarator);
}

void kt_ir_cuda_type(struct kt_ir_cuda *p, const struct kt_ir_type *type)
{
	kt_ir_cuda_declare(p, type, "");
}
