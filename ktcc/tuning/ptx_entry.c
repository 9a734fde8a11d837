#include "tuning/ptx_entry.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* A name in the text, or what becomes of it. */
struct name {
	const char *at;
	size_t length;
	size_t value; /* items: the last of that name; numbers: one more than the number */
};

/* Names to values: open addressing, at most half full. */
struct names {
	size_t places, count;
	struct name *table;
};

/* A statement of the module: a kernel, a function, a variable, or a declaration of one. */
struct item {
	const char *begin, *end;
	const char *name;
	size_t length;
	size_t same;   /* one more than the item of this name before it; 0: none */
	bool wanted;
};

struct kt_ptx_module {
	struct kt_arena *arena;
	size_t item_count;
	struct item *items;
	size_t kernel_count;
	const char **kernels;
	size_t *kernel_items;
	struct names index;
	size_t queue_count;
	size_t *queue;
};

static uint64_t hash_of(const char *at, size_t length)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)at[i]) * 1099511628211u;
	return hash;
}

/* The place of a name, or the free one where it belongs. */
static struct name *place_of(const struct names *names, const char *at, size_t length)
{
	size_t place = (size_t)hash_of(at, length) & (names->places - 1);

	while (names->table[place].at != NULL &&
	       (names->table[place].length != length || memcmp(names->table[place].at, at, length) != 0))
		place = (place + 1) & (names->places - 1);
	return &names->table[place];
}

static bool grow(struct names *names, struct kt_arena *arena)
{
	struct names larger = {.places = names->places != 0 ? names->places * 2 : 256, .count = names->count};

	if (names->count * 2 < names->places)
		return true;
	NEED(larger.table = kt_arena_array(arena, larger.places, sizeof *larger.table), false);
	for (size_t i = 0; i < names->places; i++)
		if (names->table[i].at != NULL)
			*place_of(&larger, names->table[i].at, names->table[i].length) = names->table[i];
	*names = larger;
	return true;
}

/* The entry of a name, made where there is none (value 0). NULL: out of memory. */
static struct name *name_entry(struct names *names, struct kt_arena *arena, const char *at, size_t length)
{
	if (!grow(names, arena))
		return NULL;
	struct name *place = place_of(names, at, length);

	if (place->at == NULL) {
		*place = (struct name){at, length, 0};
		names->count++;
	}
	return place;
}

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$';
}

static bool is_name_part(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

/*
 * The end of the word at `at`: a name, a directive or an instruction with its dots, a number, a quoted text, one
 * sign.
 */
static const char *word_end(const char *at, const char *end)
{
	const char *stop = at + 1;

	if (*at == '"') {
		while (stop < end && *stop != '"')
			stop++;
		return stop < end ? stop + 1 : end;
	}
	if (is_name_start(*at) || *at == '.' || *at == '%' || isdigit((unsigned char)*at))
		while (stop < end && is_name_part(*stop))
			stop++;
	return stop;
}

static bool is_word(const char *at, const char *stop, const char *word)
{
	return (size_t)(stop - at) == strlen(word) && memcmp(at, word, strlen(word)) == 0;
}

/* A statement while it is read: to ";" outside of braces, of what has a body to the "}" that closes it. */
struct reader {
	struct item item;
	int braces, brackets;
	bool has_body, is_kernel;
};

static void take_word(struct reader *r, const char *at, const char *stop)
{
	r->braces += (*at == '{') - (*at == '}');
	r->brackets += (*at == '(') - (*at == ')');
	r->is_kernel = r->is_kernel || is_word(at, stop, ".entry");
	r->has_body = r->has_body || is_word(at, stop, ".entry") || is_word(at, stop, ".func") ||
	              is_word(at, stop, ".section");
	/* A function's result comes before its name, in brackets. */
	if (r->item.name == NULL && r->braces == 0 && r->brackets == 0 && is_name_start(*at)) {
		r->item.name = at;
		r->item.length = (size_t)(stop - at);
	}
}

static bool ends(const struct reader *r, const char *at)
{
	return r->braces <= 0 && (*at == ';' || (*at == '}' && r->has_body));
}

static bool add_item(struct kt_ptx_module *m, const struct reader *r)
{
	struct item *slot;
	struct name *entry;

	if (r->item.name == NULL)
		return true;
	slot = kt_arena_push(m->arena, &m->items, &m->item_count, sizeof *slot);
	entry = name_entry(&m->index, m->arena, r->item.name, r->item.length);
	if (slot == NULL || entry == NULL)
		return false;
	*slot = r->item;
	slot->same = entry->value;
	entry->value = m->item_count;
	if (!r->is_kernel)
		return true;
	size_t items = m->kernel_count;
	const char **name = kt_arena_push(m->arena, &m->kernels, &m->kernel_count, sizeof *name);
	size_t *item = kt_arena_push(m->arena, &m->kernel_items, &items, sizeof *item);

	if (name == NULL || item == NULL)
		return false;
	*name = kt_arena_strndup(m->arena, r->item.name, r->item.length);
	*item = m->item_count - 1;
	return *name != NULL;
}

/* Directives without a terminator, which take a line: ".address_size 64". */
static bool is_line(const char *at, const char *stop)
{
	return is_word(at, stop, ".address_size") || is_word(at, stop, ".version") || is_word(at, stop, ".target");
}

static bool read_items(struct kt_ptx_module *m, const char *at, const char *end)
{
	while (at < end) {
		struct reader r = {.item = {.begin = at}};
		bool open = true;

		while (at < end && open) {
			if (isspace((unsigned char)*at)) {
				at++;
				continue;
			}
			const char *stop = word_end(at, end);

			if (r.item.begin < at && isspace((unsigned char)*r.item.begin))
				r.item.begin = at;
			take_word(&r, at, stop);
			if (r.item.begin == at && is_line(at, stop)) {
				stop = memchr(at, '\n', (size_t)(end - at));
				stop = stop != NULL ? stop + 1 : end;
				open = false;
			} else {
				open = !ends(&r, at);
			}
			at = stop;
		}
		r.item.end = at;
		if (!add_item(m, &r))
			return false;
	}
	return true;
}

kt_status kt_ptx_open(struct kt_ptx_module **out, struct kt_arena *arena, const char *ptx, size_t size,
                      struct kt_error *err)
{
	struct kt_ptx_module *m = kt_arena_alloc(arena, sizeof *m);

	NEED(m, kt_fail(err, KT_ERR_MEMORY, "out of memory reading ptx"));
	*m = (struct kt_ptx_module){.arena = arena};
	if (!grow(&m->index, arena) || !read_items(m, ptx, ptx + size) ||
	    (m->queue = kt_arena_array(arena, m->item_count + 1, sizeof *m->queue)) == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading ptx");
	*out = m;
	return KT_OK;
}

size_t kt_ptx_kernels(const char *const **names, const struct kt_ptx_module *module)
{
	*names = module->kernels;
	return module->kernel_count;
}

/* All that bears the name: a declaration and a definition. */
static void want(struct kt_ptx_module *m, const char *at, size_t length)
{
	size_t first = m->queue_count;

	for (size_t i = place_of(&m->index, at, length)->value; i != 0; i = m->items[i - 1].same)
		if (!m->items[i - 1].wanted) {
			m->items[i - 1].wanted = true;
			m->queue[m->queue_count++] = i - 1;
		}
	/* The chain goes backwards. */
	for (size_t last = m->queue_count; first + 1 < last; first++) {
		const size_t swapped = m->queue[--last];

		m->queue[last] = m->queue[first];
		m->queue[first] = swapped;
	}
}

/* Names that are numbered over the module. */
static bool is_numbered(const char *at, const char *stop)
{
	static const char *const starts[] = {"$", "__local_depot", "__unnamed_", "prototype_"};

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		const size_t length = strlen(starts[i]);

		if ((size_t)(stop - at) > length && memcmp(at, starts[i], length) == 0)
			return true;
	}
	return false;
}

/* Words of an extraction: numbers of names, and what the text declares inside of a function. */
struct extraction {
	struct kt_buf *out;
	struct kt_ptx_module *module;
	struct names numbers, declared;
	bool is_unnamed; /* every name that the module gives is a number */
	bool begins;     /* a statement begins here */
	bool declares;   /* the next name is that of a variable */
	size_t later_count;
	struct later *later; /* of the item that is written */
};

/* A declaration of an array in shared memory, which is written after the code that names it: no address depends on its place. */
struct later {
	const char *begin, *end;
	const char *name;
	size_t length;
};

/* The part of a name that is numbered: all of it, that of a function in the name of its parameter, or 0: none. */
static size_t numbered_length(struct extraction *e, const char *at, const char *stop)
{
	static const char parameter[] = "_param_";
	size_t length = (size_t)(stop - at);

	if (is_numbered(at, stop))
		return length;
	if (!e->is_unnamed)
		return 0;
	if (place_of(&e->module->index, at, length)->value != 0 ||
	    (e->declared.places != 0 && place_of(&e->declared, at, length)->at != NULL))
		return length;
	while (length > 0 && isdigit((unsigned char)at[length - 1]))
		length--;
	if (length <= sizeof parameter - 1 ||
	    memcmp(at + length - (sizeof parameter - 1), parameter, sizeof parameter - 1) != 0)
		return 0;
	length -= sizeof parameter - 1;
	return place_of(&e->module->index, at, length)->value != 0 ? length : 0;
}

/* Follows declarations of variables: ".shared .align 4 .b8 NAME[1024];". False: out of memory. */
static bool follow(struct extraction *e, const char *at, const char *stop)
{
	static const char *const spaces[] = {".shared", ".local", ".global", ".const"};

	if (isspace((unsigned char)*at))
		return true;
	for (size_t i = 0; e->begins && i < sizeof spaces / sizeof *spaces; i++)
		e->declares = e->declares || is_word(at, stop, spaces[i]);
	e->begins = *at == ';' || *at == '{' || *at == '}';
	if (!e->declares || !is_name_start(*at))
		return true;
	e->declares = false;
	return name_entry(&e->declared, e->module->arena, at, (size_t)(stop - at)) != NULL;
}

/* How a kernel or function is seen by other modules, and the blank after that: part of its name. */
static const char *behind_linkage(const char *at, const char *end)
{
	static const char *const words[] = {".visible ", ".weak "};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if ((size_t)(end - at) > strlen(words[i]) && strncmp(at, words[i], strlen(words[i])) == 0)
			return at + strlen(words[i]);
	return at;
}

static bool add_word(struct extraction *e, const char *at, const char *stop)
{
	size_t length;

	if (!follow(e, at, stop))
		return false;
	if (is_name_start(*at))
		want(e->module, at, (size_t)(stop - at));
	length = is_name_start(*at) ? numbered_length(e, at, stop) : 0;
	if (length > 0) {
		struct name *number = name_entry(&e->numbers, e->module->arena, at, length);

		NEED(number, false);
		if (number->value == 0)
			number->value = e->numbers.count;
		kt_buf_addf(e->out, "$%zu", number->value);
	}
	kt_buf_add(e->out, at + length, (size_t)(stop - at) - length);
	return true;
}

/* Does a declaration of an array in shared memory begin at this word, inside of an item? */
static bool is_shared(const struct extraction *e, const struct item *item, const char *at, const char *stop)
{
	return e->is_unnamed && e->begins && at > item->begin && is_word(at, stop, ".shared");
}

/* Keeps the declaration at *at for later; *at: what follows it. False: out of memory. */
static bool defer(struct extraction *e, const char **at, const char *end)
{
	struct later *slot = kt_arena_push(e->module->arena, &e->later, &e->later_count, sizeof *slot);
	const char *word = *at;

	NEED(slot, false);
	*slot = (struct later){.begin = word};
	for (const char *stop; word < end && *word != ';'; word = stop) {
		stop = word_end(word, end);
		if (slot->name == NULL && is_name_start(*word)) {
			slot->name = word;
			slot->length = (size_t)(stop - word);
		}
	}
	slot->end = word;
	*at = word < end ? word + 1 : end;
	return slot->name == NULL || name_entry(&e->declared, e->module->arena, slot->name, slot->length) != NULL;
}

static bool add_one_later(struct extraction *e, const struct later *one)
{
	e->begins = false;
	for (const char *at = one->begin, *stop; at < one->end; at = stop) {
		stop = word_end(at, one->end);
		if (!add_word(e, at, stop))
			return false;
	}
	kt_buf_adds(e->out, ";\n");
	return true;
}

/* Those that the code names, in the order in which it does, then the others. */
static bool add_later(struct extraction *e)
{
	const size_t named = e->numbers.count;

	for (size_t number = 1; number <= named + 1; number++)
		for (size_t i = 0; i < e->later_count; i++) {
			const struct later *one = &e->later[i];
			const size_t own = one->name != NULL && named > 0 ? place_of(&e->numbers, one->name, one->length)->value : 0;

			if ((own == number || (number > named && (own == 0 || own > named))) && !add_one_later(e, one))
				return false;
		}
	e->later_count = 0;
	e->later = NULL;
	return true;
}

static kt_status extract(struct kt_buf *out, struct kt_ptx_module *module, size_t kernel, bool is_unnamed,
                         struct kt_error *err)
{
	struct extraction e = {.out = out, .module = module, .is_unnamed = is_unnamed};

	for (size_t i = 0; i < module->item_count; i++)
		module->items[i].wanted = false;
	module->queue_count = 0;
	want(module, module->items[module->kernel_items[kernel]].name, module->items[module->kernel_items[kernel]].length);
	for (size_t done = 0; done < module->queue_count; done++) {
		const struct item *item = &module->items[module->queue[done]];

		e.begins = true;
		for (const char *at = is_unnamed ? behind_linkage(item->begin, item->end) : item->begin; at < item->end;) {
			const char *stop = word_end(at, item->end);

			if (is_shared(&e, item, at, stop) ? !defer(&e, &at, item->end) : !add_word(&e, at, stop))
				return kt_fail(err, KT_ERR_MEMORY, "out of memory reading ptx");
			at = stop > at ? stop : at;
		}
		kt_buf_addc(out, '\n');
		if (!add_later(&e))
			return kt_fail(err, KT_ERR_MEMORY, "out of memory reading ptx");
	}
	return kt_buf_check(out, "ptx of a kernel", err);
}

kt_status kt_ptx_extract(struct kt_buf *out, struct kt_ptx_module *module, size_t kernel, struct kt_error *err)
{
	return extract(out, module, kernel, false, err);
}

kt_status kt_ptx_extract_unnamed(struct kt_buf *out, struct kt_ptx_module *module, size_t kernel, struct kt_error *err)
{
	return extract(out, module, kernel, true, err);
}
