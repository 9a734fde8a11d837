/* A launch region: its kernels, the signature that its host expressions make, geometry, keys. */
#include "sequence.h"

#include <string.h>

#include "expand.h"
#include "instances.h"

/* A name in quotes. */
static const char *quoted(struct kt_scan *scan, const char *name)
{
	const char *text = kt_arena_printf(scan->arena, "'%s'", name);
	return text != NULL ? text : name;
}

void kt_step_decline(struct kt_scan *scan, struct kt_found *found, const struct kt_found_step *step, const char *reason,
                     const char *what)
{
	uint32_t line = 0, column = 0;
	kt_scan_position(scan, step->call->extent.begin, &line, &column);
	kt_found_decline(scan, found, reason, "line %u: %s", line, what);
}

/* ---- the kernels */

size_t kt_callee_item(const struct kt_scan *scan, const struct kt_callee_of *callee)
{
	CXCursor target = callee->target;
	if (callee->dependent) {
		if (kt_clang.getNumOverloadedDecls(callee->overloads) != 1)
			return KT_NO_ITEM;
		target = kt_clang.getOverloadedDecl(callee->overloads, 0);
	}
	if (kt_clang.Cursor_isNull(target) != 0)
		return KT_NO_ITEM;
	CXCursor from = kt_clang.getSpecializedCursorTemplate(target);
	for (size_t i = 0; i < scan->item_count; i++) {
		const struct kt_item *item = &scan->items[i];
		if (item->is_function && item->is_global &&
		    (kt_scan_same(scan, item->cursor, target) ||
		     (kt_clang.Cursor_isNull(from) == 0 && kt_scan_same(scan, item->cursor, from))))
			return i;
	}
	return KT_NO_ITEM;
}

/* Reads a function that has no separate pragma. NULL: out of memory. */
static struct kt_found *read_function(struct kt_scan *scan, size_t item, struct kt_error *err)
{
	struct kt_found *found = kt_arena_alloc(scan->arena, sizeof *found);
	struct kt_pragma *pragma = kt_arena_alloc(scan->arena, sizeof *pragma);
	if (found == NULL || pragma == NULL) {
		(void)kt_no_memory(err);
		return NULL;
	}
	found->pragma = pragma;
	found->item = item;
	return kt_scan_signature(scan, found, err) == KT_OK ? found : NULL;
}

/* Steps that launch the same kernel share what is known about it. */
static struct kt_found *kernel_of(struct kt_scan *scan, struct kt_found *found, size_t step, size_t item,
                                  struct kt_error *err)
{
	struct kt_found *kernel = read_function(scan, item, err);
	for (size_t i = 0; kernel != NULL && i < step; i++)
		if (found->steps[i].kernel != NULL && found->steps[i].kernel->item == kernel->item)
			return found->steps[i].kernel;
	return kernel;
}

/* The arguments in the call, then the kernel's defaults; false when they do not fit. */
static bool read_arguments(struct kt_scan *scan, struct kt_found_step *step)
{
	const struct kt_region *k = &step->kernel->region;
	const struct kt_launch *l = &step->launch;
	NEED(step->arguments = kt_arena_array(scan->arena, k->argument_count + 2, sizeof *step->arguments), false);
	step->argument_count =
	    kt_split_list(scan, l->close.end, l->end.begin, step->arguments, k->argument_count + 1);
	for (; step->argument_count < k->argument_count; step->argument_count++) {
		const char *text = k->arguments[step->argument_count].default_text;
		NEED(text, false);
		step->arguments[step->argument_count] = text;
	}
	return step->argument_count == k->argument_count;
}

/* The template arguments in the call, then the defaults; false when some would have to be deduced. */
static bool read_templates(struct kt_scan *scan, struct kt_found_step *step, size_t angle)
{
	const struct kt_region *k = &step->kernel->region;
	const char **written = NULL;
	size_t count = 0, end = 0;
	step->templates = kt_arena_array(scan->arena, k->template_count + 1, sizeof *step->templates);
	if (step->templates == NULL ||
	    (angle < scan->text->count && !kt_split_angle(scan, scan->text, angle, &written, &count, &end)))
		return false;
	for (size_t i = 0; i < k->template_count; i++) {
		step->templates[i] = i < count ? written[i] : k->templates[i].default_text;
		if (step->templates[i] == NULL)
			return false;
	}
	step->template_count = k->template_count;
	return count <= k->template_count;
}

static kt_status read_step(struct kt_scan *scan, struct kt_found *found, size_t index, struct kt_error *err)
{
	struct kt_found_step *step = &found->steps[index];
	struct kt_callee_of callee = kt_callee_read(step->call->callee);
	size_t item = kt_callee_item(scan, &callee), angle = 0;
	if (item == KT_NO_ITEM) {
		kt_step_decline(scan, found, step, "launch-form", "the callee is no kernel's name; launch the kernel by its name");
		return KT_OK;
	}
	NEED(step->kernel = kernel_of(scan, found, index, item, err), err->code);
	const struct kt_region *k = &step->kernel->region;
	if (k->decline != NULL) {
		kt_found_decline(scan, found, k->decline, k->decline_detail != NULL ? "%s" : NULL, k->decline_detail);
		return KT_OK;
	}
	const char *reason = kt_launch_parts(scan, step->call, k->kernel, &step->launch, &angle);
	if (reason == NULL && (step->call->function->is_global || step->call->function->is_device_data))
		reason = "launch-from-device";
	step->dependent = callee.dependent && k->template_count > 0;
	if (reason == NULL && !callee.dependent && k->template_count > 0 &&
	    kt_callee_is_specialised(scan, step->kernel, callee.target))
		reason = "launch-form";
	if (reason != NULL)
		kt_step_decline(scan, found, step, reason, quoted(scan, k->kernel));
	else if (step->dependent && !read_templates(scan, step, angle))
		kt_step_decline(scan, found, step, "no-instance",
		                "the launch names no template arguments; write them: `kernel<…><<<…>>>`");
	else if (!read_arguments(scan, step))
		kt_step_decline(scan, found, step, "launch-form", "the number of arguments is not the kernel's; pass each of them");
	return KT_OK;
}

/* The kernels' text and what they name must be found from one place, which is in front of the host function. */
static void check_places(struct kt_scan *scan, struct kt_found *found)
{
	struct kt_region *r = &found->region;
	const struct kt_found *last = NULL;
	for (size_t i = 0; i < found->step_count; i++) {
		const struct kt_found *kernel = found->steps[i].kernel;
		const struct kt_item *item = &scan->items[kernel->item], *first = &scan->items[found->steps[0].kernel->item];
		if (strcmp(item->scope, first->scope) != 0)
			kt_step_decline(scan, found, &found->steps[i], "launch-region-scope", quoted(scan, kernel->region.qualified));
		if (kernel->region.extent.end > scan->items[found->host].begin)
			kt_step_decline(scan, found, &found->steps[i], "launch-region-order",
			           "the kernel is defined after the function that launches it; move it before that function");
		const char *detail = NULL, *setting = kt_kernel_setting(scan, kernel, &detail);
		if (setting != NULL && detail != NULL)
			kt_step_decline(scan, found, &found->steps[i], setting, detail);
		if (last == NULL || kernel->region.extent.end > last->region.extent.end)
			last = kernel;
	}
	r->kernel = found->steps[0].kernel->region.kernel;
	r->qualified = found->steps[0].kernel->region.qualified;
	r->extent = last->region.extent;
	r->is_static = last->region.is_static;
	r->is_extern_c = last->region.is_extern_c;
	r->in_anonymous_namespace = last->region.in_anonymous_namespace;
	r->unnamed_outside = last->region.unnamed_outside;
	r->reopened = last->region.reopened;
}

static void check_expressions(struct kt_scan *scan, struct kt_found *found)
{
	const char *stream = NULL;
	for (size_t i = 0; i < found->step_count; i++) {
		struct kt_found_step *step = &found->steps[i];
		const char *parts[5] = {NULL};
		size_t count = kt_split_list(scan, step->launch.open.end, step->launch.close.begin, parts, 5);
		const char *here = count > 3 ? parts[3] : "0";
		if (stream != NULL && strcmp(stream, here) != 0)
			kt_step_decline(scan, found, step, "launch-region-streams",
			           kt_arena_printf(scan->arena, "'%s' and '%s'", stream, here));
		stream = here;
	}
}

/* ---- instances */

/* Of a host that is no template: what its launches call. False: declined. */
static bool bind_plain(struct kt_scan *scan, struct kt_found *found)
{
	for (size_t s = 0; s < found->step_count; s++) {
		struct kt_found_step *step = &found->steps[s];
		struct kt_callee_of callee = kt_callee_read(step->call->callee);
		int64_t instance = 0;
		if (step->dependent || (step->kernel->region.template_count == 0 && step->kernel->region.instance_count == 0))
			instance = -1;
		else if (step->kernel->region.template_count > 0)
			instance = kt_instance_from_cursor(scan, step->kernel, callee.target);
		step->instances = kt_arena_array(scan->arena, 1, sizeof *step->instances);
		if (instance < 0 || step->instances == NULL) {
			kt_step_decline(scan, found, step, "no-instance", quoted(scan, step->kernel->region.kernel));
			return false;
		}
		step->instances[0] = (size_t)instance;
	}
	return true;
}

/* Of each instance of a host template. */
static bool bind_templates(struct kt_scan *scan, struct kt_found *found)
{
	const struct kt_region *r = &found->region;
	const char **names = kt_arena_array(scan->arena, r->template_count + 1, sizeof *names);
	for (size_t i = 0; names != NULL && i < r->template_count; i++)
		names[i] = r->templates[i].name;
	for (size_t s = 0; names != NULL && s < found->step_count; s++) {
		struct kt_found_step *step = &found->steps[s];
		struct kt_region *k = &step->kernel->region;
		const char **texts = kt_arena_array(scan->arena, k->template_count + 1, sizeof *texts);
		size_t *instances = kt_arena_array(scan->arena, r->instance_count + 1, sizeof *instances);
		int64_t instance = texts != NULL && instances != NULL ? 0 : -1;
		/* One that does not depend on the host's parameters is the same in all. */
		if (instance == 0 && !step->dependent && k->template_count > 0)
			instance = kt_instance_from_cursor(scan, step->kernel, kt_callee_read(step->call->callee).target);
		for (size_t i = 0; i < r->instance_count && instance >= 0; i++) {
			for (size_t t = 0; step->dependent && t < k->template_count; t++)
				texts[t] = kt_substitute(scan, step->templates[t], names, r->instances[i].arguments, r->template_count);
			if (step->dependent)
				instance = kt_instance_from_text(scan, step->kernel, texts, k->template_count);
			instances[i] = instance >= 0 ? (size_t)instance : 0;
		}
		if (instance < 0) {
			kt_step_decline(scan, found, step, "no-instance", quoted(scan, k->kernel));
			return false;
		}
		step->instances = instances;
	}
	return names != NULL;
}

/* One module holds all kernels, and a function is found in it by its kernel's name. */
static void check_twins(struct kt_scan *scan, struct kt_found *found)
{
	for (size_t a = 0; a < found->step_count; a++)
		for (size_t b = 0; b < a; b++)
			for (size_t i = 0; i < found->region.instance_count; i++) {
				const struct kt_found_step *one = &found->steps[a], *other = &found->steps[b];
				if (strcmp(one->kernel->region.kernel, other->kernel->region.kernel) == 0 &&
				    (one->kernel != other->kernel || one->instances[i] != other->instances[i]))
					kt_step_decline(scan, found, one, "no-instance",
					                "the block launches several instances of one kernel; write a block for each");
			}
}

static kt_status plain_instance(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	struct kt_instance *i;
	NEED(i = kt_arena_push(scan->arena, &r->instances, &r->instance_count, sizeof *i), kt_no_memory(err));
	i->name = scan->items[found->host].name;
	i->elements = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *i->elements);
	i->types = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *i->types);
	i->layouts = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *i->layouts);
	if (i->elements == NULL || i->types == NULL || i->layouts == NULL)
		return kt_no_memory(err);
	for (size_t s = 0; s < r->step_count; s++) {
		const struct kt_instance *from =
		    &found->steps[s].kernel->region.instances[found->steps[s].instances[0]];
		for (size_t a = 0; a < r->steps[s].argument_count; a++) {
			const size_t to = r->steps[s].arguments[a];
			i->types[to] = r->arguments[to].type;
			/* Where integers of different types met, the signature's own type counts. */
			if (r->arguments[to].is_pointer ||
			    strcmp(kt_without_const(from->types[a]), kt_without_const(r->arguments[to].type)) == 0) {
				i->elements[to] = from->elements[a];
				i->layouts[to] = from->layouts != NULL ? from->layouts[a] : NULL;
			} else if (i->elements[to] == KT_SCALAR_NONE) {
				i->elements[to] = kt_scan_scalar_text(kt_without_const(r->arguments[to].type));
			}
		}
	}
	return KT_OK;
}

/* The host's template parameters become the region's. */
static kt_status read_host(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	struct kt_found *host = read_function(scan, found->host, err);
	if (host == NULL)
		return err->code;
	if (host->region.decline != NULL && strcmp(host->region.decline, "no-instance") == 0)
		kt_found_decline(scan, found, host->region.decline, "%s", host->region.decline_detail);
	r->template_count = host->region.template_count;
	r->templates = host->region.templates;
	for (size_t i = 0; i < r->template_count; i++)
		if (r->templates[i].name[0] == '\0')
			kt_found_decline(scan, found, "no-instance", "a template parameter of '%s' has no name; name it",
			                 host->region.kernel);
	return KT_OK;
}

static kt_status read_instances(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	const struct kt_item *host = &scan->items[found->host];
	const char **names = kt_arena_array(scan->arena, r->template_count + 1, sizeof *names);
	const char *kernel = r->kernel;
	NEED(names, kt_no_memory(err));
	if (r->template_count == 0)
		return plain_instance(scan, found, err);
	for (size_t i = 0; i < r->template_count; i++)
		names[i] = r->templates[i].name;
	/* Instances are called after the function that the user calls. */
	r->kernel = host->name;
	kt_instances_of_host(scan, found, host, found->block.begin, names, r->template_count, true);
	r->kernel = kernel;
	if (r->instance_count == 0)
		kt_found_decline(scan, found, "no-instance", "no call of '%s' in this file names its template arguments; call it "
		                 "with them, or instantiate it explicitly", host->name);
	return r->decline != NULL || bind_templates(scan, found) ? KT_OK : scan->failed ? kt_no_memory(err) : KT_OK;
}

/* ---- geometry, bindings, the record */

/* What the host calls numbers that clauses give. */
static struct kt_rename *renames_of(struct kt_scan *scan, const struct kt_found *found, size_t *count)
{
	const struct kt_region *r = &found->region;
	struct kt_rename *renames = kt_arena_array(scan->arena, r->argument_count + 1, sizeof *renames);
	for (size_t i = 0; renames != NULL && i < r->argument_count; i++) {
		const char *name = kt_host_name(scan, r->arguments[i].expression);
		if (!r->arguments[i].is_pointer && name != NULL && kt_expand_is_word(found, r->arguments[i].name))
			renames[(*count)++] = (struct kt_rename){name, r->arguments[i].name, false};
	}
	return renames;
}

static kt_status fill_step(struct kt_scan *scan, struct kt_found *found, size_t index, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	struct kt_found_step *step = &found->steps[index];
	struct kt_region_step *out = &r->steps[index];
	const struct kt_region *k = &step->kernel->region;
	struct kt_expand x = {.scan = scan, .found = found, .at = step->call->extent.begin};
	const char *parts[5] = {NULL};
	size_t count = kt_split_list(scan, step->launch.open.end, step->launch.close.begin, parts, 5);
	x.renames = renames_of(scan, found, &x.rename_count);
	out->kernel = k->kernel;
	out->qualified = k->qualified;
	kt_scan_position(scan, step->call->extent.begin, &out->line, &out->column);
	out->extent = k->extent;
	out->launch = (struct kt_range){step->launch.callee.begin, step->launch.end.end};
	out->is_static = k->is_static;
	out->is_extern_c = k->is_extern_c;
	out->in_anonymous_namespace = k->in_anonymous_namespace;
	out->configuration = kt_scan_squeeze(scan, scan->text, step->launch.open.end, step->launch.close.begin);
	out->instances = kt_arena_array(scan->arena, r->instance_count + 1, sizeof *out->instances);
	out->types = kt_arena_array(scan->arena, r->instance_count * out->argument_count + 1, sizeof *out->types);
	out->symbols = kt_arena_array(scan->arena, r->instance_count + 1, sizeof *out->symbols);
	if (x.renames == NULL || out->configuration == NULL || out->instances == NULL || out->types == NULL ||
	    out->symbols == NULL)
		return kt_no_memory(err);
	for (size_t i = 0; i < r->instance_count; i++) {
		const struct kt_instance *instance = &k->instances[step->instances[i]];
		out->instances[i] = instance->name;
		out->symbols[i] = instance->symbol != NULL ? instance->symbol : "";
		memcpy(out->types + i * out->argument_count, instance->types, out->argument_count * sizeof *out->types);
	}
	if (!kt_read_configuration(&step->launch, &x, parts, count))
		kt_step_decline(scan, found, step, "geometry-unknown",
		                kt_arena_printf(scan->arena, "'%s'; write it as an expression over problem variables and "
		                                "arguments", out->configuration));
	out->grid_count = step->launch.grid_count;
	out->block_count = step->launch.block_count;
	memcpy(out->grid, step->launch.grid, sizeof out->grid);
	memcpy(out->block, step->launch.block, sizeof out->block);
	out->shared_bytes = step->launch.shared_bytes;
	return KT_OK;
}

/* Of numbers that no clause gives, from what the host passes. */
static kt_status read_values(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_expand x = {.scan = scan, .found = found, .at = found->steps[0].call->extent.begin};

	NEED(x.renames = renames_of(scan, found, &x.rename_count), kt_no_memory(err));
	kt_expression_values(scan, found, &x);
	return scan->failed ? kt_no_memory(err) : KT_OK;
}

/* The region's one launch: where problem variables are bound. */
static kt_status add_launch(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	const struct kt_call *call = found->steps[0].call;
	struct kt_launch *l;
	NEED(l = kt_arena_push(scan->arena, &r->launches, &r->launch_count, sizeof *l), kt_no_memory(err));
	*l = (struct kt_launch){.instance = r->template_count == 0 ? 0 : -1, .has_arguments = r->argument_count != 0,
	                        .is_quiet = true};
	l->file = kt_scan_file(scan, call->extent.begin);
	kt_scan_position(scan, call->extent.begin, &l->line, &l->column);
	NEED(l->bindings = kt_arena_array(scan->arena, found->pragma->variable_count + 1, sizeof *l->bindings),
	     kt_no_memory(err));
	for (size_t v = 0; v < found->pragma->variable_count; v++)
		kt_launch_bind(scan, found, call, NULL, l, v);
	kt_launch_judge(scan, found, l);
	return KT_OK;
}

/* Clauses about one kernel's own text and geometry mean nothing here. */
static void check_clauses(struct kt_scan *scan, struct kt_found *found)
{
	const struct kt_pragma *p = found->pragma;
	const char *word = p->tune_count != 0 ? "tune" : p->grid_count != 0 ? "grid" : p->block_count != 0 ? "block" : NULL;
	if (word == NULL && p->shared_bytes.expr != NULL)
		word = "smem";
	if (word == NULL && p->instance_count != 0)
		word = "instances";
	if (word == NULL)
		return;
	kt_scan_diagnose(
	    scan, 0, KT_ERROR, found->region.pragma.begin, found->region.pragma.end - found->region.pragma.begin,
	    kt_arena_printf(scan->arena, "'%s' is a clause of one kernel, not of launches", word),
	    "write it in a pragma above the kernel");
	kt_found_decline(scan, found, "pragma-error", NULL);
}

static kt_status read_steps(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	kt_status status = kt_block_read(scan, found, err);
	for (size_t i = 0; status == KT_OK && i < found->step_count && found->region.decline == NULL; i++)
		status = read_step(scan, found, i, err);
	if (status != KT_OK || found->region.decline != NULL)
		return status;
	if (found->step_count == 0) {
		kt_found_decline(scan, found, "launch-form",
		                 "no launch of the block is a statement; write `kernel<<<…>>>(…);` as statements");
		return KT_OK;
	}
	check_places(scan, found);
	check_expressions(scan, found);
	return KT_OK;
}

static kt_status read_record(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	kt_status status = read_host(scan, found, err);
	if (status != KT_OK || r->decline != NULL)
		return status;
	if (r->template_count == 0 && !bind_plain(scan, found))
		return KT_OK;
	status = kt_sequence_signature(scan, found, err);
	if (status != KT_OK || r->decline != NULL)
		return status;
	r->step_count = found->step_count;
	status = read_instances(scan, found, err);
	if (status != KT_OK || r->decline != NULL)
		return status;
	check_twins(scan, found);
	status = read_values(scan, found, err);
	for (size_t i = 0; status == KT_OK && i < r->step_count; i++)
		status = fill_step(scan, found, i, err);
	/* Messages about a clause name what the user calls. */
	r->kernel = scan->items[found->host].name;
	found->member_reason = "the arguments of a launch region are numbers and pointers";
	THEN(status, kt_scan_clauses(scan, found, err));
	r->kernel = found->steps[0].kernel->region.kernel;
	return status == KT_OK ? add_launch(scan, found, err) : status;
}

kt_status kt_scan_sequence(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	kt_status status;
	if (r->decline != NULL)
		return KT_OK;
	check_clauses(scan, found);
	status = read_steps(scan, found, err);
	if (status == KT_OK && r->decline == NULL)
		status = read_record(scan, found, err);
	if (status == KT_OK && r->decline == NULL)
		status = kt_scan_closure(scan, found, err);
	if (status == KT_OK && r->decline == NULL)
		status = kt_scan_slice(scan, found, err);
	if (status == KT_OK && r->decline == NULL)
		status = kt_scan_reference(scan, found, err);
	if (status == KT_OK && r->decline == NULL) {
		kt_scan_globals(scan, found);
		kt_scan_judge(scan, found);
	}
	if (r->decline != NULL)
		kt_region_withdraw(r);
	return scan->failed ? kt_no_memory(err) : status;
}
