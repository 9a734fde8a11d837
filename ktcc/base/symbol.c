#include "base/symbol.h"

#include <ctype.h>
#include <string.h>

#define HASH_DIGITS 8 /* of the hashes in names with internal linkage */
#define LEAST_UNIT 13 /* bytes of a unit's name before its second hash */

static const char unnamed[] = "_GLOBAL__N_";
static const char static_tag[] = "__nv_static_";

static bool starts_with(const char *at, const char *end, const char *word)
{
	const size_t length = strlen(word);

	return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

static size_t count_while(const char *at, const char *end, int (*is)(int))
{
	size_t count = 0;

	while (at + count < end && is((unsigned char)at[count]))
		count++;
	return count;
}

/* A decimal number of at most four digits; *digits 0: none. */
static size_t read_number(const char *at, const char *end, size_t *digits)
{
	size_t value = 0;

	*digits = count_while(at, end, isdigit);
	if (*digits > 4)
		*digits = 0;
	for (size_t i = 0; i < *digits; i++)
		value = value * 10 + (size_t)(at[i] - '0');
	return value;
}

/*
 * The length of "<hash>_<n>_<n bytes of file name>_<hash>" at `at`, 0 when it is something else: nvcc's name of a
 * unit. In the place of the second hash is the mangled name of a function where the unit has one with external
 * linkage: the whole then has the length that nvcc writes before it, `counted`.
 */
static size_t unit_name_length(const char *at, const char *end, size_t counted)
{
	size_t length = HASH_DIGITS + 1, name, digits;

	if (count_while(at, end, isxdigit) < HASH_DIGITS || (size_t)(end - at) <= HASH_DIGITS || at[HASH_DIGITS] != '_')
		return 0;
	name = read_number(at + length, end, &digits);
	if (digits == 0)
		return 0;
	length += digits + 1 + name + 1;
	if ((size_t)(end - at) < length || at[length - 1] != '_')
		return 0;
	if (counted > length && counted <= (size_t)(end - at))
		return counted;
	return count_while(at + length, end, isxdigit) >= HASH_DIGITS ? length + HASH_DIGITS : 0;
}

/* Of a component whose text is at least so long: the length that ends the text before it; 0: there is none. */
static size_t counted_before(const struct kt_buf *before, size_t least)
{
	size_t value = 0, scale = 1;

	for (size_t i = 0; i < 4 && i < before->size && isdigit((unsigned char)before->data[before->size - 1 - i]); i++) {
		value += scale * (size_t)(before->data[before->size - 1 - i] - '0');
		scale *= 10;
		if (value > least)
			return value;
	}
	return 0;
}

/* Removes the mangled length before a name, which counts the characters of the file's name. */
static void trim_length(struct kt_buf *out, size_t least, size_t length)
{
	while (length > 0 && out->size > least && out->data[out->size - 1] == (char)('0' + length % 10)) {
		out->data[--out->size] = '\0';
		length /= 10;
	}
}

/*
 * What an unnamed namespace's name at `at` takes, 0: it is none. nvcc's carries the unit, clang's is always the same
 * and follows its length; what was unified has none.
 */
static size_t unnamed_length(const struct kt_buf *before, const char *at, const char *end)
{
	const size_t tag = sizeof unnamed - 1;

	if (!starts_with(at, end, unnamed))
		return 0;
	if (starts_with(at + tag, end, "_")) {
		const size_t counted = counted_before(before, tag + 1 + LEAST_UNIT);
		const size_t unit = unit_name_length(at + tag + 1, end, counted != 0 ? counted - tag - 1 : 0);

		return unit != 0 ? tag + 1 + unit : 0;
	}
	return starts_with(at + tag, end, "1") && before->size >= 2 && memcmp(before->data + before->size - 2, "12", 2) == 0
	           ? tag + 1 : 0;
}

static size_t internal_length(const struct kt_buf *before, const char *at, const char *end, const char *tag)
{
	const size_t counted = counted_before(before, strlen(tag) + LEAST_UNIT);
	const size_t unit = starts_with(at, end, tag)
	                        ? unit_name_length(at + strlen(tag), end, counted != 0 ? counted - strlen(tag) : 0)
	                        : 0;

	return unit != 0 ? strlen(tag) + unit : 0;
}

/* "__nv_static_25__6a1b3b9f_4_a_cu_0aeb4af4_" of "__nv_static_25__6a1b3b9f_4_a_cu_0aeb4af4__Z4copyPf". */
static size_t static_length(const char *at, const char *end)
{
	size_t digits, length = sizeof static_tag - 1;

	if (!starts_with(at, end, static_tag))
		return 0;
	const size_t unit = read_number(at + length, end, &digits);

	length += digits + 1 + unit + 1;
	return digits != 0 && unit != 0 && (size_t)(end - at) > length && at[length - 1] == '_' ? length : 0;
}

void kt_symbol_unify(struct kt_buf *out, const char *text, size_t size)
{
	static const char internal[] = "_INTERNAL_";
	const char *at = text, *end = text + size;
	const size_t least = out->size;

	while (at < end) {
		size_t skipped = 0;

		if (*at == '_' && (skipped = unnamed_length(out, at, end)) != 0) {
			trim_length(out, least, skipped);
			kt_buf_adds(out, unnamed);
		} else if (*at == '_' && (skipped = internal_length(out, at, end, internal)) != 0) {
			trim_length(out, least, skipped);
			kt_buf_adds(out, internal);
		} else if (*at == '_' && (skipped = static_length(at, end)) != 0) {
			kt_buf_adds(out, static_tag);
		} else {
			kt_buf_addc(out, *at);
			skipped = 1;
		}
		at += skipped;
	}
}

/* A mangled name in reading: the components of what is declared, which come before template arguments and types. */
struct path {
	const char *at;
	bool nested; /* else it has one component, and types follow, which may look like another */
	bool done;
};

static struct path open_path(const char *name)
{
	struct path path = {.at = name};

	if (strncmp(name, "_Z", 2) != 0)
		return path;
	path.at += 2;
	path.nested = *path.at == 'N';
	path.at += path.nested;
	return path;
}

/* The next component, without the L that clang puts before what has internal linkage. */
static bool next_component(struct path *path, const char **component, size_t *length)
{
	const char *at = path->at + (path->at[0] == 'L' && isdigit((unsigned char)path->at[1]));
	size_t digits;

	if (path->done)
		return false;
	path->done = !path->nested;
	/* What is unified has no length. */
	if (strncmp(at, unnamed, sizeof unnamed - 1) == 0) {
		*component = at;
		*length = sizeof unnamed - 1;
		path->at = at + *length;
		return true;
	}
	*length = read_number(at, at + strlen(at), &digits);
	if (digits == 0 || *length == 0 || strlen(at + digits) < *length)
		return false;
	*component = at + digits;
	path->at = at + digits + *length;
	return true;
}

const char *kt_symbol_normal(struct kt_arena *arena, const char *name)
{
	struct kt_buf unified = KT_BUF(KT_LIMIT_LINE_BYTES), out = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *kept = NULL, *component;
	size_t length;

	kt_symbol_unify(&unified, name, strlen(name));
	if (unified.failed)
		goto done;
	name = kt_buf_text(&unified);
	if (strncmp(name, static_tag, sizeof static_tag - 1) == 0 && name[sizeof static_tag - 1] != '\0')
		name += sizeof static_tag - 1;
	struct path path = open_path(name);

	kt_buf_add(&out, name, (size_t)(path.at - name));
	while (path.at != name && next_component(&path, &component, &length)) {
		if (component[0] == '_' && strncmp(component, unnamed, sizeof unnamed - 1) == 0)
			kt_buf_adds(&out, unnamed);
		else
			kt_buf_addf(&out, "%zu%.*s", length, (int)length, component);
	}
	kt_buf_adds(&out, path.at);
	if (!out.failed)
		kept = kt_arena_strdup(arena, kt_buf_text(&out));
done:
	kt_buf_free(&unified);
	kt_buf_free(&out);
	return kept;
}

const char *kt_symbol_variable(struct kt_arena *arena, const char *name)
{
	static const char within[] = "_ZN_INTERNAL_";
	struct kt_buf unified = KT_BUF(KT_LIMIT_LINE_BYTES), nested = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *out = NULL, *component;
	size_t length;

	kt_symbol_unify(&unified, name, strlen(name));
	const char *text = kt_buf_text(&unified);
	if (strncmp(text, static_tag, sizeof static_tag - 1) == 0 && text[sizeof static_tag - 1] != '\0')
		text += sizeof static_tag - 1;
	if (strncmp(text, within, sizeof within - 1) == 0) {
		kt_buf_addf(&nested, "_ZN%s", text + sizeof within - 1);
		text = kt_buf_text(&nested);
	}
	if (!unified.failed && !nested.failed)
		out = kt_symbol_normal(arena, text);
	struct path path = open_path(out != NULL ? out : "");
	/* nvcc mangles nothing at global scope, clang what is static there. */
	if (out != NULL && path.at != out && !path.nested && next_component(&path, &component, &length) && *path.at == '\0')
		out = component;
	kt_buf_free(&unified);
	kt_buf_free(&nested);
	return out;
}

/* Is the component the next of the namespaces and the name? *qualified moves past it. */
static bool takes_component(const char **qualified, const char *component, size_t length)
{
	static const char anonymous[] = "(anonymous namespace)::";

	if (strncmp(*qualified, anonymous, sizeof anonymous - 1) == 0)
		*qualified += sizeof anonymous - 1;
	if (strncmp(*qualified, component, length) != 0)
		return false;
	if (strncmp(*qualified + length, "::", 2) == 0)
		*qualified += length + 2;
	else if ((*qualified)[length] == '\0')
		*qualified += length;
	else
		return false;
	return true;
}

/* Is it a function of these namespaces and this name? *rest: its template arguments and types. */
static bool has_path(const char **rest, const char *name, const struct kt_symbol_wanted *wanted)
{
	const char *qualified = wanted->qualified, *component;
	bool in_anonymous = false;
	size_t length;

	if (wanted->is_extern_c) {
		const char *last = strrchr(qualified, ':');

		*rest = "";
		return strcmp(name, last != NULL ? last + 1 : qualified) == 0;
	}
	struct path path = open_path(name);

	while (*qualified != '\0' && path.at != name && next_component(&path, &component, &length)) {
		if (length == sizeof unnamed - 1 && strncmp(component, unnamed, length) == 0)
			in_anonymous = true;
		else if (!takes_component(&qualified, component, length))
			return false;
	}
	*rest = path.at;
	return *qualified == '\0' && path.at != name && in_anonymous == wanted->in_anonymous &&
	       (!path.nested || path.at[0] == 'E' || path.at[0] == 'I');
}

static const struct {
	const char *type, *code;
} builtins[] = {
    {"void", "v"}, {"bool", "b"}, {"char", "c"}, {"signed char", "a"}, {"unsigned char", "h"}, {"short", "s"},
    {"unsigned short", "t"}, {"int", "i"}, {"unsigned int", "j"}, {"unsigned", "j"}, {"long", "l"},
    {"unsigned long", "m"}, {"size_t", "m"}, {"long long", "x"}, {"unsigned long long", "y"}, {"float", "f"},
    {"double", "d"}, {"wchar_t", "w"},
};

/* A type of one word; others have substitutions, which need the whole name. */
static bool add_type(struct kt_buf *out, const char *type)
{
	for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
		if (strcmp(builtins[i].type, type) == 0) {
			kt_buf_adds(out, builtins[i].code);
			return true;
		}
	for (const char *at = type; *at != '\0'; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			return false;
	kt_buf_addf(out, "%zu%s", strlen(type), type);
	return true;
}

static bool add_argument(struct kt_buf *out, const char *argument, const char *type)
{
	if (type == NULL)
		return add_type(out, argument);
	if (strcmp(argument, "true") == 0 || strcmp(argument, "false") == 0)
		argument = argument[0] == 't' ? "1" : "0";
	/* "(Mode)3" */
	const char *value = argument[0] == '(' && strchr(argument, ')') != NULL ? strchr(argument, ')') + 1 : argument;

	kt_buf_addc(out, 'L');
	if (!add_type(out, type))
		return false;
	kt_buf_addf(out, "%s%sE", value[0] == '-' ? "n" : "", value + (value[0] == '-'));
	return true;
}

static bool has_arguments(const char *rest, const struct kt_symbol_wanted *wanted)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	bool known = wanted->arguments != NULL;

	kt_buf_addc(&text, 'I');
	for (size_t i = 0; known && i < wanted->argument_count; i++)
		known = add_argument(&text, wanted->arguments[i], wanted->types != NULL ? wanted->types[i] : NULL);
	kt_buf_addc(&text, 'E');
	known = known && !text.failed && strncmp(rest, kt_buf_text(&text), text.size) == 0;
	kt_buf_free(&text);
	return known;
}

/* The only name for which `narrow` is not asked, or holds; count: none or several. */
static size_t find_by_path(const char *const *names, size_t count, const struct kt_symbol_wanted *wanted, bool narrow,
                           size_t *found)
{
	size_t at = count;

	*found = 0;
	for (size_t i = 0; i < count; i++) {
		const char *rest;

		if (!has_path(&rest, names[i], wanted) || (rest[0] == 'I') != (wanted->argument_count != 0) ||
		    (narrow && !has_arguments(rest, wanted)))
			continue;
		at = i;
		(*found)++;
	}
	return *found == 1 ? at : count;
}

size_t kt_symbol_find(const char *const *names, size_t count, const struct kt_symbol_wanted *wanted)
{
	struct kt_arena *arena = kt_arena_new(KT_LIMIT_OUTPUT_BYTES);
	const char **normal = arena != NULL ? kt_arena_array(arena, count + 1, sizeof *normal) : NULL;
	const char *symbol = wanted->symbol != NULL && normal != NULL ? kt_symbol_normal(arena, wanted->symbol) : NULL;
	size_t at = count, found = 0;
	bool whole = normal != NULL;

	for (size_t i = 0; whole && i < count; i++) {
		normal[i] = kt_symbol_normal(arena, names[i]);
		whole = normal[i] != NULL;
		if (whole && symbol != NULL && strcmp(normal[i], symbol) == 0)
			at = i;
	}
	/* Compilers may differ in how they mangle what depends on template parameters, and in nothing else. */
	if (whole && at == count && (symbol == NULL || wanted->argument_count != 0))
		at = find_by_path(normal, count, wanted, false, &found);
	if (whole && found > 1)
		at = find_by_path(normal, count, wanted, true, &found);
	kt_arena_free(arena);
	return at;
}
