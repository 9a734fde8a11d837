#include "fused.h"

#include <string.h>

#include "words.h"

static void rename_to(struct kt_fused *f, size_t step, const char *from, const char *to)
{
	struct kt_fused_names *names = &f->steps[step];
	struct kt_fused_name *slot =
	    from[0] != '\0' ? kt_arena_push(f->scan->arena, &names->items, &names->count, sizeof *slot) : NULL;

	if (slot != NULL)
		*slot = (struct kt_fused_name){from, to};
}

static const char *renamed(const struct kt_fused *f, size_t step, const char *name, size_t length)
{
	const struct kt_fused_names *names = &f->steps[step];

	for (size_t i = names->count; i-- > 0;)
		if (strlen(names->items[i].from) == length && memcmp(names->items[i].from, name, length) == 0)
			return names->items[i].to;
	return NULL;
}

static bool is_in_body(const struct kt_local *local, const struct kt_region *kernel)
{
	return local->at >= kernel->body.begin && local->at < kernel->body.end && local->name[0] != '\0';
}

static bool has_local(const struct kt_fused *f, const struct kt_region *kernel, const char *name)
{
	for (size_t i = 0; i < f->scan->local_count; i++)
		if (is_in_body(&f->scan->locals[i], kernel) && strcmp(f->scan->locals[i].name, name) == 0)
			return true;
	return false;
}

static bool has_parameter(const struct kt_region *kernel, const char *name)
{
	for (size_t i = 0; i < kernel->argument_count; i++)
		if (kernel->arguments[i].name != NULL && strcmp(kernel->arguments[i].name, name) == 0)
			return true;
	return KT_FIND(kernel->templates, kernel->template_count, name, name) != NULL;
}

static const struct kt_region *kernel_of(const struct kt_fused *f, size_t step)
{
	return &f->found->steps[step].kernel->region;
}

/* What a kernel names that is not its own: functions, types, constants; `macros`: names that its macros have. */
static bool read_outside(struct kt_fused *f, size_t step, struct kt_words *outside, struct kt_words *macros)
{
	const struct kt_region *k = kernel_of(f, step);
	const struct kt_text *text = f->scan->text;
	struct kt_words all = {0, NULL};

	if (!kt_words_of_text(&all, f->scan, text, k->body.begin + 1, k->body.end - 1) ||
	    !kt_words_of_macros(macros, f->scan, &all))
		return false;
	for (size_t i = 0; i < all.count; i++)
		if (!has_local(f, k, all.items[i]) && !has_parameter(k, all.items[i]) &&
		    !kt_words_add(outside, f->scan, all.items[i]))
			return false;
	for (size_t i = 0; i < macros->count; i++)
		if (!has_local(f, k, macros->items[i]) && !has_parameter(k, macros->items[i]) &&
		    !kt_words_add(outside, f->scan, macros->items[i]))
			return false;
	return true;
}

struct naming {
	struct kt_fused *fused;
	struct kt_words *used;          /* arguments of the region, names of the kernels so far */
	const struct kt_words *outside; /* of each kernel */
};

/* A name without another declaration: `wanted`, else wanted_2 … */
static const char *free_name(struct naming *n, size_t step, const char *wanted)
{
	struct kt_fused *f = n->fused;
	const char *name = wanted;

	for (unsigned at = 2; name != NULL && at < 100; at++) {
		bool taken = kt_words_has(n->used, name);

		for (size_t s = 0; s < f->found->step_count && !taken; s++)
			taken = (s != step || name != wanted) &&
			        (kt_words_has(&n->outside[s], name) || (name != wanted && has_local(f, kernel_of(f, s), name)));
		if (!taken)
			return kt_words_add(n->used, f->scan, name) ? name : NULL;
		name = kt_arena_printf(f->scan->arena, "%s_%u", wanted, at);
	}
	return NULL;
}

/* "const int n" and "int n" are one type. */
static bool same_type(const char *a, const char *b)
{
	return strcmp(strncmp(a, "const ", 6) == 0 ? a + 6 : a, strncmp(b, "const ", 6) == 0 ? b + 6 : b) == 0;
}

/* What the kernel itself takes in place of this argument. NULL: what the region does. */
static const char *own_type(const struct kt_fused *f, size_t step, size_t argument)
{
	const struct kt_region *r = &f->found->region;
	const struct kt_region_step *s = &r->steps[step];
	const char *own = s->types[f->instance * s->argument_count + argument];

	return r->arguments[s->arguments[argument]].is_pointer ||
	               same_type(own, r->instances[f->instance].types[s->arguments[argument]])
	           ? NULL
	           : own;
}

/*
 * The names in one kernel's text: parameters have the signature's names; locals keep theirs where no kernel before used them.
 */
static bool read_names(struct naming *n, size_t step)
{
	struct kt_fused *f = n->fused;
	const struct kt_region *r = &f->found->region, *k = kernel_of(f, step);
	const struct kt_region_step *s = &r->steps[step];
	const struct kt_instance *own = &k->instances[f->found->steps[step].instances[f->instance]];

	if (own->argument_count != k->template_count)
		return false;
	for (size_t i = 0; i < k->template_count; i++) {
		if (strstr(k->templates[i].declaration, "...") != NULL ||
		    strncmp(k->templates[i].declaration, "template", 8) == 0)
			return false;
		rename_to(f, step, k->templates[i].name,
		          k->templates[i].is_type ? own->arguments[i]
		                                  : kt_arena_printf(f->scan->arena, "(%s)", own->arguments[i]));
	}
	for (size_t i = 0; i < f->scan->local_count; i++) {
		const struct kt_local *local = &f->scan->locals[i];
		const char *name;

		if (!is_in_body(local, k) || renamed(f, step, local->name, strlen(local->name)) != NULL)
			continue;
		NEED(name = free_name(n, step, local->name), false);
		rename_to(f, step, local->name, name);
	}
	/* Parameters last: they win over a local of an inner scope, which then would be another variable. */
	for (size_t i = 0; i < s->argument_count; i++) {
		const char *name = r->arguments[s->arguments[i]].name;

		if (has_local(f, k, s->names[i]))
			return false;
		if (own_type(f, step, i) != NULL)
			name = free_name(n, step, s->names[i][0] != '\0' ? s->names[i] : name);
		if (name == NULL)
			return false;
		rename_to(f, step, s->names[i], name);
	}
	return true;
}

static bool refuse(struct kt_fused *f, const char *format, const char *name)
{
	f->why = kt_arena_printf(f->scan->arena, format, name);
	return false;
}

/* What a macro names cannot get another name. */
static bool macros_keep_names(struct kt_fused *f, size_t step, const struct kt_words *macros)
{
	for (size_t i = 0; i < macros->count; i++) {
		const char *name = renamed(f, step, macros->items[i], strlen(macros->items[i]));

		if (name != NULL && strcmp(name, macros->items[i]) != 0)
			return refuse(f, "a macro names '%s', which other kernels of the region have, too: pass it to the macro",
			              macros->items[i]);
	}
	return true;
}

bool kt_fused_open(struct kt_fused *out, struct kt_scan *scan, const struct kt_found *found, size_t instance)
{
	const struct kt_region *r = &found->region;
	struct kt_words used = {0, NULL};
	struct kt_words *outside = kt_arena_array(scan->arena, found->step_count + 1, sizeof *outside);
	struct kt_words *macros = kt_arena_array(scan->arena, found->step_count + 1, sizeof *macros);
	struct naming naming = {out, &used, outside};

	*out = (struct kt_fused){.scan = scan, .found = found, .instance = instance};
	out->steps = kt_arena_array(scan->arena, found->step_count + 1, sizeof *out->steps);
	if (outside == NULL || macros == NULL || out->steps == NULL)
		return false;
	for (size_t s = 0; s < found->step_count; s++)
		if (!kt_words_are_kept(scan, kernel_of(out, s)->body))
			return refuse(out, KT_WORDS_CHANGE, kernel_of(out, s)->kernel);
		else if (!read_outside(out, s, &outside[s], &macros[s]))
			return false;
	for (size_t i = 0; i < r->argument_count; i++) {
		for (size_t s = 0; s < found->step_count; s++)
			if (kt_words_has(&outside[s], r->arguments[i].name))
				return refuse(out, "'%s' is an argument of the region, and means something else in one of its kernels",
				              r->arguments[i].name);
		if (!kt_words_add(&used, scan, r->arguments[i].name))
			return false;
	}
	for (size_t s = 0; s < found->step_count; s++)
		if (!read_names(&naming, s) || !macros_keep_names(out, s, &macros[s]))
			return false;
	return true;
}

void kt_fused_add_copies(struct kt_buf *out, const struct kt_fused *fused, size_t step)
{
	const struct kt_region *r = &fused->found->region;
	const struct kt_region_step *s = &r->steps[step];

	for (size_t i = 0; i < s->argument_count; i++) {
		const char *type = own_type(fused, step, i);

		if (type == NULL || s->names[i][0] == '\0')
			continue;
		type = strncmp(type, "const ", 6) == 0 ? type + 6 : type;
		kt_buf_addf(out, "%s %s = static_cast<%s>(%s);\n", type, renamed(fused, step, s->names[i], strlen(s->names[i])),
		            type, r->arguments[s->arguments[i]].name);
	}
}

void kt_fused_add_body(struct kt_buf *out, const struct kt_fused *fused, size_t step)
{
	const struct kt_region *k = kernel_of(fused, step);
	const struct kt_text *text = fused->scan->text;
	uint32_t at = k->body.begin + 1;

	for (size_t i = kt_token_at(text, at); i < text->count && text->tokens[i].end < k->body.end; i++) {
		const struct kt_token *token = &text->tokens[i];
		const char *name = NULL;
		bool member = i > 0 && (kt_token_is(text, i - 1, ".") || kt_token_is(text, i - 1, "->") ||
		                        kt_token_is(text, i - 1, "::"));

		if (token->kind == KT_TOKEN_NAME && !member)
			name = renamed(fused, step, text->data + token->begin, token->end - token->begin);
		kt_buf_add(out, text->data + at, token->begin - at);
		if (name != NULL)
			kt_buf_adds(out, name);
		else
			kt_buf_add(out, text->data + token->begin, token->end - token->begin);
		at = token->end;
	}
	kt_buf_add(out, text->data + at, k->body.end - 1 - at);
}
