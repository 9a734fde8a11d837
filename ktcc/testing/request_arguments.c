/* Of requests to the runner: what the arguments of the kernel are, and their values on a problem. */
#include <math.h>

#include "testing/request.h"

static cJSON *real_item(double value)
{
	if (isnan(value))
		return cJSON_CreateString("nan");
	return isinf(value) ? cJSON_CreateString(value > 0 ? "inf" : "-inf") : cJSON_CreateNumber(value);
}

static const struct kt_value *find_value(const struct kt_region *region, size_t argument)
{
	for (size_t i = 0; i < region->value_count; i++) {
		if (region->values[i].argument == (int64_t)argument)
			return &region->values[i];
	}
	return NULL;
}

static size_t find_buffer(const struct kt_region *region, size_t argument)
{
	for (size_t b = 0; b < region->buffer_count; b++) {
		if (region->buffers[b].argument == (int64_t)argument)
			return b;
	}
	return KT_NO_BUFFER;
}

static const char *argument_name(const struct kt_region *region, size_t argument)
{
	const char *name = region->arguments[argument].name;
	return name && *name ? name : "without a name";
}

/* What a parameter or a member of one is: a buffer by its number, or a number of that type. */
static kt_status fill_kind(size_t *buffer, enum kt_scalar *element, const struct kt_subject *subject, size_t i,
                           struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	const bool is_pointer = region->arguments[i].is_pointer;

	*buffer = is_pointer ? find_buffer(region, i) : KT_NO_BUFFER;
	*element = is_pointer ? KT_SCALAR_NONE : subject->instance->elements[i];
	if (kt_instance_element(subject->instance, i)->bytes == 0)
		return kt_fail(err, KT_ERR_INVALID, "argument '%s' has a type that cannot be built", argument_name(region, i));
	if (is_pointer && *buffer == KT_NO_BUFFER)
		return kt_fail(err, KT_ERR_INVALID, "pointer '%s' appears in no in, out, inout or scratch clause",
		               argument_name(region, i));
	return KT_OK;
}

static bool is_whole(const struct kt_subject *subject, size_t argument)
{
	return subject->instance->bytes != NULL && subject->instance->bytes[argument] > 0;
}

/* The next member of an argument from there on; where there is none, the end of all. */
static size_t next_member(const struct kt_region *region, size_t argument, size_t from)
{
	const size_t end = region->argument_count + region->member_count;

	while (from < end && region->arguments[from].parent != argument)
		from++;
	return from;
}

static kt_status fill_members(struct kt_run_argument *out, struct kt_arena *arena, const struct kt_subject *subject,
                              size_t argument, struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	const size_t end = region->argument_count + region->member_count;

	out->bytes = subject->instance->bytes[argument];
	NEED(out->members = kt_arena_array(arena, region->member_count + 1, sizeof *out->members), kt_no_memory(err));
	for (size_t m = next_member(region, argument, region->argument_count); m < end;
	     m = next_member(region, argument, m + 1)) {
		struct kt_run_member *member = &out->members[out->member_count++];

		member->offset = subject->instance->offsets[m - region->argument_count];
		TRY(fill_kind(&member->buffer, &member->element, subject, m, err));
	}
	return KT_OK;
}

kt_status kt_request_arguments(struct kt_run_region *out, struct kt_arena *arena, const struct kt_subject *subject,
                               struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;

	out->argument_count = region->argument_count;
	NEED(out->arguments = kt_arena_array(arena, out->argument_count + 1, sizeof *out->arguments), kt_no_memory(err));
	for (size_t i = 0; i < region->argument_count; i++) {
		struct kt_run_argument *argument = &out->arguments[i];
		*argument = (struct kt_run_argument){.buffer = KT_NO_BUFFER,
		                                     .is_local = region->arguments[i].space == KT_SPACE_LOCAL};
		if (!argument->is_local)
			TRY(is_whole(subject, i) ? fill_members(argument, arena, subject, i, err)
						 : fill_kind(&argument->buffer, &argument->element, subject, i, err));
	}
	return KT_OK;
}

/* What a scalar argument gets: a value, or a problem variable. */
struct number {
	bool is_value, integral;
	const char *text; /* of the value, in the user's spelling */
	int64_t integer;
	double real;
};

static kt_status number_of(struct number *out, const struct kt_subject *subject, const struct kt_check *check,
                           size_t argument, struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	const struct kt_scope scope = {region, subject->original, check->problem, subject->device};
	const struct kt_value *value = find_value(region, argument);
	const int64_t variable = kt_region_carried(region, argument);
	kt_status status = KT_OK;

	if (!value && variable < 0)
		return kt_fail(err, KT_ERR_INVALID, "argument '%s' has no value(…) and is no problem variable",
		               argument_name(region, argument));
	*out = (struct number){.is_value = value, .integral = !value || value->integral, .text = value ? value->text : ""};
	if (!value)
		out->integer = check->problem[variable];
	else if (value->integral)
		status = kt_scope_value(&out->integer, &scope, (size_t)(value - region->values), err);
	out->real = out->integral ? (double)out->integer : value->number;
	return status;
}

static kt_status value_item(cJSON **out, const struct kt_subject *subject, const struct kt_check *check,
                            size_t argument, struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	const enum kt_scalar element = subject->instance->elements[argument];
	struct number number;
	TRY(number_of(&number, subject, check, argument, err));

	if (kt_scalar_is_float(element)) {
		*out = real_item(number.real);
		return KT_OK;
	}
	if (!number.integral)
		return kt_fail(err, KT_ERR_INVALID, "argument '%s' is an integer, its value '%s' is not",
		               argument_name(region, argument), number.text);
	if (!kt_check_fits(element, number.integer, number.is_value))
		return kt_fail(err, KT_ERR_INVALID, "argument '%s' is %s and cannot be %lld", argument_name(region, argument),
		               kt_scalar_name(element), (long long)number.integer);
	*out = kt_json_create_int(number.integer);
	return KT_OK;
}

static kt_status add_value(cJSON *array, const struct kt_subject *subject, const struct kt_check *check,
                           size_t argument, struct kt_error *err)
{
	cJSON *item = NULL;

	if (subject->template_->region->arguments[argument].is_pointer)
		item = cJSON_CreateNull();
	else
		TRY(value_item(&item, subject, check, argument, err));
	(void)cJSON_AddItemToArray(array, item);
	return KT_OK;
}

kt_status kt_request_values(cJSON *array, const struct kt_subject *subject, const struct kt_check *check,
                            struct kt_error *err)
{
	const struct kt_region *region = subject->template_->region;
	const size_t end = region->argument_count + region->member_count;
	kt_status status = KT_OK;

	for (size_t i = 0; !status && i < region->argument_count; i++) {
		if (!is_whole(subject, i)) {
			status = add_value(array, subject, check, i, err);
			continue;
		}
		cJSON *members = cJSON_CreateArray();

		(void)cJSON_AddItemToArray(array, members);
		for (size_t m = next_member(region, i, region->argument_count); !status && m < end;
		     m = next_member(region, i, m + 1))
			status = add_value(members, subject, check, m, err);
	}
	return status;
}

/* What the kernel gets, as a double; the request has been refused where there is nothing. */
static double host_value(const struct kt_subject *subject, const struct kt_check *check, size_t argument)
{
	struct number number = {0};
	struct kt_error ignored;

	if (number_of(&number, subject, check, argument, &ignored) != KT_OK)
		return 0;
	return subject->instance->elements[argument] == KT_F32 ? (double)(float)number.real : number.real;
}

cJSON *kt_request_host_values(const struct kt_subject *subject, const struct kt_check *check)
{
	const struct kt_host_reference *reference = &subject->template_->region->reference;
	cJSON *array = cJSON_CreateArray();
	for (size_t i = 0; i < reference->parameter_count; i++) {
		const struct kt_host_parameter *p = &reference->parameters[i];
		cJSON *item = NULL;
		if (p->buffer >= 0)
			item = cJSON_CreateNull();
		else
			item = real_item(p->argument >= 0 ? host_value(subject, check, (size_t)p->argument)
			                                  : (double)check->problem[p->variable]);
		(void)cJSON_AddItemToArray(array, item);
	}
	return array;
}
